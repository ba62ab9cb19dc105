//! The choice of a pass's mapping, of the access of each input, and of the store.

use super::binding::Bound;
use super::canonical::Canonical;
use super::grid::grid;
use super::limits::Limits;
use super::mapped::{Input, Mapped, Output};
use super::mapping::{Access, Kind, Mapping, Spread, Store, Unroll};
use super::operand::{Destination, Operand};
use super::slot::{QUAD, Room, elements_a_word};
use super::table::unrolled;
use super::{rows, unroll};
use crate::error::Result;
use crate::layout::Layout;

/// What the choice depends on.
struct Choice<'a> {
    canonical: Canonical,
    bounds: Vec<Bound>,
    /// Bytes an element of each input.
    sizes: Vec<usize>,
    /// Bytes of the widest element, the output's among them.
    widest: usize,
    /// The axis that tiles go along beside the innermost, if they may.
    along: Option<usize>,
    /// Whether steps cost much more than loads.
    dense: bool,
    limits: &'a Limits,
}

/// Maps a pass; `None` if the output begins inside a word and the pass has more than one axis,
/// so that the elements must be computed elsewhere and moved. `dense`: its steps cost much more
/// than its loads.
pub(super) fn map(
    operands: &[Operand],
    to: &Destination,
    dense: bool,
    limits: &Limits,
) -> Result<Option<Mapped>> {
    let choice = Choice::new(operands, to, dense, limits)?;
    let kind = choice.kind();
    let output = output(to, limits)?;
    let shift = output.store.shift();
    if shift > 0 && kind != Kind::Flat {
        return Ok(None);
    }
    let mut inputs = choice.inputs(operands, kind, shift > 0);
    let mapping = choice.mapping(kind, &inputs);
    hoist(&mut inputs, &mapping);
    let grid = grid(&choice.canonical, &mapping, shift as usize, limits)?;
    Ok(Some(Mapped {
        inputs,
        output,
        extents: choice.canonical.extents,
        mapping,
        grid,
    }))
}

/// The binding and store of an output.
fn output(to: &Destination, limits: &Limits) -> Result<Output> {
    let Bound { range, offset, .. } = to.bind(limits)?;
    let slot = &to.slot;
    let aligned = (offset as usize).is_multiple_of(QUAD);
    let wide = aligned
        && match slot.room {
            Room::Padding => true,
            Room::Bytes(_) => slot.layout.len().is_multiple_of(QUAD),
        };
    let store = if wide {
        Store::Wide
    } else {
        Store::Words {
            shift: offset % elements_a_word(slot.dtype),
        }
    };
    Ok(Output {
        target: to.target,
        dtype: slot.dtype,
        store,
        range,
        offset,
        per_word: 1,
        rows: None,
    })
}

/// Marks the inputs that are the same for all rows or quads of an invocation: they are loaded once.
fn hoist(inputs: &mut [Input], mapping: &Mapping) {
    let strided = mapping.kind == Kind::General && mapping.unroll != Unroll::Adjacent;
    for input in inputs {
        input.access = match input.access {
            Access::Vector if mapping.is_down() && rows::row_stride(input, mapping.unroll) == 0 => {
                Access::Hoisted
            }
            Access::Gather | Access::Straddling | Access::Periodic(_)
                if strided && input.strides.first() == Some(&0) =>
            {
                Access::HoistedGather
            }
            other => other,
        };
    }
}

impl<'a> Choice<'a> {
    fn new(
        operands: &[Operand],
        to: &Destination,
        dense: bool,
        limits: &'a Limits,
    ) -> Result<Self> {
        let shape = to.slot.layout.shape();
        let layouts: Vec<&Layout> = operands.iter().map(|x| &x.slot.layout).collect();
        let canonical = if shape.is_empty() {
            Canonical {
                extents: vec![0],
                strides: vec![vec![0]; operands.len()],
            }
        } else {
            Canonical::new(shape, &layouts)
        };
        // Costly steps would be inlined once for each row of a tile; a row of tiles is not folded.
        let narrow = canonical.inner() / QUAD <= limits.max_workgroups as usize;
        let along = along(&canonical).filter(|_| !dense && narrow);
        let bounds = operands.iter().map(|x| x.bind(limits));
        let sizes: Vec<usize> = operands.iter().map(|x| x.slot.dtype.size()).collect();
        let own = to.slot.dtype.size();
        Ok(Self {
            bounds: bounds.collect::<Result<_>>()?,
            widest: sizes.iter().copied().fold(own, usize::max),
            canonical,
            sizes,
            along,
            dense,
            limits,
        })
    }

    fn kind(&self) -> Kind {
        let whole = self.canonical.inner().is_multiple_of(QUAD);
        let count = self.bounds.len();
        let transposed = |i| self.access(i, Kind::Tile) == Access::Transposed;
        let kind = match self.canonical.extents.len() {
            1 => Kind::Flat,
            // Tiles pay only if an input can be loaded along them.
            _ if whole && self.along.is_some() && (0..count).any(transposed) => Kind::Tile,
            _ if whole => Kind::Rows,
            _ => Kind::General,
        };
        let blocks = self.quads(Kind::General);
        let gathers = |i| self.access(i, Kind::General) == Access::Gather;
        let blocked = kind == Kind::Rows
            && blocks > 1
            && unroll::blocks_pay(&self.canonical, blocks, self.limits, gathers);
        if blocked { Kind::General } else { kind }
    }

    /// The inputs under a mapping; all that move are gathered if the store is `shifted`.
    fn inputs(&self, operands: &[Operand], kind: Kind, shifted: bool) -> Vec<Input> {
        let input = |(i, operand): (usize, &Operand)| {
            let strides = self.canonical.strides[i].clone();
            let Bound { range, offset, .. } = self.bounds[i];
            Input {
                source: operand.source,
                dtype: operand.slot.dtype,
                layout: operand.slot.layout.clone(),
                access: if shifted && strides.iter().any(|&s| s != 0) {
                    Access::Gather
                } else {
                    self.access(i, kind)
                },
                strides,
                range,
                offset,
                per_word: 1,
            }
        };
        operands.iter().enumerate().map(input).collect()
    }

    /// The access of input `i` under a mapping.
    fn access(&self, i: usize, kind: Kind) -> Access {
        let canonical = &self.canonical;
        let (size, Bound { offset, whole, .. }) = (self.sizes[i], self.bounds[i]);
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
        } else if kind == Kind::Tile && aligned && self.along.is_some_and(others) {
            Access::Transposed
        } else if rows && aligned && inner == 1 && outer.iter().all(|&s| quads(s)) {
            Access::Vector
        } else if whole && walks && size <= 4 {
            Access::Misaligned((offset % QUAD as u32) as u8)
        } else {
            Access::Gather
        }
    }

    /// Quads that an invocation owns, of a row if it owns several.
    fn quads(&self, kind: Kind) -> u32 {
        match kind {
            // The compiler inlines a quad's steps once for each quad.
            Kind::Flat | Kind::General if self.dense => 1,
            Kind::Flat | Kind::General if self.widest > 4 => 2,
            Kind::Flat | Kind::General | Kind::Rows | Kind::Product => 4,
            Kind::Tile => 1,
        }
    }

    fn mapping(&self, kind: Kind, inputs: &[Input]) -> Mapping {
        let (canonical, limits) = (&self.canonical, self.limits);
        let width = limits.width();
        let quads = self.quads(kind);
        let rank = canonical.extents.len();
        let flat = Mapping {
            kind,
            workgroup: [width, 1],
            quads,
            rows: 1,
            along: 0,
            powers_of_two: splits(kind, inputs, &canonical.extents).all(usize::is_power_of_two),
            spread: Spread::of(limits),
            unroll: Unroll::Adjacent,
            uniform_rows: false,
        };
        match (kind, self.along) {
            (Kind::Tile, Some(axis)) => {
                // Neighbours along both axes, so that what is loaded along the one and stored along
                // the other is near.
                let across = if limits.software { 4 } else { 8 };
                let down = (width / across).max(1);
                Mapping {
                    workgroup: [across.min(width), down],
                    rows: 4,
                    along: (rank - 1 - axis) as u32,
                    ..flat
                }
            }
            (Kind::General, _) => {
                let unroll = if quads > 1 {
                    unroll::choose(inputs, &canonical.extents, quads, limits)
                } else {
                    Unroll::Adjacent
                };
                match unroll {
                    Unroll::Blocked => Mapping {
                        unroll,
                        workgroup: unroll::workgroup(&canonical.extents, limits),
                        ..flat
                    },
                    Unroll::Strided => Mapping { unroll, ..flat },
                    // A loop over the axes does not keep the coordinates that a neighbour is found
                    // by.
                    Unroll::Adjacent => Mapping {
                        quads: if unrolled(rank).is_some() { quads } else { 1 },
                        ..flat
                    },
                }
            }
            (Kind::Rows, _) => rows::mapping(canonical, inputs, self.dense, flat, limits),
            _ => flat,
        }
    }
}

/// The axis that some input is contiguous along, if that is not the innermost and tiles of four
/// by four fit.
fn along(canonical: &Canonical) -> Option<usize> {
    let rank = canonical.extents.len();
    // One tile along an axis between others would be a division by 1, which magic division has no
    // words for.
    let fits = |axis: &usize| {
        let extent = canonical.extents[*axis];
        extent.is_multiple_of(QUAD) && (extent > QUAD || *axis == 0)
    };
    let transposed = |strides: &Vec<isize>| match strides.split_last() {
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
    canonical.strides.iter().find_map(transposed).filter(small)
}

/// The extents along which coordinates are split off, none if they are not: not along the
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
    let inner = usize::from(matches!(kind, Kind::Rows | Kind::Tile));
    (top.max(1)..rank.saturating_sub(inner)).map(|axis| extents[axis])
}
