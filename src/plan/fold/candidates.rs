//! The ways in which a pass may deal its rows to invocations, by name. Which of them is best, a profile says.

use std::iter;

use super::FoldSpace;
use super::folding::Folding;
use super::place::Axes;
use super::schedule::{Across, FoldCandidate, FoldSchedule, ROW_LANES};
use super::turns;
use super::way::{OWN, Way};
use crate::plan::body::Body;
use crate::plan::operand::Destination;
use crate::plan::planner::Planner;
use crate::plan::schedule::{Profile, ScheduleName};

impl FoldSchedule {
    /// What a way to deal rows is called.
    fn name(&self) -> ScheduleName {
        match (self.sharing(), self.own) {
            (1, _) => ScheduleName::Alone,
            (_, 1) => ScheduleName::Lanes,
            _ => ScheduleName::Shared,
        }
    }
}

/// Lanes that an invocation folds of a row, or of a column, that several of them share.
const SHARED: u32 = 4;

impl Profile {
    /// The same, by which one invocation folds a row, several share it, or each of its lanes has one.
    fn variants(&self) -> [Self; 3] {
        let most = self.own;
        let shared = |own: u32| Self {
            row_own: 0,
            row_threads: (ROW_LANES as u32 / own).max(1),
            column_own: own,
            columns_alone: usize::MAX,
            column_beside: 1,
            ..*self
        };
        let alone = Self {
            row_own: most,
            columns_alone: 0,
            ..shared(most)
        };
        [alone, shared(SHARED.min(most)), shared(1)]
    }
}

impl Planner<'_> {
    /// The ways to deal a body's rows that are folded as a whole, or in so many parts: the profile's own first.
    pub(super) fn dealings(
        &self,
        (body, axes): (&Body, &Axes),
        profile: &Profile,
        across: Across,
        parts: Option<usize>,
    ) -> Vec<(ScheduleName, FoldSchedule)> {
        let mut ways: Vec<(ScheduleName, FoldSchedule)> = Vec::with_capacity(4);
        for profile in iter::once(*profile).chain(profile.variants()) {
            let dealt = self.dealt((body, axes), &profile, across, parts);
            let name = dealt.name();
            if ways.iter().all(|(known, _)| *known != name) {
                ways.push((name, dealt));
            }
        }
        ways
    }

    /// The schedules of a pass that folds, the profile's own first. No other takes more turns than an invocation may.
    pub(super) fn fold_candidates(&self, folding: &Folding<'_>) -> Vec<FoldCandidate> {
        let (limits, of) = (self.limits(), (folding.body, folding.axes));
        let parts = folding.lanes.map(|lanes| lanes.parts);
        let mut ways = self.dealings(of, &folding.profile, folding.across, parts);
        let own = ways[0].1;
        if folding.has_groups() {
            let dealt = own.by_groups(&folding.body.folds, limits);
            if dealt.groups > 1 {
                ways.insert(0, (ScheduleName::Groups, dealt));
            }
        }
        let candidate = |(name, dealt), holds| {
            let schedule = self.fold_schedule(folding, dealt, holds);
            let turns = folding.turns(&schedule, limits);
            FoldCandidate {
                name,
                schedule,
                turns,
            }
        };
        let ways = ways.into_iter();
        let mut candidates: Vec<FoldCandidate> = ways.map(|way| candidate(way, true)).collect();
        let first = candidates[0];
        if first.schedule.held > 0 {
            candidates.push(candidate((ScheduleName::Again, own), false));
        }
        let is_other =
            |c: &FoldCandidate| c.turns <= limits.profile().turns && c.schedule != first.schedule;
        candidates.retain(|c| c.name == first.name || is_other(c));
        candidates
    }

    /// The schedules of a pass that scans rows in a way, this one first. Rows that are longer than a workgroup scans, or that
    /// one invocation may, are cut before.
    pub(super) fn scan_candidates(
        &self,
        (body, axes): (&Body, &Axes),
        to: &Destination,
        way: Way,
    ) -> Vec<FoldCandidate> {
        let limits = self.limits();
        let count = FoldSpace::of(&body.space, &body.reduced).count;
        let candidate = |alone: bool| {
            let way = Way { alone, ..way };
            let schedule = self.scan_schedule((body, axes), to, way);
            FoldCandidate {
                name: way.name(),
                schedule,
                turns: turns::of_pass((body, axes), &schedule, count, limits),
            }
        };
        let other = candidate(!way.alone);
        let fits = match way.alone {
            true => count <= OWN * limits.width() as usize,
            false => other.turns <= limits.profile().turns,
        };
        let own = iter::once(candidate(way.alone));
        own.chain(fits.then_some(other)).collect()
    }
}

impl Way {
    fn name(self) -> ScheduleName {
        match self.alone {
            true => ScheduleName::Alone,
            false => ScheduleName::Shared,
        }
    }

    /// Whether one invocation does a row where this schedule is wanted, however many rows exist.
    pub fn alone(wanted: Option<ScheduleName>) -> Option<bool> {
        match wanted? {
            ScheduleName::Alone => Some(true),
            ScheduleName::Shared => Some(false),
            _ => None,
        }
    }
}
