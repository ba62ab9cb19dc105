//! Reductions of operands that no binding holds, however they lie.

use zerostride::{Axes, DType, Expr, Index, Options, Plan, Slot};

use crate::common::{Random, SOFTMAX, Turns, all, check_with, context, thinned};

fn bound_to(bytes: u64) -> Options {
    let limits = context()
        .limits()
        .with_max_binding(bytes)
        .with_offset_alignment(256);
    context().options().with_limits(limits)
}

#[test]
fn columns_beyond_a_binding_have_the_reference_s_bits() {
    let mut random = Random::new("tall columns");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let first = || Axes::from(0).keepdims();
    let exprs = [
        ("sum", x.sum(0)),
        ("mean", x.mean(0)),
        ("max", x.max(0)),
        ("any", x.any(0)),
        ("std", x.std(0)),
        ("argmax", x.argmax(0)),
        ("mean of products", (&x * &x).mean(0)),
        ("less its mean", &x - x.mean(first())),
        ("z-scores", (&x - x.mean(first())) / x.std(first())),
        ("shares", &x / x.sum(first())),
        ("a row behind", x.sum(0) * x.slice([Index::At(1)])),
        ("turned", x.transpose().mean(1)),
        ("everything", x.mean(..)),
        ("rows", x.sum(1)),
        (
            "less the mean of rows",
            &x - x.mean(Axes::from(1).keepdims()),
        ),
    ];
    // A binding holds 4096 elements at least.
    let shapes = [
        ([5000, 80], 128 << 10),
        ([9000, 30], 128 << 10),
        ([300, 700], 128 << 10),
        ([70_000, 8], 512 << 10),
    ];
    let mut turns = Turns::new(&mut random);
    for (what, expr) in thinned(&mut random, &exprs) {
        for (shape, bytes) in turns.of(&shapes) {
            let input = random.host(DType::F32, &shape, false);
            let options = bound_to(bytes);
            let what = format!("{what} of {shape:?}, {bytes} bytes");
            let slots = [Slot::new(DType::F32, shape).unwrap()];
            if let Err(error) = Plan::new(expr, &slots, &options) {
                // What numbers the elements of rows that no binding holds.
                assert!(
                    what.starts_with("argmax") && error.to_string().contains("binds at most"),
                    "{what}: {error}"
                );
                continue;
            }
            let expr = expr
                .promoted(Default::default(), |_| Ok(DType::F32))
                .unwrap();
            reports.push(check_with(
                &what,
                &expr,
                std::slice::from_ref(&input),
                0.0,
                &options,
            ));
        }
    }
    all(reports);
}

#[test]
fn axes_in_the_middle_and_narrow_types_beyond_a_binding_agree() {
    let mut random = Random::new("tall axes");
    let mut turns = Turns::new(&mut random);
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    for dtype in [DType::F16, DType::U8, DType::I64, DType::Bool] {
        let cases = [
            (vec![3, 5000, 12], Axes::from(1)),
            (vec![5000, 4, 7], Axes::from(0)),
            (vec![5000, 4, 7], Axes::from([0isize, 2])),
            (vec![4, 3000, 20], Axes::from([0isize, 1])),
        ];
        for (shape, axes) in thinned(&mut random, cases) {
            let input = random.host(dtype, &shape, false);
            let both = [("sum", x.sum(axes.clone())), ("max", x.max(axes.clone()))];
            for (what, expr) in turns.of(&both) {
                let what = format!("{what} of {dtype} {shape:?} along {axes}");
                let expr = expr.promoted(Default::default(), |_| Ok(dtype)).unwrap();
                reports.push(check_with(
                    &what,
                    &expr,
                    std::slice::from_ref(&input),
                    0.0,
                    &bound_to(64 << 10),
                ));
            }
        }
    }
    all(reports);
}

#[test]
fn rows_beyond_a_dispatch_have_the_reference_s_bits() {
    let mut random = Random::new("many rows");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let last = || Axes::from(-1).keepdims();
    let exps = (&x - x.max(last())).exp();
    let exprs = [
        ("softmax", &exps / exps.sum(last())),
        ("z-scores", (&x - x.mean(last())) / x.std(last())),
        ("standard deviation", x.std(-1)),
        ("argmax", (&x * &x).argmax(-1)),
    ];
    let shapes = [vec![300, 257], vec![3, 100, 64], vec![1, 7, 500]];
    for shape in thinned(&mut random, shapes) {
        let input = random.host(DType::F32, &shape, false);
        let limits = context().limits().with_max_elements(16 * 3000);
        let options = context().options().with_limits(limits);
        for (what, expr) in &exprs {
            let what = format!("{what} of {shape:?}");
            let expr = expr
                .promoted(Default::default(), |_| Ok(DType::F32))
                .unwrap();
            reports.push(check_with(
                &what,
                &expr,
                std::slice::from_ref(&input),
                SOFTMAX,
                &options,
            ));
        }
    }
    all(reports);
}

/// Axes that no operand allows to join, and whose parts begin within an index of the outer one.
#[test]
fn parts_of_a_broadcast_have_the_reference_s_bits() {
    let mut random = Random::new("parts of a broadcast");
    let mut reports = Vec::new();
    let [x, y] = [0, 1].map(Expr::slot);
    let product = &x * &y;
    let [all_axes, first_two] = [Axes::ALL, Axes::from([0, 1])];
    let flat = || [vec![261, 1], vec![1, 261]];
    for (what, dtype, expr, shapes) in [
        ("sum", DType::F32, product.sum(all_axes.clone()), flat()),
        (
            "argmax",
            DType::F32,
            product.argmax(all_axes.clone()),
            flat(),
        ),
        ("any", DType::U8, x.greater(&y).any(all_axes), flat()),
        (
            "sums",
            DType::I64,
            product.sum(first_two),
            [vec![97, 1, 8], vec![101, 1]],
        ),
    ] {
        let inputs = shapes.map(|shape| random.host(dtype, &shape, false));
        let limits = context().limits().with_max_elements(9000);
        let options = context().options().with_limits(limits);
        let expr = expr.promoted(Default::default(), |_| Ok(dtype)).unwrap();
        reports.push(check_with(what, &expr, &inputs, 0.0, &options));
    }
    all(reports);
}
