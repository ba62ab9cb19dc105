//! Random expressions with reductions, scans, positions, products and joins under random limits: a
//! plan keeps to its limits, each of its invocations stays within every binding, naga accepts every
//! kernel, and the gradient of what can be differentiated is a plan, too.

use super::super::Source;
use super::super::plans::{check, limits, slot};
use zerostride::{Along, Axes, DType, Expr, Options, Plan, Reduction, Scan};

fn axes(source: &mut Source<'_>) -> Axes {
    let axes = match source.below(6) {
        0 => Axes::ALL,
        1 => Axes::new([source.below(5) as isize - 2, source.below(5) as isize - 2]),
        _ => Axes::from(source.below(5) as isize - 2),
    };
    match source.below(2) {
        0 => axes.keepdims(),
        _ => axes,
    }
}

fn reduction(source: &mut Source<'_>) -> Reduction {
    let ddof = source.below(3);
    let last = source.below(2) == 0;
    source.pick(&[
        Reduction::Sum,
        Reduction::Prod,
        Reduction::Mean,
        Reduction::Max,
        Reduction::Min,
        Reduction::Any,
        Reduction::All,
        Reduction::CountNonzero,
        Reduction::L1,
        Reduction::L2,
        Reduction::LogSum,
        Reduction::LogSumExp,
        Reduction::SumSquare,
        Reduction::Var { ddof },
        Reduction::Std { ddof },
        Reduction::ArgMax { last },
        Reduction::ArgMin { last },
    ])
}

fn expression(source: &mut Source<'_>, slots: usize) -> Expr<usize> {
    let mut stack: Vec<Expr<usize>> = (0..slots).map(Expr::slot).collect();
    for _ in 0..1 + source.below(10) {
        let some = |source: &mut Source<'_>| {
            let last = stack.len() - 1;
            match source.below(2) {
                0 => stack[last].clone(),
                _ => stack[source.below(stack.len())].clone(),
            }
        };
        let x = some(source);
        let made = match source.below(14) {
            0..=4 => x.reduce(reduction(source), axes(source)),
            5 => x.reduce_as_is(reduction(source), axes(source)),
            6 => {
                let scan = source.pick(&[Scan::Sum, Scan::Prod]);
                x.scan(scan, Along::from(source.below(4) as isize - 2))
            }
            7 => x.sub(some(source)),
            8 => x.mul(some(source)),
            9 => x.exp(),
            10 => x.transpose(),
            11 => x.take(some(source), source.below(4) as isize - 2),
            12 => Expr::concat(&[x, some(source)], source.below(4) as isize - 2),
            _ => match source.below(4) {
                0 => x.matmul(some(source)),
                1 => x.cast(source.dtype()),
                2 => x.sum_to(vec![source.small()]),
                _ => x.reshape(vec![-1]),
            },
        };
        stack.push(made);
    }
    stack.pop().unwrap_or_else(|| Expr::slot(0))
}

/// One input.
pub fn run(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let limits = limits(&mut source);
    let rank = source.below(5);
    let mut shape: Vec<usize> = (0..rank).map(|_| source.small()).collect();
    while shape.iter().product::<usize>() > 4096 {
        let largest = (0..rank).max_by_key(|&a| shape[a]).unwrap_or(0);
        shape[largest] = shape[largest].div_ceil(2);
    }
    let dtype = match source.below(3) {
        0 => source.dtype(),
        _ => DType::F32,
    };
    let count = 1 + source.below(3);
    let slots: Vec<_> = (0..count)
        .filter_map(|_| slot(&mut source, dtype, &shape))
        .collect();
    if slots.is_empty() {
        return;
    }
    let options = Options::default().with_limits(limits);
    let expr = expression(&mut source, slots.len());
    if let Ok(plan) = Plan::new(&expr, &slots, &options) {
        check(&plan, &limits);
        let wrt: Vec<_> = (0..slots.len()).map(Expr::slot).collect();
        if let Ok(plan) = Plan::many(&expr.gradient(&wrt), &slots, &[], &options) {
            check(&plan, &limits);
        }
    }
}
