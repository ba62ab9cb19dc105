"""NumPy's functions on arrays: `np.exp(a) + b` stays lazy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Array, apply, astype, replaced
from ._elementwise import array, floor_divide, remainder
from ._manipulation import reshape

#: NumPy's names of universal functions that differ from ours.
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
#: The reductions that universal functions have, and the scans.
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
_SCANS = {"add": "cumulative_sum", "multiply": "cumulative_prod"}
#: NumPy's names of functions that differ from ours.
_FUNCTIONS = {
    "amax": "max",
    "amin": "min",
    "around": "round",
    "concatenate": "concat",
}


#: What is not ours and may have a say of its own.
_KNOWN = (Array, np.ndarray, np.generic, bool, int, float, complex, list, tuple, type(None))


def _refused(name: str, instead: str = "") -> TypeError:
    host = f"{name}(a.numpy(), ..) computes on the host"
    return TypeError(f"{name} is not there for zerostride arrays; {instead or host}")


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Array.__array_ufunc__`."""
    out = kwargs.pop("out", None)
    if not all(isinstance(x, _KNOWN) for x in (*inputs, *(out or ()))):
        return NotImplemented
    where = kwargs.pop("where", True)
    result = _computed(ufunc, method, inputs, kwargs, where)
    if method == "reduce" or where is True:
        return result if out is None else _written(out, result)
    if out is None:
        # NumPy leaves the others as they are in new memory.
        return apply("where(x0, x1, x2)", array(where), result, 0)
    if len(out) != 1:
        raise _refused(f"numpy.{ufunc.__name__} with `where`")
    kept = array(out[0])
    return _written(out, apply("where(x0, x1, x2)", array(where), astype(result, kept.dtype, copy=False), kept))


def _computed(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any], where: Any) -> Any:
    import zerostride

    from ._statistics import chosen

    name = ufunc.__name__
    dtype = kwargs.pop("dtype", None)
    function = getattr(zerostride, _UFUNCS.get(name, name), None)
    if method == "reduce" and name in _REDUCTIONS and set(kwargs) <= {"axis", "keepdims", "initial"}:
        kwargs.setdefault("axis", 0)
        result = chosen(_REDUCTIONS[name], *inputs, where=where, **kwargs)
        return result if dtype is None else astype(result, dtype, copy=False)
    if method == "accumulate" and name in _SCANS and set(kwargs) <= {"axis"}:
        return getattr(zerostride, _SCANS[name])(*inputs, axis=kwargs.get("axis", 0), dtype=dtype)
    if name == "divmod" and method == "__call__" and not kwargs:
        return floor_divide(*inputs), remainder(*inputs)
    if function is None or ufunc.nin != len(inputs) or ufunc.nout != 1 or kwargs or method not in ("__call__", "outer"):
        raise _refused(f"numpy.{name}" if method == "__call__" else f"numpy.{name}.{method}")
    if dtype is not None:
        inputs = tuple(astype(array(x), dtype, copy=False) for x in inputs)
    if method == "outer":
        first, second = map(array, inputs)
        inputs = (reshape(first, first.shape + (1,) * second.ndim), second)
    return function(*inputs)


def _written(out: tuple[Any, ...], result: Any) -> Any:
    """The arrays of `out` with results in them."""
    results = result if isinstance(result, tuple) else (result,)
    for target, new in zip(out, results, strict=True):
        if isinstance(target, Array):
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
    kwargs = {k: v for k, v in kwargs.items() if v is not np._NoValue and not (k == "out" and v is None)}
    own = FUNCTIONS.get(name) if module == "numpy" else None
    if own is not None:
        return own(*args, **kwargs)
    function = getattr(zerostride, _FUNCTIONS.get(name, name), None)
    if module != "numpy" or function is None:
        is_there = module == "numpy.linalg" and name in zerostride.linalg.__all__
        raise _refused(f"{module}.{name}", f"zerostride.linalg.{name} is" if is_there else "")
    if "a" in kwargs and not args:
        args = (kwargs.pop("a"),)
    if "ddof" in kwargs:
        kwargs["correction"] = kwargs.pop("ddof")
    if len(args) > 1 and name in _AXIS_SECOND and "axis" not in kwargs:
        args, kwargs["axis"] = (args[0], *args[2:]), args[1]
    if "where" in kwargs or "initial" in kwargs:
        from ._statistics import chosen

        return chosen(_FUNCTIONS.get(name, name), *args, **kwargs)
    return function(*args, **kwargs)


#: Those whose second operand is an axis in NumPy, and a keyword here.
_AXIS_SECOND = frozenset(
    "all any amax amin argmax argmin argsort concatenate count_nonzero flip max mean median min nanargmax nanargmin nanmax nanmean nanmedian nanmin "
    "nanprod nanstd nansum nanvar prod ptp sort stack std sum var".split()
)
