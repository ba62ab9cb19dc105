//! The text *Broadcasting in ONNX*.

use super::*;

#[test]
fn multidirectional_examples() {
    let cases: &[Case<'_>] = &[
        (&[&[2, 3, 4, 5], &[]], Some(&[2, 3, 4, 5])),
        (&[&[2, 3, 4, 5], &[5]], Some(&[2, 3, 4, 5])),
        (&[&[4, 5], &[2, 3, 4, 5]], Some(&[2, 3, 4, 5])),
        (&[&[1, 4, 5], &[2, 3, 1, 1]], Some(&[2, 3, 4, 5])),
        (&[&[3, 4, 5], &[2, 1, 1, 1]], Some(&[2, 3, 4, 5])),
        // All exactly of one shape, and more than two operands.
        (&[&[2, 3], &[2, 3]], Some(&[2, 3])),
        (&[&[2, 3], &[3], &[2, 1], &[]], Some(&[2, 3])),
        // Neither a common extent nor 1.
        (&[&[2, 3, 4, 5], &[4]], None),
        (&[&[2, 3], &[2, 4]], None),
        (&[&[2, 1], &[1, 3], &[2, 2]], None),
    ];
    check_both_orders(&Rule::Numpy, cases);
}

#[test]
fn unidirectional_examples() {
    let cases: &[Case<'_>] = &[
        (&[&[2, 3, 4, 5], &[]], Some(&[2, 3, 4, 5])),
        (&[&[2, 3, 4, 5], &[5]], Some(&[2, 3, 4, 5])),
        (&[&[2, 3, 4, 5], &[2, 1, 1, 5]], Some(&[2, 3, 4, 5])),
        (&[&[2, 3, 4, 5], &[1, 3, 1, 5]], Some(&[2, 3, 4, 5])),
        (&[&[2, 3], &[2, 3]], Some(&[2, 3])),
    ];
    check(&Rule::Unidirectional, cases);
}

#[test]
fn unidirectional_never_broadcasts_the_target() {
    let cases: &[Case<'_>] = &[
        (&[&[1, 3, 4, 5], &[2, 3, 4, 5]], None),
        (&[&[5], &[2, 3, 4, 5]], None),
        (&[&[], &[1]], None),
        (&[&[1], &[3]], None),
        (&[&[4, 5], &[1, 4, 5]], None),
        (&[&[2, 3], &[4]], None),
    ];
    check(&Rule::Unidirectional, cases);
}

#[test]
fn a_slope_is_broadcast_onto_the_data() {
    let x = f32s(&[2, 2], &[-1.0, 2.0, -3.0, 4.0]);
    let slope = f32s(&[2, 1], &[10.0, 100.0]);
    let prelu = Expr::slot(0)
        .prelu(Expr::slot(1))
        .with_rule(Rule::Unidirectional);
    let found = reference::run(&prelu, &[x, slope]).unwrap();
    assert_eq!(found, f32s(&[2, 2], &[-10.0, 2.0, -300.0, 4.0]));
}
