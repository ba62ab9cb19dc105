//! Adjoints of broadcasts, views and folds in the typed graph, where shapes are known.

use super::expand::folded_in;
use super::graph::{Graph, SeenNode};
use super::join::joined;
use super::kind::GraphKind;
use super::like::{AlignedOperand, Like, is_of_one_operand};
use super::reduce::{Axes, Fold};
use super::windows::windowed;
use super::{Join, Scalar, without};
use crate::error::{Error, Result};
use crate::op::Folding;
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

impl Graph {
    /// The node of operand 0 brought to a shape.
    ///
    /// # Errors
    /// Those of the rules, views and axes; [`Error::Argument`] for an operand of another shape than
    /// they make.
    pub(super) fn like(&mut self, like: &Like, args: &[usize]) -> Result<usize> {
        let shape_of = |n: usize| self.nodes[n].shape.clone();
        let (Some(&of), others) = (args.first(), args.get(1..).unwrap_or_default()) else {
            return Err(misfit("like", &Shape::scalar(), &Shape::scalar()));
        };
        let own = shape_of(of);
        let other = others.first().map_or_else(Shape::scalar, |&n| shape_of(n));
        match like {
            Like::Broadcast(place) => {
                let (operand, map) = self.placed(place, others)?;
                fits("broadcast", &own, &operand)?;
                Ok(self.seen(of, map))
            }
            Like::Sum(place) => {
                let (operand, map) = self.placed(place, others)?;
                fits("sum_to", &own, &map.shape)?;
                self.pulled(of, &map, &operand)
            }
            Like::SumTo { shape, rule } => {
                let map = summed_map(rule, shape, &own)?;
                self.pulled(of, &map, shape)
            }
            Like::Unview(view) => {
                let map = view.map(&other)?.normalised();
                fits("view", &own, &map.shape)?;
                self.pulled(of, &map, &other)
            }
            Like::Reshape => self.reshape_to(of, other.extents()),
            Like::Unwindow(windows) => {
                let (shape, _) = windowed(&other, windows)?;
                fits("sliding_window_view", &own, &shape)?;
                self.unwindowed(of, &other, windows)
            }
            Like::Unjoin(join, which) => {
                let shapes: Vec<Shape> = others.iter().map(|&n| shape_of(n)).collect();
                let (mut of, mut parts) = (of, shapes.clone());
                if *join == Join::Flat {
                    of = self.reshape(of, &[-1])?;
                    for part in &mut parts {
                        *part = [part.len()?].into();
                    }
                }
                let (shape, mut maps) = joined(*join, &parts)?;
                fits("join", &own, &shape)?;
                let part = self.seen(of, maps.swap_remove(*which));
                self.reshape_to(part, shapes[*which].extents())
            }
            Like::Factor(side) => match *others {
                [a, b] => self.product_adjoint(of, [a, b], *side),
                _ => Err(misfit("matmul", &own, &other)),
            },
            Like::Spread(axes) => {
                let map = spread(axes, &other)?;
                Ok(self.seen(of, map))
            }
        }
    }

    /// The shape of one of the operands that a rule aligns, and the map of it.
    fn placed(&self, place: &AlignedOperand, operands: &[usize]) -> Result<(Shape, Map)> {
        let shapes: Vec<&Shape> = operands.iter().map(|&n| &self.nodes[n].shape).collect();
        let alignment = place.rule.align_onto("broadcast", &shapes, place.target)?;
        let Some(&shape) = shapes.get(place.position) else {
            return Err(misfit("broadcast", &Shape::scalar(), &alignment.shape));
        };
        let map = alignment.map(place.position, shape).normalised();
        Ok((shape.clone(), map))
    }

    /// A node through a map, which may be the node itself.
    pub(super) fn seen(&mut self, of: usize, map: Map) -> usize {
        match map == self.whole_of(of).1 {
            true => of,
            false => self.alias(of, map),
        }
    }

    /// The adjoint of a map: what each element of its source, of shape `source`, gets if those of
    /// `of` are added to where the map leads from their indices.
    pub(super) fn pulled(&mut self, of: usize, map: &Map, source: &Shape) -> Result<usize> {
        let moves = |axis: &usize| map.axes.iter().any(|a| a.from == Some(*axis));
        let (kept, repeated): (Vec<usize>, Vec<usize>) =
            (0..map.shape.rank()).partition(|axis| moves(axis));
        let summed = self.summed(of, &repeated)?;
        // The map of what is left, whose axes all lead somewhere.
        let place = |axis: &AxisMap| AxisMap {
            from: axis.from.and_then(|f| kept.iter().position(|&k| k == f)),
            ..*axis
        };
        let axes = map.axes.iter().map(place).collect();
        let left = Map::new(without(&map.shape, &repeated), axes);
        if let Some(inverse) = inverse(&left, source) {
            return Ok(self.seen(summed, inverse));
        }
        let (summed, left) = self.without_gaps(summed, left)?;
        let dtype = self.nodes[of].dtype;
        if left.shape.is_empty() {
            return Ok(self.everywhere(Scalar::of_bits(dtype, 0), source.clone()));
        }
        let (kind, args) = (GraphKind::Placed(vec![left]), vec![self.whole_of(summed)]);
        Ok(self.push(kind, dtype, source.clone(), args))
    }

    /// The same elements and where they are placed, with zeros between them where the map's steps
    /// are longer than 1: they are the first of as many along an axis of their own.
    fn without_gaps(&mut self, of: usize, mut map: Map) -> Result<SeenNode> {
        let has_gaps = |axis: &AxisMap| {
            let is_long = |from: usize| map.shape.extents()[from] > 1;
            axis.step.unsigned_abs() > 1 && axis.from.is_some_and(is_long)
        };
        let long = map.axes.iter().position(has_gaps);
        let Some((place, axis)) = long.map(|place| (place, map.axes[place])) else {
            return Ok((of, map));
        };
        let Some(from) = axis.from.filter(|_| !map.shape.is_empty()) else {
            return Ok((of, map));
        };
        let (gap, count) = (axis.step.unsigned_abs(), map.shape.extents()[from]);
        let mut forwards = Map::identity(&map.shape);
        let mut start = axis.start;
        if axis.step < 0 {
            start -= (count - 1) * gap;
            forwards.axes[from] = AxisMap {
                from: Some(from),
                step: -1,
                start: count - 1,
            };
        }
        let of = self.seen(of, forwards);
        // Each element at index 0 of an axis behind its own, and zeros at all others.
        let mut extents = map.shape.extents().to_vec();
        let mut apart = Map::identity(&map.shape);
        apart.axes.insert(from + 1, AxisMap::FIXED);
        extents.insert(from + 1, gap);
        let (dtype, args) = (self.nodes[of].dtype, vec![self.whole_of(of)]);
        let made = GraphKind::Placed(vec![apart.normalised()]);
        let made = self.push(made, dtype, extents.clone().into(), args);
        extents.remove(from + 1);
        extents[from] = count * gap;
        let made = self.reshape_to(made, &extents)?;
        // Without the zeros behind the last.
        extents[from] = (count - 1) * gap + 1;
        let made = self.seen(made, Map::identity(&extents.clone().into()));
        map.shape = extents.into();
        map.axes[place] = AxisMap {
            from: Some(from),
            step: 1,
            start,
        };
        self.without_gaps(made, map)
    }

    /// A node summed along axes, in its own type.
    pub(super) fn summed(&mut self, of: usize, axes: &[usize]) -> Result<usize> {
        if axes.is_empty() {
            return Ok(of);
        }
        let dtype = self.nodes[of].dtype;
        let extents = self.nodes[of].shape.extents();
        let wide = match axes.iter().all(|&axis| extents[axis] == 1) {
            true => dtype,
            false => folded_in(dtype),
        };
        let own = self.cast(of, wide);
        let axes = Axes::new(axes.iter().map(|a| a.cast_signed()).collect::<Vec<_>>());
        let sum = self.fold(own, Fold::Row(Folding::Sum), &axes)?;
        Ok(self.cast(sum, dtype))
    }
}

/// The map from a shape to one that a rule makes of it.
fn summed_map(rule: &Rule, shape: &Shape, own: &Shape) -> Result<Map> {
    let shapes: &[&Shape] = match is_of_one_operand(rule) {
        true => &[shape],
        false => &[own, shape],
    };
    let alignment = rule.align_onto("sum_to", shapes, 0)?;
    fits("sum_to", own, &alignment.shape)?;
    Ok(alignment.map(shapes.len() - 1, shape).normalised())
}

/// The map from a shape to what it is reduced to.
fn spread(axes: &Axes, shape: &Shape) -> Result<Map> {
    let reduced = axes.of("sum", shape.rank())?;
    let along = |axis: usize| match (reduced.contains(&axis), axes.keeps()) {
        (true, true) => Some(AxisMap::FIXED),
        (true, false) => None,
        (false, _) => Some(AxisMap::same(axis)),
    };
    let map = Map::new(shape.clone(), (0..shape.rank()).filter_map(along).collect());
    Ok(map.normalised())
}

/// The map from the indices of a map's source to those of its view, if each element of the source
/// is one of the view.
fn inverse(map: &Map, source: &Shape) -> Option<Map> {
    let mut axes = vec![None; map.shape.rank()];
    for (axis, (along, &extent)) in map.axes.iter().zip(source.extents()).enumerate() {
        let Some(from) = along.from else {
            if extent == 1 {
                continue;
            }
            return None;
        };
        let last = extent.saturating_sub(1);
        let is_whole = match along.step {
            1 => along.start == 0,
            -1 => along.start == last,
            _ => false,
        };
        let place = axes.get_mut(from).filter(|place| place.is_none())?;
        if !is_whole || map.shape.extents()[from] != extent {
            return None;
        }
        *place = Some(AxisMap {
            from: Some(axis),
            ..*along
        });
    }
    let axes = axes.into_iter().collect::<Option<Vec<_>>>()?;
    let shape = source.clone();
    Some(Map::new(shape, axes).normalised())
}

fn fits(op: &str, found: &Shape, wanted: &Shape) -> Result<()> {
    match found == wanted {
        true => Ok(()),
        false => Err(misfit(op, found, wanted)),
    }
}

fn misfit(op: &str, found: &Shape, wanted: &Shape) -> Error {
    Error::argument(op, format!("the shape is {found}, it must be {wanted}"))
}

#[cfg(test)]
mod tests;
