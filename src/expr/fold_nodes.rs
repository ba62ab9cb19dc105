//! Reductions in the typed graph: resolves axes, and makes steps where no fold is needed.

use super::Scalar;
use super::graph::{Graph, SeenNode};
use super::kind::{Computed, GraphKind, Seen};
use super::reduce::{Axes, Fold};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::{Folding, Op};
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

impl Graph {
    /// The node of a fold of an operand along axes.
    ///
    /// # Errors
    /// Those of the axes; [`Error::Argument`] for no elements where a fold has nothing to give.
    pub(super) fn fold(&mut self, arg: usize, fold: Fold, axes: &Axes) -> Result<usize> {
        let name = match fold {
            Fold::Row(op) => op.name(),
            Fold::Extreme { largest: true, .. } => "argmax",
            Fold::Extreme { largest: false, .. } => "argmin",
        };
        let shape = self.nodes[arg].shape.clone();
        let reduced = axes.of(name, shape.rank())?;
        let count = extent_of(&shape, &reduced)?;
        let is_extreme = matches!(
            fold,
            Fold::Extreme { .. } | Fold::Row(Folding::Max | Folding::Min)
        );
        if is_extreme && count == 0 {
            let reason = format!("the operand has no elements (shape {shape})");
            return Err(Error::argument(name, reason));
        }
        let made = match fold {
            Fold::Row(op) => self.row(arg, op, &reduced, count)?,
            Fold::Extreme { largest, last } => self.extreme(arg, largest, last, &reduced, count)?,
        };
        Ok(match axes.keeps() {
            true => self.with_axes(made, &shape, &reduced),
            false => made,
        })
    }

    /// The number of elements along axes as a number.
    pub(super) fn count(
        &mut self,
        arg: usize,
        axes: &Axes,
        ddof: usize,
        dtype: DType,
    ) -> Result<usize> {
        let shape = self.nodes[arg].shape.clone();
        let reduced = axes.of("mean", shape.rank())?;
        let count = extent_of(&shape, &reduced)?.saturating_sub(ddof);
        Ok(self.number(count_as(count, dtype)))
    }

    pub(super) fn number(&mut self, x: Scalar) -> usize {
        self.push(GraphKind::Scalar(x), x.dtype, Shape::scalar(), Vec::new())
    }

    /// A fold by a row. Axes along which the operand is one element are not walked.
    fn row(&mut self, arg: usize, op: Folding, reduced: &[usize], count: usize) -> Result<usize> {
        let (dtype, shape) = self.parts(arg);
        op.row().result(&[dtype, dtype], None)?;
        if count == 0 {
            let number = Scalar::of_bits(dtype, op.of_nothing(dtype));
            return Ok(self.everywhere(number, without(&shape, reduced)));
        }
        let repeats = match op {
            Folding::Prod => vec![false; shape.rank()],
            _ => self.repeats(arg),
        };
        let (once, walked): (Vec<usize>, Vec<usize>) = reduced
            .iter()
            .partition(|&&axis| shape.extents()[axis] == 1 || repeats[axis]);
        let first = self.first_along(arg, &once);
        // Their numbers after those axes are gone.
        let moved = |axis: usize| axis - once.iter().filter(|&&o| o < axis).count();
        let walked: Vec<usize> = walked.into_iter().map(moved).collect();
        let folded = match walked.is_empty() {
            true => first,
            false => self.reduce(first, op, walked),
        };
        let times = extent_of(&shape, &once)?;
        if op != Folding::Sum || times == 1 {
            return Ok(folded);
        }
        let times = self.number(count_as(times, dtype));
        Ok(self.apply(Op::MUL, dtype, &[folded, times]))
    }

    pub(super) fn reduce(&mut self, arg: usize, op: Folding, axes: Vec<usize>) -> usize {
        let (dtype, shape) = self.parts(arg);
        let (result, args) = (without(&shape, &axes), vec![self.whole_of(arg)]);
        self.push(GraphKind::Reduce { op, axes }, dtype, result, args)
    }

    pub(super) fn cast(&mut self, arg: usize, to: DType) -> usize {
        match self.nodes[arg].dtype == to {
            true => arg,
            false => self.apply(Op::CAST, to, &[arg]),
        }
    }

    pub(super) fn bit_cast(&mut self, arg: usize, to: DType) -> usize {
        self.apply(Op::BIT_CAST, to, &[arg])
    }

    /// A step on numbers and on operands of one rank, some of which have an extent of 1 where
    /// others are longer.
    pub(super) fn apply(&mut self, op: Op, dtype: DType, args: &[usize]) -> usize {
        let mut extents: Vec<usize> = Vec::new();
        for &arg in args {
            let own = self.nodes[arg].shape.extents();
            extents.resize(extents.len().max(own.len()), 1);
            let long = extents.iter_mut().zip(own).filter(|(_, own)| **own != 1);
            long.for_each(|(extent, own)| *extent = *own);
        }
        let shape = Shape::from(extents);
        let operand = |&arg: &usize| {
            let map = Map::new(shape.clone(), self.broadcast_axes(&shape, arg));
            (arg, map.normalised())
        };
        let args = args.iter().map(operand).collect();
        self.push(GraphKind::Step(op), dtype, shape, args)
    }

    /// The axes of a number, or of an operand of the same rank, whose extents of 1 are broadcast.
    fn broadcast_axes(&self, shape: &Shape, arg: usize) -> Vec<AxisMap> {
        let own = self.nodes[arg].shape.extents();
        let along = |(axis, &extent): (usize, &usize)| match extent == shape.extents()[axis] {
            true => AxisMap::same(axis),
            false => AxisMap::FIXED,
        };
        own.iter().enumerate().map(along).collect()
    }

    /// A number seen as a shape.
    pub(super) fn everywhere(&mut self, number: Scalar, shape: Shape) -> usize {
        let number = self.number(number);
        self.alias(number, Map::new(shape, Vec::new()))
    }

    /// A reduced node with its reduced axes kept as extents of 1.
    pub(super) fn with_axes(&mut self, reduced: usize, shape: &Shape, axes: &[usize]) -> usize {
        let extents = shape.extents().iter().enumerate();
        let kept = |(axis, &extent)| if axes.contains(&axis) { 1 } else { extent };
        let kept: Vec<usize> = extents.map(kept).collect();
        let own = (0..shape.rank()).filter(|axis| !axes.contains(axis));
        let map = Map::new(kept, own.map(AxisMap::same).collect());
        self.alias(reduced, map)
    }

    /// A node's elements at index 0 along axes, which are dropped.
    fn first_along(&mut self, arg: usize, axes: &[usize]) -> usize {
        if axes.is_empty() {
            return arg;
        }
        let shape = &self.nodes[arg].shape;
        let mut next = 0..;
        let along = |axis: usize| match axes.contains(&axis) {
            true => AxisMap::FIXED,
            false => AxisMap::same(next.next().unwrap_or_default()),
        };
        let map = Map::new(without(shape, axes), (0..shape.rank()).map(along).collect());
        self.alias(arg, map)
    }

    /// Along which axes a node is one element, whatever the inputs hold.
    fn repeats(&mut self, root: usize) -> Vec<bool> {
        let found = &mut self.repeats;
        for node in self.nodes.iter().take(root + 1).skip(found.len()) {
            let rank = node.shape.rank();
            let is_made = matches!(
                node.kind.computed(),
                Computed::Known | Computed::Fused | Computed::Folded
            );
            let mut repeats = vec![is_made; rank];
            let numbered = node.kind.numbered().into_iter().flatten();
            numbered.for_each(|&axis| repeats[axis] = false);
            for (k, (arg, map)) in node.args.iter().enumerate() {
                let own = &found[*arg];
                let along = match node.kind.operand(k, own.len()) {
                    Seen::Through => map.axes.iter().map(|along| along.from).collect(),
                    Seen::Along(axes) => axes,
                    Seen::Whole => {
                        repeats.fill(false);
                        break;
                    }
                };
                for (from, own) in along.into_iter().zip(own) {
                    from.into_iter().for_each(|from| repeats[from] &= own);
                }
            }
            if let GraphKind::Scan { axis, .. } = node.kind {
                repeats.clone_from(&found[node.args[0].0]);
                repeats[axis] = false;
            }
            found.push(repeats);
        }
        found[root].clone()
    }

    /// A node under these extents.
    pub(super) fn reshape_to(&mut self, arg: usize, extents: &[usize]) -> Result<usize> {
        let extents: Vec<isize> = extents.iter().map(|e| e.cast_signed()).collect();
        self.reshape(arg, &extents)
    }

    /// An operand that is seen as a whole.
    pub(super) fn whole_of(&self, node: usize) -> SeenNode {
        (node, Map::identity(&self.nodes[node].shape).normalised())
    }

    pub(super) fn parts(&self, node: usize) -> (DType, Shape) {
        let node = &self.nodes[node];
        (node.dtype, node.shape.clone())
    }
}

/// A number of elements as a number of a type; integers wrap.
fn count_as(count: usize, dtype: DType) -> Scalar {
    match dtype.is_float() {
        true => Scalar::of(dtype, count as f64),
        false => Scalar::of_bits(dtype, count as u64 & (u64::MAX >> (64 - 8 * dtype.size()))),
    }
}

/// The product of the extents along axes.
fn extent_of(shape: &Shape, axes: &[usize]) -> Result<usize> {
    let extents: Vec<usize> = axes.iter().map(|&axis| shape.extents()[axis]).collect();
    Ok(Shape::from(extents).len()?)
}

/// A shape without axes.
pub(crate) fn without(shape: &Shape, axes: &[usize]) -> Shape {
    let own = shape.extents().iter().enumerate();
    let own = own.filter(|(axis, _)| !axes.contains(axis));
    let extents: Vec<usize> = own.map(|(_, &extent)| extent).collect();
    extents.into()
}
