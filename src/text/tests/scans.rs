//! Cumulative sums and products, as NumPy has them.

use super::*;
use DType::*;

#[test]
fn scans_have_numpys_values_types_and_shapes() {
    let all = &[1.0, 3.0, 6.0, 10.0, 15.0, 21.0];
    let rows = &[1.0, 3.0, 6.0, 4.0, 9.0, 15.0];
    check(&[
        Case("np.cumsum(x)", F32, &[6], all),
        Case("x.cumsum()", F32, &[6], all),
        Case("cumsum(x, axis=None)", F32, &[6], all),
        Case("cumsum(x, 1)", F32, &[2, 3], rows),
        Case("x.cumsum(axis=-1)", F32, &[2, 3], rows),
        Case("numpy.cumsum(x, axis=1, out=None)", F32, &[2, 3], rows),
        Case("x.cumsum(0)", F32, &[2, 3], &[1.0, 2.0, 3.0, 5.0, 7.0, 9.0]),
        Case(
            "x.cumprod(1)",
            F32,
            &[2, 3],
            &[1.0, 2.0, 6.0, 4.0, 20.0, 120.0],
        ),
        Case("np.cumprod(i)", I64, &[3], &[-7.0, -14.0, -126.0]),
        Case("i.cumsum()", I64, &[3], &[-7.0, -5.0, 4.0]),
        Case("cumsum(u)", U64, &[2], &[200.0, 300.0]),
        Case("cumsum(b)", I64, &[3], &[1.0, 1.0, 2.0]),
        Case("cumprod(b)", I64, &[3], &[1.0, 0.0, 0.0]),
        Case("cumsum(h)", F16, &[2], &[1.0, -1.0]),
        Case("cumsum(d)", F64, &[3], &[0.5, 2.0, 6.0]),
        Case("cumsum(s)", F32, &[1], &[2.0]),
        Case("t.cumsum(1).max()", I64, &[], &[7.0]),
        Case("cumsum(x.T, 0).T", F32, &[2, 3], rows),
        Case("(x * 2).cumsum(axis=1) / 2", F32, &[2, 3], rows),
        Case("cumsum(i, dtype=i32)", I32, &[3], &[-7.0, -5.0, 4.0]),
        Case("np.cumsum(u, dtype=np.uint8)", U8, &[2], &[200.0, 44.0]),
        Case("x.cumsum(1, 'float64')", F64, &[2, 3], rows),
        Case("x.cumsum(dtype=f64)", F64, &[6], all),
        Case(
            "nancumsum(n, 1)",
            F32,
            &[2, 3],
            &[1.0, 1.0, 4.0, 0.0, 0.0, 0.0],
        ),
        Case(
            "np.nancumsum(n)",
            F32,
            &[6],
            &[1.0, 1.0, 4.0, 4.0, 4.0, 4.0],
        ),
        Case(
            "nancumprod(n * 3, 0)",
            F32,
            &[2, 3],
            &[3.0, 1.0, 9.0, 3.0, 1.0, 9.0],
        ),
        Case("x[:0].cumsum(1)", F32, &[0, 3], &[]),
        Case("cumsum(x[:, :0])", F32, &[0], &[]),
    ]);
}

#[test]
fn errors_of_scans_point_at_their_cause() {
    let cases = [
        ("x.cumsum(2)", 3, "axis 2"),
        ("1 + cumsum(x, axis=-3)", 5, "cumsum: axis -3"),
        ("s.cumprod(0)", 3, "a scalar has no axes"),
        (
            "x.cumsum((0, 1))",
            10,
            "cumsum takes one axis, or None for all",
        ),
        ("cumsum(x, axis=(0,))", 16, "takes one axis"),
        ("cumsum(x, 0, 1)", 14, "takes one axis"),
        ("argmax(x, 0, 1)", 14, "takes one axis"),
        ("cumsum(x, row)", 11, "or None for all elements as one axis"),
        ("cumsum(x, axis=0.5)", 16, "a whole number"),
        (
            "x.cumsum(0, keepdims=True)",
            13,
            "it takes axis= and dtype=",
        ),
        ("x.cumsum(0, out=x)", 13, "it returns one new array"),
        ("cumsum(3)", 1, "a number has no axis to scan"),
        ("cumprod(2 * 3, dtype=f32)", 1, "a number has no axis"),
        ("x - x.cumsum()", 3, "axis 1 has extents 3 and 6"),
        ("cumsum()", 8, ""),
    ];
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|(source, column, words)| axes::refusal(source, *column, &[words]))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
