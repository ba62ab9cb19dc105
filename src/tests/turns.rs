//! No invocation takes more turns than its machine's profile has, whatever is computed of arrays of
//! any size.

use crate::dtype::DType;
use crate::expr::Expr;
use crate::op::Op;
use crate::plan::{Limits, Options, Plan, Slot};
use crate::rule::Rule;
use crate::text;

/// Rows and columns, and whole numbers of elements: below and above what llvmpipe's loops may take.
const TALL: [[usize; 2]; 9] = [
    [100_000, 10],
    [450_000, 64],
    [434_177, 64],
    [2_100_000, 64],
    [10_000_000, 3],
    [7_000_000, 300],
    [300, 7_000_000],
    [256, 2_000_000],
    [1, 1 << 30],
];

fn machines() -> [Limits; 6] {
    let limits = Limits::WEBGPU.with_float64(true).with_max_binding(1 << 31);
    let own = limits.with_int64(true);
    // By integers each fold of doubles has turns of its own.
    let by_integers = limits.with_float64(false);
    [limits, own, by_integers]
        .map(|l| [l, l.with_software(true)])
        .concat()
        .try_into()
        .unwrap()
}

fn read(text: &str, slot: &Slot) -> Expr<usize> {
    let parsed = text::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let input = |_| (slot.dtype, slot.layout.shape().clone());
    let bound = parsed.bind_to(&["x"], input, &Rule::Numpy);
    bound.unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Audits the plans of every machine, of an operand of this type and shape.
fn audited(expr: &Expr<usize>, slot: &Slot, what: &str) {
    for limits in machines() {
        audited_for(
            expr,
            slot,
            limits,
            &format!("{what} of {} {}", slot.dtype, slot.layout.shape()),
        );
    }
}

fn audited_for(expr: &Expr<usize>, slot: &Slot, limits: Limits, what: &str) {
    let options = Options::default().with_limits(limits);
    match Plan::new(expr, std::slice::from_ref(slot), &options) {
        Ok(plan) => plan
            .audit()
            .unwrap_or_else(|e| panic!("{what}: {e}\n{plan}")),
        // Sizes that no device has are refused.
        Err(e) => {
            let said = e.to_string();
            let sizes = ["split the arrays", "more than", "at most"];
            assert!(sizes.iter().any(|s| said.contains(s)), "{what}: {said}");
        }
    }
}

/// Audits texts of tall and wide arrays of several types.
fn audited_texts(texts: &[&str]) {
    let dtypes = [DType::F32, DType::U8, DType::I64, DType::F64, DType::F16];
    audited_of(texts, &TALL, &dtypes);
}

/// Audits each text of each shape, of two types in turn where plain `cargo test` runs.
fn audited_of(texts: &[&str], shapes: &[[usize; 2]], dtypes: &[DType]) {
    for (t, text) in texts.iter().enumerate() {
        for (s, &shape) in shapes.iter().enumerate() {
            for dtype in in_turn(t + s, 2, dtypes) {
                let slot = Slot::new(dtype, shape).unwrap();
                audited(&read(text, &slot), &slot, text);
            }
        }
    }
}

/// Where plain `cargo test` runs so many of the types, others for the next turn; else all.
fn in_turn(turn: usize, n: usize, dtypes: &[DType]) -> Vec<DType> {
    let n = match std::env::var_os("ZEROSTRIDE_DRAWS") {
        None => n,
        Some(_) => dtypes.len(),
    };
    let from = dtypes.iter().cycle().skip(turn % dtypes.len());
    from.take(n).copied().collect()
}

#[test]
fn sums_and_means_take_no_more_turns_than_they_may() {
    audited_texts(&[
        "x.sum(0)",
        "x.sum(1)",
        "x.sum()",
        "x.mean(0)",
        "x.mean()",
        "x.std(0)",
        "x.max(0)",
        "argmax(x, 0)",
        "argmax(x, 1)",
        "argmax(x)",
    ]);
}

#[test]
fn what_folds_are_used_for_take_no_more_turns_than_they_may() {
    audited_texts(&[
        "x - x.mean(0)",
        "x / x.sum(1, keepdims=True)",
        "logsumexp(x, 0)",
        "x.sum(0) + x.max(0)",
        "count_nonzero(x, axis=0)",
        "var(x, axis=0) + x.sum(0)",
        "nanmax(x, axis=0)",
        "exp(x - logsumexp(x, axis=1, keepdims=True))",
        "exp(x - logsumexp(x, axis=0, keepdims=True))",
    ]);
}

#[test]
fn scans_and_moves_take_no_more_turns_than_they_may() {
    audited_texts(&[
        "cumsum(x, 0)",
        "cumsum(x, 1)",
        "cumprod(x.T, 0)",
        "concatenate((x, x))",
        "concatenate((x, x), 1)",
        "x.ravel()",
        "roll(x, 100)",
        "pad(x, 3)",
        "diff(x, axis=0)",
        "take(x, arange(x.shape[0])[::-1], 0)",
        "searchsorted(x[0, :3], x)",
        "sort(x[:1000, :300], 1)",
        "sliding_window_view(x, 2, 1).sum(-1)",
        "convolve(x[:, 0], x[0, :3])",
    ]);
}

/// Their loops are of tiles, whatever the types: an audit follows each of many turns.
#[test]
fn products_take_no_more_turns_than_they_may() {
    let shapes = [TALL[0], TALL[3], TALL[6]];
    audited_of(&["x.T @ x"], &shapes, &[DType::F32, DType::U8, DType::F64]);
}

#[test]
fn folds_of_steps_take_no_more_turns_than_they_may() {
    audited_texts(&[
        "(x % 7).sum(0)",
        "(x % 7).sum()",
        "fmod(x, x).max(1)",
        "(x % 7 - (x % 7).mean(0)).sum()",
        "cumsum(x % 3, 0)",
        "x.reshape(-1)[::-1].sum()",
        "x.T.sum(0)",
    ]);
}

#[test]
fn loops_of_steps_count_for_each_quad() {
    let x = Expr::slot(0);
    let power = |x: Expr<usize>| Expr::step(Op::POW, [x.clone(), x]);
    let deep = (0..200).fold(x.clone(), |made, _| power(made));
    let some = |n: usize| (0..n).fold(x.clone(), |made, _| power(made));
    let each = [some(1), some(2), some(5), some(16), deep.clone()];
    let exprs = each
        .iter()
        .flat_map(|e| [e.clone(), e.sum(0), e.sum(1), e.sum(..), e.cumsum(0)]);
    for (e, expr) in exprs.enumerate() {
        for (s, shape) in TALL.into_iter().enumerate() {
            for dtype in in_turn(e + s, 1, &[DType::U32, DType::U64, DType::I8]) {
                audited(&expr, &Slot::new(dtype, shape).unwrap(), "powers");
            }
        }
    }
}

#[test]
fn gradients_take_no_more_turns_than_they_may() {
    let x = Expr::slot(0);
    let of = [x.mul(&x).sum(..), x.max(0).sum(..), x.cumsum(0).sum(..)];
    for gradient in of.iter().flat_map(|y| y.gradient([&x])) {
        for shape in TALL {
            audited(
                &gradient,
                &Slot::new(DType::F32, shape).unwrap(),
                "a gradient",
            );
        }
    }
}

#[test]
fn arrays_of_numbers_alone_take_few_turns() {
    for text in [
        "arange(4300000)",
        "arange(100000000)[::-1]",
        "linspace(0, 1, 50000000)",
        "arange(3000000)[:, None] + x",
    ] {
        let slot = Slot::new(DType::F32, [3]).unwrap();
        audited(&read(text, &slot), &slot, text);
    }
}
