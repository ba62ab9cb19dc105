"""Cases of what people normalise with: softmax, layer norms, norms, shares, distances, entropies. Each step has its
bound, and the result lies between what the least and the largest values give."""

import numpy as np

from . import calls, dtypes, nodes, shapes
from .case import Case
from .fold_cases import judged
from .folds import REDUCTIONS, SCANS
from .nodes import ATOM, Node
from .ranges import Arithmetic, of
from .watch import Reject

FOLDS = {fold.name: fold for fold in REDUCTIONS + SCANS}
FUNCTIONS = {"exp": np.exp, "log": np.log, "tanh": np.tanh}


class Formula:
    """A formula as it is written, with the range of each value."""

    def __init__(self, draw, options, dtype):
        self.draw, self.dtype = draw, dtype
        self.case = Case(draw, options)
        self.arithmetic = Arithmetic(self.case.watch)
        self.statements = []
        # Whether values that are used twice have names.
        self.names = draw.chance(0.7)

    def value(self, text, level, found):
        return Node(text, level, found.dtype, found)

    def leaf(self, shape, positive=False):
        """An input, views of one, or a step on one, of numbers around 0."""
        draw, dtype = self.draw, self.dtype
        scale, shift = draw.one([0.5, 1.0, 4.0]), draw.one([0.0, 0.0, 0.0, 3.0])

        def drawn(array):
            found = draw.rng.normal(shift, scale, array.shape)
            found = np.abs(found) + 0.25 if positive else found
            return dtypes.rounded(dtype, np.asarray(found))

        x = self.case.leaf(dtype, shape, view=0.4, fix=drawn)
        return self.value(x.text, x.level, of(dtype, x.value))

    def number(self, value):
        return Node(repr(value), ATOM, None, of(self.dtype, dtypes.rounded(self.dtype, np.float64(value))))

    def keep(self, x):
        """A name for what is used twice."""
        if not self.names:
            return x
        name = f"v{len(self.statements)}"
        self.statements.append(f"{name} = {x.text}")
        return self.value(name, ATOM, x.value)

    def infix(self, symbol, a, b):
        f = {"+": "add", "-": "sub", "*": "mul", "/": "div"}[symbol]
        text, level = nodes.infix(self.draw, symbol, a, b)
        return self.value(text, level, getattr(self.arithmetic, f)(a.value, b.value))

    def add(self, a, b):
        return self.infix("+", a, b)

    def sub(self, a, b):
        return self.infix("-", a, b)

    def mul(self, a, b):
        return self.infix("*", a, b)

    def div(self, a, b):
        return self.infix("/", a, b)

    def square(self, x):
        form = self.draw.one(["square({0})", "np.square({0})", "({0}) * ({0})"])
        level = nodes.PRODUCT if form.startswith("(") else ATOM
        return self.value(form.format(x.text), level, self.arithmetic.square(x.value))

    def sqrt(self, x):
        return self.value(f"sqrt({x.text})", ATOM, self.arithmetic.sqrt(x.value))

    def function(self, name, x):
        return self.value(f"{name}({x.text})", ATOM, self.arithmetic.function(FUNCTIONS[name], x.value))

    def fold(self, name, x, axes, keepdims=True, **given):
        """A fold along axes, `None` for all."""
        fold, rank = FOLDS[name], len(x.shape)
        axes = axes if axes is None else tuple(sorted(axes))
        texts = {k: str(v) for k, v in given.items()}
        if not fold.scans:
            given["keepdims"] = keepdims
            texts |= {"keepdims": "True"} if keepdims else {}
        text = None
        if axes is not None:
            written = [a - rank if self.draw.chance(0.5) else a for a in axes]
            text = str(written[0]) if len(written) == 1 else f"({', '.join(map(str, written))})"
        place = calls.Place(axes, text, given, texts)
        return calls.call(self.draw, self.arithmetic, fold, x, place, x.value)


def softmax(f, x, axes):
    e = f.keep(f.function("exp", f.sub(x, f.fold("max", x, axes))))
    return f.div(e, f.fold("sum", e, axes))


def log_softmax(f, x, axes):
    if f.draw.chance(0.5):
        return f.sub(x, f.fold("logsumexp", x, axes))
    d = f.keep(f.sub(x, f.fold("max", x, axes)))
    return f.sub(d, f.function("log", f.fold("sum", f.function("exp", d), axes)))


def layer_norm(f, x, axes):
    centred = f.sub(x, f.fold("mean", x, axes))
    spread = f.sqrt(f.add(f.fold("var", x, axes), f.number(f.draw.one([1e-5, 1e-3, 0.5]))))
    found = f.div(centred, spread)
    if f.draw.chance(0.6):
        row = tuple(e if k in axes else 1 for k, e in enumerate(x.shape))
        found = f.mul(found, f.leaf(row))
        found = f.add(found, f.leaf(row)) if f.draw.chance(0.7) else found
    return found


def standardised(f, x, axes):
    return f.div(f.sub(x, f.fold("mean", x, axes)), f.fold("std", x, axes, ddof=f.draw.one([0, 1])))


def by_norm(f, x, axes):
    if f.draw.chance(0.5):
        return f.div(x, f.fold("vector_norm", x, axes))
    return f.div(x, f.sqrt(f.fold("sum", f.square(x), axes)))


def by_root_mean_square(f, x, axes):
    root = f.sqrt(f.add(f.fold("mean", f.square(x), axes), f.number(0.001)))
    return f.mul(f.div(x, root), f.leaf(x.shape[-1:]))


def shares(f, x, axes):
    x = f.leaf(x.shape, positive=True)
    return f.div(x, f.fold("sum", x, axes, keepdims=True))


def running_shares(f, x, axes):
    x = f.leaf(x.shape, positive=True)
    return f.div(f.fold("cumsum", x, axes[:1]), f.fold("sum", x, axes[:1]))


def between_ends(f, x, axes):
    least = f.keep(f.fold("min", x, axes))
    return f.div(f.sub(x, least), f.sub(f.fold("max", x, axes), least))


def moment(f, x, axes):
    d = f.keep(f.sub(x, f.fold("mean", x, axes)))
    power = f.mul(f.square(d), d) if f.draw.chance(0.5) else f.square(f.square(d))
    return f.fold("mean", power, axes, keepdims=f.draw.chance(0.5))


def covariance(f, x, axes):
    y = f.leaf(shapes.operand(f.draw, x.shape))
    centred = [f.sub(v, f.fold("mean", x, axes)) for v in (x, y)]
    return f.fold("mean", f.mul(*centred), axes, keepdims=f.draw.chance(0.5))


def cosine(f, x, axes):
    y = f.leaf(x.shape)
    norms = [f.fold("vector_norm", v, axes, keepdims=False) for v in (x, y)]
    return f.div(f.fold("sum", f.mul(x, y), axes, keepdims=False), f.mul(*norms))


def weighted(f, x, axes):
    w = f.leaf(tuple(e if k in axes else 1 for k, e in enumerate(x.shape)), positive=True)
    return f.div(f.fold("sum", f.mul(x, w), axes), f.fold("sum", w, axes))


def distances(f, x, axes):
    if len(x.shape) > 3 or shapes.count(x.shape) > 500:
        raise Reject
    rows = f.leaf((f.draw.upto(1, 6), *x.shape))
    apart = f.sub(x, rows)
    return f.sqrt(f.fold("sum", f.square(apart), [a + 1 for a in axes], keepdims=False))


def entropy(f, x, axes):
    p = f.keep(softmax(f, x, axes))
    return f.fold("sum", f.mul(p, f.function("log", p)), axes, keepdims=f.draw.chance(0.5))


def margins(f, x, axes):
    """A table by its rows' and columns' sums."""
    x = f.leaf(x.shape, positive=True)
    first, other = axes[:1], [k for k in range(len(x.shape)) if k not in axes[:1]]
    both = f.mul(f.fold("sum", x, first), f.fold("sum", x, other))
    return f.sub(x, f.div(both, f.fold("sum", x, None, keepdims=False)))


def of_means(f, x, axes):
    means = f.fold("mean", x, axes, keepdims=False)
    rank = len(means.shape)
    return f.fold(f.draw.one(["mean", "sum", "std", "max"]), means, [0] if rank else None, keepdims=False)


def running_mean(f, x, axes):
    """The mean of the elements up to each, and how far each is from it."""
    ones = f.fold("cumsum", f.value(f"({x.at(ATOM)} * 0 + 1)", ATOM, x.value.map(np.ones_like)), axes[:1])
    return f.sub(x, f.div(f.fold("cumsum", x, axes[:1]), ones))


def growth(f, x, axes):
    """The running product of factors near 1."""
    x = f.leaf(x.shape)
    factors = f.add(f.mul(f.function("tanh", x), f.number(0.0625)), f.number(1.0))
    return f.fold("cumprod", factors, axes[:1])


FORMULAS = [softmax, softmax, log_softmax, layer_norm, layer_norm, standardised, by_norm, by_root_mean_square, shares]
FORMULAS += [running_shares, between_ends, moment, covariance, cosine, weighted, distances, entropy, margins, of_means]
FORMULAS += [running_mean, growth]


def formula(draw, options, number):
    """A formula on random shapes and axes."""
    dtype = draw.one(["f32", "f32", "f32", "f16", "bf16"] + ["f64"] * options.f64)
    f = Formula(draw, options, dtype)
    shape = calls.shape(draw)
    rank = len(shape)
    if rank == 0 or 0 in shape:
        raise Reject
    axes = [rank - 1] if draw.chance(0.5) else draw.choice.sample(range(rank), draw.one([1, 1, min(rank, 2), rank]))
    root = FORMULAS[number % len(FORMULAS)](f, f.leaf(shape), axes)
    return judged(draw, f.case, root, f.statements)
