//! Values that are placed beside one another or among zeros: an element is that of the piece in
//! whose place it lies.

use super::operand::Operand;
use crate::error::Result;
use crate::expr::{Graph, SeenNode};
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
            let inverse = inverse(place, &node.shape.extents().to_vec().into());
            let seen = graph.resolve(*arg, map.then(&inverse));
            found.push(Piece { seen, tests });
        }
    }
    Ok((found, len == node.shape.len()?))
}

/// The map from the indices of a node to those of a piece that lies there.
fn inverse(place: &Map, shape: &Shape) -> Map {
    let mut axes = vec![AxisMap::FIXED; place.shape.rank()];
    for (axis, along) in place.axes.iter().enumerate() {
        let Some(from) = along.from.filter(|&from| place.shape.extents()[from] > 1) else {
            continue;
        };
        axes[from] = AxisMap {
            from: Some(axis),
            step: along.step,
            start: along
                .step
                .wrapping_mul(along.start.cast_signed())
                .wrapping_neg()
                .cast_unsigned(),
        };
    }
    Map {
        shape: shape.clone(),
        axes,
    }
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
            let line = Map {
                shape: map.shape.clone(),
                axes: vec![*seen],
            };
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
