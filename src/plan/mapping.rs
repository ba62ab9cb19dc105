//! How a pass reads its inputs, how invocations map to elements, and how the output is written.

use super::limits::Limits;
use super::slot::QUAD;

/// How a pass reads one input, independently of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// The input walks as the output does over all axes: the quad's number is the address.
    Linear,
    /// Stride 1 on the inner axis, outer strides and offset whole quads: one wide load a quad.
    Vector,
    /// A vector load of an operand that is broadcast along the unrolled rows: one for all of them.
    Hoisted,
    /// A misaligned linear or vector load, this many elements past a quad's start: two wide loads a
    /// quad.
    Misaligned(u8),
    /// Stride 0 on the inner axis (or on all): one element, splat.
    Splat,
    /// A periodic operand: it moves along an inner axis of this extent, 2 or 3, alone. Its elements
    /// are loaded once for all quads of an invocation, and rotated from one to the next.
    Periodic(u8),
    /// Stride 1 along the other axis of a tile: four wide loads for the four quads of a tile, which
    /// are transposed in registers.
    Transposed,
    /// Anything else: four loads a quad.
    Gather,
    /// Stride 0 on the inner axis, in quads that straddle one row boundary at most: two loads, of
    /// the elements of the first and last lanes.
    Straddling,
    /// A gather that is the same for all quads of an invocation: four loads for all of them.
    HoistedGather,
}

impl Access {
    /// Whether elements are loaded one by one, each at the coordinates of its lane.
    pub fn is_by_lanes(self) -> bool {
        matches!(self, Self::Gather | Self::Straddling | Self::HoistedGather)
    }

    /// Whether an input's address is computed from coordinates.
    pub fn by_coordinates(self, kind: Kind) -> bool {
        match kind {
            Kind::Flat | Kind::Product => false,
            Kind::Rows | Kind::Tile => self != Self::Linear,
            Kind::General => self.is_by_lanes(),
        }
    }
}

/// How invocations map to quads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// One axis.
    Flat,
    /// Rows of whole quads: the row and the quad in it come from the grid, or from the invocation's
    /// number by a division.
    Rows,
    /// Rows of whole quads, four neighbours along another axis at a time: tiles of 4 x 4 elements.
    Tile,
    /// Any other shape: the quad's first index is decomposed, its four lanes wrap and carry.
    General,
    /// A matrix product, in tiles.
    Product,
}

/// Which quads an invocation owns when it owns several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Spread {
    /// Neighbours: a CPU reads them from the same cache lines.
    Consecutive,
    /// One quad every so many as neighbouring invocations there are (of a workgroup or of a row),
    /// so that the loads of a GPU's neighbouring invocations are coalesced.
    Interleaved,
}

impl Spread {
    pub(super) fn of(limits: &Limits) -> Self {
        if limits.software {
            Self::Consecutive
        } else {
            Self::Interleaved
        }
    }
}

/// How an invocation's loop over its quads is unrolled: along the innermost axis, or
/// [along the outermost](super::unroll) (mapping general; the rows of mapping rows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unroll {
    /// Its quads are neighbours.
    Adjacent,
    /// The outermost axis is split into as many equal sections; it owns the same quad of each.
    Strided,
    /// The outermost axis is split into short blocks; it owns the same quad of as many neighbouring
    /// blocks, so that what is contiguous along that axis is loaded from the same cache lines. A
    /// block has the fewest indices whose elements are whole quads.
    Blocked,
}

/// The mapping of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mapping {
    pub kind: Kind,
    /// Invocations of a workgroup along x and y.
    pub workgroup: [u32; 2],
    /// Quads an invocation owns (of each row).
    pub quads: u32,
    /// Rows an invocation owns: neighbours along the second axis from the innermost, or strided
    /// along the outermost.
    pub rows: u32,
    /// The other axis of tiles, counted from the innermost.
    pub along: u32,
    /// Whether all extents that coordinates are split off for are powers of two: then by shifts and
    /// masks.
    pub powers_of_two: bool,
    pub spread: Spread,
    pub unroll: Unroll,
    /// Whether a workgroup of mapping rows has one row (or the same rows for all invocations), by y
    /// and z of the grid, so that loads that depend on the row alone are uniform in the workgroup.
    /// Else invocations are numbered over the whole grid, and a division finds the row.
    pub uniform_rows: bool,
}

impl Mapping {
    /// Whether an invocation owns a quad of each of several rows, not several of a row.
    pub fn is_down(&self) -> bool {
        self.kind == Kind::Rows && self.quads == 1 && self.rows > 1
    }

    /// Elements from one quad of an invocation to its next in mapping general, if they are
    /// adjacent.
    pub fn adjacent_step(&self) -> usize {
        QUAD * if self.spread == Spread::Consecutive {
            1
        } else {
            self.workgroup[0] as usize
        }
    }
}

/// How a pass writes its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Store {
    /// Whole quads.
    Wide,
    /// Word by word; a word shared with foreign bytes is read, merged and written.
    Words {
        /// Elements by which quads are shifted so that they begin on a word.
        shift: u32,
    },
}

impl Store {
    /// Elements by which quads are shifted.
    pub fn shift(self) -> u32 {
        match self {
            Self::Wide => 0,
            Self::Words { shift } => shift,
        }
    }
}
