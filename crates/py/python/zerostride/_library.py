"""The functions of the expression language that this package does not define itself."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from . import _core
from ._array import Array
from ._dtypes import as_dtype, code_of
from ._elementwise import array, described

#: The names of all functions.
NAMES = frozenset(
    match[1]
    for chapter, form, _, _ in _core.language()
    if chapter in ("functions", "reductions", "views") and (match := re.match(r"(?:x\.)?(\w+)\(", form))
)


#: A longer list becomes an array, since the language does not support longer lists.
_MOST_NUMBERS = 64
Function = TypeVar("Function", bound=Callable[..., Any])


def whole(value: Any) -> Any:
    """Whole numbers as Python's, one or several."""
    if type(value) is int:
        return value
    if isinstance(value, (Array, np.ndarray)):
        value = value.tolist()
    several = hasattr(value, "__iter__") and not isinstance(value, str)
    return tuple(map(whole, value)) if several else int(operator.index(value))


#: How options are read that are no operands.
_OPTIONS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("axis1", "axis2", "k"), operator.index),
    **dict.fromkeys(("axes", "axis", "destination", "reps", "shape", "source"), whole),
    **dict.fromkeys(("append", "prepend", "weights", "where"), array),
    **dict.fromkeys(("density", "keepdims"), bool),
    "dtype": as_dtype,
    # NumPy takes whole parts of floats.
    "shift": lambda value: np.asarray(value, np.int64).tolist(),
}


def _plain(value: Any) -> Any:
    """NumPy's numbers are options as Python's are."""
    return value.item() if isinstance(value, np.generic) else value


def call(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of the expression language; several results are a tuple. Arrays are operands; other arguments are
    written into the formula: numbers, words, element types, and tuples of them.
    """
    operands: list[Array] = []
    if args and not isinstance(args[0], Array):
        if isinstance(args[0], (tuple, list)) and not args[0]:
            raise ValueError(f"{name} needs at least one array")
        if not isinstance(args[0], tuple) and not _has_arrays(args):
            args = (array(args[0]), *args[1:])
    written = [_written(value, operands) for value in args]
    for parameter, value in kwargs.items():
        if value is not None:
            value = _OPTIONS.get(parameter, _plain)(value)
        written.append(f"{parameter}={_written(value, operands)}")
    try:
        found = _core.apply(f"{name}({', '.join(written)})", *(x.lazy for x in operands))
    except ValueError as error:
        if str(error).startswith((f"{name} has no ", f"{name} lacks ", f"{name} is given too much")):
            # As Python says of parameters.
            raise TypeError(str(error)) from None
        raise
    results = tuple(map(Array.of, found))
    return results[0] if len(results) == 1 else results


def made(name: str, x: Any, /, *args: Any, **kwargs: Any) -> Array:
    """Like `call`, of a function of an array that has one result."""
    found: Array = call(name, array(x), *args, **kwargs)
    return found


def _misfit(name: str, signature: inspect.Signature, args: Any, kwargs: Any) -> str:
    """What is wrong with the arguments of a function."""
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    shown = f"{name}{inspect.Signature(bare)}"
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return f"{shown}: {error}"
    return shown


def declared(run: Callable[..., Any], name: str = "") -> Callable[[Function], Function]:
    """Gives a function without a body that of `run`, which takes a name, the first argument, and the others by name."""

    def defined(stub: Function) -> Function:
        known = name or stub.__name__
        signature = inspect.signature(stub)
        defaults = {p.name: p.default for p in list(signature.parameters.values())[1:]}

        @functools.wraps(stub)
        def function(*args: Any, **kwargs: Any) -> Any:
            try:
                # Python checks them.
                stub(*args, **kwargs)
            except TypeError:
                raise TypeError(_misfit(known, signature, args, kwargs)) from None
            options = defaults | kwargs if len(args) == 1 else defaults | dict(zip(defaults, args[1:])) | kwargs
            return run(known, *args[:1], **options)

        function.__name__ = function.__qualname__ = known
        function.__module__ = run.__module__ if name else stub.__module__
        function.__doc__ = described(name) if name else stub.__doc__ or described(known)
        return cast(Function, function)

    return defined


def _has_arrays(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_arrays, value))
    return isinstance(value, (Array, np.ndarray))


def _written(value: Any, operands: list[Array]) -> str:
    """Writes a value for a formula, and adds arrays to the operands."""
    if value is None or type(value) in (bool, int):
        return repr(value)
    if isinstance(value, (Array, np.ndarray, np.generic)):
        operands.append(array(value))
        return f"x{len(operands) - 1}"
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(value)
    if isinstance(value, str):
        if not value.isidentifier():
            raise ValueError(f"{value!r} is not a word of the expression language")
        return repr(value)
    if isinstance(value, tuple) or (isinstance(value, list) and len(value) <= _MOST_NUMBERS):
        left, right = "()" if isinstance(value, tuple) else "[]"
        return left + "".join(f"{_written(x, operands)}, " for x in value) + right
    if isinstance(value, (type, np.dtype)):
        return code_of(as_dtype(value))
    if hasattr(value, "__index__"):
        return repr(value.__index__())
    operands.append(array(value))
    return f"x{len(operands) - 1}"


@functools.cache
def function(name: str) -> Callable[..., Any]:
    """The function of this name."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(name, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name)
    return function
