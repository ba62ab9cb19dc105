"""Texts over NumPy arrays, and functions as one expression."""

import pickle
import threading

import ml_dtypes
import numpy as np
import pytest

import zerostride as zs

outer_name = np.float32([10, 20])


def test_names_are_the_callers():
    x = np.float32([1, 2])
    np.testing.assert_array_equal(zs.evaluate("x + outer_name"), [11, 22])
    np.testing.assert_array_equal(zs.evaluate("x + y", {"x": x, "y": x}), [2, 4])
    np.testing.assert_array_equal(zs.evaluate("x + y", {"x": x}, {"y": x}), [2, 4])


def test_every_numpy_layout_comes_in_as_it_lies():
    base = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    views = {
        "transposed": base.T,
        "reversed": base[::-1, :, ::-2],
        "fortran": np.asfortranarray(base),
        "broadcast": np.broadcast_to(base[0, 0], (7, 4, 5)),
        "column": base[:, 1:2, :, 3],
        "sparse": np.arange(4000, dtype=np.int64)[::400],
        "empty": base[:0],
        "scalar": base[0, 0, 0, 0],
        "diagonal": np.diagonal(base, axis1=2, axis2=3),
    }
    for name, view in views.items():
        found = zs.evaluate("x * 2 + 1", {"x": view})
        np.testing.assert_array_equal(found, view * 2 + 1, err_msg=name)
        assert found.dtype == view.dtype, name
        np.testing.assert_array_equal(zs.asarray(view).numpy(), view, err_msg=name)


@pytest.mark.parametrize("code", "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 bfloat16".split())
def test_every_type_goes_there_and_back(code):
    dtype = np.dtype(ml_dtypes.bfloat16 if code == "bfloat16" else code)
    x = np.arange(-3, 5).astype(dtype)
    assert zs.evaluate("x").dtype == dtype
    np.testing.assert_array_equal(zs.evaluate("x[::-1]"), x[::-1])
    np.testing.assert_array_equal(zs.asarray(x).numpy(), x)


def test_bytes_of_another_order_and_records():
    x = np.arange(5, dtype=">i4")
    np.testing.assert_array_equal(zs.evaluate("x + 1"), x + 1)
    record = np.zeros(4, [("a", "u1"), ("b", "f4")])
    record["b"] = [1, 2, 3, 4]
    b = record["b"]
    np.testing.assert_array_equal(zs.evaluate("b * 2"), b * 2)


def test_out_order_and_casting():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = np.empty((2, 3), np.float64)
    assert zs.evaluate("x + 1", out=out) is out
    np.testing.assert_array_equal(out, x + 1)
    assert zs.evaluate("x.T", order="F").flags.f_contiguous
    f = np.asfortranarray(x)
    assert zs.evaluate("f + f").flags.f_contiguous
    assert zs.evaluate("f + f", order="C").flags.c_contiguous
    untouched = np.full((3, 2), 7.0)
    with pytest.raises(ValueError, match=r"\(3, 2\).*\(2, 3\)"):
        zs.evaluate("x + 1", out=untouched)
    assert (untouched == 7).all()
    with pytest.raises(TypeError, match="safe"):
        zs.evaluate("x + 1", out=np.empty((2, 3), np.int8))
    zs.evaluate("x + 1", out=(whole := np.empty((2, 3), np.int8)), casting="unsafe")
    np.testing.assert_array_equal(whole, x + 1)
    # In place, and into memory that is not contiguous.
    zs.evaluate("x * 2", out=x)
    assert x[1, 2] == 10
    wide = np.zeros((2, 6), np.float32)
    zs.evaluate("x", out=wide[:, ::2])
    np.testing.assert_array_equal(wide[:, ::2], x)


def test_several_results_and_statements():
    x = np.float32([1, 2, 4])
    low, high = zs.evaluate("d = x - 1; d.min(), d.max()")
    assert (low, high) == (0, 3)


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("x + missing", ValueError, "missing"),
        ("x + ", ValueError, r"\^"),
        ("__import__('os').system('true')", ValueError, "__import__"),
        ("x.__class__", ValueError, "__class__"),
        ("(lambda: 0)()", ValueError, r"\^"),
        ("x.tofile('x.bin')", ValueError, "tofile"),
        ("x + y", ValueError, "3.*2|2.*3"),
        ("sum(x, axis=7)", ValueError, "axis"),
        ("x & 1", ValueError, "float|f32"),
        ("strings + 1", TypeError, "strings"),
        ("objects + 1", TypeError, "objects"),
        ("complexes + 1", TypeError, "complex"),
        ("ragged + 1", ValueError, "ragged"),
        (7, TypeError, "string"),
    ],
)
def test_what_is_wrong_is_said(text, kind, says):
    x, y = np.float32([1, 2, 3]), np.float32([1, 2])  # noqa: F841
    strings, objects = np.array(["a"]), np.array([object()])  # noqa: F841
    complexes, ragged = np.array([1j]), [[1], [2, 3]]  # noqa: F841
    with pytest.raises(kind, match=says):
        zs.evaluate(text)


def test_re_evaluate_is_of_the_thread():
    x = np.float32([1])  # noqa: F841
    zs.evaluate("x + 1")
    seen = []

    def other():
        try:
            zs.re_evaluate()
        except RuntimeError as error:
            seen.append(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "no expression was evaluated" in seen[0]
    assert zs.re_evaluate() == 2


def test_threads_evaluate_at_once():
    x = np.arange(1000, dtype=np.float32)
    failures = []

    def work(k):
        for _ in range(20):
            if not np.array_equal(zs.evaluate(f"x * {k}", {"x": x}), x * np.float32(k)):
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_compiled_texts_are_functions_and_pickle():
    score = pickle.loads(pickle.dumps(zs.compile("(x - m) / s")))
    x = np.float32([[1, 2], [3, 4]])
    np.testing.assert_array_equal(score(x, 1, s=2), (x - 1) / 2)
    assert isinstance(score(zs.asarray(x), 1, 2), zs.Array)
    np.testing.assert_array_equal(score(x[:0], 1, 2), x[:0])
    for wrong in (lambda: score(x), lambda: score(x, 1, 2, 3), lambda: score(x, 1, 2, s=2)):
        with pytest.raises(TypeError):
            wrong()


def test_what_is_used_twice_is_one_step():
    def powers(x):
        for _ in range(40):
            x = x * x / (x + 1)
        return x

    x = np.float32([0.5, 1, 2])
    wanted = powers(x)
    np.testing.assert_allclose(zs.fuse(powers)(x).numpy(), wanted, rtol=1e-4)
    lazy = zs.asarray(x)
    for _ in range(12):
        lazy = lazy * lazy
    assert "1 pass" in lazy.explain()
    np.testing.assert_allclose(powers(zs.asarray(x)).numpy(), wanted, rtol=1e-4)

    def endless(x):
        for _ in range(3000):
            x = x + 1
        return x

    with pytest.raises(ValueError, match="2048 steps"):
        zs.fuse(endless)(x)


def test_arguments_of_a_fused_function_are_themselves_whatever_they_were_first():
    def f(x, y):
        return x - 2 * y

    fused = zs.fuse(f)
    first, other = zs.asarray(np.float32([1, 2])), np.float32([5, 7])
    np.testing.assert_array_equal(fused(first, first).numpy(), [-1, -2])
    np.testing.assert_array_equal(fused(first, other).numpy(), [-9, -12])
    np.testing.assert_array_equal(fused(other, first).numpy(), [3, 3])

    # What a function holds is no argument, though it was one once.
    held = zs.fuse(lambda x: x + 10 * first)
    np.testing.assert_array_equal(held(first).numpy(), [11, 22])
    np.testing.assert_array_equal(held(other).numpy(), [15, 27])

    # A view of another argument, and one given twice by keyword.
    whole = zs.asarray(np.float32([[1, 2], [3, 4]]))
    add = zs.fuse(lambda x, *, y: x + 10 * y)
    np.testing.assert_array_equal(add(whole[0], y=whole[0]).numpy(), [11, 22])
    np.testing.assert_array_equal(add(whole[0], y=whole[1]).numpy(), [31, 42])


def test_arguments_that_are_only_equal_have_a_trace_each():
    x = np.array([1.0], np.float32)
    f = zs.fuse(lambda x, a: 1 / (x * a))
    assert f(x, 0.0)[0] == np.inf and f(x, -0.0)[0] == -np.inf and f(x, a=-0.0)[0] == -np.inf
    ints = np.array([3], np.int32)
    g = zs.fuse(lambda x, a: x * a[0])
    assert [g(ints, a).dtype for a in ((2,), (2.0,), (True,), [2.0])] == [np.int32, np.float32, np.int32, np.float32]
    assert float(g(ints, (2.5,))[0]) == 7.5 and float(g(ints, (np.float32(-0.0),))[0]) == 0


def test_arrays_that_leave_a_trace_are_refused():
    x = np.array([1.0, 2.0], np.float32)
    kept = []
    zs.fuse(lambda x: kept.append(x) or kept.append(x * 2) or x + 1)(x)
    uses = [
        lambda a: a.numpy(),
        lambda a: float(a[0]),
        lambda a: a + 1,
        lambda a: zs.evaluate("a + 1", {"a": a}),
        lambda a: zs.gradient(a.sum(), a),
        lambda a: zs.fuse(lambda b: b + a)(x),
        lambda a: zs.fuse(lambda b: b)(a),
        lambda a: zs.fuse(lambda b: a)(x),
        lambda a: zs.fuse(lambda b: zs.fuse(lambda c: c)(a))(x),
    ]
    for array in kept:
        for use in uses:
            with pytest.raises(TypeError, match="while a function was traced"):
                use(array)


def test_a_fused_function_keeps_so_many_traces():
    traced = []
    f = zs.fuse(lambda x, a: traced.append(a) or x * a)
    x = np.ones(1, np.float32)
    for number in range(300):
        assert f(x, number)[0] == number
    assert len(f.explain()) == 256 and len(traced) == 300
    nan = float("nan")
    for _ in range(3):
        f(x, nan)
    assert len(traced) == 301


def test_fused_functions_are_traced_once_for_each_kind():
    calls = []

    @zs.fuse
    def scores(x, k, *, shift=0.0):
        calls.append(x.shape)
        d = x - x.mean(axis=0) + shift
        return {"d": d * k, "both": (d.min(), d.max())}

    x = np.float32([[1, 2], [3, 6]])
    for _ in range(3):
        found = scores(x, 2, shift=1.0)
        np.testing.assert_array_equal(found["d"].numpy(), (x - x.mean(0) + 1) * 2)
        x = x + 1
    found = scores(x[::-1], 2, shift=1.0)
    np.testing.assert_array_equal(found["d"].numpy(), (x[::-1] - x.mean(0) + 1) * 2)
    assert float(found["both"][1]) == 3
    assert calls == [(2, 2)]
    scores(np.zeros((5, 2), np.float32), 2, shift=1.0)
    scores(x, 3, shift=1.0)
    assert len(calls) == 3


def test_a_traced_function_has_no_elements():
    @zs.fuse
    def by_value(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(TypeError, match="where"):
        by_value(np.float32([1]))
    # And nothing of it is left behind.
    assert float(zs.asarray(1.0) + 1) == 2


def test_long_chains_are_computed_on_the_way():
    x = zs.asarray(np.zeros(3, np.float32))
    for _ in range(1000):
        x = x + 1
    np.testing.assert_array_equal(x.numpy(), [1000, 1000, 1000])


def test_gradients():
    x, w = zs.asarray(np.float32([[1, 2], [3, 4]])), zs.asarray(np.float32([0.5, -1]))
    loss = ((x * w).sum(axis=1) ** 2).sum()
    by_x, by_w = zs.gradient(loss, [x, w])
    r = np.float32([1 * 0.5 - 2, 3 * 0.5 - 4])
    np.testing.assert_allclose(by_w.numpy(), 2 * r @ np.float32([[1, 2], [3, 4]]))
    np.testing.assert_allclose(by_x.numpy(), 2 * r[:, None] * np.float32([0.5, -1]))
    with pytest.raises(ValueError, match="does not depend"):
        zs.gradient(loss, zs.asarray([1.0]))
    loss.numpy()
    np.testing.assert_array_equal(zs.gradient(loss, x).numpy(), by_x.numpy())


def test_explain_shows_the_plan():
    x = np.ones((4, 3), np.float32)
    text = zs.explain("(x - x.mean(axis=0)) / x.std(axis=0)")
    assert "pass 0" in text and "<pre" in text._repr_html_()
    assert "pass 0" in zs.explain(zs.asarray(x) + 1)
