"""Plans that are kept: what is computed again in the same way has the same result, whatever changed."""

import gc

import numpy as np
import pytest

import zerostride as zs


def test_numbers_of_every_kind_take_turns():
    x = np.array([1, 2, 3], np.int32)
    a = zs.asarray(x)
    for k in [2, 3, -7, True, False, 2.5, 2, 0.5, True, 1e30, float("inf"), 2**31 - 1]:
        expected = x.astype(np.float32) * np.float32(k) if isinstance(k, float) else x * k
        np.testing.assert_array_equal((a * k).numpy(), expected, err_msg=repr(k))
    with pytest.raises(OverflowError, match="1099511627776"):
        (a * 2**40).numpy()
    np.testing.assert_array_equal((a * 2).numpy(), x * 2)


def test_numbers_that_a_plan_depends_on():
    x = np.array([1.5, -2.0, 3.0], np.float32)
    a = zs.asarray(x)
    for k in [0, 1, 2, 3, 2, 0.5, -1, 0]:
        with np.errstate(invalid="ignore"):
            expected = x ** np.float32(k)
        np.testing.assert_allclose((a**k).numpy(), expected, rtol=1e-6, err_msg=repr(k))
    n = np.array([1, 200, 255], np.uint8)
    b = zs.asarray(n)
    for k in [0, 255, 256, -1, 300, 7]:
        np.testing.assert_array_equal((b < k).numpy(), n < k, err_msg=repr(k))


def test_shapes_types_and_layouts_take_turns():
    for shape in [(3,), (2, 3), (3, 2), (0,), (), (4, 1, 3), (3,)]:
        for dtype in [np.float32, np.int64, np.uint8, np.float32]:
            x = np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)
            for view in [x, x.T, x[::-1] if shape else x]:
                a = zs.asarray(view)
                np.testing.assert_array_equal((a + a.T.T * 2).numpy(), view + view * 2)


def test_operands_are_told_apart():
    x, y = np.array([5.0, 7.0], np.float32), np.array([2.0, 3.0], np.float32)
    a, b = zs.asarray(x), zs.asarray(y)
    for _ in range(2):
        np.testing.assert_array_equal((a - b).numpy(), x - y)
        np.testing.assert_array_equal((b - a).numpy(), y - x)
        np.testing.assert_array_equal((a - a).numpy(), x - x)
        np.testing.assert_array_equal((a - 2).numpy(), x - 2)
        np.testing.assert_array_equal((2 - a).numpy(), 2 - x)
        np.testing.assert_array_equal(((a - b) - (b - a)).numpy(), (x - y) - (y - x))
        np.testing.assert_array_equal(((a - b) - (a - b)).numpy(), 0 * x)


def test_shared_steps_and_several_results():
    x = np.array([1.0, 2.0, 4.0], np.float32)
    for k in range(1, 4):
        a = zs.asarray(x * k)
        d = a - a.mean()
        low, high, square = zs.compute(d.min(), d.max(), d * d)
        e = x * k - (x * k).mean()
        np.testing.assert_allclose([float(low), float(high)], [e.min(), e.max()], rtol=1e-6)
        np.testing.assert_allclose(square.numpy(), e * e, rtol=1e-6)


def test_results_that_were_read_are_operands():
    x = np.array([1.0, 2.0], np.float32)
    for _ in range(2):
        a = zs.asarray(x)
        b = a * 2
        c = b + 1
        assert b.numpy().tolist() == [2, 4]
        # `c` was made of `b` before that was read, `d` after it.
        d = b + 1
        assert c.numpy().tolist() == d.numpy().tolist() == [3, 5]


def test_gradients_beside_plans():
    for k in [1.0, 2.0]:
        a = zs.asarray(np.array([1.0, 3.0], np.float32) * np.float32(k))
        loss = (a * a * k).sum()
        by = zs.gradient(loss, a)
        value, slope = zs.compute(loss, by)
        assert float(value) == pytest.approx(10 * k**3)
        np.testing.assert_allclose((slope + 0).numpy(), 2 * k * a.numpy(), rtol=1e-6)


def test_more_plans_and_formulas_than_are_kept():
    x = np.arange(600, dtype=np.float32)
    a = zs.asarray(x)
    for n in [*range(1, 600, 2), 1, 3]:
        assert float(a[:n].sum()) == x[:n].sum()
    gc.collect()
    assert float((a * 2).sum()) == 2 * x.sum()


def test_long_chains():
    a = total = zs.asarray(np.ones(4, np.float32))
    for _ in range(1000):
        total = total + a
    assert total.numpy().tolist() == [1001] * 4
    # Each step doubles how often the first one occurs.
    for _ in range(20):
        a = a + a
    assert a.numpy().tolist() == [2**20] * 4
