"""What Python lets people do with arrays: buffers, threads, operands of other libraries, powers, elements set in views."""

import ctypes
import threading
import time
import warnings

import numpy as np
import pytest

import zerostride as zs
from zerostride import _core


def test_buffers_are_read_only_and_hold_their_memory():
    a = zs.asarray([1.0, 2.0])
    with pytest.raises(TypeError, match="read-only"):
        memoryview(a)[0] = 99
    with pytest.raises((TypeError, BufferError)):
        (ctypes.c_float * 2).from_buffer(a)
    # NumPy has to hold what it looks at.
    views = [np.frombuffer(zs.asarray([float(n)] * 1000), np.float32) for n in range(50)]
    for n, view in enumerate(views):
        assert (view == n).all() and not view.flags.writeable
    assert a.tolist() == [1, 2] and a.numpy().flags.writeable


@pytest.mark.parametrize("given", [lambda self: self, lambda self: None, lambda self: b"bytes"])
def test_a_buffer_of_a_subclass_is_a_numpy_array_or_an_error(given):
    kind = type("Kind", (_core.Buffered,), {"numpy": given})
    with pytest.raises(BufferError, match="no NumPy array"):
        memoryview(kind())


def test_threads_that_set_one_array_leave_it_whole():
    a = zs.zeros((6,))
    until = time.monotonic() + 2
    failed = []

    def forever(do):
        try:
            while time.monotonic() < until and not failed:
                do()
        except BaseException as error:
            failed.append(error)

    def add():
        b = a
        b += 1

    def look():
        assert a.dtype == np.float32 and a.shape == (6,) and (a * 2).numpy().shape == (6,)

    def put():
        a[5] = 1

    threads = [threading.Thread(target=forever, args=(do,)) for do in (put, put, add, add, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    assert (a + 0).tolist() == a.tolist()


class Raises:
    def __array__(self, dtype=None, copy=None):
        raise ZeroDivisionError("nothing to divide")


class Given:
    def __array__(self, dtype=None, copy=None):
        return np.float32([4, 5])


def test_an_operand_that_numpy_reads_is_one_and_its_error_is_the_calls():
    a = zs.asarray([1.0, 2.0])
    for do in (
        lambda x: a + x, lambda x: x - a, lambda x: a * x, lambda x: x / a, lambda x: a // x, lambda x: a % x,
        lambda x: a**x, lambda x: a @ x, lambda x: a < x, lambda x: a == x, lambda x: a != x, lambda x: x >= a,
        lambda x: np.add(a, x), lambda x: np.maximum(x, a), lambda x: zs.hypot(a, x), lambda x: zs.concat([a, x]),
        lambda x: zs.evaluate("a + x", {"a": a, "x": x}),
    ):  # fmt: skip
        with pytest.raises(ZeroDivisionError):
            do(Raises())
        np.testing.assert_array_equal(np.asarray(do(Given())), np.asarray(do(zs.asarray([4.0, 5.0]))))

    class Own(Given):
        def __radd__(self, other):
            return "own"

    class NoUfunc(Given):
        __array_ufunc__ = None

    assert a + Own() == "own"
    with pytest.raises(TypeError, match="unsupported operand"):
        a + NoUfunc()


@pytest.mark.parametrize("exponent", [-1, np.int8(-2), np.array([1, -1, 2]), [2, 0, -3], (-1,)])
def test_integers_to_negative_integers_are_refused_as_by_numpy(exponent):
    x = np.array([1, 2, 3])
    for kind in (np.int64, np.int16, bool):
        a = zs.asarray(x.astype(kind))
        for do in (lambda a: a**exponent, lambda a: np.power(a, exponent), lambda a: zs.pow(a, exponent)):
            with pytest.raises(ValueError, match="^Integers to negative integer powers are not allowed.$"):
                do(a)
    with pytest.raises(ValueError, match="not allowed"):
        a = zs.asarray(x)
        a **= exponent


def test_other_powers_are_numpys():
    x = np.array([1, 2, 3])
    a = zs.asarray(x)
    assert (a**2).tolist() == [1, 4, 9] and (a ** np.array([0, 1, 2])).tolist() == [1, 2, 9]
    assert (a.astype(np.float32) ** -1).tolist() == pytest.approx((x**-1.0).tolist())
    assert (zs.asarray(np.empty(0, int)) ** -1).shape == (0,)
    with pytest.raises(OverflowError, match="Python integer -1 out of bounds for uint8"):
        zs.asarray(np.uint8([1])) ** -1
    # What is on the device is not looked at.
    assert (a ** zs.asarray([-1, -1, 0])).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "do",
    [
        lambda a: a + 300,
        lambda a: -1 * a,
        lambda a: a & -1,
        lambda a: np.maximum(a, 300),
        lambda a: np.bitwise_and(a, -1),
        lambda a: np.remainder(a, -3),
        lambda a: np.add(a, 300, dtype=np.uint8),
        lambda a: np.clip(a, 300, 400),
        lambda a: np.full_like(a, 300),
        lambda a: a.__iadd__(300),
        lambda a: a.__setitem__(0, 300),
    ],
)
def test_numbers_that_a_type_does_not_hold_are_numpys_overflows(do):
    x = np.uint8([1, 2])
    for array in (x, zs.asarray(x)):
        with pytest.raises(OverflowError, match="300|-1|-3"):
            do(array)


@pytest.mark.parametrize("text", ["u + 300", "np.uint8(300) + u", "full_like(u, 300)", "minimum(u, -1)", "where(u > 1, u, 300)"])
def test_numbers_in_texts_that_a_type_does_not_hold_are_overflows(text):
    with pytest.raises(OverflowError, match="out of range for u8"):
        zs.evaluate(text, {"u": np.uint8([1, 2])})
    # Of an axis that is not there nothing overflows.
    with pytest.raises(ValueError, match="axis"):
        zs.evaluate("expand_dims(u, 9)", {"u": np.uint8([1, 2])})


def test_elements_are_not_set_in_a_traced_function():
    def put(x):
        x[0] = 1
        return x

    def added(b, x):
        b[::-1] += x
        return b

    a = zs.asarray([1.0, 2.0])
    for function, operands in ((put, (a,)), (added, (a, a))):
        with pytest.raises(TypeError, match="elements cannot be set.*zerostride.where.*zerostride.concat"):
            zs.fuse(function)(*operands)


def said(do):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        do()
    assert all(w.category is RuntimeWarning and w.filename == __file__ for w in found), found
    return [str(w.message) for w in found]


def set_of_chain(a):
    a[0][1] = 5


def set_of_longer_chain(a):
    a[0][1:][0] = 5


def rows(a):
    for r in a:
        r -= r.mean()


def named(a):
    v = a[0]
    v[:] = 0
    v[:] = 1


def transposed(a):
    a.T[0] = 1


def reshaped(a):
    a.reshape(-1)[0] = 1


def flipped(a):
    np.flip(a)[0] = 1


def part_of_split(a):
    np.split(a, 2, axis=1)[0][:] = 1


def out_of_a_function(a):
    v = a[1]
    np.add(v, 1, out=v)


def below_a_chain(a):
    a[0][1] += 1


class Holder:
    pass


class Slotted:
    __slots__ = ("w", "v")


def attribute(a):
    o = Holder()
    o.v = a[0]
    o.v += 1
    o.v -= 1


def attribute_in_a_slot(a):
    o = Holder()
    o.inner = Slotted()
    o.inner.v = a[0]
    o.inner.v *= 1 + len(a[1])


@pytest.mark.parametrize(
    "do",
    [attribute, attribute_in_a_slot, set_of_chain, set_of_longer_chain, named, transposed, reshaped, flipped, part_of_split, out_of_a_function, below_a_chain],
)
def test_who_sets_a_view_is_told_that_its_source_stays(do):
    a = zs.zeros((2, 4))
    (message,) = said(lambda: do(a))
    assert "zerostride arrays are values" in message and ".copy()" in message
    assert not a.numpy().any()


def test_who_replaces_rows_on_the_way_is_told_for_each():
    a = zs.ones((3, 4))
    assert len(said(lambda: rows(a))) == 3 and a.numpy().all()


class Table:
    def __init__(self, a):
        self.a = a

    @property
    def row(self):
        return self.a[0]

    @row.setter
    def row(self, value):
        self.a[0] = value


def test_who_sets_what_is_no_view_is_told_nothing():
    def all_of_it():
        a = zs.zeros((4, 4))
        a[0, 1] = 5
        a[0] += 1
        a[1:, 0] *= 2
        a += 1
        v = a[0].copy()
        v[:] = 2
        w = a + 1
        w[0] = 1
        w -= 1
        # The source is gone, and nobody misses it.
        x = zs.asarray(np.arange(6.0)).reshape(2, 3)
        x[0, 0] = 3
        x = x[1:]
        x[0] = 1
        x -= 1
        # NumPy has copies of these.
        for copied in (a[[0, 1]], a[a > 1], a.flatten(), a.astype(np.int32), zs.roll(a, 0), zs.roll(a, 0, axis=0), np.round(a)):
            copied[0] = 7
            copied += 1
        number = a[0, 0]
        number += 1
        # A property may put back what it gave, and does here.
        table = Table(a)
        table.row += 1
        assert table.a[0].tolist() == a[0].tolist()
        table.own = a + 1
        table.own += 1
        table.alone = a[0].copy()
        table.alone += 1
        for number in a[0].copy():
            number -= 1
        return a

    assert said(all_of_it) == []


def test_what_is_rolled_or_rounded_is_an_array_of_its_own():
    a = zs.asarray([1, 2, 3])
    for b in (zs.roll(a, 0), zs.roll(a, 3, axis=0), zs.round(a), np.round(a), zs.pad(a, 0)):
        b[0] = 9
        assert a.tolist() == [1, 2, 3] and b.tolist() == [9, 2, 3]


def test_take_refuses_indices_beyond_the_ends_where_it_is_asked_to():
    a = zs.asarray(np.float32([1, 2, 3]))
    beyond = zs.asarray([0, 99])
    np.testing.assert_array_equal(zs.take(a, beyond).numpy(), [1, 3])
    with pytest.raises(IndexError, match="index 99 is out of range for an axis of extent 3"):
        zs.take(a, beyond, axis=0, mode="raise")
    np.testing.assert_array_equal(zs.take(a, zs.asarray([-3, 2]), axis=0, mode="raise").numpy(), [1, 3])
    with pytest.raises(IndexError, match="index -4"):
        zs.take(a, zs.asarray([-4, 0]), mode="raise")
    with pytest.raises(ValueError, match="'round'"):
        zs.take(a, beyond, mode="round")


@pytest.mark.parametrize("mode", ["clip", "wrap"])
@pytest.mark.parametrize("indices", [[0, 5, -1, -7], [[2, 3], [-4, 1]], 7, [], np.uint8([2, 255])])
def test_modes_of_take_are_numpys(mode, indices):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    a, whole = zs.asarray(x), np.asarray(indices, None if np.size(indices) else int)
    for axis in (0, 1, -1, None):
        wanted = np.take(x, whole, axis, mode=mode)
        for given in (indices, whole, zs.asarray(whole)):
            np.testing.assert_array_equal(np.take(a, given, axis, mode=mode).numpy(), wanted)
            np.testing.assert_array_equal(a.take(given, axis, mode).numpy(), wanted)
            if axis is not None:
                np.testing.assert_array_equal(zs.take(a, given, axis=axis, mode=mode).numpy(), wanted)
    for empty in (x[:0], zs.asarray(x[:0])):
        with pytest.raises(IndexError, match="empty ax"):
            np.take(empty, [0], 0, mode=mode)


def test_indices_of_the_host_beyond_the_ends_are_refused_by_numpys_take():
    x = np.float32([1, 2, 3])
    for array in (x, zs.asarray(x)):
        for indices in ([3], [-4, 0], np.array([[0, 5]]), 9):
            for do in (np.take, lambda a, i: a.take(i), lambda a, i: np.take(a, i, mode="raise")):
                with pytest.raises(IndexError, match="index"):
                    do(array, indices)


def test_masked_moments_of_halves_are_halves():
    ones = np.ones(70_000, np.float16)
    mask = np.ones(70_000, bool)
    for name, wanted in [("mean", 1), ("var", 0), ("std", 0)]:
        found = getattr(np, name)(zs.asarray(ones), where=mask)
        assert found.dtype == np.float16 and float(found) == wanted, name


def test_padding_is_numpys():
    bools = np.array([True, False, True])
    for x, width, options in [
        (np.array([1.0, 2.0]), 1, {"constant_values": 0.1}),
        (np.array([1, 2], np.int8), (1, 2), {"constant_values": -128}),
        (np.zeros((0, 2), np.uint8), 1, {"constant_values": 200}),
        (np.zeros((2, 0, 3), np.float16), ((0, 1), (2, 0), (1, 1)), {}),
        (np.full(3, 2**24 + 1), 1, {"mode": "mean"}),
        (np.array([1, 2, 4]), 1, {"mode": "mean", "stat_length": 2}),
        (bools, (2, 1), {"mode": "mean", "stat_length": 2}),
        (np.float32([1, 5, 2]), 2, {"mode": "maximum", "stat_length": 9}),
    ]:
        found = np.pad(zs.asarray(x), width, **options).numpy()
        np.testing.assert_array_equal(found, np.pad(x, width, **options), str(options))
    for x, options, error in [
        (np.array([1], np.int8), {"constant_values": 300}, OverflowError),
        (np.array([1]), {"constant_values": float("nan")}, ValueError),
        (np.zeros((0, 3), np.float32), {"mode": "mean"}, ValueError),
        (np.array([1.0, 2.0], np.float32), {"mode": "mean", "stat_length": -1}, ValueError),
        (np.array([1.0, 2.0], np.float32), {"mode": "maximum", "stat_length": 0}, ValueError),
        (np.array([1.0, 2.0], np.float32), {"mode": "edge", "constant_values": 3}, ValueError),
        (np.array([1.0, 2.0], np.float32), {"stat_length": 1}, ValueError),
    ]:
        with pytest.raises(error):
            np.pad(x, 1, **options)
        with pytest.raises(error):
            np.pad(zs.asarray(x), 1, **options)


def test_powers_of_lists_are_checked_too():
    for base in ([2, 3], 2):
        with pytest.raises(ValueError, match="negative integer powers"):
            zs.pow(base, -1)


@pytest.mark.parametrize("shift,axis", [((1, 2), 0), ((1, 2), None), (1, (0, 1, 0)), (np.array(1), 0), (1.0, 1), (-7, None)])
def test_shifts_and_axes_are_broadcast(shift, axis):
    x = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(np.roll(zs.asarray(x), shift, axis=axis).numpy(), np.roll(x, shift, axis=axis))


def test_types_of_several_are_numpys():
    assert zs.result_type(np.int8, 300) == np.int8
    assert zs.result_type(np.int8, np.uint8, np.float16) == np.result_type(np.int8, np.uint8, np.float16)
    assert zs.result_type(np.uint8, np.int8) == np.int16
    assert zs.result_type(np.float16, 2.5) == np.float16


def test_powers_that_are_not_chosen_are_not_refused():
    where, out = np.array([False, True]), np.array([7, 8])
    found = np.power(zs.asarray([2, 3]), np.array([-1, 2]), where=where, out=zs.asarray(out))
    np.testing.assert_array_equal(found.numpy(), np.power([2, 3], [-1, 2], where=where, out=out.copy()))
    with pytest.raises(ValueError, match="negative integer powers"):
        np.power(zs.asarray([2, 3]), np.array([-1, 2]), where=np.array([True, True]), out=zs.asarray(out))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: zs.sum(x, 0), r"^sum\(x, /, \*, axis=None, dtype=None, keepdims=False\): too many positional"),
        (lambda x: zs.flip(x, 1), r"^flip\(x, /, \*, axis=None\): too many positional"),
        (lambda x: zs.var(x, axes=1), r"^var\(.*\): got an unexpected keyword argument 'axes'$"),
        (lambda x: zs.max(), r"^max\(.*\): missing a required argument: 'x'$"),
    ],
)
def test_a_wrong_call_says_how_the_function_is_called(call, message):
    with pytest.raises(TypeError, match=message):
        call(zs.ones((2, 3)))


def test_a_join_of_nothing_says_what_it_needs():
    for join in (zs.concat, zs.stack):
        for nothing in ([], ()):
            with pytest.raises(ValueError, match=f"^{join.__name__} needs at least one array$"):
                join(nothing)


def test_arrays_of_other_shapes_are_not_equal_as_in_numpy():
    a = zs.asarray([1.0, 2.0])
    assert np.array_equal(a, a) is True
    assert np.array_equal(a, zs.asarray([[1.0, 2.0]])) is False
    assert np.array_equal(a, []) is False and np.array_equal(a, 1.0) is False


def test_functions_take_their_array_by_its_name_where_numpy_does():
    a = zs.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert zs.cumsum(x=a, axis=0).tolist() == zs.cumsum(a, 0).tolist() == [[1, 2], [4, 6]]
