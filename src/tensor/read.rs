//! Elements of tensors, back in host memory.

use super::Tensor;
use crate::device::Bytes;
use crate::element::Element;
use crate::error::{Error, Result};

impl Tensor {
    /// The elements in row-major order. Runs under any executor.
    ///
    /// # Errors
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub async fn read<T: Element>(&self) -> Result<Vec<T>> {
        self.check_element::<T>()?;
        Ok(T::from_bytes(&self.read_bytes().await?))
    }

    /// [`read`](Self::read), waiting for it.
    ///
    /// # Errors
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub fn read_blocking<T: Element>(&self) -> Result<Vec<T>> {
        self.check_element::<T>()?;
        Ok(T::from_bytes(&self.read_bytes_blocking()?))
    }

    /// The elements' bytes in row-major order. Runs under any executor.
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub async fn read_bytes(&self) -> Result<Vec<u8>> {
        let tensor = self.contiguous()?;
        tensor.context.read(tensor.bytes()?).await
    }

    /// [`read_bytes`](Self::read_bytes), waiting for it.
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub fn read_bytes_blocking(&self) -> Result<Vec<u8>> {
        let tensor = self.contiguous()?;
        tensor.context.read_blocking(tensor.bytes()?)
    }

    /// Submits a read of the elements, which [`Context::finish_read`] waits for.
    #[cfg(feature = "stream")]
    pub(crate) fn start_read(&self) -> Result<crate::device::PendingRead> {
        let tensor = self.contiguous()?;
        tensor.context.start_read(tensor.bytes()?)
    }

    /// This tensor, or a contiguous copy of it, whose buffer can be copied from.
    fn contiguous(&self) -> Result<Self> {
        let usage = self.buffer.raw().usage();
        let copyable = usage.contains(wgpu::BufferUsages::COPY_SRC);
        if self.is_empty() || (self.layout.is_contiguous() && copyable) {
            Ok(self.clone())
        } else {
            self.materialize()
        }
    }

    /// The bytes of its elements, which are contiguous.
    fn bytes(&self) -> Result<Bytes<'_>> {
        let size = self.dtype.size();
        Ok(Bytes {
            buffer: &self.buffer,
            start: (self.layout.offset() * size) as u64,
            len: self.layout.byte_len(size)?,
        })
    }

    fn check_element<T: Element>(&self) -> Result<()> {
        if T::DTYPE == self.dtype {
            return Ok(());
        }
        Err(Error::DType {
            op: "read".into(),
            operand: 0,
            dtype: self.dtype,
            accepts: T::DTYPE.to_string(),
        })
    }
}
