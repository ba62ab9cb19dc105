"""Creation of arrays from values, NumPy arrays and ranges of numbers."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._array import Array, apply, check_device, uploaded
from ._dtypes import as_dtype, bool_, code_of, default_float, int64


def asarray(obj: Any, /, *, dtype: Any = None, device: object = None, copy: bool | None = None) -> Array:
    """Creates an array from anything that NumPy's `asarray` takes. Lists of Python floats become float32.

    >>> import zerostride as zs
    >>> zs.asarray([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    check_device(device)
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, Array):
        if wanted is not None and wanted != obj.dtype:
            if copy is False:
                raise ValueError(f"converting an array of {obj.dtype} to {wanted} needs a copy")
            return apply(f"x0.astype({code_of(wanted)})", obj)
        return obj.copy() if copy else obj
    if copy is False:
        raise ValueError("copy=False is not supported: elements are copied to the device")
    if not hasattr(obj, "__array__") and hasattr(obj, "__dlpack__"):
        obj = np.from_dlpack(obj)
    elif not isinstance(obj, (bool, int, float, complex, list, tuple, np.ndarray)):
        with contextlib.suppress(TypeError):
            obj = obj if hasattr(obj, "__array__") else np.asarray(memoryview(obj))
    has_dtype = hasattr(obj, "__array__")
    try:
        # With the wanted type: NumPy makes float64 of whole numbers if some are beyond int64.
        array = obj if isinstance(obj, np.ndarray) else np.asarray(obj, None if has_dtype else wanted)
    except ValueError as error:
        raise ValueError(f"no array can be made from this value: {error}") from None
    if wanted is None:
        wanted = array.dtype.newbyteorder("=") if has_dtype or array.dtype.kind != "f" else default_float()
    code_of(wanted)
    if array.dtype.kind == "c":
        raise TypeError("complex numbers are not supported")
    return uploaded(array.astype(wanted, copy=False))


def from_dlpack(x: Any, /, *, device: object = None, copy: bool | None = None) -> Array:
    """Copies another library's array, through host memory.

    >>> import numpy as np, zerostride as zs
    >>> zs.from_dlpack(np.arange(3))
    Array([0, 1, 2], dtype=int64)
    """
    return asarray(x if isinstance(x, Array) else np.from_dlpack(x), device=device, copy=copy)


def full(shape: int | Sequence[int], fill_value: Any, *, dtype: Any = None, device: object = None) -> Array:
    """An array of one value.

    >>> import zerostride as zs
    >>> zs.full((2, 2), 7)
    Array([[7, 7],
           [7, 7]], dtype=int64)
    """
    extents = (shape,) if isinstance(shape, (int, np.integer)) else shape
    shown = "".join(f"{operator.index(extent)}, " for extent in extents)
    if "-" in shown:
        raise ValueError(f"an extent of shape {extents} is negative")
    return apply(f"broadcast_to(x0, ({shown}))", asarray(fill_value, dtype=dtype, device=device))


def zeros(shape: int | Sequence[int], *, dtype: Any = None, device: object = None) -> Array:
    """An array of zeros, of the default float type unless `dtype` is given."""
    return full(shape, 0, dtype=default_float() if dtype is None else dtype, device=device)


def ones(shape: int | Sequence[int], *, dtype: Any = None, device: object = None) -> Array:
    """An array of ones, of the default float type unless `dtype` is given."""
    return full(shape, 1, dtype=default_float() if dtype is None else dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: object = None, shape: Any = None) -> Array:
    """One value in the shape and type of an array, or in another shape."""
    x = asarray(x)
    return full(x.shape if shape is None else shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: object = None, shape: Any = None) -> Array:
    """Zeros in the shape and type of an array, or in another shape."""
    return full_like(x, 0, dtype=dtype, device=device, shape=shape)


def ones_like(x: Any, /, *, dtype: Any = None, device: object = None, shape: Any = None) -> Array:
    """Ones in the shape and type of an array, or in another shape."""
    return full_like(x, 1, dtype=dtype, device=device, shape=shape)


#: Arrays to be filled hold zeros.
empty = zeros
empty_like = zeros_like


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: object = None
) -> Array:
    """Numbers from `start` in steps of `step` that end before `stop`.

    >>> import zerostride as zs
    >>> zs.arange(3)
    Array([0, 1, 2], dtype=int64)
    """
    check_device(device)
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        dtype = int64 if all(isinstance(x, (int, np.integer)) for x in (start, stop, step)) else default_float()
    if as_dtype(dtype) == bool_:
        raise TypeError("arange does not support bool")
    return uploaded(np.arange(start, stop, step).astype(as_dtype(dtype)))


def linspace(
    start: float, stop: float, /, num: int, *, dtype: Any = None, device: object = None, endpoint: bool = True
) -> Array:
    """`num` numbers at equal distances from `start` to `stop`.

    >>> import zerostride as zs
    >>> zs.linspace(0, 1, 3)
    Array([0. , 0.5, 1. ], dtype=float32)
    """
    check_device(device)
    wanted = default_float() if dtype is None else as_dtype(dtype)
    start, stop = (float(x) if isinstance(x, (Array, np.ndarray)) and np.ndim(x) == 0 else x for x in (start, stop))
    if any(isinstance(x, (Array, np.ndarray, complex)) for x in (start, stop)):
        raise TypeError("start and stop of linspace must be numbers, not complex, or arrays without axes")
    return uploaded(np.linspace(start, stop, num, endpoint=endpoint, dtype=wanted))


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: object = None) -> Array:
    """A matrix with 1 on the diagonal `k` and 0 elsewhere."""
    check_device(device)
    rows, columns = (operator.index(n_rows if n is None else n) for n in (n_rows, n_cols))
    code = code_of(default_float() if dtype is None else as_dtype(dtype))
    return apply(f"eye({rows}, {columns}, k={operator.index(k)}, dtype={code})")
