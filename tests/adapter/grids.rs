//! Grids that fold, and those that cannot.

use zerostride::{DType, Error, Expr, Options, Plan, ScheduleName, Slot};

use crate::common::{Random, all, check_with, context};
use crate::mapping::{chain, options, transposed};

/// A grid of 3 x 3 x 3 workgroups of 64 invocations at most.
fn tiny() -> Options {
    options(|l| (l.max_invocations, l.max_workgroups) = (64, 3))
}

#[test]
fn grids_fold_into_y_and_z() {
    let mut random = Random::new("grids");
    let mut reports = Vec::new();
    // A quad an invocation: 256 elements a workgroup, 6,912 in the grid.
    for len in [768, 769, 1000, 2304, 2305, 4097, 6911, 6912] {
        let flat = [vec![len], vec![len]];
        let odd = [vec![len / 7, 7], vec![7]];
        let rows = [vec![len / 16, 16], vec![16]];
        let short = [vec![len / 64, 4], vec![len / 64, 1]];
        for shapes in [flat, odd, rows, short] {
            let inputs = shapes.each_ref().map(|s| random.host(DType::I32, s, true));
            reports.push(check_with(
                &format!("{shapes:?}"),
                &chain(2),
                &inputs,
                0.0,
                &tiny(),
            ));
        }
    }
    // Bands of three workgroups, which fold over one another, and of four, which the grid has no
    // place for.
    for [rows, columns] in [[419, 11], [259, 13], [802, 8]] {
        let inputs = [
            transposed(random.host(DType::I32, &[columns, rows], true)),
            random.host(DType::I32, &[rows, columns], true),
        ];
        reports.push(check_with(
            &format!("blocks of {columns}"),
            &chain(2),
            &inputs,
            0.0,
            &tiny(),
        ));
    }
    all(reports);
}

#[test]
fn long_rows_fold_into_the_grid_too() {
    // A row of 4,096 elements takes more workgroups along x than this grid has, all of it fits
    // well.
    let mut random = Random::new("long rows");
    let inputs = [
        random.host(DType::U8, &[2, 4096], true),
        random.host(DType::U8, &[4096], true),
    ];
    all([check_with(
        "u8 [2, 4096] - [4096]",
        &chain(2),
        &inputs,
        0.0,
        &tiny(),
    )]);
}

#[test]
fn a_grid_that_cannot_hold_the_result_is_an_error() {
    let slot = Slot::new(DType::I32, [110_593]).unwrap();
    let found = Plan::new(&Expr::slot(0).neg(), &[slot], &tiny());
    assert!(matches!(found, Err(Error::Argument { .. })), "{found:?}");
}

#[test]
fn a_real_grid_folds_beyond_65535_workgroups() {
    // With 16 invocations, 64 rows of one quad are a workgroup: 65,536 of them write 16 MiB.
    let context = context();
    let rows = 65_536 * 256 / 4;
    let column: Vec<u8> = (0..rows).map(|i| (i % 251) as u8).collect();
    let options = options(|l| l.max_invocations = 16).with_schedule(Some(ScheduleName::Sections));
    let slots = [
        Slot::new(DType::U8, [rows, 1]).unwrap(),
        Slot::new(DType::U8, [4]).unwrap(),
    ];
    let plan = Plan::new(&Expr::slot(0).add(Expr::slot(1)), &slots, &options).unwrap();
    assert!(plan.to_string().contains("grid 32768 x 2 x 1"), "{plan}");
    let column_tensor = context.tensor(&column, [rows, 1]).unwrap();
    let out = context
        .run(
            &plan,
            &[
                &column_tensor,
                &context.tensor(&[0u8, 1, 2, 3], [4]).unwrap(),
            ],
        )
        .unwrap();
    let found = out[0].read_blocking::<u8>().unwrap();
    let wrong = found
        .iter()
        .enumerate()
        .position(|(i, &x)| x != column[i / 4].wrapping_add((i % 4) as u8));
    assert_eq!(wrong, None);
}
