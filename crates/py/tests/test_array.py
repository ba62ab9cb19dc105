"""Arrays among NumPy, Python and processes."""

import copy
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import zerostride as zs

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_numpys_functions_stay_lazy():
    a = zs.asarray(X)
    lazy = np.exp(a) + 1
    assert isinstance(lazy, zs.Array) and not lazy.lazy.is_ready()
    np.testing.assert_allclose(lazy.numpy(), np.exp(X) + 1, rtol=1e-6)
    for found, wanted in [
        (np.sum(a, axis=0), X.sum(axis=0)),
        (np.add.reduce(a), X.sum(axis=0)),
        (np.concatenate([a, a], axis=1), np.concatenate([X, X], axis=1)),
        (np.where(a > 2, a, 0), np.where(X > 2, X, 0)),
        (X + a, X + X),
        (X @ a.T, X @ X.T),
        (np.float32(2) * a, 2 * X),
        (np.std(a, ddof=1), X.std(ddof=1)),
        (a.std(dtype=np.float64), X.std(dtype=np.float64)),
        (a.var(1, np.float64), X.var(1, np.float64)),
        (np.clip(a, 1, 3), X.clip(1, 3)),
        (np.reshape(a, (3, 2)), X.reshape(3, 2)),
        (np.mean(a, 1, keepdims=True), X.mean(1, keepdims=True)),
    ]:
        assert isinstance(found, zs.Array)
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-6)
    np.multiply(a, 2, out=(b := zs.asarray(X)))
    np.testing.assert_array_equal(b.numpy(), X * 2)
    with pytest.raises(TypeError):
        np.linalg.eig(a)


def test_reads():
    a = zs.asarray(X)
    np.testing.assert_array_equal(np.asarray(a), X)
    np.testing.assert_array_equal(np.asarray(a, dtype=np.int16), X.astype(np.int16))
    np.testing.assert_array_equal(np.from_dlpack(a), X)
    np.testing.assert_array_equal(np.asarray(memoryview(a)), X)
    np.testing.assert_array_equal(zs.from_dlpack(X).numpy(), X)
    assert a.tolist() == X.tolist() and float(a[1, 2]) == 5 and [10, 20][zs.asarray(1)] == 20
    assert repr(a[0]) == "Array([0., 1., 2.], dtype=float32)" and str(a[0]) == "[0. 1. 2.]"
    assert f"{a.sum():.1f}" == "15.0" and 3.0 in a and len(a) == 2 and [float(r.sum()) for r in a] == [3, 12]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a)
    assert np.asarray(a.astype("bfloat16")).dtype.name == "bfloat16"
    with pytest.raises(ValueError):
        a.__array__(copy=False)
    with pytest.raises(TypeError):
        hash(a)


def test_copies_and_pickles():
    a = zs.asarray(X) + 1
    for other in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), zs.asarray(a, copy=True)):
        other[0, 0] = 9
        assert float(a[0, 0]) == 1 and float(other[0, 0]) == 9


def test_operators_that_replace():
    a = zs.asarray(X)
    same = a
    a += 1
    a *= zs.asarray([2.0, 2.0, 2.0])
    assert same is a
    np.testing.assert_array_equal(a.numpy(), (X + 1) * 2)
    whole = zs.asarray([1, 2])
    with pytest.raises(TypeError, match="float32.*int64"):
        whole /= 2
    with pytest.raises(ValueError, match="shape"):
        whole += zs.ones((2, 2), dtype=zs.int64)
    assert whole.tolist() == [1, 2]


def test_elements_are_set_with_masks_and_arrays():
    a = zs.zeros((4,))
    b = a + 1
    a[np.array([True, False, True, False])] = 5
    a[zs.asarray([1])] = 7
    a[-1:] = zs.asarray([3.0])
    assert a.tolist() == [5, 7, 5, 3] and b.tolist() == [1, 1, 1, 1]
    assert (a + b).tolist() == [6, 8, 6, 4]


@pytest.mark.parametrize(
    ("do", "kind", "says"),
    [
        (lambda a: a[5], IndexError, "out of range"),
        (lambda a: a[0, 0, 0], IndexError, "3 indices for 2"),
        (lambda a: a[..., ...], IndexError, "ellipsis"),
        (lambda a: a["x"], IndexError, "str"),
        (lambda a: a[[7]], IndexError, "out of range"),
        (lambda a: a.reshape(5), ValueError, "5"),
        (lambda a: a.sum(axis=3), IndexError, "axis"),
        (lambda a: a.sum(axis=(0, 0)), ValueError, "twice"),
        (lambda a: a + zs.zeros((4,)), ValueError, r"\[2, 3\].*\[4\]"),
        (lambda a: a @ a, ValueError, "3"),
        (lambda a: a + 1j, TypeError, "complex"),
        (lambda a: a << 1, TypeError, "f32"),
        (lambda a: a + "x", TypeError, "str"),
        (lambda a: zs.asarray([[1], [1, 2]]), ValueError, "array"),
        (lambda a: zs.asarray(["x"]), TypeError, "not supported"),
        (lambda a: zs.asarray([object()]), TypeError, "not supported"),
        (lambda a: zs.zeros((2, -1)), ValueError, "negative"),
        (lambda a: zs.max(zs.zeros((0,))), ValueError, "max"),
        (lambda a: a.astype("U3"), TypeError, "not supported"),
        (lambda a: zs.asarray(X, device="cuda"), ValueError, "one device"),
    ],
)
def test_what_is_wrong_is_said(do, kind, says):
    with pytest.raises(kind, match=says):
        do(zs.asarray(X))


def _in_child(queue):
    try:
        zs.asarray([1.0]).numpy()
        queue.put("no error")
    except zs.Error as error:
        queue.put(str(error))


def _fresh(queue):
    queue.put(zs.asarray([1.0, 2.0]).sum().item())


def test_a_fork_is_refused_and_a_spawn_works():
    zs.asarray([1.0]).numpy()
    for method, target, wanted in (("fork", _in_child, "forked"), ("spawn", _fresh, 3.0)):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=target, args=(queue,))
        process.start()
        found = queue.get(timeout=60)
        process.join(60)
        assert process.exitcode == 0
        assert found == wanted or wanted in found


def test_a_child_that_is_forked_first_has_a_context_of_its_own():
    code = (
        "import os, sys, zerostride as zs\n"
        "pid = os.fork()\n"
        "total = zs.asarray([1.0, 2.0]).sum().item()\n"
        "if pid == 0: os._exit(0 if total == 3 else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0


def test_ctrl_c_interrupts_a_wait():
    code = (
        "import numpy as np, zerostride as zs\n"
        "x = np.ones((3000, 3000), np.float32)\n"
        "zs.evaluate('x + 1')\n"
        "print('ready', flush=True)\n"
        "while True: zs.evaluate('x @ x')\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="Linux says what is loaded")
def test_no_library_of_a_driver_is_loaded_before_the_first_array():
    code = "import zerostride as zs, re\nprint(re.findall('vulkan|EGL|libGL', open('/proc/self/maps').read()))"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert child.stdout.strip() == "[]", child.stdout + child.stderr


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"ZEROSTRIDE_ADAPTER": "no such adapter"}, "no such adapter"),
        (
            {"VK_DRIVER_FILES": "/nonexistent", "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent"},
            "none was found; install a Vulkan driver.*mesa-vulkan-drivers",
        ),
    ],
)
def test_without_an_adapter_the_error_says_what_to_install(environment, says):
    code = "import zerostride as zs\nzs.asarray([1.0])"
    child = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, timeout=60
    )
    assert child.returncode == 1 and "zerostride.Error" in child.stderr
    assert re.search(says, child.stderr), child.stderr


def test_whole_numbers_of_lists_are_exact():
    large = [2**63 + 1, 1, 2**64 - 1]
    assert zs.asarray(large, dtype=zs.uint64).tolist() == large
    with pytest.raises(OverflowError):
        zs.asarray([300], dtype=zs.uint8)


def test_masks_without_elements():
    a = zs.ones((3, 1))
    for shape in [(0, 1), (3, 0), (0, 0)]:
        mask = np.zeros(shape, bool)
        assert a[mask].shape == np.ones((3, 1))[mask].shape


def test_a_notebook_shows_the_first_rows():
    shown = zs.asarray(np.arange(12, dtype=np.float32).reshape(3, 4))._repr_html_()
    assert "3 x 4, float32" in shown and zs.device().name in shown
    assert shown.count("<tr>") == 3 and "<td>11.0</td>" in shown and "…" not in shown
    shown = zs.zeros((2, 100, 9))._repr_html_()
    assert "the first of 2 matrices" in shown and shown.count("<tr>") == 9 and shown.count("…") == 9
    for shape in [(), (0,), (3, 0), (0, 2, 2), (1,)]:
        assert "<table>" in zs.zeros(shape)._repr_html_()
