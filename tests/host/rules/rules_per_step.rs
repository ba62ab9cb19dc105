//! Each step of an expression has a rule of its own.

use super::*;

#[test]
fn one_step_is_used_under_two_rules() {
    let a = f32s(&[3, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let x = [0.0f32, 1.0, 2.0];
    let y = Expr::slot(1).exp();
    let rows = Expr::slot(0).add(&y).with_rule(Rule::Numpy);
    let columns = Expr::slot(0).add(&y).with_rule(Rule::Pdpd { axis: 0 });
    let found = reference::run(&rows.mul(&columns), &[a.clone(), f32s(&[3], &x)]).unwrap();
    let exp = x.map(|v| f64::from(v).exp() as f32);
    let expected: Vec<f32> = (0..9)
        .map(|i| (i as f32 + 1.0 + exp[i % 3]) * (i as f32 + 1.0 + exp[i / 3]))
        .collect();
    assert_eq!(found, f32s(&[3, 3], &expected));
}

#[test]
fn one_input_is_a_row_and_a_column() {
    let x = tensor(&[4], &data(1, 4));
    let v = data(1, 4);
    let expected: Vec<i32> = (0..16).map(|i| v[i % 4] - v[i / 4]).collect();
    let slot = Expr::slot(0);
    let views = slot
        .slice([Index::NewAxis, Index::ALL])
        .sub(slot.slice([Index::ALL, Index::NewAxis]));
    assert_eq!(
        reference::run(&views, std::slice::from_ref(&x)).unwrap(),
        tensor(&[4, 4], &expected)
    );
    let on = |axes: Vec<usize>| {
        slot.broadcast(Rule::Explicit {
            target: [4, 4].into(),
            axes,
        })
    };
    let rules = on(vec![1]).sub(on(vec![0]));
    assert_eq!(
        reference::run(&rules, &[x]).unwrap(),
        tensor(&[4, 4], &expected)
    );
}

#[test]
fn a_square_of_a_square_64_times_stays_small() {
    let mut r = Expr::slot(0);
    for _ in 0..64 {
        r = r.mul(&r);
    }
    let square = |x: i32| (0..64).fold(x, |r, _| r.wrapping_mul(r));
    let found = reference::run(&r, &[tensor(&[3], &[3, -5, 1])]).unwrap();
    assert_eq!(numbers(&found), [square(3), square(-5), 1]);
}
