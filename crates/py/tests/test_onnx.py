"""Models of ONNX files."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import zerostride as zs
import zerostride.onnx


def save(path, nodes, inputs, outputs, initializers=()):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "g",
        [value(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [value(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in initializers],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), path)
    return path


@pytest.fixture
def perceptron(tmp_path):
    weights = np.arange(6, dtype=np.float32).reshape(3, 2)
    nodes = [helper.make_node("MatMul", ["x.1", "w"], ["m"]), helper.make_node("Relu", ["m"], ["y"], name="last")]
    path = save(tmp_path / "m.onnx", nodes, {"x.1": ["rows", 3]}, {"y": ["rows", 2]}, [("w", weights)])
    return path, weights


def test_a_model_is_called_with_arrays(perceptron):
    path, weights = perceptron
    model = zs.onnx.load(path)
    assert model.inputs == {"x.1": ("f32", ("rows", "3"))}
    assert model.outputs == ("y",)
    for rows in (1, 4, 1):
        x = np.linspace(-1, 1, 3 * rows, dtype=np.float32).reshape(rows, 3)
        (y,) = model({"x.1": x}).values()
        np.testing.assert_allclose(np.asarray(y), np.maximum(x @ weights, 0), rtol=1e-6, atol=1e-6)
    # Arrays on the device stay there.
    lazy = zs.asarray(x) * 2
    np.testing.assert_allclose(np.asarray(model({"x.1": lazy})["y"] / 2), np.asarray(y), rtol=1e-6)


def test_what_a_model_does_not_take_is_said(perceptron, tmp_path):
    path, _ = perceptron
    model = zs.onnx.load(path)
    with pytest.raises(ValueError, match=r'the input "x\.1" is not given'):
        model()
    with pytest.raises(ValueError, match="declared as f32, not i64"):
        model({"x.1": [[1, 2, 3]]})
    with pytest.raises(ValueError, match='it has no input "z"'):
        model(z=1.0)
    conv = save(tmp_path / "c.onnx", [helper.make_node("Conv", ["x", "x"], ["y"])], {"x": [1]}, {"y": [1]})
    with pytest.raises(TypeError, match="Conv of the domain ai.onnx, a convolution"):
        zs.onnx.load(conv)
    (tmp_path / "b.onnx").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="no ONNX model"):
        zs.onnx.load(tmp_path / "b.onnx")
