//! Random expressions, shapes, views and limits: a plan keeps to its limits, each of its
//! invocations stays within every binding and reads the element that the layouts name, and naga
//! accepts every kernel.

use super::super::Source;
use super::super::plans::{check, limits, slot};
use zerostride::{Accuracy, Expr, Index, Layout, Op, Options, Plan, Rule, Slot, View};

fn expression(source: &mut Source<'_>, slots: usize, ops: &[Op]) -> Expr<usize> {
    let mut stack: Vec<Expr<usize>> = (0..slots).map(Expr::slot).collect();
    for _ in 0..1 + source.below(24) {
        let some = |source: &mut Source<'_>| {
            let last = stack.len() - 1;
            if source.below(2) == 0 {
                stack[last].clone()
            } else {
                stack[source.below(stack.len())].clone()
            }
        };
        let x = some(source);
        let made = match source.below(16) {
            0 => x.cast(source.dtype()),
            1 => x.transpose(),
            2 => x.slice([Index::Ellipsis, Index::Range(None, None, -1)]),
            3 => x.view(View::Slice(vec![source.index(), source.index()])),
            4 => x.view(View::Unsqueeze(vec![source.below(3) as isize - 1])),
            5 => x.add(Expr::literal(i64::from(source.byte()) - 100)),
            6 => x.mul(Expr::literal(f64::from(source.byte()) / 8.0)),
            7 => x.bit_cast(source.dtype()),
            8 if source.below(4) == 0 => x.matmul(some(source)),
            9 => {
                let wider = vec![source.small(), source.small()];
                x.expand(wider)
            }
            n => {
                let op = source.pick(ops);
                let count = if op.fold_step().is_some() {
                    1 + source.below(6)
                } else {
                    op.operands().len()
                };
                let args: Vec<_> = std::iter::once(x)
                    .chain((1..count).map(|_| some(source)))
                    .take(count)
                    .collect();
                let step = if n % 4 == 0 {
                    Expr::step(op, args)
                } else {
                    Expr::promoting(op, args)
                };
                match source.below(12) {
                    0 => step.with_rule(Rule::Pdpd { axis: -1 }),
                    1 => step.with_rule(Rule::Unidirectional),
                    _ => step,
                }
            }
        };
        stack.push(made);
    }
    stack.pop().unwrap_or_else(|| Expr::slot(0))
}

/// One input.
pub fn run(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let limits = limits(&mut source);
    let rank = source.below(7);
    let mut shape: Vec<usize> = (0..rank).map(|_| source.small()).collect();
    while shape.iter().product::<usize>() > 4096 {
        let largest = (0..rank).max_by_key(|&a| shape[a]).unwrap_or(0);
        shape[largest] = shape[largest].div_ceil(2);
    }
    let main = source.dtype();
    let count = 1 + source.below(6);
    let mut slots = Vec::new();
    for _ in 0..count {
        let dtype = if source.below(4) == 0 {
            source.dtype()
        } else {
            main
        };
        slots.extend(slot(&mut source, dtype, &shape));
    }
    if slots.is_empty() {
        return;
    }
    let accuracy = if source.below(3) == 0 {
        Accuracy::Fast
    } else {
        Accuracy::Precise
    };
    let options = Options::default()
        .with_accuracy(accuracy)
        .with_limits(limits);
    let ops: Vec<Op> = Op::table().collect();
    let wrapped = source.below(3) == 0;
    let first = source.pick(&[0, 0, 1, 2, 3, 4, 6, 64, 257]);
    let after = 4 * source.below(6);
    let expr = expression(&mut source, slots.len(), &ops);
    let Ok(mut plan) = Plan::new(&expr, &slots, &options) else {
        return;
    };
    if wrapped {
        // Its result anywhere in a buffer of the caller's.
        let (dtype, shape) = plan.outputs().next().expect("one output");
        let strides = Layout::contiguous(shape)
            .expect("it was planned")
            .strides()
            .to_vec();
        let layout = Layout::new(shape, strides, first).expect("small");
        let end = layout.reach().map_or(0, |r| r.end() + 1) * dtype.size();
        let out = Slot::wrapped(dtype, layout, (end.next_multiple_of(4) + after) as u64);
        match Plan::many(std::slice::from_ref(&expr), &slots, &[out], &options) {
            Ok(with) => plan = with,
            Err(_) => return,
        }
    }
    check(&plan, &limits);
}
