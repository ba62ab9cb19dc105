//! A scan or a reduction that several others look at, each in its own way.

use zerostride::{Axes, DType, Expr, Index, Plan, Slot};

use crate::common::{Random, Turns, all, check_with, thinned};
use crate::mapping::options;

/// What looks at `s`, which has the shape of `x`.
fn users(s: &Expr<usize>, x: &Expr<usize>, axis: isize) -> Vec<(&'static str, Expr<usize>)> {
    let whole = |index: Index| match axis {
        0 => vec![index],
        _ => vec![Index::ALL, index],
    };
    let first = s.slice(whole(Index::Range(None, Some(1), 1)));
    let last = s.slice(whole(Index::Range(Some(-1), None, 1)));
    let back = s.slice(whole(Index::Range(None, None, -1)));
    let along = || Axes::from(axis).keepdims();
    vec![
        ("less its first", s - &first),
        ("by its last", s / &last),
        ("less its largest", s - s.max(along())),
        ("less the same backwards", s - &back),
        ("backwards", back.clone()),
        ("times its sum", s * s.sum(along())),
        ("with its operand", &(s + x) - &first),
        ("twice", s + s),
        ("its own sums", s.cumsum(axis) - s),
        ("the difference of neighbours", {
            let next = s.slice(whole(Index::Range(Some(1), None, 1)));
            next - s.slice(whole(Index::Range(None, Some(-1), 1)))
        }),
    ]
}

#[test]
fn a_scan_or_mean_that_several_others_look_at_is_right() {
    let mut random = Random::new("shared");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let mut turns = Turns::new(&mut random);
    let shapes = [
        (vec![40, 7], 0isize),
        (vec![1030, 6], 0),
        (vec![3, 4099], 1),
        (vec![2, 70_001], 1),
    ];
    // Values by what looks at them, each on other shapes.
    for k in thinned(&mut random, 0..3 * users(&x, &x, 0).len()) {
        for (shape, axis) in turns.of(&shapes) {
            let input = random.host(DType::F32, &shape, false);
            let keep = Axes::from(axis).keepdims();
            let values = [
                ("cumsum", x.cumsum(axis)),
                ("cumsum of a step", (&x * &x).cumsum(axis)),
                ("z-scores", (&x - x.mean(keep.clone())) * x.max(keep)),
            ];
            let (value, s) = &values[k % 3];
            let (user, expr) = users(s, &x, axis).swap_remove(k / 3);
            let expr = expr
                .promoted(Default::default(), |_| Ok(DType::F32))
                .unwrap();
            // One kind of machine each: pipelines take long on some adapters.
            let software = random.below(2) == 0;
            let options = options(|l| l.software = software);
            let what = format!("{value} {user}, {shape:?}, software: {software}");
            let input = std::slice::from_ref(&input);
            reports.push(check_with(&what, &expr, input, 1.0, &options));
        }
    }
    all(reports);
}

#[test]
fn results_that_share_a_scan_are_planned_in_any_order() {
    let x = Expr::slot(0);
    let s = x.cumsum(1);
    let back = s.slice([Index::ALL, Index::Range(None, None, -1)]);
    let slots = [Slot::new(DType::F32, [9, 5000]).unwrap()];
    let all = [
        s.clone(),
        back,
        &s - s.max(Axes::from(1).keepdims()),
        s.sum(0),
    ];
    for first in 0..all.len() {
        let mut results = all.to_vec();
        results.rotate_left(first);
        for software in [true, false] {
            let options = options(|l| l.software = software);
            let plan = Plan::many(&results, &slots, &[], &options).unwrap();
            assert!(plan.pass_count() >= 4, "{plan}");
        }
    }
}
