//! The two halves of a program whose rows are folded in parts, or apart: what comes before its fold,
//! and what comes behind it.

use std::collections::HashMap;

use super::Stages;
use super::step::FoldStep;
use crate::plan::body::Body;
use crate::plan::operand::{Arg, Operand};

/// A body that is made of another one's values.
struct Taken<'a> {
    of: &'a Body,
    made: HashMap<Arg, Arg>,
    body: Body,
}

impl Taken<'_> {
    /// The value in the new body, with what it is computed from.
    fn take(&mut self, root: Arg) -> Arg {
        let mut stack = vec![(root, false)];
        while let Some((arg, ready)) = stack.pop() {
            if self.made.contains_key(&arg) {
                continue;
            }
            let body = &mut self.body;
            let made = match arg {
                Arg::Position => Arg::Position,
                Arg::Input(i) => {
                    body.inputs.push(self.of.inputs[i].clone());
                    Arg::Input(body.inputs.len() - 1)
                }
                Arg::Scalar(k) => {
                    body.scalars.push(self.of.scalars[k]);
                    Arg::Scalar(body.scalars.len() - 1)
                }
                Arg::Fold(k) if ready => {
                    let fold = self.of.folds[k];
                    let arg = self.made[&fold.arg];
                    body.folds.push(FoldStep { arg, ..fold });
                    Arg::Fold(body.folds.len() - 1)
                }
                Arg::Step(j) if ready => {
                    let mut step = self.of.steps[j].clone();
                    step.args.iter_mut().for_each(|arg| *arg = self.made[arg]);
                    body.steps.push(step);
                    Arg::Step(body.steps.len() - 1)
                }
                Arg::Fold(k) => {
                    stack.extend([(arg, true), (self.of.folds[k].arg, false)]);
                    continue;
                }
                Arg::Step(j) => {
                    stack.push((arg, true));
                    let args = self.of.steps[j].args.iter().rev();
                    stack.extend(args.map(|&arg| (arg, false)));
                    continue;
                }
            };
            self.made.insert(arg, made);
        }
        self.made[&root]
    }
}

impl Body {
    /// Whether all its folds are of one type and none is computed of another, so that parts of rows
    /// leave the lanes of all of them.
    pub(super) fn folds_at_once(&self) -> bool {
        let moves = vec![true; self.inputs.len()];
        let stages = Stages::new(moves, &self.steps, &self.folds, false).count();
        stages == 1 && self.folds.iter().all(|f| f.dtype == self.folds[0].dtype)
    }

    /// What its folds are computed of, and the folds, of which none is computed of another.
    pub(super) fn before_folds(&self) -> Self {
        let mut taken = Taken {
            of: self,
            made: HashMap::new(),
            body: Self {
                space: self.space.clone(),
                reduced: self.reduced.clone(),
                ..Self::default()
            },
        };
        for k in 0..self.folds.len() {
            taken.take(Arg::Fold(k));
        }
        Self {
            result: Some(Arg::Fold(0)),
            ..taken.body
        }
    }

    /// A fold, and what it is computed of; the folds before it are these operands.
    pub(super) fn fold_alone(&self, k: usize, before: &[Operand]) -> Self {
        let mut taken = self.taken_with(before);
        taken.body.space = self.space.clone();
        taken.body.reduced.clone_from(&self.reduced);
        let result = Some(taken.take(Arg::Fold(k)));
        Self {
            result,
            ..taken.body
        }
    }

    /// What is computed of its folds, which are these operands.
    pub(super) fn behind_folds(&self, folds: &[Operand]) -> Self {
        let mut taken = self.taken_with(folds);
        taken.body.space = self.space.clone();
        let result = self.result.map(|result| taken.take(result));
        Self {
            result,
            ..taken.body
        }
    }

    fn taken_with(&self, folds: &[Operand]) -> Taken<'_> {
        Taken {
            of: self,
            made: (0..folds.len())
                .map(|k| (Arg::Fold(k), Arg::Input(k)))
                .collect(),
            body: Self {
                inputs: folds.to_vec(),
                ..Self::default()
            },
        }
    }

    /// What its only fold is computed of, without the fold.
    pub(super) fn folded(&self) -> Self {
        let mut taken = Taken {
            of: self,
            made: HashMap::new(),
            body: Self::default(),
        };
        let result = Some(taken.take(self.folds[0].arg));
        Self {
            result,
            ..taken.body
        }
    }

    /// What is computed of the result of its only fold, which is this operand.
    pub(super) fn with_folded(&self, operand: Operand) -> Self {
        let mut taken = Taken {
            of: self,
            made: HashMap::from([(Arg::Fold(0), Arg::Input(0))]),
            body: Self {
                inputs: vec![operand],
                ..Self::default()
            },
        };
        let result = self.result.map(|result| taken.take(result));
        Self {
            result,
            ..taken.body
        }
    }

    /// The folds of operands, their lanes, and what is computed of the results. Other operands are
    /// as they were, behind those.
    pub(super) fn behind_lanes(&self, lanes: Vec<Operand>) -> Self {
        let folds = self.folds.iter().enumerate().map(|(k, fold)| FoldStep {
            arg: Arg::Input(k),
            ..*fold
        });
        let mut taken = Taken {
            of: self,
            made: (0..lanes.len())
                .map(|k| (Arg::Fold(k), Arg::Fold(k)))
                .collect(),
            body: Self {
                folds: folds.collect(),
                inputs: lanes,
                ..Self::default()
            },
        };
        let result = self.result.map(|result| taken.take(result));
        Self {
            result,
            ..taken.body
        }
    }
}
