//! Plans of reductions keep to their laws, whatever is reduced of what.

mod held;
mod scans;

use proptest::prelude::*;

use super::schedule::{FoldSchedule, beside, chunk, deal, split};
use super::{Across, FoldSpace};
use crate::dtype::DType;
use crate::expr::{Axes, Expr};
use crate::layout::Layout;
use crate::op::{GROUP, LANES};
use crate::plan::schedule::{FoldProfile, GPU, SOFTWARE};
use crate::plan::{Limits, Options, Plan, Slot, Work};
use crate::view::{Index, View};

fn planned(expr: &Expr<usize>, shapes: &[&[usize]], limits: Limits) -> Plan {
    let slot = |shape: &&[usize]| Slot::new(DType::F32, *shape).unwrap();
    let slots: Vec<Slot> = shapes.iter().map(slot).collect();
    Plan::new(expr, &slots, &Options::default().with_limits(limits)).unwrap()
}

fn folds(plan: &Plan) -> usize {
    let mut passes = plan.passes.iter();
    passes
        .by_ref()
        .filter(|p| matches!(p.work, Work::Fold(_)))
        .count()
}

#[test]
fn what_runs_along_one_axis_is_one_pass() {
    let x = Expr::slot(0);
    let kept = Axes::from(-1).keepdims();
    let exps = x.sub(x.max(kept.clone())).exp();
    let softmax = exps.div(exps.sum(kept.clone()));
    let centred = x.sub(x.mean(kept.clone()));
    let cases = [
        ("sum", x.sum(-1)),
        ("mean", x.mean(-1)),
        ("std", x.std(-1)),
        ("softmax", softmax.clone()),
        ("logarithm of softmax", x.sub(x.logsumexp(kept.clone()))),
        ("layer norm", centred.div(x.std(kept))),
        ("argmax of an expression", centred.argmax(-1)),
        ("range", x.max(-1).sub(x.min(-1))),
    ];
    for software in [false, true] {
        let limits = Limits::WEBGPU.with_software(software).with_float64(true);
        for (what, expr) in &cases {
            let plan = planned(expr, &[&[4096, 768]], limits);
            assert_eq!((plan.pass_count(), folds(&plan)), (1, 1), "{what}: {plan}");
            plan.audit().unwrap();
        }
        // More rows than a dispatch may compute: some of them each, read once.
        let few = limits.with_max_elements(1 << 20);
        for (what, expr) in &cases {
            let plan = planned(expr, &[&[4096, 257]], few);
            assert_eq!(plan.pass_count(), folds(&plan), "{what}: {plan}");
            let read: u64 = plan.bytes_moved();
            assert!(read <= 4096 * 258 * 8 + 4096 * 8, "{what}: {plan}");
            plan.audit().unwrap();
        }
        // A row that does not fit is gone through by a pass for each reduction.
        let plan = planned(&softmax, &[&[4, 1 << 20]], limits);
        assert!(folds(&plan) >= 2 && plan.pass_count() > 2, "{plan}");
    }
}

#[test]
fn broadcasts_of_more_elements_than_a_dispatch_are_folded_in_parts() {
    let pairs = Expr::slot(0).mul(Expr::slot(1)).sum(Axes::ALL);
    for software in [false, true] {
        let limits = Limits::WEBGPU.with_software(software);
        for n in [16_384, 16_385, 20_000, 46_340, 50_000] {
            let plan = planned(&pairs, &[&[n, 1], &[1, n]], limits);
            plan.audit().unwrap_or_else(|e| panic!("{e}: {plan}"));
            assert_eq!(folds(&plan), plan.pass_count(), "{plan}");
            let temporaries: usize = plan.temporaries.iter().map(|t| t.len).sum();
            assert!(temporaries < n * n / 8, "{plan}");
        }
        let four = |axis: usize| -> Vec<usize> {
            (0..4).map(|a| if a == axis { 178 } else { 1 }).collect()
        };
        let x = [0, 1, 2, 3].map(Expr::slot);
        let sum = x[0].add(&x[1]).add(&x[2]).add(&x[3]).sum(Axes::ALL);
        let shapes = [0, 1, 2, 3].map(four);
        let shapes: Vec<&[usize]> = shapes.iter().map(|s| &s[..]).collect();
        let plan = planned(&sum, &shapes, limits);
        plan.audit().unwrap_or_else(|e| panic!("{e}: {plan}"));
    }
}

#[test]
fn rows_that_begin_anywhere_are_written_as_neighbours_on_gpus() {
    let x = Expr::slot(0);
    let centred = x.sub(x.sum(Axes::from(-1).keepdims()));
    for count in (2..=300).chain([1023, 4097, 8193, 9001, 16383]) {
        let plan = planned(&centred, &[&[500, count]], Limits::WEBGPU);
        let Work::Fold(schedule) = plan.passes[0].work else {
            panic!("{plan}")
        };
        let odd = !count.is_multiple_of(4);
        assert_eq!(schedule.apart || schedule.staged, odd, "{plan}");
        // A warp has one row, or a workgroup puts its rows together.
        assert_eq!(schedule.staged, odd && schedule.threads < 32, "{plan}");
        assert!(!odd || schedule.threads <= 32 || count > 1024, "{plan}");
        assert_eq!(plan.pass_count(), 1, "{plan}");
        plan.audit().unwrap_or_else(|e| panic!("{e}: {plan}"));
        let software = planned(
            &centred,
            &[&[500, count]],
            Limits::WEBGPU.with_software(true),
        );
        let Work::Fold(schedule) = software.passes[0].work else {
            panic!("{software}")
        };
        assert!(!schedule.apart && !schedule.staged, "{software}");
    }
}

#[test]
fn folds_of_few_long_rows_are_folded_in_parts_together() {
    let [x, y] = [0, 1].map(Expr::slot);
    let kept = Axes::from(-1).keepdims();
    let scores = x.sub(x.mean(kept.clone())).div(x.std(kept.clone()));
    let relative = x.max(-1).sub(x.min(-1));
    let behind = x.sum(-1).mul(x.mul(&x).sum(-1)).add(&y);
    // An expression, how often it reads the rows, and how many passes it is.
    let cases = [
        ("scores", scores, 3, 7),
        ("relative", relative, 1, 3),
        ("behind", behind, 1, 3),
    ];
    for software in [false, true] {
        for (shape, row) in [([4, 1 << 22], [4]), ([3, (1 << 22) + 5], [3])] {
            let len: u64 = shape.iter().map(|&e: &usize| e as u64).product();
            for (what, expr, reads, passes) in &cases {
                let limits = Limits::WEBGPU.with_software(software);
                let plan = planned(expr, &[&shape, &row], limits);
                plan.audit().unwrap_or_else(|e| panic!("{what}: {e}"));
                // Of rows that are fewer still, parts are short and leave more.
                if shape[0] < 4 {
                    continue;
                }
                let written = if *reads > 1 { len } else { 0 };
                let most = 4 * (reads * len + written) + (1 << 21);
                assert!(plan.bytes_moved() <= most, "{what}: {plan}");
                assert!(plan.pass_count() <= *passes, "{what}: {plan}");
            }
        }
    }
    // A pass that goes on with the lanes of more folds than it may bind: each apart.
    let many = (1..9u8).fold(x.sum(-1), |all, n| {
        all.add(x.mul(Expr::scalar(f32::from(n))).max(-1))
    });
    let plan = planned(&many, &[&[4, 1 << 22]], Limits::WEBGPU);
    plan.audit().unwrap();
}

#[test]
fn tall_columns_beyond_a_binding_are_folded_in_parts_of_all_of_them() {
    let x = Expr::slot(0);
    let tall = x.slice([Index::Range(None, Some(65_537), 1)]);
    for expr in [tall.argmax(0), tall.sum(0), tall.max(0).sub(tall.min(0))] {
        for software in [false, true] {
            let limits = Limits::WEBGPU.with_software(software);
            let plan = planned(&expr, &[&[70_000, 1000]], limits);
            assert!(plan.pass_count() <= 5, "{} passes", plan.pass_count());
            plan.audit().unwrap();
        }
    }
}

#[test]
fn narrow_results_are_written_by_the_pass_that_folds() {
    let x = Expr::slot(0);
    for axis in [0, 1] {
        let centred = x.sub(x.max(Axes::from(axis).keepdims()));
        for strides in [[64, 1], [1, 24]] {
            for (offset, bytes) in [(0, 1 << 20), (1, 1 << 20), (0, 3072)] {
                let layout = |strides: &[isize], offset| {
                    Layout::new([24, 64], strides.to_vec(), offset).unwrap()
                };
                let slots = [Slot::wrapped(DType::F16, layout(&strides, 0), 1 << 20)];
                let out = [Slot::wrapped(DType::F16, layout(&[64, 1], offset), bytes)];
                for software in [false, true] {
                    let limits = Limits::WEBGPU.with_software(software);
                    let options = Options::default().with_limits(limits);
                    let exprs = std::slice::from_ref(&centred);
                    let plan = Plan::many(exprs, &slots, &out, &options).unwrap();
                    assert_eq!(plan.audit(), Ok(()));
                    assert_eq!(plan.pass_count(), 1, "{plan}");
                }
            }
        }
    }
}

#[test]
fn narrow_results_of_any_rows_are_one_pass() {
    let x = Expr::slot(0);
    for software in [false, true] {
        let options = Options::default().with_limits(Limits::WEBGPU.with_software(software));
        for dtype in [DType::F16, DType::I8] {
            for (shape, axis) in [([64, 257], 1), ([64, 257], 0), ([64, 2], 1), ([3, 8191], 1)] {
                let slots = [Slot::new(dtype, shape).unwrap()];
                let largest = x.max(Axes::from(axis));
                let less = x.sub(x.max(Axes::from(axis).keepdims()));
                for expr in [largest, less] {
                    let plan = Plan::new(&expr, &slots, &options).unwrap();
                    assert_eq!((plan.pass_count(), plan.audit()), (1, Ok(())), "{plan}");
                }
            }
        }
    }
}

#[test]
fn rows_that_are_few_are_folded_in_parts() {
    for profile in [&SOFTWARE, &GPU] {
        assert_eq!(split(1, chunk(1), profile), None);
        assert_eq!(split(1 << 16, 1 << 20, profile), None);
        let levels = split(1, 1 << 24, profile).unwrap();
        assert!(chunk(levels) < 1 << 24 && chunk(levels) == LANES * GROUP.pow(levels));
    }
    let plan = planned(&Expr::slot(0).sum(..), &[&[1 << 24]], Limits::WEBGPU);
    assert!(folds(&plan) > 1, "{plan}");
    assert!(plan.bytes_moved() < (1 << 26) + (1 << 22), "{plan}");
}

#[test]
fn a_sum_over_several_axes_is_cut_where_a_binding_ends() {
    for shape in [&[6, 6_000_000][..], &[3, 2, 7_000_000], &[2, 36_000_001]] {
        let plan = planned(&Expr::slot(0).sum(..), &[shape], Limits::WEBGPU);
        plan.audit().unwrap();
        assert!(folds(&plan) > 2, "{plan}");
    }
}

#[test]
fn every_lane_has_an_invocation() {
    let few = |profile: &FoldProfile| [1, 5, 16].map(|quads| profile.with_quads(quads, 256));
    let all = [SOFTWARE.folds, GPU.folds];
    for profile in all.iter().flat_map(few).chain(all) {
        for count in (1..600).chain([4095, 4096, 1 << 20]) {
            for rows in [1, 2, 3, 8, 9, 1000] {
                for width in [32, 64, 128, 256] {
                    for across in [Across::Reduced, Across::Kept] {
                        let FoldSchedule {
                            threads,
                            in_turn,
                            own,
                            rows: beside,
                            ..
                        } = deal(across, rows, count, true, width, &profile);
                        let lanes = match across {
                            Across::Reduced => 4 * threads * own,
                            Across::Kept => threads * own,
                        } as usize;
                        let what = format!(
                            "{across:?} {rows} x {count}, {width}: {threads} {own} {beside}"
                        );
                        assert!(lanes >= count.min(LANES) && lanes <= LANES, "{what}");
                        assert!(threads.is_power_of_two() && own.is_power_of_two(), "{what}");
                        let invocations = if in_turn { beside } else { threads * beside };
                        assert!(beside > 0 && invocations <= width, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn quads_of_columns_beside_one_another_are_of_one_row_and_leave_enough_invocations() {
    for columns in (4..2000usize).step_by(4).chain([67, 129, 1023]) {
        for outer in [1, 3, 40] {
            let quads = outer * columns.div_ceil(4);
            let own = |profile| beside(Across::Kept, quads, columns, profile) as usize;
            let n = own(&SOFTWARE.folds);
            let what = format!("{outer} x {columns}: {n}");
            assert!(n == 1 || columns.is_multiple_of(4 * n), "{what}");
            assert!(
                n == 1 || quads / n >= SOFTWARE.folds.columns_alone,
                "{what}"
            );
            assert_eq!(own(&GPU.folds), 1, "{what}");
            assert_eq!(beside(Across::Reduced, quads, columns, &SOFTWARE.folds), 1);
        }
    }
    assert_eq!(beside(Across::Kept, 1024, 4096, &SOFTWARE.folds), 4);
}

#[test]
fn software_adapters_alone_fold_columns_in_turn_and_move_places_by_steps() {
    let text = |shape: &[usize], software: bool| {
        let limits = Limits::WEBGPU.with_software(software);
        let plan = planned(&Expr::slot(0).sum(0), &[shape], limits);
        let text = plan.to_string();
        let mapping = text.lines().find(|line| line.starts_with("  mapping "));
        (mapping.unwrap().to_owned(), plan.kernels().concat())
    };
    // All lanes at once, a few columns' lanes by several invocations, and lanes in turn.
    let in_turn = |shape: &[usize]| text(shape, true).0.contains("at a time");
    assert!(!in_turn(&[8, 4096]) && !in_turn(&[4096, 20]) && in_turn(&[4096, 4096]));
    let (plan, kernel) = text(&[4096, 4096], true);
    assert!(
        plan.contains("1 invocation a quad of columns, 8 lanes of 4 quads at a time"),
        "{plan}"
    );
    assert!(!kernel.contains("workgroupBarrier") && kernel.contains("w0_0 += "));
    let (plan, kernel) = text(&[4096, 4096], false);
    assert!(!plan.contains("at a time"), "{plan}");
    assert!(!kernel.contains("w0_0") && !kernel.contains("var turn"));
}

#[test]
fn spaces_are_counted() {
    let space = FoldSpace::of(&[2, 3, 5].into(), &[0, 2]);
    assert_eq!((space.rows, space.count, space.trailing), (3, 10, false));
    assert!(FoldSpace::of(&[2, 3, 1].into(), &[1]).trailing);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn plans_of_reductions_keep_to_their_laws(
        extents in prop::collection::vec(1usize..9, 1..5),
        long in prop::option::of((0usize..4, prop::sample::select(vec![255usize, 256, 300, 1030]))),
        reduced in prop::collection::vec(any::<bool>(), 5),
        broadcast in prop::collection::vec(any::<bool>(), 5),
        change in 0usize..4,
        form in 0usize..5,
        software in any::<bool>(),
        elements in prop::sample::select(vec![1u64 << 28, 700, 5000]),
        binding in prop::sample::select(vec![1u64 << 27, 4096]),
    ) {
        let mut extents = extents;
        let rank = extents.len();
        if let Some((axis, extent)) = long {
            extents[axis % rank] = extent;
        }
        prop_assume!(extents.iter().product::<usize>() < 6000);
        let axes: Vec<isize> = (0..rank).filter(|&a| reduced[a]).map(|a| a as isize).collect();
        let mut other = extents.clone();
        other.iter_mut().zip(&broadcast).for_each(|(e, &b)| if b { *e = 1 });
        let [x, y] = [0, 1].map(Expr::slot);
        let reversed: Vec<Index> = (0..rank).map(|_| Index::Range(None, None, -1)).collect();
        let (x, extents) = match change {
            0 => (x.view(View::Slice(reversed)), extents),
            1 => (x.transpose(), extents.into_iter().rev().collect()),
            _ => (x, extents),
        };
        let product = x.mul(&y);
        let kept = Axes::new(axes.clone()).keepdims();
        let expr = match form {
            0 => product.sum(Axes::new(axes)),
            1 => product.max(Axes::new(axes)).sqrt(),
            2 => product.sub(product.mean(kept)),
            3 => product.var(Axes::new(axes)),
            _ => product.sum(kept).add(&y),
        };
        let limits = Limits::WEBGPU
            .with_software(software)
            .with_max_elements(elements)
            .with_max_binding(binding);
        let slots = [extents, other].map(|shape| Slot::new(DType::F32, shape).unwrap());
        if let Ok(plan) = Plan::new(&expr, &slots, &Options::default().with_limits(limits)) {
            prop_assert_eq!(plan.audit(), Ok(()));
        }
    }
}
