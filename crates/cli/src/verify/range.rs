//! The error bound of an expression, element by element.
//!
//! Every step may be off by a stated number of units in the last place, [`step_ulps`]. What is off
//! is carried through the later steps as a range: a step is computed by the reference at the ends
//! of its operands' ranges, and the range of its result spans all that comes out, widened by the
//! step's own bound. So cancellation and steep functions widen a range as much as they must, and a
//! comparison of values that may be on either side of each other may give either answer.

use std::collections::{HashMap, HashSet};

use zerostride::op::Types;
use zerostride::reference::{self, HostTensor};
use zerostride::{DType, Expr, Layout, Op, Plan};

use super::place::{Place, bits, ends, place, unplace};
use crate::failure::Failure;

/// The place of 2^24 among f32.
const WHOLE: i64 = 0x4b80_0000;

/// Results of a step: the reference's, and the ends of what an adapter's may be.
pub struct Range {
    value: HostTensor,
    /// The lowest and the highest; `None` where both are the value everywhere. NaN stands only
    /// between NaNs, and the whole line stands for NaN too.
    ends: Option<Box<(HostTensor, HostTensor)>>,
}

/// How far a step's result may be from the correctly rounded one, in units in the last place.
///
/// Moves, tests, minima and maxima, sums and differences are exact or correctly rounded everywhere
/// (WGSL asks for it). So are products, but a driver may leave one unrounded that another step
/// adds. Division is within 2.5 and square root within 4.5 by WGSL's rules, conversions of large
/// integers may round either way, and the functions of this crate are within 4. A type of two bytes
/// is computed as f32, so the last rounding is off by one at most.
pub fn step_ulps(op: Op, operand: DType, result: DType, is_added: bool) -> i64 {
    let exact = [
        Op::ADD,
        Op::SUB,
        Op::MAXIMUM,
        Op::MINIMUM,
        Op::CLIP,
        Op::WHERE,
        Op::IDENTITY,
        Op::NEG,
        Op::ABS,
        Op::MOD,
        Op::FMOD,
        Op::RELU,
        Op::FLOOR,
        Op::CEIL,
        Op::ROUND,
        Op::ROUND_AWAY,
        Op::TRUNC,
        Op::SIGN,
        Op::BIT_CAST,
    ];
    let stated = [
        (Op::MUL, i64::from(is_added && result == DType::F32)),
        (Op::PRELU, i64::from(is_added && result == DType::F32)),
        (
            Op::CAST,
            i64::from(operand.is_int() && operand.size() >= result.size()),
        ),
        (Op::DIV, 3),
        (Op::RECIPROCAL, 3),
        (Op::FLOOR_DIV, 2),
        (Op::SQRT, 5),
    ];
    let f32_ulps = match stated.iter().find(|(o, _)| *o == op) {
        _ if !result.is_float() || exact.contains(&op) => 0,
        Some((_, ulps)) => *ulps,
        // The reference's own functions of f64 count too; those of f32 it computes in f64.
        None if result == DType::F64 => 8,
        None => 4,
    };
    if result.size() < 4 {
        f32_ulps.min(1)
    } else {
        f32_ulps
    }
}

/// The ranges of a plan's output.
pub fn of_plan(plan: &Plan, inputs: &[HostTensor]) -> Result<Range, Failure> {
    let steps = plan.steps()?;
    let mut last_use: HashMap<usize, usize> = HashMap::new();
    let sums = steps.iter().filter(|s| [Op::ADD, Op::SUB].contains(&s.op));
    let added: HashSet<usize> = sums
        .flat_map(|s| s.operands.iter().filter_map(|o| o.step))
        .collect();
    for (n, step) in steps.iter().enumerate() {
        last_use.extend(
            step.operands
                .iter()
                .filter_map(|o| o.step)
                .map(|of| (of, n)),
        );
    }
    let mut ranges: Vec<Option<Range>> = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        let mut operands = Vec::with_capacity(step.operands.len());
        for operand in &step.operands {
            let layout = &operand.layout;
            let range = match (operand.slot, operand.number, operand.step) {
                (Some(slot), ..) => exact(&inputs[slot], layout),
                (_, Some(number), _) => {
                    let bytes = number.bits.to_le_bytes()[..number.dtype.size()].to_vec();
                    exact(&HostTensor::new(number.dtype, [], bytes)?, layout)
                }
                (_, _, Some(of)) => ranges[of]
                    .as_ref()
                    .map(|r| r.through(layout))
                    .ok_or_else(lost)?,
                _ => return Err(lost()),
            };
            operands.push(flushed(range, step.op)?);
        }
        let is_added = added.contains(&n);
        ranges.push(Some(apply(step.op, step.dtype, &operands, is_added)?));
        for of in step
            .operands
            .iter()
            .filter_map(|o| o.step)
            .filter(|of| last_use[of] == n)
        {
            ranges[of] = None;
        }
    }
    ranges.pop().flatten().ok_or_else(lost)
}

fn lost() -> Failure {
    Failure::Failed("the plan's steps are not in order".into())
}

fn exact(host: &HostTensor, layout: &Layout) -> Range {
    Range {
        value: HostTensor {
            layout: layout.clone(),
            ..host.clone()
        },
        ends: None,
    }
}

impl Range {
    fn through(&self, layout: &Layout) -> Self {
        let view = |host: &HostTensor| HostTensor {
            layout: layout.clone(),
            ..host.clone()
        };
        let ends = self
            .ends
            .as_ref()
            .map(|e| Box::new((view(&e.0), view(&e.1))));
        Self {
            value: view(&self.value),
            ends,
        }
    }

    fn low(&self) -> &HostTensor {
        self.ends.as_ref().map_or(&self.value, |e| &e.0)
    }

    fn high(&self) -> &HostTensor {
        self.ends.as_ref().map_or(&self.value, |e| &e.1)
    }

    /// The places of both ends of each element; `None` for NaN.
    fn places(&self) -> impl Iterator<Item = Option<(i64, i64)>> + '_ {
        let dtype = self.value.dtype;
        bits(self.low())
            .zip(bits(self.high()))
            .map(
                move |(low, high)| match (place(dtype, low), place(dtype, high)) {
                    (Place::At(low), Place::At(high)) => Some((low, high)),
                    _ => None,
                },
            )
    }

    /// How far below and above the reference each element may be. Infinite where anything may be.
    pub fn reach(&self) -> Vec<(f64, f64)> {
        let dtype = self.value.dtype;
        let reach = |(ends, value): (Option<(i64, i64)>, u64)| match (ends, place(dtype, value)) {
            (None, _) => (0.0, 0.0),
            (Some(ends), Place::At(value)) if !is_everything(dtype, ends) => {
                (value.abs_diff(ends.0) as f64, ends.1.abs_diff(value) as f64)
            }
            _ => (f64::INFINITY, f64::INFINITY),
        };
        self.places().zip(bits(&self.value)).map(reach).collect()
    }
}

/// The whole line of a type.
fn everything(dtype: DType) -> (i64, i64) {
    let width = 8 * dtype.size() as u32;
    match ends(dtype) {
        Some((infinity, _)) => (-infinity, infinity),
        None if dtype == DType::Bool => (0, 1),
        None if dtype.is_signed() || width == 64 => {
            (i64::MIN >> (64 - width), i64::MAX >> (64 - width))
        }
        None => (0, (1 << width) - 1),
    }
}

fn is_everything(dtype: DType, found: (i64, i64)) -> bool {
    found == everything(dtype)
}

/// The range with 0 where a driver may take a subnormal number for 0. A subnormal f16 is a normal
/// f32.
fn flushed(range: Range, op: Op) -> Result<Range, Failure> {
    let dtype = range.value.dtype;
    let flushes = dtype != DType::F16 && !op.keeps_subnormals();
    let Some((_, normal)) = ends(dtype).filter(|_| flushes) else {
        return Ok(range);
    };
    let is_small = |x: i64| x != 0 && x.abs() < normal;
    if !range
        .places()
        .flatten()
        .any(|(low, high)| is_small(low) || is_small(high))
    {
        return Ok(range);
    }
    let zeroed = |(low, high)| {
        (
            if is_small(low) { low.min(0) } else { low },
            if is_small(high) { high.max(0) } else { high },
        )
    };
    let places: Vec<_> = range.places().map(|p| p.map(zeroed)).collect();
    with_ends(range.value, &places)
}

/// A range of these ends; `None` where the value is NaN and stays so.
fn with_ends(value: HostTensor, places: &[Option<(i64, i64)>]) -> Result<Range, Failure> {
    let dtype = value.dtype;
    let is_exact = bits(&value)
        .zip(places)
        .all(|(b, p)| p.is_none_or(|(low, high)| low == high && place(dtype, b) == Place::At(low)));
    if is_exact {
        return Ok(Range { value, ends: None });
    }
    let pack = |end: fn((i64, i64)) -> i64| {
        let found = bits(&value)
            .zip(places)
            .map(|(b, p)| p.map_or(b, |p| unplace(dtype, end(p))));
        let bytes = found
            .flat_map(|b| b.to_le_bytes().into_iter().take(dtype.size()))
            .collect();
        HostTensor::new(dtype, value.layout.shape(), bytes)
    };
    let ends = Some(Box::new((pack(|p| p.0)?, pack(|p| p.1)?)));
    Ok(Range { value, ends })
}

/// The range of a step's result.
fn apply(op: Op, dtype: DType, operands: &[Range], is_added: bool) -> Result<Range, Failure> {
    let slots: Vec<Expr<usize>> = (0..operands.len()).map(Expr::slot).collect();
    let expr = match op.types {
        Types::Cast => slots[0].cast(dtype),
        Types::BitCast => slots[0].bit_cast(dtype),
        _ => Expr::step(op, slots),
    };
    let value = reference::run(
        &expr,
        &operands.iter().map(|r| r.value.clone()).collect::<Vec<_>>(),
    )?;
    let mut spans: Vec<Option<(i64, i64)>> = bits(&value)
        .map(|b| match place(dtype, b) {
            Place::At(x) => Some((x, x)),
            Place::Nan => None,
        })
        .collect();
    let mut any = unknown(op, dtype, operands, spans.len());
    for corner in corners(operands)? {
        for (n, b) in bits(&reference::run(&expr, &corner)?).enumerate() {
            match (place(dtype, b), &mut spans[n]) {
                (Place::At(x), Some((low, high))) => (*low, *high) = (x.min(*low), x.max(*high)),
                (Place::Nan, None) => {}
                _ => any[n] = true,
            }
        }
    }
    let operand = operands.last().map_or(dtype, |x| x.value.dtype);
    let ulps = step_ulps(op, operand, dtype, is_added);
    let flushes = dtype != DType::F16 && !op.keeps_subnormals();
    let widened = |(span, any): (&Option<(i64, i64)>, bool)| match (ends(dtype), *span) {
        _ if any => Some(everything(dtype)),
        (Some((infinity, normal)), Some((low, high))) => {
            // What is 0 or infinite by itself is so everywhere, and whole numbers up to 2^24 are
            // f32.
            let is_whole =
                op == Op::CAST && dtype == DType::F32 && low.abs().max(high.abs()) <= WHOLE;
            // A half may be 0 by rounding.
            let is_zero = low == 0 && dtype == DType::F32;
            let off = if is_whole || low == high && (is_zero || low.abs() == infinity) {
                0
            } else {
                ulps
            };
            let (low, high) = ((low - off).max(-infinity), (high + off).min(infinity));
            let is_small = |x: i64| flushes && x.abs() < normal;
            Some((
                if is_small(low) { low.min(0) } else { low },
                if is_small(high) { high.max(0) } else { high },
            ))
        }
        (_, span) => span,
    };
    let widened: Vec<_> = spans.iter().zip(any).map(widened).collect();
    with_ends(value, &widened)
}

/// All combinations of the ends of those operands that have two, and of 0 where it lies between
/// them.
fn corners(operands: &[Range]) -> Result<Vec<Vec<HostTensor>>, Failure> {
    if operands.iter().all(|r| r.ends.is_none()) {
        return Ok(Vec::new());
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

/// The elements of which the ends of the operands say nothing: an operand may be anything, or the
/// result jumps or turns back between the ends.
fn unknown(op: Op, result: DType, operands: &[Range], len: usize) -> Vec<bool> {
    let mut any = vec![false; len];
    let mut mark = |range: &Range, test: &dyn Fn((i64, i64)) -> bool| {
        for (any, place) in any.iter_mut().zip(range.places()) {
            *any |= place.is_some_and(test);
        }
    };
    for range in operands.iter().filter(|r| r.ends.is_some()) {
        mark(range, &|p| is_everything(range.value.dtype, p));
        let dtype = range.value.dtype;
        let bits = [
            Op::BIT_AND,
            Op::BIT_OR,
            Op::BIT_XOR,
            Op::BIT_NOT,
            Op::BIT_CAST,
        ];
        let jumps = [Op::MOD, Op::FMOD, Op::TAN].contains(&op) || bits.contains(&op);
        // Whole numbers wrap.
        let compares = matches!(op.types, Types::Test(_))
            || [Op::MAXIMUM, Op::MINIMUM, Op::CLIP].contains(&op);
        let wraps = dtype.is_int()
            && if op == Op::CAST {
                result.is_int()
            } else {
                !compares
            };
        if jumps || wraps {
            mark(range, &|(low, high)| low != high);
        }
        if [Op::SIN, Op::COS].contains(&op) {
            // Beyond 1000 a few ULP are no longer small against a period.
            let far = |(low, high): (i64, i64)| {
                low.abs().max(high.abs()) > 0x447a_0000 || high - low > 64
            };
            mark(range, &|p| p.0 != p.1 && (dtype != DType::F32 || far(p)));
        }
        if [Op::GELU, Op::GELU_TANH, Op::MISH, Op::SWISH].contains(&op) {
            // A narrow range around their lowest point is flat.
            mark(range, &|(low, high)| high - low > 4096);
        }
    }
    let poles = [
        (Op::DIV, 1),
        (Op::FLOOR_DIV, 1),
        (Op::RECIPROCAL, 0),
        (Op::POW, 0),
    ];
    let pole = poles
        .iter()
        .find(|(o, _)| *o == op)
        .and_then(|(_, i)| operands.get(*i));
    if let Some(range) = pole.filter(|r| r.ends.is_some()) {
        mark(range, &|(low, high)| low <= 0 && high >= 0 && low != high);
    }
    if let [a, b] = operands
        && [Op::EQUAL, Op::NOT_EQUAL].contains(&op)
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
