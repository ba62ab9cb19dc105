//! Quads along two outer axes, and rows that are numbered first: the laws of their plans, and their
//! texts.

use super::*;
use crate::plan::ScheduleName;

/// A name, an expression of two operands, and their shapes.
type Case = (&'static str, Expr<usize>, [Vec<usize>; 2]);

fn crossed() -> Vec<Case> {
    let [x, y] = [0, 1].map(Expr::slot);
    let reversed = |e: &Expr<usize>| e.slice([Index::Range(None, None, -1), Index::Ellipsis]);
    let part = |e: &Expr<usize>| e.slice([Index::Ellipsis, Index::Range(Some(1), Some(65), 1)]);
    vec![
        ("long", x.sub(&y), [vec![12, 1, 36], vec![1, 8, 36]]),
        ("whole", x.sub(&y), [vec![4, 1, 8], vec![1, 2, 8]]),
        ("far", x.sub(&y), [vec![8, 1, 5, 1, 48], vec![4, 1, 6, 48]]),
        ("splat", x.sub(&y), [vec![8, 1, 12], vec![1, 12, 1]]),
        (
            "backwards",
            reversed(&x).sub(&y).add(&x),
            [vec![12, 1, 36], vec![8, 36]],
        ),
        (
            "a wider pitch",
            x.sub(part(&y)),
            [vec![3, 8, 1, 1], vec![3, 1, 12, 68]],
        ),
        (
            "ten axes",
            x.sub(&y),
            [
                vec![4, 1, 4, 1, 4, 1, 2, 1, 2, 4],
                vec![1, 4, 1, 4, 1, 2, 1, 2, 1, 4],
            ],
        ),
    ]
}

#[test]
fn quads_along_two_outer_axes_keep_to_their_laws_and_are_valid_in_every_language() {
    let mut texts = Texts {
        grouped: true,
        ..Texts::default()
    };
    for (what, expr, shapes) in crossed() {
        for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
            for limits in features() {
                let slots = shapes.each_ref().map(|shape| slot(dtype, shape));
                let options = Options::default()
                    .with_limits(limits)
                    .with_schedule(Some(ScheduleName::Cross));
                let plan = Plan::new(&expr, &slots, &options).unwrap();
                let what = format!("{what} {dtype}");
                plan.audit().unwrap_or_else(|e| panic!("{what}: {e}"));
                texts.add(&what, &expr, &slots, &options, false);
            }
        }
    }
    texts.check("crossed", 20);
}

#[test]
fn rows_that_are_numbered_first_keep_to_their_laws_and_are_valid_in_every_language() {
    let mut texts = Texts {
        grouped: true,
        ..Texts::default()
    };
    let [x, y] = [0, 1].map(Expr::slot);
    let long = 1 << 21;
    for (what, expr, shapes) in [
        ("two axes", x.sub(&y), [vec![16, long], vec![long]]),
        ("odd many", x.sub(&y), [vec![17, long], vec![long]]),
        (
            "three axes",
            x.sub(&y),
            [vec![6, 3, long], vec![1, 3, long]],
        ),
    ] {
        for dtype in [DType::F32, DType::I64] {
            for limits in features() {
                let slots = shapes.each_ref().map(|shape| slot(dtype, shape));
                let limits = limits.with_max_binding(1 << 30);
                let options = Options::default().with_limits(limits);
                let plan = Plan::new(&expr, &slots, &options).unwrap().to_string();
                assert!(plan.contains("of one row, rows first"), "{what}: {plan}");
                let what = format!("{what} {dtype}");
                texts.add(&what, &expr, &slots, &options, false);
            }
        }
    }
    texts.check("rows first", 4);
}
