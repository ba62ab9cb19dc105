//! How an input is loaded under a schedule: from its strides along the lanes and along the unrolled
//! loops, and from its alignment.

use super::{Along, Down, Lanes, LoopRole, Schedule, Space};
use crate::plan::slot::QUAD;

/// How the four elements of a quad are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LaneLoad {
    /// Four neighbours: one vector load, or two and a shift if they begin `misaligned` elements
    /// into a quad.
    Vector { misaligned: u8 },
    /// Four neighbours that begin anywhere: two vector loads and a shift that the address says. Of
    /// words with several elements, neighbours in each of the two rows that a quad may lie in: five
    /// words of each.
    Unaligned,
    /// One element for all lanes.
    Splat,
    /// The elements of the first and of the last lane: a quad that straddles one row boundary at
    /// most, of an operand that is broadcast along the innermost axis.
    Straddling,
    /// Elements that repeat along an inner axis of 2 or 3: loaded once, and rotated from one quad
    /// to the next.
    Periodic(u8),
    /// A row of a tile of 4 x 4 elements that are contiguous along the tile's other axis: four
    /// vector loads for four quads, transposed in registers.
    Transposed,
    /// A quad of each of 2 or 3 neighbours that are contiguous along the axis down: as many vector
    /// loads for as many quads, taken apart in registers.
    Interleaved,
    /// Four elements one by one, or two of a pair.
    Gather,
    /// Four elements of a column, which a workgroup has loaded along it and keeps in its memory.
    Staged,
}

/// How often an invocation loads: a load is hoisted out of the unrolled loops that it does not move
/// along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Per {
    /// For each of its quads.
    Quad,
    /// Once for all quads beside one another.
    Row,
    /// Once for all quads one above the other.
    Column,
    /// Once for all its quads.
    Invocation,
}

impl Per {
    /// Whether it loads anew for a quad further down, and for one beside.
    pub fn moves(self) -> [bool; 2] {
        match self {
            Self::Quad => [true, true],
            Self::Row => [true, false],
            Self::Column => [false, true],
            Self::Invocation => [false, false],
        }
    }
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
    /// Whether an input's address is computed from coordinates.
    pub fn by_coordinates(self, schedule: &Schedule) -> bool {
        match schedule.lanes {
            Lanes::Line => false,
            Lanes::Rows | Lanes::Column => !self.linear,
            Lanes::Straddling(_) => matches!(
                self.lanes,
                LaneLoad::Gather | LaneLoad::Straddling | LaneLoad::Unaligned
            ),
        }
    }

    /// Whether it is done anew for each quad.
    pub fn is_for_each_quad(self) -> bool {
        self.per == Per::Quad
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
    /// Elements of the quads or pairs that the binding holds whole, or 1.
    pub whole: usize,
    /// Whether four elements that begin inside a quad are loaded as two quads.
    pub joins: bool,
}

/// The load of an operand.
pub(crate) fn load(schedule: &Schedule, extents: &[usize], operand: Reach<'_>) -> Load {
    let space = schedule.space(extents);
    let lanes = lanes(schedule, &space, extents, operand);
    let linear = match lanes {
        LaneLoad::Vector { .. } => schedule.lanes == Lanes::Line || operand.row_major,
        _ => false,
    };
    let per = per(schedule, &space, lanes, operand.strides);
    Load { lanes, per, linear }
}

fn lanes(schedule: &Schedule, space: &Space, extents: &[usize], operand: Reach<'_>) -> LaneLoad {
    let (rank, strides) = (extents.len(), operand.strides);
    let (inner, inner_stride) = (extents[rank - 1], strides[rank - 1]);
    let unit = schedule.unit();
    let quads = |stride: &isize| stride % unit.cast_signed() == 0;
    let misaligned = (operand.offset % schedule.unit) as u8;
    let aligned = operand.whole >= unit && misaligned == 0;
    let outer = &strides[..rank - 1];
    // Shifted by whole elements; of a pair two loads are as good.
    let in_quads = unit == QUAD;
    let reads_ahead = operand.whole >= unit && operand.joins && in_quads;
    if let Some(axis) = schedule.column_axis() {
        let column = strides[rank - 1 - axis];
        return match (column, inner_stride) {
            (0, 0) => LaneLoad::Splat,
            _ if is_staged(strides, axis) => LaneLoad::Staged,
            _ => LaneLoad::Gather,
        };
    }
    match space.stride(space.loops().len() - 1, strides) {
        Some(0) => LaneLoad::Splat,
        _ if operand.row_major && (aligned || reads_ahead) => LaneLoad::Vector { misaligned },
        _ if matches!(schedule.lanes, Lanes::Straddling(_)) => {
            if !in_quads {
                match inner_stride {
                    0 if unit > QUAD => LaneLoad::Straddling,
                    1 if unit > QUAD => LaneLoad::Unaligned,
                    _ => LaneLoad::Gather,
                }
            } else if inner_stride == 0 && inner >= QUAD {
                LaneLoad::Straddling
            } else if operand.size <= 4 && inner < QUAD && outer.iter().all(|&s| s == 0) {
                LaneLoad::Periodic(inner as u8)
            } else {
                LaneLoad::Gather
            }
        }
        Some(1) if outer.iter().all(quads) && (aligned || reads_ahead) => {
            LaneLoad::Vector { misaligned }
        }
        _ if aligned && is_transposed(schedule, strides) => LaneLoad::Transposed,
        _ if aligned && is_interleaved(schedule, strides) => LaneLoad::Interleaved,
        _ => LaneLoad::Gather,
    }
}

/// Whether an operand is contiguous along an axis, counted from the innermost, and not along that.
pub(super) fn is_staged(strides: &[isize], axis: usize) -> bool {
    let at = strides.len() - 1 - axis;
    matches!(strides[at], -1 | 1) && !matches!(strides[strides.len() - 1], -1..=1)
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
                s % schedule.unit().cast_signed() == 0
            }
        };
        strides.iter().enumerate().all(fits)
    })
}

/// Whether what an invocation owns down is contiguous, and so are these from lane to lane.
fn is_interleaved(schedule: &Schedule, strides: &[isize]) -> bool {
    let Some(Down {
        quads: quads @ 2..=3,
        along: Along::Axis(axis),
        whole: true,
    }) = schedule
        .down
        .filter(|_| schedule.in_row() == schedule.beside)
    else {
        return false;
    };
    let inner = strides.len() - 1;
    let other = inner - axis as usize;
    let fits = |(a, &s): (usize, &isize)| match a {
        _ if a == other => s == 1,
        _ if a == inner => s == quads as isize,
        _ => s % schedule.unit().cast_signed() == 0,
    };
    strides.iter().enumerate().all(fits)
}

/// The unrolled loops that a load moves along.
fn per(schedule: &Schedule, space: &Space, lanes: LaneLoad, strides: &[isize]) -> Per {
    let is_periodic = matches!(lanes, LaneLoad::Periodic(_));
    let moves = |at: usize| space.stride(at, strides) != Some(0);
    // The elements of a period are the same in all sections and blocks, and rotated, if need be,
    // from one quad to the one beside it.
    let moves_down = |at: usize| !is_periodic && moves(at);
    let moves_beside = |at: usize| match lanes {
        LaneLoad::Periodic(period) => !schedule.step_beside().is_multiple_of(period.into()),
        _ => moves(at),
    };
    let all = space.loops().iter().enumerate();
    let mut unrolled = all.filter(|(_, one)| one.role == LoopRole::Unroll);
    // Quads down are the outer of two unrolled loops.
    let down = schedule.down.and_then(|_| unrolled.next());
    let beside = unrolled.next();
    match (
        down.map(|(at, _)| moves_down(at)),
        beside.map(|(at, _)| moves_beside(at)),
    ) {
        (None, None) | (Some(true) | None, Some(true)) | (Some(true), None) => Per::Quad,
        (Some(true), Some(false)) => Per::Row,
        (Some(false), Some(true)) => Per::Column,
        (Some(false) | None, Some(false)) | (Some(false), None) => Per::Invocation,
    }
}
