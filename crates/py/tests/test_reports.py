"""Public reports of bugs in other libraries, as cases: what is right there is right here, or refused."""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import zerostride as zs
import zerostride.numexpr as ne

CASES = [json.loads(line) for line in Path(__file__).with_name("reports.jsonl").read_text().splitlines()]
DTYPES = {"bool": np.bool_, "bf16": ml_dtypes.bfloat16, **{f"{k}{n}": np.dtype(f"{k}{n // 8}") for k in "iu" for n in (8, 16, 32, 64)}}
DTYPES |= {f"f{n}": np.dtype(f"f{n // 8}") for n in (16, 32, 64)}


def names(**others):
    """What the code of a case may name."""

    def gradient(f, x):
        return np.asarray(zs.gradient(f(x), x))

    def array(values, dtype="f4"):
        return zs.asarray(np.array(values, dtype=dtype))

    return {"np": np, "numpy": np, "zs": zs, "ne": ne, "ml_dtypes": ml_dtypes, "inf": np.inf, "nan": np.nan} | {
        "f4": np.float32,
        "A": array,
        "G": gradient,
        **others,
    }


def array_of(given, known):
    """The array that a case describes: by code, by the bits of its elements, or by values."""
    if "literal" in given:
        return float(given["literal"])
    if "dtype" not in given:
        return np.asarray(eval(given["python"], names(**known)))
    dtype = np.dtype(DTYPES[given["dtype"]])
    if "python" in given:
        return np.asarray(eval(given["python"], names(dtype=dtype, **known))).astype(dtype).reshape(given["shape"])
    if "bits" in given:
        bits = [int(word, 16) for word in np.array(given["bits"], dtype=object).ravel()]
        return np.array(bits, dtype=f"u{dtype.itemsize}").view(dtype).reshape(given["shape"])
    return np.array(given["values"], dtype=dtype).reshape(given["shape"])


def places(x):
    """Numbers in the order of floats, neighbours one apart; a NaN is beyond all."""
    bits = np.atleast_1d(x).view(f"i{x.dtype.itemsize}").astype(object)
    ordered = np.where(bits < 0, -(bits & ((1 << (8 * x.dtype.itemsize - 1)) - 1)), bits)
    return np.where(np.isnan(np.atleast_1d(x).astype(float)), 1 << 70, ordered)


def check(found, wanted, tolerance):
    found = np.asarray(found)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if tolerance == "exact" and found.dtype == ml_dtypes.bfloat16:
        # Of which NumPy's tests do not know that a NaN is one.
        found, wanted = found.astype(np.float32), wanted.astype(np.float32)
    if tolerance.startswith(("rel", "abs")):
        far = {"rtol": float(tolerance[3:]), "atol": 0} if tolerance.startswith("rel") else {"rtol": 0, "atol": float(tolerance[3:])}
        np.testing.assert_allclose(found.astype(float), wanted.astype(float), **far)
    elif tolerance.startswith("ulp"):
        assert max(abs(places(found) - places(wanted)).ravel(), default=0) <= int(tolerance[3:]), (found, wanted)
    elif tolerance == "bits":
        assert found.tobytes() == wanted.tobytes(), (found, wanted)
    else:
        np.testing.assert_array_equal(found, wanted)


def run(case):
    if "python" in case:
        space = names()
        exec(case["python"], space)
        return space["result"], {}
    inputs = {name: array_of(given, {}) for name, given in case["inputs"].items()}
    return zs.evaluate(case["expression"], inputs), inputs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_report_of_others_is_right_or_refused(case):
    if case.get("arguable") and "expect_error" in case:
        np.asarray(run(case)[0])
        return
    if "expect_error" in case:
        kind = getattr(__import__("builtins"), case["expect_error"])
        with pytest.raises(kind) as raised:
            np.asarray(run(case)[0])
        assert str(raised.value).strip()
        return
    if "refused" in case:
        with pytest.raises(TypeError, match=case["refused"]):
            run(case)
        return
    result, inputs = run(case)
    result = np.asarray(result)
    # Others differ in what is right; it must not fail.
    if not case.get("arguable"):
        check(result, array_of(case["expected"], inputs), case["tolerance"])
