//! Sorts elements along an axis by a bitonic network. Each stage is an elementwise pass over the
//! previous stage's result, read as it is and with halves of blocks exchanged.

use super::common::Typed;
use super::gathered::Gathered;
use super::graph::{Graph, GraphNode};
use super::join::Join;
use super::reduce::Axes;
use super::step::Promoter;
use super::{Expr, Scalar};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Op;
use crate::shape::Shape;
use crate::view::{Index, View, axis_among};

/// The most elements along the axis that is sorted.
const MOST: usize = 1 << 16;

impl<L> Expr<L> {
    /// Sorts the elements in increasing order along an axis, as NumPy's `sort`: NaN last, -0 before
    /// 0. An axis may have up to 65,536 elements. Sorting n elements, rounded up to a power of two,
    /// takes `log2(n) * (log2(n) + 1) / 2` passes: 78 for 4,096.
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, reference};
    ///
    /// let x = HostTensor::new(DType::U8, [2, 3], vec![3, 1, 2, 9, 8, 8])?;
    /// let sorted = Expr::slot(0).sort(-1).promoted(Default::default(), |_| Ok(DType::U8))?;
    /// assert_eq!(reference::run(&sorted, &[x])?.bytes, [1, 2, 3, 8, 8, 9]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Axis`]; [`Error::Argument`] for a longer axis;
    /// [`Error::TooLarge`] for an array that fits no binding;
    /// [`Error::Unsupported`] where a gradient is asked for.
    pub fn sort(&self, axis: isize) -> Self {
        let places = false;
        Self::gathered(Gathered::Sorted { axis, places }, [self.clone()])
    }

    /// The indices that sort the elements in increasing order along an axis, as i64: NumPy's `argsort`,
    /// stable. See [`sort`](Self::sort); elements of 8 bytes take twice as many passes.
    pub fn argsort(&self, axis: isize) -> Self {
        let places = true;
        Self::gathered(Gathered::Sorted { axis, places }, [self.clone()])
    }
}

impl Promoter {
    /// Sorts promoted elements.
    pub(super) fn sorted<L: Clone>(
        &self,
        axis: isize,
        places: bool,
        x: &Typed<L>,
    ) -> Result<Typed<L>> {
        let Some(dtype) = x.1 else {
            return Err(Error::argument("sort", "a number has no axes"));
        };
        let dtype = if places { DType::I64 } else { dtype };
        let sorted = Gathered::Sorted { axis, places };
        Ok((Expr::gathered(sorted, [x.0.clone()]), Some(dtype)))
    }
}

impl Graph {
    /// The node of elements sorted along an axis, or of the indices that sort them.
    pub(super) fn sorted(&mut self, x: usize, axis: isize, places: bool) -> Result<usize> {
        let GraphNode { shape, dtype, .. } = self.nodes[x].clone();
        let axis = axis_among("sort", axis, shape.rank(), shape.rank())?;
        let extent = shape.extents()[axis];
        if extent > MOST {
            let reason = format!(
                "axis {axis} of shape {shape} has more than {MOST} elements; sort it beforehand"
            );
            return Err(Error::argument("sort", reason));
        }
        // What is equal keeps its order, -0 and 0 too.
        let mut keys = vec![self.ordered(x, places)];
        if places {
            let place = self.indices(x, axis.cast_signed())?;
            match dtype.size() {
                8 => keys.push(place),
                _ => keys[0] = self.beside(keys[0], place),
            }
        }
        if extent > 1 && !shape.is_empty() {
            self.sort(&mut keys, &shape, axis)?;
        }
        let last = keys[keys.len() - 1];
        if !places {
            return Ok(self.unordered(last, dtype));
        }
        let low = self.number(Scalar::of_bits(DType::U64, u32::MAX.into()));
        let last = self.cast(last, DType::U64);
        let place = self.apply(Op::BIT_AND, DType::U64, &[last, low]);
        Ok(self.cast(place, DType::I64))
    }

    /// Words and numbers of places as one word of both.
    fn beside(&mut self, word: usize, place: usize) -> usize {
        let half = self.number(Scalar::of_bits(DType::U64, 32));
        let [word, place] = [word, place].map(|n| self.cast(n, DType::U64));
        let high = self.apply(Op::SHL, DType::U64, &[word, half]);
        self.apply(Op::BIT_OR, DType::U64, &[high, place])
    }

    /// Sorts several nodes of a shape by the first, where that is equal by the next.
    fn sort(&mut self, keys: &mut [usize], shape: &Shape, axis: usize) -> Result<()> {
        let extent = shape.extents()[axis];
        let count = extent.next_power_of_two();
        let mut padded = shape.extents().to_vec();
        padded[axis] = count - extent;
        for key in keys.iter_mut().filter(|_| count > extent) {
            let last = Scalar::of_bits(self.nodes[*key].dtype, u64::MAX);
            let rest = self.everywhere(last, padded.clone().into());
            *key = self.join(Join::Along(axis.cast_signed()), &[*key, rest])?;
        }
        padded[axis] = count;
        let outer: usize = padded[..axis].iter().product();
        let inner: usize = padded[axis + 1..].iter().product();
        let halves =
            |width: usize| [outer, count / (2 * width), 2, width, inner].map(usize::cast_signed);
        let mut width = 1;
        while width < count {
            // Both halves of a block are in order: the first meets the second backwards.
            self.exchange(keys, halves(width), &[2, 3])?;
            for width in
                std::iter::successors(Some(width / 2), |w| Some(w / 2)).take_while(|&w| w > 0)
            {
                self.exchange(keys, halves(width), &[2])?;
            }
            width *= 2;
        }
        let mut own = vec![Index::ALL; axis];
        own.push(Index::Range(None, Some(extent.cast_signed()), 1));
        let own = View::Slice(own);
        for key in keys {
            let whole = self.reshape_to(*key, &padded)?;
            let map = own.map(&self.nodes[whole].shape)?;
            *key = self.seen(whole, map);
        }
        Ok(())
    }

    /// A stage: of each element and the one that these axes backwards bring beside it the less comes into
    /// the first half along axis 2. Their buffer is what a reshape needs.
    fn exchange(&mut self, keys: &mut [usize], extents: [isize; 5], axes: &[isize]) -> Result<()> {
        let backwards = View::Flip(Some(axes.into()));
        let mut pairs = Vec::with_capacity(keys.len());
        for &key in &*keys {
            let own = self.reshape(key, &extents)?;
            let map = backwards.map(&self.nodes[own].shape)?;
            pairs.push((own, self.alias(own, map)));
        }
        let place = self.position(pairs[0].0, &Axes::from(2))?;
        let zero = self.number(Scalar::from(0u32));
        let is_first = self.apply(Op::EQUAL, DType::Bool, &[place, zero]);
        let mut stands_before = None;
        for &(own, other) in pairs.iter().rev() {
            let less = self.apply(Op::LESS, DType::Bool, &[own, other]);
            stands_before = Some(match stands_before {
                None => less,
                Some(by_the_next) => {
                    let equal = self.apply(Op::EQUAL, DType::Bool, &[own, other]);
                    let both = self.apply(Op::AND, DType::Bool, &[equal, by_the_next]);
                    self.apply(Op::OR, DType::Bool, &[less, both])
                }
            });
        }
        let before = stands_before.unwrap_or(is_first);
        let stays = self.apply(Op::EQUAL, DType::Bool, &[before, is_first]);
        for (key, (own, other)) in keys.iter_mut().zip(pairs) {
            let dtype = self.nodes[own].dtype;
            *key = self.apply(Op::WHERE, dtype, &[stays, own, other]);
        }
        Ok(())
    }
}
