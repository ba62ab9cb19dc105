#!/usr/bin/env python3
"""Budgets of the checks: scripts/budget.txt. A figure is printed beside its budget; above it, this fails.

    scripts/budget.py check pipelines adapter 9000     a figure of a check
    scripts/budget.py part tests scripts/test.sh       runs a part of a check, and checks its seconds
    scripts/budget.py start                            forgets which parts ran
    scripts/budget.py total run                        checks the sum of the parts that ran since `start`
    scripts/budget.py lines                            lines of code of each module, counted here

Seconds are those that processors work for a part, halved: what it takes on two cores that do nothing else. While the part
runs, a fixed piece of work is measured in the same way, since processors of other machines, and of one that is shared, are
slower: where it takes three times %(REFERENCE)s seconds, a third of the part's seconds count. ZEROSTRIDE_SECONDS=3 says so
instead. A part that takes more than six times its budget by the clock is ended. Lines of code are those of Rust that are
neither empty nor comments nor tests.
"""

import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The seconds of each part since `start`.
PARTS = ROOT / "target/seconds.txt"
REFERENCE = 0.4
# Seconds between two measurements of the machine.
BETWEEN = 15


def work():
    """Work of compilers' kind: integers, a table beyond the caches, branches."""
    table = {}
    for i in range(1_500_000):
        table[i * 2654435761 % 1000003] = i


def processors(process):
    """Waits for a process; the seconds that processors worked for it and what it started, and its exit status."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, process.returncode


def measure():
    """Seconds that a processor takes for `work` now."""
    return processors(subprocess.Popen([sys.executable, __file__, "work"]))[0]


def slowness(measured):
    """How many times as long as on the machine of the budgets things took; at least 1."""
    if "ZEROSTRIDE_SECONDS" in os.environ:
        return float(os.environ["ZEROSTRIDE_SECONDS"])
    return max(1, statistics.mean(measured) / REFERENCE)


def ended(process, by):
    """Whether a process ends until a time; it stays to be waited for."""
    while time.monotonic() < by:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return True
        time.sleep(0.1)
    return False


def part(name, command):
    """Runs a part of a check; its exit status, or 1 where it takes longer than its budget."""
    most = budget("seconds", name)
    print(f"== {name}", flush=True)
    begun = time.monotonic()
    measured = [measure()]
    process = subprocess.Popen(command, start_new_session=True, env=os.environ | {"ZEROSTRIDE_PART": name})

    def end(*_):
        os.killpg(process.pid, signal.SIGTERM)
        sys.exit(1)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    while not ended(process, time.monotonic() + BETWEEN):
        measured.append(measure())
        if time.monotonic() - begun > 6 * most * slowness(measured):
            print(f"budget: {name} is ended: it has run for six times its budget", file=sys.stderr)
            end()
    worked, status = processors(process)
    slow = slowness(measured)
    seconds = round(worked / 2 / slow)
    clock = time.monotonic() - begun
    print(f"== {name}: {clock:.0f} s by the clock, {worked:.0f} of processors, which are {slow:.2f} times slower than the budget's")
    kept = check("seconds", name, seconds)
    # The seconds of a part of a part are the outer one's too.
    if "ZEROSTRIDE_PART" not in os.environ:
        PARTS.parent.mkdir(exist_ok=True)
        with PARTS.open("a") as file:
            print(seconds, file=file)
    return status or int(not kept)


def budgets():
    """The budgets by kind and name."""
    found = {}
    for line in (ROOT / "scripts/budget.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, number, name = line.split(maxsplit=2)
            found[kind, name] = int(number)
    return found


def budget(kind, name):
    try:
        return budgets()[kind, name]
    except KeyError:
        sys.exit(f"budget: scripts/budget.txt lacks the line `{kind} NUMBER {name}`")


def check(kind, name, number):
    """Prints a figure; whether it keeps to its budget."""
    most = budget(kind, name)
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
        case ["check", kind, name, number]:
            sys.exit(not check(kind, name, int(number)))
        case ["part", name, *command]:
            sys.exit(part(name, command))
        case ["start"]:
            PARTS.unlink(missing_ok=True)
        case ["total", name]:
            sys.exit(not check("seconds", name, sum(map(int, PARTS.read_text().split()))))
        case ["work"]:
            work()
        case ["lines"]:
            sys.exit(not all([check("lines", name, number) for name, number in sorted(modules().items())]))
        case _:
            sys.exit(__doc__ % globals())


if __name__ == "__main__":
    main()
