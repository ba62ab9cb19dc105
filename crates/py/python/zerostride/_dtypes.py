"""Element types: NumPy's dtypes under the names of the array API."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core

bool_ = np.dtype("bool")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float16 = np.dtype("float16")
float32 = np.dtype("float32")
float64 = np.dtype("float64")
# No array has these: `isdtype` needs them.
complex64 = np.dtype("complex64")
complex128 = np.dtype("complex128")

_wanted = os.environ.get("ZEROSTRIDE_FLOAT64", "")
if _wanted not in ("", "0", "1", "integers"):
    raise ValueError(
        f"ZEROSTRIDE_FLOAT64 is {_wanted!r}; use 1 to make float64 the default type of floats, integers to compute "
        "float64 by integers on every adapter, or 0 for neither"
    )
_core.set_wide(_wanted == "1")


def default_float() -> np.dtype[Any]:
    """The element type of Python floats and of quotients of integers."""
    return float64 if _core.is_wide() else float32


def set_default_dtype(dtype: Any) -> None:
    """Sets the element type of Python floats, new arrays and quotients of integers in this process: float32 or float64.

    The initial type is float32, on every adapter, so that a program has the same types on all of them. If the environment
    variable `ZEROSTRIDE_FLOAT64` is `1`, it is float64, as in NumPy. Existing arrays keep their types.

    >>> import zerostride as zs
    >>> zs.set_default_dtype(zs.float64)
    >>> zs.ones(3).dtype
    dtype('float64')
    >>> zs.set_default_dtype(zs.float32)
    >>> zs.ones(3).dtype
    dtype('float32')
    """
    wanted = np.dtype(dtype)
    if wanted not in (float32, float64):
        raise ValueError(f"{wanted} cannot be the default type of floats; use float32 or float64")
    _core.set_wide(wanted == float64)


#: The names of element types on the device.
CODES: dict[np.dtype[Any], str] = {
    bool_: "bool",
    int8: "i8",
    int16: "i16",
    int32: "i32",
    int64: "i64",
    uint8: "u8",
    uint16: "u16",
    uint32: "u32",
    uint64: "u64",
    float16: "f16",
    float32: "f32",
    float64: "f64",
}
DTYPES: dict[str, np.dtype[Any]] = {code: dtype for dtype, code in CODES.items()}

KINDS: dict[str, tuple[np.dtype[Any], ...]] = {
    "bool": (bool_,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "integral": (int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
    "numeric": (int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64),
}


def bfloat16() -> np.dtype[Any]:
    """The bf16 type of ml_dtypes, which is registered at its first use."""
    try:
        import ml_dtypes
    except ImportError as error:
        raise TypeError("bfloat16 needs the package ml_dtypes: pip install ml_dtypes") from error
    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    CODES[dtype] = "bf16"
    DTYPES["bf16"] = dtype
    return dtype


def dtype_of(code: str) -> np.dtype[Any]:
    """The NumPy dtype of an element type on the device."""
    known = DTYPES.get(code)
    return bfloat16() if known is None else known


def code_of(dtype: np.dtype[Any]) -> str:
    """The name of a NumPy dtype's element type on the device."""
    code = CODES.get(dtype)
    if code is not None:
        return code
    if dtype.name == "bfloat16":
        return CODES[bfloat16()]
    if dtype.kind == "c":
        raise TypeError(f"{dtype} arrays are not supported: complex numbers are not")
    raise TypeError(f"{dtype} arrays are not supported; element types are {', '.join(map(str, CODES))}")


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """Returns the element type that a value names in NumPy; Python's float is the default float type."""
    if dtype is float:
        return default_float()
    if dtype == "bfloat16":
        return bfloat16()
    known: np.dtype[Any] = np.dtype(dtype)
    code_of(known)
    return known.newbyteorder("=")


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether an element type is another, of a kind, or any of several.

    >>> import zerostride as zs
    >>> zs.isdtype(zs.int16, ("unsigned integer", "real floating"))
    False
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    found: np.dtype[Any] = np.dtype(default_float() if dtype is float else dtype)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is not a kind of element types; the kinds are {', '.join(KINDS)}")
        if kind in ("real floating", "numeric") and found.name in ("float16", "bfloat16"):
            return True
        return found in KINDS[kind] or (kind == "numeric" and found.kind == "c")
    return bool(found == np.dtype(default_float() if kind is float else kind))


@dataclass(frozen=True)
class finfo_object:
    """The limits of a float type."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class iinfo_object:
    """The limits of an integer type."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def _dtype_in(type: Any) -> np.dtype[Any]:
    dtype = getattr(type, "dtype", type)
    return as_dtype(dtype)


def finfo(type: Any, /) -> finfo_object:
    """The limits of a float type, or of an array's.

    >>> import zerostride as zs
    >>> zs.finfo(zs.float32).bits
    32
    """
    dtype = _dtype_in(type)
    if dtype.name == "bfloat16":
        import ml_dtypes

        limits: Any = ml_dtypes.finfo
        info: Any = limits(dtype)
    elif dtype.kind == "f":
        info = np.finfo(dtype)
    else:
        raise TypeError(f"{dtype} is not a float type; use zerostride.iinfo for the limits of integers")
    eps, most, least, normal = (float(getattr(info, n)) for n in ("eps", "max", "min", "smallest_normal"))
    return finfo_object(int(info.bits), eps, most, least, normal, dtype)


def iinfo(type: Any, /) -> iinfo_object:
    """The limits of an integer type, or of an array's.

    >>> import zerostride as zs
    >>> zs.iinfo(zs.int8).max
    127
    """
    dtype = _dtype_in(type)
    if dtype.kind not in "iu":
        raise TypeError(f"{dtype} is not an integer type; use zerostride.finfo for the limits of floats")
    info = np.iinfo(dtype)
    return iinfo_object(info.bits, int(info.max), int(info.min), dtype)
