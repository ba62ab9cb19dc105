//! Conversions to and from `ndarray`.

use ndarray::{ArrayD, ArrayRef, Dimension, IxDyn};

use super::Tensor;
use crate::device::Context;
use crate::element::Element;
use crate::error::{Error, Result};

impl Context {
    /// A tensor with an array's elements, in row-major order.
    ///
    /// # Errors
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensor_from_ndarray<T: Element, D: Dimension>(
        &self,
        array: &ArrayRef<T, D>,
    ) -> Result<Tensor> {
        let elements: Vec<T> = array.iter().copied().collect();
        self.tensor(&elements, array.shape())
    }
}

impl Tensor {
    /// Waits for the device and returns the elements as an array.
    ///
    /// # Errors
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        let elements = self.read_blocking::<T>()?;
        ArrayD::from_shape_vec(IxDyn(self.shape().extents()), elements)
            .map_err(|e| Error::argument("to_ndarray", e.to_string()))
    }
}
