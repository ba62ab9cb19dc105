"""Reductions and scans. Their order of operations is fixed, so the bits are the same on every adapter."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from ._array import Array, apply, astype
from ._creation import zeros
from ._dtypes import as_dtype, code_of, default_float, float32, float64, isdtype
from ._elementwise import array, described
from ._manipulation import Axis, broadcast_to, concat, normal_axes, normal_axis, reshape, shown


class Reduction(Protocol):
    """A reduction along axes, by default all."""

    def __call__(self, x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array: ...


class Sum(Protocol):
    """A reduction whose result may have another element type."""

    def __call__(
        self, x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False
    ) -> Array: ...


class Variance(Protocol):
    """A variance or deviation; `correction`, NumPy's `ddof`, is subtracted from the number of elements."""

    def __call__(
        self,
        x: Any,
        /,
        *,
        axis: Axis = None,
        correction: float = 0.0,
        keepdims: bool = False,
        dtype: Any = None,
        ddof: float | None = None,
    ) -> Array: ...


def reduced(name: str, x: Any, axis: Any, keepdims: bool, **parameters: Any) -> Array:
    """Applies a reduction of the expression language."""
    x = array(x)
    axes = "None"
    if isinstance(axis, Iterable):
        axes = shown(normal_axes(axis, x.ndim))
    elif axis is not None:
        axes = str(normal_axis(axis, x.ndim))
    more = "".join(f", {name}={value}" for name, value in parameters.items())
    return apply(f"{name}(x0, axis={axes}, keepdims={bool(keepdims)}{more})", x)


#: The result of reducing no elements, and the formula that joins two results.
_NOTHING = {"sum": 0, "prod": 1, "any": False, "all": True}
_JOINED = {
    "sum": "x0 + x1",
    "prod": "x0 * x1",
    "max": "maximum(x0, x1)",
    "min": "minimum(x0, x1)",
    "any": "logical_or(x0, x1)",
    "all": "logical_and(x0, x1)",
}


def chosen(
    name: str,
    x: Any,
    *,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    **parameters: Any,
) -> Array:
    """Reduces the elements where a mask is true, and `initial`, as NumPy does."""
    x = array(x)
    if where is not True and name in ("mean", "var", "std"):
        if initial is not None:
            raise TypeError(f"{name} does not support `initial`")
        moment = _moment(name, x, array(where), axis, keepdims, **parameters)
        return moment if dtype is None else astype(moment, dtype, copy=False)
    if name in _VARIANCES and initial is None and dtype is None:
        return _VARIANCES[name](x, axis=axis, keepdims=keepdims, **parameters)
    if dtype is not None:
        parameters["dtype"] = code_of(as_dtype(dtype))
    if where is not True:
        mask = array(where)
        nothing = _NOTHING.get(name, initial)
        if x.dtype.kind == "b" and nothing is initial and isinstance(initial, (int, float)):
            nothing = bool(initial)
        if nothing is None:
            raise ValueError(f"{name} with `where` needs `initial`, since `where` may select no element")
        x = apply("where(x0, x1, x2)", mask, x, nothing)
    result = reduced(name, x, axis, keepdims, **parameters)
    if initial is None:
        return result
    if name not in _JOINED:
        raise TypeError(f"{name} does not support `initial`")
    if result.dtype.kind == "b" and isinstance(initial, (int, float)):
        # As one of the array's own type.
        initial = bool(initial)
    return apply(_JOINED[name], result, initial)


def _moment(name: str, x: Array, mask: Array, axis: Any, keepdims: bool, correction: float = 0) -> Array:
    """Mean, variance or deviation of the elements where a mask is true. 16-bit floats are summed in float32."""
    if x.dtype.itemsize == 2 and x.dtype.kind not in "iu":
        return astype(_moment(name, astype(x, float32), mask, axis, keepdims, correction), x.dtype)

    def summed(values: Array, kept: bool) -> Array:
        return chosen("sum", values, axis=axis, keepdims=kept, where=mask)

    def counted(kept: bool) -> Array:
        return astype(reduced("sum", whole, axis, kept), x.dtype if x.dtype == float64 else default_float())

    whole = broadcast_to(mask, np.broadcast_shapes(mask.shape, x.shape))
    x = broadcast_to(x, whole.shape)
    if name == "mean":
        return summed(x, keepdims) / counted(keepdims)
    apart = x - summed(x, True) / counted(True)
    freedom = apply("maximum(x0 - x1, 0)", counted(keepdims), correction)
    variance = summed(apart * apart, keepdims) / freedom
    return apply("sqrt(x0)", variance) if name == "std" else variance


def _reduction(name: str) -> Reduction:
    def function(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
        return reduced(name, x, axis, keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name)
    return function


def _sum(name: str) -> Sum:
    def function(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
        if dtype is None:
            return reduced(name, x, axis, keepdims)
        return reduced(name, x, axis, keepdims, dtype=code_of(as_dtype(dtype)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name)
    return function


def _variance(name: str) -> Variance:
    def function(
        x: Any,
        /,
        *,
        axis: Axis = None,
        correction: float = 0.0,
        keepdims: bool = False,
        dtype: Any = None,
        ddof: float | None = None,
    ) -> Array:
        # Libraries use NumPy's name.
        correction = correction if ddof is None else ddof
        x = array(x)
        if dtype is not None:
            x = astype(x, dtype, copy=False)
        # The array API: NaN where nothing is left to divide by.
        if correction != int(correction) or correction >= _count(x, axis):
            return _corrected(name, x, axis, correction, keepdims)
        return reduced(name, x, axis, keepdims, correction=int(correction))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name)
    return function


def _count(x: Array, axis: Any) -> int:
    """The number of elements that are reduced to one."""
    return x.size if axis is None else int(np.prod([x.shape[a] for a in normal_axes(axis, x.ndim)]))


def _corrected(name: str, x: Array, axis: Any, correction: float, keepdims: bool) -> Array:
    """A variance whose correction is a fraction, or not less than the number of elements."""
    count = _count(x, axis)
    factor = count / (count - correction) if count > correction else float("nan")
    variance = reduced(name.replace("std", "var"), x, axis, keepdims) * factor
    return apply("sqrt(x0)", variance) if name.endswith("std") else variance


all = _reduction("all")
amax = _reduction("amax")
amin = _reduction("amin")
any = _reduction("any")
argmax = _reduction("argmax")
argmin = _reduction("argmin")
count_nonzero = _reduction("count_nonzero")
logsumexp = _reduction("logsumexp")
max = _reduction("max")
mean = _sum("mean")
min = _reduction("min")
nanargmax = _reduction("nanargmax")
nanargmin = _reduction("nanargmin")
nanmax = _reduction("nanmax")
nanmean = _sum("nanmean")
nanmin = _reduction("nanmin")
nanprod = _sum("nanprod")
nanstd = _variance("nanstd")
nansum = _sum("nansum")
nanvar = _variance("nanvar")
prod = _sum("prod")
ptp = _reduction("ptp")
std = _variance("std")
sum = _sum("sum")
var = _variance("var")
_VARIANCES = {"nanstd": nanstd, "nanvar": nanvar, "std": std, "var": var}


def _cumulative(name: str, first: int, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Array:
    x = array(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"a scan of an array of {x.ndim} axes needs `axis`")
        x, axis = reshape(x, (-1,)), 0
    at = normal_axis(axis, x.ndim)
    if dtype is not None:
        scanned = apply(f"{name}(x0, axis={at}, dtype={code_of(as_dtype(dtype))})", x)
    else:
        scanned = apply(f"{name}(x0, axis={at})", x)
    if include_initial:
        shape = [1 if n == at else e for n, e in enumerate(scanned.shape)]
        scanned = concat([zeros(shape, dtype=scanned.dtype) + first, scanned], axis=at)
    return scanned


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Cumulative sums along an axis.

    >>> import zerostride as zs
    >>> zs.cumulative_sum(zs.asarray([1, 2, 3]))
    Array([1, 3, 6], dtype=int64)
    """
    return _cumulative("cumsum", 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Cumulative products along an axis."""
    return _cumulative("cumprod", 1, x, axis, dtype, include_initial)


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Cumulative sums; without an axis, of all elements in row-major order."""
    return _cumulative("cumsum", 0, reshape(x, (-1,)) if axis is None else x, axis, dtype, False)


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Cumulative products; without an axis, of all elements in row-major order."""
    return _cumulative("cumprod", 1, reshape(x, (-1,)) if axis is None else x, axis, dtype, False)


def nancumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Cumulative sums that count NaN as 0."""
    return _cumulative("nancumsum", 0, reshape(x, (-1,)) if axis is None else x, axis, dtype, False)


def nancumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Cumulative products that count NaN as 1."""
    return _cumulative("nancumprod", 1, reshape(x, (-1,)) if axis is None else x, axis, dtype, False)


def take(x: Any, indices: Any, /, *, axis: int | None = None, mode: str | None = None) -> Array:
    """The elements at these indices along an axis. Negative indices count from the end. Indices on
    the device are clamped, since a kernel cannot raise errors; others are checked. `mode="raise"`
    reads the smallest and the largest index first and checks them. As in NumPy, `mode="clip"` turns
    negative indices into 0, and `mode="wrap"` continues from the other end.

    >>> import zerostride as zs
    >>> zs.take(zs.asarray([10, 20, 30]), zs.asarray([2, 0]))
    Array([30, 10], dtype=int64)
    """
    from ._indexing import bounded, index_array

    x = array(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take from an array of {x.ndim} axes needs `axis`")
        axis = 0
    at = normal_axis(axis, x.ndim)
    extent = x.shape[at]
    if mode in ("clip", "wrap"):
        return apply(f"take(x0, x1, axis={at})", x, bounded(indices, extent, mode))
    if mode not in (None, "raise"):
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', not {mode!r}")
    if mode == "raise" and isinstance(indices, Array) and indices.size and indices.dtype.kind in "iu":
        for end in (int(indices.min()), int(indices.max())):
            if not -extent <= end < extent:
                raise IndexError(f"index {end} is out of range for an axis of extent {extent}")
    return apply(f"take(x0, x1, axis={at})", x, index_array(indices, extent))


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Array:
    """For each index in `indices`, the element of `x` at this index along `axis`, and at the index's
    own place along the other axes.
    """
    from ._indexing import indexed
    from ._manipulation import broadcast_shapes, broadcast_to

    x, places = array(x), array(indices)
    if x.ndim != places.ndim:
        raise ValueError(f"the indices have {places.ndim} axes, but the array has {x.ndim}")
    at = normal_axis(axis, x.ndim)
    others = broadcast_shapes(
        *(tuple(1 if n == at else e for n, e in enumerate(s)) for s in (x.shape, places.shape))
    )
    x = broadcast_to(x, [x.shape[at] if n == at else e for n, e in enumerate(others)])
    places = broadcast_to(places, [places.shape[at] if n == at else e for n, e in enumerate(others)])
    key: list[Any] = []
    for n, extent in enumerate(x.shape):
        if n == at:
            key.append(places)
        else:
            shape = [extent if m == n else 1 for m in range(x.ndim)]
            key.append(np.arange(extent).reshape(shape))
    return indexed(x, tuple(key))


#: The longest axis that the device sorts.
_SORTED = 1 << 16


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Sorts the elements along an axis, NaN as the largest. The device sorts axes of up to 65,536 elements; NumPy sorts
    longer ones on the host.

    >>> import zerostride as zs
    >>> zs.sort(zs.asarray([3, 1, 2]))
    Array([1, 2, 3], dtype=int64)
    """
    x = array(x)
    at = normal_axis(axis, x.ndim)
    if x.shape[at] <= _SORTED:
        turn = f"flip(sort(x0, axis={at}), {at})" if descending else f"sort(x0, axis={at})"
        return apply(turn, x)
    return take_along_axis(x, argsort(x, axis=axis, descending=descending, stable=stable), axis=axis)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The indices that sort the elements along an axis; see `sort`. Equal elements keep their order.

    >>> import zerostride as zs
    >>> zs.argsort(zs.asarray([3, 1, 2]))
    Array([1, 2, 0], dtype=int64)
    """
    from ._array import uploaded

    x = array(x)
    at = normal_axis(axis, x.ndim)
    last = x.shape[at] - 1
    if last < _SORTED:
        if not descending:
            return apply(f"argsort(x0, axis={at})", x)
        return apply(f"{last} - flip(argsort(flip(x0, {at}), axis={at}), {at})", x)
    host = x.numpy()
    if not descending:
        order = np.argsort(host, axis=at, kind="stable")
    else:
        # Equal elements keep their order: sorted from behind, and turned.
        order = np.flip(np.argsort(np.flip(host, at), axis=at, kind="stable"), at)
        order = host.shape[at] - 1 - order
    return uploaded(order.astype(np.int64))


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Array:
    """The positions in `x1` at which the elements of `x2` keep it sorted. `x1` must be sorted, or sorted by `sorter`.

    >>> import zerostride as zs
    >>> zs.searchsorted(zs.asarray([10, 20, 30]), zs.asarray([5, 20, 99]))
    Array([0, 1, 3], dtype=int64)
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', not {side!r}")
    x1 = array(x1) if sorter is None else take(x1, sorter, axis=0)
    return apply(f"searchsorted(x0, x1, {side!r})", x1, array(x2))


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Whether each element of `x1` is in `x2`; compares all pairs.

    >>> import zerostride as zs
    >>> zs.isin(zs.asarray([1, 2, 3]), zs.asarray([2, 5]))
    Array([False,  True, False])
    """
    x1, x2 = array(x1), reshape(x2, (-1,))
    if not x2.size:
        found = zeros(x1.shape, dtype=bool)
    else:
        found = apply("any(x0[..., None] == x1, axis=-1)", x1, x2)
    return apply("~x0", found) if invert else found


def matmul(x1: Any, x2: Any, /) -> Array:
    """Matrix product; batches and vectors as in NumPy."""
    x1, x2 = array(x1), array(x2)
    if not x1.ndim or not x2.ndim:
        raise ValueError("matmul needs vectors or matrices, not numbers")
    return apply("x0 @ x1", x1, x2)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Array:
    """Sums of products along several axes of both arrays.

    >>> import zerostride as zs
    >>> zs.tensordot(zs.ones((2, 3)), zs.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    from ._manipulation import permute_dims

    x1, x2 = array(x1), array(x2)
    if isinstance(axes, (int, np.integer)):
        n = operator.index(axes)
        left, right = tuple(range(x1.ndim - n, x1.ndim)), tuple(range(n))
    else:
        left, right = normal_axes(axes[0], x1.ndim), normal_axes(axes[1], x2.ndim)
    extents = [x1.shape[a] for a in left]
    if extents != [x2.shape[a] for a in right]:
        raise ValueError(f"the axes' extents differ: {x1.shape} along {left}, {x2.shape} along {right}")
    rest1 = [a for a in range(x1.ndim) if a not in left]
    rest2 = [a for a in range(x2.ndim) if a not in right]
    shape = [x1.shape[a] for a in rest1] + [x2.shape[a] for a in rest2]
    inner = int(np.prod(extents, dtype=object)) if extents else 1
    rows = int(np.prod([x1.shape[a] for a in rest1], dtype=object)) if rest1 else 1
    columns = int(np.prod([x2.shape[a] for a in rest2], dtype=object)) if rest2 else 1
    a = reshape(permute_dims(x1, (*rest1, *left)), (rows, inner))
    b = reshape(permute_dims(x2, (*right, *rest2)), (inner, columns))
    return reshape(matmul(a, b), shape)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Sums of products along an axis of both arrays."""
    x1, x2 = array(x1), array(x2)
    if not x1.ndim or not x2.ndim:
        raise ValueError("vecdot needs vectors, not numbers")
    at = operator.index(axis)
    if not -min_rank(x1, x2) <= at < 0:
        at = normal_axis(axis, x1.ndim) - x1.ndim
    if x1.shape[at] != x2.shape[at]:
        raise ValueError(f"the vectors have {x1.shape[at]} and {x2.shape[at]} elements")
    products = x1 * x2
    if isdtype(products.dtype, "integral"):
        return reduced("sum", products, at, False, dtype=code_of(products.dtype))
    return reduced("sum", products, at, False)


def min_rank(x1: Array, x2: Array) -> int:
    """The smaller number of axes."""
    return x1.ndim if x1.ndim < x2.ndim else x2.ndim
