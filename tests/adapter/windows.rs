//! Windows along axes: of inputs where they lie, of computed values, reduced, multiplied and streamed.

use zerostride::{DType, Expr, HostTensor, Plan, Slot, View};

use crate::common::{Random, Turns, all, check_with, thinned};
use crate::mapping::{options, transposed, viewed};

/// An array that lies in one of four ways.
fn lying(random: &mut Random, dtype: DType, shape: [usize; 2]) -> HostTensor {
    match random.below(4) {
        0 => transposed(random.host(dtype, &[shape[1], shape[0]], false)),
        1 => viewed(random.host(dtype, &shape, false), &View::Flip(None)),
        _ => random.host(dtype, &shape, false),
    }
}

#[test]
fn windows_are_added_multiplied_reduced_and_seen_again() {
    let mut random = Random::new("windows");
    let mut cases = Vec::new();
    let x = Expr::slot(0);
    let types = [DType::F32, DType::U8, DType::I32, DType::F16, DType::I64];
    let mut turns = Turns::new(&mut random);
    for [rows, columns, tall, wide] in [
        [9, 40, 3, 5],
        [1, 700, 1, 300],
        [130, 33, 64, 1],
        [70, 70, 2, 70],
        [5, 7, 0, 2],
    ] {
        for dtype in turns.of(&types) {
            let both = x.windows([(0, tall), (1, wide)]);
            let computed = x.maximum(Expr::scalar(1).cast(dtype)).windows([(-1, wide)]);
            let beside = x.slice((.., ..columns + 1 - wide));
            let exprs = [
                both.clone(),
                both.sum([2, 3]),
                both.max([0, 3]),
                computed.add(beside.view(View::Unsqueeze(vec![2]))),
                computed.min(-1).cumsum(1),
                both.view(View::Flip(None)).reshape([-1]),
                x.windows([(1, wide)]).windows([(2, wide / 2)]),
            ];
            let input = lying(&mut random, dtype, [rows, columns]);
            cases.extend(exprs.map(|expr| (expr, vec![input.clone()])));
            let inputs = vec![input, random.host(dtype, &[wide], false)];
            if dtype != DType::U8 {
                cases.push((computed.matmul(Expr::slot(1)), inputs));
            }
        }
    }
    let cases = thinned(&mut random, cases);
    all(cases.into_iter().enumerate().map(|(n, (expr, inputs))| {
        let options = options(|limits| {
            limits.software = n % 2 == 0;
            if n % 5 == 0 {
                limits.max_binding = 64 << 10;
                limits.offset_alignment = 256;
            }
        });
        let what = format!("{n}: {expr:?} of {:?}", inputs[0].layout);
        check_with(&what, &expr, &inputs, 0.0, &options)
    }));
}

#[test]
fn windows_of_an_input_take_no_pass_and_those_of_a_value_one() {
    let slots = [Slot::new(DType::F32, [1 << 12]).unwrap()];
    let x = Expr::slot(0);
    let passes = |expr: &Expr<usize>| {
        let plan = Plan::new(expr, &slots, &options(|_| ())).unwrap();
        plan.pass_count()
    };
    let two = Expr::scalar(2.0f32);
    assert_eq!(passes(&x.windows([(0, 99)]).mul(&two)), 1);
    assert_eq!(passes(&x.windows([(0, 99)]).mean(1)), 1);
    assert_eq!(passes(&x.exp().windows([(0, 99)]).mul(&two)), 2);
}
