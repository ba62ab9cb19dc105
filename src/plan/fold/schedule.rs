//! How the rows of a pass that folds are dealt to invocations.

use super::step::{FoldStep, ScanStep};
use crate::dtype::{Class, DType};
use crate::op::{GROUP, LANES};
use crate::plan::limits::Limits;
use crate::plan::schedule::{FoldProfile, Profile, ScheduleName};
use crate::plan::slot::QUAD;

/// Along what the four elements of a quad are neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Across {
    /// The reduced axes: a quad is four elements of one row.
    #[default]
    Reduced,
    /// The innermost kept axis: a quad is one element of each of four rows.
    Kept,
}

/// Quads that the lanes of a row are, if its quads lie along it.
pub(crate) const ROW_LANES: usize = LANES / QUAD;

/// Which steps of rows have an element for each lane that its invocations fold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum FullSteps {
    All,
    AllButLast,
    #[default]
    None,
}

/// How a pass folds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FoldSchedule {
    pub across: Across,
    /// Invocations that share a row, or a quad of rows.
    pub threads: u32,
    /// Whether there is one invocation instead, which does the work of each of them in turn.
    pub in_turn: bool,
    /// Lanes of the order that each of them folds, or quads of lanes.
    pub own: u32,
    /// Rows of a workgroup, or quads of rows.
    pub rows: u32,
    /// Groups of the outermost loop over a part that have invocations of their own each: all, or 1.
    pub groups: u32,
    /// Quads of columns beside one another that an invocation folds.
    pub beside: u32,
    /// Whether where operands lie moves by constant steps along a row; else it is found by each
    /// quad's number.
    pub stepped: bool,
    /// Loops over groups, one in the other.
    pub levels: u32,
    /// Steps of a loop's body.
    pub together: u32,
    /// Quads of them of which all loads come before the first is folded.
    pub loaded: u32,
    /// Steps of a row whose quads an invocation loads once and holds, if it goes through them
    /// several times; 0 if it loads them again.
    pub held: u32,
    /// Quads of the last of them that may have elements.
    pub held_last: u32,
    /// Inputs that are loaded again though a row is held, as bits: those that all rows share, and
    /// that caches hold.
    pub again: u32,
    /// Whether each part of a row has invocations of its own.
    pub parted: bool,
    /// Whether a part's lanes are written, for a later pass to go on with.
    pub partial: bool,
    /// Whether the result has an element for each that is read.
    pub full: bool,
    /// Whether rows end inside a quad.
    pub ragged: bool,
    /// Whether a quad's elements lie as far apart as a row has invocations, so that each of the
    /// four is a neighbour of those that other invocations have: rows that begin anywhere are
    /// written element by element, and whole sectors of memory at once.
    pub apart: bool,
    /// Whether the results of a workgroup's rows are put together in its memory, from which
    /// neighbouring invocations write neighbours: those of short rows that begin anywhere, and those
    /// that share words.
    pub staged: bool,
    /// Which steps have elements for all invocations.
    pub full_steps: FullSteps,
    /// How it scans its rows, if it does. A row's elements are those of all invocations in order
    /// then, each of which owns as many quads.
    pub scan: Option<ScanStep>,
    /// Kept axes, and reduced ones.
    pub kept: u32,
    pub reduced: u32,
}

/// A schedule that a pass may have, and the turns of loops that an invocation takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldCandidate {
    pub name: ScheduleName,
    pub schedule: FoldSchedule,
    pub turns: usize,
}

impl FoldSchedule {
    /// Invocations of a workgroup.
    pub fn workgroup(&self) -> u32 {
        self.sharing() * self.rows * self.groups
    }

    /// Invocations that there really are for a row, or a quad of rows.
    pub fn sharing(&self) -> u32 {
        if self.in_turn { 1 } else { self.threads }
    }

    /// The first steps of a row that is held, of which each lane surely has an element.
    pub fn held_full(&self) -> u32 {
        match (self.full_steps, self.held) {
            (FullSteps::All, held) => held,
            (_, held) if held <= GROUP as u32 => held / 2,
            (_, held) => held - QUAD as u32,
        }
    }

    /// The same schedule, where an invocation holds what it loads of a row of so many elements. Few
    /// kernels serve all lengths, but rows of whole steps, of which nothing is asked, have one for
    /// each number of them.
    pub fn holding(self, count: usize) -> Self {
        let (steps, rest) = (count.div_ceil(self.step()), count % self.step());
        let held = match (rest, steps) {
            (0, _) => steps,
            (_, ..=GROUP) => steps.next_power_of_two(),
            _ => steps.next_multiple_of(QUAD),
        };
        let each = self.step() / self.own as usize;
        let held_last = match (rest, held) {
            // Of rows that are little longer than a step the second would be idle.
            (1.., 2) => (rest.div_ceil(each).next_power_of_two() as u32).min(self.own),
            _ => self.own,
        };
        Self {
            together: 1,
            loaded: 1,
            full_steps: match rest {
                0 => FullSteps::All,
                _ => FullSteps::AllButLast,
            },
            held: held as u32,
            held_last,
            ..self
        }
    }

    /// Quads that an invocation holds.
    pub fn held_quads(&self) -> usize {
        let before = self.held.saturating_sub(1) * self.own;
        ((before + self.held_last) * self.beside) as usize
    }

    /// Bytes of a workgroup's memory through which its invocations fold their lanes, for each type
    /// of a kernel's text that is folded.
    pub fn lane_bytes(&self, folds: &[FoldStep]) -> usize {
        let invocations = match (self.groups, self.partial) {
            (2.., _) => self.groups as usize * ROW_LANES,
            (_, true) => return 0,
            _ if self.sharing() == 1 => return 0,
            _ => self.workgroup() as usize,
        };
        let kept = match self.apart {
            true => 1,
            false => QUAD * self.beside as usize,
        };
        // All 64-bit classes are one type, of two words.
        let pair = Class::U64 as u32;
        let of = |fold: &FoldStep| 1u32 << (fold.dtype.class() as u32).min(pair);
        let types = folds.iter().fold(0, |all, fold| all | of(fold));
        let words = types.count_ones() + (types >> pair);
        4 * words as usize * kept * invocations
    }

    /// Bytes of a workgroup's memory in which its results are put together: a word for each, or two.
    pub fn result_bytes(&self, output: DType) -> usize {
        let elements = self.workgroup() as usize * self.held_quads() * QUAD;
        match self.staged {
            true => elements * output.size().max(4),
            false => 0,
        }
    }

    /// The same, where each group of a part has invocations of its own, if a workgroup has so many, and memory.
    pub fn by_groups(self, folds: &[FoldStep], limits: &Limits) -> Self {
        let (lanes, groups, rows) = (ROW_LANES as u32, GROUP as u32, 1);
        let threads = (limits.width() / groups).clamp(1, lanes);
        let own = lanes / threads;
        let by_groups = Self {
            threads,
            own,
            rows,
            groups,
            ..self
        };
        let fits = by_groups.lane_bytes(folds) <= limits.max_workgroup_storage as usize;
        match fits && by_groups.workgroup() <= limits.width() {
            true => by_groups,
            false => self,
        }
    }

    /// How it goes through rows to write an element for each: no lanes are kept apart.
    pub fn storing(self) -> Self {
        Self {
            threads: self.sharing(),
            in_turn: false,
            own: self.own.min(STORED_TOGETHER),
            levels: 1,
            ..self
        }
    }

    /// The elements of a part, and how many there are, of rows that are written and not folded: as
    /// many as fill a few steps.
    pub fn parts(&self, count: usize) -> (usize, usize) {
        let each = GROUP * self.step();
        match count > each {
            true => (each, count.div_ceil(each)),
            false => (count, 1),
        }
    }

    /// Elements of a row that one step of all its invocations folds.
    pub fn step(&self) -> usize {
        let lanes = (self.threads * self.own) as usize;
        match self.across {
            Across::Reduced => QUAD * lanes,
            Across::Kept => lanes,
        }
    }
}

/// Elements of a row up to whose lanes a pass folds if it leaves groups of so many levels to the
/// next pass.
pub(crate) fn chunk(levels: u32) -> usize {
    LANES.saturating_mul(GROUP.saturating_pow(levels))
}

/// Levels of the largest parts.
pub(super) const MOST_LEVELS: u32 = 7;

/// The levels of groups of which each has invocations of its own, if rows are too few to fill a
/// machine otherwise.
pub(super) fn split(rows: usize, count: usize, profile: &Profile) -> Option<u32> {
    let lanes = ROW_LANES.min(count.div_ceil(QUAD)).max(1);
    let busy = |parts: usize| rows.saturating_mul(parts).saturating_mul(lanes) >= profile.busy;
    let few = rows.saturating_mul(count) < profile.busy_from;
    if busy(1) || few || count <= chunk(1) {
        return None;
    }
    let mut levels = (1..=MOST_LEVELS)
        .rev()
        .filter(|&levels| chunk(levels) < count);
    levels
        .find(|&levels| busy(count.div_ceil(chunk(levels))))
        .or(Some(1))
}

/// Rows of which each has an invocation alone are so many at least: fewer leave lanes of a vector idle.
const ALONE: usize = 16;

/// Quads of columns that an invocation folds beside one another, of so many where rows have so many
/// columns: none of them may be beyond a row, and enough invocations must be left.
pub(super) fn beside(across: Across, quads: usize, columns: usize, profile: &FoldProfile) -> u32 {
    let fits = |&n: &u32| {
        let n = n as usize;
        columns.is_multiple_of(QUAD * n) && quads / n >= profile.columns_alone
    };
    let fewer = std::iter::successors(Some(profile.column_beside), |&n| Some(n / 2));
    match across {
        Across::Kept => fewer.take_while(|&n| n > 1).find(fits).unwrap_or(1),
        _ => 1,
    }
}

/// Quads of a step in which an invocation writes results.
pub(crate) const STORED_TOGETHER: u32 = 4;

/// The power of two that a count is, or the next one; 2^31 of all that are larger.
pub(super) fn power(n: usize) -> u32 {
    n.clamp(1, 1 << 31).next_power_of_two() as u32
}

/// How a pass deals `rows` rows (or parts of rows, or quads of rows) of `count` elements. `alone`:
/// whether one invocation may do the work of all those that share a column. Of the schedule only
/// what is dealt is set.
pub(super) fn deal(
    across: Across,
    rows: usize,
    count: usize,
    alone: bool,
    width: u32,
    profile: &FoldProfile,
) -> FoldSchedule {
    match across {
        Across::Reduced => {
            let lanes = power(count.div_ceil(QUAD)).min(ROW_LANES as u32);
            let alone = lanes <= profile.row_own && (lanes == 1 || rows >= ALONE);
            let threads = match alone {
                true => 1,
                false => lanes.min(profile.row_threads).min(width),
            };
            let group = match threads {
                1 => 64,
                _ => profile.row_group.max(threads),
            };
            FoldSchedule {
                threads,
                own: lanes / threads,
                rows: group.min(width) / threads,
                ..FoldSchedule::default()
            }
        }
        Across::Kept => {
            let lanes = power(count).min(LANES as u32);
            if alone && rows >= profile.columns_alone {
                let own = lanes.min(profile.column_turn);
                return FoldSchedule {
                    threads: lanes / own,
                    in_turn: lanes > own,
                    own,
                    rows: profile.alone_group.min(width),
                    ..FoldSchedule::default()
                };
            }
            let beside = power(rows).min(profile.column_quads).min(width);
            let threads = lanes
                .div_ceil(profile.column_own)
                .min(width / beside)
                .max(1);
            let own = lanes / threads;
            // Columns of few rows: as many of them as fill a workgroup.
            let beside = match threads * beside < 64 {
                true => (64 / threads).min(width / threads).min(power(rows)).max(1),
                false => beside,
            };
            FoldSchedule {
                threads,
                own,
                rows: beside,
                ..FoldSchedule::default()
            }
        }
    }
}
