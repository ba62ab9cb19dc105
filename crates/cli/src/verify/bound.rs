//! The error bound of an expression, element by element.
//!
//! Each step may be off by a stated number of units in the last place, [`Op::ulps`]. Later steps
//! carry such errors on as ranges: the reference computes a step at the ends of its operands'
//! ranges, and the range of the result spans all these results, widened by the step's own bound.
//! So cancellation and steep functions widen a range as much as necessary, and a comparison of
//! values whose ranges overlap may give either answer. A fold or a scan applies its operator
//! repeatedly, in the order of the kernels: see [`fold`].

use std::collections::{HashMap, HashSet};

use zerostride::inspect::{StepInfo, StepOperand, StepValue, StepWork};
use zerostride::{DType, HostTensor, Layout, Op};

use super::fold::{fold, scan};
use super::moved::{joined, searched, taken};
use super::product::product;
use super::range::{Range, flushed, through};
use super::step::apply;
use crate::failure::Failure;

/// The range of the result of a plan's last step.
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
            StepWork::Search { right } => searched(*right, &operands)?,
            StepWork::Join { places } => joined(step, places, &operands)?,
            other => {
                return Err(Failure::Failed(format!(
                    "--verify has no bound for {other:?}"
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

/// The earlier step that computes an operand, if one does.
fn earlier(operand: &StepOperand) -> Option<usize> {
    match operand.value {
        StepValue::Step(of) => Some(of),
        StepValue::Slot(_) | StepValue::Number(_) | StepValue::Position => None,
    }
}

fn lost() -> Failure {
    Failure::Failed("the plan's steps are not in order".into())
}

/// The offsets that a layout gives its elements.
fn numbered(layout: &Layout) -> Result<Range, Failure> {
    let numbers = layout.offsets().flat_map(|at| (at as u32).to_le_bytes());
    let host = HostTensor::new(DType::U32, layout.shape(), numbers.collect())?;
    Ok(Range::exact(&host))
}

fn exact(host: &HostTensor, layout: &Layout) -> Range {
    Range::exact(&through(host, layout))
}
