//! The error bound of an expression, element by element.
//!
//! Every step may be off by a stated number of units in the last place, [`Op::ulps`]. What is off
//! is carried through the later steps as a range: a step is computed by the reference at the ends
//! of its operands' ranges, and the range of its result spans all that comes out, widened by the
//! step's own bound. So cancellation and steep functions widen a range as much as they must, and a
//! comparison of values that may be on either side of each other may give either answer. A fold is
//! its operator applied over and over, in the order that the kernels keep: see [`fold`]. So is a
//! scan.

use std::collections::{HashMap, HashSet};

use zerostride::inspect::{StepInfo, StepOperand, StepValue, StepWork};
use zerostride::{DType, HostTensor, Layout, Op};

use super::fold::{fold, scan};
use super::moved::{joined, taken};
use super::place::{Place, bits, ends, place, unplace};
use super::product::product;
use super::step::apply;
use crate::failure::Failure;

/// Results of a step: the reference's, and the ends of what an adapter's may be.
pub struct Range {
    pub value: HostTensor,
    /// The lowest and the highest; `None` if both are the value everywhere. NaN stands only
    /// between NaNs, and the whole line stands for NaN too.
    pub ends: Option<Box<(HostTensor, HostTensor)>>,
}

/// The ranges of the last of a plan's steps.
pub fn of_steps(steps: &[StepInfo], inputs: &[HostTensor]) -> Result<Range, Failure> {
    let mut last_use: HashMap<usize, usize> = HashMap::new();
    // What is folded is rounded before.
    let adds = |s: &&StepInfo| matches!(s.work, StepWork::Map(op) if op.is_sum());
    let sums = steps.iter().filter(adds);
    let added: HashSet<usize> = sums
        .flat_map(|s| s.operands.iter().filter_map(earlier))
        .collect();
    for (n, step) in steps.iter().enumerate() {
        last_use.extend(step.operands.iter().filter_map(earlier).map(|of| (of, n)));
    }
    let mut ranges: Vec<Option<Range>> = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        let mut operands = Vec::with_capacity(step.operands.len());
        for operand in &step.operands {
            let layout = &operand.layout;
            let range = match operand.value {
                StepValue::Slot(slot) => exact(&inputs[slot], layout),
                StepValue::Number(number) => {
                    let bytes = number.bits.to_le_bytes()[..number.dtype.size()].to_vec();
                    exact(&HostTensor::new(number.dtype, [], bytes)?, layout)
                }
                StepValue::Step(of) => ranges[of].as_ref().ok_or_else(lost)?.through(layout)?,
                StepValue::Position => numbered(layout)?,
            };
            let keeps_subnormals = match &step.work {
                StepWork::Product => false,
                work => work.op().is_none_or(Op::keeps_subnormals),
            };
            operands.push(if keeps_subnormals {
                range
            } else {
                flushed(range)?
            });
        }
        let is_added = added.contains(&n);
        ranges.push(Some(match &step.work {
            StepWork::Map(op) => apply(step, *op, &operands, is_added)?,
            StepWork::Fold { op, axes } => fold(step, *op, axes, &operands[0], is_added)?,
            StepWork::Scan { .. } => scan(step, &operands[0], is_added)?,
            StepWork::Product => product(step, &operands)?,
            StepWork::Take { axis } => taken(step, *axis, &operands)?,
            StepWork::Join { places } => joined(step, places, &operands)?,
            other => {
                return Err(Failure::Failed(format!(
                    "--verify has no bound of {other:?}"
                )));
            }
        }));
        for of in step
            .operands
            .iter()
            .filter_map(earlier)
            .filter(|of| last_use[of] == n)
        {
            ranges[of] = None;
        }
    }
    ranges.pop().flatten().ok_or_else(lost)
}

/// The earlier step that an operand is.
fn earlier(operand: &StepOperand) -> Option<usize> {
    match operand.value {
        StepValue::Step(of) => Some(of),
        StepValue::Slot(_) | StepValue::Number(_) | StepValue::Position => None,
    }
}

fn lost() -> Failure {
    Failure::Failed("the plan's steps are not in order".into())
}

/// The numbers that a layout gives its elements.
fn numbered(layout: &Layout) -> Result<Range, Failure> {
    let numbers = layout.offsets().flat_map(|at| (at as u32).to_le_bytes());
    let host = HostTensor::new(DType::U32, layout.shape(), numbers.collect())?;
    Ok(Range::exact(&host))
}

/// The same elements through another layout.
fn through(host: &HostTensor, layout: &Layout) -> HostTensor {
    let mut view = host.clone();
    view.layout = layout.clone();
    view
}

fn exact(host: &HostTensor, layout: &Layout) -> Range {
    Range::exact(&through(host, layout))
}

impl Range {
    /// The range of what is the same everywhere.
    pub fn exact(host: &HostTensor) -> Self {
        Self {
            value: host.clone(),
            ends: None,
        }
    }

    /// The same elements, moved.
    pub fn moved(
        &self,
        to: impl Fn(&HostTensor) -> Result<HostTensor, Failure>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            value: to(&self.value)?,
            ends: match &self.ends {
                Some(ends) => Some(Box::new((to(&ends.0)?, to(&ends.1)?))),
                None => None,
            },
        })
    }

    fn through(&self, layout: &Layout) -> Result<Self, Failure> {
        self.moved(|host| Ok(through(host, layout)))
    }

    /// The same elements with the axes in another order.
    pub fn turned(&self, order: &[usize]) -> Result<Self, Failure> {
        self.moved(|host| {
            let layout = &host.layout;
            let extents: Vec<usize> = order.iter().map(|&a| layout.shape().extents()[a]).collect();
            let strides = order.iter().map(|&a| layout.strides()[a]).collect();
            Ok(through(
                host,
                &Layout::new(extents, strides, layout.offset())?,
            ))
        })
    }

    pub fn low(&self) -> &HostTensor {
        self.ends.as_ref().map_or(&self.value, |e| &e.0)
    }

    pub fn high(&self) -> &HostTensor {
        self.ends.as_ref().map_or(&self.value, |e| &e.1)
    }

    /// The places of both ends of each element; `None` for NaN.
    pub fn places(&self) -> impl Iterator<Item = Option<(i64, i64)>> + '_ {
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

    /// How far below and above the reference each element may be. Infinite if anything may be.
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
pub fn everything(dtype: DType) -> (i64, i64) {
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

pub fn is_everything(dtype: DType, found: (i64, i64)) -> bool {
    found == everything(dtype)
}

/// The range with 0 if a driver may take a subnormal number for 0. A subnormal f16 is a normal
/// f32.
fn flushed(range: Range) -> Result<Range, Failure> {
    let dtype = range.value.dtype;
    let Some((_, normal)) = ends(dtype).filter(|_| dtype != DType::F16) else {
        return Ok(range);
    };
    let zeroed = |ends| with_zero(ends, normal);
    if range.places().flatten().all(|ends| zeroed(ends) == ends) {
        return Ok(range);
    }
    let places: Vec<_> = range.places().map(|p| p.map(zeroed)).collect();
    with_ends(range.value, &places)
}

/// A range's ends with 0 between them if one is subnormal. `normal`: the place of the smallest
/// normal number.
pub fn with_zero((low, high): (i64, i64), normal: i64) -> (i64, i64) {
    let is_small = |x: i64| x.abs() < normal;
    (
        if is_small(low) { low.min(0) } else { low },
        if is_small(high) { high.max(0) } else { high },
    )
}

/// A range of these ends; `None` if the value is NaN and stays so.
pub fn with_ends(value: HostTensor, places: &[Option<(i64, i64)>]) -> Result<Range, Failure> {
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
