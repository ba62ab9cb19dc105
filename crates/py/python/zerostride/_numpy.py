"""NumPy's functions whose operands are others here, or that are made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _elementwise, _manipulation, _statistics, linalg
from ._array import Array
from ._elementwise import array


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


#: By their names.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "array_equal": _array_equal,
    "atleast_1d": lambda a: _high(a, 1),
    "atleast_2d": lambda a: _high(a, 2),
    "average": _average,
    "clip": _clip,
    "copy": lambda a, order="K", subok=False: array(a).copy(),
    "diff": lambda a, n=1, axis=-1, **more: _manipulation.diff(a, n=n, axis=axis, **more),
    "dot": _dot,
    "gradient": _gradient,
    "hstack": _hstack,
    "inner": _inner,
    "iscomplexobj": lambda x: False,
    "isrealobj": lambda x: True,
    "ndim": lambda a: array(a).ndim,
    "outer": lambda a, b: linalg.outer(_flat(a), _flat(b)),
    "ravel": lambda a, order="C": _flat(a),
    "repeat": lambda a, repeats, axis=None: _manipulation.repeat(a, repeats, axis=axis),
    "result_type": lambda *operands: _manipulation.result_type(*operands),
    "roll": lambda a, shift, axis=None: _manipulation.roll(a, shift, axis=axis),
    "shape": lambda a: array(a).shape,
    "size": _size,
    "split": _split,
    "take": _take,
    "trace": lambda a, offset=0: linalg.trace(a, offset=offset),
    "vdot": lambda a, b: _statistics.vecdot(_flat(a), _flat(b)),
    "vstack": lambda arrays: _manipulation.concat([_high(a, 2) for a in arrays], axis=0),
}
