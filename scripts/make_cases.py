#!/usr/bin/env python3
"""Writes tests/cases/*.jsonl and *.bin: conformance cases of rules and operators, with NumPy 2 as the oracle.

The output is the same on every run. Functions of f64 need gmpy2 as well; without it double.* are left as they are.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle"))

from conformance import errors, named_reductions, openvino, operators, reductions, rules, scans, unary  # noqa: E402

modules = [rules, operators, openvino, unary, errors, reductions, named_reductions, scans]
try:
    from conformance import double

    modules.append(double)
except ModuleNotFoundError as e:
    print(f"double: left as it is, {e}")

total = 0
for module in modules:
    for cases in module.make():
        lines, size = cases.write()
        total += size
        print(f"{cases.name}: {lines} cases, {size} bytes")
print(f"{total} bytes in all")
