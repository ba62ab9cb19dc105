//! A reduction whose operand is computed piece by piece, by rows and along rows.
//!
//! A piece is some rows and a range of their elements, which begins where a chunk does: so many
//! elements as fold to one group of lanes (see `op/order.rs`). What a piece leaves are the lanes of
//! its chunks. Folded on in the same order they are the row's result, bit for bit.

use std::ops::Range;

use super::boxes::{Window, number};
use super::cover::cover;
use super::file_box::FileBox;
pub(crate) use super::fold::chunk;
use super::fold::{Across, joined, levels_within};
use super::options::Options;
use super::planner::Planner;
use super::reads::{Read, reads};
use super::slot::Slot;
use super::{Partition, Plan};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Graph, GraphKind, Origin, Relaid, without};
use crate::layout::Layout;
use crate::op::{Folding, LANES};
use crate::shape::Shape;

/// A reduction in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// Of which root 0 is folded.
    pub(super) graph: Graph,
    pub op: Folding,
    pub dtype: DType,
    /// The axes that are folded, in order.
    axes: Vec<usize>,
    pub(super) slots: Vec<Slot>,
    /// The input that each slot is; `None` of the one whose elements are their own numbers.
    pub inputs: Vec<Option<usize>>,
    pub(super) reads: Vec<Read>,
    options: Options,
    pub origin: Origin,
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

impl Pieces {
    /// The reduction that a node is.
    pub fn new(partition: &Partition, node: usize) -> Result<Self> {
        let (graph, slots) = (partition.graph(), partition.slots());
        let node = &graph.nodes[node];
        let GraphKind::Reduce { op, axes } = &node.kind else {
            return Err(Error::argument("pieces", "it is no reduction"));
        };
        let mut axes = axes.clone();
        axes.sort_unstable();
        let mut graph = graph.rooted(node.args[0].0);
        let mut slots = slots.to_vec();
        let mut inputs: Vec<Option<usize>> = (0..slots.len()).map(Some).collect();
        for (n, of) in graph.own_positions() {
            graph = graph.given(n, slots.len());
            // Its elements are their own numbers.
            let layout = Layout::numbered(&graph.nodes[n].shape, &of)?;
            slots.push(Slot::padded(DType::U32, layout));
            inputs.push(None);
        }
        let mut pieces = Self {
            graph,
            op: *op,
            dtype: node.dtype,
            axes,
            slots,
            inputs,
            reads: Vec::new(),
            options: *partition.options(),
            origin: node.origin,
        };
        pieces.merge();
        let layouts = pieces.layouts();
        pieces.reads = reads(&pieces.graph, &pieces.slots, &layouts)?;
        Ok(pieces)
    }

    /// What the reduction is called where it is written.
    pub fn name(&self) -> &'static str {
        self.origin.called.unwrap_or(self.op.name())
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

    /// Whether windows are folded: their elements are no box of an input's.
    pub fn has_windows(&self) -> bool {
        let needed = self.graph.needed_by(&self.graph.roots);
        let mut nodes = self.graph.nodes.iter().zip(needed);
        nodes.any(|(node, is)| is && matches!(node.kind, GraphKind::Relaid(Relaid::Windows(_))))
    }

    /// The shape of what is folded.
    pub fn space(&self) -> &Shape {
        &self.graph.nodes[self.graph.roots[0]].shape
    }

    /// The shape of the result.
    pub fn kept(&self) -> Shape {
        without(self.space(), &self.axes)
    }

    /// The extents of the axes that are folded.
    pub(super) fn reduced(&self) -> Vec<usize> {
        let extents = self.space().extents();
        self.axes.iter().map(|&axis| extents[axis]).collect()
    }

    /// The levels of the largest chunks that a piece leaves the lanes of.
    pub fn most_levels(&self) -> u32 {
        let turns = (0..self.graph.nodes.len())
            .map(|n| self.graph.turns(n, self.options.limits.native64()))
            .sum();
        levels_within(turns, self.options.limits.profile())
    }

    /// How many elements a row has.
    pub fn count(&self) -> usize {
        self.reduced().iter().product()
    }

    /// The indices of the operand's axes, from those of the kept and of the reduced ones.
    pub(super) fn along<T: Copy>(&self, kept: &[T], reduced: &[T]) -> Vec<T> {
        let (mut kept, mut reduced) = (kept.iter(), reduced.iter());
        let axes = 0..self.space().rank();
        axes.filter_map(|axis| match self.axes.contains(&axis) {
            true => reduced.next().copied(),
            false => kept.next().copied(),
        })
        .collect()
    }

    /// A piece: the rows of a window of the result, and a range of the elements of each. Of chunks
    /// of so many levels it leaves the lanes; without, the range is all of a row, and it leaves the
    /// rows' results.
    pub fn piece(
        &self,
        rows: &Window,
        elements: &Range<usize>,
        levels: Option<u32>,
        across: Option<Across>,
    ) -> Result<Piece> {
        let reduced = self.reduced();
        let (first, covered) = cover(&reduced, elements);
        let start = self.along(&rows.start, &first);
        let extents = self.along(&rows.extents, &covered);
        let mut graph = self.graph.restricted(&start, &extents);
        let (slots, layouts, boxes) = self.taken_out(&mut graph)?;
        let skipped = elements.start - number(&reduced, &first);
        let some = (covered.iter().product::<usize>() != elements.len())
            .then_some(skipped..skipped + elements.len());
        graph.fold_root(self.op, &self.axes, some);
        // Where lanes are left, all other reductions have passes of their own.
        let mut others = graph.reductions();
        others.retain(|n| levels.is_some() && !graph.roots.contains(n));
        let planner = Planner::new(&graph, &slots, &layouts, &self.options, &others)?;
        let (plan, across) = match levels {
            None => (planner.plan(&[])?, across.unwrap_or(Across::Reduced)),
            Some(levels) => planner.plan_lanes(levels, across)?,
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
                    let ends = own.filter_map(|r| Some((r.layout.reach()?, r.span)));
                    let ends = ends.map(|(reach, span)| (*reach.start(), reach.end() + span));
                    let all = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
                    let (low, high) = all.unwrap_or_default();
                    boxes[i] = FileBox::range(low..high + 1);
                    layouts[i] = slot.layout.moved_down(low);
                }
            }
        }
        graph.with_boxes(|i| {
            let (first, extents) = taken.get(i)?.as_ref()?;
            Some((first.as_slice(), extents.as_slice()))
        });
        let slot = |(slot, of): (&Slot, &FileBox)| Slot::new(slot.dtype, [of.len()]);
        let slots = self.slots.iter().zip(&boxes).map(slot);
        let slots = slots.collect::<Result<_>>()?;
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
        Planner::new(&graph, &[slot], &[layout], &self.options, &[])?.plan(&[])
    }
}

#[cfg(test)]
mod tests;
