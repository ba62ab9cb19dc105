#!/usr/bin/env python3
"""Compares the doubles that integers compute with the CPU's: translates shaders/soft_double.wgsl to C++, compiles it with
tools/soft-doubles/main.cc, and compares results of random pairs (of all exponents, near-equal ones, halfway cases, subnormal
numbers) and of all pairs of 64 special numbers. A C++ compiler for x86-64 or AArch64 is needed.

    scripts/check_soft_doubles.py                      a million pairs, in seconds
    scripts/check_soft_doubles.py --pairs 100000000    minutes: docs/accuracy.md has the result
    scripts/check_soft_doubles.py --seed 7             these pairs again
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "soft-doubles"


def declared(parameters):
    """Parameters or members as C++ declares them: `a: u32` is `u32 a`."""
    pairs = [p.split(":") for p in parameters.split(",") if p.strip()]
    return [f"{kind.strip()} {name.strip()}" for name, kind in pairs]


def structure(match):
    return f"struct {match[1]} {{ {' '.join(d + ';' for d in declared(match[2]))} }};"


def translated(wgsl):
    """The C++ of WGSL functions on scalars and pairs of words."""
    wgsl = re.sub(r"//[^\n]*", "", wgsl).replace("vec2<u32>", "vec2u").replace("abs(", "magnitude(")
    names = ["vec2u", *re.findall(r"struct (\w+) \{", wgsl)]
    wgsl = re.sub(rf"\b({'|'.join(names)})\(([^;]*);", constructors(names), wgsl)
    wgsl = re.sub(r"struct (\w+) \{([^}]*)\}", structure, wgsl)
    wgsl = re.sub(r"fn (\w+)\(([^)]*)\) -> (\w+) \{", lambda m: f"static {m[3]} {m[1]}({', '.join(declared(m[2]))}) {{", wgsl)
    wgsl = re.sub(r"\blet (\w+) =", r"const auto \1 =", wgsl)
    wgsl = re.sub(r"\bvar (\w+) =", r"auto \1 =", wgsl)
    return re.sub(r"\bif ([^({][^{]*) \{", r"if (\1) {", wgsl)


def constructors(names):
    """Replaces the parentheses of constructors by braces, in the rest of a statement."""
    head = re.compile(rf"\b({'|'.join(names)})\(")

    def replaced(match):
        text = match[0]
        while found := head.search(text):
            depth, end = 1, found.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            text = f"{text[:found.end() - 1]}{{{text[found.end():end - 1]}}}{text[end:]}"
        return text

    return replaced


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32, metavar="S")
    wanted = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    wgsl = (ROOT / "shaders/soft_double.wgsl").read_text()
    (FOLDER / "soft_double.h").write_text(translated(wgsl))
    command = ["c++", "-std=c++17", "-O2", "-ffp-contract=off", f"-I{FOLDER}", "-o", FOLDER / "main", ROOT / "tools/soft-doubles/main.cc"]
    subprocess.run(command, check=True)
    print(f"check_soft_doubles: --pairs {wanted.pairs} --seed {wanted.seed}", flush=True)
    sys.exit(subprocess.run([FOLDER / "main", str(wanted.pairs), str(wanted.seed)], check=False).returncode)


if __name__ == "__main__":
    main()
