//! Matrix products in the typed graph, where shapes are known: NumPy's batches and vectors.

use super::Scalar;
use super::expand::folded_in;
use super::graph::{Graph, SeenNode};
use super::kind::GraphKind;
use super::product::product_dtype;
use super::reduce::{Axes, Fold};
use crate::error::{Error, Result};
use crate::op::{Folding, Op};
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

/// Two factors on common axes: batches, rows of the first, columns of the second, what is summed
/// over. A vector has no rows, or no columns.
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
                _ => format!("{depth} and {height} elements would be multiplied"),
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
                    "{}: their batches {} and {} are not broadcast to one shape",
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

    /// The shape of the result.
    fn shape(&self) -> Shape {
        let mut extents = self.batches.clone();
        extents.extend(self.rows.iter().chain(&self.columns));
        extents.into()
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

    /// A factor on all axes: those of the result, and what is summed over.
    fn terms(&self, side: usize) -> Map {
        let mut extents = self.shape().extents().to_vec();
        let (rows, depth) = (self.batches.len(), extents.len());
        extents.push(self.depth);
        let columns = rows + usize::from(self.rows.is_some());
        let own = match (side, self.rows, self.columns) {
            (0, Some(_), _) => vec![rows, depth],
            (1, _, Some(_)) => vec![depth, columns],
            _ => vec![depth],
        };
        let own = own.into_iter().map(Some);
        map(extents, self.along[side].iter().copied().chain(own))
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
        let dtype = product_dtype([a, b].map(|n| self.nodes[n].dtype))?;
        if aligned.depth == 0 {
            // A sum of nothing.
            let zero = self.number(Scalar::of_bits(dtype, 0));
            return Ok(self.everywhere(zero, aligned.shape()));
        }
        if aligned.rows.is_none() || aligned.columns.is_none() {
            let [a, b] = [a, b].map(|n| self.cast(n, dtype));
            let terms = [(a, aligned.terms(0)), (b, aligned.terms(1))];
            let terms = self.multiplied(terms);
            let depth = Axes::from(-1);
            return self.fold(terms, Fold::Row(Folding::Sum), &depth);
        }
        let factors = [a, b].into_iter().enumerate();
        let factors = factors.map(|(side, n)| self.seen(n, aligned.matrices(side)));
        let factors: Vec<usize> = factors.collect();
        Ok(self.multiplied_matrices([factors[0], factors[1]]))
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
        let [a, b] = factors;
        let aligned = self.aligned(a, b)?;
        let shape = self.nodes[factors[side]].shape.clone();
        if aligned.rows.is_none() || aligned.columns.is_none() || aligned.shape().is_empty() {
            let mut extents = aligned.shape().extents().to_vec();
            let along: Vec<Option<usize>> = (0..extents.len()).map(Some).collect();
            extents.push(aligned.depth);
            let spread = map(extents, along.into_iter());
            let other = (factors[1 - side], aligned.terms(1 - side));
            let terms = self.multiplied([(of, spread), other]);
            return self.pulled(terms, &aligned.terms(side), &shape);
        }
        let other = self.seen(factors[1 - side], aligned.matrices(1 - side));
        let turned = {
            let mut map = Map::identity(&self.nodes[other].shape);
            let mut extents = map.shape.extents().to_vec();
            let rank = extents.len();
            extents.swap(rank - 2, rank - 1);
            map.shape = extents.into();
            map.axes[rank - 2] = AxisMap::same(rank - 1);
            map.axes[rank - 1] = AxisMap::same(rank - 2);
            self.seen(other, map.normalised())
        };
        let made = self.multiplied_matrices(match side {
            0 => [of, turned],
            _ => [turned, of],
        });
        self.pulled(made, &aligned.matrices(side), &shape)
    }

    fn aligned(&self, a: usize, b: usize) -> Result<Aligned> {
        Aligned::new(&self.nodes[a].shape, &self.nodes[b].shape)
    }

    /// The products of elements on common axes.
    fn multiplied(&mut self, [(a, on_a), (b, on_b)]: [SeenNode; 2]) -> usize {
        let (dtype, shape) = (self.nodes[a].dtype, on_a.shape.clone());
        self.push(
            GraphKind::Step(Op::MUL),
            dtype,
            shape,
            vec![(a, on_a), (b, on_b)],
        )
    }

    /// The product of matrices that have the same batches.
    fn multiplied_matrices(&mut self, [a, b]: [usize; 2]) -> usize {
        let [x, y] = [a, b].map(|n| self.nodes[n].shape.clone());
        let mut extents = x.extents().to_vec();
        if let (Some(columns), Some(last)) = (extents.last_mut(), y.extents().last()) {
            *columns = *last;
        }
        let dtype = folded_in(self.nodes[a].dtype);
        let args = vec![
            (a, Map::identity(&x).normalised()),
            (b, Map::identity(&y).normalised()),
        ];
        self.push(GraphKind::Product, dtype, extents.into(), args)
    }
}
