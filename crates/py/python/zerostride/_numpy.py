"""NumPy's functions whose operands are others here, or that are made of others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _elementwise, _manipulation, _statistics, linalg
from ._array import Array, uploaded
from ._dtypes import default_float
from ._einsum import einsum
from ._elementwise import array
from ._selection import argwhere, flatnonzero, unique


def _flat(a: Any) -> Array:
    return _manipulation.reshape(a, (-1,))


def _clip(a: Any, *bounds: Any, **named: Any) -> Array:
    low, high = (*bounds, None, None)[:2]
    return _elementwise.clip(a, named.get("a_min", named.get("min", low)), named.get("a_max", named.get("max", high)))


def _take(a: Any, indices: Any, axis: int | None = None) -> Array:
    return _statistics.take(_flat(a) if axis is None else a, array(indices), axis=0 if axis is None else axis)


def _size(a: Any, axis: int | None = None) -> int:
    return array(a).size if axis is None else array(a).shape[axis]


def _dot(a: Any, b: Any) -> Array:
    a, b = array(a), array(b)
    return a * b if not a.ndim or not b.ndim else _statistics.tensordot(a, b, axes=((-1,), (-min(b.ndim, 2),)))


def _inner(a: Any, b: Any) -> Array:
    a, b = array(a), array(b)
    return a * b if not a.ndim or not b.ndim else _statistics.tensordot(a, b, axes=((-1,), (-1,)))


def _high(a: Any, rank: int) -> Array:
    a = array(a)
    return a if a.ndim >= rank else _manipulation.reshape(a, (1,) * (rank - a.ndim) + a.shape)


def _hstack(arrays: Any) -> Array:
    rows = [_high(a, 1) for a in arrays]
    return _manipulation.concat(rows, axis=0 if rows[0].ndim == 1 else 1)


def _split(a: Any, where: Any, axis: int = 0) -> list[Array]:
    a = array(a)
    extent = a.shape[axis]
    if isinstance(where, int):
        if extent % where:
            raise ValueError(f"an axis of extent {extent} has no {where} equal parts")
        where = range(extent // where, extent, extent // where)
    ends = [0, *where, extent]
    front = (slice(None),) * (axis % a.ndim)
    return [a[(*front, slice(low, max(low, high)))] for low, high in zip(ends, ends[1:])]


def _average(a: Any, axis: int | None = None, weights: Any = None) -> Array:
    if weights is None:
        return _statistics.mean(a, axis=axis)
    a, weights = array(a), array(weights)
    if weights.shape != a.shape:
        if axis is None or weights.ndim != 1:
            raise ValueError(f"weights of shape {weights.shape} are those of no axis; the shape is {a.shape}")
        weights = _manipulation.reshape(weights, [e if n == axis % a.ndim else 1 for n, e in enumerate(a.shape)])
    return _statistics.sum(a * weights, axis=axis) / _statistics.sum(_manipulation.broadcast_to(weights, a.shape), axis=axis)


def _array_equal(a: Any, b: Any, equal_nan: bool = False) -> bool:
    a, b = array(a), array(b)
    if a.shape != b.shape:
        return False
    return bool(_statistics.all((a == b) | (_elementwise.isnan(a) & _elementwise.isnan(b)) if equal_nan else a == b))


def _gradient(f: Any, *spacing: Any, **options: Any) -> Any:
    raise TypeError(
        "numpy.gradient, of differences, is not there for zerostride arrays: numpy.gradient(a.numpy(), ..) computes on the "
        "host; zerostride.gradient differentiates"
    )


def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Array:
    """Positions of elements by their indices; those beyond the ends are not refused, since a kernel cannot."""
    extents = tuple(map(operator.index, dims if isinstance(dims, Iterable) else (dims,)))
    if mode != "raise" or order not in ("C", "F"):
        raise TypeError("numpy.ravel_multi_index takes mode='raise' and order 'C' or 'F' for zerostride arrays")
    indices = [array(index) for index in multi_index]
    if any(index.dtype.kind not in "iu" for index in indices):
        raise TypeError("indices are arrays of integers")
    indices = [index.astype(np.int64, copy=False) for index in indices]
    if len(indices) != len(extents):
        raise ValueError(f"{len(indices)} indices are given for {len(extents)} extents")
    place: Any = 0
    pairs = zip(indices, extents, strict=True)
    for index, extent in pairs if order == "C" else reversed(list(pairs)):
        place = place * extent + index
    return array(place)


def _vdot(a: Any, b: Any) -> Array:
    a, b = _flat(a), _flat(b)
    both_bool = a.dtype.kind == b.dtype.kind == "b"
    return _statistics.any(a & b) if both_bool else _statistics.vecdot(a, b)


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Array:
    """By NumPy on the host, since the number of bins depends on the data."""
    weighed = None if weights is None else array(weights).numpy()
    counts = np.bincount(array(x).numpy(), weighed, minlength)
    return uploaded(counts if weighed is None else counts.astype(default_float))


#: By their names.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "argwhere": argwhere,
    "array_equal": _array_equal,
    "atleast_1d": lambda a: _high(a, 1),
    "atleast_2d": lambda a: _high(a, 2),
    "average": _average,
    "bincount": _bincount,
    "clip": _clip,
    "copy": lambda a, order="K", subok=False: array(a).copy(),
    "dot": _dot,
    "einsum": einsum,
    "flatnonzero": flatnonzero,
    "gradient": _gradient,
    "hstack": _hstack,
    "inner": _inner,
    "iscomplexobj": lambda x: False,
    "isrealobj": lambda x: True,
    # What is set in an array is set in no other.
    "may_share_memory": lambda a, b, max_work=None: False,
    "ndim": lambda a: array(a).ndim,
    "outer": lambda a, b: linalg.outer(_flat(a), _flat(b)),
    "ravel_multi_index": _ravel_multi_index,
    "ravel": lambda a, order="C": array(a).ravel(order),
    "repeat": lambda a, repeats, axis=None: _manipulation.repeat(a, repeats, axis=axis),
    "result_type": lambda *operands: _manipulation.result_type(*operands),
    "roll": lambda a, shift, axis=None: _manipulation.roll(a, shift, axis=axis),
    "shape": lambda a: array(a).shape,
    "shares_memory": lambda a, b, max_work=None: False,
    "size": _size,
    "split": _split,
    "take": _take,
    "trace": lambda a, offset=0, dtype=None: linalg.trace(a, offset=offset, dtype=dtype),
    "unique": unique,
    "vdot": _vdot,
    "vstack": lambda arrays: _manipulation.concat([_high(a, 2) for a in arrays], axis=0),
}
