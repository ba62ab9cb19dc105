//! A body that folds as passes: of all rows, or of fewer each.

use super::FoldSpace;
use super::folding::{Rows, is_full};
use super::ranges::{greatest_common_divisor, halves};
use super::schedule;
use crate::error::{Error, Result};
use crate::op::LANES;
use crate::plan::body::Body;
use crate::plan::checks::max_inputs;
use crate::plan::fit::{binds, fits};
use crate::plan::limits::MAX_LEN;
use crate::plan::operand::Destination;
use crate::plan::planner::Planner;

impl Planner<'_> {
    /// Adds the passes of a body that folds.
    pub fn push_folds(&mut self, body: &Body, to: &Destination) -> Result<()> {
        if to.slot.layout.is_empty() {
            return Ok(());
        }
        let space = FoldSpace::of(&body.space, &body.reduced);
        let full = is_full(body, to);
        let levels = match !full && body.folds_at_once() {
            true => self.levels(body)?,
            false => None,
        };
        if let Some(levels) = levels {
            match self.part_fits(body, levels)? {
                true => return self.push_parts(body, to, levels),
                false if body.folds.len() > 1 => return self.push_each_fold(body, to),
                false => {}
            }
        }
        let len = space.rows.saturating_mul(space.count);
        match self.push_short(body, len, |p| p.fold_pass(body, to, None))? {
            true => Ok(()),
            false => self.push_fold_windows(body, to),
        }
    }

    /// Adds the passes of what does not fit one: of fewer rows each, of one fold each, of parts of
    /// rows, or of rows that are moved together first.
    fn push_fold_windows(&mut self, body: &Body, to: &Destination) -> Result<()> {
        let extents = body.space.extents();
        let kept = (0..extents.len()).filter(|axis| !body.reduced.contains(axis));
        let full = is_full(body, to);
        let rows = kept.clone().find(|&axis| extents[axis] > 1);
        if let Some(axis) = rows
            && self.reaches(&body.along(axis, 0, 1)?)
        {
            let place = match full {
                true => axis,
                false => kept.take_while(|&a| a < axis).count(),
            };
            for (start, count) in halves(extents[axis], 1) {
                let part = body.along(axis, start, count)?;
                self.push_folds(&part, &to.along(place, start, count)?)?;
            }
            return Ok(());
        }
        if full || !body.folds_at_once() {
            return self.push_each_fold(body, to);
        }
        match (self.parts_that_fit(body)?, rows) {
            (Some(levels), _) => self.push_parts(body, to, levels),
            (None, _) if body.folds.len() > 1 => self.push_each_fold(body, to),
            (None, Some(axis)) => self.push_moved_rows(body, axis, to),
            (None, None) => Err(self.too_long(body, to)),
        }
    }

    /// What is said of a row that neither one pass folds nor parts of it do.
    pub(super) fn too_long(&self, body: &Body, to: &Destination) -> Error {
        let limits = self.limits();
        match body.inputs.iter().find(|x| !fits(&x.slot, limits)) {
            Some(input) => limits.too_large(input.source.name_in_errors(), input.slot.bytes()),
            None if to.slot.bytes() <= limits.max_binding => Error::TooManyElements {
                shape: body.space.clone(),
                limit: MAX_LEN,
            },
            None => to.too_large(limits),
        }
    }

    /// Whether a binding holds what each input reaches.
    pub(super) fn reaches(&self, body: &Body) -> bool {
        body.inputs.iter().all(|x| fits(&x.slot, self.limits()))
    }

    /// The levels of parts of rows of which each has invocations of its own, if a body is folded in
    /// parts: where rows are too few to fill a machine, or take an invocation too many turns.
    fn levels(&self, body: &Body) -> Result<Option<u32>> {
        let space = FoldSpace::of(&body.space, &body.reduced);
        let wanted = schedule::split(space.rows, space.count, self.limits().profile());
        if wanted.is_none() && self.turns_fit(body, None)? {
            return Ok(None);
        }
        let levels = (1..=wanted.unwrap_or(schedule::MOST_LEVELS)).rev();
        for levels in levels.filter(|&levels| schedule::chunk(levels) < space.count) {
            if self.turns_fit(body, Some(levels))? {
                return Ok(Some(levels));
            }
        }
        Ok(wanted)
    }

    /// Whether an invocation takes no more turns than it may, of whole rows or of parts of so many
    /// levels.
    fn turns_fit(&self, body: &Body, levels: Option<u32>) -> Result<bool> {
        let (of_quad, most) = (body.turns(self.limits()), self.limits().profile().turns);
        let space = FoldSpace::of(&body.space, &body.reduced);
        let each = levels.map_or(space.count, schedule::chunk);
        // Each turn goes through an element at least.
        if of_quad == 0 && 2 * each <= most {
            return Ok(true);
        }
        let parts = levels.map(|levels| space.count.div_ceil(schedule::chunk(levels)));
        let across = self.across(body, false)?;
        let ways = Rows::new(self.limits(), body, None, across, parts)?.dealings();
        let (_, schedule) = ways[self.wanted(ways.iter().map(|(name, _)| *name))];
        Ok(schedule.turns(each, of_quad) <= most)
    }

    /// The levels of the largest parts of rows that bindings hold.
    fn parts_that_fit(&self, body: &Body) -> Result<Option<u32>> {
        for levels in (1..=schedule::MOST_LEVELS).rev() {
            if self.part_fits(body, levels)? {
                return Ok(Some(levels));
            }
        }
        Ok(None)
    }

    /// Whether rows have several parts of so many levels, bindings hold what a part of all rows
    /// reaches, and one holds the lanes of all parts.
    fn part_fits(&self, body: &Body, levels: u32) -> Result<bool> {
        // What goes on with the lanes binds those of each fold.
        let bound = body.folds.len() + body.inputs.len();
        if body.folds.len() > 1 && bound > max_inputs(self.limits()) {
            return Ok(false);
        }
        let body = body.with_joined_axes();
        let space = FoldSpace::of(&body.space, &body.reduced);
        let extents = body.space.extents();
        let chunk = schedule::chunk(levels);
        let long = body.reduced.iter().find(|&&axis| extents[axis] > 1);
        let Some(&axis) = long.filter(|_| chunk < space.count) else {
            return Ok(false);
        };
        let parts = space.count.div_ceil(chunk);
        let lanes = [body.folds.len(), space.rows, parts, LANES];
        let lanes = lanes.iter().try_fold(1usize, |n, &e| n.checked_mul(e));
        let size = body.folds[0].dtype.size();
        let unit = chunk / greatest_common_divisor(chunk, space.count / extents[axis]);
        let part = body.along(axis, 0, unit.min(extents[axis]))?;
        let most = self.limits().elements(body.is_dense());
        let fits = chunk <= most && FoldSpace::of(&part.space, &part.reduced).count < MAX_LEN;
        let bound = lanes.is_some_and(|n| binds(n, size, self.limits()));
        Ok(fits && bound && self.reaches(&part) && self.turns_fit(&body, Some(levels))?)
    }
}
