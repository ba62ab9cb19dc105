//! What invocations hold of their rows, and the memory of their workgroups.

use super::planned;
use crate::dtype::DType;
use crate::expr::{Axes, Expr};
use crate::op::LANES;
use crate::plan::fold::FoldSchedule;
use crate::plan::slot::{QUAD, Slot};
use crate::plan::{Arithmetic, FloatFact, Limits, Options, Plan, Work};

#[test]
fn a_workgroup_has_room_for_its_lanes_and_results() {
    let x = Expr::slot(0);
    // Of each type that kernels have.
    let less = |axis: isize, output: DType| {
        let largest = |of| {
            let kept = Axes::from(axis).keepdims();
            x.cast(of).max(kept).cast(DType::F32)
        };
        let types = [DType::F32, DType::I32, DType::U32, DType::I64];
        let less = types
            .into_iter()
            .fold(x.clone(), |e, of| e.sub(largest(of)));
        less.cast(output)
    };
    let shapes = [[64, 1021], [1021, 64], [300, 2047], [64, 1], [3000, 17]];
    for invocations in [16, 64, 256] {
        for software in [false, true] {
            let limits = Limits::WEBGPU
                .with_software(software)
                .with_max_invocations(invocations);
            for shape in shapes {
                for output in [DType::F16, DType::U8, DType::F32, DType::I64] {
                    for axis in [0, 1] {
                        let plan = planned(&less(axis, output), &[&shape], limits);
                        plan.audit().unwrap();
                    }
                }
            }
        }
    }
}

/// All steps of a row of any length are held, and those of which nothing is asked are there.
#[test]
fn rows_of_every_length_are_held_whole() {
    let norm = |count: usize, limits| {
        let x = Expr::slot(0);
        let kept = Axes::from(-1).keepdims();
        let norm = x.sub(x.mean(kept.clone())).div(x.std(kept));
        planned(&norm, &[&[3, count]], limits)
    };
    for software in [false, true] {
        // On software adapters quotients by integers are too long for rows of so many quads.
        let quotients = Arithmetic::UNKNOWN.with(FloatFact::Quotients, software);
        let limits = Limits::WEBGPU
            .with_software(software)
            .with_arithmetic(quotients);
        for steps in 1..=17 {
            for count in [256 * steps - 1, 256 * steps, 256 * steps + 90] {
                let plan = norm(count, limits);
                plan.audit().unwrap();
                assert!(plan.to_string().contains("reads each row once"), "{plan}");
            }
        }
        let plan = norm(4096, limits);
        let Work::Fold(dealt) = plan.passes[0].work else {
            panic!("{plan}")
        };
        for own in [1, 2, 4, 8, 16] {
            for count in 1..=32 * 256 {
                let threads = (LANES / QUAD) as u32 / own;
                let held = FoldSchedule {
                    threads,
                    own,
                    ..dealt
                }
                .holding(count);
                let (step, each) = (held.step(), held.step() / own as usize);
                let before = (held.held as usize - 1) * step;
                let all = before + held.held_last as usize * each;
                let unasked = held.held_full() as usize * step;
                assert!(
                    (count..).contains(&all) && unasked <= count,
                    "{count}: {held:?}"
                );
                assert!(
                    held.held <= 32 && all < 2 * count + step,
                    "{count}: {held:?}"
                );
            }
        }
    }
}

/// Compilers take seconds for hundreds of quotients by integers, and one browser's ends with a fault.
#[test]
fn a_kernel_has_long_steps_for_few_quads_of_an_invocation() {
    let x = Expr::slot(0);
    let divided = x.div(Expr::literal(64.0));
    for (software, axes) in [
        (false, 0..1),
        (false, 1..2),
        (true, 0..1),
        (true, 1..2),
        (true, 0..2),
    ] {
        let axes = Axes::from(axes.collect::<Vec<isize>>());
        let less = divided.sub(divided.max(axes.clone().keepdims()));
        let of = [
            (DType::F32, x.neg().sum(axes.clone()), 32),
            (DType::F32, less.exp().sum(axes.clone()), 20),
            (
                DType::F32,
                divided.sin().add(divided.cos()).sum(axes.clone()),
                15,
            ),
            (DType::F64, x.sin().std(axes), 1),
        ];
        let options = Options::default().with_limits(Limits::WEBGPU.with_software(software));
        for (dtype, expr, most) in of {
            for shape in [[2, 255], [5, 12], [300, 300], [3000, 70]] {
                let plan = Plan::new(&expr, &[Slot::new(dtype, shape).unwrap()], &options).unwrap();
                plan.audit().unwrap();
                let long = plan.passes.iter().filter(|pass| !pass.steps.is_empty());
                let long: Vec<_> = long.filter_map(|pass| pass.work.fold()).collect();
                assert!(!long.is_empty(), "{plan}");
                for s in long {
                    let quads = s.held_quads().max((s.own * s.beside * s.together) as usize);
                    assert!(quads <= most, "{quads} of {most}: {plan}");
                }
            }
        }
    }
}
