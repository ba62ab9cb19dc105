#!/usr/bin/env python3
"""Writes ONNX's own test suite of operators as case files: tests/oracle/onnx_suite.py FOLDER.

scripts/setup-onnx-suite.sh runs this with the package at hand.

The suite is that of the installed package `onnx` (onnx.backend.test, kind node). Each case that is one node of the
default domain, and whose operator works element by element, reduces or scans, becomes a case of the group
"onnx suite: OPERATOR" in FOLDER/onnx_suite.jsonl and .bin, with the suite's name, data and tolerance. What is left out
is counted, by reason. The output is the same on every run.
"""

import collections
import json
import pathlib
import sys
import warnings

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto

# Of all operators in the suite, those that neither work element by element nor reduce nor scan. One that is not in this
# list is taken.
LEFT_OUT_OPERATORS = set(
    """
    AffineGrid Attention AveragePool BatchNormalization Bernoulli BlackmanWindow CausalConvWithState CenterCropPad
    Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger ConvTranspose DFT DeformConv
    DepthToSpace Det Dropout DynamicQuantizeLinear Einsum EyeLike Flatten GRU Gather GatherElements GatherND
    GlobalAveragePool GlobalLpPool GlobalMaxPool GridSample GroupNormalization HammingWindow HannWindow If
    ImageDecoder InstanceNormalization LRN LSTM LayerNormalization LinearAttention Loop LpNormalization LpPool
    MatMul MatMulInteger MaxPool MaxRoiPool MaxUnpool MeanVarianceNormalization MelWeightMatrix Multinomial
    NegativeLogLikelihoodLoss NonMaxSuppression NonZero OneHot Optional OptionalGetElement OptionalHasElement Pad
    QLinearConv QLinearMatMul RMSNormalization RNN RandomNormal RandomNormalLike RandomUniform RandomUniformLike
    Range Reshape Resize ReverseSequence RoiAlign RotaryEmbedding STFT Scan Scatter ScatterElements ScatterND
    SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap Shape Size
    Slice SoftmaxCrossEntropyLoss SpaceToDepth Split SplitToSequence Squeeze StringNormalizer StringSplit
    TensorScatter TfIdfVectorizer Tile TopK Transpose Trilu Unique Unsqueeze Upsample
    """.split()
)

RULES = {"PRelu": "onnx_uni", "Gemm": "onnx_uni", "Expand": "onnx_expand", "SwiGLU": "none"}
# Their further inputs are parameters or give a type.
UNARY = {"Clip", "CastLike", "CumProd", "CumSum", "QuantizeLinear", "DequantizeLinear"}

DTYPES = {
    TensorProto.BOOL: "bool",
    TensorProto.UINT8: "u8",
    TensorProto.INT8: "i8",
    TensorProto.UINT16: "u16",
    TensorProto.INT16: "i16",
    TensorProto.UINT32: "u32",
    TensorProto.INT32: "i32",
    TensorProto.UINT64: "u64",
    TensorProto.INT64: "i64",
    TensorProto.FLOAT16: "f16",
    TensorProto.BFLOAT16: "bf16",
    TensorProto.FLOAT: "f32",
    TensorProto.DOUBLE: "f64",
}
FLOATS = {TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE}
# The other types, by the first letters of their names.
LEFT_OUT = [
    ("FLOAT8", "float8"),
    ("FLOAT6", "6-bit types"),
    (("FLOAT4", "INT4", "UINT4"), "4-bit types"),
    (("INT2", "UINT2"), "2-bit types"),
    ("STRING", "strings"),
    ("COMPLEX", "complex numbers"),
]


class LeftOut(Exception):
    """A case that has no place in a case file, and why."""


class Data:
    """The bytes of all tensors; equal ones are stored once."""

    def __init__(self):
        self.bytes, self.places = bytearray(), {}

    def tensor(self, dtype, value):
        elements = onnx.numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)
        if elements.dtype != onnx.helper.tensor_dtype_to_np_dtype(dtype):
            raise LeftOut(f"data of {elements.dtype} declared as {TensorProto.DataType.Name(dtype)}")
        # NumPy stores every type as the case files do, bfloat16 of ml_dtypes too.
        raw = elements.astype(elements.dtype.newbyteorder("<")).tobytes()
        if raw not in self.places:
            self.bytes.extend(bytes(-len(self.bytes) % 16))
            self.places[raw] = len(self.bytes)
            self.bytes.extend(raw)
        return {"dtype": DTYPES[dtype], "shape": list(elements.shape), "off": self.places[raw], "len": len(raw)}


def types(case):
    """The element type of every input and output by its name. Leaves the case out for one that case files lack."""
    found = {}
    for info in [*case.model.graph.input, *case.model.graph.output]:
        if info.type.WhichOneof("value") != "tensor_type":
            raise LeftOut("sequences and optional types")
        found[info.name] = info.type.tensor_type.elem_type
    for dtype in found.values():
        if dtype not in DTYPES:
            name = TensorProto.DataType.Name(dtype)
            raise LeftOut(next((what for prefix, what in LEFT_OUT if name.startswith(prefix)), name))
    return found


def attribute(attr):
    value = onnx.helper.get_attribute_value(attr)
    match attr.type:
        case AttributeProto.INT | AttributeProto.FLOAT:
            return value
        case AttributeProto.STRING:
            return value.decode()
        case AttributeProto.INTS | AttributeProto.FLOATS:
            return list(value)
    raise LeftOut(f"attributes of type {AttributeProto.AttributeType.Name(attr.type)}")


def rule(node):
    # A reduction's second input is its axes.
    unary = node.op_type in UNARY or node.op_type.startswith("Reduce")
    broadcasts = len(node.input) > 1 and not unary
    return RULES.get(node.op_type, "onnx_multi" if broadcasts else "elementwise")


def tolerance(case, dtypes):
    """That of the suite's runner, which allows bfloat16 two units in the last place."""
    rtol = max(case.rtol, 2**-6) if TensorProto.BFLOAT16 in dtypes else case.rtol
    return {"mode": "close", "rtol": rtol, "atol": case.atol}


def lines(case, data):
    """The lines of a case, one for each of its sets of data."""
    if len(case.model.graph.node) != 1:
        raise LeftOut("models of several nodes, an operator written out as others")
    node = case.model.graph.node[0]
    if node.domain not in ("", "ai.onnx"):
        raise LeftOut("operators of another domain")
    if node.op_type in LEFT_OUT_OPERATORS:
        raise LeftOut("operators that neither work element by element nor reduce nor scan")
    if any(attr.name == "block_size" and attr.i for attr in node.attribute):
        raise LeftOut("quantisation in blocks along an axis, which is no broadcasting")
    dtypes = types(case)
    opset = next(o.version for o in case.model.opset_import if o.domain in ("", "ai.onnx"))
    graph = [[info.name for info in infos] for infos in (case.model.graph.input, case.model.graph.output)]
    names = [name for name in node.output if name]
    found = []
    for i, sides in enumerate(case.data_sets):
        # A graph may have inputs that its node does not read.
        values = {n: v for infos, given in zip(graph, sides, strict=True) for n, v in zip(infos, given, strict=True)}
        line = {
            "id": case.name if i == 0 else f"{case.name}/{i}",
            "group": f"onnx suite: {node.op_type}",
            "kind": "exec",
            "rule": rule(node),
            "op": node.op_type,
            "opset": opset,
            "attrs": {attr.name: attribute(attr) for attr in node.attribute},
            "inputs": [data.tensor(dtypes[n], values[n]) if n else {"omitted": True} for n in node.input],
            "outputs": [data.tensor(dtypes[n], values[n]) for n in names],
            "tol": tolerance(case, {dtypes[name] for name in names}),
        }
        if not FLOATS.intersection(dtypes[name] for name in names):
            # The suite compares whole numbers as it does floats.
            line["strict"] = {"mode": "exact"}
        semantics = f"onnx {onnx.__version__}, backend node suite"
        line |= {"expect_error": None, "semantics": semantics, "judgement": None, "tags": []}
        found.append(json.dumps(line, separators=(",", ":"), allow_nan=False))
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tests/oracle/onnx_suite.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # The suite computes its expected outputs while it is imported, infinities among them.
    warnings.simplefilter("ignore", RuntimeWarning)
    from onnx.backend.test.loader import load_model_tests

    suite = load_model_tests(kind="node")
    data, written, operators, left_out = Data(), [], set(), collections.Counter()
    for case in suite:
        try:
            written.extend(lines(case, data))
            operators.add(case.model.graph.node[0].op_type)
        except LeftOut as why:
            left_out[str(why)] += 1
    (folder / "onnx_suite.bin").write_bytes(data.bytes)
    (folder / "onnx_suite.jsonl").write_text("".join(line + "\n" for line in written))

    newest = onnx.defs.onnx_opset_version()
    print(f"onnx {onnx.__version__}, newest opset {newest}: {len(suite)} cases in the suite")
    for why, count in sorted(left_out.items(), key=lambda item: -item[1]):
        print(f"left out: {count} ({why})")
    print(f"left out in all: {left_out.total()}")
    print(f"written: {len(written)} cases of {len(operators)} operators")


if __name__ == "__main__":
    main()
