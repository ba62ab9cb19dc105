"""Texts computed window by window into a file."""

import signal
import threading

import ml_dtypes
import numpy as np
import pytest

import zerostride as zs

#: Less than the arrays of these tests, so that there are several windows.
MEMORY = 256 << 10


@pytest.fixture
def x():
    return np.random.default_rng(5).standard_normal((4096, 64)).astype(np.float32)


def long(x):
    """A view of so many windows that they take a second."""
    return np.broadcast_to(x[:, None], (4096, 100, 64))


def test_files_maps_and_arrays_give_what_evaluate_gives(tmp_path, x):
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    row, k = x[7], 3
    wanted = zs.evaluate("x * row - k")
    for name, operand in {"path": tmp_path / "x.npy", "map": mapped, "array": x, "lazy": zs.asarray(x)}.items():
        given = {"x": operand, "row": row, "k": k}
        found = zs.stream("x * row - k", tmp_path / f"{name}.npy", given, memory=MEMORY)
        np.testing.assert_array_equal(found, wanted, err_msg=name)
        assert isinstance(found, np.memmap)


def test_reductions_of_what_does_not_fit(tmp_path, x):
    found = zs.stream("(x - x.mean(axis=0)) / x.std(axis=0)", tmp_path / "z.npy", memory=MEMORY)
    np.testing.assert_allclose(found, (x - x.mean(0)) / x.std(0), rtol=1e-4, atol=1e-5)
    total = zs.stream("x.sum()", tmp_path / "sum.npy", memory=MEMORY)
    np.testing.assert_allclose(total, x.sum(dtype=np.float64), rtol=1e-5, atol=1e-2)


def test_layouts_and_types(tmp_path):
    base = np.arange(60 * 70, dtype=np.int64).reshape(60, 70)
    for name, view in {
        "reversed": base[::-1],
        "step": base[::2, 1::3],
        "big-endian": base.astype(">i8"),
        "sparse": base.reshape(-1)[::400],
        "broadcast": np.broadcast_to(base[0], (9, 70)),
        "empty": base[:0],
        "scalar": base[0, 0],
        "bf16": base.astype(ml_dtypes.bfloat16),
        "bool": base > 100,
    }.items():
        found = zs.stream("x", tmp_path / f"{name}.npy", {"x": view})
        np.testing.assert_array_equal(found, view, err_msg=name)
        assert found.dtype == view.dtype.newbyteorder("="), name


def test_parts_make_one_file(tmp_path, x):
    out = tmp_path / "y.npy"
    assert zs.stream("exp(x)", out, part=(1, 2), memory=MEMORY) is None
    found = zs.stream("exp(x)", out, part=(0, 2), memory=MEMORY)
    np.testing.assert_array_equal(found, zs.evaluate("exp(x)"))


def test_progress_is_told(tmp_path, x):
    told = []
    zs.stream("x + 1", tmp_path / "y.npy", memory=MEMORY, progress=lambda done, steps: told.append((done, steps)))
    assert told[-1][0] == told[-1][1] > 1
    assert told == sorted(told)


def test_tqdm_shows_a_bar(tmp_path, x, monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto")
    made = []

    class Bar(tqdm.tqdm):
        def __init__(self, **given):
            super().__init__(**given | {"disable": False, "file": (tmp_path / "bar.txt").open("w")})
            made.append(self)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    zs.stream("x + 1", tmp_path / "y.npy", memory=MEMORY)
    (bar,) = made
    assert bar.n == bar.total > 1
    zs.stream("x + 1", tmp_path / "y.npy", memory=MEMORY, progress=False)
    assert made == [bar]


def test_what_fails_leaves_no_file(tmp_path, x):
    out = tmp_path / "y.npy"

    def failing(done, steps):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        zs.stream("x + 1", out, {"x": long(x)}, memory=MEMORY, progress=failing)
    for text, given, error, words in [
        ("x + y", {"x": x}, ValueError, "unknown name `y`"),
        ("x + y", {"x": x, "y": x[:5]}, ValueError, "4096"),
        ("x, x", {"x": x}, ValueError, "one result"),
        ("x + 1", {"x": tmp_path / "none.npy"}, FileNotFoundError, "none.npy"),
        ("x + 1", {"x": [[1], [2, 3]]}, ValueError, "x: "),
        ("x + 1", {"x": x.astype(complex)}, TypeError, "complex"),
        ("x +", {"x": x}, ValueError, "\\^"),
    ]:
        with pytest.raises(error, match=words):
            zs.stream(text, out, given)
    with pytest.raises(ValueError, match="memory"):
        zs.stream("x.T + 1", out, memory=1024)
    with pytest.raises(ValueError, match="part"):
        zs.stream("x + 1", out, part=(2, 2))
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_a_stream(tmp_path, x):
    def interrupt(done, steps):
        signal.raise_signal(signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(KeyboardInterrupt):
        zs.stream("x + 1", tmp_path / "y.npy", {"x": long(x)}, memory=MEMORY, progress=interrupt)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("memory", "wanted"),
    [("300000", 300000), ("300kB", 300000), ("1MiB", 1 << 20), ("4 gb", 4 * 10**9), (np.int64(7), 7), ("1g", 1 << 30), ("9b", 9), ("3Ki", 3072)],
)
def test_memory_is_said_in_bytes_or_with_a_unit(memory, wanted):
    from zerostride._stream import _bytes

    assert _bytes(memory) == wanted


def test_what_a_stream_refuses(tmp_path, x):
    for memory in ("much", "1XB", "-5MB", "GB", "1.5G", "1ib", "", -1, 0):
        with pytest.raises(ValueError, match="number of bytes"):
            zs.stream("x * 2", tmp_path / "y.npy", memory=memory)
    with pytest.raises(ValueError, match="ends with .npy"):
        zs.stream("x * 2", tmp_path / "y.txt")
    assert not list(tmp_path.iterdir())
