//! Lookup of elements by index.

use super::Tensor;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::view::axis_among;

impl Tensor {
    /// The elements at these indices along an axis; see [`Expr::take`]. Indices beyond the ends give
    /// the first or the last element; [`take_checked`](Self::take_checked) refuses them.
    ///
    /// ```
    /// # use zerostride::Context;
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let table = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2])?;
    /// let rows = context.tensor(&[2i64, 0, -1], [3])?;
    /// let taken = table.take(&rows, 0)?;
    /// assert_eq!(taken.read_blocking::<f32>()?, [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Axis`] for an axis out of range
    /// - [`Error::DType`] for indices that are not integers
    /// - [`Error::Argument`] for an axis without elements
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn take(&self, indices: impl Into<Expr<Self>>, axis: isize) -> Result<Self> {
        self.context().eval(&self.expr().take(indices, axis))
    }

    /// Like [`take`](Self::take), but an index out of bounds is an error. A kernel cannot refuse an
    /// index, so the smallest and the largest index are read first. Runs under any executor.
    ///
    /// ```
    /// # use zerostride::Context;
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 3.0], [3])?;
    /// let indices = context.tensor(&[0i32, 99], [2])?;
    /// assert_eq!(x.take(&indices, 0)?.read_blocking::<f32>()?, [1.0, 3.0]);
    /// let error = x.take_checked_blocking(&indices, 0).unwrap_err();
    /// assert!(error.to_string().contains("index 99 is out of bounds for axis 0, which has 3 elements"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Axis`] for an axis out of range
    /// - [`Error::DType`] for indices that are not integers
    /// - [`Error::Argument`] for an index out of bounds, and for an axis without elements
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the indices failed
    pub async fn take_checked(&self, indices: &Self, axis: isize) -> Result<Self> {
        if let Some(ends) = ends(indices)? {
            self.check_indices(&ends.read::<i64>().await?, axis)?;
        }
        self.take(indices, axis)
    }

    /// The blocking version of [`take_checked`](Self::take_checked).
    ///
    /// # Errors
    /// - [`Error::Axis`] for an axis out of range
    /// - [`Error::DType`] for indices that are not integers
    /// - [`Error::Argument`] for an index out of bounds, and for an axis without elements
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the indices failed
    #[cfg(not(target_family = "wasm"))]
    pub fn take_checked_blocking(&self, indices: &Self, axis: isize) -> Result<Self> {
        if let Some(ends) = ends(indices)? {
            self.check_indices(&ends.read_blocking::<i64>()?, axis)?;
        }
        self.take(indices, axis)
    }

    fn check_indices(&self, ends: &[i64], axis: isize) -> Result<()> {
        let rank = self.shape().rank();
        // An axis that the tensor lacks is refused by `take`.
        let Ok(place) = axis_among("take", axis, rank, rank) else {
            return Ok(());
        };
        let extent = self.shape().extents()[place];
        let allowed = -(extent as i64)..extent as i64;
        let Some(index) = ends.iter().find(|i| !allowed.contains(i)) else {
            return Ok(());
        };
        let reason =
            format!("index {index} is out of bounds for axis {place}, which has {extent} elements");
        Err(Error::argument("take", reason))
    }
}

/// The smallest and the largest of some indices; `None` if there are none, or if they are not
/// integers, which `take` refuses.
fn ends(indices: &Tensor) -> Result<Option<Tensor>> {
    if indices.shape().is_empty() || !indices.dtype().is_int() {
        return Ok(None);
    }
    let mut all = indices.expr();
    if indices.dtype() == DType::U64 {
        // No axis has more elements than an i64 counts; a cast would wrap.
        all = all.minimum(i64::MAX);
    }
    let ends = [all.min(..), all.max(..)].map(|end| end.cast(DType::I64));
    indices.context().eval(&Expr::stack(ends, 0)).map(Some)
}
