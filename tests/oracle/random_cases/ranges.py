"""What an adapter may give where a step's order or error is stated but not its bits: elements between two others. Where
the two are the same, the bits are known."""

import numpy as np

from . import dtypes
from .watch import Reject

LONG = np.longdouble
# Of the types that floats are computed in.
ROUNDOFF = {np.float32: LONG(2) ** -24, np.float64: LONG(2) ** -53}
DIGITS = {np.float32: 24, np.float64: 53}
LARGEST = {t: LONG(np.finfo(t).max) for t in ROUNDOFF}
NORMAL = {t: LONG(np.finfo(t).smallest_normal) for t in ROUNDOFF}
SUBNORMAL = {t: LONG(np.finfo(t).smallest_subnormal) for t in ROUNDOFF}
# What long doubles lose themselves, of each number that is added or multiplied.
OWN = LONG(2) ** -62


class Range:
    """Elements of a type between `low` and `high`, as stored or, of floats, in the type that they are computed in."""

    def __init__(self, dtype, low, high=None):
        self.dtype, self.low, self.high = dtype, low, low if high is None else high

    @property
    def shape(self):
        return self.low.shape

    @property
    def exact(self):
        return self.low is self.high or bool(np.all((self.low == self.high) | np.isnan(self.low)))

    def map(self, f):
        """Elements that are moved, or changed by what never falls."""
        return Range(self.dtype, f(self.low), None if self.low is self.high else f(self.high))

    def long(self):
        return self.low.astype(LONG), self.high.astype(LONG)

    def where(self, mask, other):
        """`other` where the mask holds."""
        pick = lambda mine, its: np.where(mask, its, mine).astype(mine.dtype)
        return Range(self.dtype, pick(self.low, other.low), pick(self.high, other.high))


def of(dtype, stored):
    """Elements that are known."""
    return Range(dtype, dtypes.wide(dtype, np.asarray(stored)))


def wide(dtype):
    """The type that a float type is computed in."""
    return "f64" if dtype == "f64" else "f32"


def lost(count, unit):
    """The greatest relative error of so many roundings."""
    return count * unit / (1 - count * unit)


def outward(kind, low, high):
    """Long doubles as a type, rounded apart."""
    a, b = low.astype(kind), high.astype(kind)
    a = np.where(a.astype(LONG) > low, np.nextafter(a, kind(-np.inf)), a)
    b = np.where(b.astype(LONG) < high, np.nextafter(b, kind(np.inf)), b)
    return a.astype(kind), b.astype(kind)


def lowest(values):
    """The power of two of the lowest digit that is set; infinite of 0."""
    mantissa, exponent = np.frexp(np.where(np.isfinite(values), values, 0).astype(np.float64))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    digit = np.ldexp((whole & -whole).astype(LONG), exponent - 53)
    return np.where(whole == 0, LONG(np.inf), digit)


def odd_digits(values):
    """How many digits a number has but for powers of two; 0 of a power of two."""
    mantissa, _ = np.frexp(np.where(np.isfinite(values), values, 0).astype(np.float64))
    whole = np.abs(np.ldexp(mantissa, 53).astype(np.int64))
    low = np.frexp((whole & -whole).astype(np.float64))[1]
    found = np.where(whole == 0, 0, 54 - low)
    return np.where(found == 1, 0, found)


def known(x, axis=None):
    """Where the elements are known, or all along an axis."""
    same = (x.low == x.high) | np.isnan(x.low)
    return same if axis is None else same.all(axis)


class Arithmetic:
    """Steps and folds on ranges. What no range holds is refused: sums that may or may not overflow, quotients by what
    may be 0."""

    def __init__(self, watch):
        self.watch = watch
        self.flushes = not watch.subnormals

    def made(self, dtype, low, high):
        """A range in the type that is computed in as one of a type, rounded."""
        for _ in range(2):
            special = ~(np.isfinite(low) & np.isfinite(high))
            if np.any(special & (low != high) & ~(np.isnan(low) & np.isnan(high))):
                raise Reject
            if self.flushes:
                normal = NORMAL[low.dtype.type]
                low = np.where((low > 0) & (low < normal), 0, low).astype(low.dtype)
                high = np.where((high < 0) & (high > -normal), 0, high).astype(low.dtype)
            if dtype == wide(dtype):
                break
            low, high = (dtypes.wide(dtype, dtypes.rounded(dtype, v)) for v in (low, high))
        return Range(dtype, low, high)

    def rounded(self, dtype, x):
        return self.made(dtype, x.low, x.high)

    def monotone(self, f, dtype, *operands):
        """A step whose result is rounded once and rises or falls with each operand."""
        ends = [np.asarray(f(*v)) for v in corners(operands)]
        unknown = np.isnan(ends)
        if np.any(unknown.any(0) & ~unknown.all(0)):
            raise Reject
        return self.made(dtype, np.minimum.reduce(ends), np.maximum.reduce(ends))

    def add(self, a, b):
        return self.monotone(np.add, a.dtype, a, b)

    def sub(self, a, b):
        return self.monotone(np.subtract, a.dtype, a, b)

    def mul(self, a, b):
        return self.monotone(np.multiply, a.dtype, a, b)

    def div(self, a, b):
        if np.any((b.low <= 0) & (b.high >= 0)):
            raise Reject
        return self.monotone(np.divide, a.dtype, a, b)

    def sqrt(self, x):
        if np.any((x.low < 0) & (x.high > x.low)):
            raise Reject
        return self.monotone(np.sqrt, x.dtype, x)

    def square(self, x):
        """x * x."""
        a, b = x.low * x.low, x.high * x.high
        around = (x.low < 0) & (x.high > 0)
        low = np.where(around, 0, np.minimum(a, b)).astype(a.dtype)
        return self.made(x.dtype, low, np.maximum(a, b))

    def abs(self, x):
        a, b = np.abs(x.low), np.abs(x.high)
        around = (x.low < 0) & (x.high > 0)
        return Range(x.dtype, np.where(around, 0, np.minimum(a, b)).astype(a.dtype), np.maximum(a, b))

    def neg(self, x):
        return Range(x.dtype, -x.high, -x.low)

    def function(self, f, x, ulp=2):
        """A rising function within so many units in the last place."""
        kind = x.low.dtype.type
        wider = LONG if kind is np.float64 else np.float64
        low, high = (np.asarray(f(v.astype(wider))).astype(LONG) for v in (x.low, x.high))
        place = lambda v: ulp * np.spacing(np.where(np.isfinite(v), np.abs(v), 1).astype(kind)).astype(LONG)
        finite = np.isfinite(low) & np.isfinite(high)
        # A finite value beyond the largest number overflows, unless it is near.
        beyond = finite & (np.maximum(np.abs(low), np.abs(high)) > LARGEST[kind])
        if np.any(beyond & (np.minimum(np.abs(low), np.abs(high)) < 1.001 * LARGEST[kind])):
            raise Reject
        a, b = outward(kind, np.where(beyond, 0, low - place(low)), np.where(beyond, 0, high + place(high)))
        special = [np.where(beyond, np.copysign(LONG(np.inf), v), v).astype(kind) for v in (low, high)]
        plain = finite & ~beyond
        return self.made(x.dtype, np.where(plain, a, special[0]), np.where(plain, b, special[1]))

    def largest(self, x):
        """The largest along the last axis; NaN if one is."""
        return Range(x.dtype, np.max(x.low, axis=-1), np.max(x.high, axis=-1))

    def smallest(self, x):
        return Range(x.dtype, np.min(x.low, axis=-1), np.min(x.high, axis=-1))

    def amounts(self, x, kind, along):
        """The sums of absolute values that are finite; refused where one may overflow on the way."""
        size = np.maximum(*map(np.abs, x.long()))
        size = np.where(np.isfinite(size), size, 0)
        amount = along(size)
        if np.any(amount >= LARGEST[kind] * LONG(0.999)):
            raise Reject
        return size, amount

    def total(self, x):
        """The sum along the last axis in the type that is computed in, in the order of docs/reductions.md."""
        kind = x.low.dtype.type
        low, high = x.long()
        # The sum of negative zeros alone is 0 in NumPy, which begins with one.
        self.watch.open_zero |= bool(np.any(((x.low == 0) & np.signbit(x.low)).all(-1)))
        size, amount = self.amounts(x, kind, lambda v: v.sum(-1))
        count = x.shape[-1]
        bound = lost(steps(count), ROUNDOFF[kind]) * amount + count * OWN * amount
        bound += count * NORMAL[kind] if self.flushes else 0
        least = lowest(size).min(-1, initial=LONG(np.inf))
        exact = known(x, -1) & (amount <= LONG(2) ** DIGITS[kind] * least)
        exact &= (least >= NORMAL[kind]) | (not self.flushes)
        finite = np.isfinite(low) & np.isfinite(high)
        sums = [np.where(finite, v, 0).sum(-1) for v in (low, high)]
        special = np.where(finite, 0, x.low).sum(-1, dtype=kind)
        a, b = outward(kind, sums[0] - bound, sums[1] + bound)
        a, b = (np.where(exact, s.astype(kind), v) for s, v in zip(sums, (a, b)))
        whole = finite.all(-1)
        return self.made(wide(x.dtype), np.where(whole, a, special), np.where(whole, b, special))

    def sums(self, x):
        """The sums of the elements up to each along the last axis."""
        kind = x.low.dtype.type
        low, high = x.long()
        size, amount = self.amounts(x, kind, lambda v: v.cumsum(-1))
        places = np.arange(1, x.shape[-1] + 1)
        bound = (lost(scan_steps(places), ROUNDOFF[kind]) + places * OWN) * amount
        bound = bound + (places * NORMAL[kind] if self.flushes else 0)
        least = np.minimum.accumulate(lowest(size), -1)
        exact = np.logical_and.accumulate(known(x), -1) & (amount <= LONG(2) ** DIGITS[kind] * least)
        exact &= (least >= NORMAL[kind]) | (not self.flushes)
        finite = np.isfinite(low) & np.isfinite(high)
        sums = [np.where(finite, v, 0).cumsum(-1) for v in (low, high)]
        special = np.where(finite, 0, x.low).cumsum(-1, dtype=kind)
        a, b = outward(kind, sums[0] - bound, sums[1] + bound)
        a, b = (np.where(exact, s.astype(kind), v) for s, v in zip(sums, (a, b)))
        whole = np.logical_and.accumulate(finite, -1)
        return self.made(wide(x.dtype), np.where(whole, a, special), np.where(whole, b, special))

    def product(self, x, scanned=False):
        """The product along the last axis, or of the elements up to each: any order has the same bound."""
        kind = x.low.dtype.type
        along = lambda v: v.cumprod(-1) if scanned else v.prod(-1)
        if np.any((x.low < 0) & (x.high > 0)):
            raise Reject
        near, far = np.minimum(*map(np.abs, x.long())), np.maximum(*map(np.abs, x.long()))
        finite = np.isfinite(far)
        largest = np.where(finite, np.maximum(far, 1), 1).prod(-1)
        smallest = np.where(finite & (near > 0), np.minimum(near, 1), 1).prod(-1)
        if np.any(largest > LARGEST[kind] * LONG(0.999)) or np.any(smallest < NORMAL[kind] * LONG(1.001)):
            raise Reject
        count = np.arange(1, x.shape[-1] + 1) if scanned else x.shape[-1]
        apart = lost(count, ROUNDOFF[kind]) + count * OWN
        digits = odd_digits(far)
        exact = (digits.cumsum(-1) if scanned else digits.sum(-1)) <= DIGITS[kind]
        same = known(x)
        exact &= np.logical_and.accumulate(same, -1) if scanned else same.all(-1)
        sign = along(np.where(np.signbit(x.low), LONG(-1), LONG(1)))
        plain = along(x.low.astype(LONG))
        with np.errstate(invalid="ignore"):
            a, b = along(near) * (1 - apart), along(far) * (1 + apart)
        low, high = np.where(sign < 0, -b, a), np.where(sign < 0, -a, b)
        exact |= ~np.isfinite(plain) | (plain == 0)
        found = outward(kind, np.where(exact, 0, low), np.where(exact, 0, high))
        return self.made(wide(x.dtype), *(np.where(exact, plain.astype(kind), v) for v in found))

    def quotient(self, x, count):
        """A quotient by a number of elements that is rounded once, but where it is subnormal."""
        kind = x.low.dtype.type
        ends = [np.asarray(v / kind(count)).astype(kind) for v in (x.low, x.high)]
        small = [(v != 0) & (np.abs(v) < NORMAL[kind]) for v in ends]
        ends = [np.where(s, v + d * kind(SUBNORMAL[kind]), v) for s, v, d in zip(small, ends, (-1, 1))]
        return self.made(x.dtype, *ends)


def corners(operands):
    """The elements at each choice of an end of each range."""
    if not operands:
        return [()]
    ends = [operands[0].low] if operands[0].low is operands[0].high else [operands[0].low, operands[0].high]
    return [(end, *rest) for end in ends for rest in corners(operands[1:])]


def steps(count):
    """How many additions an element takes part in at most, in a sum of so many."""
    levels, reach = 0, 1
    while reach < -(-count // 256):
        levels, reach = levels + 1, 16 * reach
    return 16 * levels + 8


def scan_steps(places):
    """The same in a scan's result at each place, counted from 1."""
    levels = np.ones(np.shape(places), dtype=int)
    for power in (16, 256, 4096, 65536):
        levels += places > power
    return 16 * levels
