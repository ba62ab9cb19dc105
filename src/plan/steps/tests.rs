//! What the list of steps promises.

use super::*;
use crate::dtype::DType;
use crate::expr::{Along, Axes, Expr, Reduction};
use crate::host::HostTensor;
use crate::plan::{Limits, Options, Slot};
use crate::reference;
use crate::shape::Shape;
use crate::view::View;

mod twin;

use twin::computed;

#[test]
fn steps_of_several_passes_are_one_list() {
    let slots = vec![Slot::new(DType::F32, [4]).unwrap(); 8];
    let sum = (1..8).fold(Expr::slot(0), |sum, i| sum.add(Expr::slot(i)));
    let limits = Limits::WEBGPU.with_max_storage_buffers(4);
    let plan = Plan::new(&sum, &slots, &Options::default().with_limits(limits)).unwrap();
    let steps = plan.steps().unwrap();
    let slot_of = |o: &StepOperand| match o.value {
        StepValue::Slot(slot) => Some(slot),
        _ => None,
    };
    assert!(plan.pass_count() > 1 && steps.len() == 7, "{plan}");
    let mut used: Vec<usize> = steps
        .iter()
        .flat_map(|s| s.operands.iter().filter_map(slot_of))
        .collect();
    used.sort_unstable();
    assert_eq!(used, [0, 1, 2, 3, 4, 5, 6, 7]);
    for (n, step) in steps.iter().enumerate() {
        assert!(
            step.operands
                .iter()
                .all(|o| !matches!(o.value, StepValue::Step(of) if of >= n))
        );
    }
    let moved = Plan::new(&Expr::slot(0), &slots, &Options::default())
        .unwrap()
        .steps()
        .unwrap();
    let is_moved = moved[0].work == StepWork::Map(Op::IDENTITY);
    assert!(moved.len() == 1 && is_moved, "{moved:?}");
}

/// A machine with wide units and one with few threads, and no windows on either.
fn machines() -> [Options; 2] {
    [false, true].map(|software| {
        let limits = Limits::WEBGPU.with_software(software).with_float64(true);
        Options::default().with_limits(limits)
    })
}

fn floats(shape: &[usize]) -> HostTensor {
    let len: usize = shape.iter().product();
    let value = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 64.0 - 7.0;
    let bytes = (0..len).flat_map(|i| value(i).to_le_bytes());
    HostTensor::new(DType::F32, shape, bytes.collect()).unwrap()
}

#[test]
fn what_is_listed_gives_the_result() {
    let x = || Expr::slot(0);
    let kept = |axis: isize| Axes::from(axis).keepdims();
    let softmax = |x: &Expr<usize>| {
        let e = x.sub(x.max(kept(1))).exp();
        e.div(e.sum(kept(1)))
    };
    let wide = |e: Expr<usize>| e.expand([70, 66]);
    let cases = [
        ("z", (x().sub(x().mean(0))).div(x().std(0))),
        ("softmax", softmax(&x())),
        ("logsumexp", x().logsumexp(1)),
        ("argmax", x().argmax(1)),
        (
            "last argmin",
            x().reduce(Reduction::ArgMin { last: true }, 0),
        ),
        ("position of doubles", x().cast(DType::F64).argmin(0)),
        ("position of all", x().argmax(..)),
        ("any", x().reduce(Reduction::Any, 0)),
        ("of a sum", x().sum(0).sum(0)),
        ("beside its rows", x().sum(0).add(x().sum(0).mean(0))),
        (
            "of positions",
            x().add(x().argmax(0).cast(DType::F32)).sum(1),
        ),
        ("repeated", wide(x().sum(0))),
        ("of what repeats", wide(x().sum(kept(0))).prod(0)),
        ("transposed", x().view(View::Transpose).sum(0)),
        ("alone", x().max(..)),
    ];
    for (name, expr) in &cases {
        let inputs = [floats(&[70, 66])];
        let expected = reference::run(expr, &inputs).unwrap();
        let slots = [Slot::new(DType::F32, [70, 66]).unwrap()];
        for options in machines() {
            let plan = Plan::new(expr, &slots, &options).unwrap();
            let found = computed(&plan.steps().unwrap(), &inputs);
            assert_eq!(found, expected, "{name}: {plan}");
        }
    }
}

#[test]
fn a_fold_is_listed_once_however_many_passes_compute_it() {
    let cases = [
        (Expr::slot(0).sum(..), vec![1_200_000], 1),
        (
            Expr::slot(0).mul(Expr::slot(0)).sum(1).sqrt(),
            vec![2, 600_000],
            3,
        ),
        (
            Expr::slot(0).argmax(..).cast(DType::F32),
            vec![1_200_000],
            0,
        ),
    ];
    for (expr, shape, count) in cases {
        let inputs = [floats(&shape)];
        let slots = [Slot::new(DType::F32, shape).unwrap()];
        let [options, _] = machines();
        let plan = Plan::new(&expr, &slots, &options).unwrap();
        let steps = plan.steps().unwrap();
        let is_fold = |s: &&StepInfo| matches!(s.work, StepWork::Fold { .. });
        let folds = steps.iter().filter(is_fold).count();
        assert!(plan.pass_count() > 1 && folds == 1, "{plan}");
        assert!(count == 0 || steps.len() == count, "{steps:?}");
        let expected = reference::run(&expr, &inputs).unwrap();
        assert_eq!(computed(&steps, &inputs), expected, "{plan}");
    }
}

#[test]
fn a_scan_is_listed_once_however_many_passes_compute_it() {
    let x = || Expr::slot(0);
    let along = Along::axis(0);
    let cases = [
        (x().cumsum(0), vec![50_000], 1),
        (x().cumsum(along.reverse()), vec![50_000], 1),
        (x().mul(x()).cumsum(1).sqrt(), vec![2, 9000], 3),
        (x().cumsum(along.exclusive()), vec![3000, 5], 1),
        (x().cumprod(along.reverse().exclusive()), vec![40, 7], 1),
        (x().cumsum(0).cumsum(1), vec![300, 20], 2),
        (
            x().cumsum(1).sub(x().sum(Axes::from(1).keepdims())),
            vec![3, 70],
            3,
        ),
    ];
    for (expr, shape, count) in cases {
        let inputs = [floats(&shape)];
        let expected = reference::run(&expr, &inputs).unwrap();
        let slots = [Slot::new(DType::F32, shape).unwrap()];
        for options in machines() {
            let windows = options.limits.with_max_elements(2048);
            for options in [options, options.with_limits(windows)] {
                let plan = Plan::new(&expr, &slots, &options).unwrap();
                let steps = plan.steps().unwrap();
                assert_eq!(steps.len(), count, "{plan}");
                assert_eq!(computed(&steps, &inputs), expected, "{plan}");
            }
        }
    }
}

#[test]
fn steps_behind_a_fold_have_the_shape_of_its_rows() {
    let x = Expr::slot(0);
    let slots = [Slot::new(DType::F32, [4, 6]).unwrap()];
    let expr = x.sub(x.mean(Axes::from(1).keepdims()));
    let [options, _] = machines();
    let plan = Plan::new(&expr, &slots, &options).unwrap();
    let steps = plan.steps().unwrap();
    let [sum, mean, difference] = steps.as_slice() else {
        panic!("{plan}")
    };
    let op = Op::ADD;
    assert_eq!(sum.work, StepWork::Fold { op, axes: vec![1] });
    assert_eq!(sum.operands[0].layout.shape(), &Shape::from([4, 6]));
    assert_eq!(sum.shape, Shape::from([4]));
    assert_eq!(mean.shape, Shape::from([4, 1]));
    assert_eq!(mean.work, StepWork::Map(Op::ROUNDED_DIV));
    assert_eq!(difference.work, StepWork::Map(Op::SUB));
    assert_eq!(difference.shape, Shape::from([4, 6]));
    let read = &difference.operands[1];
    assert_eq!(
        (read.value, read.layout.strides()),
        (StepValue::Step(1), [1, 0].as_slice())
    );
}

#[test]
fn results_without_elements_and_of_no_elements_are_listed() {
    let x = || Expr::slot(0);
    let inputs = [floats(&[0, 3])];
    let slots = [Slot::new(DType::F32, [0, 3]).unwrap()];
    let rows = x().max(Axes::from(1).keepdims());
    for (expr, len) in [
        (x().sub(&rows), 0),
        (x().sum(0).prod(0), 1),
        (x().sum(0), 3),
    ] {
        for options in machines() {
            let plan = Plan::new(&expr, &slots, &options).unwrap();
            let steps = plan.steps().unwrap();
            assert_eq!(steps.is_empty(), len == 0, "{plan}");
            if len > 0 {
                let expected = reference::run(&expr, &inputs).unwrap();
                assert_eq!(computed(&steps, &inputs), expected, "{plan}");
            }
        }
    }
}

#[test]
fn what_is_computed_in_windows_is_listed_once() {
    let x = Expr::slot(0);
    let inputs = [floats(&[64, 64])];
    let slots = [Slot::new(DType::F32, [64, 64]).unwrap()];
    let limits = Limits::WEBGPU.with_max_elements(1024);
    let options = Options::default().with_limits(limits);
    let between = x.sub(x.sum(Axes::from(1).keepdims()));
    let product = x.matmul(&x).add(Expr::literal(1.0));
    for (expr, count) in [
        (x.sum(1), 1),
        (x.sum(0), 1),
        (between, 2),
        (x.exp(), 1),
        (x.matmul(&x), 1),
        (product, 2),
        (Expr::concat(&[x.clone(), x.exp()], 0).neg(), 3),
    ] {
        let plan = Plan::new(&expr, &slots, &options).unwrap();
        let steps = plan.steps().unwrap();
        assert!(plan.pass_count() > count && steps.len() == count, "{plan}");
        let expected = reference::run(&expr, &inputs).unwrap();
        assert_eq!(computed(&steps, &inputs), expected, "{plan}");
    }
}

#[test]
fn products_and_what_is_moved_are_listed() {
    let (x, positions) = (Expr::slot(0), Expr::slot(1));
    let indices = [3u32, 0, 69, 7].into_iter().flat_map(u32::to_le_bytes);
    let inputs = [
        floats(&[70, 66]),
        HostTensor::new(DType::U32, [2, 2], indices.collect()).unwrap(),
    ];
    let slots = inputs
        .iter()
        .map(|x| Slot::new(x.dtype, x.layout.shape().clone()).unwrap())
        .collect::<Vec<_>>();
    let turned = x.view(View::Transpose);
    let cube = x.reshape([7, 10, 66]);
    let halves = |x: &Expr<usize>| x.cast(DType::F16);
    let cases = [
        ("product", x.matmul(&turned)),
        ("of halves", halves(&x).matmul(halves(&turned))),
        ("of batches", cube.matmul(&turned).mean(0)),
        ("of vectors", x.matmul(x.sum(0))),
        ("under a view", turned.matmul(&x).slice((3.., ..))),
        ("taken", x.take(&positions, 0)),
        ("taken of a step", x.exp().take(&positions, -1).neg()),
        (
            "searched",
            positions
                .cumsum(1)
                .reshape([-1])
                .slice(1..3)
                .searchsorted(&positions, true),
        ),
        ("joined", Expr::concat(&[x.clone(), halves(&x)], -1)),
        (
            "stacked",
            Expr::stack(&[x.sum(0), x.mean(0)], 1).mul(Expr::literal(2.0)),
        ),
        (
            "numbers",
            Expr::stack(&[Expr::literal(1.5), Expr::slot(0).sum(..)], 0),
        ),
        (
            "scattered",
            x.slice((1, ..))
                .exp()
                .sum(..)
                .gradient(std::slice::from_ref(&x))
                .remove(0),
        ),
    ];
    for (name, expr) in &cases {
        let expected = reference::run(expr, &inputs).unwrap();
        for options in machines() {
            let plan = Plan::new(expr, &slots, &options).unwrap();
            let found = computed(&plan.steps().unwrap(), &inputs);
            assert_eq!(found, expected, "{name}: {plan}");
        }
    }
}

#[test]
fn a_listed_fold_keeps_the_stated_order() {
    let x = Expr::slot(0);
    let slots = [Slot::new(DType::F32, [6]).unwrap()];
    let plan = Plan::new(&x.sum(0), &slots, &Options::default()).unwrap();
    let steps = plan.steps().unwrap();
    let row = ["a", "b", "c", "d", "e", "f"].map(String::from).to_vec();
    let order = steps[0].fold(row, |a, b| format!("({a}{b})"));
    assert_eq!(order.as_deref(), Some("(((ae)c)((bf)d))"));
    assert_eq!(steps[0].fold(Vec::new(), |&a: &u8, _| a), None);
    let [one, two] = [1f32, 2.0].map(|x| u64::from(x.to_bits()));
    assert_eq!(
        steps[0].compute(&[one, two]),
        Some(u64::from(3f32.to_bits()))
    );
    assert_eq!(steps[0].compute(&[one]), None);
}
