#!/usr/bin/env python3
"""The tests that failed in the output of cargo test, as a table in Markdown with the first lines of what each says.

    cargo test --test adapter 2>&1 | tee adapter.log; scripts/failed_tests.py adapter.log target/tmp/adapter.txt
"""

import pathlib
import re
import sys

LINES = 4


def failures(log):
    """The name of each failed test and what it says."""
    for name, said in re.findall(r"^---- (\S+) stdout ----\n(.*?)(?=\n---- |\nfailures:\n|\Z)", log, re.M | re.S):
        lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("note: ")]
        yield name, lines[:LINES]


def cell(lines):
    return "<br>".join(f"`{line[:200].replace('|', '¦').replace('`', chr(39))}`" for line in lines)


def main():
    log = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    adapter = pathlib.Path(sys.argv[2])
    print(adapter.read_text(encoding="utf-8") if adapter.exists() else "adapter: no test opened one")
    results = re.findall(r"^test result: .*$", log, re.M)
    print("\n".join(["", *results]) if results else "\nThe tests did not end.")
    rows = [f"| {name} | {cell(lines)} |" for name, lines in failures(log)]
    if rows:
        print("\n| failed | said |\n|---|---|")
        print("\n".join(rows))


main()
