//! To and from `ndarray`.

use ndarray::{ArrayD, ArrayRef, Dimension, IxDyn};

use super::Tensor;
use crate::device::Context;
use crate::element::Element;
use crate::error::{Error, Result};

impl Context {
    /// A tensor with an array's elements, in row-major order.
    ///
    /// # Errors
    /// As [`Context::tensor`].
    pub fn tensor_from_ndarray<T: Element, D: Dimension>(
        &self,
        array: &ArrayRef<T, D>,
    ) -> Result<Tensor> {
        let elements: Vec<T> = array.iter().copied().collect();
        self.tensor(&elements, array.shape())
    }
}

impl Tensor {
    /// The elements as an array, waiting for the device.
    ///
    /// # Errors
    /// As [`Tensor::read_blocking`].
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        let elements = self.read_blocking::<T>()?;
        ArrayD::from_shape_vec(IxDyn(self.shape().extents()), elements)
            .map_err(|e| Error::argument("to_ndarray", e.to_string()))
    }
}
