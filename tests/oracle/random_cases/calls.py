"""Calls of reductions and scans as texts: axes, what else is given, and the shapes that they run along."""

from . import dtypes, shapes, views
from .dtypes import FLOATS
from .nodes import ATOM, Node

# Around the number of lanes, and longer than one dispatch scans.
LONG = [255, 256, 257]
LONGER = [4095, 4096, 4097]


class Place:
    """The axes of a call, in order, `None` for all; and its parameters by name."""

    def __init__(self, axes, axis_text, given, texts):
        self.axes, self.axis_text, self.given, self.texts = axes, axis_text, given, texts

    @property
    def keepdims(self):
        return self.given.get("keepdims", False)

    def result(self, shape, scans):
        """The shape of the result."""
        if scans:
            return shape if self.axes is not None else (shapes.count(shape),)
        axes = range(len(shape)) if self.axes is None else self.axes
        if self.keepdims:
            return tuple(1 if k in axes else e for k, e in enumerate(shape))
        return tuple(e for k, e in enumerate(shape) if k not in axes)


def shape(draw, limit=3000):
    """A shape of rank 0 to 5, now and then with a long axis or none of some length."""
    rank = draw.one([0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5])
    found, count = [1] * rank, 1
    order = draw.choice.sample(range(rank), rank)
    for n, axis in enumerate(order):
        extent = draw.one(shapes.QUADS if draw.chance(0.2) else shapes.EXTENTS)
        if n == 0 and draw.chance(0.25):
            extent = draw.one(LONG)
            limit = max(limit, 20 * extent)
        elif n == 0 and draw.chance(0.04):
            extent = draw.one([*LONGER, draw.upto(4095, 5000)])
            limit = max(limit, 4 * extent)
        if not draw.chance(0.1) and count * extent <= limit:
            found[axis], count = extent, count * extent
    if rank and draw.chance(0.04):
        found[draw.upto(0, rank - 1)] = 0
    return tuple(map(draw.near, found))


def place(draw, fold, shape):
    """A call's axes and parameters on an operand of this shape."""
    axes, text = axes_of(draw, fold, len(shape))
    given, texts = {}, {}
    if "keepdims" in fold.parameters and draw.chance(0.4):
        given["keepdims"] = draw.chance(0.75)
        texts["keepdims"] = str(given["keepdims"])
    if "ddof" in fold.parameters and draw.chance(0.4):
        given["ddof"] = draw.one([0, 1, 1, 1, 2, 3])
        texts[draw.one(["ddof", "ddof", "ddof", "correction"])] = str(given["ddof"])
    if "ord" in fold.parameters and draw.chance(0.5):
        # Of a matrix, NumPy has others.
        allowed = fold.axes == "any" or axes is not None and len(axes) == 1
        given["ord"] = draw.one([1, 1, 2]) if allowed else None
        texts["ord"] = str(given["ord"])
    if "dtype" in fold.parameters and draw.chance(0.12):
        target = draw.one([d for d in dtypes.ALL if d not in ("bool", "f64")])
        if target in FLOATS or fold.result_of("u8") == "u64":
            given["dtype"] = target
            name = draw.one([target, f"np.{dtypes.LONG[target]}", f"'{dtypes.LONG[target]}'"])
            texts["dtype"] = name
    return Place(axes, text, given, texts)


def axes_of(draw, fold, rank):
    """Axes in order, and their text; none is left out."""
    way = draw.choice.random()
    if way < 0.22 or rank == 0 and (way < 0.7 or fold.axes != "any"):
        return None, draw.one([None, None, "None"])
    if fold.axes == "one" or way < 0.6 and rank:
        axis = draw.upto(0, rank - 1)
        named = views.from_end(draw, axis, rank)
        text = f"({named},)" if fold.axes == "any" and draw.chance(0.05) else str(named)
        return (axis,), text
    count = 2 if fold.axes == "norm" else draw.one([0, 2, 2, 2, 2, 3, 3, rank]) if rank else 0
    if fold.axes == "norm" and rank < 2:
        return None, None
    axes = draw.choice.sample(range(rank), min(count, rank))
    return tuple(sorted(axes)), views.tuple_of(draw, [views.from_end(draw, a, rank) for a in axes])


def text(draw, fold, x, place):
    """The call's text: a function, behind its module, or a method."""
    name = draw.one([fold.name, *fold.names])
    parts = dict(place.texts)
    if place.axis_text is not None:
        parts["axis"] = place.axis_text
    order = list(parts)
    draw.choice.shuffle(order)
    first = []
    if "axis" in order and fold.parameters[0] != "ord" and draw.chance(0.4):
        first = [parts["axis"]]
        order.remove("axis")
    elif "ord" in order and fold.axes == "norm" and draw.chance(0.4):
        first = [parts["ord"]]
        order.remove("ord")
    written = [*first, *(f"{k}={parts[k]}" for k in order)]
    if draw.chance(0.5):
        return f"{x.at(ATOM)}.{name}({', '.join(written)})"
    modules = ["np.linalg.", "numpy.linalg."] if fold.module == "linalg" else ["np.", "np.", "numpy."]
    prefix = draw.one(modules) if draw.chance(0.4) else ""
    return f"{prefix}{name}({', '.join([x.text, *written])})"


def call(draw, arithmetic, fold, x, place, operand):
    """The part that a call makes of a part whose elements are the range `operand`."""
    found = fold.compute(arithmetic, operand, place.axes, place.given)
    shape = place.result(x.shape, fold.scans)
    found = found.map(lambda v: v.reshape(shape))
    assert found.dtype == fold.result(x.dtype, place.given), (fold.name, found.dtype, x.dtype, place.given)
    return Node(text(draw, fold, x, place), ATOM, found.dtype, found)
