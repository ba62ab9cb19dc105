//! A reduction that is computed before the result: how its operand is cut so that the run stays
//! within its memory.

use std::fmt;
use std::ops::Range;

use super::bounds::{Bounds, NoSchedule, set_aside};
use super::reads::{
    INPUT_COPIES, INTERMEDIATE_COPIES, LARGEST_WINDOW, OUTPUT_COPIES, PAGE, ROUNDED,
};
use crate::error::{Error, Result};
use crate::message::count;
use crate::op::{GROUP, LANES};
use crate::plan::{Across, Cut, Partition, Pieces, Plan, Window, chunk};

/// Chunks that a piece has at most, if larger chunks would take an invocation too many turns.
const MOST_CHUNKS: usize = 1 << 12;
/// Copies of a piece's lanes: those of the piece before, its own, and the folded ones.
const LANE_COPIES: u64 = 3;
/// Lanes of a row's chunks that are held beside one for each level of groups: those that are folded
/// into others, and the ones that come of it.
const LANES_BESIDE: u64 = 3;
/// Results up to this fraction of the memory stay in it.
const IN_MEMORY: u64 = 8;
/// The cost of a piece besides its reads, in bytes.
const PIECE: u64 = 256 << 10;

/// The range of each row's elements that a part reduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub elements: Range<usize>,
    /// The levels of the chunks whose lanes are left.
    pub levels: u32,
}

/// How a reduction is cut: into windows of rows, and rows into pieces.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub pieces: Pieces,
    cut: Cut,
    /// What it has of each row.
    elements: Range<usize>,
    /// Elements of each row in a piece.
    each: usize,
    /// The levels of a piece's chunks; `None` if it has whole rows.
    pub levels: Option<u32>,
    /// The part's share of each row, if lanes are left and no results.
    pub share: Option<Share>,
    pub across: Across,
    /// The first piece's.
    pub plan: Plan,
    /// Bytes that are held at a time.
    pub bound: u64,
    /// Whether the result goes to a temporary file.
    pub is_on_disk: bool,
    /// Bytes of the result that stay in memory.
    pub held_bytes: u64,
}

/// A piece of a phase.
#[derive(Clone, Debug)]
pub(super) struct PiecePlace {
    pub rows: Window,
    /// Of each row.
    pub elements: Range<usize>,
    /// Whether it is the last of its rows.
    pub is_last: bool,
}

impl Phase {
    /// Cuts the reduction of a node within these bounds.
    pub fn new(
        partition: &Partition,
        node: usize,
        share: Option<Share>,
        bounds: Bounds,
    ) -> Result<Self, NoSchedule> {
        let pieces = Pieces::new(partition, node)?;
        let results = bytes_of(pieces.kept().extents(), &pieces);
        let is_on_disk = share.is_some() || results > bounds.memory / IN_MEMORY;
        let held_bytes = if is_on_disk { 0 } else { results };
        let all = 0..pieces.count();
        let mut search = PieceSearch {
            pieces: &pieces,
            kept: pieces.kept().extents().to_vec(),
            elements: share.as_ref().map_or(all, |share| share.elements.clone()),
            share: share.as_ref(),
            bounds: Bounds {
                memory: bounds.memory.saturating_sub(held_bytes),
                ..bounds
            },
            intermediate: 0,
        };
        let refused = || NoSchedule::Reduction {
            name: format!("{} of {}", pieces.name(), pieces.space()),
            column: pieces.origin.column,
        };
        if pieces.has_windows() {
            let reason = "a reduction over windows cannot be divided into parts; compute it in one";
            return Err(match search.share {
                Some(_) => Error::argument("stream", reason).into(),
                None => refused(),
            });
        }
        loop {
            let choice = search.best()?.ok_or_else(refused)?;
            let rows = Window::whole(&choice.cut.largest(&search.kept));
            let Range { start, end } = search.elements;
            // The second piece begins where the others do.
            let second = Some(start + choice.each).filter(|at| at + choice.each <= end);
            let start = second.unwrap_or(start);
            let elements = start..(start + choice.each).min(end);
            let piece = pieces.piece(&rows, &elements, choice.levels, None)?;
            let needed = piece.plan.intermediate_bytes() * INTERMEDIATE_COPIES;
            let budget = search.budget();
            let aside = set_aside(&mut search.intermediate, needed, budget);
            if aside.ok_or_else(refused)? {
                continue;
            }
            let bound = choice.held + search.intermediate + held_bytes;
            return Ok(Self {
                cut: choice.cut,
                elements: search.elements,
                each: choice.each,
                levels: choice.levels,
                across: piece.across,
                plan: piece.plan,
                bound,
                is_on_disk,
                held_bytes,
                share,
                pieces,
            });
        }
    }

    /// The pieces, row by row.
    pub fn places(&self) -> impl Iterator<Item = PiecePlace> + '_ {
        let (Range { start, end }, each) = (self.elements.clone(), self.each);
        let kept = self.pieces.kept();
        self.cut.windows(kept.extents()).flat_map(move |rows| {
            (start..end).step_by(each).map(move |start| PiecePlace {
                rows: rows.clone(),
                elements: start..(start + each).min(end),
                is_last: start + each >= end,
            })
        })
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        let windows = self.cut.windows(self.pieces.kept().extents()).count();
        windows * self.elements.len().div_ceil(self.each)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kept) = (self.pieces.name(), self.pieces.kept());
        let rows: usize = self.cut.largest(kept.extents()).iter().product();
        let each = self.each.min(self.pieces.count());
        write!(f, "{name} of {} to {kept}", self.pieces.space())?;
        if let Some(Share { elements, .. }) = &self.share {
            let Range { start, end } = elements;
            write!(f, ", elements {start} to {end}")?;
        } else if self.is_on_disk {
            write!(f, " on disk")?;
        }
        write!(
            f,
            ", in {} of at most {} for each of {}",
            count(self.len(), "piece"),
            count(each, "element"),
            count(rows, "result"),
        )
    }
}

fn bytes_of(rows: &[usize], pieces: &Pieces) -> u64 {
    let size = pieces.dtype.size() as u64;
    rows.iter().fold(size, |n, &e| n.saturating_mul(e as u64))
}

/// The search for how a reduction is cut.
struct PieceSearch<'a> {
    pieces: &'a Pieces,
    /// The rows.
    kept: Vec<usize>,
    /// Of each row.
    elements: Range<usize>,
    share: Option<&'a Share>,
    bounds: Bounds,
    /// Bytes that are set aside for intermediate results.
    intermediate: u64,
}

/// A way to cut.
struct PieceCut {
    cut: Cut,
    each: usize,
    levels: Option<u32>,
    held: u64,
    cost: u64,
}

impl PieceSearch<'_> {
    /// The cut of least cost that fits.
    fn best(&self) -> Result<Option<PieceCut>> {
        let mut best: Option<PieceCut> = None;
        let mut consider = |found: Option<PieceCut>| {
            let is_better = |found: &PieceCut| best.as_ref().is_none_or(|b| found.cost < b.cost);
            best = found.filter(is_better).or(best.take());
        };
        let last = self.share.map_or(u32::MAX, |share| share.levels);
        let most = self.pieces.most_levels().min(last);
        for levels in 0..=most {
            // A group of chunks is a chunk of the next level.
            let below = if levels < most {
                GROUP
            } else {
                2 * MOST_CHUNKS
            };
            for chunks in (0..).map(|k| 1 << k).take_while(|&chunks| chunks < below) {
                let each = chunk(levels).saturating_mul(chunks);
                // Pieces begin at multiples of their elements.
                if each > chunk(last) {
                    break;
                }
                if self.share.is_none() && each >= self.elements.len() {
                    consider(self.choice(self.elements.len(), None)?);
                    return Ok(best);
                }
                consider(self.choice(each, Some(levels))?);
            }
        }
        Ok(best)
    }

    /// The cut with pieces of `each` elements of as many rows as fit.
    fn choice(&self, each: usize, levels: Option<u32>) -> Result<Option<PieceCut>> {
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
        let reads = needs.inputs.iter();
        let reads = reads.map(|(bytes, runs)| (*bytes).max(runs * PAGE));
        let cost = reads.sum::<u64>() + self.left(&rows, each, levels) + PIECE;
        let pieces = cut.len(&self.kept);
        let pieces = pieces.saturating_mul(self.elements.len().div_ceil(each));
        Ok(Some(PieceCut {
            cut,
            each,
            levels,
            held,
            cost: cost.saturating_mul(pieces as u64),
        }))
    }

    /// Bytes that a piece leaves: of lanes, or of results.
    fn left(&self, rows: &[usize], each: usize, levels: Option<u32>) -> u64 {
        let rows = bytes_of(rows, self.pieces);
        let lanes = levels.map_or(1, |levels| each.div_ceil(chunk(levels)) * LANES);
        rows.saturating_mul(lanes as u64)
    }

    /// Bytes that are held for pieces of `each` elements of rows of these extents; `None` if they
    /// are too many.
    fn held(&self, rows: &[usize], each: usize, levels: Option<u32>) -> Result<Option<u64>> {
        let needs = self.pieces.needs(rows, each)?;
        let left = self.left(rows, each, levels);
        let results = bytes_of(rows, self.pieces);
        let inputs: u64 = needs.inputs.iter().map(|(bytes, _)| *bytes).sum();
        let lanes = levels.map_or(0, |levels| {
            let one = results.saturating_mul(LANES as u64);
            let beside = self.groups(levels) + LANES_BESIDE;
            let lanes = left.saturating_mul(LANE_COPIES);
            lanes.saturating_add(one.saturating_mul(beside))
        });
        let read_back = match self.share {
            Some(_) => results.saturating_mul(LANES as u64),
            None => results,
        };
        let held = inputs
            .saturating_mul(INPUT_COPIES)
            .saturating_add(lanes)
            .saturating_add(read_back.saturating_mul(OUTPUT_COPIES))
            .saturating_add(needs.operand.saturating_mul(INTERMEDIATE_COPIES));
        let held = held.saturating_mul(ROUNDED.0) / ROUNDED.1;
        let largest = needs.inputs.iter().map(|(bytes, _)| *bytes);
        let largest = largest.chain([left, needs.operand]).max().unwrap_or(0);
        let fits = largest <= self.bounds.largest_buffer
            && inputs.saturating_add(left) <= LARGEST_WINDOW
            && held <= self.budget();
        Ok(fits.then_some(held))
    }

    /// Bytes that are not set aside for intermediate results.
    fn budget(&self) -> u64 {
        self.bounds.memory.saturating_sub(self.intermediate)
    }

    /// The number of levels of groups whose lanes are held, for chunks of `levels` levels.
    fn groups(&self, levels: u32) -> u64 {
        let mut chunks = self.elements.len().div_ceil(chunk(levels));
        let mut groups = 1;
        while chunks > 1 {
            chunks = chunks.div_ceil(GROUP);
            groups += 1;
        }
        groups
    }
}
