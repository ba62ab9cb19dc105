//! Tensors from elements, bytes and the caller's buffers.

use std::sync::Arc;

use super::Tensor;
use crate::device::{Buffer, Context};
use crate::dtype::DType;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::host::HostTensor;
use crate::layout::Layout;
use crate::shape::Shape;

impl Context {
    /// A tensor with these elements in row-major order.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if their number is not that of the shape
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensor<T: Element>(&self, elements: &[T], shape: impl Into<Shape>) -> Result<Tensor> {
        self.tensor_from_bytes(T::DTYPE, shape, &T::to_bytes(elements))
    }

    /// A tensor with the elements that these little-endian bytes hold, in row-major order.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if their number is not that of the shape
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensor_from_bytes(
        &self,
        dtype: DType,
        shape: impl Into<Shape>,
        bytes: &[u8],
    ) -> Result<Tensor> {
        let layout = Layout::contiguous(shape)?;
        let wanted = layout.byte_len(dtype.size())?;
        if bytes.len() != wanted {
            let reason = format!(
                "{} bytes were given for shape {} of {dtype}, which takes {wanted}",
                bytes.len(),
                layout.shape()
            );
            return Err(Error::Buffer {
                operand: "tensor".into(),
                reason,
            });
        }
        let buffer = Arc::new(self.upload(bytes)?);
        Ok(Tensor {
            context: self.clone(),
            buffer,
            dtype,
            layout,
        })
    }

    /// A tensor with the elements of a tensor in host memory; its layout is kept, so that nothing
    /// is reordered.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if the layout reaches past the bytes
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensor_from_host(&self, host: &HostTensor) -> Result<Tensor> {
        self.tensor_with_layout(host.dtype, host.layout.clone(), &host.bytes)
    }

    /// A tensor with elements that lie in these little-endian bytes as the layout says: in any
    /// order, with or without gaps. All bytes are uploaded.
    ///
    /// ```
    /// # use zerostride::{Context, DType, Layout};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// // Two rows whose first axis is innermost.
    /// let columns = Layout::new([2, 3], vec![1, 2], 0)?;
    /// let x = context.tensor_with_layout(DType::U8, columns, &[1, 4, 2, 5, 3, 6])?;
    /// assert_eq!(x.read_blocking::<u8>()?, [1, 2, 3, 4, 5, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Buffer`] if the layout reaches past the bytes
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensor_with_layout(&self, dtype: DType, layout: Layout, bytes: &[u8]) -> Result<Tensor> {
        HostTensor::check_bytes(dtype, &layout, bytes.len())?;
        Ok(Tensor {
            context: self.clone(),
            buffer: Arc::new(self.upload(bytes)?),
            dtype,
            layout,
        })
    }

    /// A tensor whose elements are not set: an output for [`encode`](Self::encode). What they are
    /// before they are written is not defined.
    ///
    /// # Errors
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn empty(&self, dtype: DType, shape: impl Into<Shape>) -> Result<Tensor> {
        let layout = Layout::contiguous(shape)?;
        let bytes = layout.byte_len(dtype.size())? as u64;
        let buffer = Arc::new(self.allocate(bytes)?);
        Ok(Tensor {
            context: self.clone(),
            buffer,
            dtype,
            layout,
        })
    }

    /// The caller's buffer as a tensor; `layout` counts elements from the buffer's start and may
    /// begin at any of them. The buffer is neither copied nor ever reused, and nothing but the
    /// elements is written.
    ///
    /// Operators on it are recorded, not submitted: before the caller writes the buffer again,
    /// [`flush`](Self::flush) what was to see the elements as they are. What this context records
    /// and [encodes](Self::encode) keeps its order by the buffer, in whichever of its tensors it is
    /// wrapped.
    ///
    /// It must be a buffer of this context's device. One of another device of the same wgpu
    /// instance is an error when it is used; wgpu cannot tell buffers of another instance, and may
    /// take them for others or panic.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if the buffer lacks usage `STORAGE`, or the layout reaches past its last
    ///   whole word
    /// - [`Error::DeviceLost`]; [`Error::Wgpu`] for an error that an earlier call left
    pub fn wrap(&self, buffer: &wgpu::Buffer, dtype: DType, layout: Layout) -> Result<Tensor> {
        self.check()?;
        let fail = |reason: String| {
            Err(Error::Buffer {
                operand: "wrapped buffer".into(),
                reason,
            })
        };
        if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            return fail(format!(
                "it has the usages {:?}; create it with STORAGE",
                buffer.usage()
            ));
        }
        let size = dtype.size() as u64;
        let end = layout
            .reach()
            .map(|r| (*r.end() as u64).saturating_add(1).saturating_mul(size));
        if let Some(end) = end
            && end
                .checked_next_multiple_of(4)
                .is_none_or(|end| end > buffer.size())
        {
            return fail(format!(
                "its elements end at byte {end}, the buffer has {} bytes, of which whole words can be bound",
                buffer.size()
            ));
        }
        Ok(Tensor {
            context: self.clone(),
            buffer: Arc::new(Buffer::foreign(buffer.clone())),
            dtype,
            layout,
        })
    }
}
