//! Tensors joined to one, and selections among them.

use super::Tensor;
use crate::error::{Error, Result};
use crate::expr::Expr;

impl Tensor {
    /// Tensors one behind another along an axis that they have, in the type that they have in common;
    /// see [`Expr::concat`].
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
    /// - [`Error::Axis`] for an axis that is not there
    /// - [`Error::Argument`] for no tensors, or shapes that differ along another axis
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for what is
    ///   larger than can be counted, bound or allocated
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn concat(tensors: &[&Self], axis: isize) -> Result<Self> {
        let arrays: Vec<Expr<Self>> = tensors.iter().map(|t| t.expr()).collect();
        joined("concatenate", tensors, &Expr::concat(&arrays, axis))
    }

    /// Tensors of one shape along a new axis, in the type that they have in common; see
    /// [`Expr::stack`].
    ///
    /// # Errors
    /// Those of [`concat`](Self::concat).
    pub fn stack(tensors: &[&Self], axis: isize) -> Result<Self> {
        let arrays: Vec<Expr<Self>> = tensors.iter().map(|t| t.expr()).collect();
        joined("stack", tensors, &Expr::stack(&arrays, axis))
    }

    /// Where this bool holds the first, elsewhere the second, which may be numbers, in the type that
    /// these have in common; see [`Expr::select`].
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
