#!/usr/bin/env python3
"""Writes double.jsonl and double.bin, the conformance cases of functions of f64, into a folder.

Without --count they are those of tests/cases. A million arguments a function take about five minutes and 700 MB; the
tests read them with ZEROSTRIDE_CASES=FOLDER. Needs NumPy 2 and gmpy2. The output is the same on every run.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle"))

from conformance import double  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--count", type=int, default=double.RANDOM, help="random arguments a function")
arguments = parser.parse_args()
arguments.folder.mkdir(parents=True, exist_ok=True)
for cases in double.make(arguments.count):
    lines, size = cases.write(arguments.folder)
    print(f"{cases.name}: {lines} cases, {size} bytes")
