"""NumPy's functions on arrays: `np.exp(a) + b` stays lazy."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from ._array import Array, apply, astype, replaced
from ._creation import asarray
from ._elementwise import array, floor_divide, remainder
from ._manipulation import reshape
from ._views import warn_of_set

#: Universal functions whose names in NumPy differ from ours.
_UFUNCS = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "degrees": "rad2deg",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "radians": "deg2rad",
    "right_shift": "bitwise_right_shift",
    "true_divide": "divide",
}
#: The reductions and the scans of universal functions.
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_SCANS = {"add": "cumulative_sum", "multiply": "cumulative_prod"}
#: Functions whose names in NumPy differ from ours.
_FUNCTIONS = {
    "amax": "max",
    "amin": "min",
    "around": "round",
    "concatenate": "concat",
}


#: Types of operands that are handled here; others may handle the call themselves.
_KNOWN = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple, type(None))


def _shown(ufunc: Any) -> str:
    """The name of a ufunc, with `numpy.` if it is one of NumPy's: a ufunc does not say where it is defined."""
    name: str = ufunc.__name__
    return f"numpy.{name}" if getattr(np, name, None) is ufunc else name


def _refused(name: str, instead: str = "") -> TypeError:
    host = f"{name}(a.numpy(), ..), which computes on the host"
    return TypeError(f"{name} is not supported for zerostride arrays; use {instead or host}")


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Array.__array_ufunc__`."""
    out = kwargs.pop("out", None)
    # An operand that only converts to a NumPy array is converted; its errors are the call's.
    inputs = tuple(np.asarray(x) if _is_mere_array(x) else x for x in inputs)
    if not all(isinstance(x, _KNOWN) for x in (*inputs, *(out or ()))):
        return NotImplemented
    where = kwargs.pop("where", True)
    result = _computed(ufunc, method, inputs, kwargs, where)
    if method == "reduce" or where is True:
        return result if out is None else written(out, result)
    if out is None:
        # NumPy leaves the others as they are in new memory.
        return apply("where(x0, x1, x2)", array(where), result, 0)
    if len(out) != 1:
        raise _refused(f"{_shown(ufunc)} with `where`")
    kept = array(out[0])
    return written(out, apply("where(x0, x1, x2)", array(where), astype(result, kept.dtype, copy=False), kept))


def _is_mere_array(x: Any) -> bool:
    kind = type(x)
    return not isinstance(x, _KNOWN) and hasattr(kind, "__array__") and not hasattr(kind, "__array_ufunc__")


def _computed(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any], where: Any) -> Any:
    import zerostride

    from ._statistics import reduced

    name = ufunc.__name__
    dtype = kwargs.pop("dtype", None)
    function = getattr(zerostride, _UFUNCS.get(name, name), None)
    if name == "power" and where is not True and isinstance(inputs[1], (np.ndarray, list, tuple)):
        # What is not computed is not refused.
        inputs = (inputs[0], np.where(np.asarray(where), inputs[1], 0))
    if method == "reduce" and name in _REDUCTIONS and set(kwargs) <= {"axis", "keepdims", "initial"}:
        kwargs.setdefault("axis", 0)
        first = kwargs.pop("initial", None) if name.startswith("logical") else None
        result = reduced(_REDUCTIONS[name], *inputs, where=where, **kwargs)
        result = result if first is None else getattr(zerostride, name)(result, first)
        return result if dtype is None else astype(result, dtype, copy=False)
    if method == "accumulate" and name in _SCANS and set(kwargs) <= {"axis"}:
        return getattr(zerostride, _SCANS[name])(*inputs, axis=kwargs.get("axis", 0), dtype=dtype)
    if name == "divmod" and method == "__call__" and not kwargs:
        return floor_divide(*inputs), remainder(*inputs)
    if function is None or ufunc.nin != len(inputs) or ufunc.nout != 1 or kwargs or method not in ("__call__", "outer"):
        raise _refused(_shown(ufunc) if method == "__call__" else f"{_shown(ufunc)}.{method}")
    if dtype is not None:
        inputs = tuple(asarray(x, dtype=dtype) if type(x) is int else _as_operand(ufunc, x, dtype) for x in inputs)
    if method == "outer":
        first, second = map(array, inputs)
        inputs = (reshape(first, first.shape + (1,) * second.ndim), second)
    return function(*inputs)


def _as_operand(ufunc: Any, x: Any, dtype: Any) -> Array:
    """An operand in the type that `dtype=` names, which NumPy takes if the kind of number stays the same."""
    found, kinds = array(x), "buif"
    wanted = np.dtype(dtype).kind
    if found.dtype.kind in kinds and wanted in kinds and kinds.index(found.dtype.kind) > kinds.index(wanted):
        raise TypeError(f"{_shown(ufunc)} with dtype={np.dtype(dtype)} takes no operand of {found.dtype}; use astype before")
    return astype(found, dtype, copy=False)


def written(out: tuple[Any, ...], result: Any) -> Any:
    """Writes results into the arrays of `out`, and returns these."""
    results = result if isinstance(result, tuple) else (result,)
    for target, new in zip(out, results, strict=True):
        if isinstance(target, Array):
            if target._sources:
                warn_of_set(target)
            replaced(target, new)
        elif target is not None:
            from ._evaluate import into

            into([new.numpy()], target, "same_kind")
    return out if isinstance(result, tuple) else out[0]


def array_function(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Array.__array_function__`."""
    import zerostride

    from ._numpy import FUNCTIONS

    if not all(issubclass(t, _KNOWN) for t in types):
        return NotImplemented
    name, module = func.__name__, getattr(func, "__module__", None) or "numpy"
    if module == "numpy.strings" and name.startswith("_"):
        # Only `numpy.char` has these, without the underscore.
        name, module = name[1:], "numpy.char"
    own = function = None
    if module == "numpy.linalg" and name in zerostride.linalg.__all__:
        function = getattr(zerostride.linalg, name)
    elif module == "numpy" or name == "sliding_window_view":
        own = FUNCTIONS.get(name)
        function = own or getattr(zerostride, _FUNCTIONS.get(name, name), None)
    if function is None:
        raise _refused(f"{module}.{name}")
    operands, options = _separated(func, args, kwargs)
    if own is None and ("where" in options or "initial" in options):
        from ._statistics import reduced

        return reduced(_FUNCTIONS.get(name, name), *operands, **options)
    taken = _parameters(function)
    for parameter in options:
        if taken is not None and parameter not in taken:
            instead = f"{module}.{name}(a.numpy(), ..), which computes on the host"
            raise _refused(f"the parameter {parameter} of {module}.{name}", instead)
    return function(*operands, **options)


#: Parameters that have another name here.
_PARAMETERS = {"ddof": "correction"}
#: Parameters whose default in NumPy is not ours.
_GIVEN = frozenset({"mode"})
#: Parameters that change no result: every sort is stable, no operand is written.
_FREE = frozenset({"assume_unique", "kind", "overwrite_input", "subok"})


@functools.cache
def _parameters(function: Any) -> dict[str, inspect.Parameter] | None:
    """A function's parameters; None if it accepts any number of them."""
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    of_any_number = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return None if any(p.kind in of_any_number for p in found.values()) else dict(found)


def _separated(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Splits the arguments of a NumPy function into operands, which have no default or are
    positional-only, in order, and options that differ from their defaults, by name.
    """
    parameters = _parameters(func)
    if parameters is None:
        return args, kwargs
    given = {**dict(zip(parameters, args, strict=False)), **kwargs}
    operands, options = [], {}
    for name, value in given.items():
        default = parameters[name].default
        if default is inspect.Parameter.empty or parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY:
            operands.append(value)
        elif name in _GIVEN or name not in _FREE and value is not default and not (isinstance(value, _PLAIN) and value == default):
            options[_PARAMETERS.get(name, name)] = value
    return tuple(operands), options


_PLAIN = (bool, int, float, str)
