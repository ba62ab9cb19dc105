#!/usr/bin/env python3
"""Writes tests/cases/*.jsonl and *.bin: conformance cases of rules and operators, with NumPy 2 as the oracle.

The output is the same on every run.
"""

import sys

sys.dont_write_bytecode = True

from conformance import errors, openvino, operators, rules, unary  # noqa: E402

total = 0
for module in (rules, operators, openvino, unary, errors):
    for cases in module.make():
        lines, size = cases.write()
        total += size
        print(f"{cases.name}: {lines} cases, {size} bytes")
print(f"{total} bytes in all")
