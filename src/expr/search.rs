//! The places of numbers in a sorted array, and the words by which numbers of any type are ordered.

use super::common::{Typed, common};
use super::gathered::Gathered;
use super::graph::Graph;
use super::kind::GraphKind;
use super::step::Promoter;
use super::{Expr, Scalar};
use crate::dtype::{Class, DType};
use crate::error::{Error, Result};
use crate::op::Op;

impl<L> Expr<L> {
    /// For each of `values`, the number of elements of this sorted array that are less, or with
    /// `right` not greater, as i64: NumPy's `searchsorted` with the side `"left"` or `"right"`. NaN
    /// is the largest number. Both operands are compared in their common type.
    ///
    /// The array must fit a binding. If it is not sorted, the results are arbitrary places.
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, reference};
    ///
    /// let edges = HostTensor::new(DType::U8, [3], vec![10, 20, 30])?;
    /// let values = HostTensor::new(DType::U8, [4], vec![5, 10, 25, 99])?;
    /// let places = Expr::slot(0).searchsorted(Expr::slot(1), false);
    /// let places = places.promoted(Default::default(), |_| Ok(DType::U8))?;
    /// let found = reference::run(&places, &[edges, values])?;
    /// assert_eq!(bytemuck::pod_collect_to_vec::<u8, i64>(&found.bytes), [0, 0, 2, 3]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Argument`] unless the array has exactly one
    /// axis, of at most 2^31 - 1 elements; [`Error::TooLarge`] if the array or the result fits no
    /// binding; [`Error::MixedDTypes`] for operands that were not promoted.
    pub fn searchsorted(&self, values: impl Into<Self>, right: bool) -> Self {
        Self::gathered(Gathered::Searched { right }, [self.clone(), values.into()])
    }
}

impl Promoter {
    /// A promoted search: both operands in the type that they have in common.
    pub(super) fn searched<L: Clone>(&self, right: bool, args: &[&Typed<L>]) -> Result<Typed<L>> {
        let dtype = common(args, self.promotion)?;
        let own = args.iter().map(|x| Ok(self.cast(x, dtype)?.0));
        let own: Vec<Expr<L>> = own.collect::<Result<_>>()?;
        let places = Expr::gathered(Gathered::Searched { right }, own);
        Ok((places, Some(DType::I64)))
    }
}

impl Graph {
    /// The node of places in a sorted array.
    pub(super) fn searched(&mut self, row: usize, values: usize, right: bool) -> Result<usize> {
        let [of, by] = [row, values].map(|n| self.nodes[n].clone());
        if of.dtype != by.dtype {
            return Err(Error::MixedDTypes {
                op: "searchsorted".into(),
                dtypes: vec![of.dtype, by.dtype],
            });
        }
        let refused = |reason| Error::argument("searchsorted", reason);
        match of.shape.extents() {
            [0] => {
                return Ok(self.everywhere(Scalar::from(0i64), by.shape));
            }
            &[count] if i32::try_from(count).is_ok() => {}
            [_] => {
                return Err(refused(format!(
                    "the sorted array {} has 2^31 elements or more",
                    of.shape
                )));
            }
            _ => {
                return Err(refused(format!(
                    "the sorted array must have one axis, but its shape is {}",
                    of.shape
                )));
            }
        }
        let args = [row, values].map(|n| {
            let words = self.ordered(n, true);
            self.whole_of(words)
        });
        let kind = GraphKind::Searched { right };
        let places = self.push(kind, DType::U32, by.shape, args.to_vec());
        Ok(self.cast(places, DType::I64))
    }

    /// Words that are ordered as the elements of a node are: u64 of those of 8 bytes, else u32. NaN is
    /// the largest, -0 stands before 0 or, `merging` them, is 0.
    pub(super) fn ordered(&mut self, x: usize, merging: bool) -> usize {
        let dtype = self.nodes[x].dtype;
        let Words { word, wide, sign } = Words::of(dtype);
        let number = |graph: &mut Self, bits| graph.number(Scalar::of_bits(word, bits));
        let sign = number(self, sign);
        let own = self.cast(x, wide);
        match dtype.class() {
            Class::I32 | Class::I64 => {
                let own = self.bit_cast(own, word);
                self.apply(Op::BIT_XOR, word, &[own, sign])
            }
            Class::F32 | Class::F64 => {
                let [zero, last] = [0, u64::MAX].map(|bits| number(self, bits));
                let is_nan = self.apply(Op::IS_NAN, DType::Bool, &[own]);
                let mut own = self.bit_cast(own, word);
                if merging {
                    let is_zero = self.apply(Op::EQUAL, DType::Bool, &[own, sign]);
                    own = self.apply(Op::WHERE, word, &[is_zero, zero, own]);
                }
                let is_below = self.apply(Op::GREATER_OR_EQUAL, DType::Bool, &[own, sign]);
                let flipped = self.apply(Op::BIT_NOT, word, &[own]);
                let raised = self.apply(Op::BIT_OR, word, &[own, sign]);
                let own = self.apply(Op::WHERE, word, &[is_below, flipped, raised]);
                self.apply(Op::WHERE, word, &[is_nan, last, own])
            }
            _ => own,
        }
    }

    /// The elements of a type that words are so ordered as.
    pub(super) fn unordered(&mut self, words: usize, dtype: DType) -> usize {
        let Words { word, wide, sign } = Words::of(dtype);
        let sign = self.number(Scalar::of_bits(word, sign));
        let own = match dtype.class() {
            Class::I32 | Class::I64 => self.apply(Op::BIT_XOR, word, &[words, sign]),
            Class::F32 | Class::F64 => {
                let is_above = self.apply(Op::GREATER_OR_EQUAL, DType::Bool, &[words, sign]);
                let lowered = self.apply(Op::BIT_XOR, word, &[words, sign]);
                let flipped = self.apply(Op::BIT_NOT, word, &[words]);
                self.apply(Op::WHERE, word, &[is_above, lowered, flipped])
            }
            _ => return self.cast(words, dtype),
        };
        let own = self.bit_cast(own, wide);
        self.cast(own, dtype)
    }
}

/// The words that elements of a type are ordered as.
struct Words {
    word: DType,
    /// The type of the word's size that has their values.
    wide: DType,
    /// The sign bit of both.
    sign: u64,
}

impl Words {
    fn of(dtype: DType) -> Self {
        let (word, wide) = match (dtype.size(), dtype.class()) {
            (8, _) => (DType::U64, dtype),
            (_, Class::I32) => (DType::U32, DType::I32),
            (_, Class::F32) => (DType::U32, DType::F32),
            _ => (DType::U32, DType::U32),
        };
        let sign = 1 << (8 * word.size() - 1);
        Self { word, wide, sign }
    }
}
