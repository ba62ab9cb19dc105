"""Holds the failures of a suite's JSON report against a list of expressions and reasons."""

import collections
import json
import re
import sys


def main(report, listed):
    with open(report) as file:
        tests = json.load(file)["tests"]
    with open(listed) as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    reasons = dict(line.split("\t") for line in lines)
    failed = sorted(t["nodeid"] for t in tests if t["outcome"] in ("failed", "error"))
    unknown = [name for name in failed if not any(re.search(r, name) for r in reasons)]
    stale = [r for r in reasons if not any(re.search(r, name) for name in failed)]
    for name in unknown:
        print(f"fails without a reason: {name}")
    for reason in stale:
        print(f"nothing fails any more: {reason}")
    counts = collections.Counter(t["outcome"] for t in tests)
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    return 1 if unknown or stale else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
