"""The laws of the array API, with array-api-strict as the other side."""

import array_api_strict as xp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import zerostride as zs

REAL = [np.float32]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)

UNARY = {
    "real": (
        "abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan log log10 log1p log2 "
        "negative positive reciprocal round sign signbit sin sinh sqrt square tan tanh trunc"
    ).split(),
    "integer": "abs bitwise_invert ceil floor isfinite negative positive round sign square trunc".split(),
}
BINARY = {
    "real": (
        "add atan2 copysign divide equal greater greater_equal hypot less less_equal logaddexp maximum minimum multiply "
        "nextafter not_equal subtract"
    ).split(),
    "integer": (
        "add bitwise_and bitwise_or bitwise_xor equal greater greater_equal less less_equal maximum minimum multiply "
        "not_equal subtract"
    ).split(),
}


def elements(dtype):
    if np.dtype(dtype).kind == "f":
        return st.floats(-1e3, 1e3, width=32) | st.sampled_from([np.inf, -np.inf, np.nan, 0.0, -0.0])
    return None


@st.composite
def arrays(draw, dtypes, shapes=SHAPES):
    dtype = draw(st.sampled_from(dtypes))
    return draw(hnp.arrays(dtype, draw(shapes) if hasattr(shapes, "example") else shapes, elements=elements(dtype)))


def check(ours, theirs, ulp=0):
    theirs = np.asarray(theirs)
    found = ours.numpy()
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    if theirs.dtype.kind != "f" or not ulp:
        np.testing.assert_array_equal(found, theirs)
        return
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, theirs, rtol=ulp * 2.0**-23, atol=ulp * 2.0**-126 + 1e-6)


@pytest.mark.parametrize("kind", UNARY)
@given(data=st.data())
def test_functions_of_one_operand(kind, data):
    name = data.draw(st.sampled_from(UNARY[kind]))
    x = data.draw(arrays(REAL if kind == "real" else INTEGERS))
    with np.errstate(all="ignore"):
        wanted = getattr(xp, name)(xp.asarray(x))
    check(getattr(zs, name)(zs.asarray(x)), wanted, ulp=8)


@pytest.mark.parametrize("kind", BINARY)
@given(data=st.data())
def test_functions_of_two_operands_broadcast(kind, data):
    name = data.draw(st.sampled_from(BINARY[kind]))
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4))
    dtypes = REAL if kind == "real" else [data.draw(st.sampled_from(INTEGERS))]
    x, y = (data.draw(arrays(dtypes, shape)) for shape in shapes.input_shapes)
    with np.errstate(all="ignore"):
        wanted = getattr(xp, name)(xp.asarray(x), xp.asarray(y))
    check(getattr(zs, name)(zs.asarray(x), zs.asarray(y)), wanted, ulp=8)


@given(data=st.data())
def test_integers_of_different_types_promote(data):
    dtypes = [data.draw(st.sampled_from(INTEGERS)) for _ in range(2)]
    assume(not (np.uint64 in dtypes and any(np.dtype(d).kind == "i" for d in dtypes)))
    x, y = (data.draw(arrays([d], (3,))) for d in dtypes)
    check(zs.asarray(x) + zs.asarray(y), xp.asarray(x) + xp.asarray(y))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "all", "any", "std", "var"])
@given(data=st.data())
def test_reductions(name, data):
    shape = data.draw(hnp.array_shapes(max_dims=4, max_side=5))
    dtypes = REAL if name in ("mean", "std", "var") else INTEGERS
    x = data.draw(hnp.arrays(data.draw(st.sampled_from(dtypes)), shape, elements=st.integers(0, 20)))
    axes = st.integers(-len(shape), len(shape) - 1)
    axis = data.draw(st.none() | axes | hnp.valid_tuple_axes(len(shape)))
    keepdims = data.draw(st.booleans())
    wanted = getattr(xp, name)(xp.asarray(x), axis=axis, keepdims=keepdims)
    check(getattr(zs, name)(zs.asarray(x), axis=axis, keepdims=keepdims), wanted, ulp=64)


@given(data=st.data())
def test_indices_give_views(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=6))
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    check(zs.asarray(x)[key], x[key])


@given(data=st.data())
def test_what_is_set_is_what_numpy_sets(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5))
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    key = data.draw(hnp.basic_indices(shape))
    ours = zs.asarray(x)
    before = ours * 1
    ours[key] = -1
    wanted = x.copy()
    wanted[key] = -1
    check(ours, wanted)
    check(before, x)


@given(data=st.data())
def test_integer_arrays_take(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5))
    x = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    indices = data.draw(hnp.arrays(np.int64, (3,), elements=st.integers(-shape[axis], shape[axis] - 1)))
    check(zs.take(zs.asarray(x), zs.asarray(indices), axis=axis), np.take(x, indices, axis=axis))
    together = tuple(
        data.draw(hnp.arrays(np.int64, (2, 3), elements=st.integers(-extent, extent - 1))) for extent in shape
    )
    check(zs.asarray(x)[tuple(map(zs.asarray, together))], x[together])
    check(zs.asarray(x)[together[0]], x[together[0]])


@given(data=st.data())
def test_shapes_and_orders(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    x = np.arange(np.prod(shape), dtype=np.uint16).reshape(shape)
    ours, theirs = zs.asarray(x), xp.asarray(x)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    order = data.draw(st.permutations(range(len(shape))))
    by = data.draw(st.integers(-7, 7))
    check(zs.permute_dims(ours, order), xp.permute_dims(theirs, tuple(order)))
    check(zs.roll(ours, by, axis=axis), xp.roll(theirs, by, axis=axis))
    check(zs.roll(ours, by), xp.roll(theirs, by))
    check(zs.flip(ours, axis=axis), xp.flip(theirs, axis=axis))
    check(zs.moveaxis(ours, axis, 0), xp.moveaxis(theirs, axis, 0))
    check(zs.expand_dims(ours, axis=axis), xp.expand_dims(theirs, axis=axis))
    check(zs.concat([ours, ours], axis=axis), xp.concat([theirs, theirs], axis=axis))
    check(zs.stack([ours, ours], axis=axis), xp.stack([theirs, theirs], axis=axis))
    check(zs.repeat(ours, 2, axis=axis), xp.repeat(theirs, 2, axis=axis))
    check(zs.tile(ours, (2, 1)), xp.tile(theirs, (2, 1)))
    check(zs.reshape(ours, (-1,)), xp.reshape(theirs, (-1,)))
    check(zs.cumulative_sum(ours, axis=axis), xp.cumulative_sum(theirs, axis=axis))
    check(zs.sort(ours, axis=axis, descending=True), xp.sort(theirs, axis=axis, descending=True))
    check(zs.diff(ours, axis=axis), xp.diff(theirs, axis=axis))


@given(data=st.data())
def test_products(data):
    batch = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3))
    m, k, n = (data.draw(st.integers(1, 5)) for _ in range(3))
    a, b = (
        data.draw(hnp.arrays(np.float32, (*shape, *matrix), elements=st.integers(-9, 9)))
        for shape, matrix in zip(batch.input_shapes, ((m, k), (k, n)), strict=True)
    )
    check(zs.asarray(a) @ zs.asarray(b), xp.asarray(a) @ xp.asarray(b))
    check(zs.tensordot(zs.asarray(a), zs.asarray(a), axes=a.ndim), xp.tensordot(xp.asarray(a), xp.asarray(a), axes=a.ndim))
    check(zs.vecdot(zs.asarray(a), zs.asarray(a)), xp.vecdot(xp.asarray(a), xp.asarray(a)))


def test_every_function_of_the_standard_is_there():
    missing = [name for name in xp.__all__ if not hasattr(zs, name)]
    # There are no complex numbers, and no extensions.
    allowed = {"fft", "set_array_api_strict_flags", "get_array_api_strict_flags"}
    assert set(missing) <= allowed | {"reset_array_api_strict_flags", "ArrayAPIStrictFlags", "Device"}, missing


@given(arrays([np.float32, np.int64, np.uint8, np.bool_]))
def test_what_depends_on_data(a):
    x, other = zs.asarray(a), xp.asarray(a)
    if a.ndim:
        for found, expected in zip(zs.nonzero(x), xp.nonzero(other), strict=True):
            check(found, expected)
        keys = [(a > 0,), (a[..., 0] == 0,)] if a.shape[-1] else [(a > 0,)]
        keys += [(a[0] == 0, Ellipsis)[::-1]] if a.shape[0] and a.ndim > 1 else []
        keys += [(slice(None), a[0] > 0)] if a.shape[0] and a.ndim > 1 else []
        for key in keys:
            ours = tuple(zs.asarray(k) if isinstance(k, np.ndarray) else k for k in key)
            check(x[ours], a[key])
            check(x[key], a[key])
    check(zs.unique_values(x), xp.unique_values(other))
    for name in ("unique_counts", "unique_inverse", "unique_all"):
        found, expected = getattr(zs, name)(x), getattr(xp, name)(other)
        assert found._fields == expected._fields
        for one, wanted in zip(found, expected, strict=True):
            check(one, wanted)
