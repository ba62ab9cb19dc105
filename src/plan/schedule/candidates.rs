//! The schedules that a pass may have: which there are, and nothing of which is best.

mod cross;
mod rows;
mod straddling;
mod tiles;

use super::policy::Profile;
use super::{Along, Down, Lanes, Schedule, ScheduleName, Threads, section};
use crate::plan::body::DENSE;
use crate::plan::canonical::Canonical;
use crate::plan::limits::Limits;
use crate::plan::slot::{PAIR, QUAD};

/// Steps of which a compiler takes minutes over code for several quads.
const LONG: usize = 4 * DENSE;

/// What candidates depend on.
pub(in crate::plan) struct Shapes<'a> {
    pub canonical: &'a Canonical,
    /// Bytes of an element of each input, and of the output.
    pub sizes: &'a [usize],
    pub own: usize,
    /// Elements that an invocation loads and stores at a time.
    pub unit: usize,
    /// How many sums the steps are as long as, which a compiler inlines once for each quad.
    pub code: usize,
    pub limits: &'a Limits,
    pub profile: &'a Profile,
}

/// The schedules that a pass may have, with their names. There is at least one.
pub(in crate::plan) fn candidates(shapes: &Shapes<'_>) -> Vec<(ScheduleName, Schedule)> {
    let extents = &shapes.canonical.extents;
    let mut found = match extents.len() {
        1 => shapes.line(),
        // Rows of whole words are mapped as such.
        _ if shapes.unit > QUAD => shapes.straddling(false),
        _ if shapes.canonical.inner().is_multiple_of(shapes.unit) => {
            [shapes.rows(), shapes.straddling(true)].concat()
        }
        _ => shapes.straddling(false),
    };
    found.extend(shapes.staged().map(|s| (ScheduleName::Staged, s)));
    let short = |s: &Schedule| shapes.code <= LONG || s.beside * s.rows() <= shapes.quads();
    found.retain(|(_, schedule)| shapes.grid_fits(schedule) && short(schedule));
    if found.is_empty() {
        found.push((ScheduleName::One, shapes.one(shapes.lanes())));
    }
    found
}

/// The elements that an invocation may load and store at a time: four, and where a machine wants so
/// many bytes of them, as many as these are; more than four in rows that are at least as long.
pub(in crate::plan) fn units(
    sizes: &[usize],
    own: usize,
    extents: &[usize],
    profile: &Profile,
) -> impl Iterator<Item = usize> + use<> {
    let wanted = profile.unit.map(|bytes| bytes / own);
    let inner = extents.last().copied().unwrap_or(1);
    let in_words = extents.len() > 1 && sizes.iter().all(|&size| size == own);
    let may = move |&unit: &usize| match unit {
        ..QUAD => unit >= PAIR,
        QUAD => false,
        _ => in_words && inner >= unit,
    };
    wanted.filter(may).into_iter().chain([QUAD])
}

impl Shapes<'_> {
    fn lanes(&self) -> Lanes {
        let inner = self.canonical.inner();
        match self.canonical.extents.len() {
            1 => Lanes::Line,
            _ if inner.is_multiple_of(self.unit) => Lanes::Rows,
            _ => Lanes::Straddling(if inner == 2 { 3 } else { 2 }),
        }
    }

    /// A schedule of one quad an invocation.
    fn one(&self, lanes: Lanes) -> Schedule {
        Schedule {
            lanes,
            unit: self.unit as u32,
            beside: 1,
            down: None,
            spread: self.profile.spread,
            together: match lanes {
                Lanes::Straddling(_) => self.profile.together_scattered,
                _ => self.profile.together,
            },
            threads: Threads::Numbered,
            workgroup: [self.limits.width(), 1],
            powers_of_two: false,
            wide_division: false,
        }
    }

    /// Quads that an invocation owns in lines and in quads that straddle.
    fn quads(&self) -> u32 {
        match () {
            // Of pairs two are computed together.
            () if self.code > DENSE => QUAD.div_ceil(self.unit) as u32,
            () if self.unit == PAIR => 4,
            () if self.sizes.iter().any(|&size| size > 4) || self.own > 4 => 2,
            () => 4,
        }
    }

    fn line(&self) -> Vec<(ScheduleName, Schedule)> {
        let one = self.one(Lanes::Line);
        let named = |beside| match beside {
            1 => (ScheduleName::One, one),
            _ => (ScheduleName::Beside, Schedule { beside, ..one }),
        };
        let counts = [4, 2, 1].into_iter().filter(|&quads| quads <= self.quads());
        counts.map(named).collect()
    }

    /// Sections of the outermost axis, if at least half of their indices are there.
    fn sections(&self, one: Schedule, quads: u32) -> Option<Schedule> {
        let extents = &self.canonical.extents;
        let fits = section(extents, quads, self.unit) * quads as usize <= 2 * extents[0];
        let down = Down {
            quads,
            along: Along::Sections,
            whole: false,
        };
        fits.then_some(Schedule {
            down: Some(down),
            ..one
        })
    }

    /// Whether a row of tiles or a block is not longer than a grid is wide: those are not folded.
    fn grid_fits(&self, schedule: &Schedule) -> bool {
        let extents = &self.canonical.extents;
        let quads = match (schedule.threads, schedule.has_blocks()) {
            _ if schedule.lanes == Lanes::Column => return true,
            (Threads::Tiles, true) => schedule.step(extents) / self.unit,
            (Threads::Tiles, false) => {
                (self.canonical.inner() / self.unit).div_ceil(schedule.beside as usize)
            }
            _ => return true,
        };
        quads.div_ceil(schedule.workgroup[0] as usize) <= self.limits.max_workgroups as usize
    }
}
