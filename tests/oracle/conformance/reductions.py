"""Reductions as texts: NumPy evaluates the very text that the library parses.

Floats are evaluated in float64 and rounded once. The sums and products of floats are exact in the type that they are
folded in, in any order, unless a tolerance says otherwise. A float that arises from integers is f32.
"""

import warnings

import numpy as np

from .cases import BITS, EXACT, FLOATS, INF, INTS, NAN, NUMPY, Cases, T, close, round_to, ulp

DTYPES = ["bool", *INTS, "u64", "i64", *FLOATS, "f64"]
# Functions of f32 and quotients are rounded by adapters; those of halves are rounded once more.
FUNCTION = {"f16": ulp(1), "bf16": ulp(1), "f32": ulp(4), "f64": ulp(4)}
# What is subtracted from a mean, or from a largest element, is rounded before it is squared or exponentiated.
SPREAD = {"f16": close(2**-10, 1e-3), "bf16": close(2**-7, 1e-2), "f32": close(1e-5, 1e-6), "f64": close(1e-12, 1e-12)}

SHAPES = [
    ((13,), ""),
    ((7,), "axis=0"),
    ((3, 5), "axis=1"),
    ((3, 5), "axis=0, keepdims=True"),
    ((2, 3, 4), "axis=(0, 2)"),
    ((2, 3, 4), "axis=-2"),
    ((2, 3, 4), "axis=(2, 0), keepdims=True"),
    ((2, 3, 4), "axis=None"),
    ((2, 3, 4, 5), "axis=(1, 3)"),
    ((2, 3, 4, 5), "axis=(-1, -3)"),
    ((3, 1, 5, 2), "axis=(0, 1, 2)"),
    ((1, 1, 7), "axis=1"),
    ((2, 3, 4, 5), "axis=(0, 1, 2, 3), keepdims=True"),
    ((4, 1), "axis=1, keepdims=True"),
    ((2, 3), "axis=()"),
    ((2, 3, 4), "keepdims=True"),
    ((), "axis=None"),
]


def logsumexp(x, axis=None, keepdims=False):
    largest = np.max(x, axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    powers = np.exp(np.subtract(x, largest, dtype=np.float64))
    found = np.log(np.sum(powers, axis=axis, keepdims=True)) + largest
    return found if keepdims else np.squeeze(found, axis)


NAMES = {name: getattr(np, name) for name in ("abs", "broadcast_to", "count_nonzero", "exp", "log", "maximum", "sqrt")}
NAMES |= {name: getattr(np, name) for name in ("amax", "mean", "sum", "transpose", "where", "ptp", "isnan", "sin")}
NAMES |= {name: getattr(np, name) for name in ("cumprod", "cumsum", "nancumprod", "nancumsum")}
NAMES |= {f"nan{name}": getattr(np, f"nan{name}") for name in ("argmax", "argmin", "max", "mean", "min", "prod", "std")}
NAMES |= {f"nan{name}": getattr(np, f"nan{name}") for name in ("sum", "var")}
NAMES |= {"np": np, "logsumexp": logsumexp, "norm": np.linalg.norm, "vector_norm": np.linalg.vector_norm}


def evaluate(text, inputs):
    """What NumPy gives for a text."""
    values = {}
    for name, x in inputs.items():
        values[name] = x.wide().astype(np.float64) if x.dtype in FLOATS else x.elements
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # Of means of no elements.
        warnings.simplefilter("ignore", RuntimeWarning)
        found = np.asarray(eval(text, NAMES | values))
    if found.dtype.kind != "f":
        return T(next(k for k, v in NUMPY.items() if v == found.dtype.type and k != "bf16"), found)
    floats = [x.dtype for x in inputs.values() if x.dtype in (*FLOATS, "f64")]
    return round_to(floats[0] if floats else "f32", found)


class Series(T):
    """A tensor whose elements are given by a formula, so that the file need not hold them."""

    def __init__(self, dtype, shape, mul=1, add=0, mod=256, off=0):
        places = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        elements = (places * mul + add) % mod + off
        super().__init__(dtype, elements != 0 if dtype == "bool" else round_to(dtype, elements).elements)
        self.line = {"dtype": dtype, "shape": list(shape), "gen": {"mul": mul, "add": add, "mod": mod, "off": off}}


class Reductions(Cases):
    def tensor(self, t):
        return super().tensor(t.line if isinstance(t, Series) else t)

    def case(self, name, text, tol=EXACT, **inputs):
        self.expression("reductions", name, text, inputs, evaluate(text, inputs), tol)

    def refused(self, name, text, **inputs):
        tensors = [{"name": k, **self.tensor(t)} for k, t in inputs.items()]
        name = f"errors/{name}"
        self.line("expression", "reductions", name, "numpy", text, tensors, [], None, "value", {}, "numpy raises", None)


class Draw:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def whole(self, dtype, shape, low=-9, high=9):
        low = low if dtype in FLOATS or dtype[0] in "if" else 0
        drawn = self.rng.integers(low, high + 1, shape)
        return T(dtype, drawn % 2) if dtype == "bool" else round_to(dtype, drawn)

    def quarters(self, dtype, shape):
        """Any whole numbers, or quarters of small ones: their sums wrap, or are exact."""
        if dtype in (*FLOATS, "f64"):
            return round_to(dtype, self.rng.integers(-64, 65, shape) / 4)
        info = None if dtype == "bool" else np.iinfo(NUMPY[dtype])
        if info is None:
            return self.whole(dtype, shape)
        return T(dtype, self.rng.integers(info.min, info.max, shape, dtype=NUMPY[dtype], endpoint=True))

    def factors(self, dtype, shape):
        """Any whole numbers, or powers of two: their products wrap, or are exact."""
        if dtype in (*FLOATS, "f64"):
            return round_to(dtype, self.rng.choice([1, 1, 1, -1, 2, 0.5, -2, -0.5], shape))
        return self.quarters(dtype, shape)

    def gaps(self, dtype, shape):
        """Whole numbers, and of floats some NaN."""
        drawn = self.whole(dtype, shape)
        nan = round_to(dtype, NAN).elements if dtype in (*FLOATS, "f64") else drawn.elements
        return T(dtype, np.where(self.rng.random(shape) < 0.2, nan, drawn.elements))

    def some(self, dtype, shape, share):
        """Zeros, and a share of other numbers."""
        drawn = self.whole(dtype, shape, 1, 7)
        keep = self.rng.random(shape) < share
        return T(dtype, np.where(keep, drawn.elements, np.zeros((), drawn.elements.dtype)))


def float_of(dtype):
    return dtype if dtype in (*FLOATS, "f64") else "f32"


def table(cases):
    """Every reduction of every type; the shapes and axes take turns."""
    draw = Draw(31)
    exact = lambda dtype: EXACT
    function = lambda dtype: FUNCTION[float_of(dtype)]
    spread = lambda dtype: SPREAD[float_of(dtype)]
    few = lambda dtype, shape: draw.some(dtype, shape, 0.1)
    many = lambda dtype, shape: draw.some(dtype, shape, 0.9)
    half = lambda dtype, shape: draw.some(dtype, shape, 0.5)
    ties = lambda dtype, shape: draw.whole(dtype, shape, -2, 2)
    single = [(shape, axes) for shape, axes in SHAPES if shape and "(" not in axes]
    single += [((2, 3, 4, 5), "axis=-3"), ((3, 1, 5, 2), "axis=2, keepdims=True")]
    norms = [(shape, axes) for shape, axes in single if axes not in ("", "axis=None", "keepdims=True")]
    rows = [
        ("sum", "x.sum({})", draw.quarters, exact, SHAPES),
        ("prod", "np.prod(x, {})", draw.factors, exact, SHAPES),
        ("max", "x.max({})", draw.quarters, exact, SHAPES),
        ("min", "np.min(x, {})", draw.quarters, exact, SHAPES),
        ("any", "x.any({})", few, exact, SHAPES),
        ("all", "np.all(x, {})", many, exact, SHAPES),
        ("argmax", "x.argmax({})", ties, exact, single),
        ("argmin", "np.argmin(x, {})", ties, exact, single),
        ("count_nonzero", "np.count_nonzero(x, {})", half, exact, SHAPES),
        ("mean", "x.mean({})", draw.whole, function, SHAPES),
        ("var", "np.var(x, {})", draw.whole, spread, SHAPES),
        ("std", "x.std({}, ddof=1)", draw.whole, spread, SHAPES[:11]),
        ("logsumexp", "logsumexp(x, {})", draw.whole, spread, SHAPES[:-1]),
        ("norm1", "norm(x, 1, {})", draw.whole, exact, norms),
        ("norm2", "vector_norm(x, {})", draw.whole, function, norms),
        ("sums of absolute values", "abs(x).sum({})", draw.whole, exact, SHAPES),
        ("nansum", "np.nansum(x, {})", draw.gaps, exact, SHAPES),
        ("nanmax", "np.nanmax(x, {})", draw.gaps, exact, SHAPES),
        ("nanmin", "nanmin(x, {})", draw.gaps, exact, SHAPES),
        ("nanmean", "nanmean(x, {})", draw.gaps, function, SHAPES),
        ("nanvar", "np.nanvar(x, {})", draw.gaps, spread, SHAPES),
        ("nanstd", "np.nanstd(x, ddof=1, {})", draw.gaps, spread, SHAPES[:11]),
    ]
    for k, (name, text, drawn, tol, shapes) in enumerate(rows):
        for n, dtype in enumerate(DTYPES):
            if dtype == "bool" and name.startswith("sums"):
                continue
            shape, axes = shapes[(5 * k + 3 * n) % len(shapes)]
            written = text.format(axes).replace("(x, )", "(x)").replace("(, ", "(").replace(", )", ")")
            found = tol(dtype)
            is_exact = found is EXACT and not (float_of(dtype) == dtype)
            cases.case(f"{name}/{dtype}", written, BITS if is_exact else found, x=drawn(dtype, shape))


def long(cases):
    """Extents around the number of lanes, inside, outside and in all axes."""
    for k, extent in enumerate([255, 256, 257, 4097]):
        for n, (place, shape, axis) in enumerate(
            [("inner", (3, extent), "-1"), ("outer", (extent, 5), "0"), ("all", (2, extent), "None")]
        ):
            series = lambda dtype, mod, off, n=n, shape=shape: Series(dtype, shape, 7919 + n, 3, mod, off)
            signed = [("f32", 2039, -1019), ("i32", 65521, -32760), ("f16", 31, -15)]
            whole = [*signed, ("u8", 251, 0), ("i64", 1 << 31, -(1 << 30)), ("bf16", 17, -8), ("f64", 65521, -32760)]
            dtype, mod, off = whole[(3 * k + n) % len(whole)]
            name = f"{extent}/{place}"
            cases.case(f"sum/{name}/{dtype}", f"x.sum({axis})", x=series(dtype, mod, off))
            cases.case(f"sum/{name}/eighths", f"(x * 0.125).sum(axis={axis})", x=series("f32", 2039, -1019))
            cases.case(f"max/{name}/{dtype}", f"x.max({axis})", x=series(dtype, mod, off))
            cases.case(f"argmax/{name}/{dtype}", f"x.argmax({axis})", BITS, x=series(dtype, min(mod, 97), off))
            cases.case(f"argmin/{name}/f32", f"x.argmin({axis})", BITS, x=series("f32", 97, -48))
            cases.case(f"any/{name}", f"(x == 11).any({axis})", BITS, x=series("u16", 1009, 0))
            tol = SPREAD["f32"]
            cases.case(f"mean/{name}", f"x.mean({axis})", FUNCTION["f32"], x=series("f32", 2039, -1000))
            cases.case(f"var/{name}", f"x.var({axis})", tol, x=series("f32", 2039, 100_000))
            cases.case(f"logsumexp/{name}", f"logsumexp(x / 64, axis={axis})", tol, x=series("f32", 509, -254))
    for dtype, mod in [("u8", 251), ("i64", 1 << 31), ("u32", 1 << 31)]:
        x = Series(dtype, (4097,), 7919, 3, mod, 1)
        cases.case(f"prod/4097/{dtype}", "x.prod()", BITS, x=x)
    x = Series("f32", (70, 1021), 7919, 5, 2039, -1019)
    cases.case("sum/both axes", "x.sum(axis=(0, 1))", x=x)
    cases.case("sum/squares", "(x * x / 4096).sum(axis=1)", close(1e-5), x=x)
    x = Series("f32", (3, 257, 2, 33), 7919, 5, 2039, -1019)
    cases.case("sum/axes apart", "x.sum(axis=(1, 3))", x=x)
    cases.case("max/axes apart", "x.max(axis=(0, 2), keepdims=True)", x=x)


def views(cases):
    """Views, broadcast operands and steps under a reduction, and what stands over one."""
    draw = Draw(32)
    x, row, column = draw.quarters("f32", (4, 6)), draw.quarters("f32", (6,)), draw.quarters("f32", (4, 1))
    cube, i = draw.quarters("f32", (3, 4, 5)), draw.whole("i32", (5, 7))
    b = draw.whole("u8", (6, 8), 0, 255)
    for name, text, inputs in [
        ("reversed", "x[::-1].sum(axis=0)", {"x": x}),
        ("reversed both", "x[::-1, ::-1].argmax()", {"x": x}),
        ("reversed along", "x[:, ::-1].argmax(axis=1)", {"x": x}),
        ("steps", "x[1::2, ::-2].sum(axis=1, keepdims=True)", {"x": x}),
        ("transposed", "x.T.sum(axis=0)", {"x": x}),
        ("transposed and reversed", "x.T[::-1].argmin(axis=0)", {"x": x}),
        ("permuted", "transpose(c, (2, 0, 1)).max(axis=(0, 2))", {"c": cube}),
        ("permuted, argmax", "c.transpose(1, 2, 0).argmax(axis=1)", {"c": cube}),
        ("position", "c[:, -1].sum(axis=-1)", {"c": cube}),
        ("new axes", "x[:, None, :].sum(axis=(0, 1))", {"x": x}),
        ("bytes", "b[::-1, 1:-1:2].sum(axis=0)", {"b": b}),
        ("bytes, transposed", "b.T.max(axis=0)", {"b": b}),
        ("bytes, positions", "b[:, ::-3].argmax(axis=1)", {"b": b}),
        ("row", "(x + r).sum(axis=0)", {"x": x, "r": row}),
        ("column", "(x - c).max(axis=1)", {"x": x, "c": column}),
        ("row and column", "(r + c).sum(axis=1, keepdims=True)", {"r": row, "c": column}),
        ("repeated rows", "broadcast_to(r, (9, 6)).sum(axis=0)", {"r": row}),
        ("repeated rows, both axes", "broadcast_to(r, (9, 6)).sum()", {"r": row}),
        ("repeated columns", "broadcast_to(c, (4, 5)).prod(axis=1)", {"c": draw.factors("f32", (4, 1))}),
        ("repeated columns, max", "broadcast_to(c, (4, 257)).max(axis=1)", {"c": column}),
        ("repeated columns, argmax", "broadcast_to(c, (4, 257)).argmax(axis=1)", {"c": column}),
        ("repeated columns, mean", "broadcast_to(c, (4, 256)).mean(axis=1)", {"c": column}),
        ("number", "broadcast_to(s, (300, 2)).sum()", {"s": T("i16", -300)}),
        ("steps under", "np.sum(x * 2 - r, axis=-1)", {"x": x, "r": row}),
        ("comparison", "(x > r).sum(axis=0)", {"x": x, "r": row}),
        ("comparison, all", "(x[1:] <= x[:-1]).all(axis=1)", {"x": x}),
        ("choice", "np.where(x > 0, x, 0).sum(0)", {"x": x}),
        ("casts", "x.astype(np.int32).sum(axis=1)", {"x": x}),
        ("centred", "x - x.min(axis=1, keepdims=True)", {"x": x}),
        ("scaled", "(x - x.min()) * 2", {"x": x}),
        ("outer axis over inner", "x.sum(axis=1)[:, None] + x", {"x": x}),
        ("two", "x.sum(axis=1, keepdims=True) + x.max(axis=0)", {"x": x}),
        ("of a reduction", "c.max(axis=0).sum(axis=-1)", {"c": cube}),
        ("of a reduction, kept", "c.sum(axis=1, keepdims=True).max(axis=(0, 2))", {"c": cube}),
        ("view of a reduction", "c.sum(axis=2)[::-1, 1:].T", {"c": cube}),
        ("remainders", "(i % 3).sum(axis=0) * 2", {"i": i}),
        ("largest less smallest", "i.max(axis=1) - i.min(axis=1)", {"i": i}),
        ("where it is", "(i == i.max(axis=1, keepdims=True)).argmax(axis=1)", {"i": i}),
        ("bare", "sum(i, axis=1) + amax(i)", {"i": i}),
    ]:
        cases.case(f"views/{name}", text, **inputs)
    tol = SPREAD["f32"]
    for name, text in [
        ("softmax", "exp(x - x.max(axis=-1, keepdims=True)) / exp(x - x.max(1, keepdims=True)).sum(-1, keepdims=True)"),
        ("log of softmax", "x - logsumexp(x, axis=1, keepdims=True)"),
        ("standardised", "(x - x.mean(axis=0)) / sqrt(x.var(axis=0) + 1e-5)"),
        ("by the norm", "x / sqrt((x * x).sum(axis=1, keepdims=True))"),
        ("deviation", "np.std(x, axis=1, ddof=2, keepdims=True)"),
        ("variance of a view", "x[::-2].T.var(axis=1, ddof=1)"),
        ("mean of means", "x.mean(axis=0).mean()"),
        ("mean of squares", "mean(x * x, axis=(0, 1))"),
        ("functions under", "np.sum(sin(x), axis=1)"),
        ("functions over", "np.sqrt(np.sum(x * x, 0))"),
    ]:
        cases.case(f"views/{name}", text, tol, x=draw.whole("f32", (4, 6), -3, 3))
    h = round_to("f16", np.array([2048, 1, 1, 0.25, 0.25, 0.5]))
    cases.case("halves/rounded once", "x.sum()", x=h)
    cases.case("halves/steps are rounded", "(x + 2).sum()", close(0, 2), x=h)
    cases.case("bf16/rounded once", "x.sum()", x=round_to("bf16", np.array([256.0, 1, 1, 1, 1])))
    cases.case("variance/large mean", "x.var()", tol, x=round_to("f32", 1e6 + np.arange(64) % 8))


def special(cases):
    """NaN, infinities, zeros of both signs, equal elements, and integers that wrap."""
    for dtype in [*FLOATS, "f64"]:
        row = lambda *values: round_to(dtype, np.array(values, dtype=np.float64))
        rows = round_to(dtype, np.array([[1, NAN, 3], [INF, 2, -INF], [-0.0, 0.0, -0.0], [NAN, NAN, INF]]))
        for text in ["x.max(axis=1)", "x.min(axis=1)", "x.argmax(axis=1)", "x.argmin(axis=1)", "x.sum(axis=1)"]:
            cases.case(f"special/{dtype}/{text}", text, x=rows)
        cases.case(f"special/{dtype}/any", "x.any(axis=1)", BITS, x=rows)
        cases.case(f"special/{dtype}/all", "x.all(axis=0)", BITS, x=rows)
        cases.case(f"special/{dtype}/count", "np.count_nonzero(x, axis=1)", BITS, x=rows)
        cases.case(f"special/{dtype}/lowest", "x.argmax()", BITS, x=row(-INF, -INF, -INF))
        rows = round_to(dtype, np.array([[INF, 1], [-INF, 1], [-INF, -INF], [NAN, 1], [80, -80], [1000, 1000]]))
        cases.case(f"special/{dtype}/logsumexp", "logsumexp(x, axis=-1)", SPREAD[dtype], x=rows)
    for dtype in ["i8", "i32", "u8", "u64", "i64"]:
        info = np.iinfo(NUMPY[dtype])
        x = T(dtype, np.array([info.max, info.min, info.max, 7, info.min], dtype=NUMPY[dtype]))
        for text in ["x.sum()", "x.prod()", "x.max()", "x.min()", "x.argmax()", "x.argmin()"]:
            cases.case(f"special/{dtype}/{text}", text, BITS, x=x)
    for text in ["norm(x, 1, axis=0)", "vector_norm(x, ord=1)"]:
        for dtype in ["i8", "i64", "u64"]:
            info = np.iinfo(NUMPY[dtype])
            ends = T(dtype, np.array([info.min, info.min, info.max, info.max, info.max], dtype=NUMPY[dtype]))
            cases.case(f"special/{dtype}/{text}", text, FUNCTION["f32"], x=ends)
    x = T("i64", np.array([2**53 + 1, 2**53, 2**53 + 2, 2**53 + 2]))
    cases.case("special/i64/next to each other", "x.argmax()", BITS, x=x)
    x = T("u32", np.array([0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF]))
    cases.case("special/u32/top bit", "x.argmax()", BITS, x=x)


def without_nan(cases):
    """Deviations of halves are squared in f32; of no more elements than ddof there is no variance."""
    for dtype in [*FLOATS, "f64"]:
        x = round_to(dtype, np.array([[300, -300, NAN, 1], [NAN, NAN, 5, NAN], [NAN, NAN, NAN, NAN], [1, 2, 4, 7]]))
        for text in ["nanstd(x, axis=1)", "nanvar(x[3:])", "nanmean(x, axis=1)", "np.nanmean(x / 3)"]:
            cases.case(f"without nan/{dtype}/{text}", text, SPREAD[dtype], x=x)
        for ddof in [1, 2, 3, 4, 5]:
            text = f"np.nanstd(x[1:], axis=1, ddof={ddof})"
            cases.case(f"without nan/{dtype}/{text}", text, SPREAD[dtype], x=x)
    i = T("i32", np.array([[1, 2, 4], [5, 5, 5]]))
    for text in ["np.nanvar(i, axis=1, ddof=2)", "nanstd(i[:1], ddof=3)", "np.nanmean(i, 0)"]:
        cases.case(f"without nan/{text}", text, SPREAD["f32"], i=i)
    large = round_to("f32", np.append(1e6 + np.arange(64) % 8, NAN))
    cases.case("without nan/large mean", "np.nanvar(x)", SPREAD["f32"], x=large)


def empty(cases):
    """No elements, along the reduced axes or beside them, and what has no answer."""
    for dtype in ["f32", "i32", "bool", "f16", "u64"]:
        x = T(dtype, np.zeros((2, 0, 3)))
        for text in ["x.sum(axis=1)", "x.prod(axis=1)", "x.any(axis=1)", "x.all(axis=1)", "x.sum(axis=0)"]:
            cases.case(f"empty/{dtype}/{text}", text, x=x)
        cases.case(f"empty/{dtype}/count", "np.count_nonzero(x, axis=(0, 1))", BITS, x=x)
        cases.case(f"empty/{dtype}/mean", "x.mean(axis=1)", x=x)
        cases.case(f"empty/{dtype}/max beside", "x.max(axis=0)", x=x)
        cases.case(f"empty/{dtype}/argmax beside", "x.argmax(axis=2)", x=x)
    x, y = T("f32", np.zeros((2, 0, 3))), T("f32", np.ones((2, 3)))
    cases.case("empty/variance", "x.var(axis=(0, 1))", x=x)
    cases.case("empty/one less than one", "y[:1].var(axis=0, ddof=1)", y=y)
    for name, text, t in [
        ("max", "x.max(axis=1)", x),
        ("min of all", "x.min()", x),
        ("argmax", "x.argmax(axis=1)", x),
        ("argmin of all", "x.argmin()", x),
        ("axis", "x.sum(axis=2)", y),
        ("negative axis", "x.max(axis=-3)", y),
        ("axis among several", "x.mean(axis=(0, 2))", y),
        ("axis of argmax", "x.argmax(axis=2)", y),
        ("twice", "x.sum(axis=(0, 0))", y),
        ("twice from the end", "x.prod(axis=(1, -1))", y),
        ("several of argmax", "x.argmax(axis=(0, 1))", y),
        ("fraction", "x.sum(axis=0.5)", y),
        ("result does not fit", "x - x.sum(axis=1)", y),
    ]:
        try:
            evaluate(text, {"x": t})
        except (ValueError, TypeError, IndexError):
            cases.refused(name, text, x=t)
        else:
            raise AssertionError(text)


def make():
    cases = Reductions("reductions")
    table(cases)
    long(cases)
    views(cases)
    special(cases)
    without_nan(cases)
    empty(cases)
    yield cases
