//! A body that folds as passes: of all rows, or of fewer each.

use super::FoldSpace;
use super::ranges::halves;
use super::schedule;
use crate::error::{Error, Result};
use crate::plan::body::Body;
use crate::plan::operand::{Destination, Source, Target};
use crate::plan::planner::Planner;
use crate::plan::slot::{QUAD, Slot};

/// Whether a narrow result that is written in quads begins inside one.
pub(super) fn is_shifted(to: &Destination) -> bool {
    let begins = to.slot.layout.offset().is_multiple_of(QUAD);
    to.slot.dtype.size() < 4 && !begins
}

impl Planner<'_> {
    /// Adds the passes of a body that folds.
    pub fn push_folds(&mut self, body: &Body, to: &Destination) -> Result<()> {
        if to.slot.layout.is_empty() {
            return Ok(());
        }
        let space = FoldSpace::of(&body.space, &body.reduced);
        let full = to.slot.layout.len() != space.rows;
        if full && is_shifted(to) {
            return self.push_shifted(to, |planner, to| planner.push_folds(body, to));
        }
        let single = body.folds.len() == 1 && !full;
        let profile = self.limits().profile();
        let levels = schedule::split(space.rows, space.count, profile).filter(|_| single);
        if let Some(levels) = levels {
            return self.push_parts(body, to, levels);
        }
        let long = space.rows.saturating_mul(space.count) > self.limits().elements(body.is_dense());
        let whole = match long {
            true => Err(to.too_large(self.limits())),
            false => self.fold_pass(body, to, None),
        };
        match whole {
            Ok(pass) => {
                self.passes.push(pass);
                Ok(())
            }
            Err(Error::TooLarge { .. }) => self.push_fold_windows(body, to),
            Err(error) => Err(error),
        }
    }

    /// Adds passes that write to the start of a temporary, and one that moves its elements to where
    /// they begin inside a word.
    pub(super) fn push_shifted(
        &mut self,
        to: &Destination,
        push: impl FnOnce(&mut Self, &Destination) -> Result<()>,
    ) -> Result<()> {
        let dtype = to.slot.dtype;
        let slot = Slot::new(dtype, to.slot.layout.shape().clone())?;
        let t = self.temporary(dtype, slot.layout.len());
        let between = Destination {
            target: Target::Temporary(t),
            slot: slot.clone(),
        };
        push(self, &between)?;
        self.push(&Body::moving(Source::Temporary(t), slot), to)
    }

    /// Adds the passes of fewer rows each, or of parts of rows.
    fn push_fold_windows(&mut self, body: &Body, to: &Destination) -> Result<()> {
        let extents = body.space.extents();
        let kept = (0..extents.len()).filter(|axis| !body.reduced.contains(axis));
        let space = FoldSpace::of(&body.space, &body.reduced);
        let full = to.slot.layout.len() != space.rows;
        let Some(axis) = kept
            .clone()
            .find(|&axis| extents[axis] > 1)
            .filter(|_| !full)
        else {
            // One row.
            let levels = (1..8)
                .rev()
                .find(|&levels| schedule::chunk(levels) < space.count);
            return match levels.filter(|_| !full && body.folds.len() == 1) {
                Some(levels) => self.push_parts(body, to, levels),
                None => Err(to.too_large(self.limits())),
            };
        };
        let place = kept.clone().take_while(|&a| a < axis).count();
        for (start, count) in halves(extents[axis], 1) {
            let part = body.along(axis, start, count)?;
            self.push_folds(&part, &to.along(place, start, count)?)?;
        }
        Ok(())
    }
}
