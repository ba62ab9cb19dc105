"""Operators under their OpenVINO names, where that text differs from ONNX's or ONNX has none."""

import numpy as np

from .cases import BITS, EXACT, INF, NAN, Cases, Draw, T, arithmetic, compare, function, of, ulp
from .operators import QUOTIENT, binary, trunc_div, turn


def openvino(cases):
    draw = Draw(8)

    def two(op, name, a, b, f, tol, rule="numpy", **more):
        binary(cases, "openvino", op, a, b, f, tol, name, rule, semantics="openvino", **more)

    def by(f):
        return lambda a, b: arithmetic(f, a, b)

    for dtype in ["i32", "i8"]:
        a, b = of(dtype, -7, 7, -7, 7, 6, 0), of(dtype, 2, -2, -2, 2, -3, 5)
        two("Divide", f"{dtype}/floor", a, b, by(np.floor_divide), BITS)
        two("Divide", f"{dtype}/trunc", a, b, by(trunc_div), BITS, attrs={"m_pythondiv": False})
        two("Mod", f"{dtype}", a, b, by(np.fmod), BITS)
        two("FloorMod", f"{dtype}", a, b, by(np.mod), BITS)
    for dtype in ["u8", "f32"]:
        a, b = draw.any(dtype, (2, 3, 4)), draw.divisor(dtype, (4,))
        tol = BITS if dtype == "u8" else EXACT
        two("Divide", dtype, a, b, by(trunc_div), BITS if dtype == "u8" else QUOTIENT[dtype])
        two("Subtract", dtype, a, b, by(np.subtract), tol)
        two("Multiply", dtype, a, b, by(np.multiply), tol)
        two("Maximum", dtype, a, b, by(np.maximum), tol)
        two("Minimum", dtype, a, b, by(np.minimum), tol)
    two(
        "Power",
        "f32",
        draw.small("f32", (3, 1), 1, 5),
        draw.small("f32", (4,), 0, 4),
        lambda a, b: function(np.power, a, b),
        ulp(4),
    )
    for k, dtype in enumerate(["bool", "u8", "i16", "bf16", "i32"]):
        sa, sb = turn(k)
        a, b = draw.small(dtype, sa, -2, 2), draw.small(dtype, sb, -2, 2)
        two("NotEqual", dtype, a, b, lambda a, b: compare(np.not_equal, a, b), BITS)
    a = of("f32", NAN, 0.0, INF, 1)
    two("NotEqual", "f32/special", a, of("f32", NAN, -0.0, INF, 2), lambda a, b: compare(np.not_equal, a, b), BITS)
    for op, f in [("GreaterEqual", np.greater_equal), ("LessEqual", np.less_equal)]:
        two(
            op,
            "f32",
            draw.small("f32", (3, 5), -2, 2),
            draw.small("f32", (5,), -2, 2),
            lambda a, b: compare(f, a, b),
            BITS,
        )
    for op, f in [("LogicalAnd", np.logical_and), ("LogicalOr", np.logical_or), ("LogicalXor", np.logical_xor)]:
        a, b = draw.any("bool", (2, 3, 4)), draw.any("bool", (3, 1))
        two(op, "numpy", a, b, lambda a, b: compare(f, a, b), BITS)
        b = draw.any("bool", (3,))
        column = lambda a, b: T("bool", f(a.elements, b.elements[:, None]))
        two(op, "pdpd", a, b, column, BITS, rule="pdpd", attrs={"axis": 1})
    c, t, e = draw.any("bool", (3,)), draw.any("i32", (2, 3, 4)), draw.any("i32", (3, 1))
    result = T("i32", np.where(c.elements[:, None], t.elements, e.elements))
    cases.exec(
        "openvino",
        "select/pdpd_fits_then",
        "pdpd",
        "Select",
        [c, t, e],
        [result],
        BITS,
        attrs={"axis": 1},
        semantics="openvino",
    )
    c, e = draw.any("bool", (2, 1, 4)), draw.any("i32", (4,))
    result = T("i32", np.where(c.elements, t.elements, e.elements))
    cases.exec("openvino", "select/numpy", "numpy", "Select", [c, t, e], [result], BITS, semantics="openvino")
    cases.exec(
        "openvino",
        "select/pdpd_then_is_not_broadcast",
        "pdpd",
        "Select",
        [draw.any("bool", (2, 3)), draw.any("i32", (3,)), draw.any("i32", (2, 3))],
        error="shape",
        attrs={"axis": -1},
        semantics="openvino",
    )
    for name, sx, ss, axes in [
        ("channel", (2, 4, 4), (4,), (4, 1)),
        ("rank1", (4,), (4,), (4,)),
        ("last_axis", (2, 3, 4), (4,), (4,)),
        ("numpy", (2, 3, 4), (1, 3, 1), (1, 3, 1)),
        ("one", (2, 3), (1,), (1,)),
    ]:
        x, s = draw.small("f32", sx), draw.small("f32", ss)
        placed = s.elements.reshape(axes)
        result = T("f32", np.where(x.elements < 0, x.elements * placed, x.elements))
        cases.exec(
            "openvino", f"prelu/{name}", "ov_prelu", "PReLU", [x, s], [result], EXACT, semantics="openvino PReLU-1"
        )


def make():
    cases = Cases("openvino")
    openvino(cases)
    yield cases
