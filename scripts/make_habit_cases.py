#!/usr/bin/env python3
"""Writes tests/habits/expressions.{jsonl,bin}: what NumPy 2 gives for each line of tests/habits/expressions.txt.

The output is the same on every run. Needs NumPy 2.
"""

import ast
import pathlib
import re
import sys
import warnings

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

from conformance.cases import NUMPY, Cases, T  # noqa: E402

HABITS = ROOT / "tests" / "habits"
DTYPES = {np.dtype(of): name for name, of in NUMPY.items() if name != "bf16"}


def names():
    """What a text may name without `np.`, as numexpr has it: NumPy's functions; Python's where they take arrays."""
    known = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    known |= {name: known[name] for name in ("max", "min", "sum", "any", "all")}
    known |= {"np": np, "numpy": np, "abs": abs, "divmod": divmod, "int": int, "float": float, "bool": bool}
    known["round"] = lambda x, n=0: round(x, n) if isinstance(x, (int, float)) else np.round(x, n)
    return known | {"real": np.real, "conj": np.conj, "slice": slice}


def operands():
    """The operands by name."""
    found = {}
    for line in (HABITS / "operands.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, text = line.split(" = ", 1)
            found[name] = np.asarray(eval(text, {"np": np}))
    return found


def evaluate(text, given):
    """What the last statement of a text gives."""
    scope = names() | {name: x[()] if x.ndim == 0 else x for name, x in given.items()}
    lines = [line.strip() if line.startswith(" ") and not text.startswith("(") else line for line in text.split("\n")]
    body = ast.parse("\n".join(lines).strip()).body
    *before, last = body
    exec(compile(ast.Module(before, []), "text", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "text", "eval"), scope)


def tensor(value):
    """A result as a tensor; numbers alone as Python has them."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = np.int64(value)
    value = np.asarray(value)
    return T(DTYPES[value.dtype], value)


def read():
    """The chapter, text, words of a refusal and tolerance of each line."""
    chapter = ""
    for line in (HABITS / "expressions.txt").read_text().splitlines():
        if line.startswith("## "):
            chapter = line[3:]
        elif line and not (line.startswith("# ") and not line.startswith("# a remark")):
            line, _, tolerance = line.partition(" %% ")
            text, _, words = line.partition(" => ")
            yield chapter, text.replace("\\n", "\n"), words or None, tolerance


def limit(tolerance):
    match tolerance.split():
        case []:
            return {"mode": "ulp", "n": 4}
        case ["abs", x]:
            return {"mode": "close", "rtol": 0, "atol": float(x)}
        case [n]:
            return {"mode": "ulp", "n": float(n)}


def main():
    warnings.simplefilter("ignore")
    cases, given = Cases("expressions"), operands()
    refused = 0
    for chapter, text, words, tolerance in read():
        used = set(re.findall(r"(?<![\w.])[a-z]\w*", text))
        inputs = {name: x for name, x in given.items() if name in used}
        tensors = [{"name": name, **cases.tensor(tensor(x))} for name, x in inputs.items()]
        outputs, kind = [], "refusal"
        if words is None:
            try:
                value = evaluate(text, inputs)
            except Exception as error:
                print(f"{text!r}: {error}")
                continue
            values = value if isinstance(value, tuple) else (value,)
            outputs, kind = [cases.tensor(tensor(x)) for x in values], "expression"
        refused += words is not None
        tol = limit(tolerance) if words is None else None
        name = text if f"{chapter}/{text}" not in cases.ids else f"{text} again"
        cases.line(kind, chapter, name, "numpy", text, tensors, outputs, tol, words, {}, "numpy", None)
    lines, size = cases.write(HABITS)
    print(f"{lines} expressions, {refused} of them refused, {size} bytes")


main()
