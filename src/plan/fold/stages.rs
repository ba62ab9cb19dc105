//! In which order the values of a pass that folds become known.

use std::collections::BTreeSet;

use super::step::FoldStep;
use crate::plan::operand::{Arg, Step};

/// The steps and folds of a pass in the order they are computed: each fold once what it folds is
/// there.
pub(crate) fn in_order(steps: &[Step], folds: &[FoldStep]) -> Vec<Arg> {
    let mut order = Vec::with_capacity(steps.len() + folds.len());
    let mut next = 0;
    for j in 0..=steps.len() {
        while let Some(fold) = folds.get(next)
            && !matches!(fold.arg, Arg::Step(of) if of >= j)
        {
            order.push(Arg::Fold(next));
            next += 1;
        }
        if j < steps.len() {
            order.push(Arg::Step(j));
        }
    }
    order
}

/// The inputs that what is folded is computed of.
pub(super) fn folded_inputs(steps: &[Step], folds: &[FoldStep]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<Arg> = folds.iter().map(|fold| fold.arg).collect();
    while let Some(arg) = open.pop() {
        match arg {
            Arg::Input(i) => {
                found.insert(i);
            }
            Arg::Step(j) if seen.insert(j) => open.extend(&steps[j].args),
            Arg::Step(_) | Arg::Fold(_) | Arg::Scalar(_) | Arg::Position => {}
        }
    }
    found
}

/// What is known of each value: whether it differs from one element of a row to the next, and how
/// many folds come before it, one upon the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stages {
    inputs: Vec<bool>,
    steps: Vec<(bool, usize)>,
    folds: Vec<usize>,
    /// Whether what is folded is scanned, so that it differs along a row.
    scans: bool,
}

impl Stages {
    /// `inputs` says which inputs move along the reduced axes; `scans`: what is folded is scanned.
    pub fn new(inputs: Vec<bool>, steps: &[Step], folds: &[FoldStep], scans: bool) -> Self {
        let mut stages = Self {
            inputs,
            scans,
            steps: Vec::with_capacity(steps.len()),
            folds: Vec::with_capacity(folds.len()),
        };
        for arg in in_order(steps, folds) {
            match arg {
                Arg::Fold(k) => {
                    let stage = stages.of(folds[k].arg).1 + 1;
                    stages.folds.push(stage);
                }
                Arg::Step(j) => {
                    let of: Vec<_> = steps[j].args.iter().map(|&arg| stages.of(arg)).collect();
                    let full = of.iter().any(|(full, _)| *full);
                    let stage = of.iter().map(|(_, stage)| *stage).max().unwrap_or_default();
                    stages.steps.push((full, stage));
                }
                Arg::Input(_) | Arg::Scalar(_) | Arg::Position => {}
            }
        }
        stages
    }

    /// Whether a value differs along a row, and its stage.
    pub fn of(&self, arg: Arg) -> (bool, usize) {
        match arg {
            Arg::Input(i) => (self.inputs[i], 0),
            Arg::Scalar(_) => (false, 0),
            Arg::Position => (true, 0),
            Arg::Step(j) => self.steps[j],
            Arg::Fold(k) => (self.scans, self.folds[k]),
        }
    }

    /// Whether an input moves along the reduced axes.
    pub fn moves(&self, input: usize) -> bool {
        self.inputs[input]
    }

    /// The folds whose operands are known after `stage` of them.
    pub fn folds_at(&self, stage: usize) -> impl Iterator<Item = usize> + '_ {
        let own = self.folds.iter().enumerate();
        own.filter(move |(_, of)| **of == stage + 1).map(|(k, _)| k)
    }

    /// How many stages have folds.
    pub fn count(&self) -> usize {
        self.folds.iter().copied().max().unwrap_or_default()
    }
}
