//! Rules in calls.

use super::*;

#[test]
fn a_call_may_name_its_rule() {
    use DType::F32;
    check(&[
        Case(
            "add(x, two, axis=0)",
            F32,
            &[2, 3],
            &[8.0, 9.0, 10.0, 12.0, 13.0, 14.0],
        ),
        Case(
            "add(x, row, axis=-1)",
            F32,
            &[2, 3],
            &[11.0, 22.0, 33.0, 14.0, 25.0, 36.0],
        ),
        Case(
            "add(x, two, rule='pdpd', axis=0)[0]",
            F32,
            &[3],
            &[8.0, 9.0, 10.0],
        ),
        Case(
            "prelu(-x, row, rule='uni')[1]",
            F32,
            &[3],
            &[-40.0, -100.0, -180.0],
        ),
        Case(
            "mul(row, row, rule=none)",
            F32,
            &[3],
            &[100.0, 400.0, 900.0],
        ),
    ]);
    for source in [
        "add(x, row, rule='none')",
        "add(row, x, rule='uni')",
        "add(x, two, axis=1)",
        "add(x, two)",
    ] {
        assert!(
            matches!(eval(source), Err(Error::At { column: 1, .. })),
            "{source}"
        );
    }
}

#[test]
fn numbers_join_steps_under_any_default_rule() {
    let x = f32s([2], &[3.0, 4.0]);
    for rule in [
        Rule::None,
        Rule::Unidirectional,
        Rule::Pdpd { axis: -1 },
        Rule::Pdpd { axis: 0 },
    ] {
        let expr = parse("1 - x * 2 + x").unwrap().bind(&["x"], &rule).unwrap();
        assert_eq!(
            numbers(&reference::run(&expr, std::slice::from_ref(&x)).unwrap()),
            [-2.0, -3.0],
            "{rule}"
        );
    }
    let sum = parse("x + y")
        .unwrap()
        .bind(&["x", "y"], &Rule::None)
        .unwrap();
    assert!(matches!(
        reference::run(&sum, &[x, f32s([], &[1.0])]),
        Err(Error::At { column: 3, .. })
    ));
}
