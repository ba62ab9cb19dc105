//! Merges two neighbouring axes of a graph's result.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Graph, GraphNode, SeenNode};
use super::kind::{Computed, GraphKind, Seen};
use crate::view::{AxisMap, Map};

/// A node, and the first of its two axes that are merged; `None` if it is constant along both.
type MergedNode = (usize, Option<usize>);

impl Graph {
    /// The graph of root 0 with its axes `axis` and `axis + 1` as one, in row-major order of both;
    /// `None` if an operand tells them apart. Both have more than one index. `slot` gives the number
    /// of a slot's view whose axes are merged, if that can be.
    pub fn merged(
        &self,
        axis: usize,
        mut slot: impl FnMut(usize, usize) -> Option<usize>,
    ) -> Option<Self> {
        let root: MergedNode = (self.roots[0], Some(axis));
        // Users come after their operands, so that the last open need is known to be whole.
        let mut open = BTreeSet::from([root]);
        let mut all: BTreeMap<MergedNode, Vec<MergedNode>> = BTreeMap::new();
        while let Some(need) = open.pop_last() {
            let below = self.merged_below(need)?;
            open.extend(&below);
            all.insert(need, below);
        }
        let mut made: BTreeMap<MergedNode, usize> = BTreeMap::new();
        let mut graph = Self::default();
        for (need, below) in all {
            let node = self.merged_node(need, &below, &made, &mut slot)?;
            graph.nodes.push(node);
            made.insert(need, graph.nodes.len() - 1);
        }
        graph.roots = vec![*made.get(&root)?];
        Some(graph)
    }

    /// The operands of a node, each with its axes that become one; `None` if that cannot be.
    fn merged_below(&self, (n, at): MergedNode) -> Option<Vec<MergedNode>> {
        let node = &self.nodes[n];
        let Some(at) = at else {
            return Some(node.args.iter().map(|(arg, _)| (*arg, None)).collect());
        };
        let along = |(k, (arg, map)): (usize, &SeenNode)| {
            let own = self.nodes[*arg].shape.extents();
            let seen = match node.kind.operand(k, own.len()) {
                Seen::Through => map.axes.clone(),
                Seen::Along(axes) => {
                    let same = |axis: Option<usize>| axis.map_or(AxisMap::FIXED, AxisMap::same);
                    axes.into_iter().map(same).collect()
                }
                Seen::Whole => return None,
            };
            let from = |axis: usize| {
                let found = seen.iter().enumerate();
                let found = found.filter(move |(_, a)| a.from == Some(axis));
                found.map(|(k, a)| (k, a.step, a.start, own[k]))
            };
            let whole = |axis: usize, k: usize| (k, 1, 0, node.shape.extents()[axis]);
            let first = from(at).next();
            if first.is_none() && from(at + 1).next().is_none() {
                return Some((*arg, None));
            }
            let (k, ..) = first?;
            let is_pair = from(at).eq([whole(at, k)]) && from(at + 1).eq([whole(at + 1, k + 1)]);
            is_pair.then_some((*arg, Some(k)))
        };
        match node.kind.computed() {
            Computed::Bound => Some(Vec::new()),
            Computed::Fused | Computed::Folded => node.args.iter().enumerate().map(along).collect(),
            Computed::Known | Computed::Apart | Computed::Relaid | Computed::Piecewise => None,
        }
    }

    fn merged_node(
        &self,
        (n, at): MergedNode,
        below: &[MergedNode],
        made: &BTreeMap<MergedNode, usize>,
        slot: &mut impl FnMut(usize, usize) -> Option<usize>,
    ) -> Option<GraphNode> {
        let mut node = self.nodes[n].clone();
        for ((arg, _), need) in node.args.iter_mut().zip(below) {
            *arg = *made.get(need)?;
        }
        let Some(at) = at else {
            return Some(node);
        };
        if let GraphKind::Slot(i) = &mut node.kind {
            *i = slot(*i, at)?;
        }
        if let GraphKind::Reduce { axes, .. } = &mut node.kind {
            let (_, Some(k)) = below[0] else {
                return None;
            };
            axes.iter_mut()
                .for_each(|axis| *axis -= usize::from(*axis > k));
            let shape = node.args[0].1.shape.joined(k);
            node.args[0].1 = Map::identity(&shape).normalised();
            node.shape = node.shape.joined(at);
            return Some(node);
        }
        node.shape = node.shape.joined(at);
        for ((_, map), (_, of)) in node.args.iter_mut().zip(below) {
            map.shape = node.shape.clone();
            if let Some(k) = of {
                map.axes.remove(k + 1);
                map.axes[*k] = AxisMap::same(at);
            }
            for axis in &mut map.axes {
                axis.from = axis.from.map(|from| from - usize::from(from > at));
            }
        }
        Some(node)
    }
}
