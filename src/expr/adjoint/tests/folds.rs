//! Reductions.

use super::*;
use crate::expr::{Axes, Reduction};

const REDUCTIONS: [Reduction; 13] = [
    Reduction::Sum,
    Reduction::Prod,
    Reduction::Max,
    Reduction::Min,
    Reduction::Mean,
    Reduction::Var { ddof: 0 },
    Reduction::Var { ddof: 1 },
    Reduction::Std { ddof: 1 },
    Reduction::LogSum,
    Reduction::LogSumExp,
    Reduction::L1,
    Reduction::L2,
    Reduction::SumSquare,
];

#[test]
fn reductions_have_the_slopes_of_their_finite_differences() {
    let mut all = Vec::new();
    let axes = [
        Axes::ALL,
        Axes::from(0),
        Axes::from(-1),
        Axes::from([0, 2]),
        Axes::from([1]).keepdims(),
        Axes::ALL.keepdims(),
        Axes::new([]),
    ];
    let x = some_of([2, 3, 4]);
    let positive: Vec<f64> = values(&x).iter().map(|x| x.abs() + 0.2).collect();
    for reduction in REDUCTIONS {
        let input = match reduction {
            Reduction::LogSum => f64s([2, 3, 4], &positive),
            _ => x.clone(),
        };
        for axes in &axes {
            // A single element has no deviation.
            let is_alone = *axes == Axes::new([]);
            if is_alone && matches!(reduction, Reduction::Var { .. } | Reduction::Std { .. }) {
                continue;
            }
            let expr = Expr::slot(0).reduce(reduction, axes.clone());
            let name = format!("{} {axes}", reduction.name());
            all.extend(faults(&name, &expr, std::slice::from_ref(&input)));
        }
    }
    none(all);
}

/// The gradient of a reduction of a row of numbers.
fn slopes(reduction: Reduction, x: &[f64]) -> Vec<f64> {
    let expr = Expr::slot(0).reduce(reduction, ..);
    let gradient = &expr.gradient(&[Expr::slot(0)])[0];
    values(&run(gradient, &[f64s([x.len()], x)]).unwrap())
}

#[test]
fn the_largest_elements_share_equally() {
    let cases: [(Reduction, &[f64], &[f64]); 5] = [
        (Reduction::Max, &[1.0, 3.0, 3.0, 2.0], &[0.0, 0.5, 0.5, 0.0]),
        (
            Reduction::Min,
            &[1.0, 3.0, 1.0, 1.0, 1.0],
            &[0.25, 0.0, 0.25, 0.25, 0.25],
        ),
        (Reduction::Max, &[-0.0, 0.0], &[0.5, 0.5]),
        (Reduction::Max, &[f64::NEG_INFINITY; 2], &[0.5, 0.5]),
        (Reduction::Max, &[1.0, f64::NAN], &[0.5, 0.5]),
    ];
    for (reduction, x, wanted) in cases {
        assert_eq!(slopes(reduction, x), wanted, "{reduction:?} of {x:?}");
    }
}

#[test]
fn a_product_with_zeros_has_the_product_of_the_others() {
    let cases: [(&[f64], &[f64]); 4] = [
        (&[2.0, 3.0, 4.0], &[12.0, 8.0, 6.0]),
        (&[2.0, 0.0, 4.0], &[0.0, 8.0, 0.0]),
        (&[2.0, 0.0, -0.0], &[0.0, 0.0, 0.0]),
        (&[0.0], &[1.0]),
    ];
    for (x, wanted) in cases {
        assert_eq!(slopes(Reduction::Prod, x), wanted, "{x:?}");
    }
}

#[test]
fn the_gradient_of_logsumexp_is_softmax_and_stays_finite() {
    let found = slopes(Reduction::LogSumExp, &[1000.0, 1000.0, 0.0]);
    assert_eq!(found, [0.5, 0.5, 0.0]);
}

#[test]
fn reductions_of_halves_and_integers_give_gradients_of_their_operands_types() {
    let x = HostTensor::new(DType::F16, [2], vec![0, 0x3c, 0, 0x40]).unwrap();
    for reduction in REDUCTIONS {
        let expr = Expr::slot(0).reduce(reduction, 0);
        let found = run(
            &expr.gradient(&[Expr::slot(0)])[0],
            std::slice::from_ref(&x),
        )
        .unwrap();
        assert_eq!(
            (found.dtype, shape(&found)),
            (DType::F16, vec![2]),
            "{reduction:?}"
        );
    }
    // A mean of integers is a float, but nothing flows through what it is a mean of.
    let by = Expr::slot(1);
    let expr = by.mul(Expr::slot(0).mean(..).cast(DType::F64));
    let i = HostTensor::new(DType::I8, [2], vec![3, 5]).unwrap();
    let found = run(&expr.gradient(&[by])[0], &[i, some_of([3])]).unwrap();
    assert_eq!(values(&found), [4.0; 3]);
}

#[test]
fn positions_truths_and_numbers_of_elements_pass_nothing() {
    let x = Expr::slot(0);
    for reduction in [
        Reduction::ArgMax { last: false },
        Reduction::Any,
        Reduction::All,
        Reduction::CountNonzero,
    ] {
        let expr = x.mul(x.reduce(reduction, ..).cast(DType::F64));
        let inputs = [f64s([3], &[1.0, 2.0, 3.0])];
        let number = values(&run(&x.reduce(reduction, ..).cast(DType::F64), &inputs).unwrap())[0];
        let found = run(&expr.gradient(std::slice::from_ref(&x))[0], &inputs).unwrap();
        assert_eq!(values(&found), [number; 3], "{reduction:?}");
    }
}

#[test]
fn reductions_of_nothing_have_gradients_of_nothing() {
    for reduction in [Reduction::Sum, Reduction::Prod, Reduction::Mean] {
        let expr = Expr::slot(0).reduce(reduction, 1);
        let found = run(&expr.gradient(&[Expr::slot(0)])[0], &[some_of([2, 0])]).unwrap();
        assert_eq!(shape(&found), [2, 0], "{reduction:?}");
    }
}
