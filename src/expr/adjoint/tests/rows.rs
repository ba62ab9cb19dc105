//! Every row of floats, by each of its operands.

use super::*;
use crate::expr::Scalar;
use crate::op::{Arity, Op};
use crate::rule::Rule;

/// Places at which a row has a slope, for one of its operands.
fn places(op: Op, operand: usize) -> Vec<f64> {
    let inside = vec![-0.9, -0.35, 0.1, 0.45, 0.7, 0.95];
    let positive = vec![0.3, 0.8, 1.4, 2.6, 5.0, 0.05];
    match (op.name(), operand) {
        ("asin" | "acos" | "atanh", _) => inside,
        ("sqrt" | "log" | "log2" | "log10" | "log1p" | "pow", 0) => positive,
        ("acosh", _) => positive.iter().map(|x| x + 1.05).collect(),
        ("celu" | "elu" | "selu", 1) => vec![0.7, 1.0, 1.9],
        ("hard_sigmoid", 1) => vec![0.2, -0.3, 0.15],
        ("hard_sigmoid", 2) => vec![0.5, 0.4, 0.6],
        ("clip", 1) => vec![-1.1, 0.6, 2.1],
        ("clip", 2) => vec![1.3, 0.2, 2.9],
        (_, 0) => vec![-2.3, -0.7, 0.4, 1.6, 3.2, -1.45],
        (_, 1) => vec![0.9, -1.7, 1.3],
        _ => vec![1.9, 2.2, 0.6],
    }
}

/// A row on operands of `[2, 3]` and `[3]`; a condition is a bool.
fn applied(op: Op) -> (Expr<usize>, Vec<HostTensor>) {
    let count = match op.arity() {
        Arity::Exactly(n) => n,
        Arity::Variadic => 3,
    };
    let inputs = (0..count).map(|i| match i {
        0 if op.is_select() => {
            HostTensor::new(DType::Bool, [2, 3], vec![1, 0, 1, 0, 1, 0]).unwrap()
        }
        0 => f64s([2, 3], &places(op, 0)),
        _ => f64s([3], &places(op, i)),
    });
    let operands: Vec<Expr<usize>> = (0..count).map(Expr::slot).collect();
    (Expr::step(op, operands), inputs.collect())
}

/// The rows that have a derivative.
fn rows() -> impl Iterator<Item = Op> {
    let takes = |op: &Op| op.accepts().contains(DType::F64) && !op.is_test();
    Op::table().filter(takes).filter(|op| !op.takes_dtype())
}

#[test]
fn every_row_of_floats_has_the_slopes_of_its_finite_differences() {
    let checked: Vec<Op> = rows().collect();
    assert!(checked.len() > 50);
    let all = checked.into_iter().flat_map(|op| {
        let (expr, inputs) = applied(op);
        faults(op.name(), &expr, &inputs)
    });
    none(all.collect());
}

#[test]
fn rows_have_slopes_under_rules_that_place_operands() {
    let mut all = Vec::new();
    for op in rows().filter(|op| op.operands().len() == 2 && !op.is_select()) {
        let (expr, mut inputs) = applied(op);
        inputs[1] = f64s([2], &places(op, 1)[..2]);
        let expr = expr.with_rule(Rule::Pdpd { axis: 0 });
        all.extend(faults(op.name(), &expr, &inputs));
    }
    none(all);
}

#[test]
fn a_slope_of_halves_is_rounded_once() {
    // In f16 alone 1 - tanh(x)^2 would be 0.
    let x = Scalar::of(DType::F16, 5.0);
    let host =
        |x: Scalar| HostTensor::new(x.dtype, [1], x.bits.to_le_bytes()[..2].to_vec()).unwrap();
    let slope = |expr: Expr<usize>| {
        let found = run(&expr.gradient(&[Expr::slot(0)])[0], &[host(x)]).unwrap();
        assert_eq!(found.dtype, DType::F16);
        found
    };
    let tanh = slope(Expr::slot(0).tanh());
    let r = half::f16::from_f64(5f64.tanh()).to_f64();
    assert_eq!(tanh, host(Scalar::of(DType::F16, 1.0 - r * r)));
    let gelu = slope(Expr::slot(0).gelu());
    assert_eq!(gelu, host(Scalar::of(DType::F16, 1.0)));
}

/// The gradient of a row by all its operands, doubles of one element each.
fn by_each(op: Op, x: &[f64]) -> Vec<f64> {
    let slots: Vec<Expr<usize>> = (0..x.len()).map(Expr::slot).collect();
    let inputs: Vec<HostTensor> = x.iter().map(|&x| f64s([1], &[x])).collect();
    let gradients = Expr::step(op, slots.clone()).gradient(&slots);
    gradients
        .iter()
        .map(|g| values(&run(g, &inputs).unwrap())[0])
        .collect()
}

#[test]
fn operands_that_tie_share_equally_and_a_nan_shares_with_all() {
    let nan = f64::NAN;
    let third = 1.0 / 3.0;
    let cases: [(Op, &[f64], &[f64]); 8] = [
        (Op::MAXIMUM, &[2.0, 2.0], &[0.5, 0.5]),
        (Op::MAXIMUM, &[-0.0, 0.0], &[0.5, 0.5]),
        (Op::MAXIMUM, &[nan, 2.0], &[0.5, 0.5]),
        (Op::MINIMUM, &[2.0, 3.0], &[1.0, 0.0]),
        (Op::MINIMUM, &[3.0, 3.0], &[0.5, 0.5]),
        (Op::MAX_N, &[2.0, 1.0, 2.0], &[0.5, 0.0, 0.5]),
        (Op::MIN_N, &[2.0, 2.0, 2.0], &[third, third, third]),
        (Op::MIN_N, &[2.0, nan, 1.0], &[third, third, third]),
    ];
    for (op, x, wanted) in cases {
        assert_eq!(by_each(op, x), wanted, "{op} of {x:?}");
    }
}

#[test]
fn at_a_kink_the_slope_is_that_of_the_branch_that_is_taken() {
    let cases: [(Op, &[f64], &[f64]); 14] = [
        (Op::ABS, &[0.0], &[0.0]),
        (Op::RELU, &[0.0], &[0.0]),
        (Op::LEAKY_RELU, &[0.0, 0.5], &[1.0, 0.0]),
        (Op::PRELU, &[0.0, 0.5], &[1.0, 0.0]),
        (Op::ELU, &[0.0, 0.5], &[1.0, 0.0]),
        (Op::THRESHOLDED_RELU, &[1.0, 1.0], &[0.0, 0.0]),
        (Op::HARD_SWISH, &[3.0], &[1.0]),
        (Op::HARD_SWISH, &[-3.0], &[0.0]),
        (Op::CLIP, &[1.0, 1.0, 2.0], &[0.5, 0.5, 0.0]),
        (Op::CLIP, &[2.0, 1.0, 2.0], &[0.5, 0.0, 0.5]),
        (Op::CLIP, &[1.5, 2.0, 1.0], &[0.0, 0.0, 1.0]),
        (Op::CLIP, &[0.0, 1.0, 1.0], &[0.0, 0.5, 0.5]),
        (Op::POW, &[0.0, 0.0], &[0.0, 0.0]),
        (Op::POW, &[0.0, 2.0], &[0.0, 0.0]),
    ];
    for (op, x, wanted) in cases {
        assert_eq!(by_each(op, x), wanted, "{op} of {x:?}");
    }
}

#[test]
fn slopes_far_from_0_are_their_limits() {
    let far = [f64::INFINITY, 1e300, 1e5];
    for op in [
        Op::GELU,
        Op::GELU_TANH,
        Op::MISH,
        Op::SOFTPLUS,
        Op::RELU,
        Op::ELU,
    ] {
        let count = op.operands().len();
        for x in far {
            let at = |x: f64| by_each(op, &[&[x][..], &vec![1.0; count - 1]].concat())[0];
            assert_eq!((at(x), at(-x).abs()), (1.0, 0.0), "{op} at {x}");
        }
    }
    for x in far {
        let at = |x: f64| by_each(Op::SWISH, &[x, 1.0])[0];
        assert_eq!((at(x), at(-x).abs()), (1.0, 0.0), "swish at {x}");
    }
}
