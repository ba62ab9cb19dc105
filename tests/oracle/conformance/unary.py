"""Operators of one operand, Clip, Cast, Expand and Identity."""

import numpy as np

from .cases import (
    ALL,
    BITS,
    EXACT,
    FLOATS,
    INF,
    INTS,
    NAN,
    NUMERIC,
    OMITTED,
    ONNX,
    SIGNED,
    UNSIGNED,
    Cases,
    Draw,
    T,
    arithmetic,
    function,
    moved,
    of,
    round_to,
    ulp,
)

SHAPES = [(13,), (), (3, 5), (2, 0), (1, 1, 7), (2, 3, 4)]


def one(cases, group, op, name, x, result, tol, **more):
    cases.exec(group, f"{op.lower()}/{name}", "elementwise", op, [x], [result], tol, **more)


def exact(cases):
    draw = Draw(11)
    relu = lambda x: np.maximum(x, x.dtype.type(0))
    table = [
        ("Neg", np.negative, FLOATS + SIGNED, 13),
        ("Abs", np.abs, NUMERIC, 13),
        ("Relu", relu, FLOATS + SIGNED, 14),
        ("Floor", np.floor, FLOATS, 13),
        ("Ceil", np.ceil, FLOATS, 13),
        ("Round", np.rint, FLOATS, 22),
    ]
    halves = [NAN, -4.5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 0.49, -0.49, 0.0, -0.0, 7.0, INF, -INF]
    for row, (op, f, dtypes, opset) in enumerate(table):
        for column, dtype in enumerate(dtypes):
            x = draw.any(dtype, SHAPES[(row + column) % len(SHAPES)])
            one(cases, "unary", op, dtype, x, arithmetic(f, x), BITS if dtype in INTS else EXACT, opset=opset)
            if dtype in FLOATS:
                x = of(dtype, *halves[op == "Relu" :], 2.0**7 + 0.5, -(2.0**7) - 1, 2.0**10 + 0.5)
                one(cases, "unary", op, f"{dtype}/halves", x, arithmetic(f, x), EXACT, opset=opset)
    x = of("f32", NAN, 1)
    one(
        cases, "unary", "Relu", "f32/nan", x, arithmetic(relu, x), EXACT, opset=14, judgement="the text leaves NaN open"
    )
    x = of("f32", 8388607.5, -8388607.5, 8388608, 16777216, 4194304.5, -4194303.5, 3.4e38, 2.0**31, -(2.0**33))
    for op, f, _, opset in table[3:]:
        one(cases, "unary", op, "f32/large", x, arithmetic(f, x), EXACT, opset=opset)
    x = T("bool", draw.any("bool", (3, 7)).elements)
    one(cases, "unary", "Not", "bool", x, T("bool", ~x.elements), BITS, opset=1)
    one(cases, "unary", "Not", "empty", T("bool", np.zeros((0, 4))), T("bool", np.zeros((0, 4))), BITS, opset=1)
    for dtype, low in [("i8", -128), ("i16", -32768), ("i32", -(2**31))]:
        for op in ("Neg", "Abs"):
            x = of(dtype, low, low + 1)
            f = np.negative if op == "Neg" else np.abs
            one(
                cases,
                "unary",
                op,
                f"{dtype}/lowest",
                x,
                arithmetic(f, x),
                BITS,
                opset=13,
                semantics="numpy wraps",
                judgement="the text leaves the lowest integer open",
            )


def functions(cases):
    draw = Draw(12)
    sigmoid = lambda x: np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))
    # The ends of the range, places where a short formula cancels, and the values of no number.
    table = [
        ("Sqrt", np.sqrt, [0.0, -0.0, 1, 2, 4, 1e-4, 6.25, 65504, INF, -1, NAN]),
        ("Exp", np.exp, [0.0, -0.0, 1, -1, 1e-4, -1e-4, 10.5, -16.5, 88.5, 89, -87, -110, INF, -INF, NAN]),
        ("Log", np.log, [0.0, -0.0, 1, 0.99, 1.01, 2, 1e-4, 60000, 0.5, INF, -1, -INF, NAN]),
        ("Tanh", np.tanh, [0.0, -0.0, 1e-4, -1e-4, 0.02, 0.5, -0.6, 1, 4, 9, -9.5, 20, INF, -INF, NAN]),
        ("Sigmoid", sigmoid, [0.0, -0.0, 1e-4, 1, -1, 8, -8, 17, -17, -80, 100, INF, -INF, NAN]),
    ]
    wide = {
        "Sqrt": [1.2e-38, 3.4e38, 2.0**-100, 3.0, 16777215],
        "Exp": [88.72, -87.3, 1e-30, 0.6931472, -0.34657359, 43.668],
        "Log": [1.2e-38, 3.4e38, 0.99999994, 1.0000001, 0.70710678, 1.4142135, 1e-30],
        "Tanh": [1e-30, 1e-10, 0.01, 0.1, 0.625, 0.6249, 8.9, 9.02, 0.3, -0.2],
        "Sigmoid": [-87, 16.6, -16.6, 1e-10, 0.3, -30],
    }
    for op, f, values in table:
        for dtype in FLOATS:
            tol = ulp(4) if dtype == "f32" else ulp(1)
            strict = EXACT if op == "Sqrt" else None
            x = of(dtype, *values)
            one(cases, "function", op, f"{dtype}/points", x, function(f, x), tol, opset=13, strict=strict)
        x = draw.real("f32", (4, 9), 4.0)
        x = arithmetic(np.abs, x) if op in ("Sqrt", "Log") else x
        one(cases, "function", op, "f32/drawn", x, function(f, x), ulp(4), opset=13)
        x = of("f32", *wide[op])
        one(cases, "function", op, "f32/range", x, function(f, x), ulp(4), opset=13)


def clips(cases):
    draw = Draw(13)

    def case(name, x, low, high, tol, **more):
        f = x.wide()
        f = f if low is OMITTED else np.maximum(f, low.wide())
        f = f if high is OMITTED else np.minimum(f, high.wide())
        inputs = [x, low] if high is OMITTED else [x, low, high]
        cases.exec("clip", name, "elementwise", "Clip", inputs, [round_to(x.dtype, f)], tol, opset=13, **more)

    for k, dtype in enumerate(NUMERIC):
        tol = BITS if dtype in INTS else EXACT
        x = draw.any(dtype, SHAPES[k % len(SHAPES)])
        low, high = (round_to(dtype, np.float32(v)) for v in ((2, 9) if dtype in UNSIGNED else (-3, 5)))
        case(f"{dtype}/both", x, low, high, tol)
        if k % 2 == 0:
            case(f"{dtype}/low", x, low, OMITTED, tol)
            case(f"{dtype}/high", x, OMITTED, high, tol)
        case(f"{dtype}/low_above_high", x, high, low, tol, semantics="onnx: max is applied last")
    x = of("f32", -INF, -1, -0.0, 2, INF)
    case("f32/infinite", x, T("f32", -1.5), T("f32", 1.5), EXACT)
    cases.exec("clip", "f32/none", "elementwise", "Clip", [x], [x], EXACT, opset=13)
    case("f32/nan", of("f32", NAN, 1), T("f32", -1.5), T("f32", 0.5), EXACT, judgement="the text leaves NaN open")


def casts(cases):
    draw = Draw(14)
    # Values that every type holds, and more that only the pair holds.
    for k, source in enumerate(ALL):
        for n, target in enumerate(ALL):
            if target == source:
                continue
            shape = SHAPES[(k + n) % len(SHAPES)]
            if source in INTS and target not in FLOATS:
                x = draw.any(source, shape)
            elif source in FLOATS and target in INTS + ["bool"]:
                low = 0 if target in UNSIGNED else -100
                x = draw.any(source, shape, low, 100)
            else:
                x = draw.small(source, shape)
            with np.errstate(all="ignore"):
                values = x.wide().astype(np.float32) if source in FLOATS else x.elements
                result = T("bool", values != 0) if target == "bool" else round_to(target, values)
            tol = EXACT if target in FLOATS else BITS
            cases.exec(
                "cast",
                f"{source}/{target}",
                "elementwise",
                "Cast",
                [x],
                [result],
                tol,
                attrs={"to": ONNX[target]},
                opset=28,
            )

    def case(name, x, target, tol=EXACT, **more):
        with np.errstate(all="ignore"):
            values = x.wide()
            result = T("bool", values != 0) if target == "bool" else round_to(target, values)
        cases.exec(
            "cast", name, "elementwise", "Cast", [x], [result], tol, attrs={"to": ONNX[target]}, opset=28, **more
        )

    case("truncates", of("f32", -2.9, -0.5, 0.5, 2.9, 1e9, -1e9), "i32", BITS)
    case("to_u32", of("f32", 0.9, 3e9, 4294967040, -0.5), "u32", BITS)
    case(
        "f32_to_f16_rounds",
        of("f32", 2049, 2051, 65519, 65520, 1e9, -1e9, 1e-7, 3e-8, 2.0**-25, 5.97e-8, INF, NAN),
        "f16",
    )
    case(
        "f32_to_bf16_rounds",
        T(
            "f32",
            np.array(
                [0x3F808000, 0x3F818000, 0x3F808001, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0x80000000],
                dtype=np.uint32,
            ).view(np.float32),
        ),
        "bf16",
    )
    case(
        "f16_to_f32",
        T(
            "f16",
            np.array([0x0001, 0x03FF, 0x0400, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x8000], dtype=np.uint16).view(
                np.float16
            ),
        ),
        "f32",
    )
    case("f16_to_bf16", of("f16", 1.0039, 2.0**-24, 65504, INF), "bf16")
    case("u32_to_f32_rounds", of("u32", 16777217, 16777219, 4294967295, 2147483648), "f32")
    case("i32_to_f32_rounds", of("i32", 16777217, -16777219, 2147483647, -2147483648), "f32")
    case("u16_to_f16_overflows", of("u16", 65519, 65520, 65535, 2049), "f16")
    case("i16_to_bf16", of("i16", 257, 259, -32768, 32767), "bf16")
    for dtype in FLOATS:
        case(
            f"{dtype}_to_bool",
            of(dtype, 0, -0.0, NAN, 0.25, INF, -1),
            "bool",
            BITS,
            semantics="onnx: NaN is true, -0 is false",
        )
    case("f16_subnormal_to_bool", T("f16", np.array([0x0001, 0x8001], dtype=np.uint16).view(np.float16)), "bool", BITS)


def moves(cases):
    draw = Draw(15)
    for k, dtype in enumerate(ALL):
        x = draw.any(dtype, SHAPES[k % len(SHAPES)])
        one(cases, "move", "Identity", dtype, x, x, BITS, opset=25)
        x = draw.any(dtype, (3, 1))
        shape = T("i64", [[2, 1, 6], [3, 4], [1, 1], [2, 3, 3]][k % 4])
        result = np.broadcast_shapes((3, 1), tuple(shape.elements))
        cases.exec("move", f"expand/{dtype}", "onnx_expand", "Expand", [x, shape], [moved(x, result)], BITS, opset=13)
    patterns = np.array([0x7F800001, 0xFFFFFFFF, 0x00000001, 0x807FFFFF, 0x80000000], dtype=np.uint32)
    x = T("f32", patterns.view(np.float32))
    one(cases, "move", "Identity", "f32/payload", x, x, BITS, opset=25, semantics="moves keep every bit")
    cases.exec(
        "move", "expand/f32/payload", "onnx_expand", "Expand", [x, T("i64", [3, 5])], [moved(x, (3, 5))], BITS, opset=13
    )


def make():
    cases = Cases("unary")
    for part in (exact, functions, clips, casts, moves):
        part(cases)
    yield cases
