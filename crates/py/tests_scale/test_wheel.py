"""What an installed wheel carries."""

import importlib.metadata


def test_the_wheel_has_its_licences_and_those_of_what_it_links():
    distribution = importlib.metadata.distribution("zerostride")
    assert distribution.metadata.get_all("License-File")
    texts = {file.name: file.read_text() for file in distribution.files if "licenses" in file.parts}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"} <= set(texts)
    assert "Permission is hereby granted" in texts["LICENSE-MIT"] and "Apache License" in texts["LICENSE-APACHE"]
    for crate in ("The Rust standard library", "pyo3 ", "wgpu-hal ", "naga ", "numpy ", "ndarray ", "hashbrown "):
        assert f"\n{crate}" in texts["THIRD-PARTY.txt"], crate
