//! Tensors filled with numbers, computed by the device.

use super::Tensor;
use crate::device::Context;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Expr, Literal, Promotion};
use crate::shape::Shape;

/// # Tensors filled with numbers
///
/// ```
/// # use zerostride::{Context, DType};
/// # fn main() -> zerostride::Result<()> {
/// # let context = Context::builder().from_env().request_blocking()?;
/// assert_eq!(context.zeros(DType::F32, [2, 2])?.read_blocking::<f32>()?, [0.0; 4]);
/// assert_eq!(context.full(DType::U8, [3], 7)?.read_blocking::<u8>()?, [7, 7, 7]);
/// let odd = context.arange(DType::I32, 1, 8, 2)?;
/// assert_eq!(odd.read_blocking::<i32>()?, [1, 3, 5, 7]);
/// let line = context.linspace(DType::F32, 0.0, 1.0, 5)?;
/// assert_eq!(line.read_blocking::<f32>()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
/// assert_eq!(context.eye(DType::F32, 2)?.read_blocking::<f32>()?, [1.0, 0.0, 0.0, 1.0]);
/// # Ok(())
/// # }
/// ```
impl Context {
    /// A tensor of zeros.
    ///
    /// # Errors
    /// Those of [`full`](Self::full).
    pub fn zeros(&self, dtype: DType, shape: impl Into<Shape>) -> Result<Tensor> {
        self.full(dtype, shape, 0)
    }

    /// A tensor of ones.
    ///
    /// # Errors
    /// Those of [`full`](Self::full).
    pub fn ones(&self, dtype: DType, shape: impl Into<Shape>) -> Result<Tensor> {
        self.full(dtype, shape, 1)
    }

    /// A tensor whose elements are all `value`.
    ///
    /// # Errors
    /// - [`Error::Argument`](crate::Error::Argument) for a number that an integer `dtype` cannot hold:
    ///   out of its range, or a fraction
    /// - [`Error::TooManyElements`](crate::Error::TooManyElements),
    ///   [`Error::TooLarge`](crate::Error::TooLarge),
    ///   [`Error::BufferTooLarge`](crate::Error::BufferTooLarge) for more elements than can be
    ///   counted, bound or allocated
    /// - [`Error::Kernel`](crate::Error::Kernel),
    ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Wgpu`](crate::Error::Wgpu),
    ///   [`Error::DeviceLost`](crate::Error::DeviceLost) from the device
    pub fn full(
        &self,
        dtype: DType,
        shape: impl Into<Shape>,
        value: impl Into<Literal>,
    ) -> Result<Tensor> {
        let value = value.into().to_scalar(dtype)?;
        self.eval(&Expr::scalar(value).filled(shape, None))
    }

    /// The numbers from `start` to before `stop` in steps of `step`, along one axis. Integers are
    /// computed in i64, fractions in f32, or in f64 for `dtype` f64, and then cast to `dtype`.
    ///
    /// # Errors
    /// - [`Error::Argument`](crate::Error::Argument) for a step of 0, numbers that are not finite,
    ///   and 2^32 elements or more
    /// - those of [`full`](Self::full)
    pub fn arange(
        &self,
        dtype: DType,
        start: impl Into<Literal>,
        stop: impl Into<Literal>,
        step: impl Into<Literal>,
    ) -> Result<Tensor> {
        let (start, stop, step) = (start.into(), stop.into(), step.into());
        self.made(dtype, Expr::arange_of(start, stop, step, Some(dtype))?)
    }

    /// `count` equally spaced numbers from `start` to `stop`, both included. They are computed in
    /// f32, or in f64 for `dtype` f64, and then cast to `dtype`.
    ///
    /// # Errors
    /// - [`Error::Argument`](crate::Error::Argument) for 2^32 elements or more
    /// - those of [`full`](Self::full)
    pub fn linspace(&self, dtype: DType, start: f64, stop: f64, count: usize) -> Result<Tensor> {
        let [start, stop] = [start, stop].map(Literal::Float);
        self.made(dtype, Expr::evenly(start, stop, count, true, Some(dtype)))
    }

    /// The square matrix with ones on its diagonal and zeros elsewhere.
    ///
    /// # Errors
    /// Those of [`full`](Self::full).
    pub fn eye(&self, dtype: DType, extent: usize) -> Result<Tensor> {
        self.made(dtype, Expr::eye_of([extent, extent], 0, Some(dtype)))
    }

    /// Computes an expression, in f64 if this type is f64.
    fn made(&self, dtype: DType, expr: Expr<Tensor>) -> Result<Tensor> {
        let mut options = self.options();
        if dtype == DType::F64 {
            options = options.with_promotion(Promotion::Numpy);
        }
        let mut all = self.eval_with(&[expr], &options)?;
        Ok(all.swap_remove(0))
    }
}
