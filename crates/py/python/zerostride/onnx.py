"""ONNX models, with every node on the GPU."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _core
from ._array import Array
from ._creation import asarray

__all__ = ["Model", "load"]


class Model:
    """An ONNX model, which `load` returns. Call it with arrays by the names of its inputs.

    Further calls with inputs of the same shapes reuse the plans and kernels.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._model = _core.OnnxModel(os.fspath(path))

    @property
    def inputs(self) -> dict[str, tuple[str, tuple[str | None, ...] | None]]:
        """The element type and shape of each input as the model declares them.

        An extent is a string, of a number or a name, or None if it may be anything; so may be the shape.
        """
        return {name: (dtype, None if shape is None else tuple(shape)) for name, dtype, shape in self._model.inputs}

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(self._model.outputs)

    def __call__(self, inputs: Mapping[str, Any] | None = None, /, **named: Any) -> dict[str, Array]:
        """Computes the outputs, as arrays by their names.

        Inputs are anything that `asarray` supports, in a mapping or by keyword.
        """
        given = {**(inputs or {}), **named}
        arrays = [asarray(value).lazy for value in given.values()]
        return dict(zip(self.outputs, map(Array.of, self._model.run(list(given), arrays)), strict=True))

    def __repr__(self) -> str:
        return f"zerostride.onnx.Model({', '.join(self.inputs)} -> {', '.join(self.outputs)})"


def load(path: str | os.PathLike[str]) -> Model:
    """Reads the model of a `.onnx` file; its initializers may be in files of the same folder.

    A broken model raises ValueError, an operator or type that is not supported TypeError, both with
    the node's name.
    """
    return Model(path)
