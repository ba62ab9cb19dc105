#!/usr/bin/env python3
"""Writes the licences that a binary of this repository has to carry: its own, and in THIRD-PARTY.txt those of every crate
that is linked into it, as they stand in the crates' sources.

    scripts/notices.py zerostride-py x86_64-unknown-linux-gnu crates/py      for one target, or several behind commas

It fails where a crate has no text and its licence is not one whose text is known here. Needs cargo; what it has not yet
fetched of the locked crates, cargo fetches.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ("LICENSE-MIT", "LICENSE-APACHE")
TEXTS = re.compile(r"(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)


def cargo(*args):
    run = subprocess.run(["cargo", *args], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(f"notices: cargo {args[0]} failed")
    return run.stdout


def linked(package, targets):
    """Name and version of each crate of others that is linked into a package."""
    found = set()
    for target in targets:
        tree = cargo(
            *("tree", "--locked", "--package", package, "--edges", "normal,no-proc-macro", "--target", target),
            *("--prefix", "none", "--format", "{p}"),
        )
        for line in tree.splitlines():
            # Crates of this repository have a path behind their version.
            words = line.removesuffix(" (*)").split()
            if len(words) == 2:
                found.add((words[0], words[1].removeprefix("v")))
    return found


def texts(folder, license_file):
    """The files of a crate that say what may be done with it."""
    named = {file for file in folder.iterdir() if file.is_file() and TEXTS.match(file.name)}
    if license_file:
        named.add(folder / license_file)
    for inner in ("LICENSES", "licenses"):
        if (folder / inner).is_dir():
            named.update(file for file in (folder / inner).iterdir() if file.is_file())
    return sorted(file for file in named if file.suffix not in (".rs", ".py"))


def granted():
    """The words of the MIT licence."""
    text = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
    return text[text.index("Permission") :].strip()


def standard():
    """The licence of Rust's own library, which every binary has."""
    head = "The Rust standard library\nMIT OR Apache-2.0, https://github.com/rust-lang/rust"
    return f"{head}\n\nCopyright (c) The Rust Project Contributors\n\n{granted()}\n"


def fallback(package):
    """What is said of a crate whose sources have no text: its authors, and the text of a licence that it offers."""
    offered = set(re.split(r"\s+OR\s+|/", package["license"] or ""))
    by = ", ".join(package["authors"]) or f"the authors of {package['name']}"
    if "MIT" in offered:
        return f"Copyright (c) {by}\n\n{granted()}"
    if "Apache-2.0" in offered:
        return f"Copyright {by}\n\nThe text of the Apache License, Version 2.0, is LICENSE-APACHE beside this file."
    sys.exit(f"notices: {package['name']} {package['version']} has no licence's text, and is under {package['license']}")


def once(text, crate, known):
    """A text, or where it stands already, word by word."""
    first = known.setdefault(" ".join(text.split()), crate["name"])
    return text if first == crate["name"] else f"{text.splitlines()[0].strip()}: the text is that of {first} above."


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: scripts/notices.py PACKAGE TARGET[,TARGET] FOLDER")
    package, targets, folder = sys.argv[1], sys.argv[2].split(","), pathlib.Path(sys.argv[3])
    wanted = linked(package, targets)
    every = json.loads(cargo("metadata", "--locked", "--format-version", "1"))["packages"]
    parts = [standard()]
    known = {}
    for crate in sorted(every, key=lambda p: (p["name"], p["version"])):
        if (crate["name"], crate["version"]) not in wanted:
            continue
        wanted.discard((crate["name"], crate["version"]))
        source = pathlib.Path(crate["manifest_path"]).parent
        files = texts(source, crate["license_file"])
        read = [once(file.read_text(encoding="utf-8", errors="replace").strip(), crate, known) for file in files]
        of = f"{crate['name']} {crate['version']}\n{crate['license']}, {crate['repository'] or 'https://crates.io'}"
        parts.append("\n\n".join([of, *(read or [fallback(crate)])]) + "\n")
    if wanted or len(parts) == 1:
        sys.exit(f"notices: cargo does not say where these crates are: {sorted(wanted)}")
    for name in OWN:
        shutil.copyfile(ROOT / name, folder / name)
    line = "\n" + "=" * 100 + "\n\n"
    head = "This binary has parts of these in it, each under its own licence.\n"
    (folder / "THIRD-PARTY.txt").write_text(line.join([head, *parts]), encoding="utf-8")
    print(f"notices: {len(parts)} licences in {folder / 'THIRD-PARTY.txt'}", file=sys.stderr)


if __name__ == "__main__":
    main()
