//! The passes of a matrix product.

use super::batches::{MAX_BATCH_AXES, Product};
use super::block::{Block, BlockFit, DEPTH, layers};
use super::body::Body;
use super::boxes::Window;
use super::fit::fits;
use super::fold::FoldStep;
use super::limits::Limits;
use super::mapped::{Candidates, Input, Mapped, OwnWork, Work};
use super::operand::{Arg, Destination, Operand};
use super::pass::Pass;
use super::planner::Planner;
use super::schedule::Load;
use super::slot::QUAD;
use super::store::Store;
use super::table::{header, with_axes};
use super::window::MAX_WINDOWS;
use super::windowed::{Part, Place, Role};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Scalar, TILE};
use crate::layout::Layout;
use crate::op::Folding;

/// Invocations of a workgroup along columns and rows; each computes eight rows of a quad.
const SIDES: [u32; 2] = [16, 8];
/// Quads of an invocation, one of each row.
pub(super) const ROWS: usize = 8;
/// Of a slab, along what is summed over.
const SLAB: u32 = 16;
/// Quads that a tile has along each axis.
const TILE_QUADS: u32 = (TILE / QUAD) as u32;
/// Summed indices of a slab that an invocation multiplies in one turn of its loop.
const TOGETHER: u32 = 4;

pub(crate) static CONTRACT: OwnWork = OwnWork {
    name: "product",
    header: ContractHeader::FIELDS,
    workgroup: SIDES,
    quads: ROWS as u32,
    multiplies: true,
};

header! {
    /// The first words of a matrix product's table.
    ContractHeader {
        /// Elements from one row of the output to the next.
        pitch,
        /// Elements from one batch of the output to the next.
        apart,
        /// Layers of the grid that a batch takes.
        layers,
        /// Whether products are added to what is there.
        adds,
        /// Of the first element in the output's binding.
        output,
        /// Always 0, which no compiler knows: for optimisation barriers.
        zero,
    }
}

impl ContractHeader {
    /// That of a pass that writes so many rows of each batch, which lie so far apart in the result.
    pub fn of([rows, pitch]: [usize; 2], output: u32, limits: &Limits) -> Self {
        Self {
            pitch: pitch as u32,
            apart: (rows * pitch) as u32,
            layers: layers(rows, limits) as u32,
            output,
            ..Self::default()
        }
    }
}

impl Planner<'_> {
    /// Adds the passes of a matrix product: one, or several if an operand does not fit a binding or
    /// one dispatch would be too long: some batches each, or blocks of one. Blocks along the axis
    /// that is summed over add to what the earlier ones wrote.
    pub fn push_product(&mut self, node: usize, to: &Destination) -> Result<()> {
        let factors = self.sources.pair(self.graph, node)?;
        let product = Product::new(factors)?;
        let (limits, slot) = (self.limits(), &to.slot);
        has_workgroups(slot.dtype, limits)?;
        let [rows, columns, depth] = product.extents;
        let extents = [rows, columns, depth.min(DEPTH)];
        let whole = Block {
            start: [0; 3],
            extents,
        };
        let fit = BlockFit {
            extents,
            depth,
            size: slot.dtype.size(),
            limits,
        };
        if slot.layout.shape().is_empty() || depth == 0 {
            // The sum of nothing; no factor is bound.
            return self.push(&Body::number(Scalar::of(slot.dtype, 0.0)), to);
        }
        let largest = fit.largest().ok_or_else(|| to.too_large(limits))?;
        let holds = |batches: &Window| -> Result<bool> {
            let axes = batches.extents.iter().filter(|e| **e > 1).count();
            let count = batches.extents.iter().product();
            let parts = product.parts(&whole, batches)?;
            let reaches = parts.iter().all(|part| fits(&part.slot, limits));
            Ok(axes <= MAX_BATCH_AXES && fit.holds(count) && reaches)
        };
        if depth <= DEPTH && holds(&Window::whole(&product.batches))? {
            return self.push_block(&product.factors, to, &whole, 0, None);
        }
        match product.runs(&holds)? {
            Some(all) => self.push_blocks(&product, to, &all, extents),
            // A batch at a time, in blocks.
            None => self.push_blocks(&product, to, &product.each()?, largest),
        }
    }

    /// Adds the passes of all blocks of at most these extents, of one run of batches after the
    /// other.
    fn push_blocks(
        &mut self,
        product: &Product,
        to: &Destination,
        batches: &[Window],
        largest: [usize; 3],
    ) -> Result<()> {
        let extents = product.extents;
        let counts = (0..3).map(|axis| extents[axis].div_ceil(largest[axis]).max(1));
        let blocks = counts.fold(batches.len(), usize::saturating_mul);
        if blocks > MAX_WINDOWS {
            return Err(product.too_many(blocks));
        }
        let Part { group, .. } = self.group(to.slot.layout.shape(), to.target);
        self.groups[group].windows = blocks;
        let gathered = match batches.first() {
            Some(first) => self.gathered(product, first, largest)?,
            None => [None; 2],
        };
        let steps = |axis: usize| (0..extents[axis].max(1)).step_by(largest[axis]);
        let blocks = steps(1).flat_map(|column| {
            steps(2).flat_map(move |depth| steps(0).map(move |row| [row, column, depth]))
        });
        let each = batches
            .iter()
            .flat_map(|b| blocks.clone().map(move |start| (b, start)));
        for (number, (batches, start)) in each.enumerate() {
            let block = Block {
                start,
                extents: [0, 1, 2].map(|axis| largest[axis].min(extents[axis] - start[axis])),
            };
            let before = batches.first(&product.batches) * extents[0] * extents[1];
            let first = before + start[0] * extents[1] + start[1];
            let place = |role| Place {
                group,
                number,
                first,
                role,
            };
            let mut parts = product.parts(&block, batches)?;
            for (k, part) in parts.iter_mut().enumerate() {
                if let Some(t) = gathered[k] {
                    // The second factor's is the same for all rows.
                    let moves = (k == 0 || start[0] == 0).then(|| place(Role::Gather));
                    *part = self.gather(part, t, moves)?;
                }
            }
            self.push_block(&parts, to, &block, first, Some(place(Role::Compute)))?;
        }
        Ok(())
    }

    /// The temporaries of factors of which a block reaches too much: the elements that it needs are
    /// moved together first.
    fn gathered(
        &mut self,
        product: &Product,
        batches: &Window,
        largest: [usize; 3],
    ) -> Result<[Option<usize>; 2]> {
        let first = Block {
            start: [0; 3],
            extents: largest,
        };
        let mut temporaries = [None; 2];
        for (k, part) in product.parts(&first, batches)?.iter().enumerate() {
            if !fits(&part.slot, self.limits()) {
                let len = part.slot.layout.len();
                temporaries[k] = Some(self.temporary(part.slot.dtype, len));
            }
        }
        Ok(temporaries)
    }

    /// Adds the pass of one block, whose factors are already cut. `first`: the number of its first
    /// element in the result.
    fn push_block(
        &mut self,
        factors: &[Operand; 2],
        to: &Destination,
        block: &Block,
        first: usize,
        window: Option<Place>,
    ) -> Result<()> {
        let limits = self.limits();
        let shape = factors[0].slot.layout.shape();
        let batch_axes = shape.rank() - 2;
        let live = |axis: &usize| shape.extents()[*axis] > 1;
        let axes: Vec<usize> = (0..batch_axes).filter(live).collect();
        let batches: Vec<usize> = axes.iter().map(|&axis| shape.extents()[axis]).collect();
        let count: usize = batches.iter().product();
        let inputs = gathered(factors, &axes, limits)?;
        let slot = &to.slot;
        let [rows, columns, _] = block.extents;
        let pitch = slot.layout.shape().extents()[slot.layout.shape().rank() - 1];
        let apart = rows * pitch;
        let (mut extents, mut strides) = (vec![rows, columns], vec![pitch.cast_signed(), 1]);
        if count > 1 {
            extents.insert(0, count);
            strides.insert(0, apart.cast_signed());
        }
        let layout = Layout::new(extents, strides, slot.layout.offset() + first)?;
        let part = to.part(layout, window.is_none());
        let bound = part.bind(limits)?;
        let header = ContractHeader {
            adds: (block.start[2] > 0).into(),
            ..ContractHeader::of([rows, pitch], bound.offset, limits)
        };
        // By integers each column of a quad is a turn of its own.
        let soft = slot.dtype == DType::F64 && !limits.float64;
        let columns_in_turn = if soft { QUAD as u32 } else { 0 };
        let turns = 1 + SLAB / TOGETHER * (1 + columns_in_turn);
        let mapped = Mapped {
            inputs,
            output: part.output(&bound, Store::Words { shift: 0 }),
            extents: [&batches[..], &block.extents].concat(),
            work: Work::Own(&CONTRACT),
            candidates: Candidates::NONE,
            grid: grid(count, rows, columns, limits),
            turns: block.extents[2].div_ceil(SLAB as usize) * turns as usize,
        };
        // Of the products of both factors' elements.
        let sum = FoldStep {
            op: Folding::Sum,
            arg: Arg::Input(0),
            dtype: slot.dtype,
        };
        let body = Body {
            folds: vec![sum],
            result: Some(Arg::Fold(0)),
            ..Body::default()
        };
        let shape = match window {
            None => slot.layout.shape().clone(),
            Some(_) => part.slot.layout.shape().clone(),
        };
        let table = with_axes(&mapped, header.words());
        let pass = Pass::new(mapped, table, shape, body, self.options)?;
        self.passes.push(Pass { window, ..pass });
        Ok(())
    }
}

/// The factors as they are seen along these axes of batches, rows, columns and what is added up.
fn gathered(factors: &[Operand; 2], axes: &[usize], limits: &Limits) -> Result<Vec<Input>> {
    let seen = |(k, factor): (usize, &Operand)| {
        let all = factor.slot.layout.strides();
        let (outer, inner) = (all[all.len() - 2], all[all.len() - 1]);
        let mut strides: Vec<isize> = axes.iter().map(|&axis| all[axis]).collect();
        strides.extend(match k {
            0 => [outer, 0, inner],
            _ => [0, inner, outer],
        });
        Ok(factor.input(&factor.bind(limits)?, strides, Load::GATHER))
    };
    factors.iter().enumerate().map(seen).collect()
}

/// Quads from one column of the first factor to the next in a workgroup's memory: invocations beside one another write
/// columns, to other banks with one more. Of 64-bit types the memory that every adapter has is full.
pub(crate) fn slab_pitch(dtype: DType) -> u32 {
    match dtype.size() {
        8 => TILE_QUADS,
        _ => TILE_QUADS + 1,
    }
}

/// Whether the adapter has workgroups and memory for a tile.
fn has_workgroups(dtype: DType, limits: &Limits) -> Result<()> {
    let memory = SLAB * (slab_pitch(dtype) + TILE_QUADS) * QUAD as u32 * dtype.size().max(4) as u32;
    let ([width, height], has) = (SIDES, limits.max_workgroup_storage);
    let needs = if memory > has {
        format!("{memory} bytes of workgroup memory for {dtype}, the adapter has {has}")
    } else if width * height > limits.max_invocations || height > limits.max_workgroup_height {
        format!("workgroups of {width} x {height} invocations, which the adapter does not have")
    } else {
        return Ok(());
    };
    Err(Error::argument("matmul", format!("it needs {needs}")))
}

/// A workgroup a tile, of one batch after the other.
fn grid(batches: usize, rows: usize, columns: usize, limits: &Limits) -> [u32; 3] {
    let (across, down) = (columns.div_ceil(TILE), rows.div_ceil(TILE));
    let layers = layers(rows, limits);
    [across, down.div_ceil(layers), layers * batches].map(|n| n as u32)
}
