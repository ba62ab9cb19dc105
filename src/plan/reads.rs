//! What a graph reads of its inputs, seen from the axes of its result.

use std::collections::HashSet;

use super::lower::Sources;
use super::slot::Slot;
use crate::error::Result;
use crate::expr::{Graph, GraphKind, Seen, SeenNode};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

/// An input as it is seen from a space. An element of the space may need many of it: those along
/// axes that are reduced or contracted below.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    /// The input's number.
    pub slot: usize,
    /// On the axes of the space: where the lowest element lies of those that are needed.
    pub layout: Layout,
    /// How far above it the highest of them lies.
    pub span: usize,
    /// From the axes of the space, and behind them those that each element needs as a whole, to the
    /// input's; `None` if its elements are seen in another shape.
    #[cfg_attr(
        not(feature = "files"),
        expect(dead_code, reason = "only pieces of reductions ask")
    )]
    pub map: Option<Map>,
}

impl Read {
    /// `map` leads from the space and the axes behind it to the input.
    fn new(slot: usize, through: &Layout, space: &Shape, map: Option<Map>) -> Result<Self> {
        let (strides, inner) = through.strides().split_at(space.rank());
        let extents = &through.shape().extents()[space.rank()..];
        let (mut below, mut span) = (0, 0);
        for (&stride, &extent) in inner.iter().zip(extents) {
            let along = extent.saturating_sub(1) * stride.unsigned_abs();
            span += along;
            below += if stride < 0 { along } else { 0 };
        }
        let layout = Layout::new(space.clone(), strides.to_vec(), through.offset() - below)?;
        Ok(Self {
            slot,
            layout,
            span,
            map,
        })
    }

    /// Elements from the lowest that a box of these extents reads to the highest.
    #[cfg(feature = "files")]
    pub fn reached(&self, extents: &[usize]) -> usize {
        let along = self.layout.strides().iter().zip(extents);
        along.fold(self.span + 1, |n, (stride, extent)| {
            n + stride.unsigned_abs() * extent.saturating_sub(1)
        })
    }
}

/// What root 0 reads of the inputs. One may be there several times.
pub(super) fn reads(graph: &Graph, slots: &[Slot], layouts: &[Layout]) -> Result<Vec<Read>> {
    let sources = Sources::inputs(graph, slots, layouts);
    let root = graph.roots[0];
    let space = &graph.nodes[root].shape;
    let mut found = Vec::new();
    let mut seen: HashSet<SeenNode> = HashSet::new();
    let mut stack = vec![(root, Map::identity(space))];
    while let Some((n, map)) = stack.pop() {
        let (n, map) = graph.resolve(n, map);
        let map = map.normalised();
        if !seen.insert((n, map.clone())) {
            continue;
        }
        let node = &graph.nodes[n];
        if let Some((slot, layout)) = sources.input(graph, n, &map) {
            let map = Some(map).filter(|_| matches!(node.kind, GraphKind::Slot(_)));
            found.push(Read::new(slot, &layout, space, map)?);
            continue;
        }
        for (k, (arg, inner)) in node.args.iter().enumerate() {
            let rank = inner.shape.rank();
            let through = match node.kind.operand(k, rank) {
                Seen::Through => map.then(inner),
                Seen::Along(axes) => inside(&map, &inner.shape, &axes).then(inner),
                Seen::Whole => inside(&map, &inner.shape, &vec![None; rank]).then(inner),
            };
            stack.push((*arg, through));
        }
    }
    Ok(found)
}

/// The map to an operand of which an element needs the index along an axis of its own, or all along
/// an axis: each such is an axis behind those of the map.
fn inside(map: &Map, shape: &Shape, seen_along: &[Option<usize>]) -> Map {
    let mut extents = map.shape.extents().to_vec();
    let along = |(own, &extent): (&Option<usize>, &usize)| match own {
        Some(axis) => map.axes[*axis],
        None => {
            extents.push(extent);
            AxisMap::same(extents.len() - 1)
        }
    };
    let axes = seen_along.iter().zip(shape.extents()).map(along).collect();
    Map::new(extents, axes)
}
