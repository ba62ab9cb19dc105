"""Operators of two, three and many operands, each with every dtype that its text allows."""

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
    Cases,
    Draw,
    T,
    arithmetic,
    compare,
    function,
    of,
    round_to,
    ulp,
)

# Shapes that broadcast in different ways; operators take them by turns.
SHAPES = [
    ((2, 3, 5), (5,)),
    ((7, 1), (1, 6)),
    ((3, 5), (3, 5)),
    ((13,), ()),
    ((2, 1, 4), (3, 1)),
    ((4, 3), (4, 1)),
    ((1, 9), (2, 1, 1)),
    ((), ()),
    ((17,), (17,)),
    ((2, 0, 3), (1, 3)),
    ((), (11,)),
    ((0,), (1,)),
]

QUOTIENT = {"f16": ulp(1), "bf16": ulp(1), "f32": ulp(3)}


def turn(number):
    return SHAPES[number % len(SHAPES)]


def trunc_div(a, b):
    if not np.issubdtype(a.dtype, np.integer):
        return a / b
    quotient = np.abs(a.astype(np.int64)) // np.abs(b.astype(np.int64))
    return (quotient * np.sign(a.astype(np.int64)) * np.sign(b.astype(np.int64))).astype(a.dtype)


def binary(cases, group, op, a, b, f, tol, name=None, rule="onnx_multi", **more):
    result = f(a, b)
    cases.exec(group, f"{op.lower()}/{name or a.dtype}", rule, op, [a, b], [result], tol, **more)


def arithmetics(cases):
    draw = Draw(1)
    count = 0
    for op, f in [("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply)]:
        for dtype in NUMERIC:
            for k, make in enumerate([draw.any] if dtype in INTS else [draw.any, draw.real]):
                sa, sb = turn(count)
                count += 1
                run = lambda a, b: arithmetic(f, a, b)
                binary(
                    cases,
                    "arithmetic",
                    op,
                    make(dtype, sa),
                    make(dtype, sb),
                    run,
                    BITS if dtype in INTS else EXACT,
                    f"{dtype}/{k}",
                    opset=14,
                    semantics="numpy wraps integers",
                )
    for dtype in NUMERIC:
        sa, sb = SHAPES[count % 7]
        count += 1
        exact = dtype in INTS
        run = lambda a, b: arithmetic(trunc_div, a, b)
        a = draw.any(dtype, sa) if exact else draw.real(dtype, sa)
        binary(
            cases,
            "arithmetic",
            "Div",
            a,
            draw.divisor(dtype, sb),
            run,
            BITS if exact else QUOTIENT[dtype],
            opset=14,
            strict=None if exact else EXACT,
            semantics="onnx: integers truncate toward zero",
        )
        for fmod, g in [(0, np.mod), (1, np.fmod)]:
            run = lambda a, b: arithmetic(g, a, b)
            binary(
                cases,
                "arithmetic",
                "Mod",
                a if exact else draw.any(dtype, sa),
                draw.divisor(dtype, sb),
                run,
                BITS if exact else EXACT,
                f"{dtype}/fmod{fmod}",
                opset=28,
                attrs={"fmod": fmod} if fmod else {},
                semantics="onnx: sign of the dividend" if fmod else "onnx: sign of the divisor",
            )
    a, b = of("u8", 200, 255, 0, 1, 128), of("u8", 100, 255, 1, 255, 128)
    for op, f in [("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply)]:
        binary(cases, "arithmetic", op, a, b, lambda a, b: arithmetic(f, a, b), BITS, "u8/wraps", opset=14)
    for dtype, big in [("f16", 2048), ("bf16", 256)]:
        a, b = of(dtype, big, big, big, -big, big), of(dtype, 1, 3, 5, -1, -1)
        binary(
            cases,
            "arithmetic",
            "Add",
            a,
            b,
            lambda a, b: arithmetic(np.add, a, b),
            EXACT,
            f"{dtype}/ties_to_even",
            opset=14,
        )
    # Results between 2^-25 and 2^-14 are subnormal in f16 only.
    a, b = (
        of("f16", 2.0**-10, 3 * 2.0**-14, 2.0**-14, -(2.0**-24), 65504, 2.0**-24),
        of("f16", 2.0**-12, 2.0**-11, 2.0**-11, 0.5, 2, 1.5),
    )
    binary(
        cases, "arithmetic", "Mul", a, b, lambda a, b: arithmetic(np.multiply, a, b), EXACT, "f16/subnormal", opset=14
    )
    special = [INF, -INF, NAN, 0.0, -0.0, 1.0, -2.5]
    for dtype in FLOATS:
        a, b = round_to(dtype, np.array(special).reshape(-1, 1)), of(dtype, *special)
        for op, f, tol in [
            ("Add", np.add, EXACT),
            ("Sub", np.subtract, EXACT),
            ("Mul", np.multiply, EXACT),
            ("Div", np.divide, QUOTIENT[dtype]),
        ]:
            binary(cases, "special", op, a, b, lambda a, b: arithmetic(f, a, b), tol, opset=14, semantics="IEEE 754")
        binary(
            cases,
            "special",
            "Mod",
            a,
            b,
            lambda a, b: arithmetic(np.mod, a, b),
            EXACT,
            f"{dtype}/fmod0",
            opset=28,
            semantics="onnx Mod 28",
        )
        binary(
            cases,
            "special",
            "Mod",
            a,
            b,
            lambda a, b: arithmetic(np.fmod, a, b),
            EXACT,
            f"{dtype}/fmod1",
            opset=28,
            attrs={"fmod": 1},
            semantics="onnx Mod 28",
        )
    a, b = of("f32", 1e6, -1e6, 16777216, 1e9, -123456.75), of("f32", 3.5, 3.5, 3, 7, 0.25)
    for fmod, g in [(0, np.mod), (1, np.fmod)]:
        binary(
            cases,
            "arithmetic",
            "Mod",
            a,
            b,
            lambda a, b: arithmetic(g, a, b),
            EXACT,
            f"f32/large_ratio{fmod}",
            opset=28,
            attrs={"fmod": fmod},
            tags=["large_ratio"],
        )


def powers(cases):
    draw = Draw(2)
    for dtype in FLOATS:
        base = round_to(dtype, np.abs(draw.real(dtype, (3, 7)).wide()) + np.float32(0.25))
        run = lambda a, b: function(np.power, a, b)
        tol = ulp(4 if dtype == "f32" else 1)
        binary(cases, "power", "Pow", base, draw.real(dtype, (7,), 2.0), run, tol, f"{dtype}/{dtype}", opset=15)
        whole = of(dtype, -2, -2, -3, -0.5, 2, 0, 0, -0.0, 9, INF, -INF)
        exponent = of(dtype, 3, 2, -1, -2, 0.5, 0, 2, 3, 0.5, -1, 3)
        binary(cases, "power", "Pow", whole, exponent, run, tol, f"{dtype}/whole_exponents", opset=15)
        binary(
            cases,
            "power",
            "Pow",
            of(dtype, -2, -8, 0, -0.0),
            of(dtype, 0.5, 1 / 3, -1, -1),
            run,
            tol,
            f"{dtype}/poles",
            opset=15,
        )
        binary(
            cases,
            "power",
            "Pow",
            of(dtype, 1, NAN, NAN),
            of(dtype, NAN, 0, 1),
            run,
            tol,
            f"{dtype}/nan",
            opset=15,
            judgement="pow of NaN: C and NumPy give 1 for 1^NaN and NaN^0",
        )
        other = {"f16": "u8", "bf16": "i16", "f32": "i32"}[dtype]
        binary(cases, "power", "Pow", base, draw.small(other, (7,), 0, 4), run, tol, f"{dtype}/{other}", opset=15)
    base = draw.small("i32", (4, 1), -7, 7)
    for other in ["i32", "u8", "i16", "u32"]:
        run = lambda a, b: T("i32", np.power(a.elements, b.elements.astype(np.int32)))
        binary(cases, "power", "Pow", base, draw.small(other, (5,), 0, 5), run, BITS, f"i32/{other}", opset=15)
    run = lambda a, b: T("i32", np.trunc(np.power(a.elements.astype(np.float64), b.wide())).astype(np.int32))
    binary(
        cases,
        "power",
        "Pow",
        of("i32", 1, 2, 3, 5),
        of("f32", 3, 3, 2, 0.5),
        run,
        BITS,
        "i32/f32",
        opset=15,
        semantics="onnx: the result has the type of the base",
    )
    run = lambda a, b: T("i32", np.power(a.elements, b.elements))
    binary(cases, "power", "Pow", of("i32", 3, -7, 2, 0), of("i32", 21, 13, 31, 0), run, BITS, "i32/wraps", opset=15)


def variadic(cases):
    draw = Draw(3)
    shapes = [(3, 1, 4), (4,), (2, 1), (), (3, 1, 1)]
    for op, f, opset in [("Max", np.maximum, 13), ("Min", np.minimum, 13), ("Sum", np.add, 13), ("Mean", np.add, 13)]:
        for number, dtype in enumerate(NUMERIC if op in ("Max", "Min") else FLOATS):
            counts = ([1, 4, 5] if op in ("Max", "Min") else range(1, 6)) if dtype == "f32" else [2 + number % 3]
            for n in counts:
                xs = [draw.any(dtype, shapes[(number + i) % 5], -4, 4) for i in range(n)]
                total = xs[0].wide()
                for x in xs[1:]:
                    total = f(total, x.wide())
                if op == "Mean":
                    total = total / np.float32(n)
                tol = BITS if dtype in INTS else EXACT
                strict = None
                if op == "Mean" and n in (3, 5):
                    tol, strict = (ulp(3) if dtype == "f32" else ulp(1)), EXACT
                cases.exec(
                    "variadic",
                    f"{op.lower()}/{dtype}/{n}",
                    "onnx_multi",
                    op,
                    xs,
                    [round_to(dtype, total)],
                    tol,
                    opset=opset,
                    strict=strict,
                )
    for dtype in FLOATS:
        a, b = of(dtype, NAN, 1, -0.0, INF, NAN, -INF), of(dtype, 1, NAN, 0.0, -INF, NAN, 3)
        for op, f in [("Max", np.maximum), ("Min", np.minimum)]:
            binary(
                cases,
                "variadic",
                op,
                a,
                b,
                lambda a, b: arithmetic(f, a, b),
                EXACT,
                f"{dtype}/nan",
                opset=13,
                judgement="the text leaves NaN open; the reference hands it on",
            )


def comparisons(cases):
    draw = Draw(4)
    table = [
        ("Equal", np.equal, 19),
        ("Greater", np.greater, 13),
        ("Less", np.less, 13),
        ("GreaterOrEqual", np.greater_equal, 16),
        ("LessOrEqual", np.less_equal, 16),
    ]
    special = [INF, -INF, NAN, 0.0, -0.0, 1.0]
    for row, (op, f, opset) in enumerate(table):
        run = lambda a, b: compare(f, a, b)
        for column, dtype in enumerate(ALL if op == "Equal" else NUMERIC):
            sa, sb = turn(row * 5 + column)
            a, b = draw.small(dtype, sa, -2, 2), draw.small(dtype, sb, -2, 2)
            binary(cases, "comparison", op, a, b, run, BITS, opset=opset)
        for dtype in FLOATS if op in ("Equal", "Less") else ["f32"]:
            a, b = round_to(dtype, np.array(special).reshape(-1, 1)), of(dtype, *special)
            binary(cases, "comparison", op, a, b, run, BITS, f"{dtype}/special", opset=opset)
        for dtype in ["u32", "i32", "u8", "i8"][row % 2 :: 2]:
            a = draw.any(dtype, (5, 1))
            binary(cases, "comparison", op, a, draw.any(dtype, (7,)), run, BITS, f"{dtype}/limits", opset=opset)
    # Neighbours that are equal once they are rounded to f32.
    a, b = of("u32", 16777216, 4294967295, 4294967294), of("u32", 16777217, 4294967294, 4294967295)
    for op, f, opset in table:
        binary(cases, "comparison", op, a, b, lambda a, b: compare(f, a, b), BITS, "u32/neighbours", opset=opset)


def logic(cases):
    draw = Draw(5)
    for op, f in [("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)]:
        for k, (sa, sb) in enumerate(SHAPES):
            if k % 3 == 0 or k > 8:
                run = lambda a, b: compare(f, a, b)
                binary(cases, "logic", op, draw.any("bool", sa), draw.any("bool", sb), run, BITS, f"{k}", opset=7)


def selects(cases):
    draw = Draw(6)
    shapes = [
        ((3, 1), (2, 1, 4), (4,)),
        ((5,), (5,), (5,)),
        ((2, 3), (), (3,)),
        ((), (7,), (1,)),
        ((0, 2), (1,), (2,)),
        ((2, 1, 1, 3), (5, 1), (1, 1, 3)),
        ((6, 1), (6, 1), (1, 1)),
    ]
    for k, dtype in enumerate(ALL):
        sc, sa, sb = shapes[k % len(shapes)]
        c, a, b = draw.any("bool", sc), draw.any(dtype, sa), draw.any(dtype, sb)
        result = T(dtype, np.where(c.elements, a.elements, b.elements))
        cases.exec("select", f"where/{dtype}", "onnx_multi", "Where", [c, a, b], [result], BITS, opset=16)
    for dtype, bits, store in [
        ("f32", [0x7FC00001, 0xFFC12345, 0x00000001, 0x80000000], np.uint32),
        ("f16", [0x7E01, 0xFE23, 0x0001, 0x8000], np.uint16),
        ("bf16", [0x7FC1, 0xFFD2, 0x0001, 0x8000], np.uint16),
    ]:
        a = np.array(bits, dtype=store)
        a = T(dtype, a if dtype == "bf16" else a.view(np.float32 if dtype == "f32" else np.float16))
        c = T("bool", [1, 0, 1, 0])
        b = T(dtype, a.elements[::-1].copy())
        result = T(dtype, np.where(c.elements, a.elements, b.elements))
        cases.exec(
            "select",
            f"where/{dtype}/payload",
            "onnx_multi",
            "Where",
            [c, a, b],
            [result],
            BITS,
            opset=16,
            semantics="moves keep every bit",
        )
    prelu = lambda x, s: np.where(x < 0, x * s, x)
    for k, dtype in enumerate(["f16", "bf16", "f32", "i32", "u32"]):
        for n, (sx, ss) in enumerate(
            [((2, 3, 4), (4,)), ((2, 3, 4), (3, 1)), ((5,), ()), ((0, 3), (3,)), ((2, 4, 4), (4,))]
        ):
            if (n + k) % 2 == 0 or dtype == "f32":
                x, s = draw.small(dtype, sx), draw.small(dtype, ss)
                cases.exec(
                    "select",
                    f"prelu/{dtype}/{n}",
                    "onnx_uni",
                    "PRelu",
                    [x, s],
                    [arithmetic(prelu, x, s)],
                    BITS if dtype in INTS else EXACT,
                    opset=16,
                )


def make():
    cases = Cases("operators")
    for part in (arithmetics, powers, variadic, comparisons, logic, selects):
        part(cases)
    yield cases
