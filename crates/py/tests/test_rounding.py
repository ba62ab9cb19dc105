"""What is told of integers that become float32."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import zerostride as zs

T = np.array([1700000000123, 1700000059999])


def said(do):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        do()
    assert all(w.category is RuntimeWarning and w.filename == __file__ for w in found), found
    return [str(w.message).removeprefix("integers become f32, which holds whole numbers up to 2^24: ") for w in found]


@pytest.mark.parametrize(
    ("do", "says"),
    [
        (lambda t: zs.evaluate("t / 1000 - 1700000000"), "i64 in div at column 3"),
        (lambda t: zs.evaluate("u * f", {"u": t.astype(np.uint64), "f": np.float32(2)}), "u64 in mul at column 3"),
        (lambda t: zs.evaluate("t / k", {"t": t, "k": 7}), "i64 in div at column 3"),
        (lambda t: zs.evaluate("t.mean()"), "i64 in mean at column 3"),
        (lambda t: zs.evaluate("t.mean() > x.mean()", {"t": t, "x": np.float32([1])}), "i64 in mean at column 3"),
        (lambda t: zs.compile("sqrt(t)")(t), "i64 in sqrt at column 1"),
        (lambda t: zs.compile("sqrt(t)")(zs.asarray(t)), "i64 in sqrt at column 1"),
        (lambda t: zs.asarray(t) / 2, "i64 in div"),
        (lambda t: 2.5 - zs.asarray(t), "i64 in sub"),
        (lambda t: np.sqrt(zs.asarray(t)), "i64 in sqrt"),
        (lambda t: zs.asarray(t) * np.float32([1, 2]), "i64 in mul"),
        (lambda t: zs.asarray(t).mean(), "i64 in mean"),
        (lambda t: zs.asarray(t) @ np.float32([1, 2]), "i64 in matmul"),
        (lambda t: np.std(zs.asarray(t)), "i64 in std"),
        (lambda t: zs.concat([zs.asarray(t), zs.asarray([0.5])]), "i64 in concat"),
        (lambda t: zs.fuse(lambda x: x / 7)(t), "i64 in div"),
        (lambda t: zs.asarray(t.astype(np.int32)) / 3, "i32 in div"),
    ],
)
def test_who_makes_float32_of_integers_is_told(do, says):
    (message,) = said(lambda: do(T))
    assert message.startswith(says + "; use ZEROSTRIDE_FLOAT64=1"), message


@pytest.mark.parametrize(
    "do",
    [
        lambda t: zs.evaluate("t // 1000 + t % 7"),
        lambda t: zs.evaluate("t.astype(np.float64) / 2 + t.astype(f32)"),
        lambda t: zs.evaluate("t > 5"),
        lambda t: zs.evaluate("(t > 5).mean()"),
        lambda t: zs.evaluate("where(t > 5, b.mean(), 0)", {"t": t, "b": t.astype(np.int16)}),
        lambda t: zs.evaluate("t.astype(f32).mean() + b.std()", {"t": t, "b": t.astype(np.int16)}),
        lambda t: zs.evaluate("append(x, 5)", {"x": np.float32([1])}),
        lambda t: zs.evaluate("b / 3", {"b": t.astype(np.int16)}),
        lambda t: zs.asarray(t).astype(np.float64) / 2,
        lambda t: zs.asarray(t) * 2 + 1,
        lambda t: zs.asarray(t).sum() + zs.asarray(t).max(),
        lambda t: zs.asarray([1.0, 2.0]) / 3 + 2,
        lambda t: np.mean(zs.asarray([1.0, 2.0]), where=np.array([True, False])),
        lambda t: np.std(zs.asarray([1.0, 2.0]), where=np.array([True, True])),
        lambda t: [f(zs.asarray(t)) for f in (zs.isnan, zs.isinf, zs.isfinite, zs.signbit)],
        lambda t: zs.result_type(zs.int64, zs.float32),
        lambda t: zs.sort(zs.asarray(t)) + zs.take(zs.asarray(t), [0]),
        lambda t: zs.asarray([0.5, 1.5])[zs.asarray([1, 0])],
    ],
)
def test_who_makes_none_is_told_nothing(do):
    assert said(lambda: do(T)) == []


def test_each_place_is_told_once():
    code = (
        "import numpy as np, zerostride as zs\n"
        "t = np.array([1700000000123])\n"
        "a = zs.asarray(t)\n"
        "for _ in range(3):\n"
        "    a / 2\n"
        "    zs.evaluate('t / 2')\n"
        "a / 2\n"
        "f = zs.compile('t / 2')\n"
        "f(t); f(t)\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    places = [line.split(": ")[0] for line in child.stderr.splitlines() if "RuntimeWarning" in line]
    assert places == ["<string>:5", "<string>:6", "<string>:7", "<string>:9"], child.stderr


def test_a_stream_tells_it_too(tmp_path):
    np.save(tmp_path / "t.npy", T)
    (message,) = said(lambda: zs.stream("t / 2", tmp_path / "o.npy", {"t": tmp_path / "t.npy"}))
    assert message.startswith("i64 in div at column 3")


def test_as_an_error_it_comes_before_the_result():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            zs.evaluate("T / 2")
        with pytest.raises(RuntimeWarning):
            zs.asarray(T) / 2


def test_doubles_need_no_word():
    code = (
        "import numpy as np, zerostride as zs\n"
        "t = np.array([1700000000123])\n"
        "assert (zs.asarray(t) / 1000).item() == 1700000000.123\n"
        "zs.evaluate('t / 2'), zs.asarray(t).mean(), zs.asarray(t) * 0.5\n"
    )
    environment = os.environ | {"ZEROSTRIDE_FLOAT64": "1"}
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert (child.returncode, child.stderr) == (0, "")
