"""Tensors, draws and the two files of a set of cases.

Arithmetic of f16 and bf16 is done in float32 and rounded to nearest even, that of functions in float64. No case
depends on subnormal float32 values, which adapters may flush, except where bits are only moved.
"""

import json
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "cases"

NUMPY = {
    "bool": np.bool_,
    "u8": np.uint8,
    "i8": np.int8,
    "u16": np.uint16,
    "i16": np.int16,
    "u32": np.uint32,
    "i32": np.int32,
    "i64": np.int64,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": np.uint16,
    "f32": np.float32,
    "f64": np.float64,
}
ONNX = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "f16": 10, "f64": 11}
ONNX |= {"u32": 12, "u64": 13, "bf16": 16}
UNSIGNED = ["u8", "u16", "u32"]
SIGNED = ["i8", "i16", "i32"]
INTS = ["u8", "i8", "u16", "i16", "u32", "i32"]
FLOATS = ["f16", "bf16", "f32"]
NUMERIC = INTS + FLOATS
ALL = ["bool", *NUMERIC]

BITS = {"mode": "bits"}
EXACT = {"mode": "exact"}


def ulp(n):
    return {"mode": "ulp", "n": n}


def close(rtol, atol=1e-7):
    return {"mode": "close", "rtol": rtol, "atol": atol}


class T:
    """A tensor: a dtype and its elements as NumPy stores them; bf16 as the bits in uint16."""

    def __init__(self, dtype, elements):
        self.dtype = dtype
        self.elements = np.asarray(elements, dtype=NUMPY[dtype])

    @property
    def shape(self):
        return self.elements.shape

    def wide(self):
        """The values in a type that NumPy computes with: float32 for f16 and bf16, else its own."""
        if self.dtype == "bf16":
            return (self.elements.astype(np.uint32) << 16).view(np.float32)
        return self.elements.astype(np.float32) if self.dtype == "f16" else self.elements


OMITTED = "omitted"


def round_to(dtype, values):
    """The tensor of this dtype nearest to these values, ties to even; integers wrap."""
    values = np.asarray(values)
    if dtype != "bf16":
        return T(dtype, values.astype(NUMPY[dtype]))
    bits = np.atleast_1d(values.astype(np.float32)).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return T("bf16", np.where(nan, (bits >> 16) | 0x40, rounded).astype(np.uint16).reshape(values.shape))


class Cases:
    """One pair of files."""

    def __init__(self, name):
        self.name, self.lines, self.ids = name, [], set()
        self.data, self.places = bytearray(), {}

    def tensor(self, t):
        if t is OMITTED:
            return {"omitted": True}
        if isinstance(t, dict):
            return t
        raw = np.ascontiguousarray(t.elements).tobytes()
        if raw not in self.places:
            self.data.extend(bytes(-len(self.data) % 16))
            self.places[raw] = len(self.data)
            self.data.extend(raw)
        return {"dtype": t.dtype, "shape": list(t.shape), "off": self.places[raw], "len": len(raw)}

    def line(self, kind, group, name, rule, op, inputs, outputs, tol, error, attrs, semantics, judgement, **more):
        case_id = f"{group}/{name}"
        assert case_id not in self.ids, case_id
        self.ids.add(case_id)
        case = {"id": case_id, "group": group, "kind": kind, "rule": rule, "op": op}
        if opset := more.get("opset"):
            case["opset"] = opset
        case |= {"attrs": attrs or {}, "inputs": inputs, "outputs": outputs, "tol": tol}
        if strict := more.get("strict"):
            case["strict"] = strict
        case |= {"expect_error": error, "semantics": semantics, "judgement": judgement, "tags": more.get("tags", [])}
        self.lines.append(json.dumps(case, separators=(",", ":")))

    def exec(
        self,
        group,
        name,
        rule,
        op,
        inputs,
        outputs=(),
        tol=None,
        error=None,
        attrs=None,
        semantics="numpy",
        judgement=None,
        **more,
    ):
        """A case that runs `op`; with `error`, one that must be refused."""
        inputs, outputs = [self.tensor(t) for t in inputs], [self.tensor(t) for t in outputs]
        self.line(
            "exec",
            group,
            name,
            rule,
            op,
            inputs,
            outputs,
            None if error else tol,
            error,
            attrs,
            semantics,
            judgement,
            **more,
        )

    def expression(self, group, name, text, inputs, output, tol, rule="numpy", semantics="numpy", **more):
        """A case that runs an expression over inputs by name."""
        tensors = [{"name": k, **self.tensor(t)} for k, t in inputs.items()]
        outputs = [self.tensor(output)]
        self.line("expression", group, name, rule, text, tensors, outputs, tol, None, None, semantics, None, **more)

    def shape(
        self,
        group,
        name,
        rule,
        inputs,
        output=None,
        error=None,
        attrs=None,
        semantics="numpy",
        judgement=None,
        op="BroadcastShape",
    ):
        """A case that asks only for the output's shape, or for the error."""
        tensors = [
            [{"dtype": "f32", "shape": list(s)} for s in shapes] for shapes in (inputs, [output]) if shapes != [None]
        ]
        self.line(
            "shape",
            group,
            name,
            rule,
            op,
            tensors[0],
            [] if error else tensors[1],
            None,
            error,
            attrs,
            semantics,
            judgement,
        )

    def write(self, folder=FOLDER):
        (folder / f"{self.name}.jsonl").write_text("".join(line + "\n" for line in self.lines))
        (folder / f"{self.name}.bin").write_bytes(self.data)
        return len(self.lines), sum(map(len, self.lines)) + len(self.data)


class Draw:
    """Elements drawn with a fixed seed."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def any(self, dtype, shape, low=-16, high=16):
        """Any value of an integer type, its limits often; quarters from low to high for floats."""
        if dtype == "bool":
            return T(dtype, self.rng.integers(0, 2, shape))
        if dtype in FLOATS:
            return round_to(dtype, self.rng.integers(low * 4, high * 4 + 1, shape) / np.float32(4))
        info = np.iinfo(NUMPY[dtype])
        limits = np.array(
            [info.min, info.min + 1, 0, 1, 3, info.max // 2 + 1, info.max - 1, info.max], dtype=NUMPY[dtype]
        )
        drawn = self.rng.integers(info.min, info.max, shape, endpoint=True, dtype=NUMPY[dtype])
        return T(dtype, np.where(self.rng.random(shape) < 0.4, self.rng.choice(limits, shape), drawn))

    def small(self, dtype, shape, low=-9, high=9):
        """Whole numbers of small magnitude, without negative ones for unsigned types."""
        low = 0 if dtype in UNSIGNED else low
        return round_to(dtype, self.rng.integers(low, high + 1, shape).astype(np.float32))

    def divisor(self, dtype, shape):
        """Whole numbers from 2 to 9, some negative for signed types."""
        signs = 1 if dtype in UNSIGNED else self.rng.choice([-1, 1], shape)
        return round_to(dtype, (self.rng.integers(2, 10, shape) * signs).astype(np.float32))

    def real(self, dtype, shape, scale=3.0):
        """Reals that need every bit of the significand."""
        return round_to(dtype, self.rng.normal(0, scale, shape).astype(np.float32))


def of(dtype, *values):
    """A tensor of rank 1 of these values."""
    return round_to(dtype, np.array(values, dtype=np.float64 if dtype in FLOATS else None))


def arithmetic(f, *tensors):
    """f on the values, rounded to the first tensor's dtype."""
    with np.errstate(all="ignore"):
        return round_to(tensors[0].dtype, f(*[t.wide() for t in tensors]))


def function(f, *tensors):
    """f in float64, rounded to the first tensor's dtype."""
    with np.errstate(all="ignore"):
        return round_to(tensors[0].dtype, f(*[t.wide().astype(np.float64) for t in tensors]))


def compare(f, *tensors):
    with np.errstate(all="ignore"):
        return T("bool", f(*[t.wide() for t in tensors]))


def moved(x, shape):
    return T(x.dtype, np.broadcast_to(x.elements, shape))


INF, NAN = float("inf"), float("nan")
