//! Operators of the user's own: their derivatives, and what is said without one.

use super::*;
use crate::custom::CustomOp;
use crate::op::Op;
use crate::rule::Rule;

/// `x exp(-x^2 w)`, by each of its operands.
fn wavelet() -> Op {
    CustomOp::new("wavelet", ["x", "w"])
        .form("x * exp(-x * x * w)", |[x, w]: [f32; 2]| {
            x * (-x * x * w).exp()
        })
        .form("x", |[x, w]: [f64; 2]| x * (-x * x * w).exp())
        .derivative(|g, [x, w], r| {
            let bell = (-(x * x * w)).exp();
            [g * bell * (1.0 - 2.0 * (x * x) * w), -(g * r * x) * x]
        })
        .build()
        .unwrap()
}

/// `x` above `edge`, else a tenth of it: a formula with a test, and an operand without a slope.
fn kinked() -> Op {
    CustomOp::new("kinked", ["x", "edge"])
        .form(
            "x",
            |[x, edge]: [f64; 2]| if x > edge { x } else { 0.1 * x },
        )
        .derivative(|g, [x, edge], _| {
            let slope = x.greater(edge).cast(DType::F64) * 0.9 + 0.1;
            [g * slope, Expr::literal(0)]
        })
        .build()
        .unwrap()
}

#[test]
fn own_operators_have_the_slopes_of_their_finite_differences() {
    let [x, row, column] = [0, 1, 2].map(Expr::slot);
    let inputs = [
        f64s([2, 3], &[-2.3, -0.7, 0.4, 1.6, 0.2, -1.45]),
        f64s([3], &[0.9, -0.17, 0.3]),
        f64s([2, 1], &[0.31, 1.1]),
    ];
    let (wavelet, kinked) = (wavelet(), kinked());
    let of = |op: Op, a: &Expr<usize>, b: &Expr<usize>| Expr::step(op, [a.clone(), b.clone()]);
    let cases = [
        ("same", of(wavelet, &x, &x.sin())),
        ("row", of(wavelet, &x, &row)),
        ("column", of(wavelet, &column, &row)),
        ("kinked", of(kinked, &x, &row)),
        (
            "within",
            of(wavelet, &(&x * &column), &row).exp().sum(0) * 2.0,
        ),
        ("twice", of(kinked, &of(wavelet, &x, &row), &column)),
        (
            "placed",
            of(
                wavelet,
                &x,
                &row.slice([crate::view::Index::Range(None, Some(2), 1)]),
            )
            .with_rule(Rule::Pdpd { axis: 0 }),
        ),
        (
            "again",
            of(wavelet, &x, &row)
                .gradient(std::slice::from_ref(&x))
                .swap_remove(0),
        ),
    ];
    let all = cases
        .iter()
        .flat_map(|(name, expr)| faults(name, expr, &inputs));
    none(all.collect());
}

#[test]
fn halves_are_differentiated_in_f32() {
    let half = CustomOp::new("half", ["x"])
        .form("x * x", |[x]: [f32; 1]| x * x)
        .derivative(|g, [x], _| [g * x * 2.0])
        .build()
        .unwrap();
    let x = HostTensor::new(
        DType::F16,
        [1],
        half::f16::from_f32(300.0).to_bits().to_le_bytes().to_vec(),
    );
    let by = Expr::step(half, [Expr::slot(0)])
        .gradient(&[Expr::slot(0)])
        .swap_remove(0);
    let found = run(&by, &[x.unwrap()]).unwrap();
    assert_eq!(found.dtype, DType::F16);
    assert_eq!(
        found.bytes,
        half::f16::from_f32(600.0).to_bits().to_le_bytes()
    );
}

#[test]
fn without_a_derivative_a_gradient_is_an_error_that_names_the_operator() {
    let plain = CustomOp::new("plain", ["x"])
        .form("x", |[x]: [f64; 1]| x)
        .build()
        .unwrap();
    let x = f64s([2], &[1.0, 2.0]);
    let of = |x: Expr<usize>| Expr::step(plain, [x]) * 2.0;
    let by = of(Expr::slot(0)).gradient(&[Expr::slot(0)]).swap_remove(0);
    let error = run(&by, std::slice::from_ref(&x)).unwrap_err().to_string();
    assert!(
        error.contains("the gradient of plain: it was built without a derivative; detach"),
        "{error}"
    );
    let detached = of(Expr::slot(0).detach()) * Expr::slot(0);
    let by = detached.gradient(&[Expr::slot(0)]).swap_remove(0);
    assert_eq!(values(&run(&by, &[x]).unwrap()), [2.0, 4.0]);
}
