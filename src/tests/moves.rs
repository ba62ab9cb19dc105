//! Joins, rolls, pads and numbers are elementwise passes over their result: one where bindings allow.

use std::collections::BTreeSet;

use crate::dtype::DType;
use crate::expr::Expr;
use crate::plan::{Limits, MAX_INDICES, Options, Plan, Slot, Source};
use crate::rule::Rule;
use crate::text;

fn plan(text: &str, slots: &[Slot], limits: Limits) -> Plan {
    let parsed = text::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let names = ["x", "y"];
    let known = |i: usize| (slots[i].dtype, slots[i].layout.shape().clone());
    let expr = parsed
        .bind_to(&names[..slots.len()], known, &Rule::Numpy)
        .unwrap_or_else(|e| panic!("{text}: {e}"));
    let options = Options::default().with_limits(limits);
    Plan::new(&expr, slots, &options).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn what_moves_elements_is_one_pass_of_any_size() {
    let texts = [
        "concatenate((x, x))",
        "concatenate((x, y), 1)",
        "concatenate((x, y, x[::-1], 0 * y))",
        "stack((x, y, x), -1)",
        "roll(x, 100)",
        "roll(x, (3, -2), (0, 1))",
        "pad(x, 3)",
        "pad(x, ((0, 5), (7, 0)), constant_values=2)",
        "pad(x, 2, mode='edge')",
        "tile(x, (2, 1))",
        "-concatenate((abs(x), y * 2))",
        "arange(4300000)",
        "linspace(0, 1, 4300000)",
        "x * arange(6)",
        "concatenate((x, y)).sum(0)",
    ];
    let limits = Limits::WEBGPU.with_max_binding(1 << 31);
    for text in texts {
        for software in [false, true] {
            for dtype in [DType::F32, DType::U8, DType::F16, DType::U64] {
                let slots = [(); 2].map(|()| Slot::new(dtype, [4_300_000, 6]).unwrap());
                let plan = plan(text, &slots, limits.with_software(software));
                let most = match text {
                    // Nine pieces, of seven bindings.
                    "pad(x, 2, mode='edge')" => 2,
                    // Sums of columns are added up in parts.
                    "concatenate((x, y)).sum(0)" => 4,
                    _ => 1,
                };
                assert!(plan.pass_count() <= most, "{text} of {dtype}: {plan}");
            }
        }
    }
}

#[test]
fn a_kernel_works_with_few_indices() {
    let slots = [Slot::new(DType::F32, [20]).unwrap()];
    let x = Expr::slot(0);
    let part = |from: isize| x.slice([crate::Index::Range(Some(from), Some(from + 9), 1)]);
    let rolled = |by: isize| {
        Expr::concat(
            [
                x.slice([crate::Index::Range(Some(by), None, 1)]),
                part(by - 1),
            ],
            0,
        )
    };
    let numbers = x.indices(0);
    let exprs = [
        ("rolls", Expr::concat((0..34).map(|k| rolled(1 + k % 6)), 0)),
        ("slices", Expr::concat((0..400).map(|k| part(k % 12)), 0)),
        ("stacked", Expr::stack((0..70).map(|k| part(k % 12)), 1)),
        (
            "numbers",
            (1..70).fold(numbers.clone(), |sum, k| {
                let first = (k % 20) as isize;
                sum + numbers.slice([crate::Index::Range(Some(first), Some(first + 1), 1)])
            }),
        ),
    ];
    for (what, expr) in exprs {
        let options = Options::default().with_limits(Limits::WEBGPU);
        let plan = Plan::new(&expr, &slots, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
        for pass in &plan.passes {
            let numbers = pass.inputs.iter().filter(|x| x.source == Source::Numbers);
            assert!(numbers.count() <= MAX_INDICES, "{what}: {plan}");
        }
    }
}

#[test]
fn joins_that_are_longer_than_kernels_count_are_refused_where_they_are_tested() {
    let long = 1usize << 32;
    let slots = [Slot::new(DType::U8, [4]).unwrap()];
    let x = Expr::slot(0);
    let of = |extent: usize| Expr::scalar(1u8).expand([extent]);
    let every = |step: isize| [crate::Index::Range(None, None, step)];
    let last = [crate::Index::Range(Some(-7), None, 1)];
    for expr in [
        Expr::concat([of(long), x.clone()], 0).slice(last),
        Expr::concat([x.clone(), of(2 * long)], 0).slice(every(1 << 32)),
        Expr::concat([of(long - 3), x.clone()], 0).slice(every(1 << 28)),
        Expr::concat([of(long - 3), x.clone()], 0).slice(every(-(1 << 28))),
    ] {
        let error = Plan::new(&expr, &slots, &Options::default()).unwrap_err();
        assert!(error.to_string().contains("2^32"), "{error}");
    }
    // An element of one piece alone needs no test.
    let inside =
        Expr::concat([of(long), x.clone()], 0).slice([crate::Index::Range(Some(-3), None, 1)]);
    Plan::new(&inside, &slots, &Options::default()).unwrap();
}

#[test]
fn pieces_in_another_order_are_gathered_for_windows() {
    let slots = [Slot::new(DType::U32, [600, 70_000]).unwrap()];
    for text in [
        "roll(x.T, 1, 0)",
        "roll(x.T, 1, 1)",
        "roll(x, 1, 0).T",
        "concatenate((x.T, x.T[:9]))",
        "pad(x.T, 2)",
    ] {
        for software in [false, true] {
            let limits = Limits::WEBGPU.with_software(software);
            let plan = plan(text, &slots, limits);
            assert!(
                plan.pass_count() < 100,
                "{text}: {} passes",
                plan.pass_count()
            );
        }
    }
}

/// Each element is read once and written once, by kernels that are the same for like pieces, but
/// that pieces beside one another lie below one another first.
#[test]
fn many_pieces_are_written_one_by_one() {
    let slots = [Slot::new(DType::F32, [4096, 30]).unwrap()];
    let x = Expr::slot(0);
    let rows = |k: isize| x.slice([crate::Index::Range(Some(8 * k), Some(8 * k + 64), 1)]);
    let copies = [
        ("joined", 1, Expr::concat((0..400).map(rows), 0)),
        (
            "reshaped",
            1,
            Expr::concat((0..400).map(rows), 0).reshape([-1, 8]),
        ),
        ("stacked", 1, Expr::stack((0..400).map(rows), 0)),
        ("beside", 2, Expr::concat((0..400).map(rows), 1)),
        ("twice", 2, Expr::concat((0..400).map(rows), 0) * 2.0),
    ];
    for (what, copies, expr) in copies {
        let plan = Plan::new(&expr, &slots, &Options::default()).unwrap();
        assert_eq!(plan.bytes_moved(), copies * 2 * 400 * 64 * 30 * 4, "{what}");
        assert_eq!(plan.pass_count(), 400 + copies as usize - 1, "{what}");
        let kernels: BTreeSet<_> = plan.kernels().into_iter().collect();
        // The last piece may fill the last word.
        assert!(kernels.len() <= 1 + copies as usize, "{what}: {plan}");
    }
}

/// What several pieces are of, or one repeats, is computed once if it costs much.
#[test]
fn costly_pieces_are_computed_once() {
    let slots = [Slot::new(DType::F32, [4, 3000]).unwrap()];
    let x = Expr::slot(0);
    let row = |of: &Expr<usize>, k: isize| {
        of.slice([crate::Index::Range(Some(k % 4), Some(k % 4 + 1), 1)])
    };
    let exp = x.exp();
    let of = |pieces: Vec<Expr<usize>>| Expr::concat(pieces, 0);
    let cases = [
        ("several", 21, of((0..20).map(|k| row(&exp, k)).collect())),
        (
            "repeated",
            40,
            of((0..20)
                .map(|k| (row(&x, k) + k as f32).exp().expand([9, 3000]))
                .collect()),
        ),
        (
            "each its own",
            20,
            of((0..20).map(|k| (row(&x, k) + k as f32).exp()).collect()),
        ),
    ];
    for (what, passes, expr) in cases {
        let plan = Plan::new(&expr, &slots, &Options::default()).unwrap();
        assert_eq!(plan.pass_count(), passes, "{what}: {plan}");
        // Each kind of piece is shown.
        assert!(plan.to_string().contains("exp"), "{what}: {plan}");
    }
}

#[test]
fn pieces_beyond_the_bindings_are_joined_some_at_a_time() {
    let limits = Limits::WEBGPU
        .with_max_binding(1 << 31)
        .with_max_storage_buffers(4);
    for count in [2usize, 3, 4, 7, 20] {
        let slots: Vec<Slot> = (1..=count)
            .map(|extent| Slot::new(DType::I32, [extent, 1000]).unwrap())
            .collect();
        let joined = Expr::concat((0..count).map(Expr::slot), 0);
        let options = Options::default().with_limits(limits);
        let plan = Plan::new(&joined, &slots, &options).unwrap();
        // Each pass binds three pieces, or joins of them, and a result; many are written one by one.
        let (least, most) = match count {
            20 => (20, 20),
            _ => ((count - 1).div_ceil(2), count - 1),
        };
        let passes = plan.pass_count();
        assert!((least..=most).contains(&passes), "{count}: {plan}");
    }
}
