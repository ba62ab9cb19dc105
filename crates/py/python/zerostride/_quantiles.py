"""Medians and quantiles. NumPy computes them on the host along axes that are too long for a kernel to sort, with weights or
methods other than linear, for several shares, in `nanquantile` and `nanpercentile`, and of types but float32 and float64."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from ._array import Array, uploaded
from ._elementwise import array
from ._library import made
from ._manipulation import Axis, normal_axis
from ._statistics import Reduction, several

#: The device sorts up to this many elements.
_MOST_ORDERED = 1 << 16


def _ordered(name: str, x: Any, axis: Axis, keepdims: bool, q: tuple[Any, ...] = (), **others: Any) -> Array:
    """Computes a function on the device along one axis or all, if it can, else with NumPy's function of this name."""
    x = array(x)
    one = axis is None or not isinstance(axis, Iterable)
    count = (x.size if axis is None else x.shape[normal_axis(axis, x.ndim)]) if one else 0
    numbers = all(isinstance(number, (int, float)) for number in q)
    # Shares of the elements without NaN would differ from NumPy's in the last bit.
    exact = not (q and name.startswith("nan"))
    if others or not exact or not numbers or not 0 < count <= _MOST_ORDERED or x.dtype not in (np.float32, np.float64):
        host = getattr(np, name)(x.numpy(), *(v.numpy() if isinstance(v, Array) else v for v in q), axis=axis, keepdims=keepdims, **others)
        return uploaded(np.asarray(host))
    return made(name, x, *map(float, q), axis=axis, keepdims=keepdims)


class Quantiles(Protocol):
    """Quantiles, or percentiles, along axes."""

    def __call__(
        self, x: Any, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False, weights: Any = None
    ) -> Array: ...


def _quantiles(name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool, weights: Any) -> Array:
    others: dict[str, Any] = {} if method == "linear" else {"method": method}
    if weights is not None:
        others["weights"] = weights.numpy() if isinstance(weights, Array) else weights
    return _ordered(name, x, axis, keepdims, (q,), **others)


median, nanmedian = several(Reduction, "median nanmedian", _ordered)
nanpercentile, nanquantile = several(Quantiles, "nanpercentile nanquantile", _quantiles)
percentile, quantile = several(Quantiles, "percentile quantile", _quantiles)
