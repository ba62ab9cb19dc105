//! The steps of a plan, for code that bounds errors or shows what is computed.

mod info;
mod space;

pub use info::{ScanInfo, StepInfo, StepOperand, StepValue};

use std::collections::{HashMap, HashSet};

use super::Plan;
use super::fold::{FoldStep, Stages, in_order};
use super::mapped::Work;
use super::operand::{Arg, Source, Step, Target};
use super::pass::Pass;
use super::scans::WholeScan;
use super::windowed::{Group, Place, Role};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Scalar;
use crate::layout::Layout;
use crate::op::Op;
use space::Space;

/// The steps of a plan as they are listed.
#[derive(Default)]
struct List {
    steps: Vec<StepInfo>,
    /// The step that each temporary holds. Of the lanes of a fold it is the whole fold.
    between: HashMap<usize, Held>,
    /// Outputs that were written, as `true`, and temporaries that were and are not read yet.
    unread: HashSet<(bool, usize)>,
}

/// What a temporary holds.
#[derive(Clone, Copy)]
struct Held {
    step: usize,
    /// Lanes, which the pass that reads them folds again.
    is_partial: bool,
}

/// An input of a pass.
struct Read<'a> {
    value: StepValue,
    /// On the axes of the space.
    layout: &'a Layout,
    /// The fold whose lanes it is.
    lanes_of: Option<usize>,
}

/// What is listed: a pass, all windows of a result, or all passes of a scan.
struct Computed<'a> {
    sources: Vec<(Source, &'a Layout)>,
    scalars: &'a [Scalar],
    steps: &'a [Step],
    folds: &'a [FoldStep],
    result: Arg,
    dtype: DType,
    target: Target,
    space: Space,
    scanned: Option<ScanInfo>,
    /// Whether the result has an element for each of the space.
    full: bool,
    is_partial: bool,
}

/// Where the values of what is listed are in the list.
struct Listed<'a> {
    of: &'a Computed<'a>,
    inputs: Vec<Read<'a>>,
    stages: Stages,
    /// The numbers of its steps and folds in the list.
    steps: Vec<usize>,
    folds: Vec<usize>,
}

impl Plan {
    /// The steps of all passes in the order they are computed; the last gives output 0 of a plan
    /// with one output. A pass that only moves elements is listed as one identity, a reduction as
    /// one fold, however many passes compute it. A plan whose results have no elements may have no
    /// steps.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a plan with a matrix product, or with a reduction that is
    /// computed in windows. [`Error::TooManyElements`] cannot happen: the plan's shapes are known
    /// to fit.
    pub fn steps(&self) -> Result<Vec<StepInfo>> {
        let mut list = List::default();
        let mut scans = HashSet::new();
        for pass in self.passes.iter().filter(|pass| !pass.shape.is_empty()) {
            if matches!(pass.work, Work::Contract | Work::Take) {
                let what = "a list of steps of a plan with a matrix product or take";
                return Err(Error::unsupported(what));
            }
            // Scans and the windows of a result are listed once, as a whole.
            if let Some(number) = pass.scan {
                if scans.insert(number) {
                    list.add(&Computed::scan(&self.scans[number])?)?;
                }
                continue;
            }
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
            list.add(&Computed::pass(pass, group))?;
        }
        Ok(list.steps)
    }
}

impl<'a> Computed<'a> {
    /// A pass, or all windows of a result.
    fn pass(pass: &'a Pass, group: Option<&'a Group>) -> Self {
        let sources = match group {
            Some(group) => {
                let own = group.inputs.iter();
                own.map(|i| (i.source, &i.slot.layout)).collect()
            }
            None => pass.inputs.iter().map(|i| (i.source, &i.layout)).collect(),
        };
        let schedule = pass.work.fold();
        Self {
            sources,
            scalars: &pass.scalars,
            steps: &pass.steps,
            folds: &pass.folds,
            result: pass.result,
            dtype: pass.output.dtype,
            target: group.map_or(pass.output.target, |g| g.target),
            space: match group {
                Some(group) => Space::whole(&group.shape),
                None => Space::of(pass),
            },
            scanned: None,
            full: schedule.is_none_or(|s| s.full),
            is_partial: schedule.is_some_and(|s| s.partial),
        }
    }

    /// All passes of a scan.
    fn scan(whole: &'a WholeScan) -> Result<Self> {
        let body = &whole.body;
        let (Some(fold), Some(&axis), Some(scan), Some(result)) = (
            body.folds.first(),
            body.reduced.first(),
            body.scan,
            body.result,
        ) else {
            return Err(Error::argument("plan", "a scan has no fold"));
        };
        Ok(Self {
            sources: body
                .inputs
                .iter()
                .map(|i| (i.source, &i.slot.layout))
                .collect(),
            scalars: &body.scalars,
            steps: &body.steps,
            folds: &body.folds,
            result,
            dtype: whole.dtype,
            target: whole.target,
            space: Space::scanned(body),
            scanned: Some(ScanInfo {
                axis,
                reverse: whole.reverse,
                begin: scan.exclusive.then(|| fold.op.of_nothing(fold.dtype)),
            }),
            full: true,
            is_partial: false,
        })
    }
}

impl List {
    /// Lists the steps of what is computed.
    fn add(&mut self, of: &Computed<'_>) -> Result<()> {
        let moves = of.sources.iter().map(|(_, layout)| of.space.moves(layout));
        let scans = of.scanned.is_some();
        let mut listed = Listed {
            stages: Stages::new(moves.collect(), of.steps, of.folds, scans),
            inputs: Vec::with_capacity(of.sources.len()),
            steps: Vec::with_capacity(of.steps.len()),
            folds: Vec::with_capacity(of.folds.len()),
            of,
        };
        for &(source, layout) in &of.sources {
            let read = self.read(source, layout)?;
            listed.inputs.push(read);
        }
        for made in in_order(of.steps, of.folds) {
            match made {
                Arg::Fold(k) => {
                    let fold = &of.folds[k];
                    let lanes_of = match fold.arg {
                        Arg::Input(i) => listed.inputs[i].lanes_of,
                        _ => None,
                    };
                    let n = match lanes_of {
                        Some(whole) => whole,
                        None => self.push(listed.fold(fold.op.row(), fold.dtype, fold.arg)?),
                    };
                    listed.folds.push(n);
                }
                Arg::Step(j) => {
                    let step = &of.steps[j];
                    let full = listed.is_full(made);
                    let n = self.push(listed.step(step.op, step.dtype, &step.args, full)?);
                    listed.steps.push(n);
                }
                Arg::Input(_) | Arg::Scalar(_) | Arg::Position => {}
            }
        }
        let result = match of.result {
            Arg::Step(j) if of.full == listed.is_full(of.result) => Some(listed.steps[j]),
            Arg::Fold(k) if of.full == scans => Some(listed.folds[k]),
            _ => None,
        };
        let last = self.steps.len().wrapping_sub(1);
        let step = match result {
            Some(step) if step == last || of.is_partial => step,
            _ => self.push(listed.step(Op::IDENTITY, of.dtype, &[of.result], of.full)?),
        };
        let is_partial = of.is_partial;
        self.wrote(of.target, Held { step, is_partial })
    }

    fn push(&mut self, step: StepInfo) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// What a binding holds.
    fn read<'a>(&mut self, source: Source, layout: &'a Layout) -> Result<Read<'a>> {
        let (value, lanes_of) = match source {
            Source::Slot(slot) => (StepValue::Slot(slot), None),
            Source::Temporary(t) => {
                self.unread.remove(&(false, t));
                let held = self.between.get(&t).ok_or_else(|| {
                    let reason = format!("temporary {t} is read before it is written");
                    Error::argument("plan", reason)
                })?;
                let lanes_of = held.is_partial.then_some(held.step);
                (StepValue::Step(held.step), lanes_of)
            }
        };
        Ok(Read {
            value,
            layout,
            lanes_of,
        })
    }

    /// Keeps what was written where.
    fn wrote(&mut self, target: Target, held: Held) -> Result<()> {
        let place = match target {
            Target::Output(k) => (true, k),
            Target::Temporary(t) => {
                self.between.insert(t, held);
                (false, t)
            }
        };
        // What is written again before it was read is folded in windows, which do not say where
        // each of them begins.
        match self.unread.insert(place) {
            true => Ok(()),
            false => Err(Error::unsupported(
                "a list of steps of a plan with a reduction that is computed in windows",
            )),
        }
    }
}

impl Listed<'_> {
    /// Whether a value has an element for each of the space, not for each row.
    fn is_full(&self, arg: Arg) -> bool {
        self.of.space.reduced.is_empty() || self.stages.of(arg).0
    }

    /// A step on the axes of the space, or on those that are kept.
    fn step(&self, op: Op, dtype: DType, args: &[Arg], full: bool) -> Result<StepInfo> {
        let full = full || self.of.space.reduced.is_empty();
        let operands = args.iter().map(|&arg| self.operand(arg, full));
        Ok(StepInfo {
            op,
            dtype,
            shape: self.of.space.shape(full),
            operands: operands.collect::<Result<_>>()?,
            reduced: Vec::new(),
            scanned: None,
        })
    }

    /// A fold, or the scan that it is.
    fn fold(&self, op: Op, dtype: DType, arg: Arg) -> Result<StepInfo> {
        Ok(StepInfo {
            reduced: match self.of.scanned {
                Some(_) => Vec::new(),
                None => self.of.space.reduced.clone(),
            },
            scanned: self.of.scanned,
            ..self.step(op, dtype, &[arg], true)?
        })
    }

    fn operand(&self, arg: Arg, full: bool) -> Result<StepOperand> {
        let (value, layout) = match arg {
            Arg::Input(i) => {
                let input = &self.inputs[i];
                (input.value, self.of.space.seen(input.layout, full)?)
            }
            Arg::Scalar(k) => {
                let number = StepValue::Number(self.of.scalars[k]);
                (number, self.of.space.nowhere(full)?)
            }
            Arg::Step(j) => {
                let value = StepValue::Step(self.steps[j]);
                (value, self.of.space.made(self.is_full(arg), full)?)
            }
            Arg::Fold(k) => (
                StepValue::Step(self.folds[k]),
                self.of.space.made(self.is_full(arg), full)?,
            ),
            Arg::Position => (StepValue::Position, self.of.space.numbered()?),
        };
        Ok(StepOperand { value, layout })
    }
}

#[cfg(test)]
mod tests;
