"""Medians and quantiles, for which elements are put in order: by NumPy on the host."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ._array import Array, uploaded
from ._elementwise import array
from ._manipulation import Axis
from ._statistics import Reduction


def _median(name: str) -> Reduction:
    def function(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
        host = getattr(np, name)(array(x).numpy(), axis=axis, keepdims=keepdims)
        return uploaded(np.asarray(host))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The median along axes, of numbers alone if its name says so. By NumPy on the host."
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
        q, weights = (v.numpy() if isinstance(v, Array) else v for v in (q, weights))
        options = {} if weights is None else {"weights": weights}
        host = getattr(np, name)(array(x).numpy(), q, axis=axis, method=method, keepdims=keepdims, **options)
        return uploaded(np.asarray(host))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`numpy.{name}` along axes. By NumPy on the host."
    return function


nanpercentile = _quantiles("nanpercentile")
nanquantile = _quantiles("nanquantile")
percentile = _quantiles("percentile")
quantile = _quantiles("quantile")
