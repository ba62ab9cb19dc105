//! What a pass computes, before it is known how it is mapped.

use super::fold::{FoldStep, ScanStep, Stages};
use super::limits::{DOUBLE_WEIGHT, Limits};
use super::operand::{Arg, Operand, Step};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::Scalar;
use crate::layout::Layout;
use crate::op::Op;
use crate::shape::Shape;

/// Quads that are folded for each that is read, at most: it, its group, and its row's among lanes.
const FOLDED: usize = 4;
/// Steps that cost more than their loads.
pub(super) const DENSE: usize = 32;

/// What a pass computes, before it is known how it is mapped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// Bindings, on the axes of the pass.
    pub inputs: Vec<Operand>,
    pub scalars: Vec<Scalar>,
    pub steps: Vec<Step>,
    /// The value that is stored.
    pub result: Option<Arg>,
    /// The values that are folded, each before what is computed of it.
    pub folds: Vec<FoldStep>,
    /// What a pass that folds walks, and which axes of it are reduced.
    pub space: Shape,
    pub reduced: Vec<usize>,
    /// How its one fold scans instead, along its one reduced axis.
    pub scan: Option<ScanStep>,
}

impl Body {
    /// One that moves elements and computes nothing.
    pub fn moving(operand: Operand) -> Self {
        Self {
            inputs: vec![operand],
            result: Some(Arg::Input(0)),
            ..Self::default()
        }
    }

    /// One that writes a number everywhere.
    pub fn number(scalar: Scalar) -> Self {
        Self {
            scalars: vec![scalar],
            result: Some(Arg::Scalar(0)),
            ..Self::default()
        }
    }

    /// The same with each of its inputs replaced by one of these values.
    pub fn with_inputs(mut self, values: &[Arg]) -> Self {
        let of_steps = self.steps.iter_mut().flat_map(|step| &mut step.args);
        for arg in of_steps.chain(&mut self.result) {
            if let Arg::Input(i) = *arg {
                *arg = values[i];
            }
        }
        self
    }

    /// The same with another layout of each input.
    pub fn with_layouts(&self, of: impl Fn(&Layout) -> Result<Layout>) -> Result<Self> {
        let mut body = self.clone();
        for input in &mut body.inputs {
            input.slot.layout = of(&input.slot.layout)?;
        }
        Ok(body)
    }

    /// Turns of its steps' loops for a quad, at most.
    pub fn turns(&self, limits: &Limits) -> usize {
        let native = limits.native64();
        let turns = |step: &Step| step.op.turns(step.operand, native);
        let steps: usize = self.steps.iter().map(turns).sum();
        // A fold joins an element, and then, less often, what it made of several.
        let fold = |fold: &FoldStep| FOLDED * fold.op.row().turns(fold.dtype, native);
        steps + self.folds.iter().map(fold).sum::<usize>()
    }

    /// How many times as long as a sum the steps and folds are that differ along its rows.
    pub fn weight(&self, stages: &Stages, limits: &Limits) -> usize {
        let weight = |op: Op, from: DType, to: DType| match op.needs_f64(from) && !limits.float64 {
            true => DOUBLE_WEIGHT,
            false => limits.step_weight(op, from, to),
        };
        let moving = self.steps.iter().enumerate();
        let moving = moving.filter(|(j, _)| stages.of(Arg::Step(*j)).0);
        let steps = moving.map(|(_, step)| weight(step.op, step.operand, step.dtype));
        let folds = self.folds.iter();
        let folds = folds.map(|fold| weight(fold.op.row(), fold.dtype, fold.dtype));
        steps.chain(folds).sum()
    }

    /// Whether its steps cost much more than its loads.
    pub fn is_dense(&self) -> bool {
        self.steps.len() > DENSE || self.steps.iter().any(|s| s.op.is_costly())
    }

    /// How many sums its steps are as long as, and more than [`DENSE`] if they cost so much. What is loaded at once has so many
    /// parts, on which they work in turn.
    pub fn code(&self, parts: u32, limits: &Limits) -> usize {
        let weight = |step: &Step| limits.step_weight(step.op, step.operand, step.dtype);
        let weights: usize = self.steps.iter().map(weight).sum();
        (weights * parts as usize).max(usize::from(self.is_dense()) * (DENSE + 1))
    }
}
