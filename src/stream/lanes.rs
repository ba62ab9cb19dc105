//! The lanes of rows that are folded piece by piece, held on the device.
//!
//! Sixteen groups of lanes are folded in sequence to one of the next level, and so on: one group
//! for each level is held. At the end the groups that are not full go up, and the remaining lanes
//! fold to the result.

use std::ops::Range;

use super::phase::Phase;
use crate::device::Context;
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::op::{GROUP, LANES};
use crate::plan::{Across, Options};
use crate::tensor::Tensor;
use crate::view::Index;

/// The lanes of a window of rows.
pub(super) struct HeldLanes<'a> {
    context: &'a Context,
    phase: &'a Phase,
    options: &'a Options,
    rows: usize,
    /// The folded part of each level's open group.
    open: Vec<Option<Tensor>>,
    /// Lanes of this level are left as they are.
    last: Option<usize>,
    left: Vec<Tensor>,
}

impl<'a> HeldLanes<'a> {
    pub fn new(context: &'a Context, phase: &'a Phase, options: &'a Options, rows: usize) -> Self {
        let share = phase.share.as_ref().zip(phase.levels);
        Self {
            context,
            phase,
            options,
            rows,
            open: Vec::new(),
            last: share.map(|(share, levels)| (share.levels - levels) as usize),
            left: Vec::new(),
        }
    }

    /// Folds the lanes of a piece, whose first chunk has this number.
    pub fn push(&mut self, lanes: &Tensor, first: usize) -> Result<()> {
        let chunks = lanes.shape().extents()[self.axis()] / LANES;
        let mut at = 0;
        while at < chunks {
            if self.last == Some(0) {
                let one = self.folded(None, lanes, at..at + 1)?;
                self.left.push(one);
                at += 1;
                continue;
            }
            let run = (GROUP - (first + at) % GROUP).min(chunks - at);
            self.add(0, lanes, at..at + run, first + at + run)?;
            at += run;
        }
        Ok(())
    }

    /// The lanes' axis.
    fn axis(&self) -> usize {
        match self.phase.across {
            Across::Reduced => 1,
            Across::Kept => 0,
        }
    }

    /// Folds chunks into a level, which has had `after` chunks then. Full groups go up.
    fn add(
        &mut self,
        level: usize,
        lanes: &Tensor,
        chunks: Range<usize>,
        after: usize,
    ) -> Result<()> {
        if self.open.len() == level {
            self.open.push(None);
        }
        let before = self.open[level].take();
        let folded = self.folded(before, lanes, chunks)?;
        if !after.is_multiple_of(GROUP) {
            self.open[level] = Some(folded);
            return Ok(());
        }
        if self.last == Some(level + 1) {
            self.left.push(folded);
            return Ok(());
        }
        self.add(level + 1, &folded, 0..1, after / GROUP)
    }

    /// Folds chunks in sequence, after the value `before` them.
    fn folded(
        &self,
        before: Option<Tensor>,
        lanes: &Tensor,
        chunks: Range<usize>,
    ) -> Result<Tensor> {
        let mut folded = before.map(Expr::from);
        let op = self.phase.pieces.op.row();
        for chunk in chunks {
            let at = |n: usize| Some((n * LANES).cast_signed());
            let own = Index::Range(at(chunk), at(chunk + 1), 1);
            let items = match self.axis() {
                0 => [own, Index::ALL],
                _ => [Index::ALL, own],
            };
            let next = Expr::from(lanes.slice(items)?);
            folded = Some(match folded {
                Some(before) => Expr::step(op, [before, next]),
                None => next,
            });
        }
        let expr = folded.unwrap_or_else(|| Expr::from(lanes.clone()));
        let mut made = self.context.eval_with(&[expr], self.options)?;
        Ok(made.swap_remove(0))
    }

    /// Lanes that are left: those of each row beside one another.
    pub fn take_left(&mut self) -> Result<Vec<Tensor>> {
        let left = std::mem::take(&mut self.left).into_iter();
        let along_rows = |lanes: Tensor| match self.axis() {
            0 => lanes.transpose().materialize(),
            _ => Ok(lanes),
        };
        left.map(along_rows).collect()
    }

    /// The rows' results; `None` if lanes are left instead.
    pub fn finish(&mut self) -> Result<Option<Tensor>> {
        // Groups that are not full.
        let mut last: Option<Tensor> = None;
        for before in std::mem::take(&mut self.open) {
            last = match last {
                Some(below) => Some(self.folded(before, &below, 0..1)?),
                None => before,
            };
        }
        if self.last.is_some() {
            self.left.extend(last);
            return Ok(None);
        }
        let lanes = last.ok_or_else(|| Error::argument("stream", "it folds nothing"))?;
        let plan = self.phase.pieces.of_lanes(self.rows, self.phase.across)?;
        Ok(Some(self.context.run(&plan, &[&lanes])?.swap_remove(0)))
    }
}
