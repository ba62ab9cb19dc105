"""NumPy's functions on arrays: `np.exp(a) + b` stays lazy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Array, astype, replaced

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
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
#: NumPy's names of functions that differ from ours.
_FUNCTIONS = {
    "amax": "max",
    "amin": "min",
    "around": "round",
    "concatenate": "concat",
}


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Array.__array_ufunc__`."""
    import zerostride

    out = kwargs.pop("out", None)
    dtype = kwargs.pop("dtype", None)
    name = ufunc.__name__
    if method == "__call__" and not kwargs:
        function = getattr(zerostride, _UFUNCS.get(name, name), None)
        if function is None or ufunc.nin != len(inputs):
            return NotImplemented
        result = function(*inputs)
    elif method == "reduce" and name in _REDUCTIONS and set(kwargs) <= {"axis", "keepdims"}:
        kwargs.setdefault("axis", 0)
        result = getattr(zerostride, _REDUCTIONS[name])(*inputs, **kwargs)
    else:
        return NotImplemented
    if dtype is not None:
        result = astype(result, dtype, copy=False)
    if out is None:
        return result
    if len(out) != 1 or not isinstance(out[0], Array):
        return NotImplemented
    return replaced(out[0], result)


def array_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Array.__array_function__`."""
    import zerostride

    name = func.__name__
    function = getattr(zerostride, _FUNCTIONS.get(name, name), None)
    if not getattr(func, "__module__", "").startswith("numpy") or function is None:
        return NotImplemented
    kwargs = {k: v for k, v in kwargs.items() if v is not np._NoValue and not (k == "out" and v is None)}
    if "a" in kwargs and not args:
        args = (kwargs.pop("a"),)
    if "ddof" in kwargs:
        kwargs["correction"] = kwargs.pop("ddof")
    if len(args) > 1 and name in _AXIS_SECOND and "axis" not in kwargs:
        args, kwargs["axis"] = (args[0], *args[2:]), args[1]
    return function(*args, **kwargs)


#: Those whose second operand is an axis in NumPy, and a keyword here.
_AXIS_SECOND = frozenset(
    "all any amax amin argmax argmin concatenate count_nonzero flip max mean median min nanmax nanmean nanmin nanprod "
    "nanstd nansum nanvar prod ptp stack std sum var".split()
)
