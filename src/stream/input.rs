//! Arrays that are read a range at a time.

use std::ops::Range;

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::host::HostTensor;
use crate::layout::Layout;
use crate::npy::NpyFile;

/// An array that an expression reads a range at a time, from several threads: an open file, a
/// [`HostTensor`], or an implementation of the caller's.
pub trait Input: Sync {
    /// The name in error messages.
    fn name(&self) -> String;
    /// The type of the elements that [`read`](Self::read) returns.
    fn dtype(&self) -> DType;
    /// Where each element lies, in elements from the first.
    ///
    /// # Errors
    /// [`Error::TooManyElements`].
    fn layout(&self) -> Result<Layout>;
    /// Reads the elements at these positions, little-endian, into `out`, which has their size.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Format`] or [`Error::Argument`] if they cannot be read.
    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<()>;
}

impl Input for NpyFile {
    fn name(&self) -> String {
        self.path().display().to_string()
    }

    fn dtype(&self) -> DType {
        self.header().dtype
    }

    fn layout(&self) -> Result<Layout> {
        self.header().layout()
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<()> {
        self.read_at(positions, out)
    }
}

impl Input for HostTensor {
    fn name(&self) -> String {
        "an array in memory".into()
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn layout(&self) -> Result<Layout> {
        Ok(self.layout.clone())
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<()> {
        let size = self.dtype.size();
        let bytes = self
            .bytes
            .get(positions.start * size..positions.end * size)
            .filter(|b| b.len() == out.len());
        let outside = || format!("elements {positions:?} are not in the array");
        out.copy_from_slice(bytes.ok_or_else(|| Error::argument("read", outside()))?);
        Ok(())
    }
}
