//! Joins of tensors, and selection between them.

use super::Tensor;
use crate::error::{Error, Result};
use crate::expr::Expr;

impl Tensor {
    /// Joins tensors along an existing axis, in their common type; see [`Expr::concat`].
    ///
    /// ```
    /// # use zerostride::{Context, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
    /// let row = context.tensor(&[5u8, 6], [1, 2])?;
    /// let longer = Tensor::concat(&[&x, &row], 0)?;
    /// assert_eq!(longer.read_blocking::<f32>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// assert_eq!(Tensor::stack(&[&x, &x, &x], -1)?.shape().extents(), [2, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Axis`] for an axis out of range
    /// - [`Error::Argument`] for no tensors, or shapes that differ along another axis
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn concat(tensors: &[&Self], axis: isize) -> Result<Self> {
        let expr = Expr::concat(tensors.iter().copied(), axis);
        joined("concatenate", tensors, &expr)
    }

    /// Joins tensors of one shape along a new axis, in their common type; see [`Expr::stack`].
    ///
    /// # Errors
    /// Those of [`concat`](Self::concat).
    pub fn stack(tensors: &[&Self], axis: isize) -> Result<Self> {
        let expr = Expr::stack(tensors.iter().copied(), axis);
        joined("stack", tensors, &expr)
    }

    /// Selects `then` where this bool is true, `otherwise` elsewhere, in the common type of both,
    /// which may be numbers; see [`Expr::select`].
    ///
    /// # Errors
    /// Those of [`Expr::eval`].
    pub fn select(
        &self,
        then: impl Into<Expr<Self>>,
        otherwise: impl Into<Expr<Self>>,
    ) -> Result<Self> {
        self.context()
            .eval(&self.expr().select(then.into(), otherwise.into()))
    }
}

fn joined(name: &str, tensors: &[&Tensor], expr: &Expr<Tensor>) -> Result<Tensor> {
    match tensors.first() {
        Some(first) => first.context().eval(expr),
        None => Err(Error::argument(name, "a join needs at least one array")),
    }
}
