//! Reductions: the third kind of work beside maps and products.
//!
//! A pass that folds walks a space whose axes are kept or reduced. Kept elements are its rows. Each
//! row's elements are folded in the order of [`op::order`](crate::op), whatever is chosen here:
//! lanes among invocations, groups in loops, the tree over lanes in a workgroup's memory.

mod apart;
mod candidates;
mod chunks;
mod folding;
mod hold;
mod parts;
mod pass;
mod place;
mod program;
mod push;
mod ranges;
mod scan;
mod schedule;
mod split;
mod stages;
mod step;
mod table;
mod turns;
mod walked;
mod way;

pub(super) use pass::grid;
pub(super) use program::{Programs, after_folds};
#[cfg(feature = "files")]
pub(super) use ranges::joined;
#[cfg(feature = "files")]
pub(crate) use schedule::chunk;
pub(crate) use schedule::{
    Across, FoldCandidate, FoldSchedule, FullSteps, ROW_LANES, STORED_TOGETHER,
};
pub(crate) use stages::Stages;
pub(super) use stages::in_order;
pub(crate) use step::{Begin, FoldStep, ScanStep};
#[cfg(feature = "files")]
pub(super) use turns::levels_within;
pub(crate) use walked::Program;

use super::limits::Limits;
use crate::shape::Shape;

/// How many rows a space has, and how long they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldSpace {
    pub rows: usize,
    pub count: usize,
    /// Whether the reduced axes are the innermost.
    trailing: bool,
}

impl FoldSpace {
    pub fn of(shape: &Shape, axes: &[usize]) -> Self {
        let extent = |reduced: bool| {
            let own = (0..shape.rank()).filter(|axis| axes.contains(axis) == reduced);
            own.map(|axis| shape.extents()[axis])
                .fold(1usize, usize::saturating_mul)
        };
        let long = |axis: &usize| shape.extents()[*axis] > 1;
        let mut kept = (0..shape.rank()).filter(|axis| !axes.contains(axis)).rev();
        let last = kept.find(long);
        Self {
            rows: extent(false),
            count: extent(true),
            trailing: last.is_none_or(|last| !axes.iter().filter(|a| long(a)).any(|&a| a < last)),
        }
    }

    /// Whether rows that are gone through several times, or written as a whole, are best computed
    /// by one dispatch, or one for as many rows as it may compute: it reads them from the caches
    /// again. `turns`: those of its steps' loops for a quad.
    pub fn is_one_pass(&self, stages: usize, full: bool, turns: usize, limits: &Limits) -> bool {
        // Columns of fewer rows reach as far as all.
        let rows = if self.trailing { 1 } else { self.rows };
        let len = rows.saturating_mul(self.count);
        let fits = len <= limits.elements(true) && super::fit::binds(len, 8, limits);
        let again = stages > 1 || full;
        let profile = limits.profile();
        let short = match self.trailing {
            true => profile.row_again,
            false => profile.column_again,
        };
        fits && turns::may_take(self.count, turns) <= profile.turns
            && schedule::split(self.rows, self.count, profile).is_none()
            && (!again || self.count <= short)
    }
}

#[cfg(test)]
mod tests;
