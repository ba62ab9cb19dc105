"""Cases of one reduction or scan: of an input, of views of one, or of an expression."""

import numpy as np

from . import calls, dtypes, nodes, steps
from .case import Case
from .dtypes import FLOATS
from .expressions import Growth
from .folds import SCANS
from .ranges import LONG, Arithmetic, of


def pairs(options, folds):
    """Every fold with every type it takes."""
    return [(fold, d) for fold in folds for d in fold.types_with(options.f64)]


def single(draw, options, fold, dtype):
    """A reduction or scan of one type."""
    case, x = operand(draw, options, fold, dtype)
    place = calls.place(draw, fold, x.shape)
    return judged(draw, case, calls.call(draw, Arithmetic(case.watch), fold, x, place, of(dtype, x.value)))


def operand(draw, options, fold, dtype):
    """A case and what is folded in it: an input, views of one, or an expression."""
    shape = calls.shape(draw)
    if draw.chance(0.25):
        growth = Growth(draw, options)
        x = growth.part(dtype, shape, draw.one([1, 1, 2, 3]), exact=True)
        return growth.case, x
    case = Case(draw, options)
    domain, fix = elements(draw, fold, dtype, max(shape, default=1))
    return case, case.leaf(dtype, shape, domain, view=0.5, fix=fix)


def elements(draw, fold, dtype, count):
    """Where a fold is interesting: the domain of its elements, and what is changed in them."""
    if fold.domain is None or draw.chance(0.2) and fold.domain != "factors":
        return None, None
    rng, stored = draw.rng, dtypes.STORED[dtype]
    rounded = lambda v: dtypes.rounded(dtype, np.asarray(v))
    some = lambda array, share: rng.random(array.shape) < share
    if fold.domain == "factors" and dtype in FLOATS:
        share = min(1.0, 40 / max(count, 1))
        special = draw.one([0, 0, 0, 0.02])
        # Powers of two, numbers around 1, and now and then zeros, infinities and NaN.
        near = draw.chance(0.5)

        def factors(array):
            drawn = rng.uniform(0.5, 2, array.shape) if near else rng.choice([1, -1, 2, 0.5, -2, -0.5], array.shape)
            found = np.where(some(array, share), drawn, 1.0)
            return rounded(np.where(some(array, special), rng.choice([0, -0.0, np.inf, np.nan], array.shape), found))

        return None, factors
    if fold.domain in ("few", "many", "half"):
        share = {"few": 0.95, "many": 0.02, "half": 0.5}[fold.domain]
        zero = np.zeros((), stored)
        return None, lambda array: np.where(some(array, share), zero, np.where(array == 0, stored.type(1), array))
    if fold.domain == "ties":
        low = 0 if dtype in ("bool", *dtypes.UNSIGNED) else -3
        return None, lambda array: rng.integers(low, 4, array.shape).astype(np.float64).astype(stored)
    if fold.domain == "gaps" and dtype in FLOATS:
        share = draw.one([0.05, 0.3, 0.9])
        return "narrow", lambda array: np.where(some(array, share), stored.type(np.nan), array)
    if fold.domain == "spread" and dtype in FLOATS and draw.chance(0.4):
        middle = draw.one([100.0, 1000.0, -3000.0, 1e6] if dtype in ("f32", "f64") else [10.0, -100.0])
        return None, lambda array: rounded(middle + rng.normal(0, draw.one([1.0, 10.0]), array.shape))
    return {"powers": "narrow", "spread": "narrow", "sum": None, "gaps": None}.get(fold.domain), None


def judged(draw, case, root, statements=()):
    """A case of a part whose elements are a range, behind statements: its tolerance, and how far each element may be
    off."""
    dtype, found = root.dtype, root.value
    bounds = None
    if found.exact:
        stored = dtypes.rounded(dtype, found.low) if dtype in FLOATS else found.low
        tolerance = {"mode": "exact" if dtype in FLOATS else "bits"}
    else:
        low, high = found.long()
        with np.errstate(invalid="ignore"):
            middle = np.where(low == high, low, low / 2 + high / 2)
        stored = dtypes.rounded(dtype, middle.astype(found.low.dtype))
        near = dtypes.wide(dtype, stored).astype(LONG)
        with np.errstate(invalid="ignore"):
            apart = np.maximum(high - near, near - low)
        bounds = np.where(np.isfinite(apart), np.nextafter(apart.astype(np.float64), np.inf), 0)
        tolerance = {"mode": "bounds"}
    root = nodes.Node(root.text, root.level, dtype, stored)
    if draw.chance(0.08) and case.operator is None:
        root, bounds = steps.seen(draw, root, bounds)
    case.bounds = bounds
    text = "; ".join([*statements, root.text])
    return case, nodes.Node(text, root.level, dtype, root.value), tolerance


def named(draw, options):
    """A scan by its name in ONNX, which has it exclusive and in reverse; integers keep their type."""
    fold = draw.one(SCANS[:2])
    wide = [d for d in dtypes.NUMERIC if dtypes.STORED[d].itemsize >= 4 or d in FLOATS]
    dtype = draw.one([d for d in wide if d != "f64" or options.f64])
    shape = ()
    while shape == ():
        shape = calls.shape(draw)
    case = Case(draw, options)
    domain, fix = elements(draw, fold, dtype, max(shape))
    x = case.leaf(dtype, shape, domain, view=0, fix=fix)
    axis, exclusive, reverse = draw.upto(0, len(shape) - 1), draw.chance(0.5), draw.chance(0.5)
    turned = lambda v: np.flip(v, axis) if reverse else v
    given = {"dtype": dtype} if dtype in dtypes.INTS else {}
    found = fold.compute(Arithmetic(case.watch), of(dtype, turned(x.value)), (axis,), given)

    def shifted(v):
        first = np.full_like(np.take(v, [0], axis), 0 if fold.name == "cumsum" else 1)
        return np.concatenate([first, np.delete(v, -1, axis)], axis)

    if exclusive and shape[axis]:
        found = found.map(shifted)
    written = axis - draw.one([0, len(shape)])
    case.inputs["axis of it"] = ("i64", np.array(draw.one([written, [written]]), dtype=np.int64))
    flags = {k: int(v) for k, v in {"exclusive": exclusive, "reverse": reverse}.items() if v or draw.chance(0.3)}
    case.operator = {"op": {"cumsum": "CumSum", "cumprod": "CumProd"}[fold.name], "attrs": flags, "opset": 28}
    return judged(draw, case, nodes.Node(case.operator["op"], nodes.ATOM, dtype, found.map(turned)))
