#!/usr/bin/env python3
"""Writes tests/gradients/cases.jsonl: gradients of expressions, with PyTorch as the oracle.

The output is the same on every run with one version of PyTorch; any that runs on the CPU does. `tests/host/gradients.rs` reads
it. A case is an expression, inputs, the gradient of its elements, and PyTorch's gradients by the inputs of floats.
"""

import json
import pathlib

import torch
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_num_threads(1)

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i32": torch.int32,
}
cases = []


def tensor(shape, low=-2.5, high=2.5):
    """Numbers of a few digits between two bounds."""
    x = torch.rand(shape, dtype=torch.float64) * (high - low) + low
    return torch.round(x * 1000) / 1000


def case(name, text, function, inputs, dtype="f64"):
    """Adds a case. Inputs are tensors or nested lists by their names; integers stay integers."""
    given = {}
    for key, x in inputs.items():
        x = x if torch.is_tensor(x) else torch.tensor(x, dtype=torch.float64)
        given[key] = x if x.dtype == torch.int32 else x.to(DTYPES[dtype])
    floats = [key for key, x in given.items() if x.dtype.is_floating_point]
    for key in floats:
        given[key] = given[key].detach().requires_grad_()
    y = function(**given)
    weights = tensor(y.shape, 0.25, 2.0).to(y.dtype)
    gradients = torch.autograd.grad(y, [given[k] for k in floats], weights)

    def spec(x, **more):
        names = {d: n for n, d in DTYPES.items()}
        values = [v if isinstance(v, int) else float(v) for v in x.detach().flatten().tolist()]
        return more | {"dtype": names[x.dtype], "shape": list(x.shape), "data": values}

    cases.append(
        {
            "id": f"{name}/{dtype}",
            "expr": text,
            "inputs": [spec(x, name=k) for k, x in given.items()],
            "given": spec(weights, name="given"),
            "gradients": [spec(g, name=k) for k, g in zip(floats, gradients)],
        }
    )


# Functions of one operand, by the places where they have a slope.
ANY, INSIDE, POSITIVE, ABOVE = (-2.5, 2.5), (-0.95, 0.95), (0.05, 4.0), (1.05, 4.0)
UNARY = {
    "abs": (torch.abs, ANY),
    "acos": (torch.acos, INSIDE),
    "acosh": (torch.acosh, ABOVE),
    "asin": (torch.asin, INSIDE),
    "asinh": (torch.asinh, ANY),
    "atan": (torch.atan, ANY),
    "atanh": (torch.atanh, INSIDE),
    "ceil": (torch.ceil, ANY),
    "celu": (F.celu, ANY),
    "cos": (torch.cos, ANY),
    "cosh": (torch.cosh, ANY),
    "elu": (F.elu, ANY),
    "erf": (torch.erf, ANY),
    "exp": (torch.exp, ANY),
    "exp2": (torch.exp2, ANY),
    "expm1": (torch.expm1, ANY),
    "floor": (torch.floor, ANY),
    "gelu": (F.gelu, ANY),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), ANY),
    "hard_swish": (F.hardswish, (-4.0, 4.0)),
    "leaky_relu": (F.leaky_relu, ANY),
    "log": (torch.log, POSITIVE),
    "log10": (torch.log10, POSITIVE),
    "log1p": (torch.log1p, POSITIVE),
    "log2": (torch.log2, POSITIVE),
    "mish": (F.mish, ANY),
    "reciprocal": (torch.reciprocal, POSITIVE),
    "relu": (F.relu, ANY),
    "round": (torch.round, ANY),
    "sigmoid": (torch.sigmoid, ANY),
    "sign": (torch.sign, ANY),
    "sin": (torch.sin, ANY),
    "sinh": (torch.sinh, ANY),
    "softplus": (F.softplus, ANY),
    "softsign": (F.softsign, ANY),
    "sqrt": (torch.sqrt, POSITIVE),
    "swish": (F.silu, ANY),
    "tan": (torch.tan, (-1.4, 1.4)),
    "tanh": (torch.tanh, ANY),
    "trunc": (torch.trunc, ANY),
}
for name, (function, bounds) in UNARY.items():
    x = tensor([6], *bounds)
    case(name, f"{name}(x)", lambda x, f=function: f(x), {"x": x})
    case(name, f"{name}(x)", lambda x, f=function: f(x), {"x": x}, "f32")
for name in ["exp", "gelu", "mish", "sigmoid", "tanh"]:
    for dtype in ["f16", "bf16"]:
        function = UNARY[name][0]
        case(name, f"{name}(x)", lambda x, f=function: f(x), {"x": tensor([6])}, dtype)
case("relu at 0", "relu(x)", lambda x: F.relu(x), {"x": [-1.0, 0.0, 1.0]})
case("abs at 0", "abs(x)", lambda x: torch.abs(x), {"x": [-1.0, 0.0, 1.0]})

# Operators of several operands, broadcast.
a, b, p = tensor([2, 3]), tensor([3], 0.4, 2.0), tensor([2, 3], 0.3, 3.0)
BINARY = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "a % b": lambda a, b: torch.remainder(a, b),
    "fmod(a, b)": lambda a, b: torch.fmod(a, b),
    "a // b": lambda a, b: torch.floor_divide(a.detach(), b.detach()) + 0 * (a + b),
    "maximum(a, b)": lambda a, b: torch.maximum(a, b),
    "minimum(a, b)": lambda a, b: torch.minimum(a, b),
    "prelu(a, b)": lambda a, b: torch.where(a < 0, a * b, a),
    "where(a > 0, a, b)": lambda a, b: torch.where(a > 0, a, b),
    "-a * b": lambda a, b: -a * b,
}
for text, function in BINARY.items():
    case(text, text, function, {"a": a, "b": b})
case("power", "a ** b", lambda a, b: a**b, {"a": p, "b": b})
case("power of negative numbers", "a ** 3", lambda a: a**3, {"a": a})
case("power at 0", "a ** b", lambda a, b: a**b, {"a": [0.0, 0.0, 2.0], "b": [2.0, 1.0, 0.0]})
case("ties", "maximum(a, b)", lambda a, b: torch.maximum(a, b), {"a": [1.0, 2.0, 3.0], "b": [1.0, 3.0, 2.0]})
case("ties of the smaller", "minimum(a, b)", lambda a, b: torch.minimum(a, b), {"a": [1.0, 2.0], "b": [1.0, 1.0]})
case(
    "clip and its bounds",
    "clip(a, b, c)",
    lambda a, b, c: torch.clamp(a, b, c),
    {"a": [-2.0, -1.0, 0.0, 1.0, 2.0, 0.5], "b": [-1.0], "c": [1.0]},
)
case("selu", "selu(a, 1.6732632423543772, 1.0507009873554805)", lambda a: F.selu(a), {"a": a})
case("celu by alpha", "celu(a, 1.5)", lambda a: F.celu(a, 1.5), {"a": a})
case("leaky_relu by alpha", "leaky_relu(a, 0.3)", lambda a: F.leaky_relu(a, 0.3), {"a": a})

# Shapes.
x3 = tensor([2, 3, 4])
VIEWS = {
    "x[1] ** 2": lambda x: x[1] ** 2,
    "x[:, 1:, ::2] ** 2": lambda x: x[:, 1:, ::2] ** 2,
    "x[..., ::-1] * x": lambda x: x.flip(-1) * x,
    "x[:, -1, None] ** 2": lambda x: x[:, -1, None] ** 2,
    "(x[..., 1:] - x[..., :-1]) ** 2": lambda x: (x[..., 1:] - x[..., :-1]) ** 2,
    "x.T[::3] ** 2": lambda x: x.permute(2, 1, 0)[::3] ** 2,
    "x.reshape(6, 4)[:, 3] ** 2": lambda x: x.reshape(6, 4)[:, 3] ** 2,
    "x.transpose(1, 2, 0).reshape(-1) ** 2": lambda x: x.permute(1, 2, 0).reshape(-1) ** 2,
    "broadcast_to(x[0, 0], (3, 4)) ** 2": lambda x: x[0, 0].expand(3, 4) ** 2,
}
for text, function in VIEWS.items():
    case(text, text, function, {"x": x3})

# Reductions.
FOLDS = {
    "sum(x, axis=1)": lambda x: x.sum(1),
    "sum(x)": lambda x: x.sum(),
    "mean(x, axis=(0, 2))": lambda x: x.mean((0, 2)),
    "prod(x, axis=2)": lambda x: x.prod(2),
    "max(x, axis=2)": lambda x: x.amax(2),
    "min(x, axis=(0, 1), keepdims=True)": lambda x: x.amin((0, 1), keepdim=True),
    "var(x, axis=1)": lambda x: x.var(1, correction=0),
    "var(x, axis=(0, 2), ddof=1)": lambda x: x.var((0, 2), correction=1),
    "std(x, axis=-1)": lambda x: x.std(-1, correction=0),
    "logsumexp(x, axis=1)": lambda x: x.logsumexp(1),
    "sum(abs(x), axis=0)": lambda x: x.abs().sum(0),
    "sqrt(sum(x * x, axis=2))": lambda x: x.norm(dim=2),
    "x * sum(x, axis=0)": lambda x: x * x.sum(0),
    "x - max(x, axis=-1, keepdims=True)": lambda x: x - x.amax(-1, keepdim=True),
}
for text, function in FOLDS.items():
    case(text, text, function, {"x": x3})
    case(text, text, function, {"x": x3}, "f32")
case("ties", "max(x, axis=1)", lambda x: x.amax(1), {"x": [[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]]})
case("zeros", "prod(x, axis=1)", lambda x: x.prod(1), {"x": [[1.0, 2.0, 4.0], [3.0, 0.0, 2.0], [0.0, 0.0, 5.0]]})
case("integers", "x * mean(i)", lambda x, i: x * i.double().mean(), {"x": a, "i": torch.tensor([1, 2, 6], dtype=torch.int32)})
case("sum of halves", "sum(x * x, axis=1)", lambda x: (x * x).sum(1), {"x": tensor([2, 3])}, "f16")


# Whole expressions.
def norm(x, gamma, beta):
    return F.layer_norm(x, [5], gamma, beta, 1e-5)


text = "(x - mean(x, axis=-1, keepdims=True)) / sqrt(var(x, axis=-1, keepdims=True) + 1e-5) * gamma + beta"
for dtype in ["f64", "f32"]:
    case("layer norm", text, norm, {"x": tensor([3, 5]), "gamma": tensor([5]), "beta": tensor([5])}, dtype)
case("softmax", "exp(x - logsumexp(x, axis=-1, keepdims=True))", lambda x: x.softmax(-1), {"x": tensor([3, 4])})
case(
    "cross entropy",
    "mean(logsumexp(x, axis=1) - sum(x * t, axis=1))",
    lambda x, t: F.cross_entropy(x, t.double()),
    {"x": tensor([3, 4]), "t": torch.eye(4, dtype=torch.int32)[[1, 3, 0]]},
)
case(
    "product of matrices",
    "tanh(sum(x[:, :, None] * w, axis=1) + b)",
    lambda x, w, b: torch.tanh(x @ w + b),
    {"x": tensor([2, 3]), "w": tensor([3, 4]), "b": tensor([4])},
)
case(
    "casts",
    "(x.astype(f32) * y.astype(f32)).astype(f64) * x",
    lambda x, y: (x.float() * y.float()).double() * x,
    {"x": tensor([4]), "y": tensor([4])},
)

path = pathlib.Path(__file__).resolve().parent.parent / "tests" / "gradients" / "cases.jsonl"
path.parent.mkdir(exist_ok=True)
lines = [json.dumps(c, separators=(",", ":")) for c in cases]
path.write_text("\n".join(lines) + "\n")
print(f"{path.name}: {len(cases)} cases, {path.stat().st_size} bytes")
