//! Turns of loops that one invocation takes, which the profile of its machine bounds.

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
