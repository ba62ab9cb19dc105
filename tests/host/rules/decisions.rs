//! What the texts leave open.

use super::*;

#[test]
fn the_common_extent_of_0_and_1_is_0() {
    let cases: &[Case<'_>] = &[
        (&[&[0], &[1]], Some(&[0])),
        (&[&[0], &[]], Some(&[0])),
        (&[&[2, 0], &[2, 1]], Some(&[2, 0])),
        (&[&[0, 3], &[1, 3], &[3]], Some(&[0, 3])),
        (&[&[0], &[2]], None),
    ];
    check_both_orders(&Rule::Numpy, cases);
    check(
        &Rule::Unidirectional,
        &[(&[&[0], &[1]], Some(&[0])), (&[&[1], &[0]], None)],
    );
    check(
        &Rule::Pdpd { axis: -1 },
        &[(&[&[0], &[1]], Some(&[0])), (&[&[1], &[0]], None)],
    );
    check(
        &Rule::Bidirectional { target: [0].into() },
        &[(&[&[1]], Some(&[0]))],
    );
    check(
        &Rule::Bidirectional { target: [1].into() },
        &[(&[&[0]], Some(&[0]))],
    );
}

#[test]
fn the_default_axis_uses_the_rank_before_trailing_ones_are_dropped() {
    // (3, 1) in (3, 3) sits on axis 0: a column, not a row.
    let a: &[usize] = &[3, 3];
    let column = run(&Rule::Pdpd { axis: -1 }, &[a, &[3, 1]]).unwrap();
    assert_eq!(
        numbers(&column),
        expected(&Rule::Pdpd { axis: 0 }, &[a, &[3]], a)
    );
    check(
        &Rule::Pdpd { axis: -1 },
        &[(&[a, &[3, 1]], Some(a)), (&[a, &[1, 3]], Some(a))],
    );
    check(&Rule::Pdpd { axis: -1 }, &[(&[&[2, 3], &[3, 1]], None)]);
}

#[test]
fn trailing_ones_may_stick_out_of_the_target() {
    check(
        &Rule::Pdpd { axis: 1 },
        &[
            (&[&[2, 3], &[3, 1]], Some(&[2, 3])),
            (&[&[2, 3], &[1, 1]], Some(&[2, 3])),
            (&[&[2, 3], &[2, 3]], None),
            (&[&[2, 3], &[3, 1, 1]], None),
        ],
    );
}

#[test]
fn leading_and_inner_ones_of_b_broadcast_and_a_never_does() {
    let a: &[usize] = &[2, 3, 4, 5];
    check(
        &Rule::Pdpd { axis: 1 },
        &[(&[a, &[3, 1, 5]], Some(a)), (&[a, &[1, 4]], Some(a))],
    );
    check(
        &Rule::Pdpd { axis: 0 },
        &[(&[a, &[1, 3, 1, 5]], Some(a)), (&[a, &[1, 1, 4]], Some(a))],
    );
    check(
        &Rule::Pdpd { axis: 0 },
        &[(&[&[1, 3], &[2, 3]], None), (&[&[1], &[2]], None)],
    );
}

#[test]
fn a_run_past_the_end_is_an_error() {
    let a: &[usize] = &[2, 3, 4, 5];
    check(
        &Rule::Pdpd { axis: 3 },
        &[(&[a, &[5, 2]], None), (&[a, &[5, 1]], Some(a))],
    );
    check(
        &Rule::Pdpd { axis: 4 },
        &[(&[a, &[5]], None), (&[a, &[1]], Some(a))],
    );
    check(&Rule::Pdpd { axis: 5 }, &[(&[a, &[]], None)]);
    check(&Rule::Pdpd { axis: i64::MAX }, &[(&[a, &[5]], None)]);
    check(&Rule::Pdpd { axis: 0 }, &[(&[&[5], &[5, 1]], None)]);
}

#[test]
fn a_scalar_sits_on_any_axis() {
    let a: &[usize] = &[2, 3];
    for axis in -1..=2 {
        check(&Rule::Pdpd { axis }, &[(&[a, &[]], Some(a))]);
    }
    check(
        &Rule::Pdpd { axis: -1 },
        &[(&[&[], &[]], Some(&[])), (&[&[], &[1]], None)],
    );
}

#[test]
fn pdpd_takes_several_operands_each_with_its_own_rank() {
    check(
        &Rule::Pdpd { axis: -1 },
        &[(&[&[2, 3], &[3], &[2, 1], &[]], Some(&[2, 3]))],
    );
    // A select's target is the operand for true.
    let (c, a, b) = (
        tensor(&[2], &[1, 0]),
        tensor(&[2, 3], &data(0, 6)),
        tensor(&[2], &[-1, -2]),
    );
    let select = Expr::slot(0)
        .cast(DType::Bool)
        .where_(Expr::slot(1), Expr::slot(2));
    let found = reference::run(&select.with_rule(Rule::Pdpd { axis: 0 }), &[c, a, b]).unwrap();
    assert_eq!(found, tensor(&[2, 3], &[1, 2, 3, -2, -2, -2]));
}

#[test]
fn to_is_exactly_the_target() {
    let to = |target: &[usize]| Rule::To {
        target: target.into(),
    };
    check(
        &to(&[2, 3]),
        &[
            (&[&[3]], Some(&[2, 3])),
            (&[&[2, 1]], Some(&[2, 3])),
            (&[&[]], Some(&[2, 3])),
        ],
    );
    check(&to(&[2, 0]), &[(&[&[1]], Some(&[2, 0]))]);
    check(&to(&[1]), &[(&[&[2]], None), (&[&[1, 1]], None)]);
    check(&to(&[2, 3]), &[(&[&[2]], None), (&[&[1, 2, 3]], None)]);
}

#[test]
fn explicit_places_each_axis() {
    let on = |target: &[usize], axes: &[usize]| Rule::Explicit {
        target: target.into(),
        axes: axes.to_vec(),
    };
    check(
        &on(&[2, 3, 4], &[1]),
        &[
            (&[&[3]], Some(&[2, 3, 4])),
            (&[&[1]], Some(&[2, 3, 4])),
            (&[&[2]], None),
        ],
    );
    check(
        &on(&[2, 3, 4], &[0, 2]),
        &[
            (&[&[2, 4]], Some(&[2, 3, 4])),
            (&[&[1, 4]], Some(&[2, 3, 4])),
        ],
    );
    check(
        &on(&[2, 3], &[]),
        &[(&[&[]], Some(&[2, 3])), (&[&[2]], None)],
    );
    check(&on(&[2, 2], &[1, 0]), &[(&[&[2, 2]], None)]);
    check(&on(&[2, 2], &[0, 0]), &[(&[&[2, 2]], None)]);
    check(&on(&[2, 2], &[0, 2]), &[(&[&[2, 2]], None)]);
}

#[test]
fn a_target_is_for_one_operand() {
    let two: &[&[usize]] = &[&[3], &[3]];
    for rule in [
        Rule::To { target: [3].into() },
        Rule::Bidirectional { target: [3].into() },
        Rule::Explicit {
            target: [3].into(),
            axes: vec![0],
        },
    ] {
        let shapes: Vec<Shape> = two.iter().map(|&s| s.into()).collect();
        let err = rule.align(&[&shapes[0], &shapes[1]]).unwrap_err();
        assert!(matches!(err, Error::Arity { found: 2, .. }), "{err}");
    }
    assert!(matches!(
        Rule::Numpy.align(&[]),
        Err(Error::Arity { found: 0, .. })
    ));
}

#[test]
fn rank_64_with_mostly_ones_works() {
    let with = |extents: &[(usize, usize)]| {
        let mut shape = vec![1; 64];
        extents
            .iter()
            .for_each(|&(axis, extent)| shape[axis] = extent);
        shape
    };
    let a = with(&[(0, 2), (31, 3), (63, 4)]);
    let b = with(&[(7, 2), (31, 3)]);
    let both = with(&[(0, 2), (7, 2), (31, 3), (63, 4)]);
    check_both_orders(
        &Rule::Numpy,
        &[
            (&[&a, &b], Some(&both)),
            (&[&a, &[4]], Some(&a)),
            (&[&a, &[5]], None),
        ],
    );
    check(
        &Rule::Pdpd { axis: 31 },
        &[(&[&a, &[3]], Some(&a)), (&[&a, &[2]], None)],
    );
    check(
        &Rule::To {
            target: both.clone().into(),
        },
        &[(&[&b], Some(&both))],
    );
}

#[test]
fn too_many_elements_are_an_error() {
    let huge: Shape = [1usize << 40].into();
    let column: Shape = [1usize << 40, 1].into();
    assert!(matches!(
        Rule::Numpy.align(&[&huge, &column]),
        Err(Error::TooManyElements { .. })
    ));
}
