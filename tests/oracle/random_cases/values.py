"""Elements of tensors: small numbers, any bits, the ends of the range."""

import random

import numpy as np

from . import dtypes

# Points at which functions and roundings change.
POINTS = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 1.5, -1.5, 2.5, 3.5, -2.5, 0.49999997, 0.99999994, 1.0000001, 7, 10, -16]
POINTS += [2**7 + 0.5, 255, 256, 2**10 + 0.5, 2048, 2049, 65504, 65520, 2.0**22 + 0.5, 8388607.5, -8388608, 16777217]
POINTS += [
    2.0**31,
    -(2.0**31),
    2.0**32,
    2.0**53,
    2.0**63,
    1e-4,
    1e-10,
    1e10,
    1e30,
    3.14159265,
    88.72,
    -87.3,
    0.69314718,
]
LIMITS = [float("inf"), float("-inf"), float("nan")]

# Where functions have their argument: an interval of float64, or a spread of powers of two.
DOMAINS = {
    "unit": (-1.05, 1.05),
    "positive": (0.0, 100.0),
    "above": (0.9, 50.0),
    "angle": (-50.0, 50.0),
    "power": (-95.0, 95.0),
    "narrow": (-12.0, 12.0),
}


# Times that a further turn of an expression is drawn before another expression is.
TRIES = 20


class Draw:
    """All choices of one case, from the seed, its expression's number and its turn alone. Another turn is the same
    expression on other extents and elements."""

    def __init__(self, seed, number, subnormals, turn=0, attempt=0):
        self.seed, self.number, self.subnormals, self.turn = seed, number, subnormals, turn
        self.attempt, self.tries = attempt, 0
        self.begin()

    def begin(self):
        name = f"{self.seed}/{self.number}/{self.attempt}"
        # What the expression is, and what it is of.
        self.choice = random.Random(name)
        self.fill = random.Random(f"{name}/{self.turn}/{self.tries}")
        self.rng = np.random.default_rng(self.fill.getrandbits(128))

    def again(self):
        """The same case anew, calmer each time: the first turn with another expression."""
        self.tries += 1
        if self.turn == 0 or self.tries == TRIES:
            self.attempt, self.tries = self.attempt + 1, 0
        self.begin()

    @property
    def times(self):
        """How often the case was drawn in vain."""
        return self.attempt + self.tries

    def near(self, extent):
        """An extent in place of this one, for which kernels are the same as a rule: of the same power of two, and whole
        quads or not."""
        if self.turn == 0 or extent < 4:
            return extent
        low = 1 << (extent - 1).bit_length() - 1
        reach = range(max(low + 1, extent - 8), min(2 * low, extent + 8) + 1)
        return self.fill.choice([e for e in reach if (e % 4 == 0) == (extent % 4 == 0)])

    def chance(self, p):
        return self.choice.random() < p

    def one(self, items):
        return self.choice.choice(items)

    def upto(self, low, high):
        return self.choice.randint(low, high)

    def elements(self, dtype, shape, domain=None, calm=False):
        """A tensor's elements; `domain` is where the operator is interesting."""
        size = int(np.prod(shape, dtype=np.int64))
        if dtype == "bool":
            out = self.rng.random(size) < self.fill.choice([0.5, 0.5, 0.2, 0.8])
        elif dtype in dtypes.INTS:
            out = self.ints(dtype, size, domain, calm or self.times > 12)
        else:
            out = self.floats(dtype, size, domain, calm or self.times > 6)
        return np.asarray(out).reshape(shape)

    def ints(self, dtype, size, domain, calm):
        info = np.iinfo(dtypes.STORED[dtype])
        low, high = max(int(info.min), -9), 9
        way = self.fill.random()
        if domain == "exponent":
            low, high = (0, 6) if way < 0.4 else (max(low, -3), 40)
            way = 0.0 if way < 0.9 else way
        if domain == "amount":
            low, high = (0, info.bits - 1) if way < 0.5 else (max(low, -3), info.bits + 3)
            way = 0.0 if way < 0.9 else way
        if calm or way < 0.35:
            return self.rng.integers(low, high, size, endpoint=True).astype(info.dtype)
        spread = self.rng.integers(info.min, info.max, size, dtype=info.dtype, endpoint=True)
        if way < 0.65:
            return spread
        middle = [0, 1, 2, 3, 7, 10] + ([-1, -2, -3, -10] if info.min < 0 else [])
        powers = [1 << k for k in range(4, info.bits - 1, 5)]
        # Half way between two neighbours of f32, and just off it.
        powers += [(1 << 24) + 1, (1 << 25) + 6, (1 << 40) + (1 << 16), (1 << 62) + (3 << 38)] if info.bits > 32 else []
        ends = [int(v) for v in (info.min, info.min + 1, info.max, info.max - 1, info.max // 2, info.max // 2 + 1)]
        points = np.array(middle + powers + [p - 1 for p in powers] + ends, dtype=info.dtype)
        return np.where(self.rng.random(size) < 0.75, self.rng.choice(points, size), spread)

    def floats(self, dtype, size, domain, calm):
        way = self.fill.random()
        tame = dtypes.rounded(dtype, self.rng.integers(-64, 65, size) / 4.0)
        if domain == "tame":
            some = self.rng.random(size) < self.fill.choice([0, 0, 0.05])
            return np.where(some, dtypes.rounded(dtype, self.rng.choice(LIMITS, size)), tame)
        if calm or (domain is None and way < 0.3):
            return tame
        if domain in DOMAINS and way < 0.6:
            low, high = DOMAINS[domain]
            out = self.rng.uniform(low, high, size)
        elif way < 0.5:
            out = self.rng.normal(0, self.fill.choice([1.0, 3.0, 100.0]), size)
        elif way < 0.7:
            reach = {"f16": 16, "bf16": 127, "f32": 127, "f64": self.fill.choice([140, 1000])}[dtype]
            reach = self.fill.choice([reach, min(reach, 20), min(reach, 60)])
            size_of = np.exp2(self.rng.uniform(-reach, reach, size))
            out = np.where(self.rng.random(size) < 0.5, -size_of, size_of)
        elif way < 0.82:
            width = dtypes.STORED[dtype].itemsize
            raw = self.rng.bytes(size * width)
            return self.usual(dtype, np.frombuffer(raw, dtype=dtypes.STORED[dtype]).copy(), tame)
        else:
            points = np.where(
                self.rng.random(size) < 0.25, self.rng.choice(LIMITS, size), self.rng.choice(POINTS, size)
            )
            points = np.where(self.rng.random(size) < 0.2, self.rng.choice(self.edges(dtype), size), points)
            out = np.where(self.rng.random(size) < 0.3, tame.astype(np.float64), points)
        return self.usual(dtype, dtypes.rounded(dtype, out), tame)

    def edges(self, dtype):
        """The largest, the smallest normal and the smallest numbers of a float type."""
        largest, normal, least = {
            "f16": (65504.0, 2.0**-14, 2.0**-24),
            "bf16": (float.fromhex("0x1.fep127"), 2.0**-126, 2.0**-133),
            "f32": (float.fromhex("0x1.fffffep127"), 2.0**-126, 2.0**-149),
            "f64": (float.fromhex("0x1.fffffffffffffp1023"), 2.0**-1022, 5e-324),
        }[dtype]
        edges = [largest, normal, least, normal - least, normal / 2, 3 * least, normal * 1.5]
        return np.array(edges + [-e for e in edges])

    def usual(self, dtype, array, instead):
        """Without subnormals, where they are not wanted."""
        least = dtypes.SMALLEST.get(dtype)
        if self.subnormals or least is None:
            return array
        size = np.abs(array)
        # No reciprocal of the replacement, or product of two, is subnormal.
        return np.where((size < least) & (size != 0), instead, array).astype(array.dtype)

    def ties(self, target, array):
        """Doubles, some half way between two neighbours of the narrower type `target`, or just off it."""
        normal, largest = {"f16": (1, 0x7BFF), "bf16": (0x80, 0x7F7F), "f32": (0x800000, 0x7F7FFFFF)}[target]
        low = 1 if self.subnormals else normal
        width = dtypes.STORED[target].itemsize
        raw = self.rng.integers(low, largest, array.shape).astype(f"u{width}")
        near = [np.atleast_1d(r).view(dtypes.STORED[target]).astype(np.float64) for r in (raw, raw + 1)]
        middle = (near[0] + near[1]) / 2
        off = self.rng.choice([0, 2.0**-52, -(2.0**-52), 2.0**-40, -(2.0**-40), 2.0**-30, -(2.0**-30)], middle.shape)
        signs = self.rng.choice([-1.0, 1.0], middle.shape)
        tied = (signs * middle * (1 + off)).reshape(array.shape)
        return np.where(self.rng.random(array.shape) < 0.5, tied, array)

    def whole(self, source, target, array):
        """Floats of which the integer type `target` holds every truncated one."""
        good = dtypes.fits(target, array)
        info = np.iinfo(dtypes.STORED[target])
        spread = self.rng.integers(info.min, info.max, array.shape, dtype=info.dtype, endpoint=True)
        inside = dtypes.rounded(source, spread.astype(np.float64))
        small = dtypes.rounded(source, self.rng.integers(0, 8 * min(int(info.max), 4000), array.shape) / 8.0)
        inside = np.where(dtypes.fits(target, inside) & (self.rng.random(array.shape) < 0.5), inside, small)
        return np.where(good, array, inside).astype(array.dtype)
