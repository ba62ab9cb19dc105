//! Elements taken by their indices along an axis.

use super::common::{Typed, not_accepted};
use super::gathered::Gathered;
use super::graph::Graph;
use super::kind::GraphKind;
use super::step::Promoter;
use super::{Expr, Literal, Scalar};
use crate::dtype::{Class, DType};
use crate::error::{Error, Result};
use crate::op::Op;
use crate::shape::Shape;
use crate::view::axis_among;

impl<L> Expr<L> {
    /// The elements at these indices along an axis, as NumPy's `take`: the axes of `indices`,
    /// integers of any type, replace the axis. Negative indices count from the end. A kernel cannot
    /// refuse an index: indices beyond the ends give the first or the last element.
    /// [`Tensor::take_checked`](crate::Tensor::take_checked) refuses them.
    ///
    /// A separate pass reads the whole operand in place: the operand and the result must each fit a binding.
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, reference};
    ///
    /// let x = HostTensor::new(DType::U8, [2, 3], vec![1, 2, 3, 4, 5, 6])?;
    /// let indices = HostTensor::new(DType::I8, [2], vec![2, 255])?;
    /// let taken = Expr::slot(0).take(&Expr::slot(1), 1);
    /// assert_eq!(reference::run(&taken, &[x, indices])?.bytes, [3, 3, 6, 6]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Axis`]; [`Error::DType`] for indices that are
    /// no whole numbers; [`Error::Argument`] for an axis without elements, or of more than 2^31 - 1, and for more than six
    /// axes that lie apart; [`Error::TooLarge`] for an operand or a result that fits no binding;
    /// [`Error::Unsupported`] where a gradient is asked for.
    pub fn take(&self, indices: impl Into<Self>, axis: isize) -> Self {
        Self::gathered(Gathered::Taken(axis), [self.clone(), indices.into()])
    }
}

impl Promoter {
    /// A promoted `take`: the operand and its indices keep their types, a number is an i64.
    pub(super) fn taken<L>(&self, axis: isize, args: &[&Typed<L>]) -> Result<Typed<L>> {
        let [(x, Some(dtype)), (indices, of)] = args else {
            return Err(Error::argument("take", "a number has no axes"));
        };
        let refused = |dtype| not_accepted("take", 1, dtype, "whole numbers");
        let indices = match (of, indices.as_literal()) {
            (Some(of), _) if of.is_int() => indices.clone(),
            (Some(of), _) => return Err(refused(*of)),
            (None, Some(Literal::Int(i))) => Expr::scalar(Literal::Int(i).to_scalar(DType::I64)?),
            (None, Some(Literal::Bool(_))) => return Err(refused(DType::Bool)),
            (None, _) => return Err(refused(DType::F64)),
        };
        Ok((x.take(&indices, axis), Some(*dtype)))
    }
}

impl Graph {
    /// The node of what is taken of `x`.
    pub(super) fn taken(&mut self, x: usize, indices: usize, axis: isize) -> Result<usize> {
        let [of, by] = [x, indices].map(|n| self.nodes[n].shape.clone());
        let rank = of.rank();
        let axis = axis_among("take", axis, rank, rank)?;
        let extent = of.extents()[axis];
        let (outer, inner) = (&of.extents()[..axis], &of.extents()[axis + 1..]);
        let shape = Shape::from([outer, by.extents(), inner].concat());
        let last = match i32::try_from(extent) {
            Ok(extent) if extent > 0 || shape.is_empty() => (extent - 1).max(0),
            found => {
                let has = match found {
                    Ok(_) => "no elements to take",
                    Err(_) => "more than 2^31 - 1 elements",
                };
                let reason = format!("axis {axis} of shape {of} has {has}");
                return Err(Error::argument("take", reason));
            }
        };
        let dtype = self.nodes[x].dtype;
        let positions = self.wrapped(indices, last);
        let args = [x, positions].map(|n| self.whole_of(n));
        Ok(self.push(GraphKind::Taken { axis }, dtype, shape, args.to_vec()))
    }

    /// Indices as u32 from 0 to `last`: negative ones count from the end, those beyond are ends.
    fn wrapped(&mut self, indices: usize, last: i32) -> usize {
        let dtype = self.nodes[indices].dtype;
        let mut own = indices;
        let ends: &[(Op, f64)] = match (dtype.class(), dtype.size()) {
            (Class::I64, _) => &[(Op::MAXIMUM, -2147483648.0), (Op::MINIMUM, 2147483647.0)],
            (Class::U64, _) => &[(Op::MINIMUM, 2147483647.0)],
            (Class::U32, 4) => &[(Op::MINIMUM, 2147483647.0)],
            _ => &[],
        };
        for &(op, end) in ends {
            let end = self.number(Scalar::of(dtype, end));
            own = self.apply(op, dtype, &[own, end]);
        }
        let own = self.cast(own, DType::I32);
        let [zero, last, extent] =
            [0, last, last.wrapping_add(1)].map(|n| self.number(Scalar::from(n)));
        // What counts from the end is below 0, so that nothing wraps.
        let below = self.apply(Op::LESS, DType::Bool, &[own, zero]);
        let from_end = self.apply(Op::ADD, DType::I32, &[own, extent]);
        let own = self.apply(Op::WHERE, DType::I32, &[below, from_end, own]);
        let own = self.apply(Op::MAXIMUM, DType::I32, &[own, zero]);
        let own = self.apply(Op::MINIMUM, DType::I32, &[own, last]);
        self.cast(own, DType::U32)
    }
}
