//! The passes of a matrix product.

use super::binding::Bound;
use super::block::{Block, BlockFit, TILE};
use super::body::Body;
use super::fit::binds;
use super::limits::Limits;
use super::mapped::{CONTRACT_SIDE as SIDE, Input, Mapped, Output, Rows, Work};
use super::operand::{Arg, Destination, Operand};
use super::pass::Pass;
use super::planner::Planner;
use super::schedule::Load;
use super::slot::{QUAD, Room, Slot};
use super::store::Store;
use super::window::MAX_WINDOWS;
use super::windowed::{Group, Place, Role};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Scalar;
use crate::layout::Layout;

impl Planner<'_> {
    /// Adds the passes of a matrix product: one, or one a block if an operand does not fit a
    /// binding or one dispatch would be too long. Blocks along the axis that is summed over add to
    /// what the earlier ones wrote.
    pub fn push_product(&mut self, node: usize, to: &Destination) -> Result<()> {
        let factors = self.factors(node)?;
        let (limits, slot) = (self.limits(), &to.slot);
        has_workgroups(slot.dtype, limits)?;
        let shape = slot.layout.shape();
        let extents = [
            shape.extents()[0],
            shape.extents()[1],
            factors[0].slot.layout.shape().extents()[1],
        ];
        let whole = Block {
            start: [0; 3],
            extents,
        };
        let fit = BlockFit {
            extents,
            size: slot.dtype.size(),
            limits,
        };
        let largest = fit.largest().ok_or_else(|| to.too_large(limits))?;
        let reaches = factors.iter().all(|f| fits(&f.slot, limits));
        if shape.is_empty() || extents[2] == 0 {
            // The sum of nothing; no factor is bound.
            return self.push(&Body::number(Scalar::of(slot.dtype, 0.0)), to);
        }
        if reaches && (0..3).all(|axis| largest[axis] >= extents[axis]) {
            return self.push_block(&factors, to, &whole, None);
        }
        self.push_blocks(&factors, to, extents, largest)
    }

    /// The two factors.
    fn factors(&self, node: usize) -> Result<[Operand; 2]> {
        let factor = |k: usize| {
            let (arg, map) = &self.graph.nodes[node].args[k];
            let (source, map) = self.graph.resolve(*arg, map.clone());
            let found = self.sources.operand(self.graph, source, &map)?;
            found.ok_or_else(|| Error::argument("matmul", "a factor was given no buffer"))
        };
        Ok([factor(0)?, factor(1)?])
    }

    /// Adds the passes of all blocks of at most these extents.
    fn push_blocks(
        &mut self,
        factors: &[Operand; 2],
        to: &Destination,
        extents: [usize; 3],
        largest: [usize; 3],
    ) -> Result<()> {
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
        self.groups.push(Group {
            shape: to.slot.layout.shape().clone(),
            inputs: factors.to_vec(),
            windows: blocks,
            target: to.target,
        });
        let gathered = self.gathered(factors, largest)?;
        let mut number = 0;
        let steps = |axis: usize| (0..extents[axis].max(1)).step_by(largest[axis]);
        for column in steps(1) {
            for depth in steps(2) {
                for row in steps(0) {
                    let start = [row, column, depth];
                    let block = Block {
                        start,
                        extents: [0, 1, 2]
                            .map(|axis| largest[axis].min(extents[axis] - start[axis])),
                    };
                    let place = |role| Place {
                        group,
                        number,
                        first: row * extents[1] + column,
                        role,
                    };
                    let mut parts = factors.clone();
                    for (k, part) in parts.iter_mut().enumerate() {
                        part.slot.layout = block.factor(k).slice(&part.slot.layout)?;
                        if let Some(t) = gathered[k] {
                            // The second factor's is the same for all rows.
                            let moves = (k == 0 || row == 0).then(|| place(Role::Gather));
                            *part = self.gather(part, t, moves)?;
                        }
                    }
                    self.push_block(&parts, to, &block, Some(place(Role::Compute)))?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    /// The temporaries of factors of which a block reaches too much: the elements that it needs are
    /// moved together first.
    fn gathered(
        &mut self,
        factors: &[Operand; 2],
        largest: [usize; 3],
    ) -> Result<[Option<usize>; 2]> {
        let [rows, columns, depth] = largest;
        let first = Block {
            start: [0; 3],
            extents: largest,
        };
        let mut temporaries = [None; 2];
        for (k, factor) in factors.iter().enumerate() {
            let layout = first.factor(k).slice(&factor.slot.layout)?;
            let len = depth * if k == 0 { rows } else { columns };
            if !fits(&factor.slot.clone().with_layout(layout), self.limits()) {
                temporaries[k] = Some(self.temporary(factor.slot.dtype, len));
            }
        }
        Ok(temporaries)
    }

    /// Adds the pass of one block, whose factors are already cut.
    fn push_block(
        &mut self,
        factors: &[Operand; 2],
        to: &Destination,
        block: &Block,
        window: Option<Place>,
    ) -> Result<()> {
        let limits = self.limits();
        let mut inputs = Vec::with_capacity(2);
        for (k, factor) in factors.iter().enumerate() {
            let Bound { range, offset, .. } = factor.bind(limits)?;
            let layout = &factor.slot.layout;
            let [outer, inner] = [0, 1].map(|axis| layout.strides()[axis]);
            inputs.push(Input {
                source: factor.source,
                dtype: factor.slot.dtype,
                layout: layout.clone(),
                strides: if k == 0 {
                    vec![outer, 0, inner]
                } else {
                    vec![0, inner, outer]
                },
                load: Load::GATHER,
                range,
                offset,
                per_word: 1,
            });
        }
        let slot = &to.slot;
        let [rows, columns, _] = block.extents;
        let pitch = slot.layout.shape().extents()[1];
        let first = slot.layout.offset() + block.start[0] * pitch + block.start[1];
        let part = Destination {
            target: to.target,
            slot: Slot {
                dtype: slot.dtype,
                layout: Layout::new([rows, columns], vec![pitch.cast_signed(), 1], first)?,
                room: if window.is_some() {
                    Room::Bytes(slot.bytes())
                } else {
                    slot.room
                },
            },
        };
        let Bound { range, offset, .. } = part.bind(limits)?;
        let mapped = Mapped {
            inputs,
            output: Output {
                target: to.target,
                dtype: slot.dtype,
                store: Store::Words { shift: 0 },
                range,
                offset,
                per_word: 1,
                rows: Some(Rows {
                    pitch: pitch as u32,
                    adds: block.start[2] > 0,
                }),
            },
            extents: block.extents.to_vec(),
            work: Work::Contract,
            candidates: Vec::new(),
            grid: grid(rows, columns, limits),
        };
        let body = Body {
            result: Some(Arg::Input(0)),
            ..Body::default()
        };
        let shape = part.slot.layout.shape().clone();
        let pass = Pass::new(mapped, shape, body, self.options)?;
        self.passes.push(Pass { window, ..pass });
        Ok(())
    }
}

/// Whether what a slot's layout reaches fits a binding.
fn fits(slot: &Slot, limits: &Limits) -> bool {
    let positions = slot.layout.reach().map_or(0, |r| r.end() - r.start() + 1);
    binds(positions, slot.dtype.size(), limits)
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

/// A workgroup a tile; rows of tiles beyond what a grid is high go on in the next layer.
fn grid(rows: usize, columns: usize, limits: &Limits) -> [u32; 3] {
    let max = limits.max_workgroups.max(1) as usize;
    let (across, down) = (columns.div_ceil(TILE), rows.div_ceil(TILE));
    let layers = down.div_ceil(max).max(1);
    [across as u32, down.div_ceil(layers) as u32, layers as u32]
}
