//! The two halves of a program whose rows are folded in parts, or apart: what comes before its fold,
//! and what comes behind it.

use std::collections::HashMap;

use super::Stages;
use super::step::FoldStep;
use crate::plan::body::Body;
use crate::plan::operand::{Arg, Operand};
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

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
        let folds: Vec<Arg> = (0..self.folds.len()).map(Arg::Fold).collect();
        Self {
            result: Some(Arg::Fold(0)),
            ..self.taken(self.walking(), &folds)
        }
    }

    /// A fold, and what it is computed of; the folds before it are these operands.
    pub(super) fn fold_alone(&self, k: usize, before: &[Operand]) -> Self {
        let body = Self {
            inputs: before.to_vec(),
            ..self.walking()
        };
        self.taken(body, &[Arg::Fold(k)])
    }

    /// What is computed of its folds, which are these operands.
    pub(super) fn behind_folds(&self, folds: &[Operand]) -> Self {
        let body = Self {
            inputs: folds.to_vec(),
            space: self.space.clone(),
            ..Self::default()
        };
        self.taken(body, self.result.as_slice())
    }

    /// What its only fold is computed of, without the fold.
    pub(super) fn folded(&self) -> Self {
        self.taken(Self::default(), &[self.folds[0].arg])
    }

    /// The folds of operands, their lanes, and what is computed of the results. Other operands are
    /// as they were, behind those.
    pub(super) fn behind_lanes(&self, lanes: Vec<Operand>) -> Self {
        let folds = self.folds.iter().enumerate();
        let folds = folds.map(|(k, &fold)| FoldStep {
            arg: Arg::Input(k),
            ..fold
        });
        let body = Self {
            folds: folds.collect(),
            inputs: lanes,
            ..Self::default()
        };
        self.taken(body, self.result.as_slice())
    }

    /// Walks a space whose first axes are those that another body keeps. What is read beside the first
    /// inputs, by that body's rows, repeats along the others.
    pub(super) fn on_rows(&mut self, first: usize, of: &Self, space: Shape) {
        let mut kept = 0..;
        let along = |axis| match of.reduced.contains(&axis) {
            true => AxisMap::FIXED,
            false => kept.next().map_or(AxisMap::FIXED, AxisMap::same),
        };
        let axes = (0..of.space.rank()).map(along).collect();
        let map = Map::new(space.clone(), axes);
        for input in &mut self.inputs[first..] {
            input.slot.layout = input.slot.layout.through(&map);
        }
        self.space = space;
    }

    /// Nothing yet, of the elements that this body walks.
    fn walking(&self) -> Self {
        Self {
            space: self.space.clone(),
            reduced: self.reduced.clone(),
            ..Self::default()
        }
    }

    /// The body with values of this one and what they are computed from; the last is the result. The
    /// first folds are the operands, or the folds, that the body has.
    fn taken(&self, mut body: Self, roots: &[Arg]) -> Self {
        let known = |k| match body.folds.is_empty() {
            true => Arg::Input(k),
            false => Arg::Fold(k),
        };
        let known = (0..body.inputs.len()).map(|k| (Arg::Fold(k), known(k)));
        let mut made: HashMap<Arg, Arg> = known.collect();
        let mut stack: Vec<(Arg, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((arg, ready)) = stack.pop() {
            if made.contains_key(&arg) {
                continue;
            }
            let own = match arg {
                Arg::Position => Arg::Position,
                Arg::Input(i) => {
                    body.inputs.push(self.inputs[i].clone());
                    Arg::Input(body.inputs.len() - 1)
                }
                Arg::Scalar(k) => {
                    body.scalars.push(self.scalars[k]);
                    Arg::Scalar(body.scalars.len() - 1)
                }
                Arg::Fold(k) if ready => {
                    let fold = self.folds[k];
                    let arg = made[&fold.arg];
                    body.folds.push(FoldStep { arg, ..fold });
                    Arg::Fold(body.folds.len() - 1)
                }
                Arg::Step(j) if ready => {
                    let mut step = self.steps[j].clone();
                    step.args.iter_mut().for_each(|arg| *arg = made[arg]);
                    body.steps.push(step);
                    Arg::Step(body.steps.len() - 1)
                }
                Arg::Fold(k) => {
                    stack.extend([(arg, true), (self.folds[k].arg, false)]);
                    continue;
                }
                Arg::Step(j) => {
                    stack.push((arg, true));
                    let args = self.steps[j].args.iter().rev();
                    stack.extend(args.map(|&arg| (arg, false)));
                    continue;
                }
            };
            made.insert(arg, own);
        }
        body.result = roots.last().map(|root| made[root]);
        body
    }
}
