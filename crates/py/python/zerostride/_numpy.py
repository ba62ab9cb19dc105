"""NumPy's functions whose operands are others here, or that are made of others."""

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
from ._padding import pad, sliding_window_view
from ._selection import argwhere, flatnonzero, unique
from ._views import view


def _flat(a: Any) -> Array:
    return _manipulation.reshape(a, (-1,))


def _clip(a: Any, *bounds: Any, **named: Any) -> Array:
    low, high = (*bounds, None, None)[:2]
    return _elementwise.clip(a, named.get("a_min", named.get("min", low)), named.get("a_max", named.get("max", high)))


def _take(a: Any, indices: Any, axis: int | None = None, mode: str | None = None) -> Array:
    return _statistics.take(_flat(a) if axis is None else a, indices, axis=axis or 0, mode=mode)


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
    raise TypeError(DIFFERENCES)


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


def _digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """Edges may increase or decrease, which NumPy sees and a formula does not."""
    edges = np.asarray(bins)
    if edges.ndim != 1:
        raise ValueError("object of too small depth for desired array" if not edges.ndim else "bins has one axis")
    if np.any(edges[1:] < edges[:-1]):
        if np.any(edges[1:] > edges[:-1]):
            raise ValueError("bins must be monotonically increasing or decreasing")
        found = _statistics.searchsorted(array(edges[::-1]), x, side="left" if right else "right")
        return apply(f"{edges.size} - x0", found)
    return apply(f"digitize(x0, x1, right={bool(right)})", array(x), array(bins))


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Array:
    if period is not None:
        raise TypeError("interp with a period is not supported: give x % period, and points that begin and end with it")
    ends = [("left", left), ("right", right)]
    given = [(name, array(value)) for name, value in ends if value is not None]
    more = "".join(f", {name}=x{3 + k}" for k, (name, _) in enumerate(given))
    return apply(f"interp(x0, x1, x2{more})", array(x), array(xp), array(fp), *(value for _, value in given))


def _convolve(a: Any, v: Any, mode: str = "full") -> Array:
    rows = [array(a), array(v)]
    # NumPy moves the shorter one, which makes a difference for "same".
    long, short = rows if rows[0].size >= rows[1].size else reversed(rows)
    return _correlate(long, _manipulation.flip(_high(short, 1)), mode)


def _correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    a, v = _high(a, 1), _high(v, 1)
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    if not a.size or not v.size:
        raise ValueError("correlate and convolve take arrays with elements")
    is_swapped = a.size < v.size
    long, short = (v, a) if is_swapped else (a, v)
    n = short.size
    sides = {"valid": (0, 0), "same": (n // 2, n - 1 - n // 2), "full": (n - 1, n - 1)}
    if mode not in sides:
        raise ValueError(f"mode is 'full', 'same' or 'valid', not {mode!r}")
    sums = apply("x0 @ x1", sliding_window_view(pad(long, sides[mode]), n), short)
    return _manipulation.flip(sums) if is_swapped else sums


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None) -> Any:
    """Counts between edges; of a number of bins NumPy computes the edges from the least and the largest element."""
    a = array(a)
    if isinstance(bins, str):
        raise TypeError("bins by a rule are not supported: give their number or their edges")
    if np.ndim(bins) == 0:
        ends = np.asarray([_statistics.min(a), _statistics.max(a)] if a.size and range is None else [], a.dtype)
        bins = np.histogram_bin_edges(ends, bins, range)
    edges = array(bins)
    more = ", density=True" if density else ""
    if weights is None:
        return apply(f"histogram(x0, x1{more})[0]", a, edges), edges
    return apply(f"histogram(x0, x1, weights=x2{more})[0]", a, edges, array(weights)), edges


def _atleast_3d(a: Any) -> Array:
    high = array(_high(a, 1))
    if high.ndim == 1:
        high = high[None, :]
    return high[..., None] if high.ndim == 2 else high


def _of_all(name: str, arrays: Any) -> Array:
    """A function of the text language of a list of arrays."""
    arrays = list(map(array, arrays))
    return apply(f"{name}(({', '.join(f'x{n}' for n in range(len(arrays)))},))", *arrays)


def _append(arr: Any, values: Any, axis: int | None = None) -> Array:
    if axis is None:
        return _manipulation.concat([_flat(arr), _flat(values)])
    return _manipulation.concat([array(arr), array(values)], axis=axis)


def _rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    first, second = (operator.index(axis) for axis in axes)
    m = array(m)
    return view(m, apply(f"rot90(x0, k={operator.index(k)}, axes=({first}, {second}))", m))


def _diag(v: Any, k: int = 0) -> Array:
    v, k = array(v), operator.index(k)
    if v.ndim == 2:
        return linalg.diagonal(v, offset=k)
    if v.ndim != 1:
        raise ValueError("diag takes a vector or a matrix")
    placed = pad(v, (abs(k), 0))
    is_on = _creation.eye(v.size + abs(k), k=k, dtype=bool)
    # Above the main diagonal an element is of its column, below it of its row.
    return apply("where(x0, x1, 0)", is_on, placed[None, :] if k >= 0 else placed[:, None])


def _kron(a: Any, b: Any) -> Array:
    a, b = array(a), array(b)
    rank = max(a.ndim, b.ndim)
    left, right = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
    a = _manipulation.reshape(a, [e for extent in left for e in (extent, 1)])
    b = _manipulation.reshape(b, [e for extent in right for e in (1, extent)])
    return _manipulation.reshape(a * b, [x * y for x, y in zip(left, right, strict=True)])


def _array_split(a: Any, sections: Any, axis: int = 0) -> list[Array]:
    if isinstance(sections, Iterable):
        return _split(a, sections, axis)
    a, count = array(a), operator.index(sections)
    if count <= 0:
        raise ValueError("an array is split into 1 part or more")
    each, more = divmod(a.shape[axis], count)
    # The first parts are longer by one.
    return _split(a, [n * each + min(n, more) for n in range(1, count)], axis)


def _extract(condition: Any, arr: Any) -> Array:
    return array(arr).ravel()[flatnonzero(condition)]


def _compress(condition: Any, a: Any, axis: int | None = None) -> Array:
    return _take(a, flatnonzero(condition), axis)


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Array:
    """By NumPy on the host, since the number of bins depends on the data."""
    weighed = None if weights is None else array(weights).numpy()
    counts = np.bincount(array(x).numpy(), weighed, minlength)
    exact = weighed is None or weighed.dtype == np.float64
    return uploaded(counts if exact else counts.astype(default_float()))


#: By their names.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "append": _append,
    "argwhere": argwhere,
    "array_equal": _array_equal,
    "array_split": _array_split,
    "atleast_1d": lambda a: _high(a, 1),
    "atleast_2d": lambda a: _high(a, 2),
    "atleast_3d": _atleast_3d,
    "average": _average,
    "bincount": _bincount,
    "clip": _clip,
    "column_stack": lambda tup: _of_all("column_stack", tup),
    "compress": _compress,
    "convolve": _convolve,
    "copy": lambda a, order="K", subok=False: array(a).copy(),
    "correlate": _correlate,
    "diag": _diag,
    "digitize": _digitize,
    "dot": _dot,
    "dstack": lambda tup: _of_all("dstack", tup),
    "einsum": einsum,
    "extract": _extract,
    "flatnonzero": flatnonzero,
    "fliplr": lambda m: apply("fliplr(x0)", array(m)),
    "flipud": lambda m: apply("flipud(x0)", array(m)),
    "gradient": _gradient,
    "histogram": _histogram,
    "hstack": _hstack,
    "inner": _inner,
    "interp": _interp,
    "iscomplexobj": lambda x: False,
    "isrealobj": lambda x: True,
    "kron": _kron,
    # What is set in an array is set in no other.
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
    "sinc": lambda x: apply("sinc(x0)", array(x)),
    "size": _size,
    "sliding_window_view": sliding_window_view,
    "split": _split,
    "take": _take,
    "trace": lambda a, offset=0, dtype=None: linalg.trace(a, offset=offset, dtype=dtype),
    "unique": unique,
    "vdot": _vdot,
    "vstack": lambda arrays: _manipulation.concat([_high(a, 2) for a in arrays], axis=0),
}
