//! The space that a program walks, and how values are seen from it.

use std::collections::BTreeSet;

use crate::expr::{Graph, GraphKind};
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

/// What one pass folds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The shape that the reductions walk.
    pub shape: Shape,
    /// The axes of it that they fold.
    pub axes: Vec<usize>,
    /// The reductions.
    pub fused: BTreeSet<usize>,
    /// How the program's root is seen from the space.
    pub start: Map,
    /// The scan along the one axis that it computes in place of reductions.
    pub scan: Option<usize>,
}

impl Program {
    /// The program of the space of a reduction or scan that is seen so from a root of a shape.
    pub fn of(graph: &Graph, n: usize, map: &Map, shape: &Shape) -> Option<Self> {
        let axes = match &graph.nodes[n].kind {
            GraphKind::Reduce { axes, .. } => axes,
            GraphKind::Scan { axis, .. } => {
                let start = Map::identity(shape).normalised();
                return (*map == start).then(|| Self {
                    shape: shape.clone(),
                    axes: vec![*axis],
                    fused: BTreeSet::new(),
                    start,
                    scan: Some(n),
                });
            }
            _ => return None,
        };
        let space = &graph.nodes[n].args[0].1.shape;
        let dropped = dropped(space, axes);
        let own = &graph.nodes[n].shape;
        let start = if space == shape && *map == dropped {
            Map::identity(space).normalised()
        } else {
            rows_seen_as(shape, map, own, space, axes)?
        };
        Some(Self {
            shape: space.clone(),
            axes: axes.clone(),
            fused: BTreeSet::new(),
            start,
            scan: None,
        })
    }

    /// How a reduced value is seen from the space.
    pub fn dropped(&self) -> Map {
        dropped(&self.shape, &self.axes)
    }

    /// Whether the result has an element for each of the space.
    pub fn is_full(&self) -> bool {
        self.start == Map::identity(&self.shape).normalised()
    }

    /// Whether the numbers of elements along axes of a node of this shape, seen as this, are those
    /// along the folded axes.
    pub fn numbers(&self, shape: &Shape, axes: &[usize], map: &Map) -> bool {
        let long = |of: &Shape, axis: usize| of.extents()[axis] > 1;
        let own = axes.iter().filter(|&&axis| long(shape, axis));
        let seen: Vec<AxisMap> = own.map(|&axis| map.axes[axis]).collect();
        let folded = self.axes.iter().filter(|&&axis| long(&self.shape, axis));
        let wanted: Vec<AxisMap> = folded.map(|&axis| AxisMap::same(axis)).collect();
        let extents = |of: &Shape, axes: &[usize]| -> Vec<usize> {
            let extents = axes.iter().map(|&axis| of.extents()[axis]);
            extents.filter(|&extent| extent > 1).collect()
        };
        self.scan.is_none()
            && seen == wanted
            && extents(shape, axes) == extents(&self.shape, &self.axes)
    }

    /// Whether a node is a reduction of this space, seen as this.
    pub fn folds(&self, graph: &Graph, n: usize, map: &Map) -> bool {
        match &graph.nodes[n].kind {
            GraphKind::Scan { .. } => self.scan == Some(n) && *map == self.start,
            GraphKind::Reduce { axes, .. } if self.scan.is_none() => {
                *axes == self.axes
                    && graph.nodes[n].args[0].1.shape == self.shape
                    && *map == self.dropped()
            }
            _ => false,
        }
    }
}

/// How a value with an element for each row is seen from a space.
pub(super) fn dropped(shape: &Shape, axes: &[usize]) -> Map {
    let own = (0..shape.rank()).filter(|axis| !axes.contains(axis));
    let map = Map::new(shape.clone(), own.map(AxisMap::same).collect());
    map.normalised()
}

/// How a value of a shape is seen from a space, if it has an element for each row in their order:
/// its axes are the kept ones, and others of extent 1. `map` leads from it to the rows.
fn rows_seen_as(
    shape: &Shape,
    map: &Map,
    rows: &Shape,
    space: &Shape,
    axes: &[usize],
) -> Option<Map> {
    let mut kept = (0..space.rank()).filter(|axis| !axes.contains(axis));
    let mut seen = vec![AxisMap::FIXED; shape.rank()];
    let mut next = 0;
    for (along, &extent) in map.axes.iter().zip(rows.extents()) {
        let axis = kept.next()?;
        if extent == 1 {
            continue;
        }
        let from = along.from.filter(|&from| from >= next)?;
        if *along != AxisMap::same(from) || shape.extents()[from] != extent {
            return None;
        }
        seen[from] = AxisMap::same(axis);
        next = from + 1;
    }
    let mut axes = shape.extents().iter().zip(&seen);
    let covers = axes.all(|(&e, s)| e == 1 || s.from.is_some());
    let seen = Map::new(space.clone(), seen);
    covers.then(|| seen.normalised())
}
