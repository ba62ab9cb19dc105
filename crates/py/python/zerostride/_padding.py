"""Padding of arrays, and sliding windows."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _manipulation, _statistics
from ._array import Array, apply
from ._elementwise import array

#: Modes that repeat elements of the array; NumPy pads their indices.
_REPEATED = ("edge", "reflect", "symmetric", "wrap")
_STATISTICS = {"maximum": _statistics.max, "mean": _statistics.mean, "minimum": _statistics.min}


def pad(
    a: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = None, stat_length: Any = None, reflect_type: Any = None
) -> Array:
    """Pads the array with `pad_width` elements before and after it along each axis.

    >>> import zerostride as zs
    >>> zs.pad(zs.asarray([1, 2, 3]), (1, 2), mode="edge")
    Array([1, 1, 2, 3, 3, 3], dtype=int64)
    """
    padded = array(a)
    if mode not in ("constant", "empty", *_REPEATED, *_STATISTICS):
        known = ", ".join(("constant", "empty", *_REPEATED, *_STATISTICS))
        raise TypeError(f"pad with mode {mode!r} is not supported for zerostride arrays; the modes are {known}")
    given = {"constant_values": constant_values, "stat_length": stat_length, "reflect_type": reflect_type}
    taken = "constant_values" if mode == "constant" else "stat_length" if mode in _STATISTICS else "reflect_type"
    if others := {n for n, x in given.items() if x is not None and (n != taken or mode in ("edge", "wrap", "empty"))}:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {others}")
    if reflect_type not in (None, "even"):
        raise TypeError("pad supports only reflect_type 'even' for zerostride arrays")
    widths = _pairs("pad_width", pad_width, padded.ndim)
    # A pair along no axis has nothing to say.
    values = _pairs("constant_values", 0 if constant_values is None else constant_values, padded.ndim)
    if mode in _STATISTICS:
        # The number of elements at each end that are used; None for all.
        values = _pairs("stat_length", stat_length, padded.ndim)
    for axis, (ends, numbers) in enumerate(zip(widths, values, strict=True)):
        before, after = map(operator.index, ends)
        if before < 0 or after < 0:
            raise ValueError("index can't contain negative values")
        if before or after:
            padded = _along(padded, axis, (before, after), mode, numbers)
    return padded if padded is not a else padded.copy()


def _pairs(name: str, given: Any, rank: int) -> list[list[Any]]:
    """Broadcasts a parameter to a pair for each axis, as NumPy does."""
    if isinstance(given, dict):
        pairs = np.zeros((rank, 2), dtype=object)
        for axis, value in given.items():
            pairs[axis] = value
        return list(pairs.tolist())
    try:
        host = np.asarray(given.numpy() if isinstance(given, Array) else given, dtype=object)
        return list(np.broadcast_to(host, (rank, 2)).tolist())
    except ValueError:
        raise ValueError(f"{name} must be a number, a pair, or a pair for each of {rank} axes, not {given!r}") from None


def _along(x: Array, axis: int, ends: tuple[int, int], mode: str, numbers: list[Any]) -> Array:
    if not x.shape[axis] and mode not in ("constant", "empty"):
        raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if mode in _REPEATED:
        places: Any = np.pad(np.arange(x.shape[axis]), ends, mode=mode)  # type: ignore[call-overload]
        return _statistics.take(x, places, axis=axis)
    parts = [x, x, x]
    for at, width, number in zip((0, 2), ends, numbers, strict=True):
        edge = [*x.shape[:axis], width, *x.shape[axis + 1 :]]
        if mode in _STATISTICS:
            count = x.shape[axis] if number is None else min(operator.index(number), x.shape[axis])
            if count < 0:
                raise ValueError("index can't contain negative values")
            if not count and mode != "mean":
                raise ValueError("stat_length of 0 yields no value for padding")
            seen = slice(count) if at == 0 else slice(max(x.shape[axis] - count, 0), None)
            value = _statistic(mode, x[(*(slice(None),) * axis, seen)], axis)
        else:
            # In the array's own type: NumPy refuses a number that does not fit.
            constant = np.empty((), x.dtype)
            constant[...] = number
            value = array(constant)
        parts[at] = _manipulation.broadcast_to(value.astype(x.dtype, copy=False), edge)
    return _manipulation.concat(parts, axis=axis)


def _statistic(mode: str, x: Array, axis: int) -> Array:
    """A statistic along an axis. NumPy computes the mean of integers, in float64 and rounded; that of bool is the maximum."""
    if mode == "mean" and x.dtype.kind == "b":
        return _statistics.max(x, axis=axis, keepdims=True)
    if mode == "mean" and x.dtype.kind in "iu":
        return array(np.round(x.numpy().mean(axis=axis, keepdims=True)).astype(x.dtype))
    return _STATISTICS[mode](x, axis=axis, keepdims=True)


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Array:
    """All windows of the array, along new last axes, without copies.

    >>> import zerostride as zs
    >>> zs.lib.stride_tricks.sliding_window_view(zs.asarray([1, 2, 3]), 2)
    Array([[1, 2],
           [2, 3]], dtype=int64)
    """
    viewed = array(x)
    widths = tuple(map(operator.index, window_shape if isinstance(window_shape, Iterable) else (window_shape,)))
    axes = tuple(range(viewed.ndim)) if axis is None else tuple(axis) if isinstance(axis, Iterable) else (axis,)
    if len(axes) != len(widths):
        raise ValueError(f"window_shape has {len(widths)} extents for {len(axes)} axes")
    axes = tuple(_manipulation.normal_axis(a, viewed.ndim) for a in axes)
    counts = list(viewed.shape)
    for at, width in zip(axes, widths, strict=True):
        if width < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        if counts[at] < width:
            raise ValueError("window_shape cannot be larger than input array shape")
        counts[at] -= width - 1
    return apply(f"sliding_window_view(x0, {list(widths)}, {list(axes)})", viewed) if widths else viewed
