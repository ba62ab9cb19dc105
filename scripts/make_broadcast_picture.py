#!/usr/bin/env python3
"""Writes docs/pictures/broadcast.svg: which element of its operands an element of x + row + col reads.

The output is the same on every run.
"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CELL, GAP = 34, 46
INK, PALE, LIT, ZERO = "#8b949e", "#8b949e22", "#d29922", "#d29922"
AT = (1, 2)
ROWS, COLUMNS = 3, 4

OPERANDS = [
    ("x", "[3, 4]", (4, 1)),
    ("row", "[4]", (0, 1)),
    ("col", "[3, 1]", (1, 0)),
]


def text(x, y, what, size=13, anchor="middle", fill=INK, weight="normal"):
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" font-weight="{weight}">'
        f"{what}</text>"
    )


def grid(left, top, strides, label):
    """Cells with the number of the element that each reads; those that are there by repetition alone are dashed."""
    parts = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            own = (row == 0 or strides[0]) and (column == 0 or strides[1])
            element = row * strides[0] + column * strides[1]
            lit = element == AT[0] * strides[0] + AT[1] * strides[1] and (own or (row, column) == AT)
            x, y = left + column * CELL, top + row * CELL
            dash = "" if own else ' stroke-dasharray="3 3"'
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL - 4}" height="{CELL - 4}" rx="4" fill="{LIT + "55" if lit else PALE}" '
                f'stroke="{LIT if lit else INK}"{dash}/>'
            )
            parts.append(text(x + CELL / 2 - 2, y + CELL / 2 + 3, element if label else "", 12))
    return parts


def picture():
    width = CELL * COLUMNS + GAP
    parts = []
    for n, (name, shape, strides) in enumerate(OPERANDS):
        left = 20 + n * width
        middle = left + CELL * COLUMNS / 2
        parts += grid(left, 50, strides, True)
        parts.append(text(middle, 20, f"{name} {shape}", 14, weight="bold"))
        parts.append(text(middle, 38, "strides [" + ", ".join(
            f'<tspan fill="{ZERO}" font-weight="bold">0</tspan>' if s == 0 else str(s) for s in strides) + "]", 12))
        sign = "+" if n < 2 else "="
        parts.append(text(left + CELL * COLUMNS + GAP / 2 - 2, 50 + CELL * ROWS / 2 + 4, sign, 20))
    left = 20 + 3 * width
    parts += grid(left, 50, (4, 1), True)
    parts.append(text(left + CELL * COLUMNS / 2, 20, "result [3, 4]", 14, weight="bold"))
    lines = [
        "[1, 2] of the result reads 1&#215;4 + 2&#215;1 = 6 of x, 1&#215;0 + 2&#215;1 = 2 of row, 1&#215;1 + 2&#215;0 = 1 of col.",
        "The dashed cells are nowhere in memory.",
    ]
    for n, line in enumerate(lines):
        parts.append(text(20, 50 + CELL * ROWS + 24 + 18 * n, line, 12, "start"))
    size = (20 + 4 * width - GAP + 20, 50 + CELL * ROWS + 54)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" '
            f'height="{size[1]}" font-family="ui-monospace, Menlo, Consolas, monospace">')
    return "\n".join([head, "<title>x + row + col with stride 0 on each broadcast axis</title>", *parts, "</svg>", ""])


if __name__ == "__main__":
    (ROOT / "docs" / "pictures" / "broadcast.svg").write_text(picture())
