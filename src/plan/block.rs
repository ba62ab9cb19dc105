//! Blocks: the parts of a matrix product that one dispatch each computes.

use super::boxes::Window;
use super::fit::binds;
use super::limits::{Limits, MAX_LEN};
use crate::expr::TILE;

/// Products of an element that are summed in sequence: so many at a time, whose sums are added in
/// their order. It bounds the error of long sums and the turns of an invocation.
pub(super) const DEPTH: usize = 1 << 13;
/// Products of two elements that one dispatch computes, times the elements that one may compute of
/// other steps.
const PRODUCTS: u64 = 64;

/// The part of a product that one dispatch computes: the first index and the extent along its rows,
/// its columns and the axis that is summed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub start: [usize; 3],
    pub extents: [usize; 3],
}

impl Block {
    /// The window of factor `k`, 0 or 1, in some batches.
    pub fn factor(&self, k: usize, batches: &Window) -> Window {
        let axes = if k == 0 { [0, 2] } else { [2, 1] };
        Window {
            start: [&batches.start[..], &axes.map(|a| self.start[a])].concat(),
            extents: [&batches.extents[..], &axes.map(|a| self.extents[a])].concat(),
        }
    }
}

/// What decides the size of the blocks of a product.
pub(super) struct BlockFit<'a> {
    /// Of the whole product, along the axis that is summed over [`DEPTH`] at most.
    pub extents: [usize; 3],
    /// Elements of a row of the first factor.
    pub depth: usize,
    /// Bytes an element.
    pub size: usize,
    pub limits: &'a Limits,
}

impl BlockFit<'_> {
    fn binds(&self, elements: Option<usize>) -> bool {
        elements.is_some_and(|n| binds(n, self.size, self.limits))
    }

    /// The axes one of which must be shorter; none if the block fits.
    fn too_long(&self, [rows, columns, depth]: [usize; 3]) -> Option<&'static [usize]> {
        let most = (MAX_LEN - 1).min(self.limits.max_workgroups.max(1) as usize * TILE);
        let reach = |pitch: usize, row: usize| (rows - 1).checked_mul(pitch)?.checked_add(row);
        // What lies between rows is reached too, unless it is left out to make a block fit.
        let pitch = match depth == self.extents[2] {
            true => self.depth,
            false => depth,
        };
        let work = [rows, columns, depth]
            .iter()
            .try_fold(1u64, |n, &e| n.checked_mul(e as u64));
        let reached = reach(self.extents[1], columns);
        let result = self.binds(reached) && rows.checked_mul(columns).is_some_and(|n| n < MAX_LEN);
        if !result {
            // As long as there are several rows, what lies between them is reached too.
            Some(if rows > 1 { &[0] } else { &[1] })
        } else if rows > most {
            Some(&[0])
        } else if columns > most {
            Some(&[1])
        } else if !self.binds(reach(pitch, depth)) {
            Some(&[0, 2])
        } else if !self.binds(depth.checked_mul(columns)) {
            Some(&[1, 2])
        } else if work.is_none_or(|n| n > self.products()) {
            Some(&[0, 1, 2])
        } else {
            None
        }
    }

    /// Whether one dispatch computes so many whole products.
    pub fn holds(&self, batches: usize) -> bool {
        let [rows, columns, depth] = self.extents;
        let elements = [batches, rows, columns]
            .iter()
            .try_fold(1usize, |n, &e| n.checked_mul(e))
            .filter(|&n| n < MAX_LEN);
        let work = elements.and_then(|n| (n as u64).checked_mul(depth as u64));
        let workgroups = batches.checked_mul(layers(rows, self.limits));
        self.too_long(self.extents).is_none()
            && self.binds(elements)
            && work.is_some_and(|n| n <= self.products())
            && workgroups.is_some_and(|n| n <= self.limits.max_workgroups as usize)
    }

    /// Products of two elements that one dispatch may compute.
    fn products(&self) -> u64 {
        self.limits.max_elements.saturating_mul(PRODUCTS).max(1)
    }

    /// The extents of the largest blocks; `None` if not even one element fits.
    pub fn largest(&self) -> Option<[usize; 3]> {
        let mut block = self.extents.map(|e| e.max(1));
        while let Some(axes) = self.too_long(block) {
            // Blocks stay near cubes; one along the axis that is summed over reads and writes the
            // result once more.
            let weight = |axis: &usize| block[*axis] / [1, 1, 4][*axis];
            let longer = |than: usize| {
                let longer = axes.iter().copied().filter(|&a| block[a] > than);
                longer.max_by_key(weight)
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

/// Layers of a grid that so many rows take: rows of tiles beyond what a grid is high go on in the
/// next one.
pub(super) fn layers(rows: usize, limits: &Limits) -> usize {
    rows.div_ceil(TILE)
        .div_ceil(limits.max_workgroups.max(1) as usize)
        .max(1)
}
