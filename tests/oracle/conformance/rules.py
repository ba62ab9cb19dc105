"""Every example of the five texts, and what the texts leave open."""

import itertools

import numpy as np

from .cases import BITS, EXACT, Cases, Draw, T, arithmetic, moved

OPENVINO, ONNX, SONNX = "openvino", "onnx", "sonnx"
A = (2, 3, 4, 5)

# Shapes and the result; None where the text says that they do not align.
NONE = [
    ([(), ()], ()),
    ([(2, 3), (2, 3)], (2, 3)),
    ([(0, 3), (0, 3)], (0, 3)),
    ([(1, 1), (1, 1)], (1, 1)),
    ([A, A], A),
    ([(2, 3), (1,)], None),
    ([(2, 3), (3,)], None),
    ([(2, 3), (1, 3)], None),
    ([(1,), ()], None),
    ([(), (1,)], None),
    ([(1, 2, 3), (2, 3)], None),
    ([(2, 3), ()], None),
    ([(0,), (1,)], None),
]
OV_NUMPY = [
    ([(), ()], ()),
    ([(2, 3), (1,)], (2, 3)),
    ([(3,), (2, 3)], (2, 3)),
    ([(2, 3, 5), ()], (2, 3, 5)),
    ([(2, 1, 5), (1, 4, 5)], (2, 4, 5)),
    ([(6, 5), (2, 1, 5)], (2, 6, 5)),
    ([(2, 1, 5), (4, 1)], (2, 4, 5)),
    ([(3, 2, 1, 4), (5, 4)], (3, 2, 5, 4)),
    ([(1, 5, 3), (5, 2, 1, 3)], (5, 2, 5, 3)),
    ([(3,), (2,)], None),
    ([(3, 1, 5), (4, 4, 5)], None),
]
ONNX_MULTI = [
    ([A, ()], A),
    ([A, (5,)], A),
    ([(4, 5), A], A),
    ([(1, 4, 5), (2, 3, 1, 1)], A),
    ([(3, 4, 5), (2, 1, 1, 1)], A),
    ([(2, 3), (3, 2)], None),
    ([(4,), (2, 3)], None),
]
ZERO = [
    ([(0,), (1,)], (0,)),
    ([(0,), ()], (0,)),
    ([(2, 0), (2, 1)], (2, 0)),
    ([(1, 3), (0, 1)], (0, 3)),
    ([(3, 0, 5), (0, 1)], (3, 0, 5)),
    ([(0,), (2,)], None),
    ([(2, 0), (2, 3)], None),
]
ONNX_UNI = [
    ([A, ()], A),
    ([A, (5,)], A),
    ([A, (2, 1, 1, 5)], A),
    ([A, (1, 3, 1, 5)], A),
    ([A, A], A),
    ([(2, 0), (1,)], (2, 0)),
    ([(1, 3, 4, 5), A], None),
    ([(3, 4, 5), A], None),
    ([(), (3,)], None),
    ([(1,), (3,)], None),
    ([(2, 3), (2,)], None),
    ([A, (2, 3, 4)], None),
    ([(4, 5), (2, 1, 1)], None),
    ([(1,), (0,)], None),
    ([(4,), (1, 4)], None),
]
# B sits on the axes of A from `axis` on; the word is that of the error.
PDPD = [
    ((3, 4), 1, A),
    ((3, 1), 1, A),
    ((4, 5), -1, A),
    ((4, 5), 2, A),
    ((1, 3), 0, A),
    ((), -1, A),
    ((5,), -1, A),
    ((5,), 3, A),
    ((4, 5), None, A),
    ((5,), None, A),
    ((), None, A),
    ((1, 4), 1, A),
    ((3, 1, 5), 1, A),
    ((2,), 0, A),
    ((2, 1, 1, 1), -1, A),
    (A, 0, A),
    ((4, 5), 0, "shape"),
    ((3, 4), -1, "shape"),
    ((3,), 3, "shape"),
    ((5,), -2, "axis"),
    ((5,), 4, "axis"),
    ((4, 5), 3, "axis"),
    ((1, 2, 3, 4, 5), -1, "rank"),
    ((2, 3, 4), 2, "axis"),
]
# Input, target, result.
BIDIRECTIONAL = [
    ((5,), (1,), (5,)),
    ((2, 3), (3,), (2, 3)),
    ((3, 1), (3, 4), (3, 4)),
    ((3, 4), (), (3, 4)),
    ((3, 1), (2, 1, 6), (2, 3, 6)),
    ((1,), (0,), (0,)),
    ((3,), (2,), None),
    ((2, 3), (3, 2), None),
]
TO = [
    ((5,), (2, 5), (2, 5)),
    ((3, 1), (3, 4), (3, 4)),
    ((), (2, 2), (2, 2)),
    ((2, 1, 5), (2, 3, 5), (2, 3, 5)),
    ((1,), (0,), (0,)),
    ((5,), (1,), None),
    ((3, 4), (4,), "rank"),
    ((3, 4), (), "rank"),
    ((2,), (3,), None),
]
# Input, target, axes, result.
EXPLICIT = [
    ((3,), (2, 3, 4), [1], True),
    ((2, 4), (2, 3, 4), [0, 2], True),
    ((2, 1), (2, 3, 4), [0, 1], True),
    ((), (2, 3), [], True),
    ((16,), (1, 16, 5, 5), [1], True),
    ((2, 3), (2, 3), [0, 1], True),
    ((3,), (2, 3), [0], "shape"),
    ((3,), (2, 3), [2], "axes"),
    ((2, 3), (2, 3), [1, 0], "axes"),
    ((2, 3), (2, 3), [0], "axes"),
    ((2, 2), (2, 2), [0, 0], "axes"),
]
NARY = [
    [(2, 3), (3,), ()],
    [(1, 3), (2, 1)],
    [(4, 1, 1), (1, 5, 1), (1, 1, 6)],
    [(3,)],
    [(), (), ()],
    [(2, 1, 1), (1,), (3, 1), (1, 1, 4)],
    [(2, 2)] * 4,
    [(0, 3), (1, 3)],
]
NARY_BAD = [[(2, 3), (2, 4)], [(2,), (3,), (1,)], [(1, 2), (3, 1), (3, 3)], [(0,), (2,)], [(1, 4), (3, 1), (2, 1)]]


def counted(dtype, shape, start):
    """1, 2, 3, ... from `start`: the position of every element is seen in the result."""
    size = int(np.prod(shape, dtype=np.int64))
    return T(dtype, (np.arange(size) + start).reshape(shape))


def both(cases, name, rule, shapes, result, semantics, attrs=None, judgement=None, error="shape"):
    """A shape case and a subtraction."""
    args = {"attrs": attrs, "semantics": semantics, "judgement": judgement, "error": error if result is None else None}
    cases.shape("rules_shape", name, rule, shapes, result, **args)
    subtraction(cases, name, rule, shapes, result, **args)


def subtraction(cases, name, rule, shapes, result, **args):
    """a - b in f32 or i32 by turns."""
    dtype = "f32" if len(cases.lines) % 4 < 2 else "i32"
    attrs = args["attrs"]
    a, b = counted(dtype, shapes[0], 1), counted(dtype, shapes[1], 100)
    if result is None:
        outputs = []
    elif rule == "pdpd":
        outputs = [arithmetic(np.subtract, a, T(dtype, run(b.elements, result, (attrs or {}).get("axis", -1))))]
    else:
        outputs = [arithmetic(np.subtract, a, b)]
        assert outputs[0].shape == tuple(result), (name, outputs[0].shape, result)
    tol = BITS if dtype == "i32" else EXACT
    cases.exec("rules_exec", f"{name}/{dtype}", rule, "Sub", [a, b], outputs, tol, **args)


def run(b, shape, axis):
    """B as a view of A's rank under PDPD."""
    start = len(shape) - b.ndim if axis == -1 else axis
    extents = list(b.shape)
    while extents and extents[-1] == 1:
        extents.pop()
    return np.broadcast_to(b.reshape([1] * start + extents + [1] * (len(shape) - start - len(extents))), shape)


def elementwise_rules(cases):
    for i, (shapes, result) in enumerate(NONE):
        both(cases, f"none/{i}", "none", shapes, result, OPENVINO)
    for rule, table, semantics in [
        ("numpy", OV_NUMPY, OPENVINO),
        ("onnx_multi", ONNX_MULTI, ONNX),
        ("numpy", ZERO, "numpy"),
    ]:
        kind = "zero" if table is ZERO else rule
        for i, (shapes, result) in enumerate(table):
            both(cases, f"{kind}/{i}", rule, shapes, result, semantics)
            if shapes[0] != shapes[1] and result and kind != "zero":
                subtraction(
                    cases,
                    f"{kind}_swapped/{i}",
                    rule,
                    shapes[::-1],
                    result,
                    attrs=None,
                    semantics=semantics,
                    judgement=None,
                    error="shape" if result is None else None,
                )
    for i, (shapes, result) in enumerate(ONNX_UNI):
        cases.shape(
            "rules_shape",
            f"onnx_uni/{i}",
            "onnx_uni",
            shapes,
            result,
            "shape" if result is None else None,
            semantics=ONNX,
        )
        x, slope = counted("f32", shapes[0], -60), counted("f32", shapes[1], 2)
        outputs = [] if result is None else [arithmetic(lambda x, s: np.where(x < 0, x * s, x), x, slope)]
        cases.exec(
            "rules_exec",
            f"onnx_uni/{i}",
            "onnx_uni",
            "PRelu",
            [x, slope],
            outputs,
            EXACT,
            error="shape" if result is None else None,
            semantics=ONNX,
            opset=16,
        )
    for i, (b, axis, result) in enumerate(PDPD):
        attrs = {} if axis is None else {"axis": axis}
        error = result if isinstance(result, str) else None
        both(cases, f"pdpd/{i}", "pdpd", [A, b], None if error else result, OPENVINO, attrs, error=error)
    both(cases, "pdpd/b_to_a_only", "pdpd", [(8, 1, 6, 1), (7, 1, 5)], None, OPENVINO, {"axis": 1})
    both(cases, "pdpd/a_is_not_broadcast", "pdpd", [(1, 3), (2, 3)], None, OPENVINO, {"axis": 0})
    both(cases, "pdpd/default_axis_counts_trailing_ones", "pdpd", [(3, 3), (3, 1)], (3, 3), OPENVINO, {"axis": -1})
    late = "the text drops trailing ones of B before the run is placed, OpenVINO's sources do not"
    both(cases, "pdpd/trailing_ones_past_the_end", "pdpd", [(2, 3), (3, 1)], (2, 3), OPENVINO, {"axis": 1}, late)
    empty = "OpenVINO's sources reject 1 against 0"
    both(cases, "pdpd/one_against_zero", "pdpd", [(0, 3), (1, 3)], (0, 3), OPENVINO, {"axis": 0}, empty)
    both(cases, "pdpd/zero", "pdpd", [(2, 0, 3), (0,)], (2, 0, 3), OPENVINO, {"axis": 1})
    ones = (1,) * 30
    many, other = (2, *ones, *ones, 1, 1, 1), (3, *ones, 4)
    both(cases, "numpy/rank_64", "numpy", [many, other], (2, *ones, 1, 3, *ones, 4), "numpy")
    both(cases, "numpy/rank_8", "numpy", [(2, 1, 2, 1, 2, 1, 2, 1), (1, 2, 1, 2, 1, 2, 1, 2)], (2,) * 8, "numpy")


def broadcast_op(cases, name, mode, rule, x, target, result, error, axes=None, dtype="f32"):
    attrs = {"mode": mode, "target_shape": list(target)}
    inputs = x.elements
    if axes is not None:
        attrs["axes_mapping"] = axes
        if not error:
            placed = [1] * len(target)
            for axis, extent in zip(axes, x.shape):
                placed[axis] = extent
            inputs = inputs.reshape(placed)
    args = {"attrs": attrs, "semantics": OPENVINO, "error": error}
    cases.shape("rules_shape", name, rule, [x.shape], None if error else result, op="OvBroadcast", **args)
    outputs = [] if error else [T(dtype, np.broadcast_to(inputs, result))]
    cases.exec("rules_exec", name, rule, "OvBroadcast", [x], outputs, BITS, **args)


def broadcasts(cases):
    draw = Draw(7)
    for mode, table in [("bidirectional", BIDIRECTIONAL), ("numpy", TO)]:
        for i, (x, target, result) in enumerate(table):
            error = None if isinstance(result, tuple) else result or "shape"
            x = counted("f32", x, 1)
            broadcast_op(cases, f"{mode}_target/{i}", mode, f"ov_broadcast_{mode}", x, target, result, error)
    for i, (x, target, axes, result) in enumerate(EXPLICIT):
        error = None if result is True else result
        x = counted("f32", x, 1)
        broadcast_op(cases, f"explicit/{i}", "explicit", "ov_broadcast_explicit", x, target, target, error, axes)
    for i, (x, target, result) in enumerate(BIDIRECTIONAL):
        x, shape = draw.any("i32", x), T("i64", target)
        cases.exec(
            "rules_exec",
            f"expand/{i}",
            "onnx_expand",
            "Expand",
            [x, shape],
            [] if result is None else [moved(x, result)],
            BITS,
            error="shape" if result is None else None,
            semantics="onnx Expand",
            opset=13,
        )


def nary(cases):
    for i, shapes in enumerate(NARY):
        result = np.broadcast_shapes(*shapes)
        orders = list(itertools.permutations(shapes))[::2] if i == 2 else [shapes]
        for k, order in enumerate(orders):
            xs = [counted("i32", s, 10 * n) for n, s in enumerate(order)]
            name = f"sonnx/{i}.{k}"
            judgement = "the text's max gives 1, NumPy gives 0" if 0 in result else None
            cases.shape("rules_shape", name, "sonnx", order, result, semantics=SONNX, judgement=judgement)
            cases.exec(
                "rules_exec",
                name,
                "sonnx",
                "Broadcast",
                xs,
                [moved(x, result) for x in xs],
                BITS,
                semantics=SONNX,
                judgement=judgement,
            )
    for i, shapes in enumerate(NARY_BAD):
        xs = [counted("i32", s, 0) for s in shapes]
        cases.shape("rules_shape", f"sonnx_bad/{i}", "sonnx", shapes, error="shape", semantics=SONNX)
        cases.exec("rules_exec", f"sonnx_bad/{i}", "sonnx", "Broadcast", xs, error="shape", semantics=SONNX)


def gen(dtype, shape, div=1, mul=1, add=0, mod=1 << 20, off=0):
    return {"dtype": dtype, "shape": shape, "gen": {"div": div, "mul": mul, "add": add, "mod": mod, "off": off}}


def large(cases):
    """Shapes of many workgroups, their elements given by a formula."""

    def case(name, rule, op, inputs, output, tol=BITS, **more):
        cases.exec("rules_large", name, rule, op, inputs, [output], tol, **more)

    scalar = gen("u32", [], mod=1, off=5)
    case(
        "add_scalar",
        "numpy",
        "Add",
        [gen("u32", [700, 1000], mul=7, mod=1009), scalar],
        gen("u32", [700, 1000], mul=7, mod=1009, off=5),
    )
    case(
        "row",
        "numpy",
        "Add",
        [gen("f32", [900, 333], mod=1), gen("f32", [333], mod=333)],
        gen("f32", [900, 333], mod=333),
        EXACT,
    )
    case(
        "column",
        "numpy",
        "Add",
        [gen("i32", [5, 301, 77], mod=1), gen("i32", [301, 1], mod=301)],
        gen("i32", [5, 301, 77], div=77, mod=301),
    )
    case(
        "pdpd",
        "pdpd",
        "Add",
        [gen("i32", [5, 301, 77], mod=1), gen("i32", [301], mod=301)],
        gen("i32", [5, 301, 77], div=77, mod=301),
        attrs={"axis": 1},
    )
    for dtype in ("bool", "u8", "f16", "i64", "f64"):
        mod = {"bool": 2, "u8": 251, "f16": 2039}.get(dtype, 65521)
        case(
            f"expand_{dtype}",
            "onnx_expand",
            "Expand",
            [gen(dtype, [1023, 1], mod=mod), T("i64", [1023, 130])],
            gen(dtype, [1023, 130], div=130, mod=mod),
            opset=13,
        )
    case(
        "outer",
        "numpy",
        "Mul",
        [gen("u16", [1 << 9, 1], mod=1, off=3), gen("u16", [2047], mod=2047)],
        gen("u16", [1 << 9, 2047], mul=3, mod=6141),
    )


def make():
    cases = Cases("rules")
    elementwise_rules(cases)
    broadcasts(cases)
    nary(cases)
    large(cases)
    yield cases
