//! Gradients of expressions of tensors. A tensor has no `==`, which would read as one of elements:
//! as a variable it is the elements that it looks at.

use super::Tensor;
#[cfg(feature = "complete")]
use super::eval::kin;
use super::eval::same;
use crate::expr::Expr;

impl Expr<Tensor> {
    /// The gradients of the sum of this expression's elements by each of `wrt`: of the shape and
    /// element type of that. They are expressions: [`Context::eval_with`](crate::Context::eval_with)
    /// computes several of them, and this expression, by one plan.
    ///
    /// `wrt` are tensors of this expression (`w.expr()`) or parts of it. Tensors that look at the
    /// same elements of a buffer, such as clones, are one variable; a part is the node itself, so
    /// pass the clone that the expression is made of. Where nothing flows to a variable, the
    /// gradient is 0. Gradients may be differentiated again.
    ///
    /// A view of a tensor (`w.transpose()`) is another variable than the tensor, and an error where
    /// it is not one of `wrt` too. View the expression (`w.expr().transpose()`) to have its gradient
    /// in that of the tensor.
    ///
    /// The slopes of operators, where there are ties, jumps or halves, are those of
    /// [`Expr::gradient`] of other inputs.
    ///
    /// ```
    /// # use zerostride::{Context, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
    /// let w = context.tensor(&[0.5f32, 0.5], [1, 2])?;
    /// let loss = (x.expr() * &w.expr()).sum(..);
    /// let by_w = loss.gradient(&[w.expr()]).swap_remove(0);
    /// // The sum over what w was broadcast along.
    /// let both = context.eval_with(&[loss, by_w], &context.options())?;
    /// assert_eq!(both[0].read_blocking::<f32>()?, [5.0]);
    /// assert_eq!(both[1].shape().extents(), [1, 2]);
    /// assert_eq!(both[1].read_blocking::<f32>()?, [4.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Argument`](crate::Error::Argument) for one of
    /// `wrt` that this expression does not contain, or of which it contains a view;
    /// [`Error::DType`](crate::Error::DType) if the expression, or one of `wrt`, is no float;
    /// [`Error::Unsupported`](crate::Error::Unsupported) for an operator without a derivative on the
    /// way, such as a bit cast between floats.
    #[cfg(feature = "complete")]
    pub fn gradient(&self, wrt: impl IntoIterator<Item: Into<Self>>) -> Vec<Self> {
        self.gradients(None, &Self::operands(wrt), kin)
    }

    /// Whether a tensor (the same elements) or a part (the same node) occurs in this expression, so
    /// that it has a gradient by it.
    ///
    /// ```
    /// # use zerostride::{Context, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0], [2])?;
    /// let square = &x * &x;
    /// let loss = square.clone().sum(..);
    /// assert!(loss.contains(&x.expr()) && loss.contains(&square));
    /// assert!(!loss.contains(&x.slice(0)?.expr()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn contains(&self, part: &Self) -> bool {
        let is_part = |node: &&Self| match (node.as_leaf(), part.as_leaf()) {
            (Some(a), Some(b)) => same(a, b),
            _ => node.address() == part.address(),
        };
        Self::post_order(std::slice::from_ref(self))
            .iter()
            .any(is_part)
    }

    /// As [`gradient`](Self::gradient), each element of this expression counted as often as
    /// `gradient`, which is broadcast to it, says: the product of a vector with the Jacobian.
    ///
    /// # Errors
    /// As those of [`gradient`](Self::gradient); and [`Error::Extents`](crate::Error::Extents) or
    /// [`Error::Rank`](crate::Error::Rank) for a gradient of another shape.
    #[cfg(feature = "complete")]
    pub fn pullback(
        &self,
        gradient: impl Into<Self>,
        wrt: impl IntoIterator<Item: Into<Self>>,
    ) -> Vec<Self> {
        self.gradients(Some(&gradient.into()), &Self::operands(wrt), kin)
    }
}
