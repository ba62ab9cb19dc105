//! Values that are placed beside one another or among zeros: an element is that of the piece in
//! whose place it lies.

use super::operand::Operand;
use super::slot::Slot;
use crate::error::Result;
use crate::expr::{Computed, Graph, GraphKind, GraphNode, SeenNode};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

/// A piece of a placed node, seen through a map that leads to the node.
pub(super) struct Piece {
    /// Its node and the map to it, which leads beyond it for elements of other pieces.
    pub seen: SeenNode,
    /// All of them hold for elements of this piece alone.
    pub tests: Vec<Test>,
}

/// Whether the index along an axis is one of `count` from `first` on.
pub(super) struct Test {
    /// The indices.
    pub indices: Operand,
    pub first: usize,
    pub count: usize,
    /// Of all pieces along the axis.
    pub extent: usize,
}

/// The pieces of a placed node that are seen through a map, and whether one of them has each
/// element.
pub(super) fn pieces(
    graph: &Graph,
    n: usize,
    places: &[Map],
    map: &Map,
) -> Result<(Vec<Piece>, bool)> {
    let node = &graph.nodes[n];
    let (mut found, mut len) = (Vec::with_capacity(places.len()), 0);
    for ((arg, _), place) in node.args.iter().zip(places) {
        len += place.shape.len()?;
        if let Some(tests) = tests(place, node.shape.extents(), map)? {
            let inverse = inverse(place, &node.shape);
            let seen = graph.resolve(*arg, map.then(&inverse));
            found.push(Piece { seen, tests });
        }
    }
    Ok((found, len == node.shape.len()?))
}

/// An intermediate result with a node's elements: in row-major order, but pieces that are written
/// one by one lie one behind another, and windows of it lie on its own elements.
pub(super) fn held(node: &GraphNode) -> Result<Slot> {
    if let GraphKind::Relaid(how) = &node.kind {
        let operand = Slot::new(node.dtype, node.args[0].1.shape.clone())?;
        let layout = how.layout(&operand.layout, &node.shape)?;
        return Ok(operand.with_layout(layout));
    }
    let layout = Layout::numbered(&node.shape, &outermost_first(node))?;
    Ok(Slot::padded(node.dtype, layout))
}

/// The axes of a node, that along which its pieces are written first.
fn outermost_first(node: &GraphNode) -> Vec<usize> {
    let mut order: Vec<usize> = (0..node.shape.rank()).collect();
    if let GraphKind::Placed(places) = &node.kind
        && node.kind.computed() == Computed::Piecewise
    {
        let begins = |place: &Map, axis: usize| place.axes[axis].start;
        let differ = |axis: &usize| {
            places
                .iter()
                .any(|p| begins(p, *axis) != begins(&places[0], *axis))
        };
        let along = order.iter().copied().find(differ).unwrap_or_default();
        order[..=along].rotate_right(1);
    }
    order
}

/// A piece that is written by passes of its own.
pub(super) struct OwnPiece {
    pub seen: SeenNode,
    /// On the axes of the node, that along which pieces are written first.
    pub shape: Shape,
}

/// The pieces of a node that are written one behind another.
pub(super) fn own_pieces(graph: &Graph, n: usize, places: &[Map]) -> Vec<OwnPiece> {
    let node = &graph.nodes[n];
    let order = outermost_first(node);
    let piece = |((arg, _), place): (&SeenNode, &Map)| {
        let along = &place.axes[order[0]];
        let extent = |&axis: &usize| node.shape.extents()[axis];
        let mut extents: Vec<usize> = order.iter().map(extent).collect();
        extents[0] = along.from.map_or(1, |from| place.shape.extents()[from]);
        let mut from: Vec<AxisMap> = vec![AxisMap::FIXED; order.len()];
        for (k, &axis) in order.iter().enumerate() {
            from[axis] = AxisMap::same(k);
        }
        from[order[0]].start = along.start;
        let shape = Shape::from(extents);
        let map = Map::new(shape.clone(), from).then(&inverse(place, &node.shape));
        OwnPiece {
            seen: graph.resolve(*arg, map),
            shape,
        }
    };
    node.args.iter().zip(places).map(piece).collect()
}

/// The map from the indices of a node to those of a piece that lies there.
fn inverse(place: &Map, shape: &Shape) -> Map {
    let mut axes = vec![AxisMap::FIXED; place.shape.rank()];
    for (axis, along) in place.axes.iter().enumerate() {
        let Some(from) = along.from.filter(|&from| place.shape.extents()[from] > 1) else {
            continue;
        };
        let start = along.step.wrapping_mul(along.start.cast_signed());
        axes[from] = AxisMap {
            from: Some(axis),
            step: along.step,
            start: start.wrapping_neg().cast_unsigned(),
        };
    }
    Map::new(shape.clone(), axes)
}

/// What tells that an element, seen through a map, is one of a piece; `None` if none is.
fn tests(place: &Map, extents: &[usize], map: &Map) -> Result<Option<Vec<Test>>> {
    let mut tests = Vec::new();
    for ((along, &extent), seen) in place.axes.iter().zip(extents).zip(&map.axes) {
        let count = along.from.map_or(1, |from| place.shape.extents()[from]);
        let first = match along.step < 0 {
            true => along.start + 1 - count,
            false => along.start,
        };
        let (least, most) = seen.reach(&map.shape);
        let (begin, end) = (first.cast_signed(), (first + count).cast_signed());
        if most < begin || least >= end {
            return Ok(None);
        }
        if count < extent && (least < begin || most >= end) {
            let line = Map::new(map.shape.clone(), vec![*seen]);
            tests.push(Test {
                indices: Operand::numbers(&[extent].into(), &[0], &line)?,
                first,
                count,
                extent,
            });
        }
    }
    Ok(Some(tests))
}
