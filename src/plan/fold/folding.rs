//! A body that folds, and what its pass depends on beside its schedule.

use super::parts::Lanes;
use super::place::Axes;
use super::schedule::{self, Across, FoldSchedule};
use super::{FoldSpace, turns};
use crate::plan::body::Body;
use crate::plan::limits::Limits;
use crate::plan::operand::Destination;
use crate::plan::schedule::Profile;

/// A body that folds, and what its pass depends on beside its schedule.
pub(super) struct Folding<'a> {
    pub body: &'a Body,
    pub axes: &'a Axes,
    pub to: &'a Destination,
    /// The lanes of parts of rows that it writes.
    pub lanes: Option<Lanes>,
    pub space: FoldSpace,
    pub across: Across,
    /// Whether the result has an element for each that is read.
    pub full: bool,
    /// Of the result's first element, in elements from its binding's start.
    pub offset: u32,
    /// By which rows are dealt.
    pub profile: Profile,
}

impl Folding<'_> {
    /// Whether parts are groups of groups, which may have invocations of their own each.
    pub fn has_groups(&self) -> bool {
        let levels = self.lanes.map_or(0, |lanes| lanes.levels);
        levels > 1 && self.across == Across::Reduced && self.profile.groups_at_once
    }

    /// Elements between the lanes of a part.
    pub fn pitch(&self) -> usize {
        self.lanes.map_or(0, |lanes| lanes.rows)
    }

    /// The elements of a part of a row, and how many parts it has.
    pub fn each(&self, schedule: &FoldSchedule) -> (usize, usize) {
        match self.lanes {
            Some(lanes) => (schedule::chunk(lanes.levels), lanes.parts),
            None if self.body.folds.is_empty() => schedule.parts(self.space.count),
            None => (self.space.count, 1),
        }
    }

    /// Turns of loops that an invocation takes at most.
    pub fn turns(&self, schedule: &FoldSchedule, limits: &Limits) -> usize {
        let elements = self.each(schedule).0.min(self.space.count) / schedule.groups as usize;
        turns::of_pass((self.body, self.axes), schedule, elements, limits)
    }
}
