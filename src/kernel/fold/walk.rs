//! The loops over the steps of a row.
//!
//! A variable that moves from step to step keeps where an operand's quads begin, so that a quad is
//! a constant number of elements from it: a software adapter computes the index of each invocation
//! of a vector separately, and so each sum in the index.

use std::collections::BTreeSet;

use super::FoldNest;
use super::lanes::added;
use super::quad::{Quad, Steps};
use crate::kernel::template::emit;
use crate::op::LANES;
use crate::plan::{FullSteps, LaneLoad, Store};

/// The parameters of a loop over the steps of a row.
pub(super) struct Walk<'a> {
    /// The suffix of its variables, which tells them from those of other loops.
    pub name: String,
    /// The number of invocations that share the quads of a step.
    pub threads: u32,
    /// Quads of a step, for each of those beside one another.
    pub own: u32,
    pub inputs: &'a BTreeSet<usize>,
    /// Whether it writes a quad of the result for each quad.
    pub stores: bool,
}

impl FoldNest<'_> {
    /// The innermost loops: each of these folds the terms of its quads.
    pub(super) fn steps(&self, stage: usize, from: &str, to: &str, indent: &str, out: &mut String) {
        let folds: Vec<usize> = self.stages.folds_at(stage).collect();
        let inputs = self.inputs_of(folds.iter().map(|&k| self.key.folds[k].arg));
        let own = self.schedule.own;
        let walk = Walk {
            name: stage.to_string(),
            threads: self.schedule.threads,
            own,
            inputs: &inputs,
            stores: false,
        };
        self.walk(&walk, from, to, indent, out, &mut |quad, inner, out| {
            for &k in &folds {
                self.term(k, quad, inner, out);
            }
        });
    }

    /// Loops over the steps of a row, in each of which an invocation loads and uses `own` quads: of
    /// full steps several are loaded before the first is used; the others end where the row does.
    pub(super) fn walk(
        &self,
        walk: &Walk<'_>,
        from: &str,
        to: &str,
        indent: &str,
        out: &mut String,
        using: &mut dyn FnMut(Quad, &str, &mut String),
    ) {
        let s = self.schedule;
        let own = walk.own;
        let inner = format!("{indent}    ");
        let by = s.together;
        let step = self.step_of(walk);
        let moving = self.moving(walk);
        self.begin_places(walk, &moving, from, indent, out);
        let one = self.is_one_step(walk);
        match s.full_steps {
            FullSteps::All if one => emit! { out, indent, inner;
                "{indent}{"
                "{inner}let s = 0u;"
            },
            FullSteps::All => emit! { out, indent, from, to, by;
                "{indent}for (var s = {from}; s < {to}; s += {by}u) {"
            },
            FullSteps::AllButLast => emit! { out, indent, from, to, by, step;
                "{indent}for (var s = {from}; s + {by}u <= min({to}, table.count / {step}u); s += {by}u) {"
            },
            FullSteps::None => {}
        }
        if s.full_steps != FullSteps::None {
            let quads = Quad::all(Steps::Full, by, own, s.beside);
            for together in quads.chunks(s.loaded as usize) {
                for &quad in together {
                    self.element(quad, walk.inputs, Some(walk), &inner, out);
                }
                for &quad in together {
                    using(quad, &inner, out);
                }
            }
            if !one {
                self.move_places(walk, &moving, by, &inner, out);
            }
            emit! { out, indent; "{indent}}" }
        }
        match s.full_steps {
            FullSteps::All => return,
            // All loops begin at multiples of `by`.
            FullSteps::AllButLast => emit! { out, indent, from, to, by, step;
                "{indent}for (var s = max({from}, min({to}, table.count / {step}u) / {by}u * {by}u); s < {to}; s++) {"
            },
            FullSteps::None => emit! { out, indent, from, to;
                "{indent}for (var s = {from}; s < {to}; s++) {"
            },
        }
        for quad in Quad::all(Steps::Last, 1, own, s.beside) {
            self.element(quad, walk.inputs, Some(walk), &inner, out);
            using(quad, &inner, out);
        }
        self.move_places(walk, &moving, 1, &inner, out);
        emit! { out, indent; "{indent}}" }
    }

    /// Elements of a row that a step goes through.
    pub(super) fn step_of(&self, walk: &Walk<'_>) -> u32 {
        let quads = walk.threads * walk.own;
        if self.is_along() { 4 * quads } else { quads }
    }

    /// Whether there is one step, and it is full: of rows that are too short for all lanes.
    fn is_one_step(&self, walk: &Walk<'_>) -> bool {
        let s = self.schedule;
        let lanes = walk.threads * walk.own;
        let all = if self.is_along() { LANES / 4 } else { LANES } as u32;
        // Of rows that are written and not folded an invocation has few lanes, however long they are.
        let folds = !self.key.folds.is_empty();
        folds && lanes == s.threads * s.own && lanes < all && s.full_steps == FullSteps::All
    }

    /// The operands of a loop whose place moves by the same number of elements in each step.
    fn moving(&self, walk: &Walk<'_>) -> Vec<usize> {
        let output = walk.stores.then_some(self.key.inputs.len());
        let all = walk.inputs.iter().copied().chain(output);
        all.filter(|&i| self.has_place(i)).collect()
    }

    /// Whether an operand's place moves so, and a quad lies a constant number of strides from it.
    fn has_place(&self, i: usize) -> bool {
        let one_by_one = match self.key.inputs.get(i) {
            Some(input) => input.load.lanes == LaneLoad::Gather,
            None => self.key.store != Store::Wide && !self.key.store.shares_quads(),
        };
        self.schedule.stepped && !(one_by_one && self.is_along())
    }

    /// So many quads in the unit of an operand's place: quads of vectors along rows, else elements.
    fn spaced(&self, i: usize, quads: &str) -> String {
        let axis = self.schedule.kept.to_string();
        let stride = || self.tail.stride(i, &axis);
        match (self.key.inputs.get(i), self.is_along()) {
            (Some(_), true) if self.counts_quads(i) => quads.to_owned(),
            // Its stride is 1.
            (Some(_), true) => format!("4u * {quads}"),
            (None, true) => format!("4u * {quads} * {}", stride()),
            (_, false) => format!("{quads} * {}", stride()),
        }
    }

    /// Whether an operand's place counts quads of its binding.
    pub(super) fn counts_quads(&self, i: usize) -> bool {
        let input = self.key.inputs.get(i);
        let is_vector = |load| matches!(load, LaneLoad::Vector { .. });
        self.is_along() && input.is_some_and(|x| is_vector(x.load.lanes))
    }

    /// Declares where the first step's quads lie.
    fn begin_places(
        &self,
        walk: &Walk<'_>,
        moving: &[usize],
        from: &str,
        indent: &str,
        out: &mut String,
    ) {
        let (name, lanes) = (&walk.name, walk.threads * walk.own);
        let quads = match (from, walk.threads) {
            ("0u", 1) => None,
            ("0u", _) => Some("thread".to_owned()),
            (_, 1) => Some(format!("{from} * {lanes}u")),
            _ => Some(format!("({from} * {lanes}u + thread)")),
        };
        for &i in moving {
            let base = match self.counts_quads(i) {
                true => format!("(base{i} >> 2u)"),
                false => format!("base{i}"),
            };
            let first = match &quads {
                None => base,
                Some(quads) => format!("{base} + {}", self.spaced(i, quads)),
            };
            emit! { out, indent, name, i, first; "{indent}var w{name}_{i} = {first};" }
        }
    }

    /// Moves them to those of a later step.
    fn move_places(
        &self,
        walk: &Walk<'_>,
        moving: &[usize],
        by: u32,
        indent: &str,
        out: &mut String,
    ) {
        let quads = format!("{}u", by * walk.threads * walk.own);
        for &i in moving {
            emit! { out, indent, name = &walk.name, i, places = self.spaced(i, &quads);
                "{indent}w{name}_{i} += {places};"
            }
        }
    }

    /// Where a quad of a loop lies in an operand, in the unit of its place; columns that are no
    /// vectors come on top. None where each quad's place is found by itself.
    pub(super) fn placed(&self, i: usize, quad: Quad, walk: &Walk<'_>) -> Option<String> {
        if quad.of == Steps::Held || !self.has_place(i) {
            return None;
        }
        let quads = (quad.u * quad.own + quad.m) * walk.threads;
        let mut place = format!("w{}_{i}", walk.name);
        if quads > 0 {
            place = format!("{place} + {}", self.spaced(i, &format!("{quads}u")));
        }
        Some(added(&place, self.columns_before(i, quad.b)))
    }
}
