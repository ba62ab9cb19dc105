//! The passes of a matrix product.

use super::binding::{bind, operand_name, target_name};
use super::boxes::Window;
use super::cut::resolve;
use super::lower::{Body, Bound};
use super::mapping::{Access, Kind, Mapped, Mapping, Spread, Store, Unroll};
use super::pass::Rows;
use super::window::{MAX_WINDOWS, binds, gather_layouts};
use super::{
    Arg, Group, Input, Limits, MAX_LEN, Options, Output, Pass, Place, Plan, QUAD, Role, Room, Slot,
    Source, Target,
};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Graph, GraphKind, Scalar, normal};
use crate::layout::Layout;
use crate::view::Map;

/// Rows and columns of the result that a workgroup computes.
pub(crate) const TILE: usize = 64;
/// Invocations of a workgroup along each axis; each computes four rows of a quad.
pub(crate) const SIDE: u32 = 16;
/// Products of two elements that one dispatch computes, times the elements that one may compute of
/// other steps.
const PRODUCTS: u64 = 64;

/// The product that a root is, where it is the whole of one.
pub(crate) fn whole(graph: &Graph, root: usize) -> Option<usize> {
    let identity = Map::identity(&graph.nodes[root].shape);
    let (source, map) = resolve(graph, root, identity.clone());
    (matches!(graph.nodes[source].kind, GraphKind::Product) && normal(map) == normal(identity))
        .then_some(source)
}

/// A factor of a product: where it comes from, its type, its layout, and how far its buffer may be
/// touched.
#[derive(Clone)]
struct Factor {
    source: Source,
    dtype: DType,
    layout: Layout,
    room: Room,
}

/// The part of a product that one dispatch computes: the first index and the extent along its rows,
/// its columns and the axis that is summed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    start: [usize; 3],
    extents: [usize; 3],
}

impl Block {
    /// The window of factor `k`, 0 or 1.
    fn factor(&self, k: usize) -> Window {
        let axes = if k == 0 { [0, 2] } else { [2, 1] };
        Window {
            start: axes.map(|a| self.start[a]).to_vec(),
            extents: axes.map(|a| self.extents[a]).to_vec(),
        }
    }
}

/// What decides the size of the blocks of a product.
struct Fit<'a> {
    extents: [usize; 3],
    size: usize,
    limits: &'a Limits,
}

impl Fit<'_> {
    fn binds(&self, elements: Option<usize>) -> bool {
        elements.is_some_and(|n| binds(n, self.size, self.limits))
    }

    /// The axes one of which must be shorter; none where the block fits.
    fn too_long(&self, [rows, columns, depth]: [usize; 3]) -> Option<&'static [usize]> {
        let most = (MAX_LEN - 1).min(self.limits.max_workgroups.max(1) as usize * TILE);
        let reached = (rows - 1)
            .checked_mul(self.extents[1])
            .and_then(|n| n.checked_add(columns));
        let work = [rows, columns, depth]
            .iter()
            .try_fold(1u64, |n, &e| n.checked_mul(e as u64));
        let bound = self.limits.max_elements.saturating_mul(PRODUCTS).max(1);
        let result = self.binds(reached) && rows.checked_mul(columns).is_some_and(|n| n < MAX_LEN);
        if !result {
            // As long as there are several rows, what lies between them is reached too.
            Some(if rows > 1 { &[0] } else { &[1] })
        } else if rows > most {
            Some(&[0])
        } else if columns > most {
            Some(&[1])
        } else if depth >= MAX_LEN {
            Some(&[2])
        } else if !self.binds(rows.checked_mul(depth)) {
            Some(&[0, 2])
        } else if !self.binds(depth.checked_mul(columns)) {
            Some(&[1, 2])
        } else if work.is_none_or(|n| n > bound) {
            Some(&[0, 1, 2])
        } else {
            None
        }
    }

    /// The extents of the largest blocks; `None` where not even one element fits.
    fn largest(&self) -> Option<[usize; 3]> {
        let mut block = self.extents.map(|e| e.max(1));
        while let Some(axes) = self.too_long(block) {
            // Blocks stay near cubes; one along the axis that is summed over reads and writes the
            // result once more.
            let weight = |axis: &usize| {
                if *axis == 2 {
                    block[2] / 4
                } else {
                    block[*axis]
                }
            };
            let longer = |than: usize| {
                axes.iter()
                    .copied()
                    .filter(|&a| block[a] > than)
                    .max_by_key(weight)
            };
            let axis = longer(TILE).or_else(|| longer(1))?;
            let half = block[axis].div_ceil(2);
            block[axis] = if block[axis] > TILE {
                half.next_multiple_of(TILE)
            } else {
                half
            };
        }
        Some(block)
    }
}

impl Plan {
    /// Adds the passes of a matrix product: one, or one a block where an operand does not fit a
    /// binding or one dispatch would be too long. Blocks along the axis that is summed over add to
    /// what the earlier ones wrote.
    pub(super) fn push_product(
        &mut self,
        (graph, node): (&Graph, usize),
        places: &Bound<'_>,
        target: Target,
        slot: &Slot,
        options: &Options,
    ) -> Result<()> {
        let limits = &options.limits;
        let mut factors = Vec::with_capacity(2);
        for (arg, map) in &graph.nodes[node].args {
            let (source, map) = resolve(graph, *arg, map.clone());
            let from = &graph.nodes[source];
            let (source, layout, room) =
                match (places.input(graph, source, &map), places.cuts.get(&source)) {
                    (Some((i, layout)), _) => (Source::Slot(i), layout, self.slots[i].room),
                    (_, Some(&t)) => (
                        Source::Temporary(t),
                        Layout::contiguous(&from.shape)?.through(&map),
                        Room::Padding,
                    ),
                    _ => return Err(Error::argument("matmul", "a factor was given no buffer")),
                };
            factors.push(Factor {
                source,
                dtype: from.dtype,
                layout,
                room,
            });
        }
        has_workgroups(slot.dtype, limits)?;
        let shape = slot.layout.shape();
        let extents = [
            shape.extents()[0],
            shape.extents()[1],
            factors[0].layout.shape().extents()[1],
        ];
        let whole = Block {
            start: [0; 3],
            extents,
        };
        let fit = Fit {
            extents,
            size: slot.dtype.size(),
            limits,
        };
        let too_large = || Error::TooLarge {
            operand: target_name(target),
            bytes: slot.bytes(),
            limit: limits.max_binding,
        };
        let largest = fit.largest().ok_or_else(too_large)?;
        let reaches = factors
            .iter()
            .all(|f| binds(positions(&f.layout), f.dtype.size(), limits));
        if shape.is_empty() || extents[2] == 0 {
            // The sum of nothing; no factor is bound.
            let body = Body {
                scalars: vec![Scalar::of(slot.dtype, 0.0)],
                result: Some(Arg::Scalar(0)),
                ..Body::default()
            };
            return self.push(body, target, slot, options);
        }
        if reaches && (0..3).all(|axis| largest[axis] >= extents[axis]) {
            return self.push_block(&factors, target, slot, &whole, None, options);
        }
        let counts = [0, 1, 2].map(|axis| extents[axis].div_ceil(largest[axis]).max(1));
        let blocks = counts
            .iter()
            .try_fold(1usize, |n, &c| n.checked_mul(c))
            .unwrap_or(usize::MAX);
        if blocks > MAX_WINDOWS {
            let [m, n, k] = extents;
            let reason = format!(
                "[{m}, {k}] with [{k}, {n}] would be computed in {blocks} blocks, of which a plan has at most {MAX_WINDOWS}; \
                 compute it in parts"
            );
            return Err(Error::argument("matmul", reason));
        }
        let group = self.groups.len();
        let inputs = factors
            .iter()
            .map(|f| (f.source, f.dtype, f.layout.clone()))
            .collect();
        self.groups.push(Group {
            shape: shape.clone(),
            inputs,
            windows: blocks,
            target,
        });
        // The elements that a block needs of a factor that reaches too far are moved together
        // first.
        let moves = |k: usize| {
            let window = Block {
                start: [0; 3],
                extents: largest,
            }
            .factor(k);
            window
                .slice(&factors[k].layout)
                .map(|l| !binds(positions(&l), factors[k].dtype.size(), limits))
        };
        let moves = [moves(0)?, moves(1)?];
        let mut moved = [None; 2];
        for k in (0..2).filter(|&k| moves[k]) {
            let [rows, columns, depth] = largest;
            moved[k] = Some(self.temporary(
                factors[k].dtype,
                depth * if k == 0 { rows } else { columns },
            ));
        }
        let mut number = 0;
        let steps = |axis: usize| (0..extents[axis].max(1)).step_by(largest[axis]);
        for column in steps(1) {
            for depth in steps(2) {
                for row in steps(0) {
                    let start = [row, column, depth];
                    let taken =
                        [0, 1, 2].map(|axis| largest[axis].min(extents[axis] - start[axis]));
                    let block = Block {
                        start,
                        extents: taken,
                    };
                    let first = row * extents[1] + column;
                    let place = |role| Place {
                        group,
                        number,
                        first,
                        role,
                    };
                    let mut parts = factors.clone();
                    for (k, part) in parts.iter_mut().enumerate() {
                        part.layout = block.factor(k).slice(&part.layout)?;
                        let Some(t) = moved[k] else { continue };
                        let (from, found) = gather_layouts(&part.layout)?;
                        // The second factor's is the same for all rows.
                        if k == 0 || row == 0 {
                            let input = (part.source, part.dtype, from);
                            self.push_gather(input, t, place(Role::Gather), options)?;
                        }
                        *part = Factor {
                            source: Source::Temporary(t),
                            layout: found,
                            room: Room::Padding,
                            ..*part
                        };
                    }
                    self.push_block(
                        &parts,
                        target,
                        slot,
                        &block,
                        Some(place(Role::Compute)),
                        options,
                    )?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    /// Adds the pass of one block, whose factors are already cut.
    fn push_block(
        &mut self,
        factors: &[Factor],
        target: Target,
        slot: &Slot,
        block: &Block,
        window: Option<Place>,
        options: &Options,
    ) -> Result<()> {
        let limits = &options.limits;
        let mut inputs = Vec::with_capacity(2);
        for (
            k,
            Factor {
                source,
                dtype,
                layout,
                room,
            },
        ) in factors.iter().cloned().enumerate()
        {
            let (range, offset, _) = bind(&operand_name(source), dtype, &layout, room, limits)?;
            let [outer, inner] = [0, 1].map(|axis| layout.strides()[axis]);
            let strides = if k == 0 {
                vec![outer, 0, inner]
            } else {
                vec![0, inner, outer]
            };
            inputs.push(Input {
                source,
                dtype,
                layout,
                strides,
                access: Access::Gather,
                range,
                offset,
                per_word: 1,
            });
        }
        let [rows, columns, _] = block.extents;
        let pitch = slot.layout.shape().extents()[1];
        let first = slot.layout.offset() + block.start[0] * pitch + block.start[1];
        let to = Layout::new([rows, columns], vec![pitch.cast_signed(), 1], first)?;
        let room = if window.is_some() {
            Room::Bytes(slot.bytes())
        } else {
            slot.room
        };
        let (range, offset, _) = bind(&target_name(target), slot.dtype, &to, room, limits)?;
        let rows_of = Some(Rows {
            pitch: pitch as u32,
            adds: block.start[2] > 0,
        });
        let store = Store::Words { shift: 0 };
        let output = Output {
            target,
            dtype: slot.dtype,
            store,
            range,
            offset,
            per_word: 1,
            rows: rows_of,
        };
        let spread = if limits.software {
            Spread::Consecutive
        } else {
            Spread::Interleaved
        };
        let kind = Kind::Product;
        let workgroup = [SIDE, SIDE];
        let mapping = Mapping {
            kind,
            workgroup,
            quads: 4,
            rows: 1,
            along: 0,
            powers_of_two: false,
            spread,
            unroll: Unroll::Adjacent,
            uniform_rows: false,
        };
        let grid = grid(rows, columns, limits);
        let mapped = Mapped {
            inputs,
            output,
            extents: block.extents.to_vec(),
            mapping,
            grid,
        };
        let native = limits.int64 && slot.dtype.size() == 8;
        let pass = Pass::new(
            mapped,
            to.shape().clone(),
            Body::default(),
            Arg::Input(0),
            options,
            native,
        );
        self.passes.push(Pass { window, ..pass });
        Ok(())
    }
}

/// Whether the adapter has workgroups and memory for a tile.
fn has_workgroups(dtype: DType, limits: &Limits) -> Result<()> {
    let memory = 2 * SIDE * SIDE * QUAD as u32 * dtype.size() as u32;
    if memory > limits.max_workgroup_storage {
        let has = limits.max_workgroup_storage;
        let reason = format!(
            "it needs {memory} bytes of workgroup memory for {dtype}, the adapter has {has}"
        );
        return Err(Error::argument("matmul", reason));
    }
    if SIDE * SIDE > limits.max_invocations || SIDE > limits.max_workgroup_height {
        let reason = format!(
            "it needs workgroups of {SIDE} x {SIDE} invocations, which the adapter does not have"
        );
        return Err(Error::argument("matmul", reason));
    }
    Ok(())
}

/// Positions from the first to the last that a layout reaches.
fn positions(layout: &Layout) -> usize {
    layout.reach().map_or(0, |r| r.end() - r.start() + 1)
}

/// A workgroup a tile; rows of tiles beyond what a grid is high go on in the next layer.
fn grid(rows: usize, columns: usize, limits: &Limits) -> [u32; 3] {
    let max = limits.max_workgroups.max(1) as usize;
    let (across, down) = (columns.div_ceil(TILE), rows.div_ceil(TILE));
    let layers = down.div_ceil(max).max(1);
    [across as u32, down.div_ceil(layers) as u32, layers as u32]
}
