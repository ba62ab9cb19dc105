"""maturin, after the licences are written that a wheel carries: `license-files` of pyproject.toml names them."""

import os
import pathlib
import subprocess
import sys

import maturin

HERE = pathlib.Path(__file__).resolve().parent.parent
NOTICES = HERE.parent.parent / "scripts" / "notices.py"


def _write():
    # A source distribution has what was written when it was made.
    if not NOTICES.exists():
        return
    target = os.environ.get("CARGO_BUILD_TARGET")
    if not target:
        said = subprocess.run(["rustc", "-vV"], stdout=subprocess.PIPE, text=True, check=True).stdout
        target = next(line.split()[1] for line in said.splitlines() if line.startswith("host: "))
    subprocess.run([sys.executable, NOTICES, "zerostride-py", target, HERE], check=True)


def build_wheel(*args, **options):
    _write()
    return maturin.build_wheel(*args, **options)


def build_sdist(*args, **options):
    _write()
    return maturin.build_sdist(*args, **options)


def build_editable(*args, **options):
    _write()
    return maturin.build_editable(*args, **options)


def prepare_metadata_for_build_wheel(*args, **options):
    _write()
    return maturin.prepare_metadata_for_build_wheel(*args, **options)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
get_requires_for_build_editable = maturin.get_requires_for_build_editable
