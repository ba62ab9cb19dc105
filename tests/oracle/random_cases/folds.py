"""Reductions and scans: names in the expression language, types, and what NumPy makes of the elements along the last axis."""

import numpy as np

from . import dtypes
from .case import converted
from .dtypes import ALL, FLOATS, NUMERIC
from .ranges import LARGEST, LONG, NORMAL, OWN, ROUNDOFF, SUBNORMAL, Range, lost, of, outward, steps, wide
from .watch import Reject


class Fold:
    """A reduction or scan. `f` is called with the arithmetic, a range whose last axis is folded, and what the call
    gives beside it (dtype, ddof, ord)."""

    def __init__(self, name, f, result, **more):
        self.name, self.f, self.result_of = name, f, result
        self.names = [name, *more.get("names", ())]
        # NumPy's module that it is in.
        self.module = more.get("module", "")
        self.types = more.get("types", ALL)
        # How many axes: "any", "one", or "norm": one, two or all.
        self.axes = more.get("axes", "any")
        self.parameters = more.get("parameters", ("keepdims",))
        # Where its elements are interesting.
        self.domain = more.get("domain")
        # Whether it takes no f64 arithmetic, and whether it has a result of no elements.
        self.plain, self.of_none = more.get("plain", False), more.get("of_none", True)
        self.scans = more.get("scans", False)

    def types_with(self, f64):
        return [d for d in self.types if d != "f64" or f64 or self.plain]

    def result(self, dtype, given):
        return given.get("dtype") or self.result_of(dtype)

    def compute(self, arithmetic, x, axes, given):
        """The fold of a range along axes, which are dropped; of a scan along one axis, or of all elements as one
        row."""
        if self.scans:
            if axes is None:
                x, axes = x.map(lambda v: v.reshape(-1)), (0,)
            found = self.f(arithmetic, x.map(lambda v: np.moveaxis(v, axes[0], -1)), given)
            return found.map(lambda v: np.moveaxis(v, -1, axes[0]))
        axes = range(len(x.shape)) if axes is None else axes
        rows = x.map(lambda v: last(v, axes))
        if rows.shape[-1] == 0 and not self.of_none:
            raise Reject
        return self.f(arithmetic, rows, given)


def last(array, axes):
    """These axes as one, behind the others."""
    kept = [k for k in range(array.ndim) if k not in axes]
    moved = np.transpose(array, [*kept, *sorted(axes)])
    count = int(np.prod([array.shape[k] for k in axes], dtype=np.int64))
    return np.ascontiguousarray(moved).reshape(*(array.shape[k] for k in kept), count)


def summed(dtype):
    """The type of a sum."""
    return dtype if dtype in FLOATS else "u64" if dtype in dtypes.UNSIGNED else "i64"


def float_of(dtype):
    return dtype if dtype in FLOATS else "f32"


def cast(arithmetic, x, dtype):
    """Known elements as another type."""
    if dtype in (None, x.dtype):
        return x
    if x.dtype in FLOATS and dtype in dtypes.INTS and not np.all(dtypes.fits(dtype, x.low)) or not x.exact:
        raise Reject
    stored = x.low.astype(dtypes.STORED[x.dtype])
    return of(dtype, converted(arithmetic.watch, x.dtype, dtype, stored))


def widened(arithmetic, x):
    """Elements as the float that is computed in, from which a result is rounded once."""
    return Range(wide(x.dtype), x.low, x.high) if x.dtype in FLOATS else cast(arithmetic, x, "f32")


def sums(whole, rounded):
    """A sum or product: `whole` of integers, `rounded` of floats."""

    def f(arithmetic, x, given):
        x = cast(arithmetic, x, given.get("dtype"))
        if x.dtype in FLOATS:
            return arithmetic.rounded(x.dtype, rounded(arithmetic, x))
        dtype = summed(x.dtype)
        found = of(dtype, whole(x.low, axis=-1, dtype=dtypes.STORED[dtype]))
        return cast(arithmetic, found, given.get("dtype"))

    return f


def scanned_product(arithmetic, x):
    return arithmetic.product(x, scanned=True)


def zeros(arithmetic, x):
    """Notes a zero beside one of the other sign, of which either may be the extreme."""
    if x.dtype in FLOATS and x.low.size:
        zero, minus = x.low == 0, np.signbit(x.low)
        arithmetic.watch.open_zero |= bool(np.any((zero & minus).any(-1) & (zero & ~minus).any(-1)))


def extreme(largest):
    def f(arithmetic, x, given):
        zeros(arithmetic, x)
        return arithmetic.largest(x) if largest else arithmetic.smallest(x)

    return f


def exactly(f):
    """Of elements that are known."""

    def on_known(arithmetic, x, given):
        if not x.exact:
            raise Reject
        return f(x.low)

    return on_known


def truths(f):
    return exactly(lambda v: of("bool", f(v != 0, axis=-1)))


def places(f):
    return exactly(lambda v: of("i64", f(v, axis=-1).astype(np.int64)))


def nonzero(v):
    return of("i64", np.count_nonzero(v, axis=-1).astype(np.int64))


def spread_of_ends(arithmetic, x, given):
    low, high = arithmetic.smallest(x), arithmetic.largest(x)
    if x.dtype in FLOATS:
        return arithmetic.sub(high, low)
    return of(x.dtype, high.low - low.low)


def whole_sum(x):
    """The sum of whole numbers as f32, which 64-bit ones may reach beyond their type."""
    exact = np.asarray(x.low.astype(object).sum(-1))
    info = np.iinfo(np.uint64 if x.dtype == "u64" else np.int64)
    low, high = np.empty(exact.shape, np.float32), np.empty(exact.shape, np.float32)
    for place, total in np.ndenumerate(exact):
        if info.min <= total <= info.max:
            low[place] = high[place] = np.array(int(total), dtype=info.dtype).astype(np.float32)
        else:
            apart = LONG(3) * ROUNDOFF[np.float32] * abs(LONG(float(total))) + LONG(2) ** 41
            low[place], high[place] = outward(np.float32, LONG(float(total)) - apart, LONG(float(total)) + apart)
    return Range("f32", low, high)


def mean(arithmetic, x, given):
    x = cast(arithmetic, x, given.get("dtype"))
    total = arithmetic.total(x) if x.dtype in FLOATS else whole_sum(x)
    return arithmetic.rounded(float_of(x.dtype), arithmetic.quotient(total, x.shape[-1]))


def variance(arithmetic, x, ddof, corrected=True, there=None):
    """In the type that is computed in, of all elements or of those that are `there`: within what the two passes of
    docs/reductions.md lose."""
    kind, unit = x.low.dtype.type, ROUNDOFF[x.low.dtype.type]
    low, high = x.long()
    there = np.ones(low.shape, bool) if there is None else there
    count = there.sum(-1)
    finite = (np.isfinite(low) & np.isfinite(high) | ~there).all(-1)
    middle, apart = (np.where(there & finite[..., None], v, 0) for v in ((low + high) / 2, (high - low) / 2))
    over = np.maximum(count, 1)
    amount = (np.abs(middle) + apart).sum(-1)
    mean = middle.sum(-1) / over
    away = np.where(there, np.abs(middle - mean[..., None]), 0)
    root, error = np.sqrt((away * away).sum(-1)), np.sqrt((apart * apart).sum(-1))
    least, most = np.maximum(root - error, 0) ** 2, (root + error) ** 2
    n = x.shape[-1]
    rounds = lambda more: lost(steps(n) + more, unit) + 2 * n * OWN
    tiny = NORMAL[kind] if arithmetic.flushes else SUBNORMAL[kind]
    # By how much the mean is wrong, and with it each deviation.
    wrong = rounds(3) * amount / over + unit * np.abs(mean) + tiny
    sum_wrong = rounds(2) * ((away + apart).sum(-1) + apart.sum(-1) + count * wrong)
    crossed = 2 * wrong * sum_wrong + sum_wrong**2 / over
    squares = most + count * wrong**2
    bound = rounds(5) * squares + 4 * (n + 2) * tiny + (crossed * (1 + 3 * unit) + 3 * unit * count * wrong**2)
    bound += 0 if corrected else count * wrong**2
    reached = np.maximum((squares + bound) * 2 + (count * wrong + sum_wrong) ** 2, amount)
    if np.any(reached > LARGEST[kind]):
        raise Reject
    single = (count == 1) & (apart.max(-1, initial=0) == 0)
    least, most = (np.where(single, 0, v) for v in (np.maximum(least - bound, 0), most + bound))
    by = np.maximum(count - ddof, 0)
    if np.any(finite & (by == 0) & (count > 1) & (least == 0)):
        raise Reject
    near = np.where(single, 0, 1)
    ends = outward(
        kind,
        np.maximum(least / np.maximum(by, 1) * (1 - 2 * unit) - near * tiny, 0),
        most / np.maximum(by, 1) * (1 + 2 * unit) + near * tiny,
    )
    divided = np.where(count > 1, np.inf, np.nan)
    ends = [np.where(by == 0, divided, v) for v in ends]
    return arithmetic.made(wide(x.dtype), *(np.where(finite, v, np.nan).astype(kind) for v in ends))


def spread(root):
    def f(arithmetic, x, given):
        x = cast(arithmetic, x, given.get("dtype"))
        found = variance(arithmetic, widened(arithmetic, x), given.get("ddof", 0))
        return arithmetic.rounded(float_of(x.dtype), arithmetic.sqrt(found) if root else found)

    return f


def norm(arithmetic, x, given):
    dtype = float_of(x.dtype)
    if given.get("ord") == 1:
        if x.dtype in FLOATS:
            return arithmetic.rounded(dtype, arithmetic.total(arithmetic.abs(x)))
        size = Range(x.dtype, np.abs(x.low.astype(object)))
        return whole_sum(size)
    squares = arithmetic.square(widened(arithmetic, x))
    return arithmetic.rounded(dtype, arithmetic.sqrt(arithmetic.total(squares)))


def log_sum_exp(arithmetic, x, given):
    dtype, x = float_of(x.dtype), widened(arithmetic, x)
    largest = arithmetic.largest(x)
    largest = largest.where(np.isinf(largest.low), of(x.dtype, np.zeros(largest.shape, x.low.dtype)))
    powers = arithmetic.function(np.exp, arithmetic.sub(x, largest.map(lambda v: v[..., None])))
    logs = arithmetic.function(np.log, arithmetic.total(powers))
    return arithmetic.rounded(dtype, arithmetic.add(logs, largest))


def without_nan(f, neutral):
    """A fold with a number in place of each NaN."""

    def of_others(arithmetic, x, given):
        return f(arithmetic, x.map(lambda v: np.where(v != v, neutral, v).astype(v.dtype)), given)

    return of_others


def extreme_without_nan(f, never, is_place=False):
    kept = without_nan(f, never)

    def of_others(arithmetic, x, given):
        nothing = (x.low != x.low).all(-1)
        if is_place and np.any(nothing):
            raise Reject
        if not np.any(x.low != x.low):
            return f(arithmetic, x, given)
        found = kept(arithmetic, x, given)
        return found if is_place else found.map(lambda v: np.where(nothing, np.nan, v).astype(v.dtype))

    return of_others


def mean_without_nan(arithmetic, x, given):
    x = cast(arithmetic, x, given.get("dtype"))
    if x.dtype not in FLOATS:
        return mean(arithmetic, x, given)
    there = (x.low == x.low).sum(-1)
    total = arithmetic.total(x.map(lambda v: np.where(v != v, 0, v).astype(v.dtype)))
    kind, (low, high) = x.low.dtype.type, total.long()
    # The sum and the number are divided by the number of all elements each, and by one another.
    apart = 4 * ROUNDOFF[kind]
    tiny = 4 * (NORMAL[kind] if arithmetic.flushes else SUBNORMAL[kind])
    ends = [v / np.maximum(there, 1) for v in (low, high)]
    ends = outward(kind, ends[0] - np.abs(ends[0]) * apart - tiny, ends[1] + np.abs(ends[1]) * apart + tiny)
    special = ~np.isfinite(total.low)
    ends = [np.where(special, total.low, np.where(low == high, np.where(low == 0, 0, v), v)) for v in ends]
    ends = [np.where(there == 0, np.nan, v).astype(kind) for v in ends]
    return arithmetic.rounded(x.dtype, arithmetic.made(wide(x.dtype), *ends))


def spread_without_nan(root):
    def f(arithmetic, x, given):
        is_float = x.dtype in FLOATS
        x = cast(arithmetic, x, given.get("dtype"))
        there, ddof = x.low == x.low, given.get("ddof", 0)
        found = variance(arithmetic, widened(arithmetic, x), ddof, False, there)
        # NumPy has no such variance of as many floats as ddof, or fewer.
        none = there.sum(-1) <= (ddof if is_float else -1)
        found = found.map(lambda v: np.where(none, np.nan, v).astype(v.dtype))
        return arithmetic.rounded(float_of(x.dtype), arithmetic.sqrt(found) if root else found)

    return f


KEPT = lambda dtype: dtype
TRUTH = lambda dtype: "bool"
PLACE = lambda dtype: "i64"
SUM, MEAN, SPREAD = ("dtype", "keepdims"), ("dtype", "keepdims"), ("dtype", "ddof", "keepdims")
ONE = {"plain": True, "of_none": False}
total, product = sums(np.sum, lambda a, x: a.total(x)), sums(np.prod, lambda a, x: a.product(x))
cumulated, multiplied = sums(np.cumsum, lambda a, x: a.sums(x)), sums(np.cumprod, scanned_product)

REDUCTIONS = [
    Fold("sum", total, summed, parameters=SUM, domain="sum"),
    Fold("prod", product, summed, parameters=SUM, domain="factors"),
    Fold("max", extreme(True), KEPT, names=["amax"], **ONE),
    Fold("min", extreme(False), KEPT, names=["amin"], **ONE),
    Fold("any", truths(np.any), TRUTH, plain=True, domain="few"),
    Fold("all", truths(np.all), TRUTH, plain=True, domain="many"),
    Fold("argmax", places(np.argmax), PLACE, axes="one", domain="ties", **ONE),
    Fold("argmin", places(np.argmin), PLACE, axes="one", domain="ties", **ONE),
    Fold("count_nonzero", exactly(nonzero), PLACE, plain=True, domain="half"),
    Fold("mean", mean, float_of, parameters=MEAN, domain="sum"),
    Fold("average", mean, float_of, domain="sum"),
    Fold("var", spread(False), float_of, parameters=SPREAD, domain="spread"),
    Fold("std", spread(True), float_of, parameters=SPREAD, domain="spread"),
    Fold("ptp", spread_of_ends, KEPT, types=NUMERIC, of_none=False),
    Fold("logsumexp", log_sum_exp, float_of, of_none=False, domain="powers"),
    Fold("norm", norm, float_of, axes="norm", module="linalg", parameters=("ord", "keepdims"), domain="spread"),
    Fold("vector_norm", norm, float_of, module="linalg", parameters=("ord", "keepdims"), domain="spread"),
    Fold("nansum", without_nan(total, 0), summed, parameters=SUM, domain="gaps"),
    Fold("nanprod", without_nan(product, 1), summed, parameters=SUM, domain="factors"),
    Fold("nanmax", extreme_without_nan(extreme(True), -np.inf), KEPT, domain="gaps", **ONE),
    Fold("nanmin", extreme_without_nan(extreme(False), np.inf), KEPT, domain="gaps", **ONE),
    Fold("nanargmax", extreme_without_nan(places(np.argmax), -np.inf, True), PLACE, axes="one", domain="gaps", **ONE),
    Fold("nanargmin", extreme_without_nan(places(np.argmin), np.inf, True), PLACE, axes="one", domain="gaps", **ONE),
    Fold("nanmean", mean_without_nan, float_of, parameters=MEAN, domain="gaps"),
    Fold("nanvar", spread_without_nan(False), float_of, parameters=SPREAD, domain="gaps"),
    Fold("nanstd", spread_without_nan(True), float_of, parameters=SPREAD, domain="gaps"),
]

SCAN = {"axes": "one", "parameters": ("dtype",), "scans": True}
SCANS = [
    Fold("cumsum", cumulated, summed, domain="sum", **SCAN),
    Fold("cumprod", multiplied, summed, domain="factors", **SCAN),
    Fold("nancumsum", without_nan(cumulated, 0), summed, domain="gaps", **SCAN),
    Fold("nancumprod", without_nan(multiplied, 1), summed, domain="factors", **SCAN),
]
