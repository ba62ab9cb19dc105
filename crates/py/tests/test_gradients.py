"""Gradients of what was read or computed on the way, and what that keeps in memory."""

import gc
import itertools
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
    # Through h too, as if it was not read.
    np.testing.assert_array_equal(by_w.numpy(), 8 * W + 1)


ARRAYS = ["h", "k", "loss"]
READ = [set(some) for n in range(4) for some in itertools.combinations(ARRAYS, n)]


@pytest.mark.parametrize("by", ["x", "h", "k", "xh", "hx", "xk", "kx", "hk", "xhk", "khx"])
@pytest.mark.parametrize("late", [False, True])
def test_reading_changes_no_gradient(by, late):
    def gradients(read):
        x = zs.asarray(W)
        made = {"x": x}

        def seen(name, array):
            made[name] = array
            if name in read and not late:
                array.compute()
            return array

        h = seen("h", x * x)
        k = seen("k", h * h + x)
        seen("loss", (k * h + k + x).sum())
        for name in read:
            made[name].compute()
        return [g.numpy() for g in zs.gradient(made["loss"], [made[name] for name in by])]

    unread = gradients(set())
    for read in READ:
        for found, wanted in zip(gradients(read), unread, strict=True):
            np.testing.assert_array_equal(found, wanted, str(read))


def test_results_of_fused_functions_have_gradients():
    x, w = zs.asarray(W), zs.asarray(np.float32([5, 7, 9]))
    square = zs.fuse(lambda a: a * a)
    np.testing.assert_array_equal(zs.gradient((square(x) * x).sum(), x).numpy(), 3 * W**2)
    # Views, and arrays that the function has.
    scaled = zs.fuse(lambda a: a * w)
    loss = (scaled(x[::-1]) * x).sum()
    by_x, by_w = zs.gradient(loss, [x, w])
    flipped = w.numpy()
    np.testing.assert_array_equal(by_x.numpy(), (flipped * W[::-1]) + (flipped * W)[::-1])
    np.testing.assert_array_equal(by_w.numpy(), W * W[::-1])


def test_gradients_that_a_fused_function_takes_have_gradients():
    x = zs.asarray(W)
    slope = zs.fuse(lambda a: zs.gradient((a * a * a).sum(), a))
    np.testing.assert_array_equal(zs.gradient(slope(x).sum(), x).numpy(), 6 * W)
    np.testing.assert_array_equal(zs.gradient(slope(x * 2).sum(), x).numpy(), 24 * W)


def test_what_was_computed_long_ago_is_known_by_its_step():
    x = zs.asarray(W)
    y = x * 2
    a = (y * y).sum()
    y.compute()
    kept = [(x + float(i)).compute() for i in range(400)]
    b = a + y.sum()
    np.testing.assert_array_equal(zs.gradient(b, y).numpy(), 4 * W + 1)
    with pytest.raises(ValueError, match="no longer known"):
        zs.gradient(b, [x, y])
    assert len(kept) == 400


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


@pytest.mark.parametrize("read", ["h", "h late", "h and slope", "w", "all"])
def test_gradients_of_gradients_by_what_was_computed_go_on_below_it(read):
    w = zs.asarray(W) + 0
    if read in ("w", "all"):
        w.compute()
    h = w * 2
    if read not in ("w", "h late"):
        h.compute()
    cubes = (h * h * h).sum()
    if read == "h late":
        h.compute()
    slope = zs.gradient(cubes, h)
    if read in ("h and slope", "all"):
        assert str(slope)
    # 3 (2w)^2, alone and beside what w is in itself.
    np.testing.assert_array_equal(zs.gradient(slope.sum(), w).numpy(), 24 * W)
    np.testing.assert_array_equal(zs.gradient((slope + w * w).sum(), w).numpy(), 26 * W)
    by_w, by_h = zs.gradient((slope * w).sum(), [w, h])
    np.testing.assert_array_equal(by_w.numpy(), 36 * W**2)
    np.testing.assert_array_equal(by_h.numpy(), 12 * W**2)
    # And of those once more.
    curve = zs.gradient((slope * slope).sum(), h)
    np.testing.assert_array_equal(zs.gradient(curve.sum(), w).numpy(), 108 * (2 * W) ** 2 * 2)


def test_operands_of_gradients_that_are_older_than_what_they_are_by():
    w = zs.asarray(W) + 0
    k = (w * 3).compute()
    kept = k + 1
    x = zs.asarray(W)
    slope = zs.gradient((x * x * kept).sum(), x)
    np.testing.assert_array_equal(zs.gradient((slope * slope).sum(), w).numpy(), 2 * 2 * W * (3 * W + 1) * 6 * W)
    # What is no longer known of it is an error.
    later = [(x + 1).compute() for _ in range(400)]
    with pytest.raises(ValueError, match="no longer known"):
        zs.gradient(slope.sum(), w)
    assert len(later) == 400


def test_an_array_that_was_updated_by_a_gradient_and_computed_is_a_number():
    w, b = zs.asarray(W), zs.asarray(np.float32([1, 1, 1]))
    w -= 0.1 * zs.gradient((w * b).sum(), w)
    w.compute()
    np.testing.assert_array_equal(zs.gradient((w * b).sum(), b).numpy(), w.numpy())


def test_what_is_no_part_is_refused():
    w = zs.asarray(W)
    loss = (w * w).sum()
    with pytest.raises(ValueError, match="the differentiated array does not depend on array 1"):
        zs.gradient(loss, [w, zs.asarray(W)])


def test_what_is_no_longer_known_is_an_error_and_no_wrong_number():
    w = zs.asarray(W)
    h = w * 2
    h.compute()
    kept = []
    for _ in range(400):
        kept.append((w + 1).compute())
    loss = (h * w).sum()
    with pytest.raises(ValueError, match="no longer known.*array 0"):
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


def test_batches_of_a_training_loop_are_not_kept():
    w = zs.asarray(np.zeros(10, np.float32))
    before = None
    for n in range(60):
        # 4 MiB each.
        x = zs.asarray(np.full((1 << 17, 8), n / 100, np.float32))
        loss = ((x @ w[:8] - 1) ** 2).mean()
        w = w - 0.001 * zs.gradient(loss, w)
        w.compute()
        assert float(w.numpy()[0]) < 1
        del x, loss
        if n == 25:
            gc.collect()
            before = resident()
    assert resident() - before < 32 << 20


def test_many_small_operands_are_counted():
    results, before = [], None
    for n in range(200):
        parts = [zs.asarray(np.full(15_000, n + i, np.float32)) for i in range(20)]
        results.append(sum((p.sum() for p in parts), zs.asarray(np.float32(0))))
        results[-1].compute()
        del parts
        if n == 80:
            gc.collect()
            before = resident()
    assert resident() - before < 40 << 20
