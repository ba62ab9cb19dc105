#!/usr/bin/env python3
"""Writes ONNX's own test suite of operators as model files: tests/oracle/onnx_nodes.py FOLDER.

scripts/setup-onnx-nodes.sh runs this with the package at hand.

The suite is that of the installed package `onnx` (onnx.backend.test, kind node). Each of its cases becomes a folder, with
the names that ONNX's repository gives the files: model.onnx, test_data_set_0/input_0.pb, output_0.pb and so on, and
beside them tolerance.txt, the relative and the absolute tolerance of the suite's runner. No case is left out.
"""

import pathlib
import sys
import warnings

import numpy as np
from onnx import TensorProto, numpy_helper


def message(info, value):
    """A value as the message that its declared type asks for."""
    if isinstance(value, TensorProto):
        return value
    match info.type.WhichOneof("value"):
        case "tensor_type":
            return numpy_helper.from_array(np.asarray(value), info.name)
        case "sequence_type":
            return numpy_helper.from_list(value, info.name)
    return numpy_helper.from_optional(value, info.name)


def write(case, folder):
    (sides,) = case.data_sets
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    (folder / "tolerance.txt").write_text(f"{case.rtol} {case.atol}\n")
    graph = case.model.graph
    for name, infos, values in zip(("input", "output"), (graph.input, graph.output), sides, strict=True):
        for i, (info, value) in enumerate(zip(infos, values, strict=True)):
            (data / f"{name}_{i}.pb").write_bytes(message(info, value).SerializeToString())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tests/oracle/onnx_nodes.py FOLDER")
    # The suite computes its expected outputs while it is imported, infinities among them.
    warnings.simplefilter("ignore", RuntimeWarning)
    from onnx.backend.test.loader import load_model_tests

    suite = load_model_tests(kind="node")
    for case in suite:
        write(case, pathlib.Path(sys.argv[1]) / case.name)
    print(f"written: {len(suite)} cases")


if __name__ == "__main__":
    main()
