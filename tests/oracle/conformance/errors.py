"""Calls that must be refused."""

import numpy as np

from .cases import OMITTED, Cases, T, round_to

SINCE = {
    "Add": 14,
    "Sub": 14,
    "Mul": 14,
    "Div": 14,
    "Mod": 28,
    "Pow": 15,
    "Max": 13,
    "Min": 13,
    "Sum": 13,
    "Mean": 13,
    "Equal": 19,
    "Greater": 13,
    "Less": 13,
    "GreaterOrEqual": 16,
    "LessOrEqual": 16,
    "And": 7,
    "Or": 7,
    "Xor": 7,
    "Where": 16,
    "PRelu": 16,
    "Not": 1,
    "Round": 22,
    "Relu": 14,
    "Cast": 28,
    "Identity": 25,
}


def x(dtype, *shape):
    """Ones."""
    return round_to(dtype, np.ones(shape or (2,)))


def refused(cases, error, op, name, inputs, rule="onnx_multi", **more):
    cases.exec(
        "errors",
        f"{error}/{op.lower()}/{name}",
        rule,
        op,
        inputs,
        error=error,
        semantics="onnx",
        opset=SINCE.get(op, 13),
        **more,
    )


def make():
    cases = Cases("errors")

    for op in ["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"]:
        refused(cases, "dtype", op, "bool", [x("bool"), x("bool")])
    for op in ["Add", "Div", "Max", "Less", "Equal"]:
        refused(cases, "dtype", op, "mixed", [x("f32"), x("i32")])
    refused(cases, "dtype", "Equal", "halves", [x("bf16"), x("f16")])
    for op in ["Sum", "Mean"]:
        refused(cases, "dtype", op, "i32", [x("i32"), x("i32")])
    for op in ["And", "Or", "Xor"]:
        for dtype in ["f32", "u8"]:
            refused(cases, "dtype", op, dtype, [x(dtype), x(dtype)])
    for dtype in ["u8", "i8", "u16", "u32", "bool"]:
        refused(cases, "dtype", "Pow", dtype, [x(dtype), x("f32")])
    refused(cases, "dtype", "Pow", "exponent", [x("f32"), x("bool")])
    refused(cases, "dtype", "Where", "condition", [x("u8"), x("f32"), x("f32")])
    refused(cases, "dtype", "Where", "mixed", [x("bool"), x("f32"), x("i32")])
    for dtype in ["i8", "bool"]:
        refused(cases, "dtype", "PRelu", dtype, [x(dtype), x(dtype)], "onnx_uni")
    for op, dtype in [
        ("Not", "u8"),
        ("Neg", "u8"),
        ("Neg", "bool"),
        ("Abs", "bool"),
        ("Sqrt", "i32"),
        ("Exp", "i32"),
        ("Log", "u8"),
        ("Tanh", "bool"),
        ("Sigmoid", "i32"),
        ("Relu", "u8"),
        ("Floor", "i32"),
        ("Ceil", "u32"),
        ("Round", "i32"),
    ]:
        refused(cases, "dtype", op, dtype, [x(dtype)], "elementwise")
    refused(cases, "dtype", "Clip", "bool", [x("bool")], "elementwise")
    refused(cases, "dtype", "Clip", "mixed", [x("f32"), T("i32", 0)], "elementwise")

    for op, inputs in [
        ("Add", 1),
        ("Add", 3),
        ("Pow", 1),
        ("Equal", 3),
        ("Where", 2),
        ("Max", 0),
        ("Min", 0),
        ("Sum", 0),
        ("Mean", 0),
    ]:
        refused(cases, "arity", op, str(inputs), [x("bool" if op == "Where" else "f32")] * inputs)
    refused(cases, "arity", "PRelu", "1", [x("f32")], "onnx_uni")
    refused(cases, "arity", "Not", "2", [x("bool")] * 2, "elementwise")
    refused(cases, "arity", "Exp", "0", [], "elementwise")
    refused(cases, "arity", "Add", "omitted", [x("f32"), OMITTED])
    refused(cases, "arity", "Clip", "4", [x("f32"), T("f32", 0), T("f32", 1), T("f32", 2)], "elementwise")

    refused(cases, "attr", "Cast", "missing", [x("f32")], "elementwise")
    refused(cases, "attr", "Cast", "unknown", [x("f32")], "elementwise", attrs={"to": 99})

    for op in ["Add", "Where", "Equal", "Max"]:
        inputs = [x("f32", 2, 1, 4), x("f32", 5)]
        refused(cases, "shape", op, "numpy", [x("bool", 3), *inputs] if op == "Where" else inputs)
    refused(cases, "shape", "And", "numpy", [x("bool", 2, 3), x("bool", 2)])
    refused(cases, "shape", "Max", "third", [x("f32", 2, 3), x("f32", 3), x("f32", 2)])
    refused(cases, "shape", "Where", "condition", [x("bool", 3), x("f32", 2, 4), x("f32", 4)])
    refused(cases, "shape", "Clip", "bounds", [x("f32", 2, 3), T("f32", np.ones(3)), T("f32", 2)], "elementwise")
    refused(cases, "shape", "Expand", "extents", [x("f32", 3), T("i64", [2])], "onnx_expand")
    refused(cases, "shape", "Expand", "negative", [x("f32", 3), T("i64", [-1])], "onnx_expand")
    refused(cases, "shape", "Add", "zero_against_three", [x("f32", 1, 0), x("f32", 2, 3)])
    yield cases
