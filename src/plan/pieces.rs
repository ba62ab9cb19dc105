//! A reduction whose operand is computed piece by piece, by rows and along rows.
//!
//! A piece is some rows and a range of their elements, which begins where a chunk does: so many
//! elements as fold to one group of lanes (see `op/order.rs`). What a piece leaves are the lanes of
//! its chunks. Folded on in the same order they are the row's result, bit for bit.

use std::ops::Range;

use super::boxes::Window;
use super::file_box::FileBox;
use super::fold::Across;
use super::options::Options;
use super::planner::Planner;
use super::reads::{Read, reads};
use super::slot::Slot;
use super::{Partition, Plan};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Graph, GraphKind, GraphNode, without};
use crate::layout::Layout;
use crate::op::{Folding, GROUP, LANES};
use crate::shape::Shape;

/// Elements of a row that fold to one group of lanes if so many levels of groups are folded.
pub(crate) fn chunk(levels: u32) -> usize {
    GROUP
        .checked_pow(levels)
        .and_then(|n| n.checked_mul(LANES))
        .unwrap_or(usize::MAX)
}

/// A reduction in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// Of which root 0 is folded.
    graph: Graph,
    pub op: Folding,
    pub dtype: DType,
    /// The axes that are folded, in order.
    axes: Vec<usize>,
    slots: Vec<Slot>,
    /// The input that each slot is; `None` of the one whose elements are their own numbers.
    pub inputs: Vec<Option<usize>>,
    reads: Vec<Read>,
    options: Options,
    /// The column of the text it comes from.
    pub column: usize,
}

/// What is computed of a piece.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Takes its slots' elements, each one axis of them. Its output are lanes, or the result of
    /// whole rows.
    pub plan: Plan,
    /// What it needs of each slot.
    pub boxes: Vec<FileBox>,
    /// Along what its quads lie.
    pub across: Across,
}

/// What a piece needs at most.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    /// Bytes and runs of each slot.
    pub inputs: Vec<(u64, u64)>,
    /// Bytes of the operand, if it is computed as a whole before it is folded.
    pub operand: u64,
}

impl Pieces {
    /// The reduction that a node is.
    pub fn new(partition: &Partition, node: usize) -> Result<Self> {
        let (graph, slots) = (partition.graph(), partition.slots());
        let GraphNode {
            kind: GraphKind::Reduce { op, axes },
            dtype,
            args,
            column,
            ..
        } = &graph.nodes[node]
        else {
            return Err(Error::argument("pieces", "it is no reduction"));
        };
        let mut axes = axes.clone();
        axes.sort_unstable();
        let mut graph = graph.rooted(args[0].0);
        let mut slots = slots.to_vec();
        let mut inputs: Vec<Option<usize>> = (0..slots.len()).map(Some).collect();
        for (n, of) in graph.positions() {
            graph = graph.given(n, slots.len());
            slots.push(positions(&graph.nodes[n].shape, &of)?);
            inputs.push(None);
        }
        let mut pieces = Self {
            graph,
            op: *op,
            dtype: *dtype,
            axes,
            slots,
            inputs,
            reads: Vec::new(),
            options: *partition.options(),
            column: *column,
        };
        pieces.merge();
        let layouts = pieces.layouts();
        pieces.reads = reads(&pieces.graph, &pieces.slots, &layouts)?;
        Ok(pieces)
    }

    fn layouts(&self) -> Vec<Layout> {
        self.slots.iter().map(|slot| slot.layout.clone()).collect()
    }

    /// Makes one axis of neighbours that are folded, where all operands allow to.
    fn merge(&mut self) {
        let mut k = 0;
        while k + 1 < self.axes.len() {
            let (axis, shape) = (self.axes[k], self.space().extents());
            let is_pair = self.axes[k + 1] == axis + 1 && shape[axis] > 1 && shape[axis + 1] > 1;
            let (mut slots, mut inputs) = (self.slots.clone(), self.inputs.clone());
            let merged = self.graph.merged(axis, |i, at| {
                let layout = joined(&slots[i].layout, at)?;
                slots.push(slots[i].clone().with_layout(layout));
                inputs.push(inputs[i]);
                Some(slots.len() - 1)
            });
            let Some(graph) = merged.filter(|_| is_pair) else {
                k += 1;
                continue;
            };
            (self.graph, self.slots, self.inputs) = (graph, slots, inputs);
            self.axes.remove(k + 1);
            self.axes[k + 1..].iter_mut().for_each(|axis| *axis -= 1);
        }
    }

    /// The shape of what is folded.
    pub fn space(&self) -> &Shape {
        &self.graph.nodes[self.graph.roots[0]].shape
    }

    /// The shape of the result.
    pub fn kept(&self) -> Shape {
        without(self.space(), &self.axes)
    }

    fn reduced(&self) -> Vec<usize> {
        let extents = self.space().extents();
        self.axes.iter().map(|&axis| extents[axis]).collect()
    }

    /// How many elements a row has.
    pub fn count(&self) -> usize {
        self.reduced().iter().product()
    }

    /// The indices of the operand's axes, from those of the kept and of the reduced ones.
    fn along<T: Copy>(&self, kept: &[T], reduced: &[T]) -> Vec<T> {
        let (mut kept, mut reduced) = (kept.iter(), reduced.iter());
        let axes = 0..self.space().rank();
        axes.filter_map(|axis| match self.axes.contains(&axis) {
            true => reduced.next().copied(),
            false => kept.next().copied(),
        })
        .collect()
    }

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
                let len = own
                    .map(|read| self.range_len(read, &extents))
                    .collect::<Vec<_>>();
                let all = slot.layout.reach().map_or(0, |r| r.end() - r.start() + 1);
                let len = if len.len() == 1 { len[0] } else { all };
                inputs.push((len as u64 * size, 1));
                continue;
            };
            let own = slot.layout.shape().extents().iter().enumerate();
            let indices: Vec<Range<usize>> = own
                .map(|(axis, &extent)| {
                    let most = |a: &&crate::view::Map, b: &&crate::view::Map| {
                        self.largest_span(a, b, axis, &extents)
                    };
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
        let is_run = covered == elements.min(self.count());
        let operand = match is_run {
            true => 0,
            false => rows as u64 * covered as u64 * self.operand_size(),
        };
        Ok(Needs { inputs, operand })
    }

    fn operand_size(&self) -> u64 {
        self.graph.nodes[self.graph.roots[0]].dtype.size() as u64
    }

    /// Elements from the lowest that a box of these extents reads to the highest.
    fn range_len(&self, read: &Read, extents: &[usize]) -> usize {
        let along = read.layout.strides().iter().zip(extents);
        along.fold(read.span + 1, |n, (stride, extent)| {
            n + stride.unsigned_abs() * (extent - 1)
        })
    }

    /// Indices along an axis from the lowest that a box of these extents sees through one map to
    /// the highest that it sees through another, wherever it begins.
    fn largest_span(
        &self,
        low: &crate::view::Map,
        high: &crate::view::Map,
        axis: usize,
        extents: &[usize],
    ) -> usize {
        let (space, rank) = (self.space().extents(), extents.len());
        let [a, b] = [low, high].map(|map| map.axes[axis]);
        let mut span = b.start as i128 - a.start as i128;
        for (of, is_low) in [(a, true), (b, false)] {
            let Some(from) = of.from else { continue };
            let map = if is_low { low } else { high };
            let extent = if from < rank {
                extents[from]
            } else {
                map.shape.extents()[from]
            };
            let inside = of.step as i128 * (extent.max(1) - 1) as i128;
            span += if is_low {
                -inside.min(0)
            } else {
                inside.max(0)
            };
        }
        for along in 0..rank {
            let step = |of: &crate::view::AxisMap| if of.from == Some(along) { of.step } else { 0 };
            let by = step(&b) as i128 - step(&a) as i128;
            let most = (space[along] - extents[along].min(space[along])) as i128;
            span += (by * most).max(0);
        }
        usize::try_from(span + 1).unwrap_or(usize::MAX)
    }

    /// A piece: the rows of a window of the result, and a range of the elements of each. If it is
    /// all of them, the rows' results are computed, else the lanes of chunks of so many levels.
    pub fn piece(
        &self,
        rows: &Window,
        elements: &Range<usize>,
        levels: u32,
        across: Option<Across>,
    ) -> Result<Piece> {
        let reduced = self.reduced();
        let (first, covered) = cover(&reduced, elements);
        let start = self.along(&rows.start, &first);
        let extents = self.along(&rows.extents, &covered);
        let mut graph = self.graph.restricted(&start, &extents);
        let (slots, layouts, boxes) = self.taken_out(&mut graph)?;
        let skipped = elements.start - index(&reduced, &first);
        let some = (covered.iter().product::<usize>() != elements.len())
            .then_some(skipped..skipped + elements.len());
        graph.fold_root(self.op, &self.axes, some);
        let (plan, across) = match elements.len() == self.count() {
            true => {
                let plan = Planner::new(&graph, &slots, &layouts, &self.options)?.plan(&[])?;
                (plan, across.unwrap_or(Across::Reduced))
            }
            false => Planner::apart(&graph, &slots, &layouts, &self.options)?
                .plan_lanes(levels, across)?,
        };
        Ok(Piece {
            plan,
            boxes,
            across,
        })
    }

    /// What a part of the graph needs of the inputs, and as what slots and layouts it is given.
    fn taken_out(&self, graph: &mut Graph) -> Result<(Vec<Slot>, Vec<Layout>, Vec<FileBox>)> {
        let mut layouts = self.layouts();
        let mut boxes = vec![FileBox::range(0..0); self.slots.len()];
        let found = reads(graph, &self.slots, &layouts)?;
        let reached = graph.reached(self.slots.len());
        let mut taken: Vec<Option<(Vec<usize>, Vec<usize>)>> = vec![None; self.slots.len()];
        for (i, slot) in self.slots.iter().enumerate() {
            let mut own = found.iter().filter(|read| read.slot == i).peekable();
            if own.peek().is_none() {
                continue;
            }
            match &reached[i] {
                Some(indices) if own.clone().all(|read| read.map.is_some()) => {
                    let (file_box, layout) = FileBox::of(&slot.layout, indices)?;
                    (boxes[i], layouts[i]) = (file_box, layout);
                    let first = indices.iter().map(|range| range.start);
                    taken[i] = Some((first.collect(), indices.iter().map(Range::len).collect()));
                }
                _ => {
                    let low = own
                        .clone()
                        .filter_map(|r| r.layout.reach().map(|l| *l.start()));
                    let low = low.min().unwrap_or(0);
                    let high = own.filter_map(|r| r.layout.reach().map(|l| l.end() + r.span));
                    boxes[i] = FileBox::range(low..high.max().unwrap_or(low) + 1);
                    layouts[i] = slot.layout.moved_down(low);
                }
            }
        }
        graph.with_boxes(|i| {
            let (first, extents) = taken.get(i)?.as_ref()?;
            Some((first.as_slice(), extents.as_slice()))
        });
        let slot = |(slot, of): (&Slot, &FileBox)| Slot::new(slot.dtype, [of.len()]);
        let slots = self
            .slots
            .iter()
            .zip(&boxes)
            .map(slot)
            .collect::<Result<_>>()?;
        Ok((slots, layouts, boxes))
    }

    /// The plan that folds the lanes of rows to their results.
    pub fn of_lanes(&self, rows: usize, across: Across) -> Result<Plan> {
        let (shape, axis) = match across {
            Across::Reduced => (Shape::from([rows, LANES]), 1),
            Across::Kept => (Shape::from([LANES, rows]), 0),
        };
        let slot = Slot::new(self.dtype, shape.clone())?;
        let graph = Graph::fold_of_slot(self.dtype, shape, self.op, &[axis]);
        let layout = slot.layout.clone();
        Planner::new(&graph, &[slot], &[layout], &self.options)?.plan(&[])
    }
}

/// A slot whose elements are their own numbers: those of positions along axes.
fn positions(shape: &Shape, axes: &[usize]) -> Result<Slot> {
    let own: Vec<usize> = axes.iter().map(|&axis| shape.extents()[axis]).collect();
    let inner = Shape::from(own).row_major();
    let mut strides = vec![0; shape.rank()];
    for (&axis, stride) in axes.iter().zip(inner) {
        strides[axis] = stride;
    }
    let layout = Layout::new(shape.clone(), strides, 0)?;
    Ok(Slot::new(DType::U32, Shape::scalar())?.with_layout(layout))
}

/// A layout with its axes `axis` and `axis + 1` as one.
fn joined(layout: &Layout, axis: usize) -> Option<Layout> {
    let mut extents = layout.shape().extents().to_vec();
    let mut strides = layout.strides().to_vec();
    let (extent, stride) = (extents.remove(axis + 1), strides.remove(axis + 1));
    if strides[axis] != stride * extent.cast_signed() {
        return None;
    }
    extents[axis] *= extent;
    strides[axis] = stride;
    Layout::new(extents, strides, layout.offset()).ok()
}

/// The number of the element at an index.
fn index(extents: &[usize], at: &[usize]) -> usize {
    extents
        .iter()
        .zip(at)
        .fold(0, |n, (extent, i)| n * extent + i)
}

/// The smallest box that holds a range of the elements of a space, as first indices and extents.
fn cover(extents: &[usize], range: &Range<usize>) -> (Vec<usize>, Vec<usize>) {
    let mut first = vec![0; extents.len()];
    let mut count = extents.to_vec();
    let mut within: usize = extents.iter().product();
    let (mut low, mut high) = (range.start, range.end - 1);
    for axis in 0..extents.len() {
        within /= extents[axis];
        let (a, b) = (low / within, high / within);
        (first[axis], count[axis]) = (a, b - a + 1);
        if a != b {
            break;
        }
        (low, high) = (low % within, high % within);
    }
    (first, count)
}

/// The extents of the largest box of ranges of so many elements that begin at multiples of them.
fn largest_cover(extents: &[usize], elements: usize) -> Vec<usize> {
    let mut count = extents.to_vec();
    let mut within: usize = extents.iter().product();
    if elements >= within {
        return count;
    }
    for axis in 0..extents.len() {
        within /= extents[axis];
        if within.is_multiple_of(elements) {
            count[axis] = 1;
            continue;
        }
        let touched = match elements.is_multiple_of(within) {
            true => elements / within,
            false => (elements + within - 2) / within + 1,
        };
        count[axis] = touched.min(extents[axis]);
        break;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cover_is_the_smallest_box_and_none_is_larger_than_the_largest(
            extents in prop::collection::vec(1usize..9, 1..4), elements in 1usize..40,
        ) {
            let all: usize = extents.iter().product();
            let largest = largest_cover(&extents, elements);
            for start in (0..all).step_by(elements) {
                let range = start..(start + elements).min(all);
                let (first, count) = cover(&extents, &range);
                let end: Vec<usize> = first.iter().zip(&count).map(|(f, c)| f + c - 1).collect();
                prop_assert!(index(&extents, &first) <= range.start);
                prop_assert!(index(&extents, &end) >= range.end - 1);
                prop_assert!(end.iter().zip(&extents).all(|(i, e)| i < e));
                let own: usize = count.iter().product();
                let most: usize = largest.iter().product();
                prop_assert!(own <= most, "{:?} of {:?}, {:?}", range, extents, largest);
            }
        }
    }
}
