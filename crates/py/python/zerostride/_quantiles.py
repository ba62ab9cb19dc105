"""Medians and quantiles: on the device of floats along axes of up to 65,536 elements, else by NumPy on the host."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from . import _core
from ._array import Array, apply, uploaded
from ._dtypes import float64
from ._elementwise import array
from ._manipulation import Axis, normal_axes, permute_dims, reshape
from ._statistics import MOST_SORTED, Reduction


def _in_order(name: str, x: Array, axis: Axis, keepdims: bool, q: Any = None) -> Array | None:
    """A function of the elements in order, on the device; none where that does not put them in order."""
    reduced = range(x.ndim) if axis is None else normal_axes(axis, x.ndim)
    rest = [n for n in range(x.ndim) if n not in reduced]
    extents = [x.shape[n] for n in rest]
    count = x.size // max(int(np.prod(extents)), 1)
    is_computed = x.dtype.kind == "f" and (x.dtype != float64 or _core.has_f64())
    if not is_computed or not 1 <= count <= MOST_SORTED or not x.size:
        return None
    rows = reshape(permute_dims(x, (*rest, *reduced)), (*extents, count))
    made = apply(f"{name}(x0, axis=-1)" if q is None else f"{name}(x0, {q!r}, axis=-1)", rows)
    return reshape(made, [1 if n in reduced else x.shape[n] for n in range(x.ndim)]) if keepdims else made


def _median(name: str) -> Reduction:
    def function(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
        x = array(x)
        made = _in_order(name, x, axis, keepdims)
        return uploaded(np.asarray(getattr(np, name)(x.numpy(), axis=axis, keepdims=keepdims))) if made is None else made

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        "The median along axes, of numbers alone if its name says so: of floats on the device along axes of up to 65,536 elements, "
        "else by NumPy on the host."
    )
    return function


median = _median("median")
nanmedian = _median("nanmedian")


class Quantiles(Protocol):
    """Quantiles, or percentiles, along axes."""

    def __call__(
        self, x: Any, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False, weights: Any = None
    ) -> Array: ...


def _quantiles(name: str) -> Quantiles:
    def function(
        x: Any, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False, weights: Any = None
    ) -> Array:
        x = array(x)
        if type(q) in (int, float) and 0 <= q <= (100 if name.endswith("percentile") else 1) and method == "linear" and weights is None:
            made = _in_order(name, x, axis, keepdims, float(q))
            if made is not None:
                return made
        q, weights = (v.numpy() if isinstance(v, Array) else v for v in (q, weights))
        options = {} if weights is None else {"weights": weights}
        host = getattr(np, name)(x.numpy(), q, axis=axis, method=method, keepdims=keepdims, **options)
        return uploaded(np.asarray(host))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"`numpy.{name}` along axes: of floats and one q, by the method linear, on the device along axes of up to 65,536 elements, "
        "else by NumPy on the host."
    )
    return function


nanpercentile = _quantiles("nanpercentile")
nanquantile = _quantiles("nanquantile")
percentile = _quantiles("percentile")
quantile = _quantiles("quantile")
