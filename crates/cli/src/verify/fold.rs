//! The range of the result of a fold or a scan, from the ranges of its elements.
//!
//! Elements are joined two by two at the ends of their ranges, in the order of the kernels and the
//! reference. So exact elements give one result, and only a driver that flushes subnormal numbers
//! to 0 gives another.

use zerostride::inspect::{Curve, StepInfo, StepWork};
use zerostride::{DType, HostTensor, Op};

use super::place::{Place, bits, place, unplace};
use super::range::{Range, is_everything, with_ends};
use super::step::Span;
use crate::failure::Failure;

/// The reference's value, and the lowest and highest place of an adapter's; `None` for NaN.
#[derive(Clone, Copy)]
struct Element {
    bits: u64,
    ends: Option<(i64, i64)>,
}

/// The range of a fold's result.
pub fn fold(
    step: &StepInfo,
    op: Op,
    axes: &[usize],
    operand: &Range,
    is_added: bool,
) -> Result<Range, Failure> {
    let extents = operand.value.layout.shape().extents();
    let (reduced, kept): (Vec<usize>, Vec<usize>) =
        (0..extents.len()).partition(|axis| axes.contains(axis));
    let extent = |&axis: &usize| extents[axis];
    let rows = operand.turned(&[kept.clone(), reduced.clone()].concat())?;
    let elements: Vec<Element> = bits(&rows.value)
        .zip(rows.places())
        .map(|(bits, ends)| Element { bits, ends })
        .collect();
    let dtype = step.dtype;
    let ulps = op.ulps(dtype, dtype, is_added);
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let count: usize = reduced.iter().map(extent).product();
    for row in elements.chunks(count.max(1)) {
        let Some(folded) = step.fold(row.to_vec(), |a, b| join(step, op, a, b)) else {
            continue;
        };
        bytes.extend_from_slice(&folded.bits.to_le_bytes()[..dtype.size()]);
        let any = folded.is_anything(dtype);
        let span = Span::new(folded.ends, any);
        ends.push(span.widened(op, dtype, ulps));
    }
    let shape: Vec<usize> = kept.iter().map(extent).collect();
    with_ends(HostTensor::new(dtype, shape, bytes)?, &ends)
}

/// The range of a scan's results.
pub fn scan(step: &StepInfo, operand: &Range, is_added: bool) -> Result<Range, Failure> {
    let StepWork::Scan {
        op,
        axis,
        reverse,
        begin,
    } = step.work
    else {
        return Err(Failure::Failed("the step is not a scan".into()));
    };
    let (extents, dtype) = (step.shape.extents(), step.dtype);
    let ulps = op.ulps(dtype, dtype, is_added);
    let elements: Vec<Element> = bits(&operand.value)
        .zip(operand.places())
        .map(|(bits, ends)| Element { bits, ends })
        .collect();
    let begin = begin.map(|bits| {
        let ends = match place(dtype, bits) {
            Place::At(x) => Some((x, x)),
            Place::Nan => None,
        };
        Element { bits, ends }
    });
    let mut scanned = elements.clone();
    let within: usize = extents[axis + 1..].iter().product();
    let row = within * extents[axis];
    let firsts = (0..elements.len()).filter(|n| n % row.max(1) < within);
    for first in firsts {
        let mut places: Vec<usize> = (first..first + row).step_by(within).collect();
        if reverse {
            places.reverse();
        }
        let own = places.iter().map(|&n| elements[n]).collect();
        let results = step.scan(own, begin, |a, b| join(step, op, a, b));
        for (n, result) in places.into_iter().zip(results) {
            scanned[n] = result;
        }
    }
    let widened = |x: &Element| {
        let span = Span::new(x.ends, x.is_anything(dtype));
        span.widened(op, dtype, ulps)
    };
    let ends: Vec<_> = scanned.iter().map(widened).collect();
    let bytes = scanned
        .iter()
        .flat_map(|x| x.bits.to_le_bytes().into_iter().take(dtype.size()));
    with_ends(HostTensor::new(dtype, extents, bytes.collect())?, &ends)
}

/// Joins two elements.
fn join(step: &StepInfo, op: Op, a: &Element, b: &Element) -> Element {
    let dtype = step.dtype;
    let joined = |x, y| step.compute(&[x, y]).unwrap_or_default();
    let bits = joined(a.bits, b.bits);
    let mut span = Span::of(dtype, bits);
    if !a.is_exact() || !b.is_exact() {
        span.any = [a, b].iter().any(|x| x.is_anything(dtype))
            || dtype.is_int() && may_jump(step, op, a, b);
        let others = b.corners(dtype);
        for x in a.corners(dtype) {
            for &y in &others {
                span.take(place(dtype, joined(x, y)));
            }
        }
    }
    Element {
        bits,
        ends: span.widened(op, dtype, 0),
    }
}

/// Whether integers within two ranges may give results beyond those of the ranges' ends.
fn may_jump(step: &StepInfo, op: Op, a: &Element, b: &Element) -> bool {
    let (Some(a), Some(b)) = (a.ends, b.ends) else {
        return true;
    };
    // Between 0 and 1 there is nothing.
    let is_truth = |ends: (i64, i64)| ends.0 >= 0 && ends.1 <= 1;
    if op.curve() == Curve::Ordered || is_truth(a) && is_truth(b) {
        return false;
    }
    if !op.is_sum() {
        return true;
    }
    let at = |x: i64| unplace(step.dtype, x);
    let sum = |x, y| step.compute(&[at(x), at(y)]).unwrap_or_default();
    let [low, high] = [sum(a.0, b.0), sum(a.1, b.1)].map(|s| match place(step.dtype, s) {
        Place::At(x) => i128::from(x),
        Place::Nan => 0,
    });
    let width = |(low, high): (i64, i64)| i128::from(high) - i128::from(low);
    // Less if it wraps.
    high - low != width(a) + width(b)
}

impl Element {
    /// Whether it is the same on every adapter.
    fn is_exact(&self) -> bool {
        self.ends.is_none_or(|(low, high)| low == high)
    }

    fn is_anything(&self, dtype: DType) -> bool {
        self.ends.is_some_and(|ends| is_everything(dtype, ends))
    }

    /// The bits of both ends, and of 0 if it lies between them.
    fn corners(&self, dtype: DType) -> Vec<u64> {
        match self.ends {
            Some((low, high)) if low != high => {
                let inner = (low < 0 && high > 0).then_some(0);
                let all = [Some(low), Some(high), inner].into_iter().flatten();
                all.map(|x| unplace(dtype, x)).collect()
            }
            _ => vec![self.bits],
        }
    }
}
