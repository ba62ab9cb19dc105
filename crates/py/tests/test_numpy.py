"""NumPy's functions and operators on arrays: what they give, and what is refused with what to write instead."""

import contextlib
import decimal
import functools
import gc
import inspect
import itertools
import os
import pkgutil
import re
import subprocess
import sys
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import overrides

import zerostride as zs

X = np.arange(6, dtype=np.float32).reshape(2, 3)
MASK = X > 1


def same(found, wanted):
    assert isinstance(found, zs.Array), type(found)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "do",
    [
        lambda a: np.add.reduce(a, axis=1, initial=3),
        lambda a: np.add.reduce(a, axis=1, where=MASK),
        lambda a: np.add.reduce(a, axis=(0, 1), keepdims=True, initial=2, where=MASK),
        lambda a: np.multiply.reduce(a, axis=0, where=MASK),
        lambda a: np.maximum.reduce(a, axis=0, initial=2.5),
        lambda a: np.minimum.reduce(a, axis=0, initial=2.5, where=MASK),
        lambda a: np.logical_and.reduce(a > 2, axis=0, where=MASK),
        lambda a: np.add.accumulate(a, axis=1),
        lambda a: np.multiply.accumulate(a + 1),
        lambda a: np.subtract.outer(a, a[0]),
        lambda a: np.divmod(a, 2)[0],
        lambda a: np.divmod(a, 2)[1],
        lambda a: np.sum(a, where=MASK),
        lambda a: np.sum(a, axis=1, where=MASK, initial=5),
        lambda a: np.prod(a, axis=1, where=MASK),
        lambda a: np.max(a, axis=0, initial=2),
        lambda a: np.any(a > 4, axis=0, where=MASK),
        lambda a: np.mean(a, axis=1, where=MASK),
        lambda a: a.sum(axis=0, where=MASK),
        lambda a: np.ravel(a),
        lambda a: np.copy(a),
        lambda a: np.dot(a, a.T),
        lambda a: np.dot(a[0], a[0]),
        lambda a: np.dot(a, np.float32(2)),
        lambda a: np.inner(a, a),
        lambda a: np.vdot(a, a),
        lambda a: np.outer(a, a[0]),
        lambda a: np.trace(a[:, :2]),
        lambda a: np.roll(a, 1, 0),
        lambda a: np.take(a, [0, 1], 1),
        lambda a: np.take(a, [5, 0]),
        lambda a: np.diff(a, 2),
        lambda a: np.diff(a, 1, 0),
        lambda a: np.repeat(a, 2, 0),
        lambda a: np.sort(a[:, ::-1], 1),
        lambda a: np.clip(a, a_min=1, a_max=2),
        lambda a: np.clip(a, 1, None),
        lambda a: np.vstack([a, a]),
        lambda a: np.hstack([a, a]),
        lambda a: np.vstack([a[0], a[1]]),
        lambda a: np.atleast_2d(a[0]),
        lambda a: np.split(a, 3, axis=1)[1],
        lambda a: np.average(a, axis=0),
        lambda a: np.average(a, weights=X + 1),
        lambda a: np.nanmean(a, 0),
        lambda a: np.nancumsum(a / a, 1),
        lambda a: np.nancumprod(a / a),
        lambda a: np.diff(a, axis=0, prepend=np.float32(1), append=a[:1] * 2),
        lambda a: np.diff(a, append=np.float32(7)),
        lambda a: np.bincount(a[0].astype(int), minlength=5),
        lambda a: np.float32(1) * np.bincount(np.int64([2, 0, 2]), a[1]).astype(np.float32),
        lambda a: a.reshape(3, 2, order="F"),
        lambda a: np.max(a > 9, initial=2),
        lambda a: np.min(a > 1, axis=0, initial=3, where=MASK),
        lambda a: np.vdot(a > 1, a > 3),
        lambda a: a.ravel(order="F"),
        lambda a: a.flatten("C"),
        lambda a: np.reshape(a, (3, -1), order="F"),
        lambda a: np.ravel(a, "F"),
        lambda a: np.ravel_multi_index((a.astype(int), a.astype(int)), (6, 7)),
        lambda a: np.ravel_multi_index((a.astype(int), a.astype(int)), (6, 7), order="F"),
        lambda a: np.full_like(a, 7, shape=(3, 1)),
        lambda a: np.zeros_like(a, np.int32),
        lambda a: np.std(a, where=MASK),
        lambda a: np.var(a, axis=0, ddof=1, where=X > 0),
        lambda a: np.std(a, 1, keepdims=True, where=np.array([True, False, True])),
        lambda a: a.std(axis=1, where=MASK[:1] | True),
        lambda a: np.nanstd(a, 1, ddof=1),
        lambda a: np.tensordot(a, a.T, 1),
        lambda a: np.nan_to_num(a / 0, True, 5.0, 6.0),
        lambda a: np.sort(a[:, ::-1], kind="stable"),
        lambda a: np.isin(a, [1, 3], True),
        lambda a: np.tril(a, -1),
        lambda a: np.squeeze(a[:1], 0),
        lambda a: np.transpose(a, (1, 0)),
        lambda a: np.sum(a, 0, np.float32, None, True),
    ],
)
def test_numpys_functions_give_what_numpy_gives(do):
    same(do(zs.asarray(X)), np.asarray(do(X)))


CUBE = np.arange(60, dtype=np.float32).reshape(3, 4, 5)[::-1]


@pytest.mark.parametrize(
    "do",
    [
        lambda a: np.trace(a),
        lambda a: np.trace(a, -1, 1, 2),
        lambda a: a.trace(1),
        lambda a: a.trace(0, 2, 0, np.float32),
        lambda a: np.diagonal(a, 1),
        lambda a: np.diagonal(a, -1, 2, 1),
        lambda a: a.diagonal(),
        lambda a: a.diagonal(-2, 0, -1),
        lambda a: np.linalg.diagonal(a, offset=1),
        lambda a: np.linalg.trace(a),
        lambda a: np.linalg.norm(a),
        lambda a: np.linalg.norm(a, axis=1),
        lambda a: np.linalg.norm(a, 1, axis=-1, keepdims=True),
        lambda a: np.linalg.norm(a, np.inf, (2, 0)),
        lambda a: np.linalg.norm(a, axis=(0, 2), keepdims=True),
        lambda a: np.linalg.norm(a[0], 1),
        lambda a: np.linalg.norm(a[0], -1),
        lambda a: np.linalg.norm(a[0], 2),
        lambda a: np.linalg.norm(a[0, 0], 3),
        lambda a: np.linalg.norm(a[0, 0], 0),
        lambda a: np.linalg.vector_norm(a, axis=(0, 1)),
        lambda a: np.linalg.matrix_norm(a),
        lambda a: np.linalg.svd(a)[1],
        lambda a: np.linalg.svdvals(a),
        lambda a: np.linalg.inv(a[:, :3, :3] + 9 * np.eye(3, dtype=np.float32)),
        lambda a: np.linalg.det(a[:, :2, :2]),
        lambda a: np.linalg.matrix_power(a[0, :3, :3], 3),
        lambda a: np.linalg.outer(a[0, 0], a[1, 1]),
        lambda a: np.linalg.cross(a[..., :3], a[..., 2:]),
        lambda a: np.linalg.matmul(a, a[0].T),
        lambda a: np.linalg.matrix_transpose(a),
        lambda a: np.linalg.tensordot(a, a[0], axes=2),
        lambda a: np.linalg.vecdot(a, a[0]),
        lambda a: np.linalg.matrix_rank(a),
        lambda a: np.diff(a, 0, append=0),
        lambda a: np.diff(a[:0], axis=0, prepend=np.float32(0), append=np.float32(3)),
        lambda a: np.bincount(a[0, 0, :0].astype(int)),
        lambda a: np.bincount(a[0, 0, :0].astype(int), a[0, 0, :0]),
        lambda a: np.tril(a),
        lambda a: np.triu(a, 1),
        lambda a: np.rot90(a),
        lambda a: np.flip(a, (0, 2)),
        lambda a: np.roll(a, 7),
        lambda a: np.sort(a[..., ::-1], None),
        lambda a: np.argsort(a, 0),
        lambda a: np.argmax(a),
        lambda a: np.take(a, [1, 0]),
        lambda a: np.repeat(a, 2),
        lambda a: np.append(a, a),
        lambda a: np.dot(a, a[0, 0]),
        lambda a: np.inner(a, a[0]),
        lambda a: np.outer(a[0, 0], a[1, 1]),
        lambda a: np.cumsum(a),
        lambda a: a.T,
        lambda a: a.transpose(2, 0, 1),
        lambda a: a.swapaxes(0, 2),
        lambda a: np.moveaxis(a, 0, -1),
        lambda a: np.hstack([a, a]),
        lambda a: np.dstack([a, a]),
        lambda a: np.split(a, 3)[2],
    ],
)
def test_arrays_of_three_axes_have_the_axes_that_numpy_takes(do):
    same(do(zs.asarray(CUBE)), np.asarray(do(CUBE)))


BYTES = np.array([[1, 200, 7], [0, 5, 90]], np.uint8)


@pytest.mark.parametrize(
    "do",
    [
        lambda a: np.clip(a, np.int16(-5), np.int16(100)),
        lambda a: np.clip(a, None, np.int16([-1, 3, 300])),
        lambda a: a.clip(np.int32([[50], [60]])),
        lambda a: np.clip(a, np.float32(1.5), None),
        lambda a: np.clip(a, 1, 100),
        lambda a: np.clip(a, min=2, max=np.uint8(60)),
        lambda a: a.clip(-7, 300),
        lambda a: a == None,  # noqa: E711
        lambda a: a != None,  # noqa: E711
        lambda a: (a > 3) ** 2,
        lambda a: (a > 3) ** (a > 6),
        lambda a: 2 ** (a > 3),
        lambda a: a.dot(2),
        lambda a: a.dot(a.T),
        lambda a: np.compress([False, True], a, axis=0),
        lambda a: np.extract(a > 5, a),
        lambda a: np.take(a, [1, -1], mode="raise"),
        lambda a: np.take(a, [1, 9], mode="clip"),
        lambda a: np.cross(a.astype(np.int32), a.astype(np.int32)[::-1], axis=1),
        lambda a: np.add(a, a, dtype=np.int32),
        lambda a: np.interp(a.astype(np.float64), np.float32([0, 3, 300]), np.float32([0, 1, 7])),
        lambda a: np.interp(a.astype(np.float32), np.array([0.1, 300]), np.float32([0, 1])),
        lambda a: np.logaddexp(1e300, np.float32([np.inf, 1]) * (a[0, :2] > 0)),
        lambda a: np.logaddexp(np.float32([np.inf, 1]) * (a[0, :2] > 0), 1e300),
        lambda a: a.argsort(kind="stable"),
    ],
)
def test_bytes_are_what_numpy_makes_of_them(do):
    with np.errstate(all="ignore"):
        same(do(zs.asarray(BYTES)), np.asarray(do(BYTES)))


def test_products_and_densities_of_several_axes_are_numpys():
    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    other = np.arange(40, dtype=np.float32).reshape(2, 4, 5)
    same(zs.asarray(cube).dot(zs.asarray(other)), cube.dot(other))
    for given, bound in ((BYTES, 1e-15), (cube, 1e-6)):
        found, edges = np.histogram(zs.asarray(given), 3, density=True)
        wanted, ends = np.histogram(given, 3, density=True)
        np.testing.assert_allclose(found.numpy(), wanted, rtol=bound)
        np.testing.assert_array_equal(np.asarray(edges), ends)
    out = zs.zeros((2, 3), dtype=np.uint8)
    assert np.clip(zs.asarray(BYTES), 1, 9, out=out) is out
    np.testing.assert_array_equal(out.numpy(), BYTES.clip(1, 9))


@pytest.mark.parametrize(
    ("do", "kind"),
    [
        (lambda a: np.compress([True, False, True], a, axis=0), IndexError),
        (lambda a: np.extract([True] * 9, a), IndexError),
        (lambda a: np.take(a, np.add([5, 70], 0 * a[0, :2].astype(int)), mode="raise"), IndexError),
        (lambda a: np.add(a, 1.5, dtype=np.int32), TypeError),
        (lambda a: np.add(a, a, dtype=bool), TypeError),
        (lambda a: bool(a[:0]), ValueError),
    ],
)
def test_what_numpy_refuses_of_bytes_is_refused(do, kind):
    for a in (BYTES, zs.asarray(BYTES)):
        with pytest.raises(kind):
            do(a)


@pytest.mark.parametrize("values", [[1, 2, 3], (3, 1, 2), [[1.5], [2.5]], [True, False, True]])
def test_lists_are_operands(values):
    a, listed = zs.asarray(X), zs.asarray(values)
    # Of int64 and float32 NumPy makes float64, we float32.
    for name in "add radd sub rsub mul rmul truediv rtruediv pow rpow floordiv mod eq ne lt ge".split():
        found, wanted = getattr(a, f"__{name}__")(values), getattr(a, f"__{name}__")(listed)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())
    for function in (np.add, np.maximum, np.hypot, lambda x, y: np.where(MASK, x, y)):
        np.testing.assert_allclose(function(a, values).numpy(), function(X, np.float32(values)), rtol=1e-6)
        np.testing.assert_allclose(function(values, a).numpy(), function(np.float32(values), X), rtol=1e-6)
    same(values + a, np.float32(values) + X)
    if len(values) == 3:
        same(a @ values, X @ np.float32(values))


def test_lists_are_compared_element_by_element():
    assert (zs.asarray([1, 2]) == [1, 2]).all() and not (zs.asarray([1, 2]) != (1, 2)).any()


EINSUMS = (
    "ij,jk->ik", "ij,jk", "ij,kj->ki", "ij->ji", "ij->", "ij->i", "ii->i", "ii", "iij->j", "i,j->ij", "ij,ij->ij",
    "ij,ij", "...ij,...jk->...ik", "...ij,jk", "...->...", "i...->...", "ij,jk,kl->il", "ij,jk,ik->i", "bij,bjk->bik",
    "bij,bjk->ik", "abc,cd,bd->a", "ij,j,i->", ",ij->ij", "aab,bc->ac", "ij,kl->", "a...,...b->ab...",
)


@pytest.mark.parametrize("subscripts", EINSUMS)
def test_einsum_gives_what_numpy_gives(subscripts):
    rng = np.random.default_rng(7)
    extents = dict(zip("abcdijkl", (2, 3, 4, 5, 3, 4, 2, 6)))
    if "ii" in subscripts or "aab" in subscripts:
        extents["j"] = 4
    operands = []
    for part in subscripts.split("->")[0].split(","):
        front, dots, back = part.partition("...")
        shape = [extents[c] for c in front] + ([2, 3] if dots else []) + [extents[c] for c in back]
        operands.append(rng.integers(-4, 5, shape).astype(np.float32))
    found = np.einsum(subscripts, *map(zs.asarray, operands))
    wanted = np.einsum(subscripts, *operands)
    assert isinstance(found, zs.Array) and found.shape == wanted.shape and found.dtype == np.float32
    np.testing.assert_array_equal(found.numpy(), wanted)


def test_what_einsum_refuses():
    a = zs.asarray(X)
    for wrong in ("ij,jk->ik", "ijk->i", "i->i", "ij->ik", "ij->ii", "i1->i", "ij,ij->ij"):
        with pytest.raises(ValueError, match="einsum"):
            np.einsum(wrong, a, *[zs.asarray(X.T)] * wrong.count(",") if wrong != "ij,jk->ik" else [])
    same(np.einsum("ij,ij->ij", a, a[:1]), np.einsum("ij,ij->ij", X, X[:1]))
    same(np.einsum("ij,ij->i", a, a[:, :1]), np.einsum("ij,ij->i", X, X[:, :1]))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64])
def test_positions_are_wider_than_indices(dtype):
    dims = {np.uint8: (200, 200), np.int16: (3000, 3000)}.get(dtype, (10**5, 10**5))
    indices = [np.array([d - 1, 3, 0], dtype) for d in dims]
    for order in "CF":
        found = np.ravel_multi_index(tuple(map(zs.asarray, indices)), tuple(map(np.int64, dims)), order=order)
        same(found, np.ravel_multi_index(tuple(indices), dims, order=order))
    with pytest.raises(TypeError, match="integers"):
        np.ravel_multi_index((zs.asarray(X), zs.asarray(X)), (9, 9))


def test_whole_numbers_round_to_themselves():
    a = zs.asarray(np.uint8([1, 255]))
    assert round(a).dtype == round(a, 1).dtype == a.round().dtype == np.uint8
    same(round(zs.asarray(X / 4)), np.round(X / 4))


def test_bounds_beyond_a_type_are_none():
    x = np.uint8([1, 200])
    a = zs.asarray(x)
    for bounds in ((0, 300), (-5, 300), (None, 300), (-5, None), (-5, 100), (2, 1000)):
        same(np.clip(a, *bounds), np.clip(x, *bounds))
        same(zs.clip(a, *bounds), np.clip(x, *bounds))
    for bounds in ((300, 400), (None, -1)):
        with pytest.raises(OverflowError, match="out of range for u8"):
            zs.clip(a, *bounds)


@pytest.mark.parametrize("count", [2, 3])
def test_arrays_of_several_types_join_in_numpys_type(count):
    names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
    kinds = list(map(np.dtype, names))
    differing = []
    for those in itertools.product(kinds, repeat=count):
        wanted = np.result_type(*those)
        if wanted == np.float64 and np.dtype("float64") not in those:
            # Integers alone, and those of 32 or 64 bits beside floats, are float32 here.
            wanted = np.dtype("float32")
        assert zs.result_type(*those) == wanted, those
        made = np.concatenate([zs.asarray(np.empty(0, kind)) for kind in those])
        if made.dtype != wanted:
            differing.append((those, made.dtype, wanted))
    assert not differing


def test_what_is_asked_about_an_array():
    a = zs.asarray(X)
    assert (np.shape(a), np.ndim(a), np.size(a), np.size(a, 1)) == ((2, 3), 2, 6, 3)
    assert not np.iscomplexobj(a) and np.isrealobj(a)
    assert np.result_type(a, np.float64) == np.float64 and np.array_equal(a, X) and not np.array_equal(a, X[0])
    np.testing.assert_almost_equal(a, X)
    np.testing.assert_allclose(a, X)
    np.testing.assert_array_equal(X, a)
    with pytest.raises(AssertionError, match="Mismatch"):
        np.testing.assert_allclose(a + 1, X)
    there = weakref.ref(a)
    del a
    gc.collect()
    assert there() is None


def test_results_go_where_they_are_wanted():
    a = zs.asarray(X)
    whole = np.zeros((2, 3), np.float32)
    assert np.exp(a, out=whole) is whole
    np.testing.assert_allclose(whole, np.exp(X), rtol=1e-6)
    whole[:] = 9
    np.add(a, 1, out=whole, where=MASK)
    np.testing.assert_array_equal(whole, np.where(MASK, X + 1, 9))
    ours = zs.asarray(np.full((2, 3), 9, np.float32))
    assert np.add(a, 1, out=ours, where=MASK) is ours
    np.testing.assert_array_equal(ours.numpy(), np.where(MASK, X + 1, 9))
    host = X.copy()
    host += a
    assert type(host) is np.ndarray
    np.testing.assert_array_equal(host, 2 * X)
    np.add.reduce(a, axis=0, out=(row := np.zeros(3, np.float32)))
    np.testing.assert_array_equal(row, X.sum(axis=0))
    untouched = np.full((2, 3), 7, np.int32)
    with pytest.raises(TypeError, match="float32.*int32"):
        np.exp(a, out=untouched)
    with pytest.raises(ValueError, match="shape"):
        np.exp(a, out=np.zeros((3, 2), np.float32))
    assert (untouched == 7).all()


@pytest.mark.parametrize(
    ("do", "kind", "says"),
    [
        (lambda a: np.add.at(a, 0, 1), TypeError, "numpy.add.at"),
        (lambda a: np.add.reduceat(a, [0, 1]), TypeError, "numpy.add.reduceat"),
        (lambda a: np.modf(a), TypeError, "numpy.modf.*numpy()"),
        (lambda a: np.convolve(a, a[1]), ValueError, "one axis"),
        (lambda a: np.correlate(a[0], a[1], "half"), ValueError, "'full', 'same' or 'valid'"),
        (lambda a: np.histogram(a, "auto"), TypeError, "the number of bins or their edges"),
        (lambda a: np.linalg.eig(a), TypeError, "numpy.linalg.eig.*numpy()"),
        (lambda a: np.linalg.svd(a, hermitian=True), TypeError, "the parameter hermitian of numpy.linalg.svd"),
        (lambda a: np.linalg.norm(a, "nuclear"), ValueError, "is not a norm of matrices"),
        (lambda a: np.linalg.norm(a[None], 1), ValueError, "not one along 3 axes"),
        (lambda a: np.where(a > 1, a), TypeError, "both x1 and x2, or neither"),
        (lambda a: np.pad(a, 1, "linear_ramp"), TypeError, "linear_ramp.*constant, empty, edge"),
        (lambda a: np.gradient(a), TypeError, "numpy.gradient.*numpy()"),
        (lambda a: np.std(a, out=a), TypeError, "the parameter out of numpy.std"),
        (lambda a: np.sum(a, out=a), TypeError, "the parameter out of numpy.sum"),
        (lambda a: np.nan_to_num(a, copy=False), TypeError, "the parameter copy of numpy.nan_to_num"),
        (lambda a: np.std(a, where=MASK, initial=1), TypeError, "std.*initial"),
        (lambda a: a + [[1, 2], [3]], ValueError, "no array"),
        (lambda a: zs.nonsense, AttributeError, "nonsense"),
        (lambda a: zs.cov(a), AttributeError, "numpy.cov"),
        (lambda a: zs.kron(a, "two words"), ValueError, "not a word"),
        (lambda a: zs.roll(a, 1, axes=0), TypeError, "axes"),
        (lambda a: zs.roll(a, 1, axis=5), np.exceptions.AxisError, "roll: axis 5"),
        (lambda a: zs.median(a, axis=5), np.exceptions.AxisError, "axis 5"),
        (lambda a: zs.kron(a), TypeError, "kron lacks b="),
        (lambda a: zs.tile(a, 1.5), TypeError, "integer"),
        (lambda a: zs.nothing, AttributeError, "'nothing'$"),
        (lambda a: a[MASK[:1]], IndexError, "a mask of shape .* does not fit axes of shape"),
        (lambda a: zs.fuse(lambda x: x[x > 1])(a), TypeError, "traced.*zerostride.where"),
        (lambda a: zs.fuse(zs.unique_values)(a), TypeError, "traced"),
        (lambda a: a[::0], ValueError, "^the step of a slice must not be 0$"),
        (lambda a: zs.asarray(np.ma.masked_array(X, MASK)), TypeError, "filled"),
        (lambda a: a + np.ma.masked_array(X, MASK), TypeError, "filled"),
        (lambda a: zs.evaluate("m + 1", {"m": np.ma.masked_array(X, MASK)}), TypeError, "m: .*filled"),
        (lambda a: zs.evaluate("m + 1", {"m": X}, out=a), TypeError, "out must be a NumPy array, not Array"),
        (lambda a: zs.evaluate("m + 1", {"m": X}, out=[1]), TypeError, "out must be a NumPy array, not int"),
    ],
)
def test_what_is_wrong_is_said(do, kind, says):
    with pytest.raises(kind, match=says):
        do(zs.asarray(X))


def calls_of_function(function, a):
    """Calls with an array for each operand, and for one of the options."""
    yield from (functools.partial(function, *[a] * count) for count in range(1, 5))
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return
    positional = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    operands = [a for p in parameters if p.default is p.empty and p.kind in positional]
    for p in parameters:
        if p.default is not p.empty and p.kind is not p.POSITIONAL_ONLY:
            yield functools.partial(function, *operands, **{p.name: a})


def calls_of_ufunc(ufunc, a):
    """Calls of it and of its methods."""
    yield functools.partial(ufunc, *[a] * ufunc.nin)
    yield functools.partial(ufunc.at, a, 0, *[a] * (ufunc.nin - 1))
    if ufunc.nin == 2:
        yield functools.partial(ufunc.outer, a, a)
        yield functools.partial(ufunc.reduceat, a, [0])
        yield from (functools.partial(method, a) for method in (ufunc.reduce, ufunc.accumulate))


def refusals(calls):
    """What is said where a function, a method or an option is refused. Calls may do something, or fail otherwise."""
    said = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            with contextlib.suppress(Exception):
                try:
                    call()
                except TypeError as error:
                    said.add(str(error))
    return {message for message in said if "for zerostride arrays" in message}


def named(messages):
    """The names of NumPy's and of zerostride's in messages, and those of them that do not exist."""
    packages = {"np": "numpy", "zs": "zerostride"}
    found = {name for m in messages for name in re.findall(r"(?<![\w.])(?:numpy|np|zerostride|zs)(?:\.\w+)+", m)}
    missing = set()
    for name in found:
        package, _, rest = name.partition(".")
        try:
            pkgutil.resolve_name(f"{packages.get(package, package)}.{rest}")
        except (AttributeError, ImportError):
            missing.add(name)
    return found, missing


def test_advice_names_what_numpy_and_zerostride_have():
    # NumPy knows the functions of numpy.char once it is imported, which this does.
    assert callable(np.char.split)
    a = zs.asarray(np.ones((2, 2), np.float32))
    of_functions = refusals(
        call for function in overrides.get_overridable_numpy_array_functions() for call in calls_of_function(function, a)
    )
    of_ufuncs = refusals(call for ufunc in overrides.get_overridable_numpy_ufuncs() for call in calls_of_ufunc(ufunc, a))
    assert len(of_functions) >= 120 and len(of_ufuncs) >= 100, (len(of_functions), len(of_ufuncs))
    found, missing = named(of_functions | of_ufuncs)
    assert {"numpy.add.at", "numpy.linalg.eig", "numpy.char.split"} <= found
    assert not missing, sorted(missing)


def test_advice_names_no_function_of_numpy_for_one_of_scipy():
    special = pytest.importorskip("scipy.special")
    # Some are inside functions that dispatch.
    spaces = vars(special), vars(getattr(special, "_ufuncs", special))
    ufuncs = {f for space in spaces for f in space.values() if isinstance(f, np.ufunc)}
    said = refusals(call for ufunc in ufuncs for call in calls_of_ufunc(ufunc, zs.asarray(np.ones(2, np.float32))))
    assert len(said) >= 100, len(said)
    _, missing = named(said)
    assert not missing, sorted(missing)


def test_other_libraries_may_take_over():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "taken"

        def __array_function__(self, func, types, args, kwargs):
            return "taken"

    assert np.add(zs.asarray(X), Other()) == "taken"
    assert np.concatenate([zs.asarray(X), Other()]) == "taken"


@pytest.mark.parametrize("number", [0.1, 2, True])
def test_a_python_number_is_one_plan_for_all_values(number):
    program = zs.compile("k * x + 1")
    for k in (number, number * 3, number + 1, -number):
        k = type(number)(k)
        np.testing.assert_array_equal(program(k, X), np.float32(k) * X + 1)


def test_numbers_that_plans_depend_on_are_still_right():
    bytes_ = np.array([1, 2, 250], np.uint8)
    for k in (1, 2, 300, -5, 1):
        np.testing.assert_array_equal(zs.evaluate("b < k", {"b": bytes_, "k": k}), bytes_ < k)
        np.testing.assert_array_equal(
            zs.evaluate("(k + 1) * x", {"x": X, "k": k}), np.float32(k + 1) * X, err_msg=str(k)
        )
    for k in (1, 5):
        np.testing.assert_array_equal(zs.evaluate("b + k", {"b": bytes_, "k": k}), bytes_ + np.uint8(k))
        with pytest.raises(OverflowError, match="300 is out of range for u8"):
            zs.evaluate("b + k", {"b": bytes_, "k": 300})
    for k in (1, 1.5, True, float("nan"), -0.0):
        found = zs.evaluate("x * k", {"x": X, "k": k})
        np.testing.assert_array_equal(found.view(np.uint32) & 0x7FC00000, (X * k).view(np.uint32) & 0x7FC00000)
    for k, wanted in ((0, 5), (3, X), (0.0, 5), (2.5, X)):
        np.testing.assert_array_equal(zs.evaluate("where(k, x, 5)", {"x": X, "k": k}), np.broadcast_to(wanted, X.shape))


def test_nan_is_no_extreme_and_no_median():
    x = np.float32([[1, np.nan, 3], [np.nan, 5, 4]])
    for name in ("nanargmax", "nanargmin", "nanmedian"):
        for axis in (None, 0, 1):
            wanted = np.asarray(getattr(np, name)(x, axis=axis))
            same(getattr(zs, name)(zs.asarray(x), axis=axis), wanted)
            same(getattr(np, name)(zs.asarray(x), axis), wanted)
    same(zs.median(zs.asarray(X), axis=1, keepdims=True), np.median(X, axis=1, keepdims=True))
    same(zs.nanargmax(zs.asarray([3, 1])), np.asarray(0))


DOUBLE = """
import numpy as np, zerostride as zs
assert zs.__array_namespace_info__().default_dtypes()["real floating"] == zs.float64
for found in (zs.asarray([0.1]), zs.zeros(2), zs.linspace(0, 1, 3), zs.arange(0.5), zs.eye(2), zs.asarray([1, 2]) / 3,
              zs.asarray([1, 2]).mean(), zs.asarray([1], dtype=float), np.exp(zs.asarray([1, 2])), zs.fuse(lambda x: x / 3)(zs.asarray([1]))):
    assert found.dtype == zs.float64, found
assert zs.asarray([0.1]).item() == 0.1 and zs.asarray([1]).__truediv__(3).item() == 1 / 3
assert zs.asarray(np.float32([1])).dtype == zs.float32
x = np.arange(3)
assert zs.evaluate("x / 3").dtype == np.float64
"""


def test_doubles_are_the_default_where_that_is_asked_for():
    environment = os.environ | {"ZEROSTRIDE_FLOAT64": "1"}
    child = subprocess.run([sys.executable, "-c", DOUBLE], env=environment, capture_output=True, text=True, timeout=120)
    assert child.returncode == 0, child.stderr


def test_the_default_type_can_change_and_no_plan_of_the_other_is_reused():
    third, program = zs.fuse(lambda x: x / 3), zs.compile("x / 3")
    makers = (
        lambda: zs.asarray([0.1]),
        lambda: zs.zeros(2),
        lambda: zs.linspace(0, 1, 3),
        lambda: zs.asarray([1, 2]) / 3,
        lambda: zs.asarray([1, 2]).mean(),
        lambda: zs.evaluate("x / 3", {"x": np.arange(3, dtype=np.int16)}),
        lambda: program(np.arange(3, dtype=np.int16)),
        lambda: third(zs.asarray([1, 2])),
    )
    try:
        for dtype in (np.float32, "float64", np.float32, float):
            zs.set_default_dtype(dtype)
            assert zs.__array_namespace_info__().default_dtypes()["real floating"] == np.dtype(dtype)
            assert [make().dtype for make in makers] == [np.dtype(dtype)] * len(makers)
    finally:
        zs.set_default_dtype(np.float32)
    # Arrays that nobody has read yet keep the type that they were made with.
    whole, part = np.array([1, 2, 3, 4]), np.arange(4.0)
    try:
        for first, second in [("float64", "float32"), ("float32", "float64")]:
            zs.set_default_dtype(first)
            x, weights = zs.asarray(whole), zs.asarray(part)
            made = [x / 3, zs.sqrt(x), x + 0.5, x.mean(), zs.sum(x / 3), x / 3 * weights, *zs.gradient((weights / 3 * x).sum(), weights)]
            zs.set_default_dtype(second)
            mixed = made[0] * x
            expected = whole / np.array(3, first)
            assert made[0].dtype == first and mixed.dtype == np.result_type(first, second)
            np.testing.assert_array_equal(made[0].numpy(), expected.astype(first))
            np.testing.assert_array_equal(mixed.numpy(), expected.astype(first) * whole.astype(second))
            zs.compute(*made[1:], x / 7)
            for array in made[1:]:
                assert array.numpy().dtype == array.dtype
            if first == "float64":
                np.testing.assert_array_equal(made[5].numpy(), whole / 3 * part)
                np.testing.assert_array_equal(made[3].numpy(), whole.mean())
    finally:
        zs.set_default_dtype(np.float32)
    for dtype in (np.int64, np.float16, bool):
        with pytest.raises(ValueError, match="use float32 or float64"):
            zs.set_default_dtype(dtype)


def test_a_setting_of_no_meaning_is_refused():
    environment = os.environ | {"ZEROSTRIDE_FLOAT64": "integer"}
    child = subprocess.run([sys.executable, "-c", "import zerostride"], env=environment, capture_output=True, text=True, timeout=120)
    assert "ValueError: ZEROSTRIDE_FLOAT64 is 'integer'; use 1 " in child.stderr


INTEGERS = """
import numpy as np, zerostride as zs
r = np.random.default_rng(5)
x, y = (r.standard_normal(1000) * 10.0 ** r.integers(-150, 150, 1000) for _ in range(2))
for text in ("x + y", "x - y", "x * y", "x / y", "x * 2 + y", "floor(x)", "x < y"):
    want = eval(text, {"x": x, "y": y, "floor": np.floor})
    assert np.array_equal(zs.evaluate(text), want), text
assert np.array_equal(zs.evaluate("sqrt(abs(x))"), np.sqrt(abs(x)))
assert zs.asarray(x).dtype == zs.float64 and abs(zs.asarray(r.random(1000)).mean().item() - 0.5) < 0.1
"""


def test_doubles_by_integers_have_numpys_bits():
    environment = os.environ | {"ZEROSTRIDE_FLOAT64": "integers"}
    child = subprocess.run([sys.executable, "-c", INTEGERS], env=environment, capture_output=True, text=True, timeout=120)
    assert child.returncode == 0, child.stderr


def test_the_driver_is_quiet_where_there_is_no_desktop():
    environment = {k: v for k, v in os.environ.items() if k not in ("XDG_RUNTIME_DIR", "NODEVICE_SELECT")}
    code = "import zerostride as zs; print(float(zs.asarray([1.0]).sum()))"
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert (child.returncode, child.stdout, child.stderr) == (0, "1.0\n", "")


def test_gradients_are_of_arrays_by_arrays():
    a = zs.asarray(X)
    for of, by in ((3, a), (a.sum(), 3), (a.sum(), [a, 3]), (X, a)):
        with pytest.raises(TypeError, match="zerostride.Array, not"):
            zs.gradient(of, by)


def test_a_masked_array_without_a_mask_loses_nothing():
    whole = np.ma.masked_array(X)
    same(zs.asarray(whole), X)
    np.testing.assert_array_equal(zs.evaluate("w + 1", {"w": whole}), X + 1)


def test_arrays_share_no_memory():
    a = zs.asarray(X)
    assert np.may_share_memory(a, a.numpy()) is np.shares_memory(a, a[1:]) is False


def test_what_depends_on_data_is_found_on_the_host():
    a = zs.asarray(X)
    for found, wanted in zip(np.where(a > 1), np.where(X > 1), strict=True):
        same(found, wanted)
    for found, wanted in zip(a.nonzero(), X.nonzero(), strict=True):
        same(found, wanted)
    same(np.argwhere(a > 1), np.argwhere(X > 1))
    same(np.flatnonzero(a > 1), np.flatnonzero(X > 1))
    repeated = np.array([3, 1, 3, 2, 1])
    for found, wanted in zip(
        np.unique(zs.asarray(repeated), return_index=True, return_inverse=True, return_counts=True),
        np.unique(repeated, return_index=True, return_inverse=True, return_counts=True),
        strict=True,
    ):
        same(found, wanted)
    same(np.unique(a), np.unique(X))
    for key in [MASK, (slice(None), MASK[1]), (0, MASK[0]), (Ellipsis, MASK[1]), (MASK[:, 2], slice(1, None)), True, False]:
        same(a[key], X[key])
    same(a[[True, False]], X[[True, False]])
    b = zs.asarray(X)
    b[b > 2] = -1
    same(b, np.where(X > 2, -1, X))


@pytest.mark.parametrize(
    "do",
    [
        lambda a: np.append(a, np.float32([1, 2])),
        lambda a: np.append(a, a, axis=1),
        lambda a: np.array_split(a, 2, axis=1),
        lambda a: np.array_split(a, [1], axis=1),
        lambda a: np.array_split(a, 5, axis=1),
        lambda a: [np.atleast_3d(x) for x in (a[0, 0], a[0], a, a[None])],
        lambda a: np.column_stack([a[:, 0], a]),
        lambda a: np.compress([True, False], a, axis=0),
        lambda a: np.compress([False, True, True], a),
        lambda a: [np.diag(x, k) for x in (a[0], a) for k in (-1, 0, 2)],
        lambda a: np.diag(a[1] * np.float32(np.inf)),
        lambda a: np.dstack([a, a]),
        lambda a: np.extract(a > 1, a),
        lambda a: np.fliplr(a),
        lambda a: np.flipud(a),
        lambda a: [np.kron(a, a), np.kron(a[0], a), np.kron(a, a[0])],
        lambda a: [np.pad(a, 1), np.pad(a, (0, 2), constant_values=7), np.pad(a, ((1, 0), (0, 2)))],
        lambda a: [np.rot90(a), np.rot90(a, -1), np.rot90(a, 2, (1, 0))],
        lambda a: [np.pad(a, 2, mode) for mode in ("edge", "reflect", "symmetric", "wrap", "maximum", "mean", "minimum")],
        lambda a: [np.pad(a, ((1, 0), (0, 2)), "maximum", stat_length=1), np.pad(a, 1, constant_values=((1, 2), (3, 4)))],
        lambda a: [np.pad(a.astype(np.int32), 1, "mean"), np.pad(a, 1, constant_values=np.float32(5))],
        lambda a: [np.quantile(a, 0.5), np.quantile(a, [0.1, 0.7], axis=1), np.percentile(a, 30, 0, keepdims=True)],
        lambda a: [np.nanquantile(a, 0.3, method="lower"), np.nanpercentile(a, q=40, axis=0)],
        lambda a: [np.lib.stride_tricks.sliding_window_view(a, 2, axis=n) for n in (0, 1)],
        lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 2)),
        lambda a: [np.lib.stride_tricks.sliding_window_view(a, (2, 1, 2), axis=(0, 1, 1))],
        lambda a: [np.convolve(a[0], np.float32([1, 2, -1]), mode) for mode in ("full", "same", "valid")],
        lambda a: [np.correlate(a[0], np.float32([1, 2]), mode) for mode in ("full", "same", "valid")],
        lambda a: [*np.histogram(a, [0, 1, 2, 4]), np.histogram(a, np.float32([0, 1, 4]), density=True)[0].astype("f4")],
        lambda a: [np.convolve(a[0], a.ravel(), "same"), np.correlate(a[1], a.ravel(), "full"), np.convolve(a[0], np.float32(2))],
        lambda a: [*np.histogram(a), *np.histogram(a, 3, range=(0, 4)), *np.histogram(a, [0, 2, 9], weights=a)],
        lambda a: [*np.histogram(a.astype(np.int32), 4), np.histogram(a[:0], 2)[0]],
        lambda a: [a.conj(), a.conjugate()],
        lambda a: np.sinc(a),
        lambda a: np.trace(a, dtype=np.int32),
        lambda a: [np.searchsorted(a[1], a, side) for side in ("left", "right")],
        lambda a: np.searchsorted(np.float32([4, 0, 2]), a, sorter=[1, 2, 0]),
        lambda a: [np.digitize(a, [1, 2, 4], right) for right in (False, True)],
        lambda a: [np.digitize(a, [4, 2, 1], right) for right in (False, True)],
        lambda a: [a.argsort(), a.argsort(0), a.trace(), a.trace(1), a.diagonal(), a.diagonal(1)],
    ],
)
def test_more_of_numpys_functions(do):
    found, wanted = do(zs.asarray(X)), do(X)
    for one, other in zip(*((x if isinstance(x, list) else [x]) for x in (found, wanted)), strict=True):
        same(one, np.asarray(other))


def test_interp():
    xp, fp = np.float32([0, 1, 4]), np.float32([1, 3, -2])
    x = np.float32([[-1, 0, 0.25, 1], [3, 4, 5, np.nan]])
    for more in ({}, {"left": -7}, {"left": 0, "right": np.float32(9)}):
        found = np.interp(zs.asarray(x), xp, zs.asarray(fp), **more)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found.numpy(), np.interp(x, xp, fp, **more), rtol=1e-6)
    with pytest.raises(TypeError, match="period"):
        np.interp(zs.asarray(x), xp, fp, period=2)
    with pytest.raises(ValueError, match="monotonic"):
        np.digitize(zs.asarray(x), [0, 2, 1])


def test_elements_and_bytes():
    a = zs.asarray(X)
    assert a.item(3) == X.item(3) and a.item(1, 2) == X.item(1, 2)
    assert a.tobytes() == X.tobytes() and a.tobytes("F") == X.tobytes("F")
    with pytest.raises(IndexError):
        a.item(6)
    with pytest.raises(ValueError, match="one element"):
        a.item()


def test_numbers_between_computed_ends_and_near_computed_tolerances():
    x = zs.asarray(np.array([1.0, 5.0], np.float32))
    for made in (np.linspace(x.min(), x.max(), 5), zs.linspace(x.min(), x.max(), 5), np.linspace(1.0, zs.asarray(5.0), 5)):
        np.testing.assert_array_equal(np.asarray(made), [1, 2, 3, 4, 5])
    with pytest.raises(TypeError, match="linspace must be numbers"):
        zs.linspace(x, 1, 3)
    assert np.allclose(x, x.numpy(), atol=1e-6 * np.abs(x).max())
    assert zs.isclose(x, x + 1, rtol=x.max()).all()


def test_integers_between_two_numbers_are_rounded_down():
    wanted = np.linspace(-1, 1, 4, dtype=np.int64)
    made = zs.linspace(-1, 1, 4, dtype=zs.int64)
    np.testing.assert_array_equal(made.numpy(), wanted)
    np.testing.assert_array_equal(zs.evaluate("linspace(-1, 1, 4, dtype=int)", {}), wanted)
    np.testing.assert_array_equal(
        zs.evaluate("linspace(-393.0, 5.0, 7, endpoint=False, dtype=i32)", {}),
        np.linspace(-393.0, 5.0, 7, endpoint=False, dtype=np.int32),
    )


def test_integers_are_rounded_to_tens_in_their_own_type():
    x = np.array([123456789, -25, -15, 15, 25, 4611686018427387904, -4611686018427387905], np.int64)
    wanted = [int(decimal.Decimal(int(v)).scaleb(-1).to_integral_value(decimal.ROUND_HALF_EVEN)) * 10 for v in x]
    np.testing.assert_array_equal(np.round(zs.asarray(x), -1).numpy(), wanted)
    assert zs.evaluate("round(x, -1)", {"x": x}).dtype == np.int64


def test_a_correction_that_leaves_nothing_to_divide_by_is_nan():
    x = zs.asarray([1.0, 2.0, 3.0])
    for correction in (3, 3.5, 4):
        assert np.isnan(float(zs.var(x, correction=correction)))
        assert np.isnan(float(zs.std(x, correction=correction)))


def test_weights_of_float64_keep_their_digits():
    counts = np.bincount(zs.asarray(np.array([0, 1])), weights=zs.asarray(np.array([16777217.0, 1.0])))
    assert counts.dtype == np.float64
    np.testing.assert_array_equal(counts.numpy(), [16777217.0, 1.0])


def test_a_cast_to_float_is_to_numpys_float():
    times = zs.asarray(np.array([1700000000123]))
    for cast in (times.astype(float), zs.astype(times, float), times.astype("float64")):
        assert cast.dtype == np.float64
        np.testing.assert_array_equal(cast.numpy(), [1700000000123.0])


def test_numbers_that_an_array_does_not_hold_are_refused():
    x = zs.asarray(np.arange(3, dtype=np.uint8))
    with pytest.raises(OverflowError):
        x[0] = 300
    x[0] = 200
    np.testing.assert_array_equal(x.numpy(), [200, 1, 2])


def test_arrays_of_others_are_not_said_to_differ():
    class Foreign:
        def __dlpack__(self):
            raise AssertionError

    x = zs.asarray([1.0])
    for compare in (lambda: x == Foreign(), lambda: x != Foreign()):
        with pytest.raises(TypeError, match="Foreign.*from_dlpack"):
            compare()
    assert (x == "text") is False and (x == None).tolist() == [False]  # noqa: E711


def test_variances_take_numpys_words_and_the_namespace_has_what_libraries_call():
    x = zs.asarray(np.array([[1.0, 2.0, 4.0]], np.float32))
    for name in ("var", "std", "nanvar", "nanstd"):
        wanted = getattr(np, name)(x.numpy(), axis=1, ddof=1)
        np.testing.assert_allclose(getattr(zs, name)(x, axis=1, ddof=1, dtype=np.float32).numpy(), wanted, rtol=1e-6)
    np.testing.assert_array_equal(zs.pad(x, ((0, 0), (1, 0))).numpy(), [[0, 1, 2, 4]])
    np.testing.assert_array_equal(zs.einsum("ij->j", x).numpy(), [1, 2, 4])


def test_an_array_whose_class_lies_of_its_type_is_not_read_beyond():
    class Lie(np.ndarray):
        dtype = property(lambda self: np.dtype("f8"))

    lie = np.ones(1, "f4").view(Lie)
    for use in (lambda: zs.evaluate("a", {"a": lie}), lambda: zs.zeros(1) + lie, lambda: zs.asarray(lie)):
        try:
            found = np.asarray(use())
        except (TypeError, ValueError):
            continue
        assert found.size == 1 and float(np.asarray(found).reshape(-1)[0]) == 1.0


def test_every_function_of_the_language_is_one_of_the_package() -> None:
    a, b = np.float32([[1, 2, 4], [3, -1, 0.5]]), np.float32([2, -1])
    x, y = zs.asarray(a), zs.asarray(b)
    for found, expected in [
        (zs.kron(x, y), np.kron(a, b)),
        (zs.kron([1, 2], [3, 4]), np.kron([1, 2], [3, 4])),
        (zs.kron(zs.asarray([1, 2]), 3), np.kron([1, 2], 3)),
        (np.kron(3, zs.asarray([1, 2])), np.kron(3, [1, 2])),
        (zs.tile(x, np.array([2, 1])), np.tile(a, (2, 1))),
        (zs.tile(x, zs.asarray([1, 2])), np.tile(a, (1, 2))),
        (zs.pad(x, ((0, 1), (2, 0)), constant_values=7), np.pad(a, ((0, 1), (2, 0)), constant_values=7)),
        (zs.hstack([x, x]), np.hstack([a, a])),
        (zs.average(x, axis=1, weights=x * x), np.average(a, axis=1, weights=a * a)),
        (zs.rot90(x, k=np.int64(3)), np.rot90(a, 3)),
        (zs.full_like(x, -np.inf), np.full_like(a, -np.inf)),
        (zs.nan_to_num(x / 0), np.nan_to_num(a / np.float32(0))),
        (zs.select([x > 2, x > 0], [x, -x]), np.select([a > 2, a > 0], [a, -a])),
        (zs.array(list(range(100))), np.arange(100)),
        (zs.array([1, 2], dtype=np.float16), np.float16([1, 2])),
        (zs.atleast_3d(y), np.atleast_3d(b)),
        *zip(zs.modf(x), np.modf(a), strict=True),
    ]:
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected)
    # A formula that asks for shapes is another for each.
    for shape in [(2, 3), (3, 2), (6,), (1, 6)]:
        np.testing.assert_array_equal(zs.kron(x.reshape(shape), y), np.kron(a.reshape(shape), b))
    assert "normal distribution" in zs.gelu.__doc__ and zs.gelu.__name__ == "gelu"


def test_the_table_of_front_ends_is_that_of_the_package() -> None:
    script = Path(__file__).parents[3] / "scripts/front_ends.py"
    subprocess.run([sys.executable, script], check=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_medians_and_quantiles_have_numpys_bits(dtype):
    random = np.random.default_rng(7)
    for shape in [(1,), (2,), (7,), (3, 4), (4, 3, 2), (3, 257)]:
        for odd in ([], [np.nan], [np.inf, -np.inf], [-0.0, 0.0]):
            values = random.normal(size=shape).astype(dtype)
            values.flat[: len(odd)] = odd[: values.size]
            for axis in (None, *range(values.ndim)):
                share = random.random()
                for name, q in [("median", ()), ("nanmedian", ()), ("quantile", (1,)), ("quantile", (share,)), ("percentile", (30,))]:
                    found = getattr(zs, name)(zs.asarray(values), *q, axis=axis)
                    expected = np.asarray(getattr(np, name)(values, *q, axis=axis))
                    # NumPy interpolates between a number and an infinity behind it, of which it takes nothing.
                    is_open = np.isnan(expected) & ~np.isnan(values).any(axis=axis)
                    assert found.dtype == expected.dtype and found.shape == expected.shape
                    np.testing.assert_array_equal(np.where(is_open, 0, found.numpy()), np.where(is_open, 0, expected))
