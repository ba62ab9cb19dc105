//! The steps of a plan as a list.

use std::collections::HashMap;

use super::Plan;
use super::mapped::Work;
use super::operand::{Arg, Source, Target};
use super::windowed::{Place, Role};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Scalar;
use crate::layout::Layout;
use crate::op::Op;
use crate::shape::Shape;

/// A step of a plan, as [`Plan::steps`] lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepInfo {
    /// The operator; a cast's target is `dtype`.
    pub op: Op,
    /// The type of its result.
    pub dtype: DType,
    /// The shape of its pass, which all operands are brought to.
    pub shape: Shape,
    /// Its operands.
    pub operands: Vec<StepOperand>,
}

/// An operand of a listed step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepOperand {
    /// What it is.
    pub value: StepValue,
    /// Where its elements lie, on the axes of the step's shape, in elements: in an input's buffer,
    /// or in the row-major elements of an earlier step. Strides are 0 for a number.
    pub layout: Layout,
}

/// What an operand of a listed step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepValue {
    /// The input of a slot.
    Slot(usize),
    /// A number.
    Number(Scalar),
    /// An earlier step, counted from 0 in the list.
    Step(usize),
}

impl Plan {
    /// The steps of all passes in the order they are computed; the last gives output 0 of a plan
    /// with one output. A pass that only moves elements is listed as one identity.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a plan with a matrix product. [`Error::TooManyElements`] cannot
    /// happen: the plan's shapes are known to fit.
    pub fn steps(&self) -> Result<Vec<StepInfo>> {
        let mut steps: Vec<StepInfo> = Vec::new();
        let mut between: HashMap<usize, usize> = HashMap::new();
        for pass in &self.passes {
            if !matches!(pass.work, Work::Map(_)) {
                return Err(Error::unsupported(
                    "a list of steps of a plan with a matrix product or a reduction",
                ));
            }
            // The windows of a result are listed once, as a whole.
            let group = match pass.window {
                None => None,
                Some(Place {
                    number: 0,
                    role: Role::Compute,
                    group,
                    ..
                }) => Some(&self.groups[group]),
                Some(_) => continue,
            };
            let shape = group.map_or(&pass.shape, |g| &g.shape);
            let input = |i: usize| match group {
                Some(group) => (group.inputs[i].source, &group.inputs[i].slot.layout),
                None => (pass.inputs[i].source, &pass.inputs[i].layout),
            };
            let first = steps.len();
            let whole = Layout::contiguous(shape)?;
            let nowhere = Layout::new(shape, vec![0; shape.rank()], 0)?;
            let operand = |arg: &Arg| {
                let (value, layout) = match *arg {
                    Arg::Input(i) => match input(i) {
                        (Source::Slot(slot), layout) => (StepValue::Slot(slot), layout),
                        (Source::Temporary(t), layout) => (StepValue::Step(between[&t]), layout),
                    },
                    Arg::Scalar(k) => (StepValue::Number(pass.scalars[k]), &nowhere),
                    Arg::Step(j) => (StepValue::Step(first + j), &whole),
                    // Of passes that fold, which are refused.
                    Arg::Fold(_) | Arg::Position => (StepValue::Step(first), &whole),
                };
                StepOperand {
                    value,
                    layout: layout.clone(),
                }
            };
            let info = |op, dtype, args: &[Arg]| StepInfo {
                op,
                dtype,
                shape: shape.clone(),
                operands: args.iter().map(operand).collect(),
            };
            let mut listed: Vec<_> = pass
                .steps
                .iter()
                .map(|s| info(s.op, s.dtype, &s.args))
                .collect();
            if pass.result != Arg::Step(listed.len().wrapping_sub(1)) {
                listed.push(info(Op::IDENTITY, pass.output.dtype, &[pass.result]));
            }
            steps.extend(listed);
            if let Target::Temporary(t) = group.map_or(pass.output.target, |g| g.target) {
                between.insert(t, steps.len() - 1);
            }
        }
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;
    use crate::plan::{Limits, Options, Slot};

    #[test]
    fn steps_of_several_passes_are_one_list() {
        let slots = vec![Slot::new(DType::F32, [4]).unwrap(); 8];
        let sum = (1..8).fold(Expr::slot(0), |sum, i| sum.add(&Expr::slot(i)));
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
        assert_eq!((moved.len(), moved[0].op), (1, Op::IDENTITY));
    }
}
