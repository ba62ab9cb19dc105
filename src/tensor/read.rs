//! Reads of tensors to host memory.

use super::Tensor;
use crate::device::Bytes;
#[cfg(not(target_family = "wasm"))]
use crate::device::{Context, PendingRead};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::host::HostTensor;

impl Tensor {
    /// Reads the elements in row-major order. Runs under any executor.
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
        let tensor = self.contiguous()?;
        tensor.context.transfers().read(tensor.bytes()?).await
    }

    /// The blocking version of [`read`](Self::read).
    ///
    /// # Errors
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    #[cfg(not(target_family = "wasm"))]
    pub fn read_blocking<T: Element>(&self) -> Result<Vec<T>> {
        self.check_element::<T>()?;
        let tensor = self.contiguous()?;
        tensor.context.transfers().read_blocking(tensor.bytes()?)
    }

    /// Reads the elements' bytes in row-major order. Runs under any executor.
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub async fn read_bytes(&self) -> Result<Vec<u8>> {
        let tensor = self.contiguous()?;
        tensor.context.transfers().read(tensor.bytes()?).await
    }

    /// The blocking version of [`read_bytes`](Self::read_bytes).
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    #[cfg(not(target_family = "wasm"))]
    pub fn read_bytes_blocking(&self) -> Result<Vec<u8>> {
        let tensor = self.contiguous()?;
        tensor.context.transfers().read_blocking(tensor.bytes()?)
    }

    /// Reads the tensor to host memory, in row-major order. Runs under any executor.
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub async fn to_host(&self) -> Result<HostTensor> {
        HostTensor::new(self.dtype, self.shape(), self.read_bytes().await?)
    }

    /// The blocking version of [`to_host`](Self::to_host). The result prints as NumPy's arrays do.
    ///
    /// ```
    /// # use zerostride::Context;
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[0.5f32, 1.0, -1.0, 2.0], [2, 2])?;
    /// assert_eq!(x.to_host_blocking()?.to_string(), "[[ 0.5  1. ]\n [-1.   2. ]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    #[cfg(not(target_family = "wasm"))]
    pub fn to_host_blocking(&self) -> Result<HostTensor> {
        HostTensor::new(self.dtype, self.shape(), self.read_bytes_blocking()?)
    }

    /// Reads the only element. Runs under any executor.
    ///
    /// # Errors
    /// - [`Error::Argument`] unless the tensor has exactly one element
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub async fn item<T: Element>(&self) -> Result<T> {
        self.check_item::<T>()?;
        self.only(self.read::<T>().await?)
    }

    /// The blocking version of [`item`](Self::item).
    ///
    /// # Errors
    /// - [`Error::Argument`] unless the tensor has exactly one element
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    #[cfg(not(target_family = "wasm"))]
    pub fn item_blocking<T: Element>(&self) -> Result<T> {
        self.check_item::<T>()?;
        self.only(self.read_blocking::<T>()?)
    }

    /// Refuses a tensor without exactly one element before anything is read.
    fn check_item<T: Element>(&self) -> Result<()> {
        self.check_element::<T>()?;
        match self.len() {
            1 => Ok(()),
            n => Err(Error::argument(
                "item",
                format!(
                    "shape {} has {n} elements, not one; use read for all",
                    self.shape()
                ),
            )),
        }
    }

    fn only<T: Element>(&self, elements: Vec<T>) -> Result<T> {
        let reason = || Error::argument("item", "the read gave no element");
        elements.first().copied().ok_or_else(reason)
    }

    /// Submits a read of the elements, which `Transfers::finish_read` waits for.
    #[cfg(feature = "files")]
    pub(crate) fn start_read(&self) -> Result<crate::device::PendingRead> {
        let tensor = self.contiguous()?;
        tensor.context.transfers().start_read(tensor.bytes()?)
    }

    /// Submits a read of the elements' bytes in row-major order, for callers that neither wait nor
    /// have an executor: a loop that does other work calls [`PendingBytes::try_take`] now and then.
    ///
    /// ```
    /// # use zerostride::Context;
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1u8, 2, 3], [3])?;
    /// let mut read = (&x + &x).eval()?.start_read_bytes()?;
    /// let bytes = loop {
    ///     if let Some(bytes) = read.try_take()? {
    ///         break bytes;
    ///     }
    ///     // Draw a frame, look at signals.
    ///     std::thread::yield_now();
    /// };
    /// assert_eq!(bytes, [2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the device, or because
    ///   the work that computes the elements failed
    #[cfg(not(target_family = "wasm"))]
    pub fn start_read_bytes(&self) -> Result<PendingBytes> {
        let tensor = self.contiguous()?;
        let state = match tensor.is_empty() {
            true => State::Empty,
            false => State::Pending(tensor.context.transfers().start_read(tensor.bytes()?)?),
        };
        Ok(PendingBytes {
            context: tensor.context,
            state,
        })
    }

    /// This tensor, or a contiguous copy of it, whose buffer can be copied from.
    fn contiguous(&self) -> Result<Self> {
        let usage = self.buffer.raw.usage();
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

/// A pending read, from [`Tensor::start_read_bytes`]. Dropping it discards the bytes.
#[cfg(not(target_family = "wasm"))]
pub struct PendingBytes {
    context: Context,
    state: State,
}

#[cfg(not(target_family = "wasm"))]
enum State {
    Empty,
    Pending(PendingRead),
    Taken,
}

#[cfg(not(target_family = "wasm"))]
impl PendingBytes {
    /// Returns the bytes if they have arrived: polls the device once and does not wait.
    ///
    /// # Errors
    /// - [`Error::Argument`] if they were taken before
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Wgpu`], [`Error::DeviceLost`] from the device
    pub fn try_take(&mut self) -> Result<Option<Vec<u8>>> {
        let found = match &self.state {
            State::Empty => Some(Vec::new()),
            State::Pending(read) => self.context.transfers().try_finish(read)?,
            State::Taken => return Err(Error::argument("read", "its bytes were taken before")),
        };
        if found.is_some() {
            self.state = State::Taken;
        }
        Ok(found)
    }
}

#[cfg(not(target_family = "wasm"))]
impl std::fmt::Debug for PendingBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = match self.state {
            State::Empty | State::Pending(_) => "under way",
            State::Taken => "taken",
        };
        write!(f, "PendingBytes({state})")
    }
}

/// Reads that compute the expression first.
impl Expr<Tensor> {
    /// Computes this expression and reads its elements in row-major order.
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval) and of [`Tensor::read`].
    pub async fn read<T: Element>(&self) -> Result<Vec<T>> {
        self.eval()?.read::<T>().await
    }

    /// The blocking version of [`read`](Self::read).
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval) and of [`Tensor::read_blocking`].
    #[cfg(not(target_family = "wasm"))]
    pub fn read_blocking<T: Element>(&self) -> Result<Vec<T>> {
        self.eval()?.read_blocking::<T>()
    }

    /// Computes this expression and reads its only element.
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval) and of [`Tensor::item`].
    pub async fn item<T: Element>(&self) -> Result<T> {
        self.eval()?.item::<T>().await
    }

    /// The blocking version of [`item`](Self::item).
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval) and of [`Tensor::item_blocking`].
    #[cfg(not(target_family = "wasm"))]
    pub fn item_blocking<T: Element>(&self) -> Result<T> {
        self.eval()?.item_blocking::<T>()
    }

    /// Computes this expression and reads the result to host memory.
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval) and of [`Tensor::to_host`].
    pub async fn to_host(&self) -> Result<HostTensor> {
        self.eval()?.to_host().await
    }

    /// The blocking version of [`to_host`](Self::to_host).
    ///
    /// # Errors
    /// Those of [`eval`](Self::eval) and of [`Tensor::to_host_blocking`].
    #[cfg(not(target_family = "wasm"))]
    pub fn to_host_blocking(&self) -> Result<HostTensor> {
        self.eval()?.to_host_blocking()
    }
}
