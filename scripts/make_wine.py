#!/usr/bin/env python3
"""Writes data/wine/*.npy: the UCI wine table and its columns' mean and standard deviation, as float32.

Needs Python 3 with NumPy 2 and pip. The table is taken out of a pinned scikit-learn wheel, which is only unpacked,
not installed. Run from anywhere: scripts/make_wine.py
"""

import csv
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

PACKAGE = "scikit-learn==1.7.2"
MEMBER = "sklearn/datasets/data/wine_data.csv"
SHA256 = "10e8a802908b34f86e5da8ce962f3c806694bc98450a18f61851af59f324bede"
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "wine"


def table():
    """The 178 rows of 13 measurements; the last column of the file, the cultivar, is left out."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--dest", folder, PACKAGE], check=True)
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            text = archive.read(MEMBER)
    found = hashlib.sha256(text).hexdigest()
    if found != SHA256:
        sys.exit(f"{MEMBER} of {PACKAGE} has the SHA-256 {found}, expected {SHA256}")
    rows = list(csv.reader(io.StringIO(text.decode())))
    return np.array([row[:13] for row in rows[1:]], dtype=np.float64)


def main():
    x = table()
    assert x.shape == (178, 13)
    # The statistics are those of the float32 table, computed in float64.
    x = x.astype(np.float32)
    wide = x.astype(np.float64)
    FOLDER.mkdir(parents=True, exist_ok=True)
    np.save(FOLDER / "wine.npy", x)
    np.save(FOLDER / "mean.npy", wide.mean(axis=0).astype(np.float32))
    np.save(FOLDER / "std.npy", wide.std(axis=0, ddof=0).astype(np.float32))


if __name__ == "__main__":
    main()
