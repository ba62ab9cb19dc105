//! How a pass is divided among invocations, lanes and unrolled loops, and how its inputs are loaded
//! under that.

mod again;
mod candidates;
mod features;
mod grid;
mod load;
mod name;
mod policy;
mod space;

pub(super) use candidates::{Shapes, candidates, units};
pub(super) use features::{Moved, features};
pub(super) use grid::grid;
pub(crate) use load::{LaneLoad, Load, Per};
pub(super) use load::{Reach, load};
pub use name::ScheduleName;
pub(crate) use policy::Candidate;
pub(super) use policy::{Cost, FoldProfile, GPU, LONG, NAMES as FEATURES, Profile, SOFTWARE};
pub(crate) use space::{Role as LoopRole, Space};

use super::slot::QUAD;

/// How the lanes of a quad lie on the canonical axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lanes {
    /// Along the only axis; the last quad may have lanes past its end.
    Line,
    /// Along the innermost axis, whose extent is a multiple of four, or of two if they are a pair.
    Rows,
    /// Along all axes: a quad may begin in one row and end in another. It lies in so many rows at
    /// most: 2, or 3 of rows of two elements.
    Straddling(u8),
    /// Along another axis than the innermost, along which the invocations of a workgroup lie beside
    /// one another: a workgroup owns a tile of [`SIDE`] x [`SIDE`] elements, and an invocation
    /// neighbours along that other axis.
    Column,
}

/// Elements of a staged tile along each of its axes.
pub(crate) const SIDE: usize = 64;
/// Neighbours that an invocation owns in a column of a staged tile.
pub(crate) const OWN: usize = SIDE * SIDE / 256;

/// Quads of one invocation that are neighbours along an outer axis, not within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Down {
    pub quads: u32,
    pub along: Along,
    /// Whether the axis has no more indices than these.
    pub whole: bool,
}

/// The axis that quads which lie one above the other differ along, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Along {
    /// Neighbours along this axis, counted from the innermost, whose extent their number divides.
    Axis(u32),
    /// The outermost axis is split into as many equal sections; an invocation owns the same quad of
    /// each.
    Sections,
    /// The outermost axis is split into short blocks; an invocation owns the same quad of as many
    /// neighbouring blocks, so that what is contiguous along that axis is loaded from the same
    /// cache lines. A block has the fewest indices whose elements are whole quads.
    Blocks,
}

/// Where the quads lie that an invocation owns beside one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Spread {
    /// Neighbours: a CPU reads them from the same cache lines.
    Consecutive,
    /// One quad every so many as neighbouring invocations there are (of a workgroup or of a row),
    /// so that the loads of a GPU's neighbouring invocations are coalesced.
    Interleaved,
    /// In rows of their own: neighbours along an axis nearer than that of quads down, counted from
    /// the innermost, whose extent their number, a power of two, divides.
    Axis {
        axis: u32,
        /// Whether the axis has no more indices than these.
        whole: bool,
    },
}

/// Quads of one invocation along an axis, each in a row of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owned {
    /// Counted from the innermost.
    pub axis: usize,
    pub quads: u32,
    /// Whether the axis has no more indices than these.
    pub whole: bool,
}

/// How invocations are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Threads {
    /// One number over the whole grid. In rows a division finds the row.
    Numbered,
    /// A workgroup has one row (or the same rows for all invocations), by y and z of the grid, so
    /// that loads that depend on the row alone are uniform in the workgroup.
    RowPerWorkgroup,
    /// The same, but neighbouring workgroups have the same part of one row after another, so that
    /// what rows share is in the caches still.
    RowsFirst,
    /// A workgroup is so many invocations wide and so many high.
    Tiles,
}

/// A schedule: all of it that a kernel's text depends on, which is no extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Schedule {
    pub lanes: Lanes,
    /// Neighbouring elements that an invocation loads and stores at a time: four, a quad; or two, a
    /// pair, of which steps compute two together; or eight or sixteen, a quad of words. All that is
    /// said of quads goes for the others.
    pub unit: u32,
    /// Quads that an invocation owns beside one another.
    pub beside: u32,
    /// Quads that it owns one above the other, each with those beside it.
    pub down: Option<Down>,
    pub spread: Spread,
    /// Quads of which all loads come before the first store.
    pub together: u32,
    pub threads: Threads,
    /// Invocations of a workgroup along x and y.
    pub workgroup: [u32; 2],
    /// Whether all extents that coordinates are split off for are powers of two: then by shifts and
    /// masks.
    pub powers_of_two: bool,
    /// Whether others are divided by with 64-bit integers.
    pub wide_division: bool,
}

impl Schedule {
    /// Quads that an invocation owns one above the other.
    pub fn rows(&self) -> u32 {
        self.down.map_or(1, |down| down.quads)
    }

    /// Quads that an invocation owns, of those that its steps work on.
    pub fn quads(&self) -> usize {
        (self.beside * self.rows() * self.per_word()) as usize
    }

    /// Quads that an invocation owns in one row.
    pub fn in_row(&self) -> u32 {
        match self.spread {
            Spread::Axis { .. } => 1,
            Spread::Consecutive | Spread::Interleaved => self.beside,
        }
    }

    /// What an invocation owns along an axis, outermost axis first.
    pub fn owned(&self) -> impl Iterator<Item = Owned> + use<> {
        let down = self.down.and_then(|down| match down.along {
            Along::Axis(axis) => Some(Owned {
                axis: axis as usize,
                quads: down.quads,
                whole: down.whole,
            }),
            Along::Sections | Along::Blocks => None,
        });
        let beside = match self.spread {
            Spread::Axis { axis, whole } => Some(Owned {
                axis: axis as usize,
                quads: self.beside,
                whole,
            }),
            Spread::Consecutive | Spread::Interleaved => None,
        };
        down.into_iter().chain(beside)
    }

    /// Quads that an invocation owns along an axis, counted from the innermost, if each is in a row
    /// of its own.
    pub fn owned_along(&self, axis: usize) -> usize {
        let mut all = self.owned().filter(|owned| owned.axis == axis);
        all.next().map_or(1, |owned| owned.quads as usize)
    }

    /// Whether an invocation's quads are all that an axis has.
    pub fn owns_whole(&self, axis: usize) -> bool {
        self.owned().any(|owned| owned.whole && owned.axis == axis)
    }

    /// Whether quads one above the other are a section or a block of the outermost axis apart.
    pub fn splits_outermost(&self) -> bool {
        self.down
            .is_some_and(|down| !matches!(down.along, Along::Axis(_)))
    }

    /// Whether the outermost axis is split into blocks.
    pub fn has_blocks(&self) -> bool {
        self.down.is_some_and(|down| down.along == Along::Blocks)
    }

    /// Whether four rows are computed as tiles of 4 x 4 elements.
    pub fn is_tiled(&self) -> bool {
        self.lanes == Lanes::Rows && self.threads == Threads::Tiles
    }

    /// The axis that the lanes of a quad lie along if that is not the innermost, counted from that.
    pub fn column_axis(&self) -> Option<usize> {
        match self.down?.along {
            Along::Axis(axis) if self.lanes == Lanes::Column => Some(axis as usize),
            _ => None,
        }
    }

    /// The axis that tiles go along beside the innermost, counted from that.
    pub fn tiled_axis(&self) -> Option<usize> {
        match self.down?.along {
            Along::Axis(axis) if self.is_tiled() => Some(axis as usize),
            _ => None,
        }
    }

    /// Whether all of its quads' addresses come before the first load. A GPU's compiler loads words
    /// of the table where they are first used, and waits for them: better once, with no element on
    /// its way yet.
    pub fn places_first(&self) -> bool {
        self.spread != Spread::Consecutive
    }

    /// Elements of a word that steps compute on, if it holds several.
    pub fn per_word(&self) -> u32 {
        (self.unit / QUAD as u32).max(1)
    }

    /// Elements of a quad, or of a pair.
    pub fn unit(&self) -> usize {
        self.unit as usize
    }

    /// What so many elements are called.
    pub fn unit_name(&self) -> &'static str {
        match self.unit {
            2 => "pair",
            _ => "quad",
        }
    }

    /// The axis along which invocations are numbered first if that is not the innermost of the outer
    /// ones, counted from the innermost: that of tiles, so that neighbours load neighbours.
    pub fn numbered_first(&self) -> Option<usize> {
        self.tiled_axis().filter(|&axis| axis > 1)
    }

    /// Whether rows that follow one another are not those that an invocation and the next one own.
    pub fn skips_rows(&self) -> bool {
        let far = |owned: Owned| owned.axis > 1;
        self.lanes == Lanes::Rows && self.owned().any(far)
    }

    /// Elements from one quad of an invocation to the one beside it, in quads that may straddle.
    pub fn step_beside(&self) -> usize {
        self.unit()
            * match self.spread {
                Spread::Consecutive | Spread::Axis { .. } => 1,
                Spread::Interleaved => self.workgroup[0] as usize,
            }
    }

    /// Elements from one quad of an invocation to its next: one above the other if the outermost
    /// axis is split, else beside one another.
    pub fn step(&self, extents: &[usize]) -> usize {
        match self.splits_outermost() {
            true => self.part(extents) * extents.iter().skip(1).product::<usize>(),
            false => self.step_beside(),
        }
    }

    /// The part of the outermost axis, if that is split, from one quad of an invocation to its next.
    fn part(&self, extents: &[usize]) -> usize {
        match self.has_blocks() {
            true => block(extents, self.unit()),
            false => section(extents, self.rows(), self.unit()),
        }
    }

    /// How far an operand with these strides moves from one quad of an invocation to the next one
    /// down.
    pub fn down_stride(&self, extents: &[usize], strides: &[isize]) -> isize {
        match self.down.map(|down| down.along) {
            None => 0,
            Some(Along::Axis(axis)) => strides[strides.len() - 1 - axis as usize],
            Some(Along::Sections | Along::Blocks) => self.part(extents).cast_signed() * strides[0],
        }
    }

    /// The loop nest that it makes of canonical axes.
    pub fn space(&self, extents: &[usize]) -> Space {
        let rank = extents.len();
        let space = Space::of(extents);
        if let Some(axis) = self.column_axis() {
            let at = rank - 1 - axis;
            let rows = space.split(at, SIDE).split(at + 1, OWN).split(at + 2, QUAD);
            return rows.unroll(at + 2).lanes(at + 3).split(rank + 2, SIDE);
        }
        let (space, inner) = match self.down {
            None => (space, rank - 1),
            Some(Down { quads, along, .. }) => match along {
                Along::Axis(axis) => {
                    let at = rank - 1 - axis as usize;
                    (space.split(at, quads as usize).unroll(at + 1), rank)
                }
                Along::Sections => (space.split(0, self.part(extents)).unroll(0), rank),
                Along::Blocks => {
                    let block = self.part(extents);
                    let whole = space.split(0, block * quads as usize);
                    (whole.split(1, block).unroll(1), rank + 1)
                }
            },
        };
        let (space, inner) = match self.lanes {
            Lanes::Line | Lanes::Rows | Lanes::Column => (space, inner),
            Lanes::Straddling(_) => {
                let from = if self.splits_outermost() {
                    inner + 1 - rank
                } else {
                    0
                };
                (space.fuse(from), from)
            }
        };
        let space = space.vectorize(self.unit());
        let quads = space.loops()[inner].extent;
        let beside = self.beside as usize;
        match self.spread {
            _ if beside == 1 => space,
            // Behind the loop of quads down, whose split moved it by one.
            Spread::Axis { axis, .. } => {
                let at = rank - axis as usize;
                space.split(at, beside).unroll(at + 1)
            }
            Spread::Consecutive => space.split(inner, beside).unroll(inner + 1),
            Spread::Interleaved if self.lanes == Lanes::Rows => {
                space.split(inner, quads.div_ceil(beside)).unroll(inner)
            }
            Spread::Interleaved => {
                let width = self.workgroup[0] as usize;
                let groups = space.split(inner, beside * width);
                groups.split(inner + 1, width).unroll(inner + 1)
            }
        }
    }
}

/// Indices along the outermost axis that each of `count` sections has; the last ones may have
/// fewer, or none.
pub(super) fn section(extents: &[usize], count: u32, unit: usize) -> usize {
    let outermost = extents.first().copied().unwrap_or(1);
    outermost
        .div_ceil(count as usize)
        .next_multiple_of(block(extents, unit))
}

/// The fewest indices along the outermost axis that whole quads, or other units, make up.
pub(super) fn block(extents: &[usize], unit: usize) -> usize {
    let inner = extents.iter().skip(1).product::<usize>();
    unit >> inner.trailing_zeros().min(unit.trailing_zeros())
}

#[cfg(test)]
mod tests;
