"""Cases of several steps with reductions and scans among them, whose results are exact on every adapter: sums that no
order rounds, extremes, positions. Values have names, and several users."""

import numpy as np

from . import calls, dtypes, nodes, ops, shapes
from .dtypes import FLOATS
from .expressions import Growth
from .folds import REDUCTIONS, SCANS
from .nodes import ATOM, Node
from .ranges import Arithmetic, known, of
from .steps import named
from .watch import Reject

REDUCED = [f for f in REDUCTIONS if f.name not in ("var", "std", "logsumexp", "norm", "vector_norm")]
REDUCED = [f for f in REDUCED if not f.name.startswith("nan") or f.name in ("nansum", "nanmax", "nanmin")]
# How many elements an operand may have.
LIMIT = 4000


class Shared(Growth):
    """An expression that grows from its root, with folds, and with names for values that others use again."""

    def __init__(self, draw, options):
        super().__init__(draw, options)
        self.arithmetic = Arithmetic(self.case.watch)
        # The statements so far, and the parts that they name.
        self.statements, self.named = [], []
        self.folds = 0

    def part(self, dtype, shape, steps, exact=False):
        draw = self.draw
        found = None
        if steps > 0 and draw.chance(0.4):
            found = self.fold(dtype, shape, steps, exact)
        found = found or super().part(dtype, shape, steps, exact)
        if not found.leaf and draw.chance(0.25):
            found = self.shared(found)
        return found

    def shared(self, x):
        """A name for a part."""
        name = f"v{len(self.statements)}"
        self.statements.append(f"{name} = {x.text}")
        self.named.append(Node(name, ATOM, x.dtype, x.value))
        return self.named[-1]

    def leaf(self, dtype, shape, exact):
        fits = [x for x in self.named if x.dtype == dtype and self.reaches(x.shape, shape, exact)]
        if fits and self.draw.chance(0.6):
            return self.draw.one(fits)
        return super().leaf(dtype, shape, exact)

    def fold(self, dtype, shape, steps, exact):
        """A reduction or scan with this type, of a part; None if there is none that fits."""
        draw = self.draw
        table = SCANS if draw.chance(0.25) else REDUCED
        found = [(f, d) for f in table for d in f.types_with(self.options.f64) if f.result_of(d) == dtype]
        if not found:
            return None
        fold, operand = draw.one(found)
        if fold.scans:
            return self.scan(fold, operand, shape, steps, exact)
        if not exact and shape and draw.chance(0.5):
            return self.along(fold, operand, shape, steps)
        result = shape if exact else shapes.operand(draw, shape)
        ones = [k for k, e in enumerate(result) if e == 1]
        if ones and draw.chance(0.5):
            axes = [k for k in ones if draw.chance(0.7)] or ones[:1]
            if fold.axes == "one":
                axes = axes[:1]
            source = tuple(self.extent(result) if k in axes else e for k, e in enumerate(result))
            return self.reduced(fold, operand, source, axes, True, steps)
        count = 1 if fold.axes == "one" else draw.one([1, 1, 1, 2])
        source, axes = list(result), []
        for _ in range(count):
            axis = draw.upto(0, len(source))
            source.insert(axis, self.extent(source))
            axes = [a + (a >= axis) for a in axes] + [axis]
        return self.reduced(fold, operand, tuple(source), axes, False, steps)

    def extent(self, shape):
        """The length of an axis that is folded, beside these."""
        draw, room = self.draw, max(1, LIMIT // max(1, shapes.count(shape)))
        way = draw.choice.random()
        if way < 0.08:
            return min(draw.near(draw.one(calls.LONG)), room)
        return min(draw.near(draw.upto(4095, 4200) if way < 0.09 else draw.one(shapes.EXTENTS)), room)

    def along(self, fold, operand, shape, steps):
        """A reduction of a part of this shape whose axes stay, so that its result is broadcast to it."""
        draw = self.draw
        x = self.part(operand, shape, steps - 1, exact=True)
        axes = [draw.upto(0, len(shape) - 1)]
        if fold.axes != "one":
            axes += [k for k in range(len(shape)) if k not in axes and draw.chance(0.3)]
        return self.called(fold, x, axes, True)

    def reduced(self, fold, operand, source, axes, keepdims, steps):
        return self.called(fold, self.part(operand, source, steps - 1, exact=True), axes, keepdims)

    def called(self, fold, x, axes, keepdims):
        """A fold along axes."""
        draw, rank = self.draw, len(x.shape)
        axes = tuple(sorted(axes))
        written = [a - rank if draw.chance(0.4) else a for a in axes]
        text = str(written[0]) if len(axes) == 1 else f"({', '.join(map(str, written))})"
        if len(axes) == rank and not fold.scans and draw.chance(0.5):
            text = None
        given = {"keepdims": keepdims} if keepdims or draw.chance(0.1) and not fold.scans else {}
        return self.result(fold, x, calls.Place(axes, text, given, {k: str(v) for k, v in given.items()}))

    def result(self, fold, x, place):
        """A fold as a part, if its elements are known."""
        found = calls.call(self.draw, self.arithmetic, fold, x, place, of(x.dtype, x.value))
        value = found.value
        if value.dtype in FLOATS:
            if not np.all(known(value)):
                raise Reject
            value = value.map(lambda v: dtypes.rounded(value.dtype, v))
        if self.case.watch.open_zero:
            raise Reject
        self.folds += 1
        return Node(found.text, ATOM, value.dtype, np.asarray(value.low))

    def scan(self, fold, operand, shape, steps, exact):
        """A scan along an axis, or of all elements, which then are the one axis."""
        draw = self.draw
        if len(shape) == 1 and shape[0] > 1 and draw.chance(0.3):
            factors = [k for k in (2, 3, 4, 5, 8) if shape[0] % k == 0] or [1]
            rows = draw.one(factors)
            x = self.part(operand, (rows, shape[0] // rows), steps - 1, exact=True)
            return self.result(fold, x, calls.Place(None, draw.one([None, "None"]), {}, {}))
        x = self.part(operand, shape, steps - 1, exact)
        return self.called(fold, x, [draw.upto(0, len(x.shape) - 1)], False) if x.shape else None


def expression(draw, options):
    """Several steps and folds; the last step may be a function."""
    growth = Shared(draw, options)
    dtype = draw.one(dtypes.ALL + ["i64", "i64", "u64", "f32", "f32", "f32"])
    shape = calls.shape(draw, limit=600)
    steps = draw.one([2, 3, 3, 4, 4, 5, 6, 8])
    root = growth.part(dtype, shape, steps, exact=True)
    if growth.folds == 0:
        raise Reject
    tolerance = ops.tolerance(named("add", "f32"), root.dtype, growth.case.watch, root.value)
    text = "; ".join([*growth.statements, root.text])
    return growth.case, Node(text, nodes.COMPARE, root.dtype, root.value), tolerance
