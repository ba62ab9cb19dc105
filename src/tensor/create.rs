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
    /// - [`Error::Buffer`] if the shape has another number of elements
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensor<T: Element>(&self, elements: &[T], shape: impl Into<Shape>) -> Result<Tensor> {
        self.tensor_from_bytes(T::DTYPE, shape, &T::to_bytes(elements))
    }

    /// A tensor with the elements that these little-endian bytes hold, in row-major order.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if the shape takes another number of bytes
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
            return Err(Error::buffer("tensor", reason));
        }
        Ok(self.tensor_on(self.transfers().upload(bytes)?, dtype, layout))
    }

    /// A tensor of this context on a buffer.
    fn tensor_on(&self, buffer: impl Into<Arc<Buffer>>, dtype: DType, layout: Layout) -> Tensor {
        Tensor {
            context: self.clone(),
            buffer: buffer.into(),
            dtype,
            layout,
        }
    }

    /// Uploads a tensor from host memory; the result keeps its layout, so that nothing is
    /// reordered.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if the layout reaches past the bytes
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensor_from_host(&self, host: &HostTensor) -> Result<Tensor> {
        self.tensor_with_layout(host.dtype, host.layout.clone(), &host.bytes)
    }

    /// A tensor whose elements lie in these little-endian bytes as the layout says: in any order,
    /// with or without gaps. All bytes are uploaded.
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
        Ok(self.tensor_on(self.transfers().upload(bytes)?, dtype, layout))
    }

    /// Like [`tensor_with_layout`](Self::tensor_with_layout), for several tensors, each given by
    /// its element type, layout and bytes. Small tensors share a buffer and one upload, since an
    /// upload costs more than its few bytes do.
    ///
    /// ```
    /// # use zerostride::{Context, DType, Layout};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let row = || Layout::contiguous([3]);
    /// let both = [(DType::U8, row()?, &[1u8, 2, 3][..]), (DType::U8, row()?, &[4, 5, 6])];
    /// let tensors = context.tensors_with_layouts(&both)?;
    /// assert_eq!(tensors[0].add(&tensors[1])?.read_blocking::<u8>()?, [5, 7, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Buffer`] if a layout reaches past its bytes
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn tensors_with_layouts(&self, all: &[(DType, Layout, &[u8])]) -> Result<Vec<Tensor>> {
        /// Bytes up to which tensors share an upload.
        const SHARED: usize = 64 << 10;
        /// Bindings begin at multiples of this on every adapter.
        const APART: usize = 256;

        for (dtype, layout, bytes) in all {
            HostTensor::check_bytes(*dtype, layout, bytes.len())?;
        }
        let place = |at: usize, bytes: &[u8]| at + bytes.len().next_multiple_of(APART);
        let total = all.iter().fold(0, |at, (_, _, bytes)| place(at, bytes));
        if all.len() < 2 || total > SHARED {
            let each = all.iter().map(|(dtype, layout, bytes)| {
                self.tensor_with_layout(*dtype, layout.clone(), bytes)
            });
            return each.collect();
        }
        let mut joined = Vec::with_capacity(total);
        let mut begins = Vec::with_capacity(all.len());
        for (_, _, bytes) in all {
            begins.push(joined.len());
            joined.extend_from_slice(bytes);
            joined.resize(place(begins[begins.len() - 1], bytes), 0);
        }
        let buffer = Arc::new(self.transfers().upload(&joined)?);
        let tensor = |((dtype, layout, _), begin): (&(DType, Layout, &[u8]), usize)| {
            let layout = Layout::new(
                layout.shape().clone(),
                layout.strides().to_vec(),
                layout.offset() + begin / dtype.size(),
            )?;
            Ok(self.tensor_on(Arc::clone(&buffer), *dtype, layout))
        };
        all.iter().zip(begins).map(tensor).collect()
    }

    /// A tensor with uninitialised elements, as an output for [`encode`](Self::encode). Until they
    /// are written, their values are undefined.
    ///
    /// # Errors
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn empty(&self, dtype: DType, shape: impl Into<Shape>) -> Result<Tensor> {
        let layout = Layout::contiguous(shape)?;
        let bytes = layout.byte_len(dtype.size())? as u64;
        Ok(self.tensor_on(self.allocate(bytes)?, dtype, layout))
    }

    /// Wraps the caller's buffer as a tensor. `layout` counts elements from the buffer's start, and
    /// its offset may be any element. The context neither copies nor reuses the buffer, and writes
    /// nothing but the elements.
    ///
    /// Operators on it are recorded, not submitted: call [`flush`](Self::flush) before you write
    /// the buffer again, so that they see the elements as they were. Work on the buffer that this
    /// context records or [encodes](Self::encode) keeps its order, even if several tensors wrap the
    /// buffer.
    ///
    /// The buffer must belong to this context's device. A buffer of another device of the same wgpu
    /// instance is an error when it is used; wgpu cannot recognise buffers of another instance, and
    /// may confuse them with others or panic.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if the buffer lacks usage `STORAGE`, or the layout reaches past its last
    ///   whole word
    /// - [`Error::DeviceLost`]; [`Error::Wgpu`] for an error that an earlier call left
    pub fn wrap(&self, buffer: &wgpu::Buffer, dtype: DType, layout: Layout) -> Result<Tensor> {
        self.check()?;
        let fail = |reason: String| Err(Error::buffer("wrapped buffer", reason));
        if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            return fail(format!(
                "it has the usages {:?}; create it with STORAGE",
                buffer.usage()
            ));
        }
        let size = dtype.size() as u64;
        let end = layout.reach().map_or(0, |r| {
            (*r.end() as u64).saturating_add(1).saturating_mul(size)
        });
        let words_end = end.checked_next_multiple_of(4);
        if words_end.is_none_or(|end| end > buffer.size()) {
            return fail(format!(
                "its elements end at byte {end}, past the whole 4-byte words of a buffer of {} bytes",
                buffer.size()
            ));
        }
        Ok(self.tensor_on(self.foreign(buffer), dtype, layout))
    }
}
