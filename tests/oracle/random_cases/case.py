"""One case as it grows: inputs, operands, steps."""

import numpy as np

from . import dtypes, nodes, shapes, views
from .nodes import ATOM, Node
from .watch import Watch

NAMES = ["x", "y", "z", "w", "a", "b", "c", "d", "h", "k", "m", "n", "p", "q", "r", "s", "t", "u", "v", "e", "pi"]
NAMES += ["mean", "x1", "x2", "y_1", "_z", "Ab", "row", "col", "gamma", "beta", "äh"]


class Case:
    """The inputs of a case, and what its steps are made with."""

    def __init__(self, draw, options):
        self.draw, self.options = draw, options
        self.watch = Watch(options.subnormals)
        self.inputs = {}
        # The rule of steps that name none, as the runner calls it, and its attributes.
        self.rule, self.attributes = "numpy", {}
        # How far each element of the result may be off, where the tolerance says bounds.
        self.bounds = None
        # The operator that ONNX names, its attributes and its operation set, if the case is no text.
        self.operator = None

    def input(self, dtype, array):
        """A new input by a name of its own."""
        name = self.draw.one(NAMES[:6] if len(self.inputs) < 3 else NAMES)
        while name in self.inputs:
            name = self.draw.one(NAMES) if len(self.inputs) < len(NAMES) - 4 else f"i{len(self.inputs)}"
        self.inputs[name] = (dtype, np.ascontiguousarray(array).reshape(array.shape))
        return Node(name, ATOM, dtype, self.inputs[name][1], leaf=True)

    def leaf(self, dtype, shape, domain=None, view=0.35, calm=False, fix=None):
        """An operand of this shape: an input, or views of one. `fix` changes the elements that were drawn."""
        chain = []
        while self.draw.chance(view) and len(chain) < 3:
            chain.append(views.behind(self.draw, shape))
            shape, view = chain[-1].source, 0.25
        array = self.draw.elements(dtype, shape, domain, calm)
        x = self.input(dtype, array if fix is None else fix(array))
        for v in reversed(chain):
            x = nodes.viewed(v, x)
        self.watch.look(dtype, x.value)
        return x

    def step(self, op, dtype, parts, rule=None):
        """A step on operands of one type; numbers among them take it. `rule` is ("pdpd", axis, NumPy's shapes), or the
        name of another."""
        arrays = [p.value for p in parts]
        if rule and rule[0] == "pdpd":
            arrays = [a.reshape(s) for a, s in zip(arrays, rule[2])]
        found = op.compute(self.watch, dtype, arrays)
        text, level = self.text(op, parts, None if self.rule != "numpy" else rule)
        return Node(text, level, op.result(dtype), found)

    def text(self, op, parts, rule):
        draw = self.draw
        names = [*op.names, "fabs"] if op.name == "abs" and parts[0].dtype in dtypes.FLOATS else op.names
        operands = () if op.several or op.name == "clip" else op.operands
        if rule:
            return nodes.call(draw, draw.one(names), parts, keywords(draw, rule), operands)
        if op.symbol and draw.chance(0.6):
            return nodes.infix(draw, op.symbol, *parts)
        if op.name == "neg" and draw.chance(0.7):
            return nodes.prefix("-", parts[0])
        if op.name in ("bit_not", "logical_not") and draw.chance(0.7):
            return nodes.prefix("~", parts[0])
        if op.name == "clip" and parts[0].dtype and draw.chance(0.3):
            low, high = parts[1].text, parts[2].text
            lower, upper = draw.one([("min", "max"), ("a_min", "a_max"), ("lo", "hi")])
            return draw.one(
                [
                    (f"clip({parts[0].text}, {lower}={low}, {upper}={high})", ATOM),
                    (f"{parts[0].at(ATOM)}.clip({upper}={high}, {lower}={low})", ATOM),
                    (f"np.clip({parts[0].text}, {low}, {upper}={high})", ATOM),
                ]
            )
        name = draw.one(names)
        return nodes.call(draw, name, parts, operands=() if name == "square" else operands)

    def cast(self, x, dtype):
        """A part as another type; floats must fit an integer type once truncated."""
        return nodes.cast(self.draw, x, dtype, converted(self.watch, x.dtype, dtype, x.value))

    def output(self, root):
        """The elements of the whole expression."""
        return np.ascontiguousarray(root.value).reshape(root.shape)


def converted(watch, source, target, array):
    """Elements as another type, rounded once; integers keep their low bits, and all elements theirs in their own type."""
    if source == target:
        return array
    if target == "bool":
        return np.asarray(array != 0)
    if source in dtypes.INTS and target in ("f16", "bf16"):
        array = array.astype(np.float32)
    if source in ("f16", "bf16"):
        array = array.astype(np.float32)
    found = dtypes.rounded(target, array)
    return watch.look(target, found) if target in dtypes.FLOATS else found


def adopt(case, rule):
    """Makes the rule of a single step the default of the whole case."""
    case.rule = {"uni": "onnx_uni"}.get(rule[0], rule[0])
    case.attributes = {"axis": rule[1]} if rule[0] == "pdpd" else {}


def keywords(draw, rule):
    """The rule of one call."""
    kind = rule[0]
    if kind != "pdpd":
        return [f"rule={draw.one([repr(kind), kind])}"]
    axis = f"axis={rule[1]}"
    forms = [[axis], [axis], ["rule='pdpd'", axis], [axis, "rule=pdpd"]]
    return draw.one(forms + [["rule='pdpd'"]] * (rule[1] == -1))


def placed(draw, op, shape, count):
    """The shapes of a step's operands, and the rule that aligns them onto `shape`."""
    way = draw.choice.random()
    if count == 1 or way < 0.87:
        return shapes.operands(draw, shape, count), None
    if way < 0.89:
        return [shape] * count, ("none",)
    if way < 0.92:
        return [shape if k == op.target else shapes.operand(draw, shape) for k in range(count)], ("uni",)
    if op.defaults:
        # A call whose last operands may be left out takes no axis.
        return shapes.operands(draw, shape, count), None
    given, numpy, axis = [], [], None
    for k in range(count):
        if k == op.target:
            given.append(shape)
            numpy.append(shape)
            continue
        run = shapes.run(draw, shape)
        while axis is not None and run[1] != axis:
            run = shapes.run(draw, shape)
        axis = run[1]
        given.append(run[0])
        numpy.append(run[2])
    return given, ("pdpd", axis, numpy)
