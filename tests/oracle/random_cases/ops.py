"""The operators: names in the expression language, types, and what NumPy makes of them."""

import numpy as np

from . import dtypes, functions
from .dtypes import ALL, FLOATS, INTS, NUMERIC, SIGNED


class Op:
    """An operator. `how` says what `f` is called with: "value" (values in the computing type; the result is rounded),
    "function" (float64), "test" (values; the result is bool), "move" (stored elements), "own" (the watch, the type
    and stored elements)."""

    def __init__(self, name, types, arity, f, how="value", **more):
        self.name, self.types, self.arity, self.f, self.how = name, list(types), arity, f, how
        self.names = [name, *more.get("names", ())]
        self.symbol = more.get("symbol")
        # Units in the last place of an f32, for functions.
        self.ulp = more.get("ulp", 2)
        # Where each operand is interesting.
        self.domains = more.get("domains", ())
        # Whether f64 needs no arithmetic.
        self.plain = how in ("test", "move") or more.get("plain", False)
        # The operand whose shape one-way rules keep.
        self.target = more.get("target", 0)
        # Whether several operands are folded from the left.
        self.several = more.get("several", False)
        self.shift = more.get("shift", False)
        # The operands' names, and what the last ones are where they are left out.
        self.operands = more.get("operands", {1: "x", 2: "ab", 3: "cab"}[arity])
        self.defaults = more.get("defaults", ())
        # Whether every adapter that rounds f32 arithmetic correctly gives the same bits.
        self.exact = more.get("exact", how != "function")

    def types_with(self, f64):
        # The far tails of gelu take more digits than NumPy has.
        f64 = self.plain or f64 and not self.name.startswith("gelu")
        return [d for d in self.types if d != "f64" or f64]

    def result(self, dtype):
        return "bool" if self.how == "test" else dtype

    def domain(self, k):
        return self.domains[k] if k < len(self.domains) else None

    def compute(self, watch, dtype, arrays):
        """The result's elements as stored."""
        return np.asarray(self.computed(watch, dtype, [np.asarray(a) for a in arrays]))

    def computed(self, watch, dtype, arrays):
        if self.how == "move":
            return self.f(*arrays)
        if self.how == "own":
            return self.f(watch, dtype, *arrays)
        values = [dtypes.wide(dtype, a) for a in arrays]
        if self.how == "test":
            return self.f(*values)
        if self.how == "function":
            # The functions of a type that is as wide as NumPy's own are computed wider.
            wider = np.longdouble if dtype == "f64" else np.float64
            found = np.asarray(self.f(*[v.astype(wider) for v in values]))
            if dtype == "bf16":
                watch.look("f32", found.astype(np.float32))
            return watch.look(dtype, dtypes.rounded(dtype, found))
        return finished(watch, dtype, self.f(*values))


def finished(watch, dtype, values):
    """Values in the computing type as elements."""
    values = np.asarray(values)
    if dtype not in FLOATS:
        return values.astype(dtypes.STORED[dtype])
    watch.look(dtype, values)
    return watch.look(dtype, dtypes.rounded(dtype, values))


def step(watch, dtype, f, *arrays):
    """One rounded step on stored elements."""
    return finished(watch, dtype, f(*[dtypes.wide(dtype, a) for a in arrays]))


def remainder(watch, dtype, a, b):
    a, b = dtypes.wide(dtype, a), dtypes.wide(dtype, b)
    if dtype in FLOATS:
        watch.look(dtype, np.fmod(a, b))
    return finished(watch, dtype, np.remainder(a, b))


def floor_divide(watch, dtype, a, b):
    a, b = dtypes.wide(dtype, a), dtypes.wide(dtype, b)
    if dtype in FLOATS:
        watch.look(dtype, np.fmod(a, b))
        watch.look(dtype, np.divide(a, b))
        quotient = np.abs(a.astype(np.float64) / b.astype(np.float64))
        # Of f16, such a quotient is infinite.
        limit = {"f16": np.inf, "f64": 2.0**50}.get(dtype, 2.0**22)
        watch.large_quotient |= bool(np.any((quotient >= limit) & np.isfinite(quotient) & (b != 0)))
    return finished(watch, dtype, np.floor_divide(a, b))


def larger(watch, dtype, a, b):
    a, b = dtypes.wide(dtype, a), dtypes.wide(dtype, b)
    watch.zeros(a, b)
    return finished(watch, dtype, np.maximum(a, b))


def smaller(watch, dtype, a, b):
    a, b = dtypes.wide(dtype, a), dtypes.wide(dtype, b)
    watch.zeros(a, b)
    return finished(watch, dtype, np.minimum(a, b))


def clip(watch, dtype, x, low, high):
    return smaller(watch, dtype, larger(watch, dtype, x, low), high)


def folded(f):
    def fold(watch, dtype, first, *others):
        for other in others:
            first = f(watch, dtype, first, other)
        return first

    return fold


def add(watch, dtype, a, b):
    return step(watch, dtype, np.add, a, b)


def mean(watch, dtype, *arrays):
    total = folded(add)(watch, dtype, *arrays)
    return step(watch, dtype, lambda x: np.divide(x, x.dtype.type(len(arrays))), total)


def sign_bit(change):
    """An operator on the sign alone; of integers, the one on values."""

    def f(watch, dtype, x):
        if dtype not in FLOATS:
            return np.negative(x) if change == "flip" else np.abs(x)
        raw = np.atleast_1d(dtypes.bits(np.ascontiguousarray(x)))
        top = raw.dtype.type(1 << (8 * raw.dtype.itemsize - 1))
        raw = raw ^ top if change == "flip" else raw & ~top
        return raw.view(dtypes.STORED[dtype]).reshape(x.shape)

    return f


def power(watch, dtype, a, b):
    return functions.integer_power(a, b)


def scaled(watch, dtype, x, slope):
    x, slope = dtypes.wide(dtype, x), dtypes.wide(dtype, slope)
    product = slope * x
    return finished(watch, dtype, np.where(x < 0, product, x))


def negative_branch(inner):
    """`x` from 0 on, else alpha * (exp(inner) - 1); its steps are rounded one by one, to f32 but for f64."""

    def f(watch, dtype, x, alpha, gamma=None):
        kind = "f64" if dtype == "f64" else "f32"
        x, alpha = dtypes.wide(dtype, x), dtypes.wide(dtype, alpha)
        wider = np.longdouble if dtype == "f64" else np.float64
        rounded = lambda v: watch.look(kind, dtypes.rounded(kind, v))
        below = np.where(x < 0, alpha * rounded(np.expm1(inner(watch, kind, x, alpha).astype(wider))), x)
        if gamma is not None:
            below = dtypes.wide(dtype, gamma) * rounded(below)
        return finished(watch, dtype, below)

    return f


def hard_sigmoid(x, alpha, beta):
    return np.minimum(np.maximum(alpha * x + beta, 0), 1)


def swish(watch, dtype, x, alpha):
    kind = "f64" if dtype == "f64" else "f32"
    x, alpha = dtypes.wide(dtype, x), dtypes.wide(dtype, alpha)
    inner = watch.look(kind, alpha * x)
    wider = np.longdouble if dtype == "f64" else np.float64
    found = functions.swish(x.astype(wider), inner.astype(wider))
    watch.look(kind, dtypes.rounded(kind, found))
    return watch.look(dtype, dtypes.rounded(dtype, found))


def value(name, types, arity, f, **more):
    return Op(name, types, arity, f, "value", **more)


def own(name, types, arity, f, **more):
    return Op(name, types, arity, f, "own", **more)


def function(name, f, domain=None, **more):
    return Op(name, FLOATS, 1, f, "function", domains=(domain,), **more)


def test(name, types, arity, f, symbol=None, **more):
    return Op(name, types, arity, f, "test", symbol=symbol, **more)


AMOUNT = (None, "amount")

ARITHMETIC = [
    value("add", NUMERIC, 2, np.add, symbol="+"),
    value("sub", NUMERIC, 2, np.subtract, symbol="-", names=["subtract"]),
    value("mul", NUMERIC, 2, np.multiply, symbol="*", names=["multiply"]),
    value("div", FLOATS, 2, np.divide, symbol="/", names=["divide", "true_divide"]),
    own("floor_div", NUMERIC, 2, floor_divide, symbol="//", names=["floor_divide"]),
    own("mod", NUMERIC, 2, remainder, symbol="%", names=["remainder"]),
    value("fmod", NUMERIC, 2, np.fmod),
    own("pow", INTS, 2, power, symbol="**", names=["power"], domains=(None, "exponent")),
    own("maximum", NUMERIC, 2, larger, plain=True),
    own("minimum", NUMERIC, 2, smaller, plain=True),
    own("clip", NUMERIC, 3, clip, plain=True),
    own("prelu", NUMERIC, 2, scaled, operands=("x", "slope")),
    own("neg", NUMERIC, 1, sign_bit("flip"), names=["negative"], plain=True),
    own("abs", NUMERIC, 1, sign_bit("clear"), names=["absolute"], plain=True),
    value("square", NUMERIC, 1, lambda x: x * x),
    own("add_n", NUMERIC, 2, folded(add), several=True),
    own("mean_n", FLOATS, 2, mean, several=True),
    own("max_n", NUMERIC, 2, folded(larger), several=True, plain=True),
    own("min_n", NUMERIC, 2, folded(smaller), several=True, plain=True),
    value("sign", NUMERIC, 1, np.sign, plain=True),
    value("relu", SIGNED + FLOATS, 1, lambda x: np.where(x <= 0, x.dtype.type(0), x), plain=True),
    value("bit_and", INTS, 2, np.bitwise_and, symbol="&", names=["bitwise_and"]),
    value("bit_or", INTS, 2, np.bitwise_or, symbol="|", names=["bitwise_or"]),
    value("bit_xor", INTS, 2, np.bitwise_xor, symbol="^", names=["bitwise_xor"]),
    value("bit_not", INTS, 1, np.invert, names=["invert", "bitwise_not", "bitwise_invert"]),
    value("shl", INTS, 2, functions.shift_left, symbol="<<", names=["left_shift"], shift=True, domains=AMOUNT),
    value("shr", INTS, 2, functions.shift_right, symbol=">>", names=["right_shift"], shift=True, domains=AMOUNT),
]

SELECTION = [
    Op("where", ALL, 3, lambda c, a, b: np.where(c != 0, a, b), "move", target=1),
    Op("identity", ALL, 1, lambda x: x, "move", names=["positive"]),
]

TESTS = [
    test("equal", ALL, 2, np.equal, "=="),
    test("not_equal", ALL, 2, np.not_equal, "!="),
    test("less", NUMERIC, 2, np.less, "<"),
    test("less_equal", NUMERIC, 2, np.less_equal, "<="),
    test("greater", NUMERIC, 2, np.greater, ">"),
    test("greater_equal", NUMERIC, 2, np.greater_equal, ">="),
    test("logical_and", ["bool"], 2, np.logical_and, "&", names=["bit_and"]),
    test("logical_or", ["bool"], 2, np.logical_or, "|", names=["bit_or"]),
    test("logical_xor", ["bool"], 2, np.logical_xor, "^", names=["bit_xor", "bitwise_xor"]),
    test("logical_not", ["bool"], 1, np.logical_not, names=["bit_not", "invert"]),
    test("isnan", FLOATS, 1, np.isnan),
    test("isinf", FLOATS, 1, np.isinf),
]

ROUNDED = [
    value("sqrt", FLOATS, 1, np.sqrt, domains=("positive",)),
    value("reciprocal", FLOATS, 1, lambda x: np.divide(x.dtype.type(1), x)),
    value("floor", FLOATS, 1, np.floor),
    value("ceil", FLOATS, 1, np.ceil),
    value("round", FLOATS, 1, np.rint, names=["rint"]),
    value("trunc", FLOATS, 1, np.trunc),
    value("round_away", FLOATS, 1, functions.round_away),
    own("leaky_relu", FLOATS, 2, scaled, operands=("x", "alpha"), defaults=(0.01,)),
    value("thresholded_relu", FLOATS, 2, functions.above, operands=("x", "alpha"), defaults=(1.0,)),
]

SIGMOID = {"operands": ("x", "alpha", "beta"), "defaults": (0.2, 0.5)}
SELU = (1.67326319217681884765625, 1.05070102214813232421875)
BELOW = {"domains": ("narrow", "tame", "tame"), "operands": ("x", "alpha", "gamma"), "ulp": 4, "exact": False}

FUNCTIONS = [
    function("exp", np.exp, "power"),
    function("log", np.log, "positive"),
    function("tanh", np.tanh, "narrow"),
    function("sigmoid", functions.sigmoid, "power", ulp=4),
    function("exp2", np.exp2, "power"),
    function("expm1", np.expm1, "narrow"),
    function("log2", np.log2, "positive"),
    function("log10", np.log10, "positive"),
    function("log1p", np.log1p, "unit"),
    function("sin", np.sin, "angle"),
    function("cos", np.cos, "angle"),
    function("tan", np.tan, "angle"),
    function("asin", np.arcsin, "unit", names=["arcsin"]),
    function("acos", np.arccos, "unit", names=["arccos"]),
    function("atan", np.arctan, "narrow", names=["arctan"]),
    Op("atan2", FLOATS, 2, np.arctan2, "function", names=["arctan2"], operands="yx", ulp=4),
    Op("hypot", FLOATS, 2, np.hypot, "function", ulp=3),
    function("cbrt", np.cbrt, ulp=3),
    function("sinh", np.sinh, "narrow"),
    function("cosh", np.cosh, "narrow"),
    function("asinh", np.arcsinh, "narrow", names=["arcsinh"]),
    function("acosh", np.arccosh, "above", names=["arccosh"], ulp=3),
    function("atanh", np.arctanh, "unit", names=["arctanh"]),
    function("erf", functions.erf, "narrow", ulp=3),
    function("softplus", functions.softplus, "narrow"),
    function("gelu", functions.gelu, "narrow", ulp=4),
    function("gelu_tanh", functions.gelu_tanh, "narrow", ulp=4),
    function("mish", functions.mish, "narrow", ulp=4),
    function("softsign", functions.softsign, "narrow"),
    function("hard_swish", functions.hard_swish, "narrow", ulp=4),
    Op("pow", FLOATS, 2, functions.float_power, "function", symbol="**", names=["power"], domains=("positive", "narrow")),
    Op("hard_sigmoid", FLOATS, 3, hard_sigmoid, "function", domains=("tame",) * 3, **SIGMOID),
    own("elu", FLOATS, 2, negative_branch(lambda w, d, x, a: x), defaults=(1.0,), **BELOW),
    own("selu", FLOATS, 3, negative_branch(lambda w, d, x, a: x), defaults=SELU, **BELOW),
    own("celu", FLOATS, 2, negative_branch(lambda w, d, x, a: w.look(d, x / a)), defaults=(1.0,), **BELOW),
    own("swish", FLOATS, 2, swish, defaults=(1.0,), **BELOW),
]

EXACT = ARITHMETIC + SELECTION + TESTS + ROUNDED
OPS = EXACT + FUNCTIONS


def tolerance(op, dtype, watch, found):
    """How close an adapter has to come."""
    if dtype not in FLOATS:
        return {"mode": "bits"}
    if op is not None and not op.exact:
        return {"mode": "ulp", "n": op.ulp if dtype in ("f32", "f64") else 1}
    if op is not None and op.name == "floor_div" and watch.large_quotient:
        return {"mode": "ulp", "n": 2}
    # A move keeps the bits of a NaN; of what is computed they are free. Zeros have their sign where it is defined.
    moved = op is None or op.how == "move" or op.name in ("neg", "abs")
    if not moved and (dtypes.has_nan(found) or watch.open_zero):
        return {"mode": "exact"}
    return {"mode": "bits"}
