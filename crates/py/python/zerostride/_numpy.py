"""NumPy's functions whose parameters differ from this package's, or that combine other functions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _statistics, linalg
from ._array import uploaded
from ._dtypes import default_float
from ._elementwise import array, clip
from ._evaluate import gradient
from ._library import call
from ._manipulation import viewed
from ._padding import sliding_window_view
from ._protocols import written
from ._selection import argwhere, flatnonzero, unique


def _split(a: Any, sections: Any, axis: int = 0, exact: bool = True) -> list[Any]:
    a = array(a)
    extent = a.shape[axis]
    if not isinstance(sections, Iterable):
        count = operator.index(sections)
        if (exact and extent % count) or count <= 0:
            raise ValueError(f"an axis of extent {extent} cannot be split into {count} {'equal ' * exact}parts")
        # The first parts are longer by one.
        sections = [n * (extent // count) + min(n, extent % count) for n in range(1, count)]
    front = (slice(None),) * (axis % a.ndim)
    return [a[(*front, slice(low, high))] for low, high in zip([0, *sections], [*sections, extent])]


def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
    """Positions of elements by their indices. Indices beyond the ends raise no error, since a kernel cannot."""
    extents = tuple(map(operator.index, dims if isinstance(dims, Iterable) else (dims,)))
    if mode != "raise" or order not in ("C", "F"):
        raise TypeError("numpy.ravel_multi_index supports only mode='raise' and order 'C' or 'F' for zerostride arrays")
    indices = [array(index) for index in multi_index]
    if any(index.dtype.kind not in "iu" for index in indices):
        raise TypeError("indices must be arrays of integers")
    place: Any = 0
    for index, extent in list(zip(indices, extents, strict=True))[:: 1 if order == "C" else -1]:
        place = place * extent + index.astype(np.int64, copy=False)
    return array(place)


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Checks whether the edges increase or decrease, as NumPy does, since a formula cannot."""
    edges = np.asarray(bins)
    np.digitize(np.empty(0), edges)
    decreases = bool(np.any(edges[1:] < edges[:-1]))
    found = call("digitize", array(x), array(edges[::-1] if decreases else bins), right=bool(right))
    return edges.size - found if decreases else found


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> Any:
    """Counts between edges. For a number of bins NumPy computes the edges from the least and the largest element."""
    a = array(a)
    if isinstance(bins, str):
        raise TypeError("bins by a rule are not supported; give the number of bins or their edges")
    if np.ndim(bins) == 0:
        ends = np.asarray([_statistics.min(a), _statistics.max(a)] if a.size and range is None else [], a.dtype)
        bins = np.histogram_bin_edges(ends, bins, range)
    return call("histogram", a, array(bins), density=density, weights=weights)


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Counts on the host with NumPy, since the number of bins depends on the data."""
    counts = np.bincount(array(x).numpy(), None if weights is None else array(weights).numpy(), minlength)
    exact = counts.dtype.kind == "i" or array(weights).dtype == np.float64
    return uploaded(counts if exact else counts.astype(default_float()))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """Takes the bounds by either name."""
    found = clip(a, a_min if min is None else min, a_max if max is None else max, promotes=True)
    return found if out is None else written((out,), found)


#: The functions by their names. Those of the expression language that have the same name are not listed.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{function.__name__: function for function in (argwhere, flatnonzero, sliding_window_view, unique)},
    "array_equal": lambda a1, a2, equal_nan=False: np.shape(a1) == np.shape(a2)
    and bool(call("array_equal", array(a1), array(a2), equal_nan=equal_nan)),
    "array_split": functools.partial(_split, exact=False),
    "bincount": _bincount,
    "clip": _clip,
    "compress": lambda condition, a, axis=None: array(a).take(flatnonzero(condition).numpy(), axis),
    "copy": lambda a, order="K", subok=False: array(a).copy(),
    "cross": lambda a, b, axis=-1: linalg.cross(a, b, axis=axis),
    "digitize": _digitize,
    "extract": lambda condition, arr: array(arr).take(flatnonzero(condition).numpy()),
    # With an argument of NumPy's, which it refuses.
    "gradient": lambda f, *spacing, **options: gradient(f, f, NotImplemented),
    "histogram": _histogram,
    "iscomplexobj": lambda x: False,
    "isrealobj": lambda x: True,
    # Setting elements of an array changes no other array.
    "may_share_memory": lambda a, b, max_work=None: False,
    "ndim": lambda a: array(a).ndim,
    "ravel_multi_index": _ravel_multi_index,
    "ravel": lambda a, order="C": array(a).ravel(order),
    "rot90": lambda m, k=1, axes=(0, 1): viewed("rot90", m, k=k, axes=axes),
    "shape": lambda a: array(a).shape,
    "shares_memory": lambda a, b, max_work=None: False,
    "size": lambda a, axis=None: array(a).size if axis is None else array(a).shape[axis],
    "split": _split,
    "take": lambda a, indices, axis=None, mode=None: array(a).take(indices, axis, mode),
    "trace": lambda a, offset=0, axis1=0, axis2=1, dtype=None: array(a).trace(offset, axis1, axis2, dtype),
}
