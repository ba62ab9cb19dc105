//! A part of an expression: the same steps over fewer elements.

use std::collections::HashMap;

use super::graph::{Graph, GraphNode, SeenNode};
use super::kind::{Computed, GraphKind, Seen};
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

/// A node and the box of it that is needed, as (start, count) along each axis.
type NeededBox = (usize, Vec<(usize, usize)>);

impl Graph {
    /// The graph of root 0's elements in a box, which has some. Every node is restricted to the box
    /// of its elements that are needed, so that what is computed once for many elements still is;
    /// slots stay whole, under maps that begin later.
    pub fn restricted(&self, start: &[usize], extents: &[usize]) -> Self {
        let mut made: HashMap<NeededBox, usize> = HashMap::new();
        let mut part = Self::default();
        let root = self.roots[0];
        let own = start.iter().copied().zip(extents.iter().copied());
        let root: NeededBox = match self.nodes[root].kind.is_shared() {
            true => (root, self.whole(root)),
            false => (root, own.collect()),
        };
        let mut stack = vec![(root.clone(), false)];
        while let Some((need, ready)) = stack.pop() {
            if made.contains_key(&need) {
                continue;
            }
            let args = self.needs(&need);
            if !ready {
                stack.push((need, true));
                stack.extend(args.into_iter().rev().map(|(arg, _)| (arg, false)));
                continue;
            }
            let node = &self.nodes[need.0];
            let mut args: Vec<SeenNode> = args
                .into_iter()
                .map(|(arg, map)| (made[&arg], map.normalised()))
                .collect();
            if node.kind.computed() == Computed::Folded {
                // What is folded is a node of its own shape.
                args = args.into_iter().map(|arg| part.as_node(arg)).collect();
            }
            part.nodes.push(GraphNode {
                kind: node.kind.clone(),
                dtype: node.dtype,
                shape: shape_of(&need.1),
                args,
                origin: node.origin,
            });
            made.insert(need, part.nodes.len() - 1);
        }
        let mut made = made[&root];
        if self.nodes[root.0].kind.is_shared() {
            made = part.seen_from(made, start, extents);
        }
        part.roots = vec![made];
        part
    }

    /// A node of a box of a node's elements.
    fn seen_from(&mut self, of: usize, start: &[usize], extents: &[usize]) -> usize {
        let mut map = Map::identity(&Shape::from(extents.to_vec()));
        for (axis, &start) in map.axes.iter_mut().zip(start) {
            axis.start += start;
        }
        self.as_node((of, map.normalised())).0
    }

    /// An operand as a node of its own shape, which is seen as a whole.
    fn as_node(&mut self, (of, map): SeenNode) -> SeenNode {
        let whole = self.whole_of(of);
        if map == whole.1 {
            return whole;
        }
        let node = self.piece_node(GraphKind::Alias, of, map);
        self.whole_of(node)
    }

    /// A node of another's type and origin, made of it through a map.
    pub(super) fn piece_node(&mut self, kind: GraphKind, of: usize, map: Map) -> usize {
        let GraphNode { dtype, origin, .. } = self.nodes[of];
        self.nodes.push(GraphNode {
            kind,
            dtype,
            shape: map.shape.clone(),
            args: vec![(of, map.normalised())],
            origin,
        });
        self.nodes.len() - 1
    }

    /// All of a node, as a box.
    fn whole(&self, node: usize) -> Vec<(usize, usize)> {
        let extents = self.nodes[node].shape.extents();
        extents.iter().map(|&extent| (0, extent)).collect()
    }

    /// A box of a node that is needed element by element, with the map from the box to it.
    fn boxed(&self, node: usize, needed: Vec<(usize, usize)>) -> (NeededBox, Map) {
        let mut map = Map::identity(&shape_of(&needed));
        if !self.nodes[node].kind.is_shared() {
            return ((node, needed), map);
        }
        for (axis, (start, _)) in map.axes.iter_mut().zip(needed) {
            axis.start = start;
        }
        ((node, self.whole(node)), map)
    }

    /// What a box of a node needs of its operands, each with the map from the box to what it needs.
    fn needs(&self, (n, own): &NeededBox) -> Vec<(NeededBox, Map)> {
        let node = &self.nodes[*n];
        let need = |(k, (arg, map)): (usize, &SeenNode)| {
            let mut needed = self.whole(*arg);
            match node.kind.operand(k, needed.len()) {
                Seen::Through => return self.needed_through(*arg, map, own),
                Seen::Along(axes) => {
                    let along = needed.iter_mut().zip(axes);
                    along.for_each(|(range, axis)| *range = axis.map_or(*range, |axis| own[axis]));
                }
                Seen::Whole => {}
            }
            self.boxed(*arg, needed)
        };
        node.args.iter().enumerate().map(need).collect()
    }

    /// What a box needs of an operand that is read through a map.
    fn needed_through(&self, arg: usize, map: &Map, own: &[(usize, usize)]) -> (NeededBox, Map) {
        // Where the box begins.
        let moved = |axis: &AxisMap| match axis.from {
            None => *axis,
            Some(from) => {
                let by = axis.step.wrapping_mul(own[from].0.cast_signed());
                AxisMap {
                    start: axis.start.wrapping_add_signed(by),
                    ..*axis
                }
            }
        };
        let mut axes: Vec<AxisMap> = map.axes.iter().map(moved).collect();
        let shape = shape_of(own);
        let part = |axis: &mut AxisMap| {
            let (low, high) = axis.reach(&shape);
            axis.start -= low.cast_unsigned();
            (low.cast_unsigned(), high.abs_diff(low) + 1)
        };
        let needed = match self.nodes[arg].kind.is_shared() {
            true => self.whole(arg),
            false => axes.iter_mut().map(part).collect(),
        };
        ((arg, needed), Map::new(shape, axes))
    }
}

/// The shape of a box.
fn shape_of(needed: &[(usize, usize)]) -> Shape {
    let extents: Vec<usize> = needed.iter().map(|&(_, count)| count).collect();
    extents.into()
}
