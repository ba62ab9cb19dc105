//! What a piece of a reduction needs of its inputs, at most.

use std::ops::Range;

use super::cover::largest_cover;
use super::file_box::FileBox;
use super::pieces::Pieces;
use crate::error::Result;
use crate::view::{AxisMap, Map};

/// What a piece needs at most.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    /// Bytes and runs of each slot.
    pub inputs: Vec<(u64, u64)>,
    /// Bytes of the operand, if it is computed as a whole before it is folded.
    pub operand: u64,
}

impl Pieces {
    /// What a piece of so many rows, by their extents, and so many elements of each needs at most,
    /// wherever it begins. Pieces begin at multiples of those elements.
    pub fn needs(&self, kept: &[usize], elements: usize) -> Result<Needs> {
        let reduced = largest_cover(&self.reduced(), elements);
        let extents = self.along(kept, &reduced);
        let mut inputs = Vec::with_capacity(self.slots.len());
        for (i, slot) in self.slots.iter().enumerate() {
            let size = slot.dtype.size() as u64;
            let mut own = self.reads.iter().filter(|read| read.slot == i).peekable();
            if own.peek().is_none() {
                inputs.push((0, 0));
                continue;
            }
            let maps: Option<Vec<_>> = own.clone().map(|read| read.map.as_ref()).collect();
            let Some(maps) = maps else {
                let len: Vec<usize> = own.map(|read| read.reached(&extents)).collect();
                let all = slot.layout.reach().map_or(0, |r| r.end() - r.start() + 1);
                let len = if len.len() == 1 { len[0] } else { all };
                inputs.push((len as u64 * size, 1));
                continue;
            };
            let own = slot.layout.shape().extents().iter().enumerate();
            let indices: Vec<Range<usize>> = own
                .map(|(axis, &extent)| {
                    let most = |a: &&Map, b: &&Map| self.largest_span(a, b, axis, &extents);
                    let pairs = maps
                        .iter()
                        .flat_map(|a| maps.iter().map(move |b| most(a, b)));
                    0..pairs.max().unwrap_or(extent).min(extent)
                })
                .collect();
            let (found, _) = FileBox::of(&slot.layout, &indices)?;
            inputs.push((found.len() as u64 * size, found.runs() as u64));
        }
        let rows: usize = kept.iter().product();
        let covered: usize = reduced.iter().product();
        let size = self.graph.nodes[self.graph.roots[0]].dtype.size();
        let is_run = covered == elements.min(self.count());
        let operand = match is_run {
            true => 0,
            false => rows as u64 * covered as u64 * size as u64,
        };
        Ok(Needs { inputs, operand })
    }

    /// Indices along an axis from the lowest that a box of these extents sees through one map to
    /// the highest that it sees through another, wherever it begins.
    fn largest_span(&self, low: &Map, high: &Map, axis: usize, extents: &[usize]) -> usize {
        let (space, rank) = (self.space().extents(), extents.len());
        let [a, b] = [low, high].map(|map| map.axes[axis]);
        let mut span = b.start as i128 - a.start as i128;
        for (of, map, sign) in [(a, low, -1), (b, high, 1)] {
            let Some(from) = of.from else { continue };
            let extent = *extents.get(from).unwrap_or(&map.shape.extents()[from]);
            let inside = of.step as i128 * (extent.max(1) - 1) as i128;
            span += (sign * inside).max(0);
        }
        for along in 0..rank {
            let step = |of: &AxisMap| if of.from == Some(along) { of.step } else { 0 };
            let by = step(&b) as i128 - step(&a) as i128;
            let most = (space[along] - extents[along].min(space[along])) as i128;
            span += (by * most).max(0);
        }
        usize::try_from(span + 1).unwrap_or(usize::MAX)
    }
}
