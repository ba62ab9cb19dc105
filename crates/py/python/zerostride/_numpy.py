"""NumPy's functions whose parameters differ from this package's, or that combine other functions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _creation, _elementwise, _manipulation, _statistics, linalg
from ._array import Array, apply, uploaded
from ._dtypes import default_float
from ._einsum import einsum
from ._elementwise import array
from ._evaluate import DIFFERENCES
from ._library import call, function
from ._padding import pad, sliding_window_view
from ._selection import argwhere, flatnonzero, unique
from ._views import view


def _flat(a: Any) -> Array:
    return _manipulation.reshape(a, (-1,))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Array:
    return _elementwise.clip(a, a_min if min is None else min, a_max if max is None else max)


def _take(a: Any, indices: Any, axis: int | None = None, mode: str | None = None) -> Array:
    return _statistics.take(_flat(a) if axis is None else a, indices, axis=axis or 0, mode=mode)


def _size(a: Any, axis: int | None = None) -> int:
    return array(a).size if axis is None else array(a).shape[axis]


def _split(a: Any, where: Any, axis: int = 0) -> list[Array]:
    a = array(a)
    extent = a.shape[axis]
    if isinstance(where, int):
        if extent % where:
            raise ValueError(f"an axis of extent {extent} cannot be split into {where} equal parts")
        where = range(extent // where, extent, extent // where)
    ends = [0, *where, extent]
    front = (slice(None),) * (axis % a.ndim)
    return [a[(*front, slice(low, max(low, high)))] for low, high in zip(ends, ends[1:])]


def _gradient(f: Any, *spacing: Any, **options: Any) -> Any:
    raise TypeError(DIFFERENCES)


def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Array:
    """Positions of elements by their indices. Indices beyond the ends raise no error, since a kernel cannot."""
    extents = tuple(map(operator.index, dims if isinstance(dims, Iterable) else (dims,)))
    if mode != "raise" or order not in ("C", "F"):
        raise TypeError("numpy.ravel_multi_index supports only mode='raise' and order 'C' or 'F' for zerostride arrays")
    indices = [array(index) for index in multi_index]
    if any(index.dtype.kind not in "iu" for index in indices):
        raise TypeError("indices must be arrays of integers")
    indices = [index.astype(np.int64, copy=False) for index in indices]
    if len(indices) != len(extents):
        raise ValueError(f"{len(indices)} indices are given for {len(extents)} extents")
    place: Any = 0
    pairs = zip(indices, extents, strict=True)
    for index, extent in pairs if order == "C" else reversed(list(pairs)):
        place = place * extent + index
    return array(place)


def _digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """Checks whether the edges increase or decrease, as NumPy does, since a formula cannot."""
    edges = np.asarray(bins)
    if edges.ndim != 1:
        raise ValueError("object of too small depth for desired array" if not edges.ndim else "bins must have one axis")
    if np.any(edges[1:] < edges[:-1]):
        if np.any(edges[1:] > edges[:-1]):
            raise ValueError("bins must be monotonically increasing or decreasing")
        found = _statistics.searchsorted(array(edges[::-1]), x, side="left" if right else "right")
        return apply(f"{edges.size} - x0", found)
    return apply(f"digitize(x0, x1, right={bool(right)})", array(x), array(bins))


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> Any:
    """Counts between edges. For a number of bins NumPy computes the edges from the least and the largest element."""
    a = array(a)
    if isinstance(bins, str):
        raise TypeError("bins by a rule are not supported; give the number of bins or their edges")
    if np.ndim(bins) == 0:
        ends = np.asarray([_statistics.min(a), _statistics.max(a)] if a.size and range is None else [], a.dtype)
        bins = np.histogram_bin_edges(ends, bins, range)
    edges = array(bins)
    more = ", density=True" if density else ""
    if weights is None:
        return apply(f"histogram(x0, x1{more})[0]", a, edges), edges
    return apply(f"histogram(x0, x1, weights=x2{more})[0]", a, edges, array(weights)), edges


def _rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    first, second = (operator.index(axis) for axis in axes)
    m = array(m)
    return view(m, apply(f"rot90(x0, k={operator.index(k)}, axes=({first}, {second}))", m))


def _array_split(a: Any, sections: Any, axis: int = 0) -> list[Array]:
    if isinstance(sections, Iterable):
        return _split(a, sections, axis)
    a, count = array(a), operator.index(sections)
    if count <= 0:
        raise ValueError("the number of parts must be at least 1")
    each, more = divmod(a.shape[axis], count)
    # The first parts are longer by one.
    return _split(a, [n * each + min(n, more) for n in range(1, count)], axis)


def _extract(condition: Any, arr: Any) -> Array:
    return array(arr).ravel()[flatnonzero(condition)]


def _compress(condition: Any, a: Any, axis: int | None = None) -> Array:
    return _take(a, flatnonzero(condition), axis)


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Array:
    """Counts on the host with NumPy, since the number of bins depends on the data."""
    weighed = None if weights is None else array(weights).numpy()
    counts = np.bincount(array(x).numpy(), weighed, minlength)
    exact = weighed is None or weighed.dtype == np.float64
    return uploaded(counts if exact else counts.astype(default_float()))


#: The functions that the expression language has under the same name.
_OF_LANGUAGE = """
    append atleast_1d atleast_2d atleast_3d average column_stack convolve correlate diag dot dstack fliplr flipud hstack inner
    interp kron sinc vdot vstack
"""

#: The functions by their names.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: function(name) for name in _OF_LANGUAGE.split()},
    "argwhere": argwhere,
    "array_equal": lambda a1, a2, equal_nan=False: bool(call("array_equal", array(a1), array(a2), equal_nan=equal_nan)),
    "array_split": _array_split,
    "bincount": _bincount,
    "clip": _clip,
    "compress": _compress,
    "copy": lambda a, order="K", subok=False: array(a).copy(),
    "digitize": _digitize,
    "einsum": einsum,
    "extract": _extract,
    "flatnonzero": flatnonzero,
    "gradient": _gradient,
    "histogram": _histogram,
    "iscomplexobj": lambda x: False,
    "isrealobj": lambda x: True,
    # Setting elements of an array changes no other array.
    "may_share_memory": lambda a, b, max_work=None: False,
    "ndim": lambda a: array(a).ndim,
    "outer": lambda a, b: linalg.outer(_flat(a), _flat(b)),
    "pad": pad,
    "ravel_multi_index": _ravel_multi_index,
    "ravel": lambda a, order="C": array(a).ravel(order),
    "repeat": lambda a, repeats, axis=None: _manipulation.repeat(a, repeats, axis=axis),
    "result_type": lambda *operands: _manipulation.result_type(*operands),
    "roll": lambda a, shift, axis=None: _manipulation.roll(a, shift, axis=axis),
    "rot90": _rot90,
    "searchsorted": lambda a, v, side="left", sorter=None: _statistics.searchsorted(a, v, side=side, sorter=sorter),
    "shape": lambda a: array(a).shape,
    "shares_memory": lambda a, b, max_work=None: False,
    "size": _size,
    "sliding_window_view": sliding_window_view,
    "split": _split,
    "take": _take,
    "trace": lambda a, offset=0, dtype=None: linalg.trace(a, offset=offset, dtype=dtype),
    "unique": unique,
}
