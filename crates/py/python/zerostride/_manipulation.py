"""Functions that reshape, reorder, join and split arrays. Those that move no element return views."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._array import Array, apply, operand
from ._array import astype as astype
from ._dtypes import as_dtype, dtype_of
from ._elementwise import array
from ._library import call
from ._views import reshaped, view

Axis = int | Sequence[int] | None


def shown(values: Iterable[Any]) -> str:
    """Writes integers as a tuple of the expression language."""
    return "(" + "".join(f"{operator.index(v)}, " for v in values) + ")"


def normal_axis(axis: Any, ndim: int) -> int:
    """Returns an axis counted from the front."""
    at = operator.index(axis)
    if not -ndim <= at < ndim:
        raise np.exceptions.AxisError(at, ndim)
    return at % ndim


def normal_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Returns axes counted from the front, which must differ."""
    found = tuple(normal_axis(a, ndim) for a in (axes if isinstance(axes, Iterable) else (axes,)))
    if len(set(found)) != len(found):
        raise ValueError(f"an axis appears twice in {tuple(axes)}")
    return found


def reshape(x: Any, /, shape: Sequence[int] | int, *, copy: bool | None = None, order: str = "C") -> Array:
    """Gives the elements, in row-major or column-major ('F') order, another shape. One extent may be -1.

    >>> import zerostride as zs
    >>> zs.reshape(zs.arange(6), (2, -1)).shape
    (2, 3)
    """
    x = array(x)
    extents = [shape] if isinstance(shape, (int, np.integer)) else list(shape)
    if order == "F":
        return transpose(reshape(transpose(x), extents[::-1]))
    if order not in ("C", "A"):
        raise ValueError(f"order must be 'C', 'F' or 'A', not {order!r}")
    unknown = [n for n, e in enumerate(extents) if e == -1]
    known = int(np.prod([e for e in extents if e != -1], dtype=object)) if extents else 1
    if len(unknown) == 1 and known and x.size % known == 0:
        extents[unknown[0]] = x.size // known
    return reshaped(x, apply(f"reshape(x0, {shown(extents)})", x))


def permute_dims(x: Any, /, axes: Sequence[int]) -> Array:
    """The array with its axes in this order."""
    x = array(x)
    if sorted(normal_axes(axes, x.ndim)) != list(range(x.ndim)):
        raise ValueError(f"{tuple(axes)} is not a permutation of {x.ndim} axes")
    return view(x, apply(f"permute_dims(x0, {shown(axes)})", x) if x.ndim else apply("+x0", x))


def transpose(x: Any, /, axes: Sequence[int] | None = None) -> Array:
    """The array with its axes in this order, or in reverse order."""
    x = array(x)
    return permute_dims(x, range(x.ndim)[::-1] if axes is None else axes)


def matrix_transpose(x: Any, /) -> Array:
    """The array with its last two axes exchanged."""
    x = array(x)
    if x.ndim < 2:
        raise ValueError(f"a matrix must have at least two axes; the shape is {x.shape}")
    return view(x, apply("x0.mT", x))


def swapaxes(x: Any, axis1: int, axis2: int, /) -> Array:
    """The array with two axes exchanged."""
    x = array(x)
    return view(x, apply(f"swapaxes(x0, {operator.index(axis1)}, {operator.index(axis2)})", x))


def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    """Moves axes to other places; the other axes keep their order.

    >>> import zerostride as zs
    >>> zs.moveaxis(zs.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    x = array(x)
    sources, destinations = normal_axes(source, x.ndim), normal_axes(destination, x.ndim)
    if len(sources) != len(destinations):
        raise ValueError(f"source has {len(sources)} axes, but destination has {len(destinations)}")
    order = [a for a in range(x.ndim) if a not in sources]
    for place, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(place, axis)
    return permute_dims(x, order)


def expand_dims(x: Any, /, axis: Axis = 0) -> Array:
    """Inserts axes of extent 1 at these places."""
    x = array(x)
    axes = (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis or ())
    places = normal_axes(axes, x.ndim + len(axes))
    index = ", ".join("None" if n in places else ":" for n in range(x.ndim + len(axes)))
    return view(x, apply(f"x0[{index}]", x) if index else x.copy())


def squeeze(x: Any, /, axis: Axis = None) -> Array:
    """Removes these axes of extent 1, or all of them."""
    x = array(x)
    axes = [n for n, e in enumerate(x.shape) if e == 1] if axis is None else normal_axes(axis, x.ndim)
    for a in axes:
        if x.shape[a] != 1:
            raise ValueError(f"axis {a} has extent {x.shape[a]}, not 1")
    return view(x, reshape(x, [e for n, e in enumerate(x.shape) if n not in axes]))


def flip(x: Any, /, *, axis: Axis = None) -> Array:
    """Reverses the elements along axes, by default along all."""
    x = array(x)
    axes = range(x.ndim) if axis is None else normal_axes(axis, x.ndim)
    index = ", ".join("::-1" if n in axes else ":" for n in range(x.ndim))
    return view(x, apply(f"x0[{index}]", x) if index else x.copy())


def broadcast_to(x: Any, /, shape: Sequence[int]) -> Array:
    """Broadcasts the array to exactly this shape, without a copy."""
    x = array(x)
    extents = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if np.broadcast_shapes(x.shape, extents) != tuple(extents):
        raise ValueError(f"shape {x.shape} cannot be broadcast to {tuple(extents)}")
    return apply(f"broadcast_to(x0, {shown(extents)})", x) if extents else x


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The common shape to which arrays of these shapes are broadcast."""
    return tuple(np.broadcast_shapes(*shapes))


def broadcast_arrays(*arrays: Any) -> list[Array]:
    """Broadcasts the arrays to their common shape, without copies."""
    all_ = [array(x) for x in arrays]
    shape = broadcast_shapes(*(x.shape for x in all_))
    return [broadcast_to(x, shape) for x in all_]


def concat(arrays: Sequence[Any], /, *, axis: int | None = 0) -> Array:
    """Joins arrays along an axis; None joins all elements of each along one axis.

    >>> import zerostride as zs
    >>> zs.concat((zs.asarray([1]), zs.asarray([2, 3])))
    Array([1, 2, 3], dtype=int64)
    """
    all_ = [array(x) for x in arrays]
    if not all_:
        raise ValueError("concat needs at least one array")
    if axis is None:
        all_, axis = [reshape(x, (-1,)) for x in all_], 0
    at = normal_axis(axis, all_[0].ndim)
    return _joined("concat", all_, at)


def _joined(name: str, arrays: list[Array], axis: int) -> Array:
    names = "".join(f"x{i}, " for i in range(len(arrays)))
    return apply(f"{name}(({names}), axis={axis})", *arrays)


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Array:
    """Joins arrays of one shape along a new axis."""
    all_ = [array(x) for x in arrays]
    if not all_:
        raise ValueError("stack needs at least one array")
    return _joined("stack", all_, normal_axis(axis, all_[0].ndim + 1))


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Splits an array along an axis into arrays without this axis."""
    x = moveaxis(array(x), axis, 0)
    return tuple(x[i] for i in range(x.shape[0]))


def roll(x: Any, /, shift: Any, *, axis: Axis = None) -> Array:
    """Moves the elements along axes, and those beyond the end to the front."""
    shifts = np.asarray(shift, dtype=np.int64).tolist()
    rolled: Array = call("roll", array(x), tuple(shifts) if isinstance(shifts, list) else shifts, axis=axis)
    return rolled


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Array:
    """Repeats each element `repeats` times.

    >>> import zerostride as zs
    >>> zs.repeat(zs.asarray([1, 2]), 2)
    Array([1, 1, 2, 2], dtype=int64)
    """
    x = array(x)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    at = normal_axis(axis, x.ndim)
    counts = np.asarray(repeats.numpy() if isinstance(repeats, Array) else repeats)
    indices = np.repeat(np.arange(x.shape[at]), counts)
    if not indices.size:
        shape = list(x.shape)
        shape[at] = 0
        return reshape(x[tuple(slice(0, 0) if n == at else slice(None) for n in range(x.ndim))], shape)
    return apply(f"take(x0, x1, axis={at})", x, indices)


def tile(x: Any, repetitions: Any, /) -> Array:
    """Repeats the array along each axis, as often as `repetitions` says."""
    counts = repetitions.numpy() if isinstance(repetitions, Array) else repetitions
    several = isinstance(counts, Iterable) and np.asarray(counts).ndim > 0
    tiled: Array = call("tile", array(x), tuple(map(operator.index, counts)) if several else operator.index(counts))
    return tiled


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The common element type of operands.

    >>> import zerostride as zs
    >>> zs.result_type(zs.int8, zs.uint8)
    dtype('int16')
    """
    operands: list[Any] = []
    for x in arrays_and_dtypes:
        if isinstance(x, (bool, int, float)) and not isinstance(x, np.generic):
            # Its kind counts, not its value.
            operands.append(type(x)(0))
        elif isinstance(x, complex) and not isinstance(x, np.generic):
            raise TypeError("complex numbers are not supported")
        else:
            dtype = None if isinstance(x, type) else getattr(x, "dtype", None)
            operands.append(np.zeros((), as_dtype(x if dtype is None else dtype)))
    if not any(isinstance(x, np.ndarray) for x in operands):
        raise ValueError("result_type needs at least one array or element type")
    # Numbers give way to types, and integers to floats of any width; so they come last.
    operands.sort(key=lambda x: (not isinstance(x, np.ndarray), getattr(x, "dtype", np.dtype(int)).kind in "iub"))
    found: np.dtype[Any] = operands[0].dtype
    for x in operands[1:]:
        # Nothing is converted: only types are inferred.
        (code,) = _core.infer("where(x0, x1, x2)", True, operand(np.zeros((), found)), operand(x))
        found = dtype_of(code)
    return found


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a type can represent all values of another, as in NumPy."""
    dtype = getattr(from_, "dtype", from_)
    return bool(np.can_cast(as_dtype(dtype), as_dtype(to)))


def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours along an axis, `n` times. Options may be given by name (array API) or in order (NumPy)."""
    ends = {name: array(value) for name, value in (("prepend", prepend), ("append", append)) if value is not None}
    found: Array = call("diff", array(x), n=n, axis=axis, **ends)
    return found
