//! Access of each input, the mapping from invocations to elements, the store, and the grid.

use super::binding::{bind, operand_name, output, target_name};
use super::canonical::Canonical;
use super::grid::grid;
use super::{
    Input, Limits, Output, QUAD, Range, Room, Slot, Source, Target, rows, unroll, unrolled,
};
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::shape::Shape;

/// How a pass reads one input, independently of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// The input walks as the output does over all axes: the quad's number is the address.
    Linear,
    /// Stride 1 on the inner axis, outer strides and offset whole quads: one wide load a quad.
    Vector,
    /// As vector, and the same in all rows of an invocation: one wide load for all of them.
    Hoisted,
    /// As linear or vector, but this many elements past a quad's start: two wide loads a quad.
    Misaligned(u8),
    /// Stride 0 on the inner axis (or on all): one element, splat.
    Splat,
    /// Moves along an inner axis of two or three alone, with this extent: its elements are loaded
    /// once for all quads of an invocation, and only turned from one to the next.
    Periodic(u8),
    /// Stride 1 along the other axis of a tile: four wide loads for the four quads of a tile.
    Transposed,
    /// Anything else: four loads a quad.
    Gather,
    /// Stride 0 on the inner axis of rows that end within a quad, one at most: the elements of its
    /// first and last lanes.
    Straddling,
    /// As gathered, and the same for all quads of an invocation: four loads for all of them.
    HoistedGather,
}

impl Access {
    /// Whether elements are loaded one by one, where the coordinates of a quad's lanes say.
    pub fn is_by_lanes(self) -> bool {
        matches!(self, Self::Gather | Self::Straddling | Self::HoistedGather)
    }

    /// Whether an input's place is found by coordinates.
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
    /// Neighbours, as a CPU likes them.
    Consecutive,
    /// As far apart as neighbouring invocations are many, those of a workgroup or of a row, so that
    /// these load neighbouring quads.
    Interleaved,
}

/// Whether the quads that an invocation owns lie [apart](super::unroll) along the outermost axis, in
/// mapping general or, as rows, in mapping rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unroll {
    /// They do not.
    Adjacent,
    /// One in each of as many equal sections.
    Strided,
    /// One in each of as many bands beside one another, so that what is contiguous along the
    /// outermost axis is loaded from the same cache lines. A band has the fewest indices whose
    /// elements are whole quads.
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
    /// Rows an invocation owns, which differ along the second axis from the innermost alone, or
    /// where they are apart along the outermost.
    pub rows: u32,
    /// The other axis of tiles, counted from the innermost.
    pub along: u32,
    /// Whether the extents that coordinates are split off for are powers of two, so that these are
    /// bits.
    pub powers_of_two: bool,
    pub spread: Spread,
    pub unroll: Unroll,
    /// Whether a workgroup of mapping rows has the same rows for all invocations, those of y and z
    /// of the grid, so that what is splat along a row is loaded once for several of them. Else
    /// invocations are numbered over the whole grid, and a division finds the row.
    pub uniform_rows: bool,
}

impl Mapping {
    /// Whether an invocation owns a quad of each of several rows, not several of a row.
    pub fn is_down(&self) -> bool {
        self.kind == Kind::Rows && self.quads == 1 && self.rows > 1
    }

    /// Elements from one quad of an invocation to its next in mapping general, where they are not
    /// apart.
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

/// A pass that is mapped.
pub(crate) struct Mapped {
    pub inputs: Vec<Input>,
    pub output: Output,
    pub extents: Vec<usize>,
    pub mapping: Mapping,
    pub grid: [u32; 3],
}

/// An input before it is mapped.
pub(crate) type Unmapped = (Source, DType, Layout, Room);

/// Maps a pass; `None` where the output begins inside a word and the pass has more than one axis,
/// so that the elements must be computed elsewhere and moved. `dense`: its steps cost much more
/// than its loads.
pub(crate) fn map(
    inputs: &[Unmapped],
    target: Target,
    slot: &Slot,
    shape: &Shape,
    dense: bool,
    limits: &Limits,
) -> Result<Option<Mapped>> {
    let layouts: Vec<&Layout> = inputs.iter().map(|(_, _, l, _)| l).collect();
    let canonical = if shape.is_empty() {
        Canonical {
            extents: vec![0],
            strides: vec![vec![0]; inputs.len()],
        }
    } else {
        Canonical::new(shape, &layouts)
    };
    // Costly steps would be inlined once for each row of a tile; a row of tiles is not folded.
    let narrow = canonical.inner() / QUAD <= limits.max_workgroups as usize;
    let along = along(&canonical).filter(|_| !dense && narrow);
    let kind = match canonical.extents.len() {
        1 => Kind::Flat,
        _ if canonical.inner() % QUAD == 0 && along.is_some() => Kind::Tile,
        _ if canonical.inner() % QUAD == 0 => Kind::Rows,
        _ => Kind::General,
    };
    let mut binds = Vec::with_capacity(inputs.len());
    for (source, dtype, layout, room) in inputs {
        binds.push(bind(&operand_name(*source), *dtype, layout, *room, limits)?);
    }
    // Tiles pay only where an input can be loaded along them.
    let turned = |(i, (_, offset, whole)): (usize, &(Range, u32, bool))| {
        access(
            &canonical,
            i,
            Kind::Tile,
            along,
            inputs[i].1.size(),
            *offset,
            *whole,
        ) == Access::Transposed
    };
    let kind = if kind == Kind::Tile && !binds.iter().enumerate().any(turned) {
        Kind::Rows
    } else {
        kind
    };
    let gathers = |i: usize| {
        access(
            &canonical,
            i,
            Kind::General,
            None,
            inputs[i].1.size(),
            binds[i].1,
            binds[i].2,
        ) == Access::Gather
    };
    let sizes = inputs.iter().map(|(_, dtype, ..)| dtype.size());
    let widest = sizes.chain([slot.dtype.size()]).max().unwrap_or(4);
    let bands = quads(Kind::General, dense, widest);
    let in_bands =
        kind == Kind::Rows && bands > 1 && unroll::bands_pay(&canonical, bands, limits, gathers);
    let kind = if in_bands { Kind::General } else { kind };
    let output = output(&target_name(target), target, slot, limits)?;
    let shifted = matches!(output.store, Store::Words { shift } if shift > 0);
    if shifted && kind != Kind::Flat {
        return Ok(None);
    }
    let mut mapped = Vec::with_capacity(inputs.len());
    for (i, ((source, dtype, layout, _), (range, offset, whole))) in
        inputs.iter().zip(binds).enumerate()
    {
        let strides = canonical.strides[i].clone();
        let access = if shifted && strides.iter().any(|&s| s != 0) {
            Access::Gather
        } else {
            access(&canonical, i, kind, along, dtype.size(), offset, whole)
        };
        let layout = layout.clone();
        mapped.push(Input {
            source: *source,
            dtype: *dtype,
            layout,
            strides,
            access,
            range,
            offset,
            per_word: 1,
        });
    }
    let shift = if let Store::Words { shift } = output.store {
        shift as usize
    } else {
        0
    };
    let mapping = mapping(&canonical, kind, along, widest, dense, &mapped, limits);
    let general = kind == Kind::General && mapping.unroll != Unroll::Adjacent;
    for input in &mut mapped {
        input.access = match input.access {
            Access::Vector if mapping.is_down() && rows::row_stride(input, mapping.unroll) == 0 => {
                Access::Hoisted
            }
            Access::Gather | Access::Straddling | Access::Periodic(_)
                if general && input.strides.first() == Some(&0) =>
            {
                Access::HoistedGather
            }
            other => other,
        };
    }
    let grid = grid(&canonical, &mapping, shift, limits)?;
    Ok(Some(Mapped {
        inputs: mapped,
        output,
        extents: canonical.extents,
        mapping,
        grid,
    }))
}

/// The axis that some input is contiguous along, where that is not the innermost and tiles of four
/// by four fit.
fn along(canonical: &Canonical) -> Option<usize> {
    let rank = canonical.extents.len();
    // One tile along an axis between others would be a division by 1, which magic division has no
    // words for.
    let fits = |axis: &usize| {
        let extent = canonical.extents[*axis];
        extent.is_multiple_of(QUAD) && (extent > QUAD || *axis == 0)
    };
    let turned = |strides: &Vec<isize>| match strides.split_last() {
        Some((inner, outer)) if !matches!(inner, 0 | 1) => {
            outer.iter().position(|&s| s == 1).filter(fits)
        }
        _ => None,
    };
    unrolled(rank)?;
    // The table holds the stride of four rows, of which the kernel takes a quarter.
    let small = |axis: &usize| {
        canonical
            .strides
            .iter()
            .all(|s| s[*axis].unsigned_abs() < 1 << 29)
    };
    canonical.strides.iter().find_map(turned).filter(small)
}

/// The access of input `i` at an offset; `whole`: whether whole quads lie within its binding.
fn access(
    canonical: &Canonical,
    i: usize,
    kind: Kind,
    along: Option<usize>,
    size: usize,
    offset: u32,
    whole: bool,
) -> Access {
    let strides = &canonical.strides[i];
    let (inner, outer) = strides
        .split_last()
        .map_or((0, &[][..]), |(inner, outer)| (*inner, outer));
    let quads = |stride: isize| stride % QUAD.cast_signed() == 0;
    let rows = matches!(kind, Kind::Rows | Kind::Tile);
    let aligned = whole && (offset as usize).is_multiple_of(QUAD);
    // Shifted by whole elements; of 8 bytes four loads are as good.
    let walks = inner == 1 && outer.iter().all(|&s| quads(s)) && (rows || kind == Kind::Flat);
    let others = |axis: usize| {
        strides
            .iter()
            .enumerate()
            .all(|(a, &s)| if a == axis { s == 1 } else { quads(s) })
    };
    if inner == 0 && (rows || outer.iter().all(|&s| s == 0)) {
        Access::Splat
    } else if aligned && canonical.is_row_major(i) {
        Access::Linear
    } else if kind == Kind::General && inner == 0 && canonical.inner() >= QUAD {
        Access::Straddling
    } else if kind == Kind::General
        && size <= 4
        && canonical.inner() < QUAD
        && outer.iter().all(|&s| s == 0)
    {
        Access::Periodic(canonical.inner() as u8)
    } else if kind == Kind::Tile && aligned && along.is_some_and(others) {
        Access::Transposed
    } else if rows && aligned && inner == 1 && outer.iter().all(|&s| quads(s)) {
        Access::Vector
    } else if whole && walks && size <= 4 {
        Access::Misaligned((offset % QUAD as u32) as u8)
    } else {
        Access::Gather
    }
}

/// Quads that an invocation owns, of a row where it owns several.
fn quads(kind: Kind, dense: bool, widest: usize) -> u32 {
    match kind {
        // The compiler inlines a quad's steps once for each quad.
        Kind::Flat if dense => 1,
        Kind::Flat if widest > 4 => 2,
        Kind::Flat => 4,
        Kind::General if dense => 1,
        Kind::General if widest > 4 => 2,
        Kind::General => 4,
        Kind::Rows | Kind::Product => 4,
        Kind::Tile => 1,
    }
}

/// The extents along which coordinates are split off, none where they are not: not along the
/// innermost axis in rows and tiles, which know it, and not along the outermost, which is what is
/// left. Where the kernel is unrolled it ends with the outermost axis that an input moves along.
fn splits(kind: Kind, inputs: &[Input], extents: &[usize]) -> impl Iterator<Item = usize> {
    let rank = extents.len();
    let moves = |axis: usize| {
        inputs
            .iter()
            .any(|x| x.access.by_coordinates(kind) && x.strides[axis] != 0)
    };
    let ends = unrolled(rank).is_some() && matches!(kind, Kind::Rows | Kind::General);
    let top = if ends {
        (0..rank).find(|&axis| moves(axis)).unwrap_or(rank)
    } else {
        0
    };
    let inner = if matches!(kind, Kind::Rows | Kind::Tile) {
        1
    } else {
        0
    };
    (top.max(1)..rank.saturating_sub(inner)).map(|axis| extents[axis])
}

fn mapping(
    canonical: &Canonical,
    kind: Kind,
    along: Option<usize>,
    widest: usize,
    dense: bool,
    inputs: &[Input],
    limits: &Limits,
) -> Mapping {
    let width = limits.width();
    let spread = if limits.software {
        Spread::Consecutive
    } else {
        Spread::Interleaved
    };
    let quads = quads(kind, dense, widest);
    let rank = canonical.extents.len();
    let powers_of_two = splits(kind, inputs, &canonical.extents).all(usize::is_power_of_two);
    let flat = Mapping {
        kind,
        workgroup: [width, 1],
        quads,
        rows: 1,
        along: 0,
        powers_of_two,
        spread,
        unroll: Unroll::Adjacent,
        uniform_rows: false,
    };
    if let (Kind::Tile, Some(axis)) = (kind, along) {
        // Neighbours along both axes, so that what is loaded along the one and stored along the
        // other is near.
        let across = if limits.software { 4 } else { 8 };
        let down = (width / across).max(1);
        return Mapping {
            workgroup: [across.min(width), down],
            rows: 4,
            along: (rank - 1 - axis) as u32,
            ..flat
        };
    }
    if kind == Kind::General {
        let unroll = if quads > 1 {
            unroll::choose(inputs, &canonical.extents, quads, limits)
        } else {
            Unroll::Adjacent
        };
        return match unroll {
            Unroll::Blocked => Mapping {
                unroll,
                workgroup: unroll::workgroup(&canonical.extents, limits),
                ..flat
            },
            Unroll::Strided => Mapping { unroll, ..flat },
            // A loop over the axes does not keep the coordinates that a neighbour is found by.
            Unroll::Adjacent => Mapping {
                quads: if unrolled(rank).is_some() { quads } else { 1 },
                ..flat
            },
        };
    }
    if kind == Kind::Rows {
        rows::mapping(canonical, inputs, dense, flat, limits)
    } else {
        flat
    }
}
