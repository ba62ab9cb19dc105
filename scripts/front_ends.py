#!/usr/bin/env python3
"""How each front end calls each function of the expression language: tests/front-ends.txt. `method` of the array type (in Rust
of `Expr`), `function` of the package, or `text`: by an expression or by name (`Expr::call`, JavaScript's `Tensor.call`).

    PYTHONPATH=target/python-module python3 scripts/front_ends.py            compares, as a Python test does
    PYTHONPATH=target/python-module python3 scripts/front_ends.py --bless    writes the file
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/front-ends.txt"


# Methods of Rust that have other names: keywords, and those of Rust's own.
IN_RUST = {"isinf": "is_inf", "isnan": "is_nan", "mod": "rem_floor", "where": "where_"}


def camel(name):
    first, *more = name.split("_")
    return first + "".join(map(str.capitalize, more))


def table():
    import zerostride as zs
    from zerostride import _library

    rust = (ROOT / "tests/public-api.txt").read_text()
    script = (ROOT / "crates/web/js/zerostride.d.ts").read_text()
    rows = []
    for name in sorted(_library.NAMES):
        method = re.search(rf"zerostride::(expr::)?Expr<\w+>::{IN_RUST.get(name, name)}(_n)?\(", rust)
        in_python = [kind for kind, of in (("method", zs.Array), ("function", zs)) if hasattr(of, name)]
        in_script = re.search(rf"^  {camel(name)}\(", script, re.M)
        rows.append((name, "method" if method else "text", ", ".join(in_python) or "-", "method" if in_script else "text"))
    head = ("function", "Rust", "Python", "JavaScript")
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(3)]
    lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[3]]) for row in [head, *rows]]
    return "\n".join(lines) + "\n"


def main():
    made = table()
    if sys.argv[1:] == ["--bless"]:
        LIST.write_text(made)
    elif not LIST.exists() or LIST.read_text() != made:
        sys.exit(f"{LIST.relative_to(ROOT)} is not what the front ends have; write it by scripts/front_ends.py --bless")


if __name__ == "__main__":
    main()
