//! How an input is loaded under a schedule: from its strides along the lanes and along the unrolled
//! loops, and from its alignment.

use super::{Along, Lanes, LoopRole, Schedule, Space};
use crate::plan::slot::QUAD;

/// How the four elements of a quad are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LaneLoad {
    /// Four neighbours: one vector load, or two and a shift if they begin `misaligned` elements
    /// into a quad.
    Vector { misaligned: u8 },
    /// One element for all lanes.
    Broadcast,
    /// The elements of the first and of the last lane: a quad that straddles one row boundary at
    /// most, of an operand that is broadcast along the innermost axis.
    TwoRuns,
    /// Elements that repeat along an inner axis of 2 or 3: loaded once, and rotated from one quad
    /// to the next.
    Periodic(u8),
    /// A row of a tile of 4 x 4 elements that are contiguous along the tile's other axis: four
    /// vector loads for four quads, transposed in registers.
    Transposed,
    /// Four elements one by one.
    Gather,
}

/// How often an invocation loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Per {
    /// For each of its quads.
    Quad,
    /// Once for all its quads, which need the same elements.
    Invocation,
}

/// How a pass reads one input, independently of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Load {
    pub lanes: LaneLoad,
    pub per: Per,
    /// Whether the input walks as the output does over all axes: the quad's number is the address.
    pub linear: bool,
}

impl Load {
    /// Whether elements are loaded one by one, each at the coordinates of its lane.
    pub fn is_by_lanes(self) -> bool {
        match self.lanes {
            LaneLoad::Gather | LaneLoad::TwoRuns => true,
            LaneLoad::Periodic(_) => self.per == Per::Invocation,
            _ => false,
        }
    }

    /// Whether an input's address is computed from coordinates.
    pub fn by_coordinates(self, schedule: &Schedule) -> bool {
        match schedule.lanes {
            Lanes::Line => false,
            Lanes::Rows => !self.linear,
            Lanes::Straddling => self.is_by_lanes(),
        }
    }

    /// Four elements one by one, for each quad.
    pub const GATHER: Self = Self {
        lanes: LaneLoad::Gather,
        per: Per::Quad,
        linear: false,
    };

    /// A vector at the quad's number, for each quad.
    pub const LINEAR: Self = Self {
        lanes: LaneLoad::Vector { misaligned: 0 },
        per: Per::Quad,
        linear: true,
    };
}

/// What decides how an operand is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a> {
    /// Along the canonical axes, in elements.
    pub strides: &'a [isize],
    /// Whether its strides are those of the output.
    pub row_major: bool,
    /// Bytes an element.
    pub size: usize,
    /// Of the element at index 0 from the start of its binding.
    pub offset: u32,
    /// Whether the binding holds whole quads.
    pub whole: bool,
}

/// The load of an operand.
pub(crate) fn load(schedule: &Schedule, extents: &[usize], operand: Reach<'_>) -> Load {
    let space = schedule.space(extents);
    let lanes = lanes(schedule, &space, extents, operand);
    let linear = match lanes {
        LaneLoad::Vector { misaligned } => {
            schedule.lanes == Lanes::Line || misaligned == 0 && operand.row_major
        }
        _ => false,
    };
    let per = if !linear && is_hoisted(schedule, &space, lanes, operand.strides) {
        Per::Invocation
    } else {
        Per::Quad
    };
    Load { lanes, per, linear }
}

fn lanes(schedule: &Schedule, space: &Space, extents: &[usize], operand: Reach<'_>) -> LaneLoad {
    let Reach {
        strides,
        row_major,
        size,
        offset,
        whole,
    } = operand;
    let rank = extents.len();
    let (inner, inner_stride) = (extents[rank - 1], strides[rank - 1]);
    let quads = |stride: &isize| stride % QUAD.cast_signed() == 0;
    let misaligned = (offset % QUAD as u32) as u8;
    let aligned = whole && misaligned == 0;
    let outer = &strides[..rank - 1];
    // Shifted by whole elements; of 8 bytes four loads are as good.
    let reads_ahead = whole && size <= 4;
    match space.stride(space.loops().len() - 1, strides) {
        Some(0) => LaneLoad::Broadcast,
        _ if aligned && row_major => LaneLoad::Vector { misaligned },
        _ if schedule.lanes == Lanes::Straddling => {
            if inner_stride == 0 && inner >= QUAD {
                LaneLoad::TwoRuns
            } else if size <= 4 && inner < QUAD && outer.iter().all(|&s| s == 0) {
                LaneLoad::Periodic(inner as u8)
            } else {
                LaneLoad::Gather
            }
        }
        Some(1) if outer.iter().all(quads) && (aligned || reads_ahead) => {
            LaneLoad::Vector { misaligned }
        }
        _ if aligned && is_transposed(schedule, strides) => LaneLoad::Transposed,
        _ => LaneLoad::Gather,
    }
}

/// Whether an operand is contiguous along the other axis of tiles, and moves by whole quads along
/// all others.
fn is_transposed(schedule: &Schedule, strides: &[isize]) -> bool {
    schedule.tiled_axis().is_some_and(|axis| {
        let other = strides.len() - 1 - axis;
        let fits = |(a, &s): (usize, &isize)| {
            if a == other {
                s == 1
            } else {
                s % QUAD.cast_signed() == 0
            }
        };
        strides.iter().enumerate().all(fits)
    })
}

/// Whether one load does for all quads of an invocation.
fn is_hoisted(schedule: &Schedule, space: &Space, lanes: LaneLoad, strides: &[isize]) -> bool {
    let Some(down) = schedule.down else {
        return false;
    };
    let unrolled = |at: &usize| space.loops()[*at].role == LoopRole::Unroll;
    let still = (0..space.loops().len())
        .filter(unrolled)
        .all(|at| space.stride(at, strides) == Some(0));
    let fits = match (schedule.lanes, lanes) {
        (Lanes::Rows, LaneLoad::Vector { misaligned: 0 }) => {
            !schedule.is_tiled() && schedule.beside == 1
        }
        (Lanes::Straddling, LaneLoad::Gather | LaneLoad::TwoRuns | LaneLoad::Periodic(_)) => {
            matches!(down.along, Along::Sections | Along::Blocks)
        }
        _ => false,
    };
    fits && still
}
