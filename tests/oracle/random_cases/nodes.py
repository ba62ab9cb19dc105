"""Parts of an expression: the text, how tightly it binds, and the value as NumPy has it."""

import numpy as np

from . import dtypes

# Python's precedence, as numbers that rise with it.
COMPARE, OR, XOR, AND, SHIFT, SUM, PRODUCT, UNARY, POWER, ATOM = 1, 3, 5, 7, 9, 11, 13, 15, 17, 19

LEVELS = {"|": OR, "^": XOR, "&": AND, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM}
LEVELS |= {"*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "**": POWER}
LEVELS |= {s: COMPARE for s in ("<", "<=", ">", ">=", "==", "!=")}


class Node:
    """A part with a value. `dtype` is None for a number, which takes the type of what it meets."""

    def __init__(self, text, level, dtype, value, leaf=False, omitted=False):
        self.text, self.level, self.dtype, self.value = text, level, dtype, value
        # Whether it is an input as it is; whether it is a default that is not written.
        self.leaf, self.omitted = leaf, omitted

    @property
    def shape(self):
        return self.value.shape

    def at(self, level):
        """The text where something that binds at least this tightly is wanted."""
        return self.text if self.level >= level else f"({self.text})"


def infix(draw, symbol, a, b):
    """`a symbol b` with as few brackets as Python needs, or more."""
    level = LEVELS[symbol]
    if symbol == "**":
        left, right = a.at(ATOM), b.at(UNARY)
    else:
        left, right = a.at(level + (symbol in ("<", "<=", ">", ">=", "==", "!="))), b.at(level + 1)
    if draw.chance(0.15):
        left, right = a.at(ATOM), b.at(ATOM)
    space = "" if draw.chance(0.1) else " "
    return f"{left}{space}{symbol}{space}{right}", level


def prefix(symbol, x):
    return f"{symbol}{x.at(UNARY)}", UNARY


def call(draw, name, parts, keywords=(), operands=()):
    """`name(a, b)`, with NumPy's module in front, or as a method of the first operand, the last operands by name."""
    parts = [p for p in parts if not p.omitted]
    texts = [p.text for p in parts]
    method = parts[0].dtype is not None and name != "square" and draw.chance(0.12)
    if operands and draw.chance(0.1):
        first = draw.upto(int(method), len(parts))
        given = [f"{operand}={text}" for operand, text in zip(operands[first:], texts[first:])]
        draw.choice.shuffle(given)
        texts[first:] = given
    if method:
        return f"{parts[0].at(ATOM)}.{name}({', '.join([*texts[1:], *keywords])})", ATOM
    module = draw.one(["np.", "numpy."]) if draw.chance(0.1) else ""
    return f"{module}{name}({', '.join([*texts, *keywords])})", ATOM


def number(draw, dtype, values=None):
    """A number in the text that the type holds exactly, with its value in that type."""
    if dtype == "bool":
        value = draw.chance(0.5)
        text = str(value)
    elif dtype in dtypes.INTS:
        info = np.iinfo(dtypes.STORED[dtype])
        value = draw.one(values or [0, 1, 2, 3, 5, 7, 10, 100, -1, -2, -3, int(info.max), int(info.min)])
        value = value if info.min <= value <= info.max else abs(value)
        forms = [str(abs(value))] * 5 + [hex(abs(value)), bin(abs(value)), f"{abs(value):_}"]
        text = ("-" if value < 0 else "") + draw.one(forms)
    else:
        reals = values or [0.0, 1.0, 2.0, -1.0, 0.5, -0.25, 1.5, 3.0, -2.0, 10.0, 100.0, 0.125, -0.0]
        special = values is None and draw.chance(0.08)
        value = draw.one([float("inf"), float("-inf"), float("nan")]) if special else draw.one(reals)
        size = abs(value)
        forms = [repr(size)]
        if np.isfinite(size):
            forms += [f"{size:e}", f"{size}".removesuffix("0") if size == int(size) else f"{size}".removeprefix("0")]
            # A whole number has no negative zero.
            forms += [str(int(size))] * 2 if size == int(size) and str(value) != "-0.0" else []
        text = ("-" if str(value).startswith("-") else "") + draw.one(forms)
    level = UNARY if text.startswith("-") else ATOM
    stored = np.asarray(value).astype(np.float64) if dtype in dtypes.FLOATS else np.asarray(value)
    return Node(text, level, None, dtypes.rounded(dtype, stored))


def default(dtype, value):
    """An operand that is left out."""
    return Node("", ATOM, None, dtypes.rounded(dtype, np.float64(value)), omitted=True)


def viewed(view, x):
    """A view of a part."""
    return Node(view.text(x.at(ATOM) if view.atom else x.text), ATOM, x.dtype, view.apply(x.value))


def bit_cast(draw, x, dtype, value):
    """The bits of a part as another type."""
    form = draw.one(["{atom}.view({name})", "bit_cast({text}, {name})", "{atom}.view('{name}')"])
    name = dtypes.LONG[dtype] if draw.chance(0.3) else dtype
    return Node(form.format(atom=x.at(ATOM), text=x.text, name=spelled(form, name)), ATOM, dtype, value)


def spelled(form, name):
    """The name of a type in a form: in quotes, `i8` and `u8` are NumPy's, of eight bytes."""
    return dtypes.LONG[name] if name in ("i8", "u8") and ("'" in form or '"' in form) else name


def cast(draw, x, dtype, value):
    """A part as another type."""
    name = dtypes.LONG[dtype] if draw.chance(0.4) else dtype
    forms = ["{atom}.astype({name})"] * 3 + ["{atom}.astype('{name}')", '{atom}.astype("{name}")']
    forms += ["{atom}.astype(np.{name})", "{atom}.astype(dtype={name})", "cast({text}, {name})"]
    forms += ["{name}({text})", "np.{name}({text})", "astype({text}, {name})"]
    form = draw.one(forms)
    text = form.format(atom=x.at(ATOM), text=x.text, name=spelled(form, name))
    return Node(text, ATOM, dtype, value)
