//! What `--verify` promises.

use super::*;
use zerostride::{DType, Limits, Rule, text};

fn f32s(values: &[f32]) -> HostTensor {
    let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    HostTensor::new(DType::F32, [values.len()], bytes).unwrap()
}

/// The reference's result.
fn right(source: &str, x: &HostTensor) -> HostTensor {
    reference::run(&bound(source), std::slice::from_ref(x)).unwrap()
}

fn bound(source: &str) -> Expr<usize> {
    text::parse(source)
        .unwrap()
        .bind(&["x"], &Rule::Numpy)
        .unwrap()
}

/// Verifies a result under these limits.
fn verified(source: &str, x: &HostTensor, found: &HostTensor, limits: Limits) -> Report {
    let (expr, inputs) = (bound(source), std::slice::from_ref(x));
    let options = Options::default().with_limits(limits.with_float64(true));
    let plan = Plan::new(&expr, &input::slots(inputs), &options).unwrap();
    let options = (Accuracy::Precise, Promotion::F32);
    verify(&expr, inputs, &plan, options, found).unwrap_or_else(|_| panic!("{source}"))
}

/// A number in the place of a result's first element.
fn replaced(mut found: HostTensor, change: impl Fn(u64) -> u64) -> HostTensor {
    let size = found.dtype.size();
    let first = place::bits(&found).next().unwrap();
    found.bytes[..size].copy_from_slice(&change(first).to_le_bytes()[..size]);
    found
}

/// Verifies the reference's own result with element 0 moved by some units in the last place.
fn moved(source: &str, x: &[f32], by: u64) -> Report {
    let x = f32s(x);
    let found = replaced(right(source, &x), |bits| bits + by);
    verified(source, &x, &found, Limits::WEBGPU)
}

#[test]
fn the_bound_is_that_of_the_steps() {
    for (source, within, beyond) in [
        ("x + 1", 0, 1),
        ("x * 3", 0, 1),
        ("x * 3 + x", 1, 4),
        ("x / 3", 0, 1),
        ("1 / x", 0, 1),
        ("sqrt(x)", 5, 6),
        ("exp(x)", 4, 5),
        ("exp(x / 3)", 4, 20),
        ("abs(-x)", 0, 1),
        ("floor(x)", 0, 1),
    ] {
        let x = [7.0, 2.0, 3.5, 1.25, 9.0];
        assert!(moved(source, &x, within).within(), "{source}");
        let report = moved(source, &x, beyond);
        assert_eq!(
            (report.within(), report.beyond, report.differ),
            (false, Some(1), 1),
            "{source}"
        );
        assert_eq!(report.first_beyond.unwrap().index, [0], "{source}");
    }
}

#[test]
fn cancellation_widens_the_bound() {
    assert!(moved("exp(x) - 1", &[1e-4], 2000).within());
    assert!(!moved("exp(x) - 1", &[1.0], 2000).within());
    assert!(!moved("x - 1", &[1.0001], 1).within());
}

#[test]
fn what_is_nan_or_infinite_must_be_so() {
    assert!(!moved("exp(x)", &[f32::NEG_INFINITY], 1).within());
    assert!(!moved("x / 0", &[1.0], 1).within());
    assert!(moved("log(x)", &[-1.0], 1).within());
    assert_eq!(moved("log(x)", &[-1.0], 1).differ, 0);
}

/// An array of some rows.
fn rows(count: usize, values: &[f32]) -> HostTensor {
    let HostTensor { dtype, bytes, .. } = f32s(values);
    HostTensor::new(dtype, [count, values.len() / count], bytes).unwrap()
}

#[test]
fn folds_of_exact_elements_have_no_bound_to_spare() {
    let x = [7.0, -2.0, 3.5, 1e8, 1.25, -1e8, 9.0];
    for (source, within, beyond) in [
        ("x.sum()", 0, 1),
        ("x.prod()", 0, 1),
        ("x.max()", 0, 1),
        ("x.min()", 0, 1),
        ("x.mean()", 0, 1),
        ("(x / 3).max()", 0, 1),
        ("sin(x).max()", 4, 5),
        ("(-x).max()", 0, 1),
        ("x.sum() + x", 0, 1),
        ("(x * x).sum()", 0, 1),
        ("x.cumsum()", 0, 1),
        ("x.cumprod() * x", 0, 1),
        ("x[::-1].cumsum()[::-1]", 0, 1),
        ("(x / 3).cumsum()", 0, 1),
        ("sin(x).cumsum()", 4, 5),
    ] {
        assert!(moved(source, &x, within).within(), "{source}");
        let report = moved(source, &x, beyond);
        let found = (report.within(), report.differ, report.unbounded);
        assert_eq!(found, (false, 1, 0), "{source}");
    }
}

#[test]
fn a_sum_in_another_order_is_beyond_the_bound() {
    let mut x = vec![1.0; 300];
    (x[0], x[256]) = (1e8, -1e8);
    let other = x.iter().copied().reduce(|a, b| a + b).unwrap();
    let x = f32s(&x);
    let found = right("x.sum()", &x);
    assert_ne!(found.bytes, other.to_le_bytes());
    let wrong = replaced(found, |_| u64::from(other.to_bits()));
    assert!(!verified("x.sum()", &x, &wrong, Limits::WEBGPU).within());
}

#[test]
fn what_is_wrong_in_one_element_is_found() {
    let values: Vec<f32> = (0..60).map(|i| ((i * 37) % 61) as f32 - 20.5).collect();
    let x = rows(6, &values);
    let hundredth = |bits: u64| u64::from((f32::from_bits(bits as u32) * 1.01).to_bits());
    let softmax =
        "exp(x - x.max(1, keepdims=True)) / exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)";
    for source in [
        "(x - x.mean(axis=0)) / x.std(axis=0)",
        "x.std(axis=1)",
        "x.var(axis=0)",
        "logsumexp(x, axis=1)",
        "np.linalg.norm(x, axis=0)",
        softmax,
    ] {
        let found = right(source, &x);
        assert!(verified(source, &x, &found, Limits::WEBGPU).within());
        let wrong = replaced(found, hundredth);
        let report = verified(source, &x, &wrong, Limits::WEBGPU);
        assert_eq!((report.beyond, report.unbounded), (Some(1), 0), "{source}");
    }
    for source in [
        "x.argmax(axis=1)",
        "x.argmin()",
        "any(x > 39, axis=0)",
        "all(x < 40)",
        "count_nonzero(x, axis=0)",
        "i32(x).sum(axis=1)",
        "u8(abs(x)).sum()",
        "i64(x).prod(axis=0)",
        "f64(x).sum(axis=0)",
        "f16(x).sum(axis=0)",
        "i32(x).cumsum(axis=1)",
        "u8(abs(x)).cumprod()",
        "f64(x).cumsum(axis=0)",
        "f16(x).cumsum(axis=0)",
    ] {
        let found = right(source, &x);
        assert!(verified(source, &x, &found, Limits::WEBGPU).within());
        let wrong = replaced(found, |bits| bits ^ 1);
        let report = verified(source, &x, &wrong, Limits::WEBGPU);
        assert_eq!((report.beyond, report.unbounded), (Some(1), 0), "{source}");
    }
}

#[test]
fn what_elements_may_be_is_carried_through_folds() {
    // Where a comparison may fall either way, so may what is counted of it.
    let source = "(exp(x) > 2.7182817).sum()";
    let one_off = |x: &[f32], by: u64| moved(source, x, by).within();
    assert!(one_off(&[1.0, 5.0, -5.0], 1) && !one_off(&[1.0, 5.0, -5.0], 2));
    assert!(!one_off(&[2.0, 5.0, -5.0], 1));
    // So may which is the largest, of which nothing is said then.
    let unbounded = |source: &str, x: &[f32]| moved(source, x, 1).unbounded;
    assert_eq!(unbounded("exp(x).argmax()", &[1.0, 2.0]), 1);
    assert_eq!(unbounded("x.argmax()", &[1.0, 2.0]), 0);
    // One truth decides.
    let flipped = |source: &str, x: &[f32]| {
        let x = f32s(x);
        let found = replaced(right(source, &x), |bits| bits ^ 1);
        verified(source, &x, &found, Limits::WEBGPU).within()
    };
    assert!(flipped("any(exp(x) > 2.7182817)", &[1.0, -5.0]));
    assert!(!flipped("any(exp(x) > 2.7182817)", &[1.0, 5.0]));
    // A square is never negative, so that a root of squares is a number.
    let report = moved("x.std()", &[3.7; 5], 0);
    assert_eq!((report.differ, report.unbounded), (0, 0));
}

#[test]
fn folds_of_subnormal_infinite_and_missing_numbers() {
    let tiny = f32::from_bits(5);
    let zero = |source: &str, x: &[f32]| {
        let x = f32s(x);
        let found = replaced(right(source, &x), |_| 0);
        verified(source, &x, &found, Limits::WEBGPU)
    };
    // An adapter may take them for 0 where it computes, not where it compares.
    assert!(zero("x.sum()", &[tiny, tiny]).within());
    assert!(!zero("x.max()", &[tiny, tiny]).within());
    assert!(!zero("x.sum()", &[f32::MIN_POSITIVE, 1.0]).within());
    for (source, x) in [
        ("x.sum()", [f32::MAX, f32::MAX]),
        ("x.max()", [f32::INFINITY, 1.0]),
        ("x.sum()", [f32::NAN, 1.0]),
        ("x.min()", [1.0, f32::NAN]),
        ("x.prod()", [0.0, f32::INFINITY]),
    ] {
        assert_eq!(moved(source, &x, 0).differ, 0, "{source}");
        assert!(!zero(source, &x).within(), "{source}");
    }
    // Of no elements.
    let none = f32s(&[]);
    for source in ["x.sum()", "x.prod()", "x[:, None].max(axis=1)"] {
        let found = right(source, &none);
        let report = verified(source, &none, &found, Limits::WEBGPU);
        assert_eq!((report.differ, report.beyond), (0, Some(0)), "{source}");
    }
}

#[test]
fn reductions_in_parts_and_in_windows_are_verified() {
    let values: Vec<f32> = (0..40_000).map(|i| (i % 997) as f32 / 7.0).collect();
    let x = rows(20_000, &values);
    let windows = Limits::WEBGPU.with_max_elements(1 << 13);
    for source in [
        "x.sum()",
        "x.sum(axis=1)",
        "x.mean(axis=0)",
        "x - x.max(axis=0)",
        "x.cumsum()",
        "x.cumsum(axis=0)",
    ] {
        for limits in [Limits::WEBGPU, windows] {
            let found = right(source, &x);
            assert!(verified(source, &x, &found, limits).within(), "{source}");
            let wrong = replaced(found, |bits| bits ^ 1 << 4);
            assert!(!verified(source, &x, &wrong, limits).within(), "{source}");
        }
    }
}

/// The first element of a product's result in another order, and how far it may be from the exact
/// sum of so many products.
fn backwards(x: &[f32], y: &[f32]) -> (f32, f64) {
    let pairs = || x.iter().zip(y);
    let sum = pairs().rev().fold(0.0, |sum, (x, y)| x * y + sum);
    let size: f64 = pairs().map(|(x, y)| f64::from(x * y).abs()).sum();
    (sum, size * x.len() as f64 * 2f64.powi(-24))
}

#[test]
fn a_product_may_be_as_far_off_as_its_sums_are_long() {
    let values: Vec<f32> = (0..80)
        .map(|i| ((i * 37) % 61) as f32 / 7.0 - 4.3)
        .collect();
    let x = rows(2, &values);
    let source = "x @ x.T";
    let (sum, off) = backwards(&values[..40], &values[..40]);
    let found = right(source, &x);
    let exact: f64 = values[..40].iter().map(|&x| f64::from(x).powi(2)).sum();
    let at = |value: f64| {
        let wrong = replaced(found.clone(), |_| u64::from((value as f32).to_bits()));
        verified(source, &x, &wrong, Limits::WEBGPU)
    };
    assert!(at(f64::from(sum)).within());
    assert!(at(exact + 0.95 * off).within() && at(exact - 0.95 * off).within());
    for beyond in [
        exact + 1.05 * off,
        exact - 1.05 * off,
        -exact,
        f64::NAN,
        0.0,
    ] {
        let report = at(beyond);
        assert_eq!((report.beyond, report.unbounded), (Some(1), 0), "{beyond}");
    }
}

#[test]
fn products_are_verified_in_every_type_in_batches_and_in_blocks() {
    let values: Vec<f32> = (0..60).map(|i| ((i * 37) % 61) as f32 - 20.5).collect();
    let x = rows(6, &values);
    let blocks = Limits::WEBGPU.with_max_elements(16);
    for source in [
        "x @ x.T",
        "x.T @ x",
        "f16(x) @ f16(x).T",
        "bf16(x) @ bf16(x.T)",
        "i32(x) @ i32(x).T",
        "u32(abs(x)) @ u32(abs(x.T))",
        "i64(x) @ i64(x.T)",
        "u64(abs(x) + 2) @ u64(abs(x.T))",
        "f64(x) @ f64(x).T",
        "x.reshape(3, 2, 10) @ x.T",
        "exp(x / 9) @ x.T + 1",
        "i32(x / 3) @ i32(x).T",
        "(x @ x.T)[::-1]",
        "x @ x[0]",
    ] {
        for limits in [Limits::WEBGPU, blocks] {
            let found = right(source, &x);
            assert!(verified(source, &x, &found, limits).within(), "{source}");
            let high = 8 * found.dtype.size() as u32 - 3;
            let wrong = replaced(found, |bits| bits ^ (1 << high));
            let report = verified(source, &x, &wrong, limits);
            assert_eq!(report.beyond, Some(1), "{source}");
        }
    }
    // Integers have no bound to spare, and wrap.
    for source in [
        "i32(x) @ i32(x.T)",
        "u64(x + 22) * u64(2 ** 63) @ u64(x.T + 22)",
    ] {
        let found = right(source, &x);
        let wrong = replaced(found, |bits| bits + 1);
        let report = verified(source, &x, &wrong, Limits::WEBGPU);
        assert_eq!((report.beyond, report.unbounded), (Some(1), 0), "{source}");
    }
}

#[test]
fn products_of_what_is_missing_infinite_or_too_large() {
    let tiny = f32::MIN_POSITIVE / 4.0;
    let first = |x: &[f32], bits: u32| {
        let x = rows(2, x);
        let found = replaced(right("x @ x.T", &x), |_| u64::from(bits));
        verified("x @ x.T", &x, &found, Limits::WEBGPU)
    };
    let is = |x: &[f32], value: f32| {
        let report = first(x, value.to_bits());
        report.within() && report.unbounded == 0
    };
    assert!(is(&[f32::INFINITY, 1.0, 1.0, 1.0], f32::INFINITY));
    assert!(!is(&[f32::INFINITY, 1.0, 1.0, 1.0], f32::MAX));
    assert!(!is(&[f32::INFINITY, 1.0, 1.0, 1.0], f32::NAN));
    assert!(is(&[f32::NAN, 1.0, 1.0, 1.0], f32::NAN));
    assert!(!is(&[f32::NAN, 1.0, 1.0, 1.0], 1.0));
    assert!(is(&[0.0, 0.0, 1.0, 1.0], 0.0) && !is(&[0.0, 0.0, 1.0, 1.0], tiny));
    // Subnormal numbers may be taken for 0.
    assert!(is(&[tiny, 0.0, 1.0, 1.0], 0.0));
    // Sums that overflow in some order have no bound.
    assert_eq!(first(&[2e19, 2e19, 1.0, 1.0], 0).unbounded, 1);
}

#[test]
fn what_is_moved_has_the_bound_of_what_it_was() {
    let x = [7.0, 2.0, 3.5, 1.25, 9.0];
    for (source, within, beyond) in [
        ("np.concatenate([x, -x])", 0, 1),
        ("np.stack([sin(x), x])", 4, 5),
        ("np.concatenate([x, x / 3])", 0, 1),
        ("np.stack([sqrt(x), exp(x)], axis=1)[:, 0]", 5, 6),
        ("np.array([x.sum(), 3, 4.5])", 0, 1),
        ("x.take([0, -1])", 0, 1),
        ("sin(x).take([[0, 4], [1, 2]])", 4, 5),
        ("np.take(x[:, None] + x, i32(x) % 2, axis=1) * 2", 0, 1),
    ] {
        assert!(moved(source, &x, within).within(), "{source}");
        let report = moved(source, &x, beyond);
        let found = (report.within(), report.differ, report.unbounded);
        assert_eq!(found, (false, 1, 0), "{source}");
    }
    // It may be any element if it is not known which.
    assert_eq!(moved("x.take(i32(exp(x * 0) * 2))", &x, 1).unbounded, 5);
}
