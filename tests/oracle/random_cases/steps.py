"""Cases of a single step: every operator on every type, casts, views, promotions."""

import numpy as np

from . import dtypes, nodes, ops, shapes, views
from .case import Case, adopt, converted, placed


def pairs(options):
    """Every operator with every type it takes."""
    chosen = [op for op in ops.OPS if options.shifts or not op.shift]
    return [(op, d) for op in chosen for d in op.types_with(options.f64)]


CASTS = [(a, b) for a in dtypes.ALL for b in dtypes.ALL]


def operator(draw, options, op, dtype):
    """One step of this operator on this type."""
    case = Case(draw, options)
    shape = shapes.any_shape(draw)
    count = draw.one([2, 2, 3, 3, 4, 5]) if op.several else op.arity
    places, rule = placed(draw, op, shape, count)
    literal = None
    if count > 1 and not op.several and rule is None and draw.chance(0.14):
        # One operand is a number; the others still give the shape.
        literal = draw.upto(1 if op.name == "where" else 0, count - 1)
        places[1 if literal == 0 else 0] = shape
    domains = op.domains if draw.chance(0.8) else ()
    if op.name in ("hard_sigmoid", "elu", "selu", "celu"):
        domains = op.domains
    parts = []
    left_out = (
        draw.upto(1, len(op.defaults))
        if op.defaults and op.name != "hard_sigmoid" and rule is None and draw.chance(0.2)
        else 0
    )
    if left_out:
        literal, places[0] = None, shape
    for k, place in enumerate(places):
        domain = domains[k] if k < len(domains) else None
        if k >= count - left_out:
            parts.append(nodes.default(dtype, op.defaults[k - count]))
        elif k == literal:
            values = {"exponent": [0, 1, 2, 3, 5, -1], "amount": [0, 1, 3, 7, 8, 20, 40, -1]}.get(domain)
            parts.append(nodes.number(draw, dtype, values))
        elif op.name == "where" and k == 0:
            parts.append(case.leaf("bool" if draw.chance(0.9) else draw.one(["u8", "i32", "f32"]), place))
        elif parts and draw.chance(0.04) and parts[0].leaf and parts[0].dtype == dtype and parts[0].shape == place:
            parts.append(parts[0])
        else:
            parts.append(case.leaf(dtype, place, domain))
    if rule and draw.chance(0.35):
        adopt(case, rule)
    root = case.step(op, dtype, parts, rule)
    tolerance = ops.tolerance(op, root.dtype, case.watch, root.value)
    if draw.chance(0.08):
        root, _ = seen(draw, root)
    return case, root, tolerance


def seen(draw, root, bounds=None):
    """A view of a whole expression, and of how far its elements may be off."""
    forms = [(".T", np.transpose), ("[::-1]", lambda x: x[::-1]), ("[None]", lambda x: x[None])]
    text, f = draw.one(forms if root.shape else forms[::2])
    viewed = nodes.Node(root.at(nodes.ATOM) + text, nodes.ATOM, root.dtype, f(root.value))
    return viewed, None if bounds is None else f(bounds)


def conversion(draw, options, source, target):
    """A cast."""
    case = Case(draw, options)
    if source != target != "bool" and dtypes.STORED[source].itemsize == dtypes.STORED[target].itemsize:
        if draw.chance(0.3):
            x = case.leaf(source, shapes.any_shape(draw))
            value = case.watch.look(target, np.ascontiguousarray(x.value).reshape(x.shape).view(dtypes.STORED[target]))
            return case, nodes.bit_cast(draw, x, target, value), {"mode": "bits"}
    fix = None
    if source in dtypes.FLOATS and target in dtypes.INTS:
        fix = lambda array: draw.whole(source, target, array)
    if source == "f64" and target in dtypes.NARROW_FLOATS:
        fix = lambda array: draw.ties(target, array)
    x = case.leaf(source, shapes.any_shape(draw), fix=fix)
    root = case.cast(x, target)
    tolerance = ops.tolerance(None if source == target else ops.OPS[0], target, case.watch, root.value)
    return case, root, tolerance


def view(draw, options, dtype):
    """Views alone: elements are only moved."""
    case = Case(draw, options)
    shape = shapes.any_shape(draw)
    v = views.behind(draw, shape)
    root = nodes.viewed(v, case.leaf(dtype, v.source, view=0.5))
    return case, root, {"mode": "bits"}


def named(name, dtype):
    return next(op for op in ops.OPS if op.name == name and dtype in op.types)


def promoted(draw, options):
    """A step whose operands or result promote, where this crate and NumPy agree but for f32 in place of f64."""
    return draw.one([mixed, mixed, mixed, divided, divided, of_integers, of_bools, compared, chosen])(draw, options)


def joined(a, b):
    """NumPy's common type, or None where it is a float that arises from integers."""
    if {a, b} == {"f16", "bf16"}:
        return "f32"
    if "bf16" in (a, b):
        other = a if b == "bf16" else b
        table = {"bool": "bf16", "u8": "bf16", "i8": "bf16", "bf16": "bf16", "i16": "f32", "u16": "f32"}
        return table.get(other, other if other in ("f32", "f64") else None)
    common = np.promote_types(dtypes.STORED[a], dtypes.STORED[b])
    name = next(d for d in dtypes.ALL if dtypes.STORED[d] == common)
    return None if name == "f64" and "f64" not in (a, b) else name


def mixed(draw, options):
    """Two types in one step."""
    case = Case(draw, options)
    common = None
    while common is None or common == "f64" and not options.f64:
        types = draw.one(dtypes.ALL), draw.one(dtypes.ALL)
        common = joined(*types)
    names = ["maximum", "minimum", "add", "sub", "mul", "less", "equal", "greater_equal", "where"]
    op = named(draw.one(["equal", "where", "not_equal"] if common == "bool" else names), common)
    shape = shapes.any_shape(draw)
    places, rule = placed(draw, op, shape, op.arity)
    parts = [case.leaf("bool", places[0])] if op.name == "where" else []
    parts += [case.leaf(d, p) for d, p in zip(types, places[-2:])]
    return stepped(case, op, common, parts, rule, skip=op.name == "where")


def stepped(case, op, common, parts, rule=None, skip=False):
    """A step on operands that are brought to a common type first."""
    arrays = [p.value for p in parts]
    if rule and rule[0] == "pdpd":
        arrays = [a.reshape(s) for a, s in zip(arrays, rule[2])]
    cast = [converted_part(case, p, a, common) for p, a in zip(parts[skip:], arrays[skip:])]
    found = op.compute(case.watch, common, arrays[:skip] + cast)
    text, level = case.text(op, parts, rule)
    root = nodes.Node(text, level, op.result(common), found)
    tolerance = ops.tolerance(op, root.dtype, case.watch, found)
    if tolerance["mode"] == "bits" and root.dtype in dtypes.FLOATS and dtypes.has_nan(found):
        tolerance = {"mode": "exact"}
    return case, root, tolerance


def converted_part(case, part, array, common):
    return array if part.dtype in (None, common) else converted(case.watch, part.dtype, common, array)


def divided(draw, options):
    """True division of integers, in f32."""
    case, dtype = Case(draw, options), draw.one(["bool", *dtypes.INTS])
    shape = shapes.any_shape(draw)
    places, rule = placed(draw, ops.OPS[0], shape, 2)
    parts = [case.leaf(dtype, p) for p in places]
    return stepped(case, named("div", "f32"), "f32", parts, rule)


def of_integers(draw, options):
    """A float function of integers, in f32; rounding, which leaves integers alone, but that `round` makes floats of bools; means."""
    case, dtype = Case(draw, options), draw.one(["bool", *dtypes.INTS])
    shape = shapes.any_shape(draw)
    way = draw.choice.random()
    if way < 0.3:
        x = case.leaf(dtype, shape)
        name = draw.one(["floor", "ceil", "trunc", "round"])
        text, level = nodes.call(draw, name, [x])
        if name == "round" and dtype == "bool":
            return case, nodes.Node(text, level, "f32", x.value.astype(np.float32)), {"mode": "bits"}
        return case, nodes.Node(text, level, dtype, x.value), {"mode": "bits"}
    if way < 0.5:
        op = named("mean_n", "f32")
        parts = [case.leaf(dtype, p) for p in shapes.operands(draw, shape, 3)]
        return stepped(case, op, "f32", parts)
    one_operand = [op for op in ops.FUNCTIONS if op.arity == 1] + [named("sqrt", "f32")]
    return stepped(case, draw.one(one_operand), "f32", [case.leaf(dtype, shape)])


def of_bools(draw, options):
    """Arithmetic on bools is logic; logic on numbers asks whether they are not 0."""
    case, shape = Case(draw, options), shapes.any_shape(draw)
    if draw.chance(0.4):
        table = {"add": np.logical_or, "mul": np.logical_and, "maximum": np.logical_or, "minimum": np.logical_and}
        table |= {"less": np.less, "less_equal": np.less_equal, "greater": np.greater}
        name = draw.one(list(table))
        parts = [case.leaf("bool", p) for p in shapes.operands(draw, shape, 2)]
        found = table[name](*[p.value for p in parts])
        text, level = case.text(named(name, "f32"), parts, None)
        return case, nodes.Node(text, level, "bool", np.asarray(found)), {"mode": "bits"}
    name, types = draw.one(["logical_and", "logical_or", "logical_xor"]), [draw.one(dtypes.ALL) for _ in range(2)]
    parts = [case.leaf(d, p) for d, p in zip(types, shapes.operands(draw, shape, 2))]
    found = named(name, "bool").f(*[p.value != 0 for p in parts])
    text, level = nodes.call(draw, name, parts)
    return case, nodes.Node(text, level, "bool", np.asarray(found)), {"mode": "bits"}


def compared(draw, options):
    """Integers compared with a whole number that their type need not hold."""
    case, dtype = Case(draw, options), draw.one(dtypes.INTS)
    x = case.leaf(dtype, shapes.any_shape(draw))
    info = np.iinfo(dtypes.STORED[dtype])
    number = draw.one([-1, int(info.max) + 1, int(info.min) - 1, 1 << 70, int(info.max), int(info.min), 3])
    literal = nodes.Node(str(number), nodes.UNARY if number < 0 else nodes.ATOM, None, None)
    op = draw.one([op for op in ops.TESTS if op.arity == 2 and dtype in op.types])
    swapped = draw.chance(0.3)
    whole = np.array(x.value.reshape(-1).tolist(), dtype=object)
    found = op.f(number, whole) if swapped else op.f(whole, number)
    text, level = case.text(op, [literal, x] if swapped else [x, literal], None)
    return case, nodes.Node(text, level, "bool", np.asarray(found, dtype=bool).reshape(x.shape)), {"mode": "bits"}


def chosen(draw, options):
    """Numbers alone chosen by a condition: i64, or f32 with a float among them."""
    case = Case(draw, options)
    c = case.leaf("bool", shapes.any_shape(draw))
    dtype = draw.one(["i64", "f32"])
    values = [0, 1, 2, -1, 100] if dtype == "i64" else [0.5, 1.5, -0.25]
    a, b = nodes.number(draw, dtype, values), nodes.number(draw, dtype, values)
    found = np.where(c.value, a.value, b.value)
    text, level = nodes.call(draw, "where", [c, a, b])
    return case, nodes.Node(text, level, dtype, found), {"mode": "bits"}
