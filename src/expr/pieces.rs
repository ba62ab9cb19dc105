//! Splits a graph at a reduction: its operand, or a part of it, and the rest of the graph.

use std::ops::Range;

use super::graph::{Graph, GraphNode};
use super::kind::{GraphKind, Relaid};
use crate::dtype::DType;
use crate::op::Folding;
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

impl Graph {
    /// What another node computes.
    pub fn rooted(&self, node: usize) -> Self {
        Self::of_nodes(self.nodes.clone(), vec![node])
    }

    /// The same with a node's elements as an input.
    pub fn given(&self, node: usize, slot: usize) -> Self {
        let mut graph = self.rooted(self.roots[0]);
        graph.nodes[node].kind = GraphKind::Slot(slot);
        graph.nodes[node].args.clear();
        graph
    }

    /// The same with a reduction computed of its lanes, an input of this shape: of chunks, of what
    /// is kept, lanes.
    pub fn of_lanes(&self, node: usize, slot: usize, lanes: &Shape) -> Self {
        // Operands come before their users.
        let dtype = self.nodes[node].dtype;
        let slot = GraphKind::Slot(slot);
        let mut nodes = vec![GraphNode::new(slot, dtype, lanes.clone(), Vec::new())];
        nodes.extend(self.nodes.iter().cloned());
        let args = nodes.iter_mut().flat_map(|node| &mut node.args);
        args.for_each(|(arg, _)| *arg += 1);
        let reduction = &mut nodes[node + 1];
        if let GraphKind::Reduce { axes, .. } = &mut reduction.kind {
            *axes = vec![0, lanes.rank() - 1];
        }
        reduction.args = vec![(0, Map::identity(lanes).normalised())];
        Self::of_nodes(nodes, self.roots.iter().map(|root| root + 1).collect())
    }

    /// The nodes that root 0 is computed of and that `into` leads to, operands first.
    fn below(&self, into: impl Fn(&GraphNode) -> bool) -> Vec<usize> {
        let needed = self.needed_into(&self.roots[..1], into);
        (0..self.nodes.len()).filter(|&n| needed[n]).collect()
    }

    /// The reductions that root 0 is computed of, operands first.
    pub fn reductions(&self) -> Vec<usize> {
        let mut found = self.below(|_| true);
        found.retain(|&n| matches!(self.nodes[n].kind, GraphKind::Reduce { .. }));
        found
    }

    /// The reductions between which and root 0 there is no other, and whether root 0 is computed of
    /// them and of numbers alone.
    pub fn last_reductions(&self) -> (Vec<usize>, bool) {
        let mut found = self.below(|node| !matches!(node.kind, GraphKind::Reduce { .. }));
        let kind = |n: &usize| &self.nodes[*n].kind;
        let alone = !found.iter().any(|n| matches!(kind(n), GraphKind::Slot(_)));
        found.retain(|n| matches!(kind(n), GraphKind::Reduce { .. }));
        (found, alone)
    }

    /// The positions that root 0 is computed of, without those that are folded below it.
    pub fn own_positions(&self) -> Vec<(usize, Vec<usize>)> {
        let found = self.below(|node| !matches!(node.kind, GraphKind::Reduce { .. }));
        let of = |n: usize| match &self.nodes[n].kind {
            GraphKind::Position { axes } => Some((n, axes.clone())),
            _ => None,
        };
        found.into_iter().filter_map(of).collect()
    }

    /// Makes inputs smaller: of slot `i` there is the box that begins at these indices and has these
    /// extents. All that is needed lies in it.
    pub fn with_boxes<'a>(&mut self, of: impl Fn(usize) -> Option<(&'a [usize], &'a [usize])>) {
        let boxes: Vec<_> = self
            .nodes
            .iter()
            .map(|node| match node.kind {
                GraphKind::Slot(i) => of(i),
                _ => None,
            })
            .collect();
        for (node, own) in self.nodes.iter_mut().zip(&boxes) {
            if let Some((_, extents)) = own {
                node.shape = extents.to_vec().into();
            }
            for (arg, map) in &mut node.args {
                let Some((first, _)) = boxes[*arg] else {
                    continue;
                };
                for (axis, first) in map.axes.iter_mut().zip(first) {
                    axis.start -= first;
                }
            }
        }
    }

    /// The indices of slots that are needed, along each axis; `None` of a slot that is not, or as a
    /// whole.
    pub fn reached(&self, slots: usize) -> Vec<Option<Vec<Range<usize>>>> {
        let mut reached: Vec<Option<Vec<Range<usize>>>> = vec![None; slots];
        for node in &self.nodes {
            for (arg, map) in &node.args {
                let GraphKind::Slot(i) = self.nodes[*arg].kind else {
                    continue;
                };
                let along = |axis: &AxisMap| {
                    let (first, last) = axis.reach(&map.shape);
                    first.cast_unsigned()..last.cast_unsigned() + 1
                };
                let own = map.axes.iter().map(along);
                match &mut reached[i] {
                    Some(all) => {
                        for (all, own) in all.iter_mut().zip(own) {
                            *all = all.start.min(own.start)..all.end.max(own.end);
                        }
                    }
                    none => *none = Some(own.collect()),
                }
            }
        }
        reached
    }

    /// Folds root 0 along axes; of the elements along these, in row-major order, only some.
    pub fn fold_root(&mut self, op: Folding, axes: &[usize], some: Option<Range<usize>>) {
        let root = self.roots[0];
        let shape = self.nodes[root].shape.clone();
        let Some(some) = some else {
            return self.folded(root, op, axes.to_vec());
        };
        // All reduced axes behind the kept ones, then as one, then some of its indices.
        let kept: Vec<usize> = (0..shape.rank()).filter(|a| !axes.contains(a)).collect();
        let order: Vec<usize> = kept.iter().chain(axes).copied().collect();
        let extents = |of: &[usize]| of.iter().map(|&a| shape.extents()[a]).collect::<Vec<_>>();
        let permuted = Map::new(
            extents(&order),
            (0..shape.rank())
                .map(|axis| AxisMap::same(order.iter().position(|&a| a == axis).unwrap_or(0)))
                .collect(),
        );
        let moved = self.piece_node(GraphKind::Alias, root, permuted);
        let mut extents = extents(&kept);
        extents.push(axes.iter().map(|&a| shape.extents()[a]).product());
        let (moved, whole) = self.whole_of(moved);
        let flat = self.piece_node(GraphKind::Relaid(Relaid::RowMajor), moved, whole);
        self.nodes[flat].shape = extents.clone().into();
        if let Some(last) = extents.last_mut() {
            *last = some.len();
        }
        let mut slice = Map::identity(&Shape::from(extents));
        if let Some(last) = slice.axes.last_mut() {
            last.start = some.start;
        }
        let slice = self.piece_node(GraphKind::Alias, flat, slice.normalised());
        self.folded(slice, op, vec![kept.len()]);
    }

    fn folded(&mut self, of: usize, op: Folding, axes: Vec<usize>) {
        let (of, whole) = self.whole_of(of);
        let shape = super::without(&self.nodes[of].shape, &axes);
        let n = self.piece_node(GraphKind::Reduce { op, axes }, of, whole);
        self.nodes[n].shape = shape;
        self.roots = vec![n];
    }

    /// A reduction of an input.
    pub fn fold_of_slot(dtype: DType, shape: Shape, op: Folding, axes: &[usize]) -> Self {
        let node = GraphNode::new(GraphKind::Slot(0), dtype, shape, Vec::new());
        let mut graph = Self::of_nodes(vec![node], vec![0]);
        graph.fold_root(op, axes, None);
        graph
    }
}
