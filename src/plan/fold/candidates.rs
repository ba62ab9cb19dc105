//! The ways in which a pass may deal its rows to invocations, by name. Which of them is best, a profile says.

use super::folding::{Folding, Rows};
use super::schedule::{Across, FoldCandidate, FoldSchedule, ROW_LANES};
use super::way::{OWN, Way};
use crate::plan::schedule::{FoldProfile, ScheduleName};

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

impl FoldProfile {
    /// This one, and those by which one invocation folds a row, each folds four lanes, or one.
    fn variants(&self) -> [Self; 4] {
        let shared = |own: u32| Self {
            row_own: 0,
            row_threads: (ROW_LANES as u32 / own).max(1),
            column_own: own,
            columns_alone: usize::MAX,
            column_beside: 1,
            ..*self
        };
        let alone = Self {
            row_own: self.own,
            columns_alone: 0,
            ..shared(self.own)
        };
        [*self, alone, shared(self.own.min(4)), shared(1)]
    }
}

impl Rows<'_> {
    /// The ways to deal the rows: the profile's own first.
    pub fn dealings(&self) -> Vec<(ScheduleName, FoldSchedule)> {
        let mut ways: Vec<(ScheduleName, FoldSchedule)> = Vec::with_capacity(4);
        for profile in self.profile.variants() {
            let dealt = self.dealt(&profile);
            let name = dealt.name();
            if ways.iter().all(|(known, _)| *known != name) {
                ways.push((name, dealt));
            }
        }
        ways
    }
}

impl Folding<'_> {
    /// The schedules that the pass may have, the profile's own first. No other takes more turns than an invocation may.
    pub fn candidates(&self) -> Vec<FoldCandidate> {
        let most = self.rows.limits.profile().turns;
        let mut candidates: Vec<FoldCandidate> = Vec::with_capacity(5);
        let schedules = match self.way {
            Some(way) => self.scans(way),
            None => self.folds(),
        };
        for (name, schedule) in schedules {
            let turns = self.turns(&schedule);
            let is_other = |known: &FoldCandidate| known.schedule != schedule;
            if candidates.is_empty() || turns <= most && candidates.iter().all(is_other) {
                candidates.push(FoldCandidate {
                    name,
                    schedule,
                    turns,
                });
            }
        }
        candidates
    }

    fn folds(&self) -> Vec<(ScheduleName, FoldSchedule)> {
        let mut ways = self.rows.dealings();
        let own = ways[0].1;
        let (levels, limits) = (self.lanes.map_or(0, |lanes| lanes.levels), self.rows.limits);
        // Parts may be groups of groups, which may have invocations of their own each.
        if levels > 1 && own.across == Across::Reduced && limits.profile().groups_at_once {
            let dealt = own.by_groups(&self.rows.body.folds, limits);
            if dealt.groups > 1 {
                ways.insert(0, (ScheduleName::Groups, dealt));
            }
        }
        // Which is the first where no row is held.
        ways.push((ScheduleName::Again, own));
        let fold = |(name, dealt)| (name, self.folding(dealt, name != ScheduleName::Again));
        ways.into_iter().map(fold).collect()
    }

    /// This way to scan rows, and the other one. Rows that are longer than a workgroup scans are cut before.
    fn scans(&self, way: Way) -> Vec<(ScheduleName, FoldSchedule)> {
        let fits = self.rows.space.count <= OWN * self.rows.limits.width() as usize;
        let other = Way {
            alone: !way.alone,
            ..way
        };
        let ways = [Some(way), Some(other).filter(|_| fits || !way.alone)];
        let names = [ScheduleName::Shared, ScheduleName::Alone];
        let scan = |way: Way| (names[usize::from(way.alone)], self.scanning(way));
        ways.into_iter().flatten().map(scan).collect()
    }
}

impl Way {
    /// Whether one invocation does a row where this schedule is wanted, however many rows exist.
    pub fn alone(wanted: Option<ScheduleName>) -> Option<bool> {
        match wanted? {
            ScheduleName::Alone => Some(true),
            ScheduleName::Shared => Some(false),
            _ => None,
        }
    }
}
