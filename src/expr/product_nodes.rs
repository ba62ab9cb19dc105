//! Matrix products in the typed graph, where shapes are known: NumPy's batches and vectors.

use super::expand::folded_in;
use super::graph::{Graph, GraphNode};
use super::kind::GraphKind;
use super::product::product_dtype;
use super::reduce::{Axes, Fold};
use crate::error::{Error, Result};
use crate::op::{Folding, Op, Types};
use crate::shape::Shape;
use crate::view::{AxisMap, Map, View};

/// Two factors on common axes: batches, rows of the first, columns of the second, and the axis
/// summed over. A vector has no rows, or no columns.
struct Aligned {
    batches: Vec<usize>,
    rows: Option<usize>,
    columns: Option<usize>,
    depth: usize,
    /// The batch axis that each axis of a factor is along, none where its one element is repeated.
    along: [Vec<Option<usize>>; 2],
}

impl Aligned {
    fn new(a: &Shape, b: &Shape) -> Result<Self> {
        let refused = |reason: String| Error::argument("matmul", reason);
        let shapes = || format!("shapes {a} and {b}");
        let (rows, depth, batches_of_a) = match a.extents() {
            [] => return Err(refused("a scalar is no matrix; multiply with `*`".into())),
            &[depth] => (None, depth, &[][..]),
            [batches @ .., rows, depth] => (Some(*rows), *depth, batches),
        };
        let (columns, height, batches_of_b) = match b.extents() {
            [] => return Err(refused("a scalar is no matrix; multiply with `*`".into())),
            &[depth] => (None, depth, &[][..]),
            [batches @ .., depth, columns] => (Some(*columns), *depth, batches),
        };
        if depth != height {
            let has = match (rows, columns) {
                (Some(_), Some(_)) => {
                    format!("the first has {depth} columns, the second {height} rows")
                }
                _ => format!("the extents {depth} and {height} to be multiplied differ"),
            };
            return Err(refused(format!("{}: {has}", shapes())));
        }
        let rank = batches_of_a.len().max(batches_of_b.len());
        let extent = |batches: &[usize], axis: usize| {
            let own = (axis + batches.len()).checked_sub(rank);
            own.map_or(1, |own| batches[own])
        };
        let mut batches = Vec::with_capacity(rank);
        for axis in 0..rank {
            let [x, y] = [batches_of_a, batches_of_b].map(|of| extent(of, axis));
            if x != y && x != 1 && y != 1 {
                return Err(refused(format!(
                    "{}: their batches {} and {} cannot be broadcast together",
                    shapes(),
                    Shape::from(batches_of_a),
                    Shape::from(batches_of_b)
                )));
            }
            batches.push(if x == 1 { y } else { x });
        }
        let along = [batches_of_a, batches_of_b].map(|of| {
            let first = rank - of.len();
            let place = |(axis, &extent): (usize, &usize)| {
                (extent == batches[first + axis]).then_some(first + axis)
            };
            of.iter().enumerate().map(place).collect()
        });
        Ok(Self {
            batches,
            rows,
            columns,
            depth,
            along,
        })
    }

    /// A factor as matrices of all batches.
    fn matrices(&self, side: usize) -> Map {
        let rank = self.batches.len();
        let mut extents = self.batches.clone();
        extents.extend(match side {
            0 => [self.rows.unwrap_or(1), self.depth],
            _ => [self.depth, self.columns.unwrap_or(1)],
        });
        let own = match (side, self.rows, self.columns) {
            (0, None, _) => vec![Some(rank + 1)],
            (1, _, None) => vec![Some(rank)],
            _ => vec![Some(rank), Some(rank + 1)],
        };
        map(extents, self.along[side].iter().copied().chain(own))
    }

    /// Elements of the result's shape as matrices of all batches.
    fn as_matrices(&self) -> Map {
        let rank = self.batches.len();
        let mut extents = self.batches.clone();
        extents.extend([self.rows.unwrap_or(1), self.columns.unwrap_or(1)]);
        let own = [self.rows.map(|_| rank), self.columns.map(|_| rank + 1)];
        let own = own.into_iter().flatten().map(Some);
        map(extents, (0..rank).map(Some).chain(own))
    }
}

/// The map of what has the elements of these axes.
fn map(extents: Vec<usize>, along: impl Iterator<Item = Option<usize>>) -> Map {
    let axis = |axis: Option<usize>| axis.map_or(AxisMap::FIXED, AxisMap::same);
    let map = Map::new(extents, along.map(axis).collect());
    map.normalised()
}

impl Graph {
    /// The node of a matrix product.
    ///
    /// # Errors
    /// [`Error::Argument`] for shapes without one; those of [`product_dtype`].
    pub(super) fn product(&mut self, a: usize, b: usize) -> Result<usize> {
        let aligned = self.aligned(a, b)?;
        product_dtype([a, b].map(|n| self.nodes[n].dtype))?;
        let factors = [(a, 0), (b, 1)].map(|(n, side)| self.seen(n, aligned.matrices(side)));
        // A vector has no rows, or no columns.
        let sides = [(aligned.rows, -3), (aligned.columns, -2)];
        let missing = sides.into_iter().filter(|(extent, _)| extent.is_none());
        self.multiplied_matrices(factors, missing.map(|(_, axis)| axis))
    }

    /// The adjoint of a product: what a factor gets of `of`, which has the product's shape.
    ///
    /// # Errors
    /// Those of [`product`](Self::product).
    pub(super) fn product_adjoint(
        &mut self,
        of: usize,
        factors: [usize; 2],
        side: usize,
    ) -> Result<usize> {
        let aligned = self.aligned(factors[0], factors[1])?;
        let shape = self.nodes[factors[side]].shape.clone();
        let of = self.seen(of, aligned.as_matrices());
        let other = self.seen(factors[1 - side], aligned.matrices(1 - side));
        let turned = View::SwapAxes(-2, -1).map(&self.nodes[other].shape)?;
        let other = self.seen(other, turned.normalised());
        let factors = match side {
            0 => [of, other],
            _ => [other, of],
        };
        let made = self.multiplied_matrices(factors, std::iter::empty())?;
        self.pulled(made, &aligned.matrices(side), &shape)
    }

    fn aligned(&self, a: usize, b: usize) -> Result<Aligned> {
        Aligned::new(&self.nodes[a].shape, &self.nodes[b].shape)
    }

    /// The product of matrices that have the same batches, without these axes of extent 1, of rows (-3) or
    /// columns (-2).
    fn multiplied_matrices(
        &mut self,
        factors: [usize; 2],
        missing: impl Iterator<Item = isize>,
    ) -> Result<usize> {
        let [a, b] = factors.map(|n| self.nodes[n].shape.extents().to_vec());
        let (rank, mut extents) = (a.len(), a);
        let (depth, columns) = (extents[rank - 1], b[rank - 1]);
        extents[rank - 1] = columns;
        let dtype = folded_in(self.nodes[factors[0]].dtype);
        let rows = extents[rank - 2];
        if !is_narrow([rows, columns], depth) {
            let factors = factors.map(|n| self.before_widening(n));
            let args = factors.map(|n| self.whole_of(n)).to_vec();
            return Ok(self.push(GraphKind::Product, dtype, extents.into(), args));
        }
        // What is summed over stands behind rows and columns.
        extents.push(depth);
        let along = |own: [usize; 2]| (0..rank - 2).chain(own).map(Some);
        let maps = [[rank - 2, rank], [rank, rank - 1]];
        let [on_a, on_b] = maps.map(|own| map(extents.clone(), along(own)));
        let mut own = factors.map(|n| self.cast(n, dtype));
        for (factor, repeats) in own.iter_mut().zip([columns, rows]) {
            if repeats > 1 && self.is_costly(*factor) {
                *factor = self.held(*factor)?;
            }
        }
        let args = vec![(own[0], on_a), (own[1], on_b)];
        let terms = self.push(GraphKind::Step(Op::MUL), dtype, extents.into(), args);
        let axes: Vec<isize> = missing.chain([-1]).collect();
        self.fold(terms, Fold::Row(Folding::Sum), &Axes::new(axes))
    }

    /// A factor as it is before a cast to the type that it is multiplied in: a product's kernel widens elements as it
    /// loads them.
    fn before_widening(&mut self, factor: usize) -> usize {
        let (n, map) = self.resolved(factor);
        let node = &self.nodes[n];
        if let GraphKind::Step(op) = node.kind
            && op.types() == Types::Cast
        {
            let (of, inner) = &node.args[0];
            let narrow = self.nodes[*of].dtype;
            let widens = narrow.size() < 4 && node.dtype.size() >= 4;
            if widens && narrow.class() == node.dtype.class() {
                return self.seen(*of, map.then(inner).normalised());
            }
        }
        factor
    }

    /// Whether passes that need a node would compute a costly step for it.
    fn is_costly(&self, node: usize) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let GraphNode { kind, args, .. } = &self.nodes[node];
            match kind {
                GraphKind::Step(op) if op.is_costly() => return true,
                kind if kind.has_buffer() => {}
                _ => stack.extend(args.iter().map(|(arg, _)| *arg)),
            }
        }
        false
    }

    /// The same elements, computed once: their buffer is what a reshape needs.
    fn held(&mut self, node: usize) -> Result<usize> {
        let extents = [&[1], self.nodes[node].shape.extents()].concat();
        let made = self.reshape_to(node, &extents)?;
        let map = View::Squeeze(Some(vec![0])).map(&self.nodes[made].shape)?;
        Ok(self.seen(made, map.normalised()))
    }
}

/// The number of rows, and of columns, of a product that a workgroup computes.
pub(crate) const TILE: usize = 64;
/// The number of terms from which the number of tiles matters.
const LONG: usize = 256;

/// Whether a product is a sum of products of elements: of one row or column, of at most one term, or of a long
/// sum where most of its tiles would be empty.
fn is_narrow([rows, columns]: [usize; 2], depth: usize) -> bool {
    let tile = |extent: usize| (extent.div_ceil(TILE) * TILE) as u128;
    let is_mostly_empty = 8 * rows as u128 * columns as u128 <= tile(rows) * tile(columns);
    rows.min(columns) <= 1 || depth <= 1 || depth >= LONG && is_mostly_empty
}
