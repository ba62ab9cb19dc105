#!/usr/bin/env python3
"""Writes random conformance cases, with NumPy as the other side: FOLDER/fuzz_*.jsonl and *.bin.

The cases come from tests/oracle/random_cases. The fuzz targets of fuzz/ are something else: scripts/cargo-fuzz.sh.

    python3 -m venv VENV && VENV/bin/pip install numpy ml_dtypes
    VENV/bin/python scripts/fuzz.py --cases 20000 --seed 1 FOLDER
    ZEROSTRIDE_CASES=FOLDER cargo test --test adapter cases_pass_on_the_adapter

The same options give the same cases. Of forty cases six are expressions of 2 to 12 steps, joins among them, four casts,
two views alone, two promote, one has reductions or scans, and 25 are one step of one operator on one type; these go
through all operators and types in turn. Results are asked for in bits wherever NumPy defines them, functions within the
bounds of docs/accuracy.md. The runner's report has a line for each group, and one for each failure with the case's id,
fuzz/SEED/NUMBER; `--only NUMBER` with the same seed and options prints that case with its elements instead of writing
files.

--folds: reductions and scans alone. Of nine four are a reduction of an input or an expression, which go through all
names and types in turn, one is a scan, two are expressions with exact reductions, scans and values that several others
use, two are softmax, layer norms, distances and the like. Sums of floats have the bounds of docs/reductions.md.

--no-subnormals: no f32, bf16 or f64 operand, step or result is subnormal, for adapters that flush them.
--f64: arithmetic on f64, for adapters that have it. --shifts: the operators << and >>.

--again N: each expression in N cases, on other extents and elements, for which most kernels are the same. An extent
stays near what it was: below the same power of two, and whole quads or not.

100,000 cases take about a minute to write, and 50 minutes on a software adapter, which compiles a kernel for most
expressions and for every fourth step or so; 10,000 with --folds take as long. The reference takes a hundredth of that.
"""

import argparse
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle"))

import numpy as np  # noqa: E402
from random_cases.files import Files  # noqa: E402
from random_cases.mixture import Mixture  # noqa: E402

# Overflow, division by zero and NaN are wanted.
np.seterr(all="ignore")


def show(number, kind, case, root, tolerance):
    print(f"case {number} ({kind}): {root.text}\nrule {case.rule} {case.attributes}, tolerance {tolerance}")
    for name, (dtype, array) in case.inputs.items():
        print(f"{name}: {dtype} {list(array.shape)}\n{array!r}")
    print(f"result: {root.dtype} {list(root.shape)}\n{np.asarray(root.value)!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", help="where the files go; older ones of this script are removed"
    )
    parser.add_argument("--cases", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--only", type=int, metavar="NUMBER")
    parser.add_argument("--no-subnormals", dest="subnormals", action="store_false")
    parser.add_argument("--f64", action="store_true")
    parser.add_argument("--shifts", action="store_true")
    parser.add_argument("--folds", action="store_true")
    parser.add_argument("--again", type=int, default=1, metavar="N")
    options = parser.parse_args()
    if options.again < 1:
        parser.error("--again is 1 at least")
    mixture = Mixture(options)
    if options.only is not None:
        show(options.only, *mixture.make(options.only))
        return
    if options.folder is None:
        parser.error("FOLDER is missing")
    files, started = Files(options.folder), time.monotonic()
    for number in range(options.cases):
        kind, case, root, tolerance = mixture.make(number)
        files.add(f"fuzz/{options.seed}/{number}", f"fuzz {kind}", case, root, tolerance)
    files.flush()
    took = time.monotonic() - started
    print(f"{files.count} cases, {files.written} files, {files.size} bytes, {files.count / took:.0f} cases a second")


if __name__ == "__main__":
    main()
