"""Cases of 2 to 12 steps: operators whose results are exact on every adapter, and a function only as the last."""

import numpy as np

from . import dtypes, joins, nodes, ops, shapes, views
from .case import Case, placed
from .steps import named
from .watch import Reject

INNER = [op for op in ops.EXACT if op.name != "identity"]
LAST = [op for op in ops.FUNCTIONS if op.name not in ("celu", "swish", "selu", "elu", "hard_sigmoid")]
COSTLY = [op for op in ops.EXACT if op.name in ("mod", "fmod", "pow")]


class Growth:
    """An expression that grows from its root."""

    def __init__(self, draw, options):
        self.draw, self.options = draw, options
        self.case = Case(draw, options)

    def part(self, dtype, shape, steps, exact=False):
        """A part of this type with about so many steps, whose shape broadcasts onto `shape` or, with `exact`, is it."""
        draw = self.draw
        if steps <= 0:
            return self.leaf(dtype, shape, exact)
        if exact and draw.chance(0.15) or draw.chance(0.05):
            view = views.behind(draw, shape)
            return nodes.viewed(view, self.part(dtype, view.source, steps, exact=True))
        if draw.chance(0.15):
            return self.cast(dtype, shape, steps, exact)
        if joins.axes_of(shape) and draw.chance(0.06):
            return joins.joined(self, dtype, shape, steps)
        if dtype == "f32" and draw.chance(0.05):
            return self.quotient(shape, steps, exact)
        return self.step(draw.one(self.operators(dtype)), dtype, shape, steps, exact)

    def operators(self, dtype):
        """The operators whose result has this type."""
        found = [op for op in INNER if self.options.shifts or not op.shift]
        if dtype == "bool":
            return [op for op in found if op.how == "test" or op.name == "where"]
        return [op for op in found if op.how != "test" and dtype in op.types_with(self.options.f64)]

    def leaf(self, dtype, shape, exact):
        draw = self.draw
        fits = [n for n, (d, a) in self.case.inputs.items() if d == dtype and self.reaches(a.shape, shape, exact)]
        if fits and draw.chance(0.4):
            name = draw.one(fits)
            return nodes.Node(name, nodes.ATOM, dtype, self.case.inputs[name][1], leaf=True)
        place = shape if exact else shapes.operand(draw, shape)
        return self.case.leaf(dtype, place, view=0.25, calm=draw.chance(0.65))

    def reaches(self, source, target, exact):
        if exact or len(source) > len(target):
            return source == target
        return all(a in (1, b) for a, b in zip(source, target[len(target) - len(source) :]))

    def cast(self, dtype, shape, steps, exact):
        sources = [d for d in dtypes.ALL if d != dtype]
        source = self.draw.one(sources)
        x = self.part(source, shape, steps - 1, exact)
        if source in dtypes.FLOATS and dtype in dtypes.INTS and not np.all(dtypes.fits(dtype, x.value)):
            x = self.kept(x, source, dtype)
        return self.case.cast(x, dtype)

    def kept(self, x, source, dtype):
        """Floats kept within what an integer type holds, NaN as 1."""
        low, high = (0, 100) if dtype in dtypes.UNSIGNED else (-100, 100)
        if dtypes.has_nan(x.value):
            one = nodes.number(self.draw, source, [1.0])
            unknown = self.case.step(named("isnan", source), source, [x])
            x = self.case.step(named("where", source), source, [unknown, one, x])
        bounds = [nodes.number(self.draw, source, [float(v)]) for v in (low, high)]
        return self.case.step(named("clip", source), source, [x, *bounds])

    def quotient(self, shape, steps, exact):
        """True division of integers, as their values in f32."""
        dtype = self.draw.one(dtypes.INTS)
        a = self.part(dtype, shape, (steps - 1) // 2, exact)
        b = self.part(dtype, shape, (steps - 1) // 2)
        as_f32 = [self.case.cast(x, "f32").value for x in (a, b)]
        op = named("div", "f32")
        found = op.compute(self.case.watch, "f32", as_f32)
        text, level = self.case.text(op, [a, b], None)
        return nodes.Node(text, level, "f32", found)

    def step(self, op, dtype, shape, steps, exact):
        draw = self.draw
        operand = dtype
        if op.how == "test":
            operand = draw.one(op.types_with(self.options.f64))
        count = draw.one([2, 2, 3, 4]) if op.several else op.arity
        places, rule = [shape] * count, None
        if exact or draw.chance(0.1):
            places, rule = placed(draw, op, shape, count)
        literal = None
        if count > 1 and not op.several and rule is None and draw.chance(0.25):
            literal = draw.upto(1 if op.name == "where" else 0, count - 1)
        whole = {k for k, p in enumerate(places) if rule} | ({self.anchor(places, shape, literal)} if exact else set())
        if exact and rule is None and not op.several and count > 1 and literal is None:
            whole = set(range(count)) if draw.chance(0.3) else whole
        grown = [k for k in range(count) if k != literal and op.domain(k) not in ("exponent", "amount")]
        share = self.shares(steps - 1, count, grown)
        parts = []
        for k, place in enumerate(places):
            kind = "bool" if op.name == "where" and k == 0 else operand
            if k == literal:
                values = {"exponent": [0, 1, 2, 3], "amount": [0, 1, 2, 5]}.get(op.domain(k))
                parts.append(nodes.number(draw, operand, values))
            elif op.domain(k) in ("exponent", "amount"):
                place = place if k in whole else shapes.operand(draw, place)
                parts.append(self.case.leaf(kind, place, op.domain(k), view=0.2))
            else:
                parts.append(self.part(kind, place, share[k], k in whole))
        if exact and rule is None:
            parts = self.widened(parts, places, shape, literal)
        found = self.case.step(op, operand, parts, rule)
        if self.case.watch.large_quotient or self.case.watch.open_zero:
            raise Reject
        return found

    def anchor(self, places, shape, literal):
        """An operand that has the whole shape."""
        fits = [k for k, p in enumerate(places) if p == shape and k != literal]
        return fits[0] if fits else -1

    def widened(self, parts, places, shape, literal):
        """The operands, the first broadcast to `shape` where all together do not reach it."""
        found = np.broadcast_shapes(*[p.shape for p in parts])
        if found == shape:
            return parts
        k = next(k for k in range(len(parts)) if k != literal)
        text = f"broadcast_to({parts[k].text}, {views.tuple_of(self.draw, shape)})"
        value = np.broadcast_to(parts[k].value, shape)
        parts[k] = nodes.Node(text, nodes.ATOM, parts[k].dtype, value)
        return parts

    def shares(self, steps, count, grown):
        """The steps left, shared among the operands that grow."""
        out = [0] * count
        for _ in range(steps if grown else 0):
            out[self.draw.one(grown)] += 1
        return out


def expression(draw, options):
    """Several steps; the last of them may be a function."""
    growth = Growth(draw, options)
    dtype, shape = draw.one(dtypes.ALL + ["f16", "bf16", "f32", "f32", "f32"]), shapes.any_shape(draw)
    steps = draw.one([2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12])
    if draw.chance(0.005):
        return costly(growth)
    op = None
    if dtype in dtypes.NARROW_FLOATS and draw.chance(0.15):
        op = draw.one(LAST)
        parts = [growth.part(dtype, shape, (steps - 1) // op.arity) for _ in range(op.arity)]
        root = growth.case.step(op, dtype, parts)
    else:
        root = growth.part(dtype, shape, steps, exact=draw.chance(0.5))
    tolerance = ops.tolerance(op or ops.OPS[0], root.dtype, growth.case.watch, root.value)
    return growth.case, root, tolerance


def costly(growth):
    """A costly step on few elements that is broadcast to many: a pass of its own computes it once."""
    draw = growth.draw
    inner, outer = draw.one([(256, 260), (257, 256), (1024, 66), (33, 2001)])
    dtype = draw.one(["u8", "i8", "u16", "i16", "f16"])
    op = draw.one([op for op in COSTLY if dtype in op.types])
    small = [growth.case.leaf(dtype, (inner,), op.domain(k), calm=True) for k in range(2)]
    row = growth.case.step(op, dtype, small)
    column = growth.case.leaf(dtype, (outer, 1), calm=True)
    join = named(draw.one(["add", "maximum", "mul", "sub"]), dtype)
    root = growth.case.step(join, dtype, [column, row] if draw.chance(0.5) else [row, column])
    return growth.case, root, ops.tolerance(join, dtype, growth.case.watch, root.value)
