//! The range of one step's result, from the ranges of its operands.

use zerostride::inspect::{Curve, StepInfo};
use zerostride::{DType, Expr, HostTensor, Op, reference};

use super::place::{Place, bits, ends, place};
use super::range::{Range, everything, is_everything, with_ends, with_zero};
use crate::failure::Failure;

/// The place of 2^24 among f32.
const WHOLE: i64 = 0x4b80_0000;

/// The range of a step's result.
pub fn apply(
    step: &StepInfo,
    op: Op,
    operands: &[Range],
    is_added: bool,
) -> Result<Range, Failure> {
    let dtype = step.dtype;
    let slots: Vec<Expr<usize>> = (0..operands.len()).map(Expr::slot).collect();
    let expr = if op == Op::CAST {
        slots[0].cast(dtype)
    } else if op == Op::BIT_CAST {
        slots[0].bit_cast(dtype)
    } else {
        Expr::step(op, slots)
    };
    let value = reference::run(
        &expr,
        &operands.iter().map(|r| r.value.clone()).collect::<Vec<_>>(),
    )?;
    let mut spans: Vec<Span> = bits(&value).map(|b| Span::of(dtype, b)).collect();
    for (span, any) in spans.iter_mut().zip(unknown(op, dtype, operands)) {
        span.any = any;
    }
    for corner in corners(operands, op == Op::MUL && is_square(step))? {
        for (span, b) in spans.iter_mut().zip(bits(&reference::run(&expr, &corner)?)) {
            span.take(place(dtype, b));
        }
    }
    let operand = operands.last().map_or(dtype, |x| x.value.dtype);
    let ulps = op.ulps(operand, dtype, is_added);
    let widened: Vec<_> = spans.iter().map(|s| s.widened(op, dtype, ulps)).collect();
    with_ends(value, &widened)
}

/// Whether both operands are the same elements, so that no product of them is negative.
fn is_square(step: &StepInfo) -> bool {
    match step.operands.as_slice() {
        [a, b] => (a.value, &a.layout) == (b.value, &b.layout),
        _ => false,
    }
}

/// The range of all results that were found for one element of a step.
#[derive(Clone, Copy)]
pub struct Span {
    /// The lowest and the highest place; `None` for NaN.
    ends: Option<(i64, i64)>,
    /// Whether any value is possible.
    pub any: bool,
}

impl Span {
    pub fn new(ends: Option<(i64, i64)>, any: bool) -> Self {
        Self { ends, any }
    }

    /// The span of one result.
    pub fn of(dtype: DType, bits: u64) -> Self {
        let ends = match place(dtype, bits) {
            Place::At(x) => Some((x, x)),
            Place::Nan => None,
        };
        Self { ends, any: false }
    }

    /// Includes one more result.
    pub fn take(&mut self, found: Place) {
        match (found, &mut self.ends) {
            (Place::At(x), Some((low, high))) => (*low, *high) = (x.min(*low), x.max(*high)),
            (Place::Nan, None) => {}
            _ => self.any = true,
        }
    }

    /// The ends of an adapter's results if it may be off by `ulps` units in the last place.
    pub fn widened(&self, op: Op, dtype: DType, ulps: i64) -> Option<(i64, i64)> {
        let flushes = dtype != DType::F16 && !op.keeps_subnormals();
        match (ends(dtype), self.ends) {
            _ if self.any => Some(everything(dtype)),
            (Some((infinity, normal)), Some((low, high))) => {
                // What is 0 or infinite by itself is so everywhere, and whole numbers up to 2^24
                // are f32.
                let is_whole =
                    op == Op::CAST && dtype == DType::F32 && low.abs().max(high.abs()) <= WHOLE;
                // A half may be 0 by rounding.
                let is_zero = low == 0 && dtype == DType::F32;
                let off = if is_whole || low == high && (is_zero || low.abs() == infinity) {
                    0
                } else {
                    ulps
                };
                // A rounded quotient, product or root has the sign of the exact one.
                let keeps_sign = [Op::DIV, Op::ROUNDED_DIV, Op::MUL, Op::SQRT].contains(&op);
                let lowest = if keeps_sign && low >= 0 { 0 } else { -infinity };
                let highest = if keeps_sign && high <= 0 { 0 } else { infinity };
                let ends = ((low - off).max(lowest), (high + off).min(highest));
                Some(if flushes {
                    with_zero(ends, normal)
                } else {
                    ends
                })
            }
            (_, ends) => ends,
        }
    }
}

/// All combinations of the operands' ends, and of 0 where it lies between two. Both operands of a
/// square have the same value.
fn corners(operands: &[Range], is_square: bool) -> Result<Vec<Vec<HostTensor>>, Failure> {
    if operands.iter().all(|r| r.ends.is_none()) {
        return Ok(Vec::new());
    }
    if let [range, _] = operands
        && is_square
    {
        let one = corners(std::slice::from_ref(range), false)?;
        let both = |x: Vec<HostTensor>| [x[0].clone(), x[0].clone()].to_vec();
        return Ok(one.into_iter().map(both).collect());
    }
    let mut all: Vec<Vec<HostTensor>> = vec![Vec::new()];
    for range in operands {
        let mut choices = vec![range.low().clone()];
        if range.ends.is_some() {
            choices.push(range.high().clone());
            let inner: Vec<_> = range
                .places()
                .map(|p| p.map(|(low, high)| (0.clamp(low, high), high)))
                .collect();
            if range
                .places()
                .flatten()
                .any(|(low, high)| low < 0 && high > 0)
            {
                choices.push(with_ends(range.value.clone(), &inner)?.low().clone());
            }
        }
        all = all
            .iter()
            .flat_map(|chosen| {
                choices
                    .iter()
                    .map(|c| chosen.iter().chain([c]).cloned().collect())
            })
            .collect();
    }
    Ok(all)
}

/// The elements that the operands' ends do not bound: an operand may have any value, or the result
/// jumps or turns back between the ends.
fn unknown(op: Op, result: DType, operands: &[Range]) -> Vec<bool> {
    let len = operands.first().map_or(0, |range| range.value.layout.len());
    let mut any = vec![false; len];
    let mut mark = |range: &Range, test: &dyn Fn((i64, i64)) -> bool| {
        for (any, place) in any.iter_mut().zip(range.places()) {
            *any |= place.is_some_and(test);
        }
    };
    for range in operands.iter().filter(|r| r.ends.is_some()) {
        let dtype = range.value.dtype;
        // Of a truth that may be either, both ends say all.
        mark(range, &|p| dtype != DType::Bool && is_everything(dtype, p));
        let curve = op.curve();
        if curve == Curve::Jumps || dtype.is_int() && curve.wraps(result) {
            mark(range, &|(low, high)| low != high);
        }
        if curve == Curve::Periodic {
            // Beyond 1000 a few ULP are no longer small against a period.
            let far = |(low, high): (i64, i64)| {
                low.abs().max(high.abs()) > 0x447a_0000 || high - low > 64
            };
            mark(range, &|p| p.0 != p.1 && (dtype != DType::F32 || far(p)));
        }
        if curve == Curve::Dips {
            // A narrow range around their lowest point is flat.
            mark(range, &|(low, high)| high - low > 4096);
        }
    }
    if let Curve::Pole(operand) = op.curve()
        && let Some(range) = operands.get(operand).filter(|r| r.ends.is_some())
    {
        mark(range, &|(low, high)| low <= 0 && high >= 0 && low != high);
    }
    if let [a, b] = operands
        && op.curve() == Curve::Ties
        && (a.ends.is_some() || b.ends.is_some())
    {
        for (any, (a, b)) in any.iter_mut().zip(a.places().zip(b.places())) {
            if let (Some(a), Some(b)) = (a, b) {
                *any |= a.0 <= b.1 && b.0 <= a.1 && (a.0 != a.1 || b.0 != b.1);
            }
        }
    }
    any
}
