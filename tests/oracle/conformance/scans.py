"""Cumulative sums and products as texts, which NumPy evaluates, and by their names in ONNX and OpenVINO; Hardmax.

Sums and products of floats are exact in the type that they are scanned in, in any order, unless a tolerance says
otherwise; those of halves are rounded once.
"""

import numpy as np

from .cases import BITS, EXACT, FLOATS, INF, NAN, NUMPY, T, close, round_to
from .reductions import DTYPES, Draw, Reductions, Series

REALS = [*FLOATS, "f64"]
WIDE = ["u32", "i32", "u64", "i64", *REALS]

PLACES = [
    ((13,), ""),
    ((3, 5), ""),
    ((3, 5), "axis=1"),
    ((7, 4), "axis=0"),
    ((2, 3, 4), "axis=-2"),
    ((2, 3, 4), "axis=None"),
    ((2, 19, 3), "axis=1"),
    ((4, 1), "axis=1"),
    ((1, 7), "axis=0"),
    ((2, 40), "axis=-1"),
    ((), ""),
]


class Scans(Reductions):
    def case(self, name, text, tol=EXACT, **inputs):
        super().case(f"scans/{name}", text, tol, **inputs)

    def refused(self, name, text, **inputs):
        super().refused(f"scans/{name}", text, **inputs)


def table(cases, draw):
    """Every scan of every type; the shapes and axes take turns."""
    rows = [
        ("cumsum", "x.cumsum({})", draw.quarters),
        ("cumprod", "np.cumprod(x, {})", draw.factors),
        ("nancumsum", "np.nancumsum(x, {})", draw.quarters),
        ("bare", "cumsum(x, {})", draw.whole),
    ]
    for k, (name, text, drawn) in enumerate(rows):
        for n, dtype in enumerate(DTYPES):
            shape, axis = PLACES[(4 * k + 3 * n) % len(PLACES)]
            written = text.format(axis).replace("(x, )", "(x)")
            cases.case(f"{name}/{dtype}", written, EXACT if dtype in REALS else BITS, x=drawn(dtype, shape))
    x = draw.whole("i16", (6, 7))
    for dtype in ["i8", "u8", "i32", "f32"]:
        cases.case(f"dtype/{dtype}", f"x.cumsum(axis=1, dtype=np.{NUMPY[dtype].__name__})", x=x)


def long(cases):
    """Extents around those of groups and of chunks."""
    for k, extent in enumerate([1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4096, 4099]):
        for n, (place, shape, axis) in enumerate([("inner", (2, extent), 1), ("outer", (extent, 3), 0)]):
            floats = [("f32", 2039, -1019), ("f16", 3, -1), ("f64", 65521, -32760)]
            drawn = [*floats, ("i32", 65521, -32760), ("u8", 251, 0)]
            dtype, mod, off = drawn[(2 * k + 3 * n) % len(drawn)]
            x = Series(dtype, shape, 7919 + n, 3, mod, off)
            tol = EXACT if dtype in REALS else BITS
            last = "" if extent < 256 else "[:, -70:]" if axis else "[-70:]"
            cases.case(f"{extent}/{place}/{dtype}", f"x.cumsum({axis}){last}", tol, x=x)
    x = Series("f32", (70_000,), 7919, 3, 127, -63)
    cases.case("70000/every 997th", "x.cumsum()[::997]", x=x)
    cases.case("70000/last", "x.cumsum()[-400:]", x=x)


def views(cases, draw):
    x, row, i = draw.quarters("f32", (4, 18)), draw.quarters("f32", (18,)), draw.whole("i32", (5, 7))
    for name, text, inputs in [
        ("reversed", "x[:, ::-1].cumsum(axis=1)", {"x": x}),
        ("from behind", "x[::-1].cumsum(axis=0)[::-1]", {"x": x}),
        ("transposed", "x.T.cumsum(axis=0)", {"x": x}),
        ("transposed, all", "x.T.cumsum()", {"x": x}),
        ("steps", "x[1::2, ::-2].cumsum(axis=1)", {"x": x}),
        ("row", "(x + r).cumsum(axis=1)", {"x": x, "r": row}),
        ("repeated", "broadcast_to(r, (5, 18)).cumsum(axis=0)", {"r": row}),
        ("behind it", "x.cumsum(axis=1) * 2 - r", {"x": x, "r": row}),
        ("of a scan", "i.cumsum(axis=0).cumsum(axis=1)", {"i": i}),
        ("of a reduction", "i.sum(axis=1).cumsum()", {"i": i}),
        ("reduced", "i.cumsum(axis=1).max(axis=0)", {"i": i}),
        ("beside a reduction", "i.cumsum(axis=1) - i.sum(axis=1, keepdims=True)", {"i": i}),
        ("differences", "x.cumsum(1)[:, 1:] - x.cumsum(1)[:, :-1]", {"x": x}),
        ("comparison", "(x > r).cumsum(axis=0)", {"x": x, "r": row}),
        ("choice", "np.where(x > 0, x, 0).cumsum()", {"x": x}),
    ]:
        cases.case(f"views/{name}", text, **inputs)
    tol = close(1e-5, 1e-6)
    y = draw.whole("f32", (4, 6), 1, 3)
    cases.case("views/shares", "x.cumsum(axis=1) / x.sum(axis=1, keepdims=True)", tol, x=y)
    cases.case("views/functions under", "np.cumsum(np.sqrt(x), axis=1)", tol, x=y)


def special(cases):
    """NaN, infinities, zeros of both signs, and integers that wrap."""
    for dtype in REALS:
        rows = round_to(dtype, np.array([[1, NAN, 3], [INF, 2, -INF], [-0.0, -0.0, 0.0], [2, -INF, 1]]))
        for text in ["x.cumsum(axis=1)", "x.cumprod(axis=0)", "np.nancumsum(x, 1)", "np.nancumprod(x, axis=1)"]:
            cases.case(f"special/{dtype}/{text}", text, x=rows)
        zeros = round_to(dtype, np.array([-0.0, -0.0, 0.0, -0.0]))
        cases.case(f"special/{dtype}/zeros", "x.cumsum()", BITS, x=zeros)
    x = T("i64", np.array([2**62, 2**62, 2**62, -1]))
    cases.case("special/i64/wraps", "x.cumsum()", BITS, x=x)
    cases.case("special/i64/product wraps", "x.cumprod()", BITS, x=x)
    x = round_to("f16", np.array([2048, 1, 1, 0.25, 0.25, 0.5]))
    cases.case("special/f16/rounded once", "x.cumsum()", x=x)


def empty(cases):
    x, y = T("f32", np.zeros((2, 0, 3))), T("f32", np.ones((2, 3)))
    for axis in ["0", "1", "2", "None"]:
        cases.case(f"empty/{axis}", f"x.cumsum(axis={axis})", x=x)
    cases.case("empty/i16", "x.cumprod(1)", BITS, x=T("i16", np.zeros((3, 0))))
    for name, text in [
        ("axis", "y.cumsum(axis=2)"),
        ("negative axis", "y.cumprod(axis=-3)"),
        ("several axes", "y.cumsum(axis=(0, 1))"),
        ("one in brackets", "y.cumsum(axis=(0,))"),
        ("fraction", "y.cumsum(axis=0.5)"),
        ("keepdims", "y.cumsum(axis=0, keepdims=True)"),
        ("result does not fit", "y - y.cumsum()"),
    ]:
        cases.refused(name, text, y=y)


def scanned(f, x, axis, exclusive, reverse):
    """f of the elements up to each, those that count in float64 or whole numbers."""
    values = x.wide().astype(np.float64) if x.dtype in FLOATS else x.elements
    values = np.flip(values, axis) if reverse else values
    with np.errstate(over="ignore"):
        found = f(values, axis=axis, dtype=values.dtype)
    if exclusive:
        first = np.full_like(np.take(found, [0], axis), 0 if f is np.cumsum else 1)
        found = np.concatenate([first, np.delete(found, -1, axis)], axis)
    return round_to(x.dtype, np.flip(found, axis) if reverse else found)


def names(cases, draw):
    group = "reductions by name"
    flags = [{}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}]
    shapes = [((6,), 0), ((3, 5), -1), ((4, 3), 0), ((2, 3, 4), 1), ((2, 20), 1), ((1, 3), 0)]
    for k, (op, f, dtypes) in enumerate([("CumSum", np.cumsum, WIDE), ("CumProd", np.cumprod, WIDE)]):
        for n, dtype in enumerate(dtypes):
            for m, attrs in enumerate(flags):
                shape, axis = shapes[(n + k + 2 * m) % len(shapes)]
                x = draw.quarters(dtype, shape) if f is np.cumsum else draw.factors(dtype, shape)
                place = [T("i32", axis), T("i64", axis), T("i64", [axis])][(n + m) % 3]
                result = scanned(f, x, axis, **{"exclusive": 0, "reverse": 0} | attrs)
                old = op == "CumSum" and dtype not in ("f16", "bf16") and m % 2
                opset = 11 if old else 28
                flag = "".join(sorted(attrs))
                case = (f"{op.lower()}/{dtype}/{flag}", "elementwise", op, [x, place], [result])
                tol = EXACT if dtype in REALS else BITS
                cases.exec(group, *case, tol, attrs=attrs, semantics="onnx", opset=opset)
    for n, dtype in enumerate(["u8", "i16", "i64", "f16", "f32"]):
        attrs = [{}, {"exclusive": True}, {"reverse": True}][n % 3]
        x = draw.whole(dtype, (4, 5))
        inputs = [x] if n % 2 else [x, T("i64", 1)]
        result = scanned(np.cumsum, x, len(inputs) - 1, **{"exclusive": 0, "reverse": 0} | attrs)
        case = (f"cumsum/{dtype}", "numpy", "CumSum", inputs, [result], EXACT if dtype in REALS else BITS)
        cases.exec("openvino", *case, attrs=attrs, semantics="openvino")


def hardmax(cases, draw):
    group = "reductions by name"
    for dtype in REALS:
        for opset, shape, axis in [(13, (3, 4, 5), None), (13, (3, 257), 0), (11, (2, 3, 4), None), (11, (2, 3), 0)]:
            if opset < 13 and dtype == "bf16":
                continue
            x = draw.whole(dtype, shape, -3, 3)
            values = x.wide()
            first = axis if axis is not None else 1 if opset < 13 else -1
            if opset < 13:
                values = values.reshape(*values.shape[:first], -1)
                first = values.ndim - 1
            found = np.zeros_like(values)
            np.put_along_axis(found, np.argmax(values, axis=first, keepdims=True), 1, first)
            attrs = {} if axis is None else {"axis": axis}
            result = round_to(dtype, found.reshape(shape))
            case = (f"hardmax/{dtype}/{opset}/{axis}", "elementwise", "Hardmax", [x], [result])
            cases.exec(group, *case, EXACT, attrs=attrs, semantics="onnx", opset=opset)
    x = round_to("f32", np.array([[1, NAN, INF, NAN], [-INF, -INF, -INF, -INF], [-0.0, 0.0, 0, 0]]))
    result = round_to("f32", np.array([[0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]))
    cases.exec(group, "hardmax/special", "elementwise", "Hardmax", [x], [result], EXACT, semantics="onnx", opset=13)


def refused(cases):
    x, axis = round_to("f32", np.ones((2, 3))), T("i64", 1)
    number = round_to("f32", np.ones(()))
    for error, op, name, inputs, attrs, opset in [
        ("dtype", "CumSum", "u8", [T("u8", [1]), T("i64", 0)], {}, 28),
        ("dtype", "CumSum", "bool", [T("bool", [1]), T("i64", 0)], {}, 28),
        ("dtype", "CumSum", "old f16", [round_to("f16", np.ones(2)), T("i64", 0)], {}, 13),
        ("dtype", "CumSum", "axis", [x, T("u8", 1)], {}, 28),
        ("dtype", "CumSum", "axis of floats", [x, round_to("f32", np.ones(()))], {}, 28),
        ("dtype", "CumProd", "i16", [T("i16", [1]), T("i64", 0)], {}, 28),
        ("dtype", "Hardmax", "i32", [T("i32", [1])], {}, 13),
        ("arity", "CumSum", "1", [x], {}, 28),
        ("arity", "CumSum", "3", [x, axis, axis], {}, 28),
        ("attr", "CumSum", "exclusive", [x, axis], {"exclusive": 2}, 28),
        ("attr", "CumSum", "reverse", [x, axis], {"reverse": -1}, 28),
        ("shape", "CumSum", "axis 2", [x, T("i64", 2)], {}, 28),
        ("shape", "CumSum", "axis -3", [x, T("i32", -3)], {}, 28),
        ("shape", "CumSum", "two axes", [x, T("i64", [0, 1])], {}, 28),
        ("shape", "CumSum", "no axis", [x, T("i64", np.zeros(0))], {}, 28),
        ("shape", "CumSum", "a scalar", [number, T("i64", 0)], {}, 28),
        ("shape", "CumProd", "axis 2", [x, T("i64", 2)], {}, 28),
        ("shape", "Hardmax", "axis 2", [x], {"axis": 2}, 13),
    ]:
        case = (f"{error}/{op.lower()}/{name}", "elementwise", op, inputs)
        cases.exec("reductions by name", *case, error=error, attrs=attrs, semantics="onnx", opset=opset)


def make():
    cases, draw = Scans("scans"), Draw(37)
    table(cases, draw)
    long(cases)
    views(cases, draw)
    special(cases)
    empty(cases)
    names(cases, draw)
    hardmax(cases, draw)
    refused(cases)
    yield cases
