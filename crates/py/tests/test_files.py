"""Arrays of files: tables, safetensors, .npy and .npz, raw elements."""

import errno
import json
import struct

import ml_dtypes
import numpy as np
import pytest

import zerostride as zs

PEOPLE = "name,height,weight\nAda,1.5,60\nAlan,2,72\n"


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def loads(found, wanted):
    assert isinstance(found, zs.Array)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.numpy(), wanted)


def test_columns_of_tables(people):
    loads(zs.load(f"{people}:height"), np.array([1.5, 2.0]))
    loads(zs.load(f"{people}:weight,height:f32"), np.array([[60, 1.5], [72, 2]], np.float32))
    loads(zs.load(f"{people}:!name"), np.array([[1.5, 60], [2, 72]]))
    loads(zs.load(f"{people}:-1"), np.array([60, 72], np.int64))
    bmi = zs.load(f"{people}:weight") / zs.load(f"{people}:height") ** 2
    np.testing.assert_array_equal(bmi.numpy(), [60 / 1.5**2, 72 / 2.0**2])


def test_how_tables_are_written(tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("# a b\n1 2\n3 4\n")
    loads(zs.load(path), np.array([[1, 2], [3, 4]], np.int64))
    path = tmp_path / "table.csv"
    path.write_text("1;2\n;4\n")
    loads(zs.load(path, delimiter=";", empty_as_nan=True), np.array([[1, 2], [np.nan, 4]]))
    path.write_text("2021,2022\n1,2\n")
    loads(zs.load(path, header=True), np.array([[1, 2]], np.int64))
    loads(zs.load(path, header=False), np.array([[2021, 2022], [1, 2]], np.int64))


def test_arrays_of_numpy(tmp_path):
    x = np.arange(6, dtype=np.float64).reshape(2, 3)
    np.save(tmp_path / "x.npy", x.T)
    loads(zs.load(tmp_path / "x.npy"), x.T)
    loads(zs.load(tmp_path / "x.npy", f64_as=np.float32), x.T.astype(np.float32))
    loads(zs.load(tmp_path / "x.npy", f64_as="bfloat16"), x.T.astype(ml_dtypes.bfloat16))
    np.savez(tmp_path / "x.npz", a=x, b=x[0] > 1)
    loads(zs.load(f"{tmp_path}/x.npz:b"), x[0] > 1)


def test_a_path_is_a_file_whatever_it_holds(tmp_path):
    x = np.arange(3.0)
    for name in ["[x].npy", "a=b.npy", "t.csv:0.npy", "-.npy", "x.npy:f32[3].npy"]:
        np.save(tmp_path / name, x)
        loads(zs.load(tmp_path / name), x)
    table = tmp_path / "a:b.csv"
    table.write_text("1,2\n")
    loads(zs.load(table), np.array([[1, 2]]))


def test_a_file_whose_parts_are_missing_is_refused(tmp_path):
    x = np.arange(4096.0)
    out = tmp_path / "y.npy"
    assert zs.stream("x * 2", out, part=(0, 2)) is None
    with pytest.raises(ValueError, match="part 2 is missing of 2 parts"):
        zs.load(out)
    with pytest.raises(ValueError, match="part 2 is missing of 2 parts"):
        zs.stream("y + 1", tmp_path / "z.npy", {"y": out})
    zs.stream("x * 2", out, part=(1, 2))
    loads(zs.load(out), x * 2)


def test_tensors_of_safetensors_and_raw_elements(tmp_path):
    w, b = np.arange(6, dtype=np.float16).reshape(2, 3), np.array([7, -1], np.int32)
    head = {
        "b": {"dtype": "I32", "shape": [2], "data_offsets": [12, 20]},
        "w": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]},
    }
    text = json.dumps(head).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + w.tobytes() + b.tobytes())
    loads(zs.load(f"{path}:w"), w)
    loads(zs.load(f"{path}:b"), b)
    with pytest.raises(ValueError, match="its tensors are b, w"):
        zs.load(path)
    for shape, size in [([2**61 - 1], 2**61 - 1), ([2**63, 0], 0)]:
        ends = [min(size * n, 2**64 - 1) for n in range(9)]
        tensors = {f"t{n}": {"dtype": "U8", "shape": shape, "data_offsets": [a, b]} for n, (a, b) in enumerate(zip(ends, ends[1:], strict=False))}
        text = json.dumps(tensors).encode()
        (tmp_path / "hostile.safetensors").write_bytes(struct.pack("<Q", len(text)) + text)
        with pytest.raises(ValueError, match="hostile.safetensors"):
            zs.load(f"{tmp_path}/hostile.safetensors:t0")
    (tmp_path / "x.bin").write_bytes(w.tobytes())
    loads(zs.load(f"{tmp_path}/x.bin:f16[2,3]"), w)


def test_errors_say_what_to_write(people, tmp_path):
    for source, options, error, words in [
        (f"{tmp_path}/none.npy", {}, FileNotFoundError, "none.npy"),
        (f"{tmp_path}/none.csv", {}, FileNotFoundError, "none.csv"),
        (people, {}, ValueError, "line 2, column 1: `Ada` is no number"),
        (f"{people}:age", {}, ValueError, "no column `age`; its columns are name, height, weight"),
        (people, {"delimiter": "ab"}, ValueError, "delimiter: write one character"),
        (people, {"header": False}, ValueError, "line 1, column 1: `name` is no number"),
        (f"{tmp_path}/x.parquet", {}, ValueError, ".parquet files are not supported"),
        (f"{tmp_path}/x.bin", {}, ValueError, "as in FILE.raw:f32"),
    ]:
        with pytest.raises(error, match=words.replace("[", "\\[")):
            zs.load(source, **options)
    with pytest.raises(FileNotFoundError) as found:
        zs.load(f"{tmp_path}/none.npy")
    assert found.value.errno == errno.ENOENT
    assert found.value.filename == f"{tmp_path}/none.npy"
    for source in ["", "-", "[1, 2]", "/dev/stdin"]:
        with pytest.raises(ValueError, match="not a file|name of the file"):
            zs.load(source)
    with pytest.raises(ValueError, match="are for tables"):
        zs.load(f"{tmp_path}/none.npy", header=True)
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("1,2\n,4\n")
    with pytest.raises(ValueError, match="empty_as_nan=True reads NaN"):
        zs.load(gaps)
    with pytest.raises(TypeError, match="complex"):
        zs.load(gaps, f64_as=complex)
    with pytest.raises(TypeError):
        zs.load(gaps, dtype="f4")
