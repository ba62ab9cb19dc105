//! The lanes of rows that are folded piece by piece, held on the device.
//!
//! Sixteen groups of lanes are folded in sequence to one of the next level, and so on: what is held
//! is one group for each level. At the end those that are not full go up, and the lanes that are
//! left fold to the result.

use super::phase::Phase;
use crate::device::Context;
use crate::error::Result;
use crate::expr::Expr;
use crate::op::{GROUP, LANES};
use crate::plan::{Across, Options};
use crate::tensor::Tensor;
use crate::view::Index;

/// The lanes of a window of rows.
pub(super) struct Lanes<'a> {
    context: &'a Context,
    phase: &'a Phase,
    options: &'a Options,
    rows: usize,
    /// Of each level what is folded of its open group.
    open: Vec<Option<Tensor>>,
}

impl<'a> Lanes<'a> {
    pub fn new(context: &'a Context, phase: &'a Phase, options: &'a Options, rows: usize) -> Self {
        Self {
            context,
            phase,
            options,
            rows,
            open: Vec::new(),
        }
    }

    /// Folds the lanes of a piece, whose first chunk has this number.
    pub fn push(&mut self, lanes: &Tensor, first: usize) -> Result<()> {
        let axis = self.axis();
        let chunks = lanes.shape().extents()[axis] / LANES;
        let mut at = 0;
        while at < chunks {
            let left = GROUP - (first + at) % GROUP;
            let run = left.min(chunks - at);
            let folded = self.folded(0, lanes, at..at + run)?;
            self.settle(0, folded, first + at + run)?;
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

    /// What a level has, with chunks folded into it.
    fn folded(
        &mut self,
        level: usize,
        lanes: &Tensor,
        chunks: std::ops::Range<usize>,
    ) -> Result<Tensor> {
        if self.open.len() == level {
            self.open.push(None);
        }
        let mut folded = self.open[level].take().map(Expr::from);
        let op = self.phase.pieces.op.row();
        for chunk in chunks {
            let range = |n: usize| Some((n * LANES).cast_signed());
            let own = Index::Range(range(chunk), range(chunk + 1), 1);
            let items = match self.axis() {
                0 => [own, Index::ALL],
                _ => [Index::ALL, own],
            };
            let next = Expr::from(lanes.slice(&items)?);
            folded = Some(match folded {
                Some(before) => Expr::step(op, [before, next]),
                None => next,
            });
        }
        let expr = folded.unwrap_or_else(|| Expr::from(lanes.clone()));
        let mut made = self.context.eval_with(&[expr], self.options)?;
        Ok(made.swap_remove(0))
    }

    /// Keeps what a level has after so many chunks; full groups go up.
    fn settle(&mut self, level: usize, folded: Tensor, after: usize) -> Result<()> {
        if !after.is_multiple_of(GROUP) {
            self.open[level] = Some(folded);
            return Ok(());
        }
        let next = self.folded(level + 1, &folded, 0..1)?;
        self.settle(level + 1, next, after / GROUP)
    }

    /// The rows' results.
    pub fn finish(mut self) -> Result<Tensor> {
        let mut last: Option<Tensor> = None;
        for level in 0..self.open.len() {
            if let Some(below) = last.take() {
                let folded = self.folded(level, &below, 0..1)?;
                self.open[level] = Some(folded);
            }
            last = self.open[level].take();
        }
        let lanes = match last {
            Some(lanes) => lanes,
            None => return Err(crate::error::Error::argument("stream", "it folds nothing")),
        };
        let plan = self.phase.pieces.of_lanes(self.rows, self.phase.across)?;
        Ok(self.context.run(&plan, &[&lanes])?.swap_remove(0))
    }
}
