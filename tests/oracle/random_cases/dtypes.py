"""The element types, what each is computed in, and rounding to them."""

import ml_dtypes
import numpy as np

STORED = {
    "bool": np.dtype(np.bool_),
    "u8": np.dtype(np.uint8),
    "i8": np.dtype(np.int8),
    "u16": np.dtype(np.uint16),
    "i16": np.dtype(np.int16),
    "u32": np.dtype(np.uint32),
    "i32": np.dtype(np.int32),
    "u64": np.dtype(np.uint64),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
ALL = list(STORED)
UNSIGNED = ["u8", "u16", "u32", "u64"]
SIGNED = ["i8", "i16", "i32", "i64"]
INTS = [d for d in ALL if d in UNSIGNED or d in SIGNED]
FLOATS = ["f16", "bf16", "f32", "f64"]
NARROW_FLOATS = FLOATS[:3]
NUMERIC = INTS + FLOATS

# NumPy's names, which the expression language takes too.
LONG = {d: d.replace("u", "uint").replace("i", "int").replace("uintnt", "uint") for d in INTS}
LONG |= {"bool": "bool_", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}

BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
# The smallest normal number where adapters may flush what lies below; f16 is computed in f32.
SMALLEST = {"f32": np.float32(2.0**-126), "bf16": np.float32(2.0**-126), "f64": np.float64(2.0**-1022)}


def bits(array):
    """The storage bits as unsigned integers."""
    return array.view(BITS[array.dtype.itemsize])


def wide(dtype, array):
    """The values in the type that the element type is computed in."""
    return array.astype(np.float32) if dtype in ("f16", "bf16") else array


def odd(doubles):
    """Doubles as f32, cut off towards zero with the last bit set where anything was lost: rounding this once more to
    a half gives what rounding the double once does."""
    near = doubles.astype(np.float32)
    beyond = np.abs(near.astype(np.float64)) > np.abs(doubles)
    raw = bits(near) - beyond.astype(np.uint32)
    lost = (raw.view(np.float32).astype(np.float64) != doubles) & ~np.isnan(doubles)
    return (raw | lost.astype(np.uint32)).view(np.float32)


def rounded(dtype, values):
    """Values as an element type: floats to nearest even, rounded once."""
    values = np.asarray(values)
    if dtype == "bf16" and values.dtype == np.float64:
        values = np.asarray(odd(np.atleast_1d(values))).reshape(values.shape)
    return np.asarray(values.astype(STORED[dtype]))


def is_subnormal(dtype, values):
    """Whether any value is one that adapters may flush to zero."""
    least = SMALLEST.get(dtype)
    if least is None or values.size == 0:
        return False
    size = np.abs(values)
    return bool(np.any((size < least) & (size != 0)))


def has_nan(array):
    return bool(np.any(array != array))


def fits(dtype, values):
    """Which values, truncated, an integer type holds."""
    info = np.iinfo(STORED[dtype])
    values = values.astype(np.float64)
    # The bounds are powers of two, so they are exact; one more than the highest may not be reached.
    return (values > float(info.min) - 1 if info.bits < 64 else values >= float(info.min)) & (
        values < float(int(info.max) + 1)
    )
