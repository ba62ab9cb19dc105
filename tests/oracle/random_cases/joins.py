"""Joins of parts of an expression: concatenations, stacks, rolls and pads."""

import numpy as np

from . import nodes, views

# More parts than this are written one by one.
WINDOW = 16


def axes_of(shape):
    """The axes that a join can lie along."""
    return [axis for axis, extent in enumerate(shape) if extent > 1]


def joined(growth, dtype, shape, steps):
    """A join of this shape, whose operands have about so many steps together."""
    axis = growth.draw.one(axes_of(shape))
    makers = [concatenated, concatenated, rolled, padded] + [stacked] * (shape[axis] <= 5)
    return growth.draw.one(makers)(growth, dtype, shape, axis, steps)


def along(shape, axis, extent):
    return (*shape[:axis], extent, *shape[axis + 1 :])


def call(growth, name, first, rest, value, dtype):
    module = growth.draw.one(["", "", "np."])
    text = f"{module}{name}({', '.join([first, *rest])})"
    return nodes.Node(text, nodes.ATOM, dtype, np.ascontiguousarray(value).reshape(value.shape))


def listed(draw, parts):
    texts = [part.text for part in parts]
    return f"[{', '.join(texts)}]" if draw.chance(0.5) else f"({', '.join(texts)},)"


def placed(draw, shape, axis):
    """The axis as an argument, by its name or not."""
    named = views.from_end(draw, axis, len(shape))
    return draw.one([f"axis={named}", str(named)])


def concatenated(growth, dtype, shape, axis, steps):
    """Two or three parts, seldom as many as there are elements along the axis."""
    draw = growth.draw
    many = shape[axis] > WINDOW and draw.chance(0.3)
    count = min(shape[axis], 40) if many else draw.one([2, 2, 3])
    cuts = sorted(draw.upto(0, shape[axis]) for _ in range(count - 1))
    extents = [stop - start for start, stop in zip([0, *cuts], [*cuts, shape[axis]])]
    share = 0 if many else (steps - 1) // count
    parts = [growth.part(dtype, along(shape, axis, extent), share, exact=True) for extent in extents]
    value = np.concatenate([part.value for part in parts], axis)
    name = draw.one(["concatenate", "concatenate", "concat"])
    return call(growth, name, listed(draw, parts), [placed(draw, shape, axis)], value, dtype)


def stacked(growth, dtype, shape, axis, steps):
    draw, count = growth.draw, shape[axis]
    source = (*shape[:axis], *shape[axis + 1 :])
    parts = [growth.part(dtype, source, (steps - 1) // count, exact=True) for _ in range(count)]
    value = np.stack([part.value for part in parts], axis)
    return call(growth, "stack", listed(draw, parts), [placed(draw, shape, axis)], value, dtype)


def rolled(growth, dtype, shape, axis, steps):
    draw = growth.draw
    part = growth.part(dtype, shape, steps - 1, exact=True)
    shift = draw.upto(-shape[axis] - 2, shape[axis] + 2)
    if draw.chance(0.2):
        return call(growth, "roll", part.text, [str(shift)], np.roll(part.value, shift), dtype)
    rest = [str(shift), placed(draw, shape, axis)]
    return call(growth, "roll", part.text, rest, np.roll(part.value, shift, axis), dtype)


def padded(growth, dtype, shape, axis, steps):
    """Zeros or copies of what is there around a part of one element at least; zeros around none too."""
    draw = growth.draw
    mode = draw.one(["constant", "constant", "edge", "reflect", "symmetric", "wrap"])
    before = draw.upto(0, shape[axis] - (mode != "constant"))
    behind = draw.upto(0, shape[axis] - (mode != "constant") - before)
    widths = [(before, behind) if k == axis else (0, 0) for k in range(len(shape))]
    source = along(shape, axis, shape[axis] - before - behind)
    part = growth.part(dtype, source, steps - 1, exact=True)
    pairs = f"({', '.join(map(str, widths))},)" if draw.chance(0.5) else f"[{', '.join(map(str, widths))}]"
    rest = [pairs] if mode == "constant" and draw.chance(0.5) else [pairs, f"mode='{mode}'"]
    value = np.pad(part.value, widths, mode)
    # NumPy's pad forgets types that are not its own.
    return call(growth, "pad", part.text, rest, value.astype(part.value.dtype), dtype)
