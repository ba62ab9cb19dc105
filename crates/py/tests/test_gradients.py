"""Gradients of what was read or computed on the way, and what that keeps in memory."""

import gc
import time

import numpy as np
import pytest

import zerostride as zs

W = np.float32([1, 2, 3])


def test_what_was_read_still_has_its_gradients():
    w = zs.asarray(W)
    loss = (w * w).sum()
    assert float(loss) == 14
    np.testing.assert_array_equal(zs.gradient(loss, w).numpy(), 2 * W)
    # Once more, and of what is made of it.
    np.testing.assert_array_equal(zs.gradient(loss * 3, w).numpy(), 6 * W)


def test_a_way_through_what_was_read_is_not_lost():
    w = zs.asarray(W)
    h = w * 2
    assert str(h)
    loss = (h * h + w).sum()
    assert float(loss) == 62
    np.testing.assert_array_equal(zs.gradient(loss, w).numpy(), 8 * W + 1)
    by_w, by_h = zs.gradient(loss, [w, h])
    np.testing.assert_array_equal(by_h.numpy(), 4 * W)
    np.testing.assert_array_equal(by_w.numpy(), np.ones(3))


def test_by_what_was_read_after_its_use():
    w = zs.asarray(W)
    h = w * 2
    loss = (h * h).sum()
    assert str(h)
    np.testing.assert_array_equal(zs.gradient(loss, h).numpy(), 4 * W)
    np.testing.assert_array_equal(zs.gradient(loss, w).numpy(), 8 * W)


def test_chains_that_are_computed_on_the_way_are_whole():
    a = total = zs.asarray(np.ones(4, np.float32))
    for _ in range(1000):
        total = total + a
    np.testing.assert_array_equal(zs.gradient(total.sum(), a).numpy(), [1001] * 4)


def test_gradients_of_gradients_that_were_read():
    w = zs.asarray(W)
    slope = zs.gradient((w * w * w).sum(), w)
    assert str(slope)
    penalty = (slope * slope).sum()
    assert float(penalty) == 882
    np.testing.assert_array_equal(zs.gradient(penalty, w).numpy(), 36 * W**3)


def test_an_array_that_was_updated_by_a_gradient_and_computed_is_a_number():
    w, b = zs.asarray(W), zs.asarray(np.float32([1, 1, 1]))
    w -= 0.1 * zs.gradient((w * b).sum(), w)
    w.compute()
    np.testing.assert_array_equal(zs.gradient((w * b).sum(), b).numpy(), w.numpy())


def test_what_is_no_part_is_refused():
    w = zs.asarray(W)
    loss = (w * w).sum()
    with pytest.raises(ValueError, match="array 1 is no part of what is differentiated"):
        zs.gradient(loss, [w, zs.asarray(W)])


def test_what_is_no_longer_known_is_an_error_and_no_wrong_number():
    w = zs.asarray(W)
    h = w * 2
    h.compute()
    kept = []
    for _ in range(400):
        kept.append((w + 1).compute())
    loss = (h * w).sum()
    with pytest.raises(ValueError, match="array 0.*no longer known"):
        zs.gradient(loss, w)
    # That another array is no part of it is known still.
    v = zs.asarray(W)
    np.testing.assert_array_equal(zs.gradient((h * v).sum(), v).numpy(), 2 * W)
    old = zs.asarray(W)
    x = zs.asarray(W) * 2
    x.compute()
    kept = [(w + 1).compute() for _ in range(400)]
    np.testing.assert_array_equal(zs.gradient((x * old).sum(), old).numpy(), 2 * W)
    # Neither of what was made after it, computed or not.
    new = zs.asarray(W) + 1
    np.testing.assert_array_equal(zs.gradient((x * new).sum(), new).numpy(), 2 * W)
    new.compute()
    np.testing.assert_array_equal(zs.gradient((x * new).sum(), new).numpy(), 2 * W)
    assert len(kept) == 400


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.parametrize("style", ["in place", "anew", "read"])
def test_a_training_loop_that_prints_each_loss_stays_flat(style):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3)).astype(np.float32)
    y = x @ np.float32([1, -2, 0.5])

    def loss_of(w):
        return ((zs.asarray(x) @ w - y) ** 2).mean()

    w = zs.asarray(np.zeros(3, np.float32))
    kept, times, sizes = [], [], []
    for step in range(1000):
        if step % 250 == 0:
            gc.collect()
            times.append(time.process_time())
            sizes.append(resident())
        loss = loss_of(w)
        assert f"{float(loss):.3g}"
        kept.append(loss)
        slope = zs.gradient(loss, w)
        if style == "in place":
            w -= 0.1 * slope
        else:
            w = w - 0.1 * slope
        if style == "read":
            assert str(w)
    np.testing.assert_allclose(w.numpy(), [1, -2, 0.5], atol=1e-5)
    first, last = times[2] - times[1], time.process_time() - times[3]
    assert last < 3 * first + 1, times
    assert resident() - sizes[2] < 32 << 20, sizes


def test_operands_of_computed_arrays_are_not_kept_without_bound():
    # 8 MiB each: what is computed of them, one after the other, would keep 320 MiB.
    results = []
    before = None
    for n in range(40):
        x = zs.asarray(np.full(1 << 21, n, np.float32))
        results.append(x.sum())
        assert float(results[-1]) == n << 21
        del x
        if n == 15:
            gc.collect()
            before = resident()
    assert resident() - before < 40 << 20
