"""Indexing: slices are views, integer arrays take elements, masks are read first, elements are set on the host."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._array import Array, apply, uploaded
from ._views import view


def host_key(key: Any) -> Any:
    """Replaces arrays in an index by NumPy arrays."""
    if isinstance(key, tuple):
        return tuple(host_key(k) for k in key)
    return key.numpy() if isinstance(key, Array) else key


def _is_array(item: Any) -> bool:
    return isinstance(item, (Array, np.ndarray, list))


def indexed(array: Array, key: Any) -> Array:
    """`array[key]`."""
    items = given = list(key) if isinstance(key, tuple) else [key]
    if any(map(_is_bool, items)):
        # A bool without axes is an axis of extent 1 or 0.
        return uploaded(array.numpy()[host_key(key)])
    if any(_is_array(i) and _kind(i) == "b" for i in items):
        items = _selected(array, items)
    # Arrays of one integer without axes are integers.
    items = [operator.index(i) if getattr(i, "ndim", 1) == 0 else i for i in items]
    arrays = [n for n, i in enumerate(items) if _is_array(i)]
    items = _filled(array, items)
    if arrays:
        return _taken(array, items)
    made = apply(f"x0[{', '.join(map(_shown, _checked(array, items)))}]", array) if items else array.copy()
    # An element is a number in NumPy.
    return view(array, made) if made.ndim or any(i is Ellipsis for i in given) else made


def _is_bool(item: Any) -> bool:
    return isinstance(item, (bool, np.bool_)) or (
        isinstance(item, (Array, np.ndarray)) and item.ndim == 0 and item.dtype.kind == "b"
    )


def _selected(array: Array, items: list[Any]) -> list[Any]:
    """Reads the masks among the items and replaces them by the indices that they select."""
    found: list[Any] = []
    axis = 0
    for n, item in enumerate(items):
        if _is_array(item) and _kind(item) == "b":
            mask = np.asarray(item)
            extents = array.shape[axis : axis + mask.ndim]
            # NumPy takes every mask without elements.
            if mask.size and mask.shape != extents:
                raise IndexError(f"a mask of shape {mask.shape} does not fit axes of shape {extents}, from axis {axis} on")
            found += mask.nonzero()
            axis += mask.ndim
            continue
        found.append(item)
        if item is Ellipsis:
            axis = array.ndim - sum(map(_width, items[n + 1 :]))
        else:
            axis += _width(item)
    return found


def _width(item: Any) -> int:
    """The number of axes that an item of an index covers."""
    if item is None:
        return 0
    return np.ndim(item) if _is_array(item) and _kind(item) == "b" else 1


def _kind(item: Any) -> str:
    return str(np.asarray(item).dtype.kind if isinstance(item, list) else item.dtype.kind)


def _axes(items: list[Any]) -> int:
    return sum(i is not None and i is not Ellipsis for i in items)


def _filled(array: Array, items: list[Any]) -> list[Any]:
    """Replaces the ellipsis, or omitted items at the end, by slices."""
    dots = [n for n, i in enumerate(items) if i is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index may have only one ellipsis")
    missing = array.ndim - _axes(items)
    if missing < 0:
        raise IndexError(f"too many indices: {_axes(items)} indices for {array.ndim} axes")
    at = dots[0] if dots else len(items)
    return items[:at] + [slice(None)] * missing + items[at + len(dots) :]


def _checked(array: Array, items: list[Any]) -> list[Any]:
    axis = 0
    for item in items:
        if item is None:
            continue
        if not isinstance(item, slice):
            try:
                index = operator.index(item)
            except TypeError:
                raise IndexError(
                    f"an index must be an integer, a slice, None, ... or an array, not {type(item).__name__}"
                ) from None
            extent = array.shape[axis]
            if not -extent <= index < extent:
                raise IndexError(f"index {index} is out of range for axis {axis} of extent {extent}")
        axis += 1
    return items


def _shown(item: Any) -> str:
    if isinstance(item, slice):
        parts = ["" if p is None else str(operator.index(p)) for p in (item.start, item.stop)]
        step = "" if item.step is None else f":{operator.index(item.step)}"
        return f"{parts[0]}:{parts[1]}{step}"
    return "None" if item is None else str(operator.index(item))


def _taken(array: Array, items: list[Any]) -> Array:
    """Takes the elements at integer arrays along adjacent axes; slices may stand on both sides."""
    if any(i is None for i in items):
        raise IndexError("integer arrays and None are not supported in one index; use zerostride.expand_dims")
    last = max(n for n, i in enumerate(items) if not isinstance(i, slice))
    first = min(n for n, i in enumerate(items) if not isinstance(i, slice))
    if any(isinstance(i, slice) for i in items[first : last + 1]):
        raise IndexError("a slice between integers or arrays is not supported; use zerostride.take along one axis")
    if first or any(i != slice(None) for i in items[last + 1 :]):
        array = apply(f"x0[{', '.join(_shown(i) if isinstance(i, slice) else ':' for i in items)}]", array)
    extents = array.shape[first : last + 1]
    flat: Any = 0
    for extent, item in zip(extents, items[first : last + 1], strict=True):
        flat = flat * extent + index_array(item, extent)
    shape = array.shape
    together = (*shape[:first], -1, *shape[last + 1 :])
    if 0 in shape:
        together = (*shape[:first], int(np.prod(extents)), *shape[last + 1 :])
    whole = apply(f"reshape(x0, ({', '.join(map(str, together))},))", array)
    return apply(f"take(x0, x1, axis={first})", whole, flat)


def _whole(item: Any) -> Any:
    """An index array of integers; on the host unless it is an `Array`."""
    if not isinstance(item, Array):
        item = np.asarray(item)
        if item.size == 0 and item.dtype.kind == "f":
            item = item.astype(np.int64)
    if item.dtype.kind not in "iu":
        raise IndexError(f"an index array must hold integers, not {item.dtype}")
    return item


def bounded(item: Any, extent: int, mode: str) -> Array:
    """Clips or wraps indices to an extent, as NumPy's `take` does: `mode` is "clip" or "wrap"."""
    item = _whole(item)
    if not extent and item.size:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    item, extent = item.astype(np.int64), max(extent, 1)
    within = item.clip(0, extent - 1) if mode == "clip" else item % extent
    return within if isinstance(within, Array) else uploaded(np.asarray(within))


def index_array(item: Any, extent: int) -> Array:
    """Converts indices to an array without negative ones. Indices on the host are checked. Indices on
    the device are clamped later, since a kernel cannot raise errors.
    """
    item = _whole(item)
    if not isinstance(item, Array):
        host = item
        beyond = host[(host < -extent) | (host >= extent)]
        if beyond.size:
            raise IndexError(f"index {beyond.flat[0]} is out of range for an axis of extent {extent}")
        return uploaded(np.where(host < 0, host + extent, host).astype(np.int64))
    item = apply("x0.astype(i64)", item)
    return apply(f"where(x0 < 0, x0 + {extent}, x0)", item)
