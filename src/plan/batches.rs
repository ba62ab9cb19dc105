//! The batches of a matrix product: their axes, and the runs of them that dispatches compute.

use super::block::Block;
use super::boxes::{Cut, Window};
use super::canonical::Canonical;
use super::operand::Operand;
use super::rank::MAX_UNROLLED;
use super::window::MAX_WINDOWS;
use crate::error::{Error, Result};
use crate::layout::Layout;

/// Batch axes that one dispatch walks at most.
pub(super) const MAX_BATCH_AXES: usize = MAX_UNROLLED - 3;

/// A product as it is computed.
pub(super) struct Product {
    /// On canonical batch axes, and those of a matrix.
    pub factors: [Operand; 2],
    pub batches: Vec<usize>,
    /// Rows, columns and what is summed over.
    pub extents: [usize; 3],
}

impl Product {
    /// The fewest batch axes; they are rows if the second factor is the same for all of them.
    pub fn new(factors: [Operand; 2]) -> Result<Self> {
        let [a, b] = [0, 1].map(|k: usize| &factors[k].slot.layout);
        let rank = a.shape().rank() - 2;
        let mut extents = [
            a.shape().extents()[rank],
            b.shape().extents()[rank + 1],
            a.shape().extents()[rank + 1],
        ];
        let of_batches = |layout: &Layout| {
            let extents = layout.shape().extents()[..rank].to_vec();
            Layout::new(extents, layout.strides()[..rank].to_vec(), layout.offset())
        };
        let outer = [of_batches(a)?, of_batches(b)?];
        let Canonical {
            extents: mut batches,
            mut strides,
        } = Canonical::new(outer[0].shape(), &[&outer[0], &outer[1]]);
        let mut own = [a, b].map(|layout| layout.strides()[rank..].to_vec());
        if batches == [1] {
            batches.clear();
            strides.iter_mut().for_each(Vec::clear);
        }
        if let (Some(&count), Some(&of_a), Some(&0)) =
            (batches.last(), strides[0].last(), strides[1].last())
        {
            if extents[0] == 1 {
                own[0][0] = of_a;
            }
            if own[0][0].checked_mul(extents[0].cast_signed()) == Some(of_a) || extents[0] == 1 {
                extents[0] *= count;
                batches.pop();
                for own in &mut strides {
                    own.pop();
                }
            }
        }
        let [rows, columns, depth] = extents;
        let mut factors = factors;
        for (k, matrix) in [[rows, depth], [depth, columns]].into_iter().enumerate() {
            let slot = &mut factors[k].slot;
            let shape = [&batches[..], &matrix].concat();
            let strides = [&strides[k][..], &own[k]].concat();
            slot.layout = Layout::new(shape, strides, slot.layout.offset())?;
        }
        Ok(Self {
            factors,
            batches,
            extents,
        })
    }

    /// The factors in a block of some batches.
    pub fn parts(&self, block: &Block, batches: &Window) -> Result<[Operand; 2]> {
        let mut parts = self.factors.clone();
        for (k, part) in parts.iter_mut().enumerate() {
            part.slot.layout = block.factor(k, batches).slice(&part.slot.layout)?;
        }
        Ok(parts)
    }

    /// Every batch alone.
    pub fn each(&self) -> Result<Vec<Window>> {
        let axis = self.batches.len().saturating_sub(1);
        let alone = Cut { axis, count: 1 };
        match alone.len(&self.batches) {
            count if count > MAX_WINDOWS => Err(self.too_many(count)),
            _ => Ok(alone.windows(&self.batches).collect()),
        }
    }

    /// Runs of batches that are each computed at once, in the order in which they lie. `None` if some
    /// batch alone is not.
    pub fn runs(&self, holds: &dyn Fn(&Window) -> Result<bool>) -> Result<Option<Vec<Window>>> {
        let (mut open, mut found) = (vec![Window::whole(&self.batches)], Vec::new());
        while let Some(run) = open.pop() {
            if holds(&run)? {
                found.push(run);
                continue;
            }
            let Some(axis) = run.extents.iter().position(|&e| e > 1) else {
                return Ok(None);
            };
            let half = run.extents[axis].div_ceil(2);
            let mut halves = [run.clone(), run];
            halves[0].extents[axis] = half;
            halves[1].extents[axis] -= half;
            halves[1].start[axis] += half;
            let [lower, upper] = halves;
            open.extend([upper, lower]);
            if found.len() + open.len() > MAX_WINDOWS {
                return Err(self.too_many(found.len() + open.len()));
            }
        }
        Ok(Some(found))
    }

    /// The refusal of so many blocks.
    pub fn too_many(&self, blocks: usize) -> Error {
        let [a, b] = [0, 1].map(|k: usize| self.factors[k].slot.layout.shape());
        let reason = format!(
            "{a} with {b} would be computed in {blocks} blocks, of which a plan has at most {MAX_WINDOWS}; compute it in \
         parts"
        );
        Error::argument("matmul", reason)
    }
}
