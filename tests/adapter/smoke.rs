//! The first things anyone tries.

use zerostride::{DType, Expr, Tensor};

use crate::common::{Random, all, check, context};

#[test]
fn a_row_is_added_to_a_table() {
    let context = context();
    let a = context
        .tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])
        .unwrap();
    let b = context.tensor(&[10.0f32, 20.0, 30.0], [3]).unwrap();
    assert_eq!(
        a.add(&b).unwrap().read_blocking::<f32>().unwrap(),
        [11.0, 22.0, 33.0, 14.0, 25.0, 36.0]
    );
}

#[test]
fn shapes_of_every_mapping_agree_with_the_reference() {
    let mut random = Random::new("mappings");
    let shapes: &[(&[usize], &[usize])] = &[
        (&[], &[]),
        (&[1], &[]),
        (&[7], &[7]),
        (&[5], &[1]),
        (&[0, 3], &[3]),
        (&[64, 64], &[64, 64]),
        (&[16, 32], &[32]),
        (&[16, 32], &[16, 1]),
        (&[16, 1], &[1, 20]),
        (&[3, 5], &[5]),
        (&[9, 2], &[9, 1]),
        (&[4, 3, 7], &[3, 1]),
        (&[8, 1, 6, 1], &[7, 1, 4]),
        (&[2, 1, 3, 1, 2, 1, 3], &[1, 2, 1, 3, 1, 2, 1]),
        (&[2, 1, 3, 1, 2, 1, 4], &[1, 2, 1, 3, 1, 2, 1]),
        (&[300, 1030], &[1030]),
    ];
    let mut reports = Vec::new();
    for dtype in [
        DType::U8,
        DType::I8,
        DType::U16,
        DType::I16,
        DType::F16,
        DType::Bf16,
        DType::I32,
        DType::U32,
        DType::F32,
    ] {
        for (a, b) in shapes {
            let inputs = [random.host(dtype, a, true), random.host(dtype, b, true)];
            reports.push(check(
                &format!("{dtype} {a:?} {b:?}"),
                &Expr::slot(0).sub(Expr::slot(1)),
                &inputs,
                0.0,
            ));
        }
    }
    all(reports);
}

/// Else tests would not see what no kernel wrote.
#[test]
fn buffers_hold_the_pattern_of_tests_until_they_are_written() -> zerostride::Result<()> {
    let context = context();
    let read = |x: &Tensor| x.read_blocking::<u32>();
    assert_eq!(read(&context.empty(DType::U32, [777])?)?, [u32::MAX; 777]);
    for submitted in [false, true] {
        let x = context.tensor(&[3u32; 777], [777])?;
        let twice = x.add(&x)?;
        if submitted {
            context.flush()?;
        }
        // Its buffer is free, and work that may not be submitted yet reads it.
        drop(x);
        assert_eq!(read(&context.empty(DType::U32, [777])?)?, [u32::MAX; 777]);
        assert_eq!(read(&twice)?, [6; 777]);
    }
    Ok(())
}
