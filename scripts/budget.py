#!/usr/bin/env python3
"""Budgets of the checks: scripts/budget.txt. A figure is printed beside its budget; above it, this fails.

    scripts/budget.py check seconds tests 170     a figure of a check
    scripts/budget.py limit seconds tests         prints the budget
    scripts/budget.py speed                       measures the machine, for the checks that follow
    scripts/budget.py lines                       lines of code of each module, counted here

Seconds are those of two cores that do the work of `speed` in %(REFERENCE)s seconds; on a slower machine, or beside other
work, they are as many times more as the means of `speed` say. ZEROSTRIDE_SECONDS=2 doubles them instead. Lines of code are
those of Rust that are neither empty nor comments nor tests.
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The seconds of each measurement since the checks began.
MEASURED = ROOT / "target/speed.txt"
REFERENCE = 0.65


def work():
    """Work of compilers' kind: integers, a table beyond the caches, branches."""
    table = {}
    for i in range(3_000_000):
        table[i * 2654435761 % 1000003] = i


def measure():
    """Measures two cores at once."""
    begun = time.perf_counter()
    for process in [subprocess.Popen([sys.executable, __file__, "work"]) for _ in range(2)]:
        process.wait()
    with MEASURED.open("a") as file:
        print(f"{time.perf_counter() - begun:.2f}", file=file)


def slowness():
    """How many times as long as on the machine of the budgets things take here; at least 1."""
    if "ZEROSTRIDE_SECONDS" in os.environ:
        return float(os.environ["ZEROSTRIDE_SECONDS"])
    if not MEASURED.exists():
        return 1
    return max(1, statistics.mean(map(float, MEASURED.read_text().split())) / REFERENCE)


def budgets():
    """The budgets by kind and name."""
    found = {}
    for line in (ROOT / "scripts/budget.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, number, name = line.split(maxsplit=2)
            found[kind, name] = int(number)
    return found


def limit(kind, name):
    try:
        found = budgets()[kind, name]
    except KeyError:
        sys.exit(f"budget: scripts/budget.txt lacks the line `{kind} NUMBER {name}`")
    return round(found * slowness()) if kind == "seconds" else found


def check(kind, name, number):
    """Prints a figure; whether it keeps to its budget."""
    most = limit(kind, name)
    print(f"== {name}: {number} of {most} {kind}", flush=True)
    if number > most:
        print(f"budget: {name} takes {number} {kind}; scripts/budget.txt allows {most}", file=sys.stderr)
    return number <= most


def tests_of(folder):
    """Files that are compiled for tests alone, whole folders among them."""
    files = set()
    for path in folder.rglob("*.rs"):
        text = path.read_text()
        home = path.parent if path.stem in ("mod", "lib", "main") else path.with_suffix("")
        for name in re.findall(r"#\[cfg\((?:test|all\(test|any\(test)[^\n]*\)\]\n(?:#\[[^\n]*\]\n)*(?:pub )?mod (\w+);", text):
            files.add(home / f"{name}.rs")
            files.update((home / name).rglob("*.rs"))
    return files


def code(path):
    """Lines of a file that are neither empty nor comments nor in a module of tests."""
    text = re.sub(r"#\[cfg\((?:test|all\(test, [^\n]*\))\)\]\nmod \w+ \{\n.*?\n\}\n", "", path.read_text(), flags=re.S)
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def modules():
    """Lines of code of each module of the library and of each crate."""
    found = {}
    source = ROOT / "src"
    skipped = tests_of(source)
    for path in source.rglob("*.rs"):
        if path not in skipped:
            name = path.relative_to(source).parts[0].removesuffix(".rs")
            found["src/" + name] = found.get("src/" + name, 0) + code(path)
    found["src"] = sum(found.values())
    for source in sorted(ROOT.glob("crates/*/src")) + sorted(ROOT.glob("tools/*/src")):
        skipped = tests_of(source)
        found[str(source.parent.relative_to(ROOT))] = sum(code(path) for path in source.rglob("*.rs") if path not in skipped)
    return found


def main():
    match sys.argv[1:]:
        case ["limit", kind, name]:
            print(limit(kind, name))
        case ["check", kind, name, number]:
            sys.exit(not check(kind, name, int(number)))
        case ["speed"]:
            measure()
        case ["work"]:
            work()
        case ["lines"]:
            sys.exit(not all([check("lines", name, number) for name, number in sorted(modules().items())]))
        case _:
            sys.exit(__doc__ % globals())


if __name__ == "__main__":
    main()
