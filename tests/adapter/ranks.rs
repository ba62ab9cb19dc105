//! Every rank and inner extent, and random expressions, against the reference.

use zerostride::{DType, Expr, HostTensor, Index, Op, Options, Plan, ScheduleName, Slot, View};

use crate::common::{Random, all, check, check_with};
use crate::mapping::{WIDTHS, chain, options, transposed, viewed};

/// Two shapes of a rank whose axes cannot be merged, with this inner extent.
fn alternating(rank: usize, inner: usize, outer: usize) -> [Vec<usize>; 2] {
    let mut shapes = [vec![1; rank], vec![1; rank]];
    for axis in 0..rank {
        let extent = if axis + 1 == rank {
            inner
        } else {
            outer + axis % 2
        };
        shapes[axis % 2][axis] = extent;
    }
    // The first reads all of the inner axis, so that it is not splat alone.
    shapes[0][rank - 1] = inner;
    shapes
}

#[test]
fn every_rank_and_inner_extent_agrees() {
    let mut random = Random::new("ranks");
    let mut reports = Vec::new();
    let extents = [1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 65];
    // Every width of every rank and extent would be a kernel each.
    let widths = WIDTHS.into_iter().cycle();
    let all_of = [1, 2, 3, 4, 5, 6, 9]
        .into_iter()
        .flat_map(|rank| extents.map(|inner| (rank, inner)));
    for ((rank, inner), dtype) in all_of.zip(widths) {
        let outer = if rank > 6 { 2 } else { 2 + inner % 2 };
        let shapes = alternating(rank, inner, outer);
        let inputs = shapes.each_ref().map(|s| random.host(dtype, s, true));
        reports.push(check(
            &format!("{dtype} {shapes:?}"),
            &chain(2),
            &inputs,
            0.0,
        ));
    }
    // Long along the outermost axis, which an invocation's quads then lie apart on.
    for (rank, inner, dtype) in [
        (3, 5, DType::U8),
        (4, 6, DType::F16),
        (9, 3, DType::I32),
        (9, 5, DType::U64),
        (9, 4, DType::I32),
        (9, 8, DType::U64),
    ] {
        let mut shapes = alternating(rank, inner, 2);
        shapes[0][0] = 16;
        // Four or three rows would else come from the second axis.
        shapes[rank % 2][rank - 2] = 5;
        let slots = shapes
            .each_ref()
            .map(|s| Slot::new(dtype, s.as_slice()).unwrap());
        let plan = Plan::new(&chain(2), &slots, &Options::default())
            .unwrap()
            .to_string();
        assert!(plan.contains("strided along the outermost axis"), "{plan}");
        let inputs = shapes.each_ref().map(|s| random.host(dtype, s, true));
        reports.push(check(
            &format!("{dtype} {shapes:?}"),
            &chain(2),
            &inputs,
            0.0,
        ));
    }
    all(reports);
}

#[test]
fn small_workgroups_and_the_other_spread_change_nothing() {
    let mut random = Random::new("workgroups");
    let mut reports = Vec::new();
    for (name, options) in [
        ("64 invocations", options(|l| l.max_invocations = 64)),
        (
            "64 invocations, the other spread",
            options(|l| (l.max_invocations, l.software) = (64, !l.software)),
        ),
        ("100 invocations", options(|l| l.max_invocations = 100)),
        ("the other spread", options(|l| l.software = !l.software)),
    ] {
        for (shapes, dtype) in [
            [vec![1000], vec![1000]],
            [vec![37, 4], vec![4]],
            [vec![37, 8], vec![37, 1]],
            [vec![9, 20], vec![20]],
            [vec![9, 64], vec![9, 1]],
            [vec![5, 300], vec![300]],
            [vec![3, 4100], vec![4100]],
            [vec![3, 1024], vec![3, 1]],
            [vec![37, 7], vec![7]],
            [vec![47, 1, 6], vec![7, 1]],
            // Rows of five quads, of which an invocation owns four.
            [vec![3, 2, 1, 8, 20], vec![2, 5, 1, 20]],
        ]
        .into_iter()
        .zip(WIDTHS.into_iter().cycle())
        {
            let inputs = shapes.each_ref().map(|s| random.host(dtype, s, true));
            reports.push(check_with(
                &format!("{name}: {dtype} {shapes:?}"),
                &chain(2),
                &inputs,
                0.0,
                &options,
            ));
        }
        for [rows, columns] in [[257, 8], [259, 5]] {
            let inputs = [
                transposed(random.host(DType::I32, &[columns, rows], true)),
                random.host(DType::I32, &[columns], true),
            ];
            reports.push(check_with(
                &format!("{name}: blocks of {columns}"),
                &chain(2),
                &inputs,
                0.0,
                &options,
            ));
        }
    }
    all(reports);
}

#[test]
fn rank_64_agrees() {
    let mut random = Random::new("rank 64");
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        let mut shapes = [vec![1; 64], vec![1; 64]];
        for (n, axis) in [0, 7, 8, 21, 33, 34, 50, 62, 63].into_iter().enumerate() {
            let extent = 2 + n % 2;
            if n % 3 != 0 {
                shapes[0][axis] = extent;
            }
            if n % 3 != 1 {
                shapes[1][axis] = extent;
            }
        }
        let inputs = shapes.each_ref().map(|s| random.host(dtype, s, true));
        reports.push(check(
            &format!("{dtype} of rank 64"),
            &chain(2),
            &inputs,
            0.0,
        ));
        let ones = [
            random.host(dtype, &[1; 64], true),
            random.host(dtype, &[1; 60], true),
        ];
        reports.push(check(
            &format!("{dtype} ones of rank 64"),
            &chain(2),
            &ones,
            0.0,
        ));
    }
    all(reports);
}

#[test]
fn seventeen_axes_agree() {
    // 2^17 elements on 17 axes that cannot be merged: the kernel of any rank.
    let mut random = Random::new("17 axes");
    let inputs = alternating(17, 2, 2).map(|s| s.into_iter().map(|e| e.min(2)).collect::<Vec<_>>());
    let inputs = inputs.each_ref().map(|s| random.host(DType::U8, s, true));
    all([check("u8 of 17 axes", &chain(2), &inputs, 0.0)]);
}

#[test]
fn results_without_elements_launch_nothing() {
    let mut random = Random::new("empty");
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        for shapes in [
            [vec![0], vec![0]],
            [vec![0], vec![1]],
            [vec![3, 0], vec![3, 1]],
            [vec![0, 3], vec![3]],
            [vec![1, 0, 5], vec![4, 1, 1]],
            [vec![0], vec![]],
        ] {
            let inputs = shapes.each_ref().map(|s| random.host(dtype, s, false));
            reports.push(check(
                &format!("{dtype} {shapes:?}"),
                &chain(2),
                &inputs,
                0.0,
            ));
        }
        let nothing = viewed(
            random.host(dtype, &[5], false),
            &View::Slice(vec![Index::Range(Some(5), None, 1)]),
        );
        reports.push(check(
            &format!("{dtype} empty slice"),
            &Expr::slot(0).neg(),
            &[nothing],
            0.0,
        ));
    }
    all(reports);
}

/// A leaf that broadcasts to `shape`: some axes 1 or missing, read through a slice of a permuted
/// larger tensor.
fn leaf(random: &mut Random, dtype: DType, shape: &[usize]) -> HostTensor {
    let skip = if random.below(3) == 0 {
        random.below(shape.len() + 1)
    } else {
        0
    };
    let want: Vec<usize> = shape[skip..]
        .iter()
        .map(|&e| if e > 1 && random.below(3) == 0 { 1 } else { e })
        .collect();
    if random.below(2) == 0 {
        return random.host(dtype, &want, false);
    }
    let mut parent = Vec::new();
    let mut items = Vec::new();
    for &extent in &want {
        let step = *random.pick(&[1isize, 1, 1, -1, 2, -2, 3]);
        let span = extent.saturating_sub(1) * step.unsigned_abs() + 1;
        let (before, after) = (random.below(3), random.below(2));
        parent.push(before + span + after);
        let first = if step > 0 { before } else { before + span - 1 } as isize;
        let past = first + step * extent as isize;
        items.push(Index::Range(Some(first), (past >= 0).then_some(past), step));
    }
    // The parent's axes lie in memory in a random order.
    let mut order: Vec<usize> = (0..want.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let mut stored = vec![0; want.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(axis, &place)| stored[place] = parent[axis]);
    let host = viewed(random.host(dtype, &stored, false), &View::Permute(order));
    let host = viewed(host, &View::Slice(items));
    assert_eq!(host.layout.shape().extents(), want);
    host
}

/// Two or three steps whose results are the same on every adapter.
fn expression(random: &mut Random, dtype: DType, leaves: usize) -> Expr<usize> {
    let binary: &[Op] = match dtype {
        DType::Bool => &[Op::AND, Op::OR, Op::XOR, Op::EQUAL],
        // A product before a sum could be contracted where no rounding to a narrow type stands
        // between.
        DType::F32 => &[Op::ADD, Op::SUB, Op::MAXIMUM, Op::MINIMUM],
        DType::F16 | DType::Bf16 => &[Op::ADD, Op::SUB, Op::MUL, Op::MAXIMUM, Op::MINIMUM],
        _ => &[
            Op::ADD,
            Op::SUB,
            Op::MUL,
            Op::MAXIMUM,
            Op::MINIMUM,
            Op::BIT_XOR,
            Op::FLOOR_DIV,
        ],
    };
    let unary = if dtype == DType::Bool {
        Op::NOT
    } else {
        Op::NEG
    };
    let mut x = Expr::slot(0);
    for i in 1..leaves.max(2) {
        let other = Expr::slot(i % leaves);
        x = match random.below(6) {
            0 => Expr::step(*random.pick(binary), [other.clone(), x.clone()]),
            1 if dtype != DType::Bool => x.less(&other).where_(&x, &other),
            2 => Expr::step(*random.pick(binary), [x, Expr::step(unary, [other])]),
            _ => Expr::step(*random.pick(binary), [x, other]),
        };
    }
    match random.below(4) {
        0 => Expr::step(unary, [x]),
        1 => x.transpose(),
        _ => x,
    }
}

#[test]
fn random_shapes_views_and_expressions_agree() {
    let mut random = Random::new("random draws");
    let mut reports = Vec::new();
    for n in 0..62 {
        let dtype = *random.pick(&crate::common::COMPUTABLE);
        let rank = random.below(6);
        let mut shape: Vec<usize> = (0..rank)
            .map(|_| *random.pick(&[1, 2, 3, 4, 4, 5, 7, 8, 12, 16, 33]))
            .collect();
        while shape.iter().product::<usize>() > 6000 {
            let axis = random.below(rank);
            shape[axis] = shape[axis].div_ceil(2);
        }
        let leaves = 1 + random.below(3);
        let inputs: Vec<HostTensor> = (0..leaves)
            .map(|_| leaf(&mut random, dtype, &shape))
            .collect();
        let expr = expression(&mut random, dtype, leaves);
        let layouts: Vec<_> = inputs.iter().map(|h| &h.layout).collect();
        let what = format!("draw {n}: {dtype} {expr:?} of {layouts:?}");
        // By either profile, under any schedule that it may have.
        let software = random.below(2) == 0;
        let schedule = *random.pick(ScheduleName::ALL);
        reports.push(check_with(
            &format!("{what}, software {software}, as {schedule}"),
            &expr,
            &inputs,
            0.0,
            &options(|l| l.software = software).with_schedule(Some(schedule)),
        ));
    }
    all(reports);
}
