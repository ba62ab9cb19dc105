//! A reduction that is computed before the result: how its operand is cut so that what a run holds
//! stays within its memory.

use std::fmt;
use std::ops::Range;

use super::fit::{Bounds, LEAST_BUDGET, Refused};
use super::reads::{INPUT_COPIES, LARGEST_WINDOW, OUTPUT_COPIES, ROUNDED};
use crate::error::Result;
use crate::message::count;
use crate::op::{GROUP, LANES};
use crate::plan::{Across, Cut, Partition, Pieces, Plan, Window, chunk};
use crate::shape::Shape;

/// Chunks that a piece may have.
const CHUNKS: [usize; 4] = [1, 2, 4, 8];
/// Copies of a piece's lanes: that of the piece before, its own, and what they are folded to.
const LANE_COPIES: u64 = 3;
/// Lanes of a row's chunks that are held beside one for each level of groups: those that are folded
/// into others, and the ones that come of it.
const LANES_BESIDE: u64 = 3;
/// Copies of intermediate results.
const INTERMEDIATE_COPIES: u64 = 2;
/// Results up to this fraction of the memory stay in it.
const IN_MEMORY: u64 = 8;
/// Bytes that a read costs at least.
const PAGE: u64 = 4096;
/// What a piece costs beside what it reads, in bytes.
const PIECE: u64 = 256 << 10;

/// How a reduction is cut: into windows of rows, and rows into pieces.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub pieces: Pieces,
    cut: Cut,
    /// Elements of each row in a piece: whole chunks of so many levels, or all.
    each: usize,
    pub levels: u32,
    pub across: Across,
    /// The first piece's.
    pub plan: Plan,
    /// Bytes that are held at a time.
    pub bound: u64,
    /// Whether the result goes to a temporary file.
    pub is_on_disk: bool,
}

/// A piece of a phase.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub rows: Window,
    /// Of each row.
    pub elements: Range<usize>,
    /// Whether it is the last of its rows.
    pub is_last: bool,
}

/// The search for how a reduction is cut.
struct Search<'a> {
    pieces: &'a Pieces,
    /// The rows.
    kept: Vec<usize>,
    count: usize,
    bounds: Bounds,
    /// Bytes that are set aside for intermediate results.
    intermediate: u64,
}

/// A way to cut.
struct Choice {
    cut: Cut,
    each: usize,
    levels: u32,
    held: u64,
    cost: u64,
}

impl Phase {
    /// How the reduction that a node is can be cut within these bounds.
    pub fn new(partition: &Partition, node: usize, bounds: Bounds) -> Result<Self, Refused> {
        let pieces = Pieces::new(partition, node)?;
        let (kept, count) = (pieces.kept().extents().to_vec(), pieces.count());
        let is_on_disk = result_bytes(&pieces) > bounds.memory / IN_MEMORY;
        let result = match is_on_disk {
            true => 0,
            false => result_bytes(&pieces),
        };
        let mut search = Search {
            pieces: &pieces,
            kept,
            count,
            bounds: Bounds {
                memory: bounds.memory.saturating_sub(result),
                ..bounds
            },
            intermediate: 0,
        };
        let refused = || Refused::Reduction {
            name: format!("{} of {}", pieces.op.name(), pieces.space()),
            column: pieces.column,
        };
        loop {
            let Some(choice) = search.best()? else {
                return Err(refused());
            };
            let rows = first(choice.cut, &search.kept);
            // The second piece begins where the others do.
            let start = if choice.each * 2 <= count {
                choice.each
            } else {
                0
            };
            let elements = start..(start + choice.each).min(count);
            let piece = pieces.piece(&rows, &elements, choice.levels, None)?;
            let needed = piece.plan.between_bytes() * INTERMEDIATE_COPIES;
            match search.set_aside(needed) {
                None => return Err(refused()),
                Some(true) => continue,
                Some(false) => {}
            }
            return Ok(Self {
                cut: choice.cut,
                each: choice.each,
                levels: choice.levels,
                across: piece.across,
                plan: piece.plan,
                bound: choice.held + search.intermediate + result,
                is_on_disk,
                pieces,
            });
        }
    }

    /// The pieces, row by row.
    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let (count, each) = (self.pieces.count(), self.each);
        self.cut
            .windows(self.pieces.kept().extents())
            .flat_map(move |rows| {
                (0..count).step_by(each).map(move |start| Place {
                    rows: rows.clone(),
                    elements: start..(start + each).min(count),
                    is_last: start + each >= count,
                })
            })
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        let windows = self.cut.windows(self.pieces.kept().extents()).count();
        windows * self.pieces.count().div_ceil(self.each)
    }

    /// Whether each piece has whole rows, so that it leaves results and no lanes.
    pub fn has_whole_rows(&self) -> bool {
        self.each >= self.pieces.count()
    }

    /// The shape of the result.
    pub fn kept(&self) -> Shape {
        self.pieces.kept()
    }

    /// Bytes of the result that stay in memory.
    pub fn held_bytes(&self) -> u64 {
        match self.is_on_disk {
            true => 0,
            false => result_bytes(&self.pieces),
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kept) = (self.pieces.op.name(), self.pieces.kept());
        let rows: usize = first(self.cut, kept.extents()).extents.iter().product();
        let each = self.each.min(self.pieces.count());
        write!(
            f,
            "{name} of {} to {kept}{} in {} of at most {} of {}",
            self.pieces.space(),
            if self.is_on_disk { ", on disk," } else { "" },
            count(self.len(), "piece"),
            count(each, "element"),
            count(rows, "row"),
        )
    }
}

fn size_of(pieces: &Pieces) -> u64 {
    pieces.dtype.size() as u64
}

fn result_bytes(pieces: &Pieces) -> u64 {
    let kept = pieces.kept();
    let rows = kept.extents().iter();
    rows.fold(size_of(pieces), |n, &e| n.saturating_mul(e as u64))
}

/// The first window of a cut.
fn first(cut: Cut, extents: &[usize]) -> Window {
    Window {
        start: vec![0; extents.len()],
        extents: cut.largest(extents),
    }
}

impl Search<'_> {
    /// The cut of least cost that fits.
    fn best(&self) -> Result<Option<Choice>> {
        let mut best: Option<Choice> = None;
        for levels in 0.. {
            for chunks in CHUNKS {
                let each = chunk(levels).saturating_mul(chunks).min(self.count);
                let found = self.choice(each, levels)?;
                let is_better = |found: &Choice| best.as_ref().is_none_or(|b| found.cost < b.cost);
                best = found.filter(is_better).or(best);
                if each == self.count {
                    return Ok(best);
                }
            }
        }
        Ok(best)
    }

    /// The cut with pieces of so many elements of as many rows as fit.
    fn choice(&self, each: usize, levels: u32) -> Result<Option<Choice>> {
        let fits = |rows: &[usize]| {
            self.held(rows, each, levels)
                .is_ok_and(|held| held.is_some())
        };
        let Some(cut) = Cut::new(&self.kept, &fits) else {
            return Ok(None);
        };
        let rows = cut.largest(&self.kept);
        let Some(held) = self.held(&rows, each, levels)? else {
            return Ok(None);
        };
        let needs = self.pieces.needs(&rows, each)?;
        let reads = needs
            .inputs
            .iter()
            .map(|(bytes, runs)| (*bytes).max(runs * PAGE));
        let cost = reads.sum::<u64>() + self.lanes(&rows, each, levels) + PIECE;
        let pieces = cut
            .len(&self.kept)
            .saturating_mul(self.count.div_ceil(each));
        Ok(Some(Choice {
            cut,
            each,
            levels,
            held,
            cost: cost.saturating_mul(pieces as u64),
        }))
    }

    /// Bytes of the lanes that a piece leaves; of the results, if it has whole rows.
    fn lanes(&self, rows: &[usize], each: usize, levels: u32) -> u64 {
        let rows = rows
            .iter()
            .fold(size_of(self.pieces), |n, &e| n.saturating_mul(e as u64));
        match each == self.count {
            true => rows,
            false => rows.saturating_mul((each.div_ceil(chunk(levels)) * LANES) as u64),
        }
    }

    /// Bytes that are held for pieces of so many elements of rows of these extents; `None` if they
    /// are too many.
    fn held(&self, rows: &[usize], each: usize, levels: u32) -> Result<Option<u64>> {
        let needs = self.pieces.needs(rows, each)?;
        let lanes = self.lanes(rows, each, levels);
        let results = rows
            .iter()
            .fold(size_of(self.pieces), |n, &e| n.saturating_mul(e as u64));
        let inputs: u64 = needs.inputs.iter().map(|(bytes, _)| *bytes).sum();
        let operand = needs.operand.saturating_mul(INTERMEDIATE_COPIES);
        let of_lanes = match each == self.count {
            true => 0,
            false => {
                let one = results.saturating_mul(LANES as u64);
                let beside = self.groups(levels) + LANES_BESIDE;
                lanes
                    .saturating_mul(LANE_COPIES)
                    .saturating_add(one.saturating_mul(beside))
            }
        };
        let held = inputs
            .saturating_mul(INPUT_COPIES)
            .saturating_add(of_lanes)
            .saturating_add(results.saturating_mul(OUTPUT_COPIES))
            .saturating_add(operand);
        let held = held.saturating_mul(ROUNDED.0) / ROUNDED.1;
        let largest = needs.inputs.iter().map(|(bytes, _)| *bytes);
        let largest = largest.chain([lanes, needs.operand]).max().unwrap_or(0);
        let budget = self.bounds.memory.saturating_sub(self.intermediate);
        let fits = largest <= self.bounds.largest_buffer
            && inputs.saturating_add(lanes) <= LARGEST_WINDOW
            && held <= budget;
        Ok(fits.then_some(held))
    }

    /// Levels of groups whose lanes are held, of chunks of so many.
    fn groups(&self, levels: u32) -> u64 {
        let mut chunks = self.count.div_ceil(chunk(levels));
        let mut groups = 1;
        while chunks > 1 {
            chunks = chunks.div_ceil(GROUP);
            groups += 1;
        }
        groups
    }

    /// Sets memory aside for intermediate results; whether that was not done yet. `None` if too
    /// little is left.
    fn set_aside(&mut self, needed: u64) -> Option<bool> {
        if needed <= self.intermediate {
            return Some(false);
        }
        let budget = self.bounds.memory.saturating_sub(self.intermediate);
        // Those of smaller pieces are smaller.
        self.intermediate = match needed > budget / 2 {
            true => self.intermediate + budget / 2,
            false => needed,
        };
        (budget >= LEAST_BUDGET).then_some(true)
    }
}
