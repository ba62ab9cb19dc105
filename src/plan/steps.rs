//! The steps of a plan, for code that bounds errors or shows what is computed.

mod info;
mod space;

pub use info::{StepInfo, StepOperand, StepValue, StepWork};

use std::collections::HashMap;

use super::Plan;
use super::body::Body;
use super::fold::{Stages, in_order};
use super::operand::{Arg, Operand, Source, Target};
use super::wholes::{Whole, WholeKind};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::op::Op;
use crate::shape::Shape;
use space::Space;

/// The steps of a plan as they are listed.
#[derive(Default)]
struct List {
    steps: Vec<StepInfo>,
    /// The step that each temporary holds.
    between: HashMap<usize, usize>,
}

/// A body whose steps are listed.
struct Listed<'a> {
    body: &'a Body,
    reverse: bool,
    space: Space,
    /// What its inputs are.
    inputs: Vec<StepValue>,
    stages: Stages,
    /// The numbers of its steps and folds in the list.
    steps: Vec<usize>,
    folds: Vec<usize>,
}

impl Plan {
    /// The steps of all passes in the order they are computed; the last gives output 0 of a plan
    /// with one output. What moves elements is listed as one identity, a reduction as one fold,
    /// however many passes compute it. A plan whose results have no elements may have no steps.
    ///
    /// # Errors
    /// [`Error::TooManyElements`] cannot happen: the plan's shapes are known to fit.
    #[doc(hidden)]
    pub fn steps(&self) -> Result<Vec<StepInfo>> {
        let mut list = List::default();
        for whole in self.wholes.iter().filter(|whole| !whole.shape.is_empty()) {
            list.add(whole)?;
        }
        Ok(list.steps)
    }
}

impl List {
    /// Lists the steps of what is computed as a whole.
    fn add(&mut self, whole: &Whole) -> Result<()> {
        let (dtype, shape) = (whole.dtype, &whole.shape);
        let step = match &whole.kind {
            WholeKind::Body { body, reverse } => {
                let step = self.body(body, *reverse, dtype, shape)?;
                match step + 1 == self.steps.len() {
                    true => step,
                    // The last is the result.
                    false => self.again(step)?,
                }
            }
            WholeKind::Product(factors) => {
                let operands = self.operands(factors)?;
                self.push(StepWork::Product, dtype, shape, operands)
            }
            WholeKind::Taken { operands, axis } => {
                let operands = self.operands(operands)?;
                self.push(StepWork::Take { axis: *axis }, dtype, shape, operands)
            }
            WholeKind::Placed { bodies, places } => {
                let mut operands = Vec::with_capacity(bodies.len());
                for body in bodies {
                    operands.push(self.placed(body, dtype)?);
                }
                let places = places.clone();
                self.push(StepWork::Join { places }, dtype, shape, operands)
            }
        };
        if let Target::Temporary(t) = whole.target {
            self.between.insert(t, step);
        }
        Ok(())
    }

    fn push(
        &mut self,
        work: StepWork,
        dtype: DType,
        shape: &Shape,
        operands: Vec<StepOperand>,
    ) -> usize {
        self.steps.push(StepInfo {
            work,
            dtype,
            shape: shape.clone(),
            operands,
        });
        self.steps.len() - 1
    }

    /// An earlier step once more.
    fn again(&mut self, step: usize) -> Result<usize> {
        let StepInfo { dtype, shape, .. } = self.steps[step].clone();
        let operand = StepOperand {
            value: StepValue::Step(step),
            layout: Layout::contiguous(&shape)?,
        };
        Ok(self.push(StepWork::Map(Op::IDENTITY), dtype, &shape, vec![operand]))
    }

    /// What a buffer holds.
    fn read(&self, source: Source) -> Result<StepValue> {
        match source {
            Source::Slot(slot) => Ok(StepValue::Slot(slot)),
            Source::Temporary(t) => {
                let step = self.between.get(&t).ok_or_else(|| {
                    let reason = format!("temporary {t} is read before it is written");
                    Error::argument("plan", reason)
                })?;
                Ok(StepValue::Step(*step))
            }
        }
    }

    fn operands(&self, operands: &[Operand]) -> Result<Vec<StepOperand>> {
        let each = operands.iter().map(|operand| {
            Ok(StepOperand {
                value: self.read(operand.source)?,
                layout: operand.slot.layout.clone(),
            })
        });
        each.collect()
    }

    /// What is placed: an input or a number as it is, anything else as a step.
    fn placed(&mut self, body: &Body, dtype: DType) -> Result<StepOperand> {
        match body.result {
            Some(Arg::Input(i)) => Ok(self.operands(&body.inputs[i..=i])?.remove(0)),
            Some(Arg::Scalar(k)) => Ok(StepOperand {
                value: StepValue::Number(body.scalars[k]),
                layout: Space::whole(&body.space).nowhere(true)?,
            }),
            _ => Ok(StepOperand {
                value: StepValue::Step(self.body(body, false, dtype, &body.space)?),
                layout: Layout::contiguous(&body.space)?,
            }),
        }
    }

    /// Lists a body, whose result has this type and shape; the step that is its result.
    fn body(&mut self, body: &Body, reverse: bool, dtype: DType, shape: &Shape) -> Result<usize> {
        let result = body
            .result
            .ok_or_else(|| Error::argument("plan", "the expression has no result"))?;
        let space = match body.folds.is_empty() && body.reduced.is_empty() {
            true => Space::whole(shape),
            false => Space::of(body),
        };
        let moves = body.inputs.iter().map(|i| space.moves(&i.slot.layout));
        let inputs = body.inputs.iter().map(|i| self.read(i.source));
        let mut listed = Listed {
            stages: Stages::new(
                moves.collect(),
                &body.steps,
                &body.folds,
                body.scan.is_some(),
            ),
            inputs: inputs.collect::<Result<_>>()?,
            steps: Vec::with_capacity(body.steps.len()),
            folds: Vec::with_capacity(body.folds.len()),
            body,
            reverse,
            space,
        };
        for made in in_order(&body.steps, &body.folds) {
            match made {
                Arg::Fold(k) => {
                    let step = listed.fold(k)?;
                    self.steps.push(step);
                    listed.folds.push(self.steps.len() - 1);
                }
                Arg::Step(j) => {
                    let step = &body.steps[j];
                    let full = listed.is_full(made);
                    let step = listed.step(StepWork::Map(step.op), step.dtype, &step.args, full)?;
                    self.steps.push(step);
                    listed.steps.push(self.steps.len() - 1);
                }
                Arg::Input(_) | Arg::Scalar(_) | Arg::Position => {}
            }
        }
        let full = listed.space.is_full(shape)?;
        match result {
            Arg::Step(j) if full == listed.is_full(result) => Ok(listed.steps[j]),
            Arg::Fold(k) if full == listed.is_full(result) => Ok(listed.folds[k]),
            _ => {
                let moved = listed.step(StepWork::Map(Op::IDENTITY), dtype, &[result], full)?;
                self.steps.push(moved);
                Ok(self.steps.len() - 1)
            }
        }
    }
}

impl Listed<'_> {
    /// Whether a value has an element for each of the space, not for each row.
    fn is_full(&self, arg: Arg) -> bool {
        self.space.reduced.is_empty() || self.stages.of(arg).0
    }

    /// A step on the axes of the space, or on those that are kept.
    fn step(&self, work: StepWork, dtype: DType, args: &[Arg], full: bool) -> Result<StepInfo> {
        let operands = args.iter().map(|&arg| self.operand(arg, full));
        Ok(StepInfo {
            work,
            dtype,
            shape: self.space.shape(full),
            operands: operands.collect::<Result<_>>()?,
        })
    }

    /// A fold, or the scan that it is.
    fn fold(&self, k: usize) -> Result<StepInfo> {
        let fold = &self.body.folds[k];
        let (op, axes) = (fold.op.row(), self.space.reduced.clone());
        let (work, shape) = match (self.body.scan, axes.first()) {
            (Some(scan), Some(&axis)) => {
                let work = StepWork::Scan {
                    op,
                    axis,
                    reverse: self.reverse,
                    begin: scan.exclusive.then(|| fold.op.of_nothing(fold.dtype)),
                };
                (work, self.space.shape(true))
            }
            _ => (StepWork::Fold { op, axes }, self.space.shape(false)),
        };
        Ok(StepInfo {
            shape,
            ..self.step(work, fold.dtype, &[fold.arg], true)?
        })
    }

    fn operand(&self, arg: Arg, full: bool) -> Result<StepOperand> {
        let (value, layout) = match arg {
            Arg::Input(i) => {
                let layout = &self.body.inputs[i].slot.layout;
                (self.inputs[i], self.space.seen(layout, full)?)
            }
            Arg::Scalar(k) => {
                let number = StepValue::Number(self.body.scalars[k]);
                (number, self.space.nowhere(full)?)
            }
            Arg::Step(j) => {
                let value = StepValue::Step(self.steps[j]);
                (value, self.space.made(self.is_full(arg), full)?)
            }
            Arg::Fold(k) => (
                StepValue::Step(self.folds[k]),
                self.space.made(self.is_full(arg), full)?,
            ),
            Arg::Position => (StepValue::Position, self.space.numbered()?),
        };
        Ok(StepOperand { value, layout })
    }
}

#[cfg(test)]
mod tests;
