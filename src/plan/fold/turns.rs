//! Turns of loops that one invocation takes, which the profile of its machine bounds.

use super::folding::Folding;
use super::schedule::FoldSchedule;
#[cfg(feature = "files")]
use super::schedule::{MOST_LEVELS, chunk};
use crate::op::GROUP;
#[cfg(feature = "files")]
use crate::plan::schedule::Profile;

impl FoldSchedule {
    /// Turns of the loops of an invocation that goes through `elements` of a row once, at most; the
    /// steps of a quad take `of_quad` more.
    pub fn turns(&self, elements: usize, of_quad: usize) -> usize {
        let steps = match self.held {
            0 => elements.div_ceil(self.step()),
            held => held as usize,
        };
        let loops = match self.held {
            0 => steps + steps.div_ceil(GROUP - 1) + (self.together + self.levels) as usize,
            _ => 0,
        };
        let quads = steps * (self.own * self.beside) as usize;
        let each = loops + quads * of_quad;
        match self.in_turn {
            true => self.threads as usize * (each + 1),
            false => each,
        }
    }
}

impl Folding<'_> {
    /// Turns of loops that an invocation takes at most: in each stage, and where it writes an element for each that it read.
    pub fn turns(&self, schedule: &FoldSchedule) -> usize {
        let rows = &self.rows;
        let elements = self.each(schedule).0.min(rows.space.count) / schedule.groups as usize;
        let of_quad = rows.body.turns(rows.limits);
        if schedule.scan.is_some() {
            let quads = (schedule.own * schedule.beside) as usize;
            let groups = elements.div_ceil(schedule.step());
            let loops = match schedule.levels {
                0 => schedule.threads as usize,
                _ => groups + groups.div_ceil(GROUP - 1),
            };
            return loops + groups * quads * of_quad;
        }
        let stages = rows.axes.stages(rows.body).count();
        let stored = usize::from(schedule.full) * schedule.storing().turns(elements, of_quad);
        let groups = schedule.groups as usize;
        let joined = usize::from(groups > 1) * rows.body.folds.len() * groups;
        stages * schedule.turns(elements, of_quad) + stored + joined
    }
}

/// Turns that an invocation takes at most of rows of so many elements, however they are dealt; the
/// steps of a quad take `of_quad` more. It goes through a column of its own in steps of
/// [`COLUMN_STEP`] lanes.
pub(super) fn may_take(count: usize, of_quad: usize) -> usize {
    let steps = count.div_ceil(COLUMN_STEP);
    (steps + steps.div_ceil(GROUP - 1)).saturating_mul(1 + of_quad)
}

/// Lanes of a column that an invocation goes through in a step, at least.
const COLUMN_STEP: usize = 8;

/// The levels of the largest parts of which an invocation takes no more turns than it may, however
/// they are dealt.
#[cfg(feature = "files")]
pub(in crate::plan) fn levels_within(of_quad: usize, profile: &Profile) -> u32 {
    let fits = |levels: &u32| may_take(chunk(*levels), of_quad) <= profile.turns;
    (0..=MOST_LEVELS).rev().find(fits).unwrap_or(0)
}
