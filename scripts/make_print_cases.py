#!/usr/bin/env python3
"""Writes tests/printed/cases.jsonl: what NumPy prints for arrays of each type, of shapes and values chosen at random.

The output is the same on every run. Needs NumPy 2.4.
"""

import json
import pathlib

import numpy as np

FILE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "printed" / "cases.jsonl"
NAMES = {
    "?": "bool", "B": "u8", "b": "i8", "H": "u16", "h": "i16", "I": "u32", "i": "i32", "L": "u64", "l": "i64",
    "e": "f16", "f": "f32", "d": "f64",
}  # fmt: skip
FLOATS = "efd"
random = np.random.default_rng(20)


def line(x, precision=None):
    """An array and NumPy's texts of it."""
    x = np.ascontiguousarray(x).reshape(np.shape(x))
    if precision is None:
        texts = {"str": str(x), "repr": repr(x)}
    else:
        with np.printoptions(precision=precision):
            texts = {"precision": precision, "str": np.array2string(x), "repr": repr(x)}
    data = x.astype(x.dtype.newbyteorder("<")).tobytes().hex()
    if x.size > 64 and (x == x.flat[0]).all():
        data = x.flat[0].tobytes().hex()
    return {"dtype": NAMES[x.dtype.char], "shape": list(x.shape), "bytes": data} | texts


def values(code, count):
    """Values of a type: small ones, of all sizes, or any bits."""
    dtype = np.dtype(code)
    if code == "?":
        return random.integers(0, 2, count).astype(bool)
    if code not in FLOATS:
        info = np.iinfo(dtype)
        span = int(random.choice([3, 100, 2**62]))
        return random.integers(max(info.min, -span), min(info.max, span), count, endpoint=True).astype(dtype)
    match random.integers(0, 8):
        case 0:
            return random.integers(-9, 10, count).astype(dtype)
        case 1:
            return random.integers(-99, 100, count).astype(dtype) / dtype.type(8)
        case 2:
            return random.normal(size=count).astype(dtype)
        case 3:
            return random.normal(size=count).astype(dtype) * dtype.type(10) ** dtype.type(random.integers(-4, 4))
        case 4:
            return np.frombuffer(random.bytes(count * dtype.itemsize), dtype)
        case 5:
            special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 0.1, 2.5, 1e-4, 1e3, 1e5]
            return random.choice(special[: random.integers(1, 12)], count).astype(dtype)
        case 6:
            # In the middle between two texts of 8 places.
            return (random.integers(0, 4096, count) / 512).astype(dtype)
        case _:
            return 10.0 ** random.integers(-3, 8, count).astype(dtype)


def shape():
    """A shape of at most four axes and few elements."""
    rank = random.integers(0, 5)
    return tuple(int(e) for e in random.integers(0 if random.random() < 0.1 else 1, [25, 9, 5, 4][max(rank - 1, 0)], rank))


def cases():
    """All cases."""
    for code in NAMES:
        for _ in range(40 if code in FLOATS else 12):
            extents = shape()
            yield line(values(code, int(np.prod(extents, dtype=int))).reshape(extents))
    for code in FLOATS:
        for _ in range(12):
            extents = shape()
            x = values(code, int(np.prod(extents, dtype=int))).reshape(extents)
            yield line(x, int(random.integers(0, 7)))
        for x in (0.1, 1e-5, 1e-4, 123456.0, 1e7, 6e4, 1e15, 1e16, -0.0, np.nan, -np.inf, 1 / 3, 2.0**24, 65504.0):
            with np.errstate(over="ignore"):
                yield line(np.array(x, np.dtype(code)))
        # With more digits, floats below a power of ten are 9.99 and so on.
        powers = np.array([1e-3, 1e-2, 1e-1, 1e1, 1e2, 1e3, 1e4], np.dtype(code))
        yield line(np.concatenate([powers, powers[:3] / 7, 1 / powers]))
        yield line(np.nextafter(powers, np.dtype(code).type(0)))
    # At and above 1000 elements.
    yield line(np.arange(1000, dtype="<i2"))
    yield line(np.arange(1001, dtype="<i2"))
    yield line(np.arange(1008, dtype="<u2").reshape(7, 9, 16) * 60)
    yield line(np.arange(1024, dtype="<f2").reshape(2, 2, 2, 128))
    yield line((np.arange(1500, dtype="<f4") / 7).reshape(500, 3))
    yield line(np.ones((6, 500), bool))
    for extents in ((5000,), (40, 40), (2, 1000), (10, 10, 11), (1, 1, 2000), (3000, 1), (0, 5000)):
        yield line(np.full(extents, 7, "u1"))
        yield line(np.full(extents, 0.5))
    yield line(np.full((1 << 20,), 1 / 3, "<f4"))


def main():
    with np.errstate(all="ignore"):
        lines = [json.dumps(case) for case in cases()]
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} arrays, {FILE.stat().st_size} bytes")
    halves = (np.uint16(bits).view(np.float16) for bits in range(1 << 16))
    # Alone, NumPy gives 2^-6 more digits than it needs: 0.015625, where 1.563e-02 has enough.
    halves = hash_of(str(x) for x in halves if abs(x) != 2**-6)
    print(f"every other f16: {halves:#018x}")


def hash_of(texts):
    """FNV-1a of lines."""
    found = 0xCBF29CE484222325
    for text in texts:
        for byte in (text + "\n").encode():
            found = (found ^ byte) * 0x100000001B3 % (1 << 64)
    return found


main()
