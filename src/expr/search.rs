//! The places of numbers in a sorted row, and the words by which numbers of any type are ordered.

use super::common::{Typed, common};
use super::gathered::Gathered;
use super::graph::Graph;
use super::kind::GraphKind;
use super::step::Promoter;
use super::{Expr, Scalar};
use crate::dtype::{Class, DType};
use crate::error::{Error, Result};
use crate::op::Op;
use crate::view::Map;

impl<L> Expr<L> {
    /// For each of `values` how many elements of this row, which increases, are less, or with
    /// `right` are not greater: NumPy's `searchsorted`, an i64 each, with the side `"left"` or
    /// `"right"`. NaN is the largest number. Both operands are compared in the type that they have in
    /// common.
    ///
    /// The row must fit a binding. Of one that does not increase the results are any places.
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
    /// When the expression is planned or run: [`Error::Argument`] for a row of other than one axis,
    /// and for one of more than 2^31 - 1 elements; [`Error::TooLarge`] for a row or a result that fits
    /// no binding; [`Error::DType`] where promotion did not make words of the operands.
    pub fn searchsorted(&self, values: impl Into<Self>, right: bool) -> Self {
        Self::gathered(Gathered::Searched { right }, [self.clone(), values.into()])
    }
}

impl Promoter {
    /// A promoted search: both operands as words that are ordered as they are.
    pub(super) fn searched<L: Clone>(&self, right: bool, args: &[&Typed<L>]) -> Result<Typed<L>> {
        let dtype = common(args, self.promotion)?;
        let word = |x: &&Typed<L>| Ok(self.ordered(&self.cast(x, dtype)?, true)?.0);
        let words: Vec<Expr<L>> = args.iter().map(word).collect::<Result<_>>()?;
        let places = Expr::gathered(Gathered::Searched { right }, words);
        Ok((places.cast(DType::I64), Some(DType::I64)))
    }

    /// A value as a whole number of its size, or of 32 bits, that is ordered as it is: NaN as the
    /// largest, -0 before 0 or, `merging` them, as 0.
    pub(super) fn ordered<L: Clone>(&self, x: &Typed<L>, merging: bool) -> Result<Typed<L>> {
        let Some(dtype) = x.1 else {
            return Ok(x.clone());
        };
        let word = match dtype.size() {
            8 => DType::U64,
            _ => DType::U32,
        };
        let sign = 1u64 << (8 * word.size() - 1);
        let number = |bits: u64| (Expr::scalar(Scalar::of_bits(word, bits)), Some(word));
        let bits = |x: &Typed<L>| (x.0.bit_cast(word), Some(word));
        match dtype.class() {
            Class::I32 | Class::I64 => {
                let wide = if word == DType::U64 {
                    DType::I64
                } else {
                    DType::I32
                };
                self.step(Op::BIT_XOR, &[&bits(&self.cast(x, wide)?), &number(sign)])
            }
            Class::F32 | Class::F64 => {
                let wide = if word == DType::U64 {
                    DType::F64
                } else {
                    DType::F32
                };
                let x = self.cast(x, wide)?;
                let mut own = bits(&x);
                if merging {
                    let is_zero = self.step(Op::EQUAL, &[&own, &number(sign)])?;
                    own = self.step(Op::WHERE, &[&is_zero, &number(0), &own])?;
                }
                let below = self.step(Op::GREATER_OR_EQUAL, &[&own, &number(sign)])?;
                let flipped = self.step(Op::BIT_NOT, &[&own])?;
                let raised = self.step(Op::BIT_OR, &[&own, &number(sign)])?;
                let word = self.step(Op::WHERE, &[&below, &flipped, &raised])?;
                let is_nan = self.step(Op::IS_NAN, &[&x])?;
                self.step(Op::WHERE, &[&is_nan, &number(u64::MAX), &word])
            }
            _ => self.cast(x, word),
        }
    }

    /// The value of a type that is so ordered; of -0 and 0 that were merged it is 0.
    pub(super) fn unordered<L: Clone>(&self, x: &Typed<L>, to: DType) -> Result<Typed<L>> {
        let Some(word) = x.1 else {
            return Ok(x.clone());
        };
        let sign = 1u64 << (8 * word.size() - 1);
        let sign = (Expr::scalar(Scalar::of_bits(word, sign)), Some(word));
        let is_wide = word == DType::U64;
        let (bits, wide) = match to.class() {
            Class::I32 | Class::I64 => {
                let wide = if is_wide { DType::I64 } else { DType::I32 };
                (self.step(Op::BIT_XOR, &[x, &sign])?, wide)
            }
            Class::F32 | Class::F64 => {
                let wide = if is_wide { DType::F64 } else { DType::F32 };
                let above = self.step(Op::GREATER_OR_EQUAL, &[x, &sign])?;
                let raised = self.step(Op::BIT_XOR, &[x, &sign])?;
                let flipped = self.step(Op::BIT_NOT, &[x])?;
                (self.step(Op::WHERE, &[&above, &raised, &flipped])?, wide)
            }
            _ => return Ok((x.0.cast(to), Some(to))),
        };
        let value = bits.0.bit_cast(wide);
        let value = if wide == to { value } else { value.cast(to) };
        Ok((value, Some(to)))
    }
}

impl Graph {
    /// Checks that operands are words, all of one type.
    pub(super) fn check_words(&self, op: &str, operands: [usize; 2]) -> Result<()> {
        let dtypes = operands.map(|n| self.nodes[n].dtype);
        let is_word =
            |dtype: &DType| matches!(dtype, DType::U32 | DType::U64) && *dtype == dtypes[0];
        match dtypes.iter().position(|dtype| !is_word(dtype)) {
            None => Ok(()),
            Some(operand) => Err(Error::DType {
                op: op.into(),
                operand,
                dtype: dtypes[operand],
                accepts: "u32 or u64, of which promotion makes words".into(),
            }),
        }
    }

    /// The node of places in a row of words.
    pub(super) fn searched(&mut self, row: usize, values: usize, right: bool) -> Result<usize> {
        self.check_words("searchsorted", [row, values])?;
        let [of, by] = [row, values].map(|n| &self.nodes[n]);
        let refused = |reason| Error::argument("searchsorted", reason);
        match of.shape.extents() {
            [0] => {
                let shape = by.shape.clone();
                let none = self.number(Scalar::from(0u32));
                return Ok(self.everywhere(none, shape));
            }
            &[count] if i32::try_from(count).is_ok() => {}
            [_] => {
                return Err(refused(format!(
                    "a row of {} has 2^31 elements or more",
                    of.shape
                )));
            }
            _ => {
                return Err(refused(format!(
                    "the sorted row has one axis, not the shape {}",
                    of.shape
                )));
            }
        }
        let shape = by.shape.clone();
        let args = [row, values].map(|n| (n, Map::identity(&self.nodes[n].shape).normalised()));
        let kind = GraphKind::Searched { right };
        Ok(self.push(kind, DType::U32, shape, args.to_vec()))
    }
}
