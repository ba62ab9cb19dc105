"""Reductions and scans. Their order of operations is fixed, so the bits are the same on every adapter."""

# mypy: disable-error-code="empty-body, type-abstract"
from __future__ import annotations

import functools
import math
import operator
from typing import Any, Protocol, cast

import numpy as np

from ._array import Array, apply, uploaded
from ._dtypes import float32
from ._elementwise import array
from ._elementwise import matmul as matmul
from ._library import Function, declared, made
from ._manipulation import Axis, broadcast_to, flip, moveaxis, normal_axes, normal_axis, reshape


class Reduction(Protocol):
    """A reduction along axes, by default all."""

    def __call__(self, x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array: ...


class Sum(Protocol):
    """A reduction whose result may have another element type."""

    def __call__(self, x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array: ...


class Variance(Protocol):
    """A variance or deviation; `correction`, NumPy's `ddof`, is subtracted from the number of elements."""

    def __call__(
        self, x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False, dtype: Any = None,
        ddof: float | None = None,
    ) -> Array: ...


class Scan(Protocol):
    """A scan along an axis; without an axis, of all elements in row-major order."""

    def __call__(self, x: Any, axis: int | None = None, dtype: Any = None) -> Array: ...


def reduced(name: str, x: Any, axis: Any = None, keepdims: Any = False, **options: Any) -> Array:
    """Applies a reduction of the expression language, with NumPy's options; `ddof` is its name of `correction`."""
    x = array(x)
    options = {n: value for n, value in options.items() if value is not None and (n != "where" or value is not True)}
    correction = options.pop("ddof", options.pop("correction", 0))
    if correction:
        axes = range(x.ndim) if axis is None else normal_axes(axis, x.ndim)
        if "where" in options or correction % 1 or not 0 < correction < math.prod(x.shape[a] for a in axes):
            return _corrected(name, x, axis, keepdims, correction, options)
        options["correction"] = int(correction)
    return made(name, x, axis=axis, keepdims=keepdims, **options)


def _corrected(name: str, x: Array, axis: Any, keepdims: bool, correction: float, options: dict[str, Any]) -> Array:
    """A variance of masked elements, or whose correction is a fraction or leaves nothing to divide by."""
    variance = made(name.replace("std", "var"), x, axis=axis, keepdims=keepdims, **options)
    mask = broadcast_to(options.get("where", x == x if name.startswith("nan") else True), x.shape)
    count = made("count_nonzero", mask, axis=axis, keepdims=keepdims).astype(np.promote_types(variance.dtype, float32))
    # NaN where nothing is left to divide by, as in the array API; NumPy divides by 0 if there is a mask.
    nothing = 0.0 if "where" in options else math.nan
    root = "sqrt" if name.endswith("std") else ""
    found = apply(f"{root}(x0 * (x1 / where(x1 > x2, x1 - x2, x3)))", variance, count, correction, nothing)
    return found.astype(variance.dtype)


def several(kind: type[Function], names: str, run: Any = reduced) -> list[Function]:
    """The reductions of these names with the parameters that a protocol has."""
    return [cast(Function, declared(run, name)(functools.partial(kind.__call__, None))) for name in names.split()]


all, any, argmax, argmin, count_nonzero = several(Reduction, "all any argmax argmin count_nonzero")
logsumexp, max, min, ptp = several(Reduction, "logsumexp max min ptp")
nanargmax, nanargmin, nanmax, nanmin = several(Reduction, "nanargmax nanargmin nanmax nanmin")
mean, nanmean, nanprod, nansum, prod, sum = several(Sum, "mean nanmean nanprod nansum prod sum")
nanstd, nanvar, std, var = several(Variance, "nanstd nanvar std var")


def _scanned(name: str, x: Any, axis: Any = None, dtype: Any = None, include_initial: bool | None = None) -> Array:
    x = array(x)
    if include_initial is not None and axis is None and x.ndim > 1:
        raise ValueError(f"a scan of an array of {x.ndim} axes needs `axis`")
    name = name.replace("ulative_", "")
    scanned = made(name, x, axis=axis if axis is None else operator.index(axis), dtype=dtype)
    if not include_initial:
        return scanned
    widths = [(0, 0)] * scanned.ndim
    widths[axis or 0] = (1, 0)
    return made("pad", scanned, widths, constant_values=int(name == "cumprod"))


@declared(_scanned)
def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Cumulative sums along an axis.

    >>> import zerostride as zs
    >>> zs.cumulative_sum(zs.asarray([1, 2, 3]))
    Array([1, 3, 6], dtype=int64)
    """


@declared(_scanned)
def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Cumulative products along an axis."""


cumprod, cumsum, nancumprod, nancumsum = several(Scan, "cumprod cumsum nancumprod nancumsum", _scanned)


def take(x: Any, indices: Any, /, *, axis: int | None = None, mode: str | None = None) -> Array:
    """The elements at these indices along an axis. Negative indices count from the end. Indices on the device are
    clamped, since a kernel cannot raise errors; others are checked. `mode="raise"` reads the smallest and the largest
    index first and checks them. As in NumPy, `mode="clip"` turns negative indices into 0, and `mode="wrap"` continues
    from the other end.

    >>> import zerostride as zs
    >>> zs.take(zs.asarray([10, 20, 30]), zs.asarray([2, 0]))
    Array([30, 10], dtype=int64)
    """
    from ._indexing import bounded, index_array

    x = array(x)
    if axis is None and x.ndim != 1:
        raise ValueError(f"take from an array of {x.ndim} axes needs `axis`")
    if mode not in (None, "raise", "clip", "wrap"):
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', not {mode!r}")
    extent = x.shape[at := normal_axis(0 if axis is None else axis, x.ndim)]
    if mode == "raise" and isinstance(indices, Array) and indices.size and indices.dtype.kind in "iu":
        index_array(np.asarray([indices.min(), indices.max()]), extent)
    places = bounded(indices, extent, mode) if mode in ("clip", "wrap") else index_array(indices, extent)
    return made("take", x, places, axis=at)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Array:
    """For each index, the element of `x` there along `axis`, and at the index's own place along the other axes."""
    x, places = array(x), array(indices)
    if places.dtype.kind not in "iu":
        raise IndexError(f"an index array must hold integers, not {places.dtype}")
    return made("take_along_axis", x, places, axis=normal_axis(axis, x.ndim))


def _sorted(name: str, x: Any, axis: int | None) -> Array:
    """Sorts on the device, or with NumPy an axis that is too long for it."""
    x, axis = (array(x).ravel(), 0) if axis is None else (array(x), axis)
    if x.shape[normal_axis(axis, x.ndim)] <= 1 << 16:
        return made(name, x, axis=axis)
    return uploaded(getattr(np, name)(x.numpy(), axis=axis, kind="stable"))


def sort(x: Any, /, *, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Array:
    """Sorts the elements along an axis, NaN as the largest. The device sorts axes of up to 65,536 elements; NumPy sorts
    longer ones on the host. `axis=None` takes all elements as one axis.

    >>> import zerostride as zs
    >>> zs.sort(zs.asarray([3, 1, 2]))
    Array([1, 2, 3], dtype=int64)
    """
    found = _sorted("sort", x, axis)
    return flip(found, axis=axis) if descending else found


def argsort(x: Any, /, *, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Array:
    """The indices that sort the elements along an axis; see `sort`. Equal elements keep their order.

    >>> import zerostride as zs
    >>> zs.argsort(zs.asarray([3, 1, 2]))
    Array([1, 2, 0], dtype=int64)
    """
    if not descending:
        return _sorted("argsort", x, axis)
    if axis is None:
        x, axis = array(x).ravel(), 0
    # Equal elements keep their order: sorted from behind, and turned.
    order = flip(_sorted("argsort", flip(x, axis=operator.index(axis)), axis), axis=axis)
    return order.shape[axis] - 1 - order


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Array:
    """The positions in `x1` at which the elements of `x2` keep it sorted. `x1` must be sorted, or sorted by `sorter`.

    >>> import zerostride as zs
    >>> zs.searchsorted(zs.asarray([10, 20, 30]), zs.asarray([5, 20, 99]))
    Array([0, 1, 3], dtype=int64)
    """
    return made("searchsorted", array(x1) if sorter is None else take(x1, sorter, axis=0), array(x2), side=side)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Whether each element of `x1` is in `x2`; compares all pairs.

    >>> import zerostride as zs
    >>> zs.isin(zs.asarray([1, 2, 3]), zs.asarray([2, 5]))
    Array([False,  True, False])
    """
    found = apply("any(x0[..., None] == x1, axis=-1)", array(x1), reshape(x2, (-1,)))
    return ~found if invert else found


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Array:
    """Sums of products along several axes of both arrays.

    >>> import zerostride as zs
    >>> zs.tensordot(zs.ones((2, 3)), zs.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    x1, x2 = array(x1), array(x2)
    left, right = (range(-axes, 0), range(axes)) if isinstance(axes, (int, np.integer)) else axes
    left, right = normal_axes(left, x1.ndim), normal_axes(right, x2.ndim)
    if [x1.shape[a] for a in left] != [x2.shape[a] for a in right]:
        raise ValueError(f"the axes' extents differ: {x1.shape} along {left}, {x2.shape} along {right}")
    a, b = moveaxis(x1, left, range(-len(left), 0)), moveaxis(x2, right, range(len(right)))
    rows, columns, inner = a.shape[: a.ndim - len(left)], b.shape[len(right) :], math.prod(b.shape[: len(right)])
    product = matmul(reshape(a, (math.prod(rows), inner)), reshape(b, (inner, math.prod(columns))))
    return reshape(product, rows + columns)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Sums of products along an axis of both arrays."""
    return made("vecdot", moveaxis(x1, axis, -1), moveaxis(x2, axis, -1))
