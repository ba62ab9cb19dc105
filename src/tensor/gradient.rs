//! Gradients of expressions of tensors. Tensors have no `==`, which would look elementwise: two
//! tensors are the same variable if they view the same elements.

use super::Tensor;
#[cfg(feature = "complete")]
use super::eval::kin;
use super::eval::same;
use crate::expr::Expr;

impl Expr<Tensor> {
    /// The gradients of the sum of this expression's elements with respect to each of `wrt`, in
    /// that variable's shape and element type. They are expressions: one plan computes several of
    /// them and this expression, by [`Context::eval_with`](crate::Context::eval_with).
    ///
    /// `wrt` must be tensors (`w.expr()`) or parts of this expression. Tensors that view the same
    /// elements of a buffer, such as clones, are one variable. A part is one node: pass a clone of
    /// the part that the expression contains. Where nothing flows to a variable, the gradient is 0.
    /// Gradients may be differentiated again.
    ///
    /// A view of a tensor (`w.transpose()`) is a variable of its own, and an error unless it is in
    /// `wrt` too. View the expression instead (`w.expr().transpose()`), and its gradient is part of
    /// the tensor's.
    ///
    /// For derivatives at ties and jumps, and of f16 and bf16, see [`Expr::gradient`] of other
    /// inputs.
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
    /// `wrt` that this expression does not contain, or contains a view of;
    /// [`Error::DType`](crate::Error::DType) if the expression, or one of `wrt`, is not a float;
    /// [`Error::Unsupported`](crate::Error::Unsupported) for an operator without a derivative on
    /// the way, such as a bit cast between floats.
    #[cfg(feature = "complete")]
    pub fn gradient(&self, wrt: impl IntoIterator<Item: Into<Self>>) -> Vec<Self> {
        self.gradients(None, &Self::operands(wrt), kin)
    }

    /// Whether this expression contains a tensor (the same elements) or a part (the same node),
    /// so that it has a gradient with respect to it.
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

    /// As [`gradient`](Self::gradient), with each element of this expression weighted by
    /// `gradient`, which is broadcast to it: the product of a vector with the Jacobian.
    ///
    /// # Errors
    /// Those of [`gradient`](Self::gradient); and [`Error::Extents`](crate::Error::Extents) or
    /// [`Error::Rank`](crate::Error::Rank) if `gradient` does not broadcast to this expression.
    #[cfg(feature = "complete")]
    pub fn pullback(
        &self,
        gradient: impl Into<Self>,
        wrt: impl IntoIterator<Item: Into<Self>>,
    ) -> Vec<Self> {
        self.gradients(Some(&gradient.into()), &Self::operands(wrt), kin)
    }
}
