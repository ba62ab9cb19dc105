"""Functions that reshape, reorder, join and split arrays. Those that move no element return views."""

# Functions without a body are those of the expression language.
# mypy: disable-error-code="empty-body"
from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib import array_utils

from . import _core
from ._array import Array, operand
from ._dtypes import as_dtype, dtype_of
from ._elementwise import array
from ._library import call, declared, made, whole
from ._views import reshaped, view

Axis = int | Sequence[int] | None
#: Axes counted from the front; several must differ.
normal_axis: Callable[[Any, int], int] = array_utils.normalize_axis_index
normal_axes = array_utils.normalize_axis_tuple
broadcast_shapes = np.broadcast_shapes


def viewed(name: str, x: Any, **options: Any) -> Array:
    """Applies a function of the expression language whose result is a view."""
    x = array(x)
    return view(x, made(name, x, **options))


def _joined(name: str, arrays: Sequence[Any], axis: int | None) -> Any:
    return call(name, tuple(map(array, arrays)), axis=axis if axis is None else operator.index(axis))


def _permuted(name: str, x: Any, axes: Any) -> Array:
    return viewed(name, x, axes=axes if axes is None else normal_axes(axes, array(x).ndim))


@declared(_permuted)
def permute_dims(x: Any, /, axes: Sequence[int]) -> Array: ...
@declared(_permuted)
def transpose(x: Any, /, axes: Sequence[int] | None = None) -> Array: ...
@declared(viewed)
def matrix_transpose(x: Any, /) -> Array: ...
@declared(viewed)
def swapaxes(x: Any, axis1: int, axis2: int, /) -> Array: ...
@declared(viewed)
def expand_dims(x: Any, /, axis: int | Sequence[int] = 0) -> Array: ...
@declared(viewed)
def squeeze(x: Any, /, axis: Axis = None) -> Array: ...
@declared(viewed)
def flip(x: Any, /, *, axis: Axis = None) -> Array: ...
@declared(made)
def broadcast_to(x: Any, /, shape: int | Sequence[int]) -> Array: ...
@declared(made)
def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array: ...
@declared(made)
def roll(x: Any, /, shift: Any, *, axis: Axis = None) -> Array: ...
@declared(made)
def tile(x: Any, reps: Any, /) -> Array: ...
@declared(made)
def tril(x: Any, /, *, k: int = 0) -> Array: ...
@declared(made)
def triu(x: Any, /, *, k: int = 0) -> Array: ...
@declared(_joined)
def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Array: ...


@declared(_joined)
def concat(arrays: Sequence[Any], /, *, axis: int | None = 0) -> Array:
    """Joins arrays along an axis; None joins all elements of each along one axis.

    >>> import zerostride as zs
    >>> zs.concat((zs.asarray([1]), zs.asarray([2, 3])))
    Array([1, 2, 3], dtype=int64)
    """


@declared(viewed)
def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    """Moves axes to other places; the other axes keep their order.

    >>> import zerostride as zs
    >>> zs.moveaxis(zs.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """


def reshape(x: Any, /, shape: Sequence[int] | int, *, copy: bool | None = None, order: str = "C") -> Array:
    """Gives the elements, in row-major or column-major ('F') order, another shape. One extent may be -1.

    >>> import zerostride as zs
    >>> zs.reshape(zs.arange(6), (2, -1)).shape
    (2, 3)
    """
    x = array(x)
    found = made("reshape", x, shape=whole(shape), order="C" if order == "A" else order)
    return found if order == "F" else reshaped(x, found)


def broadcast_arrays(*arrays: Any) -> list[Array]:
    """Broadcasts the arrays to their common shape, without copies."""
    all_ = list(map(array, arrays))
    return [broadcast_to(x, broadcast_shapes(*(x.shape for x in all_))) for x in all_]


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Array]:
    """Grids of coordinates, each broadcast without a copy from an array of one axis.

    >>> import zerostride as zs
    >>> [g.shape for g in zs.meshgrid(zs.arange(2), zs.arange(3))]
    [(3, 2), (3, 2)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', not {indexing!r}")
    if any(a.ndim != 1 for a in arrays):
        raise ValueError("the arrays of meshgrid must have one axis")
    places = list(range(len(arrays)))
    if indexing == "xy":
        places[:2] = places[:2][::-1]
    return broadcast_arrays(*(reshape(a, [1] * n + [-1] + [1] * (len(arrays) - n - 1)) for n, a in zip(places, arrays)))


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Splits an array along an axis into arrays without this axis."""
    return tuple(moveaxis(x, axis, 0))


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Array:
    """Repeats each element `repeats` times.

    >>> import zerostride as zs
    >>> zs.repeat(zs.asarray([1, 2]), 2)
    Array([1, 1, 2, 2], dtype=int64)
    """
    if np.size(repeats) == 1:
        return made("repeat", x, whole(np.ravel(repeats))[0], axis=None if axis is None else operator.index(axis))
    x = array(x) if axis is not None else reshape(x, (-1,))
    at = normal_axis(0 if axis is None else axis, x.ndim)
    indices = np.repeat(np.arange(x.shape[at]), np.asarray(repeats))
    return made("take", x, indices, axis=at) if indices.size else made("repeat", x, 0, axis=at)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The common element type of operands.

    >>> import zerostride as zs
    >>> zs.result_type(zs.int8, zs.uint8)
    dtype('int16')
    """
    operands: list[Any] = []
    for x in arrays_and_dtypes:
        # Of a number its kind counts, not its value.
        is_number = isinstance(x, (bool, int, float)) and not isinstance(x, np.generic)
        dtype = x if isinstance(x, type) else getattr(x, "dtype", x)
        operands.append(type(x)(0) if is_number else np.zeros((), as_dtype(dtype)))
    if not any(isinstance(x, np.ndarray) for x in operands):
        raise ValueError("result_type needs at least one array or element type")
    # Numbers give way to types, and integers to floats of any width; so they come last.
    operands.sort(key=lambda x: (not isinstance(x, np.ndarray), getattr(x, "dtype", np.dtype(int)).kind in "iub"))
    joined = functools.reduce(lambda found, n: f"where(x0, {found}, x{n})", range(2, len(operands) + 1), "x1")
    # Nothing is converted: only types are inferred.
    return dtype_of(_core.infer(joined, True, *map(operand, operands))[0])


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a type can represent all values of another, as in NumPy."""
    return bool(np.can_cast(as_dtype(getattr(from_, "dtype", from_)), as_dtype(to)))
