"""Reductions under their names in ONNX and OpenVINO: results of the operand's type, axes as constants or attributes."""

import numpy as np

from .cases import BITS, EXACT, FLOATS, INTS, Cases, T, round_to
from .reductions import FUNCTION, SPREAD, Draw, logsumexp

WIDE = ["u32", "i32", "u64", "i64", *FLOATS, "f64"]
REALS = [*FLOATS, "f64"]
# Each with axes as ONNX has them, and whether they stay.
PLACES = [
    ((2, 3, 4), [1], 1),
    ((2, 3, 4), [0, -1], 0),
    ((3, 5), [-2], 1),
    ((3, 5), None, 0),
    ((2, 3, 4, 5), [3, 1], 1),
    ((1, 1, 7), [0, 1, 2], 0),
    ((257,), [0], 1),
    ((2, 3), [], 1),
]


def float_log(x, **axes):
    return np.log(np.sum(x, **axes))


def root(x, **axes):
    return np.sqrt(np.sum(x * x, **axes))


def square(x, **axes):
    return np.sum(x * x, **axes)


def absolute(x, **axes):
    return np.sum(np.abs(x), **axes)


# The function, the types, the tolerance of floats, and the operation set since which the axes are an operand.
ONNX = {
    "ReduceSum": (np.sum, WIDE, None, 13),
    "ReduceMean": (np.mean, WIDE, FUNCTION, 18),
    "ReduceProd": (np.prod, WIDE, None, 18),
    "ReduceMax": (np.max, [*WIDE, "u8", "i8", "bool"], None, 18),
    "ReduceMin": (np.min, [*WIDE, "u8", "i8", "bool"], None, 18),
    "ReduceL1": (absolute, WIDE, None, 18),
    "ReduceL2": (root, WIDE, FUNCTION, 18),
    "ReduceLogSum": (float_log, REALS, SPREAD, 18),
    "ReduceLogSumExp": (logsumexp, REALS, SPREAD, 18),
    "ReduceSumSquare": (square, WIDE, None, 18),
}
OPENVINO = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceProd": np.prod,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceL1": absolute,
    "ReduceL2": root,
}


def operand(draw, op, dtype, shape):
    if op == "ReduceProd":
        return draw.factors(dtype, shape) if dtype in REALS else draw.whole(dtype, shape, -2, 2)
    return draw.whole(dtype, shape, 1 if op == "ReduceLogSum" else -9, 9)


def reduced(f, x, axes, keeps):
    """f in float64, or in whole numbers; then a value of the operand's type, truncated if that is whole."""
    values = x.wide().astype(np.float64) if x.dtype in FLOATS else x.elements
    values = values.astype(np.int64) if x.dtype in ("u32", "i32", "u64") else values
    axis = tuple(range(values.ndim)) if axes is None else tuple(axes)
    found = np.asarray(f(values, axis=axis, keepdims=bool(keeps)))
    return round_to(x.dtype, found if x.dtype in REALS else np.trunc(found))


def onnx(cases, draw):
    for k, (op, (f, dtypes, tol, since)) in enumerate(ONNX.items()):
        for n, dtype in enumerate(dtypes):
            shape, axes, keeps = PLACES[(3 * k + n) % len(PLACES)]
            x = operand(draw, op, dtype, shape)
            attrs = {} if keeps else {"keepdims": 0}
            inputs, opset = [x], 28
            # Every third in an operation set whose axes are an attribute, of the types that it has.
            if n % 3 == 0 and axes and dtype in ("u32", "i64", "f32", "f64"):
                attrs["axes"], opset = axes, since - 1
            elif axes is not None:
                inputs.append(T("i64", np.array(axes, dtype=np.int64)))
            result = reduced(f, x, axes or None, keeps)
            found = BITS if dtype not in REALS else tol[dtype] if tol else EXACT
            case = (f"{op.lower()}/{dtype}", "elementwise", op, inputs, [result], found)
            cases.exec("reductions by name", *case, attrs=attrs, semantics="onnx", opset=opset)
        x = operand(draw, op, "f32", (2, 3))
        result, found = reduced(f, x, [], True), tol["f32"] if tol else EXACT
        case = (f"{op.lower()}/no axes", "elementwise", op, [x], [result], found)
        noop = {"noop_with_empty_axes": 1}
        cases.exec("reductions by name", *case, attrs=noop, semantics="onnx", opset=28)


def positions(cases, draw):
    for k, (op, f) in enumerate([("ArgMax", np.argmax), ("ArgMin", np.argmin)]):
        for n, dtype in enumerate([*INTS, "u64", "i64", *REALS]):
            x = draw.whole(dtype, [(4, 5), (3, 4, 5), (7,)][n % 3], -2, 2)
            axis, keeps, last = [0, -1, None][(n + k) % 3], n % 2, n % 4 // 2
            attrs = {"keepdims": keeps, "select_last_index": last} | ({} if axis is None else {"axis": axis})
            axis, values = axis or 0, x.wide()
            result = f(np.flip(values, axis) if last else values, axis=axis, keepdims=bool(keeps))
            result = values.shape[axis] - 1 - result if last else result
            case = (f"{op.lower()}/{dtype}", "elementwise", op, [x], [T("i64", result)], BITS)
            cases.exec("reductions by name", *case, attrs=attrs, semantics="onnx", opset=13)


def softmax(cases, draw):
    for dtype in REALS:
        for opset, shape, axis in [(13, (3, 4, 5), None), (13, (3, 257), 0), (11, (2, 3, 4), None)]:
            x = draw.whole(dtype, shape, -5, 5)
            values, together = x.wide().astype(np.float64), opset < 13
            axes = tuple(range(1, values.ndim)) if together else -1 if axis is None else axis
            logs = values - logsumexp(values, axes, True)
            attrs = {} if axis is None else {"axis": axis}
            for op, result in [("Softmax", np.exp(logs)), ("LogSoftmax", logs)]:
                if together and dtype == "bf16":
                    continue
                name = f"{op.lower()}/{dtype}/{opset}" + ("" if axis is None else f"/{axis}")
                case = (name, "elementwise", op, [x], [round_to(dtype, result)], SPREAD[dtype])
                cases.exec("reductions by name", *case, attrs=attrs, semantics="onnx", opset=opset)


def openvino(cases, draw):
    for k, (op, f) in enumerate(OPENVINO.items()):
        for n, dtype in enumerate(["u8", "i32", "i64", "f16", "f32"]):
            shape, axes, keeps = PLACES[(2 * k + n) % (len(PLACES) - 1)]
            axes = axes or [0]
            x = operand(draw, op, dtype, shape)
            x = T("u8", x.elements // 4) if dtype == "u8" else x
            inputs = [x, T(["i64", "i32", "u8"][n % 3] if min(axes) >= 0 else "i64", np.array(axes))]
            tol = BITS if dtype not in FLOATS else FUNCTION[dtype] if op in ("ReduceMean", "ReduceL2") else EXACT
            case = (f"{op.lower()}/{dtype}", "numpy", op, inputs, [reduced(f, x, axes, keeps)], tol)
            attrs = {"keep_dims": True} if keeps else {}
            cases.exec("openvino", *case, attrs=attrs, semantics="openvino")
    for op, f in [("ReduceLogicalAnd", np.all), ("ReduceLogicalOr", np.any)]:
        x = draw.some("bool", (4, 3, 5), 0.8 if f is np.all else 0.2)
        case = (op.lower(), "numpy", op, [x, T("i32", [0, 2])], [T("bool", f(x.elements, axis=(0, 2)))], BITS)
        cases.exec("openvino", *case, semantics="openvino")
    x = draw.whole("f32", (2, 3))
    for op in ["ReduceSum", "ReduceL1"]:
        case = (f"{op.lower()}/no axes", "numpy", op, [x, T("i64", [])], [x], EXACT)
        cases.exec("openvino", *case, semantics="openvino: without axes, the identity")


def refused(cases):
    x, axis = round_to("f32", np.ones((2, 3))), T("i64", [1])
    for error, op, name, inputs, attrs, opset in [
        ("dtype", "ReduceSum", "u8", [T("u8", [1])], {}, 28),
        ("dtype", "ReduceSum", "bool", [T("bool", [1])], {}, 28),
        ("dtype", "ReduceMax", "i16", [T("i16", [1])], {}, 28),
        ("dtype", "ReduceMax", "old bool", [T("bool", [1])], {}, 18),
        ("dtype", "ReduceLogSum", "i32", [T("i32", [1])], {}, 28),
        ("dtype", "ArgMax", "bool", [T("bool", [1])], {}, 13),
        ("dtype", "ReduceSum", "axes", [x, T("i32", [1])], {}, 28),
        ("arity", "ReduceSum", "3", [x, axis, axis], {}, 28),
        ("arity", "ArgMin", "2", [x, axis], {}, 13),
        ("attr", "ReduceMean", "axes", [x], {"axes": [1]}, 18),
        ("attr", "ReduceMean", "operand", [x, axis], {}, 13),
        ("attr", "ReduceMean", "noop", [x], {"noop_with_empty_axes": 1}, 13),
        ("attr", "ReduceMax", "keepdims", [x], {"keepdims": 2}, 28),
        ("shape", "ReduceMin", "axis", [x, T("i64", [2])], {}, 28),
        ("shape", "ReduceL2", "twice", [x, T("i64", [1, -1])], {}, 28),
        ("shape", "ArgMax", "axis", [x], {"axis": -3}, 13),
        ("shape", "Softmax", "axis", [x], {"axis": 2}, 13),
    ]:
        case = (f"{error}/{op.lower()}/{name}", "elementwise", op, inputs)
        cases.exec("reductions by name", *case, error=error, attrs=attrs, semantics="onnx", opset=opset)


def make():
    cases, draw = Cases("named_reductions"), Draw(33)
    onnx(cases, draw)
    positions(cases, draw)
    softmax(cases, draw)
    openvino(cases, draw)
    refused(cases)
    yield cases
