//! What a graph reads of its inputs, seen from the axes of its result.

use std::collections::HashSet;

use super::lower::Sources;
use super::slot::Slot;
use crate::error::Result;
use crate::expr::{Graph, GraphKind};
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
}

/// What root 0 reads of the inputs. One may be there several times.
pub(super) fn reads(graph: &Graph, slots: &[Slot], layouts: &[Layout]) -> Result<Vec<Read>> {
    let sources = Sources::inputs(graph, slots, layouts);
    let root = graph.roots[0];
    let space = &graph.nodes[root].shape;
    let mut found = Vec::new();
    let mut seen: HashSet<(usize, Map)> = HashSet::new();
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
        match &node.kind {
            GraphKind::Reduce { axes, .. } => {
                let (arg, inner) = &node.args[0];
                let mut kept = map.axes.iter();
                let seen_as = |axis: usize| match axes.contains(&axis) {
                    true => None,
                    false => kept.next().copied(),
                };
                stack.push((*arg, inside(&map, &inner.shape, seen_as).then(inner)));
            }
            GraphKind::Product => {
                let batches = node.shape.rank() - 2;
                for (side, (arg, inner)) in node.args.iter().enumerate() {
                    let own = |axis: usize| axis < batches || axis == batches + side;
                    let seen_as = |axis: usize| own(axis).then(|| map.axes[axis]);
                    stack.push((*arg, inside(&map, &inner.shape, seen_as).then(inner)));
                }
            }
            GraphKind::Reshape
            | GraphKind::Placed(_)
            | GraphKind::Taken { .. }
            | GraphKind::Scan { .. } => {
                for (arg, inner) in &node.args {
                    stack.push((*arg, inside(&map, &inner.shape, |_| None).then(inner)));
                }
            }
            _ => {
                let args = node.args.iter();
                stack.extend(args.map(|(arg, inner)| (*arg, map.then(inner))));
            }
        }
    }
    Ok(found)
}

/// The map to an operand of which an element needs all along the axes that are `seen_as` none of
/// its own: each is an axis behind those of the map.
fn inside(map: &Map, shape: &Shape, mut seen_as: impl FnMut(usize) -> Option<AxisMap>) -> Map {
    let mut extents = map.shape.extents().to_vec();
    let along = |(axis, &extent): (usize, &usize)| {
        seen_as(axis).unwrap_or_else(|| {
            extents.push(extent);
            AxisMap::same(extents.len() - 1)
        })
    };
    let axes = shape.extents().iter().enumerate().map(along).collect();
    Map {
        shape: extents.into(),
        axes,
    }
}
