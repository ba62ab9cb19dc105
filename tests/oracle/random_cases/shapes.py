"""Shapes of results, and of operands that are broadcast onto them."""

import math

EXTENTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16]
# Whole quads, which kernels load at once.
QUADS = [4, 8, 12, 16, 20]


def result(draw, limit=400):
    """A shape of rank 0 to 12, most extents 1 where the rank is high."""
    rank = draw.one([0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    ones = 0.12 if rank <= 4 else 0.6
    extents = EXTENTS[:4] if rank > 4 else QUADS if draw.chance(0.2) else EXTENTS
    shape, count = [1] * rank, 1
    for axis in draw.choice.sample(range(rank), rank):
        extent = draw.one(extents)
        if not draw.chance(ones) and count * extent <= limit:
            shape[axis], count = extent, count * extent
    if rank > 1 and draw.chance(0.1):
        # Long along the outermost axis, which kernels cut into parts.
        shape[0] = draw.upto(13, max(13, limit * 4 // max(1, math.prod(shape[1:]))))
    if rank and draw.chance(0.04):
        shape[draw.upto(0, rank - 1)] = 0
    return tuple(shape)


def large(draw, low=1000, high=20000):
    """A shape of thousands of elements."""
    size = draw.upto(low, high)
    inner = draw.one([1, 3, 4, 16, 31, 64, 100, 257, 1024])
    shapes = [(size,), (size // inner, inner), (inner, size // inner), (3, size // (3 * inner) + 1, inner)]
    return tuple(max(1, e) for e in draw.one(shapes))


def any_shape(draw):
    way = draw.choice.random()
    return large(draw, 4000, 20000) if way < 0.003 else large(draw, 300, 2500) if way < 0.03 else result(draw)


def operand(draw, shape):
    """A shape that broadcasts onto `shape`."""
    way = draw.choice.random()
    if way < 0.45:
        return shape
    if way < 0.55:
        return draw.one([(), (1,) * draw.upto(0, len(shape))])
    if way < 0.7:
        return shape[draw.upto(0, len(shape)) :]
    if way < 0.8 and shape:
        return (*shape[:-1], 1)
    kept = tuple(e if draw.chance(0.5) else 1 for e in shape)
    while kept and kept[0] == 1 and draw.chance(0.6):
        kept = kept[1:]
    return kept


def operands(draw, shape, count):
    """Shapes that together broadcast to `shape`."""
    if count == 1:
        return [shape]
    if draw.chance(0.15):
        # Each axis belongs to one operand: a row and a column, an outer product.
        owners = [draw.upto(0, count - 1) for _ in shape]
        found = [tuple(e if owner == k else 1 for owner, e in zip(owners, shape)) for k in range(count)]
        keep = draw.upto(0, count - 1)
        return [s if k == keep else trimmed(draw, s) for k, s in enumerate(found)]
    if draw.chance(0.35):
        return [shape] * count
    full = draw.upto(0, count - 1)
    return [shape if k == full else operand(draw, shape) for k in range(count)]


def trimmed(draw, shape):
    """Without leading ones, at times."""
    while shape and shape[0] == 1 and draw.chance(0.5):
        shape = shape[1:]
    return shape


def run(draw, shape):
    """A shape that sits on consecutive axes of `shape` under PDPD, the axis, and its shape under NumPy's rule."""
    rank = len(shape)
    start = draw.upto(0, rank)
    end = draw.upto(start, rank)
    inner = [e if draw.chance(0.8) else 1 for e in shape[start:end]]
    numpy = tuple(inner) + (1,) * (rank - end)
    if draw.chance(0.25):
        # The default axis counts from the rank as given, ones at the end included.
        return numpy, -1, numpy
    # Ones at the end are dropped, and may stick out.
    given = tuple(inner) + (1,) * draw.one([0, 0, 0, 1, 2])
    given = given if len(given) <= rank else tuple(inner)
    return given, start, numpy


def count(shape):
    return math.prod(shape)
