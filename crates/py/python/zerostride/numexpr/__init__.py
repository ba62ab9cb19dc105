"""numexpr's `evaluate` and its other functions, computed by zerostride.

Write `import zerostride.numexpr as ne` instead of `import numexpr as ne`. As in numexpr, quotients of
integers are float64, and variables that hold Python numbers are int32, int64 or float64. Numbers in
the expression take the type of the other operand, as in NumPy: `2.0 * a` of a float32 array stays
float32. `docs/python.md` lists the differences.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core, _evaluate
from . import expressions, necompiler, utils
from .expressions import E, ExpressionNode
from .utils import (
    detect_number_of_cores,
    detect_number_of_threads,
    MAX_THREADS,
    _init_num_threads,
    get_num_threads,
    get_vml_num_threads,
    get_vml_version,
    set_num_threads,
    set_vml_accuracy_mode,
    set_vml_num_threads,
    use_vml,
)

__version__ = _core.__version__
#: The initial number of threads, which has no effect.
nthreads = get_num_threads()

#: numexpr's smallest integer type is int32.
_WIDENED = {"i1": np.int32, "i2": np.int32, "u1": np.int32, "u2": np.int32, "u4": np.int64}


def _widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    wide = _WIDENED.get(array.dtype.str[1:])
    return array if wide is None else array.astype(wide)


def _typed(value: Any) -> Any:
    """Converts a variable to an array; Python numbers get a type."""
    if isinstance(value, (np.ndarray, np.generic)):
        return _widened(np.asarray(value))
    if isinstance(value, (bool, float)):
        return np.asarray(value)
    if isinstance(value, int):
        return np.asarray(value, np.int32 if -(2**31) <= value < 2**31 else np.int64)
    return _widened(np.asarray(value))


def _found(known: _core.Program, local: Mapping[str, Any], outer: Mapping[str, Any]) -> _evaluate.Found:
    def value_of(name: str, value: Any) -> Any:
        value = _typed(value)
        if value.dtype.kind not in "biuf":
            raise NotImplementedError(f"{name} holds {value.dtype}, which zerostride does not support")
        return value

    missing = [name for name in known.names if name not in local and name not in outer]
    if missing:
        raise KeyError(missing[0])
    found = {}
    for name in (*known.names, *known.constants):
        for names in (local, outer):
            if name in names:
                found[name] = value_of(name, names[name])
                break
    return _evaluate.Found(known, found, {})


def _program(ex: Any) -> _core.Program:
    text = ex.text if isinstance(ex, ExpressionNode) else ex
    if not isinstance(text, str):
        raise ValueError("must specify expression as a string")
    necompiler.check(text)
    return _evaluate.program(text, True)


def _run(known: _core.Program, found: _evaluate.Found, out: Any, order: str, casting: str) -> Any:
    result = _evaluate.run(known, found, None, order, casting)
    if isinstance(result, tuple):
        raise ValueError("only one result is supported; use zerostride.evaluate for several")
    if not found.operands and result.dtype == np.int64 and -(2**31) <= int(result) < 2**31:
        result = result.astype(np.int32)
    if out is None:
        return result
    # A number is written to all of `out`.
    result = np.broadcast_to(result, out.shape) if not found.operands else result
    return _evaluate.into([result], out, casting)


def evaluate(
    ex: Any,
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    out: Any = None,
    order: str = "K",
    casting: str = "same_kind",
    sanitize: bool | None = None,
    _frame_depth: int = 3,
    disable_cache: bool = False,
    truediv: Any = "auto",
    optimization: str = "aggressive",
) -> Any:
    """numexpr's `evaluate`. The expression is never evaluated as Python, so `sanitize` has no effect;
    `/` is true division.

    >>> import numpy as np, zerostride.numexpr as ne
    >>> a = np.arange(4)
    >>> ne.evaluate("2 * a + where(a > 1, 10, 0)")
    array([ 0,  2, 14, 16])
    """
    known = _program(ex)
    frame = sys._getframe(_frame_depth - 2)
    local = frame.f_locals if local_dict is None else local_dict
    outer = frame.f_globals if global_dict is None else global_dict
    found = _found(known, local, outer)
    if not disable_cache:
        _evaluate.remember(known, out, order, casting)
    return _run(known, found, out, order, casting)


def re_evaluate(
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    _frame_depth: int = 3,
) -> Any:
    """Computes the last expression again, with the current values of its names."""
    known, out, order, casting = _evaluate.remembered()
    frame = sys._getframe(_frame_depth - 2)
    local = frame.f_locals if local_dict is None else local_dict
    outer = frame.f_globals if global_dict is None else global_dict
    return _run(known, _found(known, local, outer), out, order, casting)


def validate(
    ex: Any,
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    out: Any = None,
    order: str = "K",
    casting: str = "same_kind",
    _frame_depth: int = 2,
    sanitize: bool | None = None,
    truediv: Any = "auto",
    optimization: str = "aggressive",
) -> Exception | None:
    """The exception that `evaluate` would raise, or None."""
    try:
        known = _program(ex)
        frame = sys._getframe(_frame_depth - 1)
        local = frame.f_locals if local_dict is None else local_dict
        outer = frame.f_globals if global_dict is None else global_dict
        found = _found(known, local, outer)
        known.explain(found.operands, found.constants)
    except ValueError as error:
        # A text that is none of the language.
        return SyntaxError(str(error)) if not isinstance(error, np.exceptions.AxisError) else error
    except Exception as error:
        return error
    _evaluate.remember(known, out, order, casting)
    return None


class NumExpr:
    """A function of the names in its signature, from an expression in a string or one of `E`."""

    def __init__(self, ex: Any, signature: Sequence[tuple[str, Any]] = (), **_: Any) -> None:
        self._program = _program(ex)
        #: The expression.
        self.text = ex.text if isinstance(ex, ExpressionNode) else ex
        self._types = dict(signature)
        #: The names of the operands.
        self.input_names = tuple(self._types) or tuple(sorted(self._program.names))

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the result for these operands, which are cast to the signature's types."""
        kwargs.pop("ex_uses_vml", None)
        out, order = kwargs.pop("out", None), kwargs.pop("order", "K")
        casting = kwargs.pop("casting", "safe")
        if kwargs:
            raise TypeError(f"{', '.join(kwargs)}: no such argument")
        if len(args) != len(self.input_names):
            raise ValueError(f"{len(self.input_names)} operands are needed, but {len(args)} were given")
        given = {}
        for name, value in zip(self.input_names, args, strict=True):
            array = _typed(value)
            if name in self._types:
                array = array.astype(self._types[name], casting=casting)
            given[name] = array
        return _run(self._program, _found(self._program, given, {}), out, order, casting)

    __call__ = run


def disassemble(nex: NumExpr) -> Any:
    """Not supported, since no virtual machine runs it. Use `zerostride.explain` for the plan."""
    raise NotImplementedError("numexpr's virtual machine is not supported; use zerostride.explain for the plan")



__all__ = [
    "E",
    "NumExpr",
    "detect_number_of_cores",
    "detect_number_of_threads",
    "disassemble",
    "evaluate",
    "expressions",
    "get_num_threads",
    "get_vml_num_threads",
    "get_vml_version",
    "necompiler",
    "re_evaluate",
    "set_num_threads",
    "set_vml_accuracy_mode",
    "set_vml_num_threads",
    "use_vml",
    "utils",
    "validate",
]
