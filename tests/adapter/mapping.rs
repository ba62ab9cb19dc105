//! Every mapping, access and storage width, folded grids, and random views and expressions.

use zerostride::op::Op;
use zerostride::view::View;
use zerostride::{DType, Error, Expr, HostTensor, Index, Limits, Options, Plan, Slot};

use crate::common::{Random, all, check, check_with, context};

/// One type of each width.
const WIDTHS: [DType; 4] = [DType::U8, DType::F16, DType::I32, DType::U64];

fn options(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = context().options();
    change(&mut options.limits);
    options
}

fn chain(n: usize) -> Expr<usize> {
    (1..n).fold(Expr::slot(0), |sum, i| sum.sub(&Expr::slot(i)))
}

/// A tensor looked at through a view; the elements stay where they are.
fn viewed(mut host: HostTensor, view: &View) -> HostTensor {
    host.layout = host.layout.view(view).unwrap();
    host
}

fn reversed(host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![Index::Ellipsis, Index::Range(None, None, -1)]),
    )
}

fn transposed(host: HostTensor) -> HostTensor {
    viewed(host, &View::Transpose)
}

/// Without its first elements along the inner axis.
fn from(first: isize, host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![Index::Ellipsis, Index::Range(Some(first), None, 1)]),
    )
}

/// A part of its inner axis.
fn part(range: std::ops::Range<isize>, host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![
            Index::Ellipsis,
            Index::Range(Some(range.start), Some(range.end), 1),
        ]),
    )
}

/// The last two axes in the other order.
fn swapped(host: HostTensor) -> HostTensor {
    viewed(host, &View::Permute(vec![0, 2, 1]))
}

/// Without its first element along the inner axis.
fn later(host: HostTensor) -> HostTensor {
    viewed(
        host,
        &View::Slice(vec![Index::Ellipsis, Index::Range(Some(1), None, 1)]),
    )
}

#[test]
fn every_mapping_reads_every_access_of_every_width() {
    let mut random = Random::new("accesses");
    let mut reports = Vec::new();
    for dtype in WIDTHS {
        let mut t = |shape: &[usize]| random.host(dtype, shape, true);
        // Eight bytes are gathered.
        let [periodic, misaligned] = if dtype.size() == 8 {
            ["hoisted gather", "gather"]
        } else {
            ["periodic", "misaligned"]
        };
        // Mapping, accesses as the plan names them, inputs.
        let mut cases: Vec<(&str, Vec<&str>, Vec<HostTensor>)> = vec![
            ("flat", vec!["linear", "linear"], vec![t(&[67]), t(&[67])]),
            ("flat", vec!["linear", "splat"], vec![t(&[67]), t(&[])]),
            (
                "flat",
                vec!["linear", "gather"],
                vec![t(&[67]), reversed(t(&[67]))],
            ),
            (
                "flat",
                vec![misaligned, "linear"],
                vec![later(t(&[68])), t(&[67])],
            ),
            (
                "flat",
                vec![misaligned, misaligned],
                vec![from(2, t(&[69])), from(3, t(&[70]))],
            ),
            (
                "flat",
                vec![misaligned, "linear"],
                vec![from(3, t(&[8])), t(&[5])],
            ),
            (
                "flat",
                vec!["splat", misaligned],
                vec![t(&[1]), later(t(&[66]))],
            ),
            (
                "rows",
                vec!["linear", "hoisted"],
                vec![t(&[5, 16]), t(&[16])],
            ),
            (
                "rows",
                vec!["linear", "vector", "vector"],
                vec![t(&[3, 5, 16]), t(&[5, 16]), t(&[3, 1, 16])],
            ),
            (
                "rows",
                vec!["linear", "vector", "hoisted"],
                vec![t(&[3, 8, 16]), t(&[8, 16]), t(&[3, 1, 16])],
            ),
            (
                "rows",
                vec!["linear", "splat"],
                vec![t(&[5, 16]), t(&[5, 1])],
            ),
            (
                "rows",
                vec!["hoisted", "vector"],
                vec![t(&[3, 1, 2, 1, 1, 4]), t(&[2, 1, 2, 8, 4])],
            ),
            ("rows", vec!["hoisted", "splat"], vec![t(&[16]), t(&[5, 1])]),
            (
                "rows",
                vec!["linear", "gather"],
                vec![t(&[7, 16]), transposed(t(&[16, 7]))],
            ),
            (
                "tile",
                vec!["linear", "transposed"],
                vec![t(&[8, 16]), transposed(t(&[16, 8]))],
            ),
            (
                "tile",
                vec!["transposed", "vector"],
                vec![transposed(t(&[16, 8])), t(&[16])],
            ),
            (
                "tile",
                vec!["transposed", "splat"],
                vec![transposed(t(&[20, 8])), t(&[8, 1])],
            ),
            (
                "tile",
                vec!["transposed", "splat", "gather"],
                vec![transposed(t(&[20, 8])), t(&[]), reversed(t(&[8, 20]))],
            ),
            (
                "tile",
                vec!["transposed", "linear"],
                vec![swapped(t(&[3, 12, 8])), t(&[3, 8, 12])],
            ),
            (
                "tile",
                vec!["transposed", "gather"],
                vec![transposed(t(&[16, 3, 8])), swapped(t(&[8, 16, 3]))],
            ),
            (
                "tile",
                vec!["transposed", "linear"],
                vec![swapped(t(&[3, 12, 8])), t(&[3, 8, 12])],
            ),
            (
                "tile",
                vec!["transposed", "linear"],
                vec![transposed(t(&[12, 4])), t(&[4, 12])],
            ),
            (
                "rows",
                vec!["gather", "linear"],
                vec![swapped(t(&[16, 12, 4])), t(&[16, 4, 12])],
            ),
            (
                "tile",
                vec!["transposed", "transposed"],
                vec![transposed(t(&[16, 8])), transposed(t(&[16, 8]))],
            ),
            (
                "rows",
                vec!["hoisted", "gather"],
                vec![t(&[1, 16]), reversed(t(&[5, 16]))],
            ),
            (
                "rows",
                vec!["gather", "linear"],
                vec![later(t(&[5, 17])), t(&[5, 16])],
            ),
            (
                "rows",
                vec![misaligned, "splat", "hoisted"],
                vec![later(t(&[17])), t(&[5, 1]), t(&[16])],
            ),
            (
                "rows",
                vec!["linear", misaligned],
                vec![t(&[5, 16]), part(3..19, t(&[5, 20]))],
            ),
            (
                "general",
                vec!["linear", "gather"],
                vec![t(&[5, 7]), t(&[7])],
            ),
            (
                "general",
                vec!["linear", "straddling"],
                vec![t(&[5, 7]), t(&[5, 1])],
            ),
            (
                "general",
                vec!["straddling", "gather"],
                vec![t(&[5, 1]), reversed(t(&[7]))],
            ),
            (
                "strided along the outermost axis",
                vec!["straddling", "hoisted gather"],
                vec![t(&[63, 1]), reversed(t(&[7]))],
            ),
            (
                "strided along the outermost axis",
                vec!["gather", "hoisted gather"],
                vec![reversed(t(&[29, 3, 6])), t(&[3, 1])],
            ),
            (
                "strided along the outermost axis",
                vec!["linear", "hoisted gather", "splat"],
                vec![t(&[31, 5]), t(&[5]), t(&[])],
            ),
            (
                "strided along the outermost axis",
                vec!["linear", "vector"],
                vec![t(&[33, 5, 4]), t(&[33, 1, 4])],
            ),
            (
                "3 quads an invocation",
                vec!["linear", "hoisted"],
                vec![t(&[33, 3, 4]), t(&[33, 1, 4])],
            ),
            (
                "blocked along the outermost axis",
                vec!["gather", "linear"],
                vec![transposed(t(&[5, 259])), t(&[259, 5])],
            ),
            (
                "blocked along the outermost axis",
                vec!["gather", "hoisted gather"],
                vec![transposed(t(&[6, 257])), t(&[6])],
            ),
            (
                "blocked along the outermost axis",
                vec!["gather", "linear"],
                vec![transposed(t(&[8, 257])), t(&[257, 8])],
            ),
            (
                "general",
                vec!["linear", "gather", "splat"],
                vec![t(&[5, 7]), t(&[7]), t(&[])],
            ),
            (
                "general",
                vec!["gather", "linear"],
                vec![transposed(t(&[7, 5])), t(&[5, 7])],
            ),
            (
                "general",
                vec!["linear", periodic],
                vec![t(&[35, 3]), t(&[3])],
            ),
            (
                "general",
                vec!["linear", periodic],
                vec![t(&[35, 2]), reversed(t(&[2]))],
            ),
            (
                "general",
                vec!["gather", periodic, "splat"],
                vec![reversed(t(&[5, 7, 3])), later(t(&[4])), t(&[])],
            ),
        ];
        // Of narrow types these rows are other numbers of words.
        if dtype.size() >= 4 {
            let inputs = vec![t(&[19, 5, 20]), t(&[5, 20]), t(&[5, 1])];
            cases.push((
                "strided along the outermost axis",
                vec!["linear", "hoisted", "splat"],
                inputs,
            ));
            cases.push((
                "of one row",
                vec!["linear", "splat"],
                vec![t(&[3, 3300]), t(&[3, 1])],
            ));
            cases.push((
                "of one row",
                vec!["linear", "hoisted", "splat"],
                vec![t(&[5, 1000]), t(&[1000]), t(&[5, 1])],
            ));
        }
        for (mapping, accesses, inputs) in cases {
            let what = format!("{dtype} {mapping} {accesses:?}");
            let slots: Vec<Slot> = inputs
                .iter()
                .map(|h| Slot {
                    layout: h.layout.clone(),
                    ..Slot::new(dtype, [1]).unwrap()
                })
                .collect();
            let plan = Plan::new(&chain(inputs.len()), &slots, &Options::default())
                .unwrap()
                .to_string();
            let named = plan.contains(mapping)
                && accesses
                    .iter()
                    .all(|access| plan.contains(&format!("  {access},")));
            assert!(named, "{what} is not what is tested:\n{plan}");
            reports.push(check(&what, &chain(inputs.len()), &inputs, 0.0));
            if dtype.size() != 4 {
                continue;
            }
            let interleaved = options(|l| l.software = !l.software);
            let what = format!("{what}, the other spread");
            reports.push(check_with(
                &what,
                &chain(inputs.len()),
                &inputs,
                0.0,
                &interleaved,
            ));
        }
    }
    all(reports);
}

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
    let options = options(|l| l.max_invocations = 16);
    let slots = [
        Slot::new(DType::U8, [rows, 1]).unwrap(),
        Slot::new(DType::U8, [4]).unwrap(),
    ];
    let plan = Plan::new(&Expr::slot(0).add(&Expr::slot(1)), &slots, &options).unwrap();
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
            1 if dtype != DType::Bool => x.less(&other).select_by(&x, &other),
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
        let software = random.below(2) == 0;
        reports.push(check_with(
            &what,
            &expr,
            &inputs,
            0.0,
            &options(|l| l.software = software),
        ));
    }
    all(reports);
}
