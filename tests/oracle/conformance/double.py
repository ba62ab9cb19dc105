"""Functions of f64, against MPFR at 200 bits rounded to nearest; remainders and plain arithmetic against NumPy.

`make()` gives the committed cases; `make(count)` gives the same with `count` random arguments a function.
"""

import math

import gmpy2
import numpy as np
from gmpy2 import mpfr

from .cases import BITS, EXACT, INF, NAN, Cases, T, ulp

gmpy2.set_context(gmpy2.context(precision=200, emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max()))

ONE, MINUS_ZERO = mpfr(1), mpfr("-0")
RANDOM = 300
PI = math.pi
# Zeros, infinities, NaN, subnormals, the largest numbers, the neighbours of 1, and magnitudes where functions become x.
SPECIAL = [
    *(s * x for x in (0.0, INF, 1.0, 0.5, 2.0, 3.0, 10.0, 100.0, 5e-324, 2.2250738585072014e-308) for s in (1, -1)),
    *(s * x for x in (2.225073858507201e-308, 1.7976931348623157e308, 1e-300, 1e300) for s in (1, -1)),
    *(s * x for x in (1 + 2.0**-52, 1 - 2.0**-53, 2.0**-26, 2.0**-27, 2.0**-28, 2.0**-53, 2.0**-54) for s in (1, -1)),
    *(NAN, PI, PI / 2, PI / 4, math.e, math.log(2), math.log(2) / 2, math.log(10), math.sqrt(2), math.sqrt(0.5)),
    *(2.0**52 + 1, -(2.0**53), 1e22),
]


def lowest(x):
    return gmpy2.is_infinite(x) and x < 0


def sigmoid(x):
    return ONE / (ONE + gmpy2.exp(-x))


def softplus(x):
    return x if gmpy2.is_nan(x) else max(x, mpfr(0)) + gmpy2.log1p(gmpy2.exp(-abs(x)))


def gelu(x):
    return MINUS_ZERO if lowest(x) else x / 2 * gmpy2.erfc(-x / gmpy2.sqrt(mpfr(2)))


def gelu_tanh(x):
    u = gmpy2.sqrt(2 / gmpy2.const_pi()) * (x + mpfr("0.044715") * x * x * x)
    return MINUS_ZERO if lowest(x) else x / (ONE + gmpy2.exp(-2 * u))


def mish(x):
    return MINUS_ZERO if lowest(x) else x * gmpy2.tanh(softplus(x))


def softsign(x):
    return gmpy2.copy_sign(ONE, x) if gmpy2.is_infinite(x) else x / (1 + abs(x))


def hard_swish(x):
    return x if x >= 3 else MINUS_ZERO if x <= -3 else x * (x + 3) / 6


def swish(alpha):
    """alpha is a power of two, so alpha x is exact."""
    return lambda x: MINUS_ZERO * -gmpy2.sign(x) if lowest(alpha * x) else x * sigmoid(alpha * x)


def nearest(f, *arguments):
    """f rounded to nearest, and where that is neither just below 2^1024 nor an overflow by little."""
    values, kept = np.empty(len(arguments[0])), np.ones(len(arguments[0]), dtype=bool)
    limit, margin = mpfr(2) ** 1024, mpfr(2) ** 974
    for i, x in enumerate(zip(*(a.tolist() for a in arguments))):
        y = f(*map(mpfr, x))
        values[i] = float(y)
        kept[i] = gmpy2.is_infinite(y) or not abs(abs(y) - limit) < margin
    return values, kept


def angles():
    """Doubles m 2^e close to multiples of pi/2, the closest first: m from the continued fraction of 2^(e+1) / pi."""
    found = []
    with gmpy2.context(gmpy2.get_context(), precision=2400):
        quarter = gmpy2.const_pi() / 2
        for e in range(-52, 971):
            x = gmpy2.mul_2exp(ONE, e) / quarter if e >= 0 else gmpy2.div_2exp(ONE, -e) / quarter
            before, m = 0, 1
            rest = x
            while rest > 0:
                rest = 1 / (rest - gmpy2.floor(rest))
                before, m = m, int(gmpy2.floor(rest)) * m + before
                if m >= 2**53:
                    break
                if m >= 2**40 and m.bit_length() + e <= 1024:
                    turns = m * x
                    found.append((float(abs(turns - gmpy2.rint(turns))), math.ldexp(m, e)))
    return [x for _, x in sorted(set(found))]


class Row:
    """A function: ONNX's operator with its opset, or a name of the expression language; bound, oracle, and its arguments."""

    def __init__(self, op, opset, bound, f, uniform=(), powers=None, near=(), attrs=None, name=None):
        self.op, self.opset, self.bound, self.f, self.attrs = op, opset, bound, f, attrs
        self.uniform, self.powers, self.near = uniform, powers, near
        self.name = name or op.lower()

    def points(self):
        near = np.array([x for x in self.near if x != 0], dtype=np.float64).view(np.int64)
        steps = [(near + k).view(np.float64) for k in (0, -1, 1, -2, 2, -40, 40, -(2**30), 2**30)]
        return np.concatenate([np.array(SPECIAL), *steps])

    def drawn(self, rng, count):
        """Bit patterns, ranges, magnitudes and neighbourhoods in equal shares."""
        shares = 2 + len(self.uniform) + (len(self.near) > 0)
        n = -(-count // shares)
        parts = [rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64), powers(rng, *self.powers, n)]
        parts += [rng.uniform(low, high, n) for low, high in self.uniform]
        if len(self.near):
            places = rng.choice(np.array(self.near, dtype=np.float64), n).view(np.int64)
            parts.append((places + rng.integers(-(2**36), 2**36, n)).view(np.float64))
        return np.concatenate(parts)[-count:]


def powers(rng, low, high, n):
    """Magnitudes from 2^low to 2^high of both signs, evenly in the exponent, by steps that libraries round alike."""
    return np.ldexp(rng.uniform(1, 2, n), rng.integers(low, high, n)) * rng.choice([-1.0, 1.0], n)


def rows():
    hard = angles()
    turns = [*hard[:40], *hard[:: len(hard) // 40], *(k * PI / 2 for k in (1, 2, 3, 4, 5, 11, 100, 333773)), 524288.0]
    waves = {"uniform": [(-10, 10), (-1e6, 1e6)], "powers": (-30, 1024), "near": turns}
    log = {"uniform": [(0.5, 2), (0, 10)], "powers": (-1074, 1024), "near": [1.0, math.sqrt(2), math.sqrt(0.5), 5e-320]}
    arcs = {"uniform": [(-1, 1)], "powers": (-60, 0), "near": [0.5, -0.5, 1.0, -1.0, 2.0**-20]}
    low = [-745.1332191019411, -708.3964185322641, -700.0, -37.0, 37.0]
    g = gmpy2
    return [
        Row("Exp", 13, 2, g.exp, [(-746, 710)], (-60, 10), [709.782712893384, *low]),
        Row("exp2", None, 2, g.exp2, [(-1076, 1025)], (-60, 11), [1024.0, -1022.0, -1074.0, -1075.0, 0.5, -0.5]),
        Row(
            "expm1",
            None,
            2,
            g.expm1,
            [(-40, 710), (-2, 2)],
            (-60, 10),
            [709.782712893384, -37.4, 0.3466, -0.3466, 1.04],
        ),
        Row("Log", 13, 2, g.log, **log),
        Row("log2", None, 2, g.log2, **log),
        Row("log10", None, 2, g.log10, **log),
        Row("log1p", None, 2, g.log1p, [(-1, 4), (-0.5, 1)], (-60, 1024), [-1.0, 1e-16, 1.0, 0.41421356, -0.29289322]),
        Row("Sin", 22, 2, g.sin, **waves),
        Row("Cos", 22, 2, g.cos, **waves),
        Row("Tan", 22, 2, g.tan, **waves),
        Row("Asin", 22, 2, g.asin, **arcs),
        Row("Acos", 22, 2, g.acos, **arcs),
        Row("Atan", 22, 2, g.atan, [(-5, 5)], (-60, 60), [0.4375, 0.6875, 1.1875, 2.4375, -1.0, 1e16]),
        Row("Sinh", 22, 4, g.sinh, [(-712, 712), (-3, 3)], (-60, 10), [1.0, -1.0, 710.4758600739439]),
        Row("Cosh", 22, 4, g.cosh, [(-712, 712), (-3, 3)], (-60, 10), [1.0, -710.4758600739439, 2.0**-27]),
        Row("Tanh", 13, 4, g.tanh, [(-22, 22), (-2, 2)], (-60, 6), [0.55, -0.55, 19.06, 22.0]),
        Row("Asinh", 22, 4, g.asinh, [(-5, 5)], (-60, 1024), [2.0**-28, 2.0**54, 1e-5]),
        Row("Acosh", 22, 4, g.acosh, [(1, 5), (1, 1.001)], (0, 1024), [1.0, 2.0**54]),
        Row("Atanh", 22, 4, g.atanh, [(-1, 1)], (-60, 0), [1.0, -1.0, 2.0**-28, 0.5]),
        Row("Erf", 13, 4, g.erf, [(-6.2, 6.2)], (-60, 3), [0.85, -0.85, 5.9, 6.0]),
        Row("Sigmoid", 13, 4, sigmoid, [(-746, 40), (-5, 5)], (-60, 10), low),
        Row("Softplus", 22, 4, softplus, [(-746, 40), (-5, 5)], (-60, 10), low),
        Row("Gelu", 20, 4, gelu, [(-39, 9), (-5, 5)], (-60, 6), [-38.4, -37.5, -30.0, 0.7, -0.7, 8.3, 40.0]),
        Row(
            *("Gelu", 20, 4, gelu_tanh, [(-22, 9), (-5, 5)], (-60, 6), [-21.1, -20.8, -22.5, 22.5, 8.3]),
            attrs={"approximate": "tanh"},
            name="gelu_tanh",
        ),
        Row("Mish", 22, 4, mish, [(-760, 41), (-5, 5)], (-60, 10), [-751.7, -714.9, 40.0, -37.0]),
        Row("Softsign", 22, 4, softsign, [(-5, 5)], (-60, 60), [1.0, -1.0]),
        Row("HardSwish", 22, 4, hard_swish, [(-3.1, 3.1)], (-60, 3), [3.0, -3.0]),
        *(
            Row("Swish", 24, 4, swish(a), [(-760, 40), (-5, 5)], (-60, 10), low, {"alpha": a}, f"swish/{a}")
            for a in (1.0, 0.5, -2.0)
        ),
    ]


def unary(cases, count):
    for row in rows():
        rng = np.random.default_rng([21, *row.name.encode()])
        for part, x in [("points", row.points()), ("drawn", row.drawn(rng, count))]:
            y, kept = nearest(row.f, x)
            x, y = T("f64", x[kept]), T("f64", y[kept])
            name = f"{row.name}/{part}"
            if row.opset:
                more = {"opset": row.opset, "attrs": row.attrs}
                cases.exec("double", name, "elementwise", row.op, [x], [y], ulp(row.bound), semantics="mpfr", **more)
            else:
                cases.expression("double", name, f"{row.op}(x)", {"x": x}, y, ulp(row.bound), semantics="mpfr")


def power_pairs(rng, n):
    """Bases and exponents whose powers are finite for the most part, near 1 and far, whole exponents and roots."""
    far, close = np.abs(powers(rng, -1074, 1024, n)), 1 + powers(rng, -52, -1, n)
    size = rng.uniform(-1080, 1030, n)
    parts = []
    for base in (far, close):
        # Roughly the logarithm to base 2: the fraction less 1, and the exponent.
        fraction, exponent = np.frexp(base)
        low = base < 1
        rough = np.where(low, exponent - 2 * (1 - fraction), exponent - 1 + (2 * fraction - 1))
        parts.append((base, size / np.where(rough == 0, 1, rough)))
    parts.append((-np.floor(rng.uniform(1, 1000, n)), np.floor(rng.uniform(-200, 200, n))))
    parts.append((far, rng.choice([0.5, 2.0, 3.0, -1.0, -2.0, 1 / 3, 0.1, 1.5], n)))
    parts.append((rng.uniform(0.66, 1.5, n), rng.uniform(-3000, 3000, n)))
    parts.append(tuple(rng.integers(0, 2**64, (2, n), dtype=np.uint64).view(np.float64)))
    return tuple(map(np.concatenate, zip(*parts)))


def remainder_pairs(rng, n):
    """Dividends and divisors of all exponents, near each other and far apart, whole multiples and their neighbours."""
    b = powers(rng, -1074, 960, n)
    a = b * np.floor(powers(rng, 0, 53, n))
    c = powers(rng, -1014, 960, n)
    parts = [
        (a, b),
        ((a.view(np.int64) + rng.integers(-3, 4, n)).view(np.float64), b),
        (c, c * powers(rng, -60, 60, n)),
    ]
    parts.append((rng.uniform(-100, 100, n), rng.uniform(-10, 10, n)))
    parts.append((np.floor(rng.uniform(-1000, 1000, n)), np.floor(rng.uniform(-30, 30, n))))
    parts.append(tuple(rng.integers(0, 2**64, (2, n), dtype=np.uint64).view(np.float64)))
    return tuple(map(np.concatenate, zip(*parts)))


def floor_mod(a, b):
    r = np.fmod(a, b)
    return np.where(r == 0, np.copysign(0, b), np.where((r < 0) != (b < 0), r + b, r))


def binary(cases, count):
    rng = np.random.default_rng(22)
    ends = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, -2.5, 5e-324, 1e300, -1e300, 2.0**53, INF, -INF, NAN]
    a, b = (v.ravel() for v in np.meshgrid(np.array(ends), np.array(ends), indexing="ij"))
    draws = {"points": lambda _: (a, b), "drawn": lambda make: make(rng, -(-count // 6))}
    for part, draw in draws.items():
        x, y = draw(power_pairs)
        z, kept = nearest(lambda x, y: x**y, x, y)
        x, y, z = (T("f64", v[kept]) for v in (x, y, z))
        cases.exec("double", f"pow/{part}", "onnx_multi", "Pow", [x, y], [z], ulp(4), opset=15, semantics="mpfr")
        x, y = draw(remainder_pairs)
        with np.errstate(all="ignore"):
            results = [T("f64", f(x, y)) for f in (np.fmod, floor_mod, np.floor_divide)]
        x, y = T("f64", x), T("f64", y)
        cases.exec(
            "double", f"fmod/{part}", "onnx_multi", "Mod", [x, y], results[:1], EXACT, opset=28, attrs={"fmod": 1}
        )
        cases.exec("double", f"floor_mod/{part}", "onnx_multi", "Mod", [x, y], results[1:2], EXACT, opset=28)
        pair = {"a": x, "b": y}
        cases.expression("double", f"floor_div/{part}", "floor_div(a, b)", pair, results[2], ulp(2), strict=EXACT)


def round_away(x):
    whole = np.floor(np.abs(x))
    with np.errstate(invalid="ignore"):
        return np.copysign(whole + (np.abs(x) - whole >= 0.5), x)


def exact(cases, count):
    """What is rounded once or not at all; quotients and roots may be an adapter's own."""
    rng = np.random.default_rng(23)
    halves = np.rint(powers(rng, -2, 53, count // 2)) / 2
    x = np.concatenate([SPECIAL, rng.integers(0, 2**64, count // 2, dtype=np.uint64).view(np.float64), halves])
    x = np.append(x, [0.49999999999999994, 2.5, -3.5, 4503599627370495.5, 2251799813685248.75, 1.0])
    x = x[~np.isnan(x)]
    table = [("Neg", 13, np.negative), ("Abs", 13, np.abs), ("Floor", 13, np.floor), ("Ceil", 13, np.ceil)]
    for op, opset, f in [*table, ("Round", 22, np.rint)]:
        result = T("f64", f(x))
        cases.exec("double", op.lower(), "elementwise", op, [T("f64", x)], [result], BITS, opset=opset)
    for name, f in [("trunc", np.trunc), ("round_away", round_away)]:
        cases.expression("double", name, f"{name}(x)", {"x": T("f64", x)}, T("f64", f(x)), BITS)
    a, b = rng.permutation(x), rng.permutation(x)
    with np.errstate(all="ignore"):
        table = [("Add", np.add, EXACT), ("Sub", np.subtract, EXACT), ("Mul", np.multiply, EXACT)]
        for op, f, tol in [*table, ("Div", np.divide, ulp(2))]:
            operands, result = [T("f64", a), T("f64", b)], [T("f64", f(a, b))]
            cases.exec("double", op.lower(), "onnx_multi", op, operands, result, tol, opset=14, strict=EXACT)
        roots = T("f64", np.sqrt(x))
    cases.exec("double", "sqrt", "elementwise", "Sqrt", [T("f64", x)], [roots], ulp(2), opset=13, strict=EXACT)


def make(count=RANDOM):
    cases = Cases("double")
    for part in (unary, binary, exact):
        part(cases, count)
    yield cases
