//! `HostTensor`: a tensor in host memory, which can be printed.

mod digits;
mod text;
mod words;

pub use text::ArrayText;

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::shape::Shape;

/// A tensor in host memory: files are read into it, the [reference](crate::reference) computes
/// with it, and [`Context::tensor_from_host`](crate::Context::tensor_from_host) uploads it.
///
/// ```
/// use zerostride::{DType, HostTensor, Layout};
///
/// let rows = HostTensor::new(DType::U8, [2, 3], vec![1, 2, 3, 4, 5, 6])?;
/// assert_eq!(rows.layout.strides(), [3, 1]);
/// // The same bytes, the first axis innermost.
/// let layout = Layout::new([2, 3], vec![1, 2], 0)?;
/// let columns = HostTensor::with_layout(DType::U8, layout, rows.bytes.clone())?;
/// assert_ne!(rows, columns);
/// # Ok::<(), zerostride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostTensor {
    /// Element type.
    pub dtype: DType,
    /// Where each element lies, in elements from the start of `bytes`.
    pub layout: Layout,
    /// Little-endian elements. A bool is one byte; any byte but 0 is true.
    pub bytes: Vec<u8>,
}

impl HostTensor {
    /// A tensor of elements in row-major order without gaps.
    ///
    /// # Errors
    /// - [`Error::Buffer`] if the shape takes another number of bytes
    /// - [`Error::TooManyElements`] if the shape has more elements or bytes than `usize` counts
    pub fn new(dtype: DType, shape: impl Into<Shape>, bytes: Vec<u8>) -> Result<Self> {
        let layout = Layout::contiguous(shape)?;
        let wanted = layout.byte_len(dtype.size())?;
        if bytes.len() != wanted {
            return Err(refused(format!(
                "{} bytes were given for {} {dtype} elements, which take {wanted}",
                bytes.len(),
                layout.len()
            )));
        }
        Ok(Self {
            dtype,
            layout,
            bytes,
        })
    }

    /// A tensor of elements in any order, with or without gaps.
    ///
    /// # Errors
    /// [`Error::Buffer`] if the layout reaches past the bytes.
    pub fn with_layout(dtype: DType, layout: Layout, bytes: Vec<u8>) -> Result<Self> {
        let host = Self {
            dtype,
            layout,
            bytes,
        };
        host.check()?;
        Ok(host)
    }

    /// Checks that the layout stays within the bytes.
    pub(crate) fn check(&self) -> Result<()> {
        Self::check_bytes(self.dtype, &self.layout, self.bytes.len())
    }

    /// Checks that a layout stays within this many bytes.
    pub(crate) fn check_bytes(dtype: DType, layout: &Layout, bytes: usize) -> Result<()> {
        let end = layout.reach().map_or(0, |r| {
            r.end().saturating_add(1).saturating_mul(dtype.size())
        });
        if end <= bytes {
            return Ok(());
        }
        Err(refused(format!(
            "its elements end at byte {end}, {bytes} were given"
        )))
    }

    /// The storage bits of all elements in row-major order, zero-extended.
    pub(crate) fn storage_bits(&self) -> Result<Vec<u64>> {
        self.layout.offsets().map(|at| self.bits(at)).collect()
    }

    /// The storage bits at a position, zero-extended.
    fn bits(&self, at: usize) -> Result<u64> {
        let size = self.dtype.size();
        let Some(bytes) = self.bytes.get(at * size..(at + 1) * size) else {
            let len = self.bytes.len();
            return Err(refused(format!("element {at} lies past its {len} bytes")));
        };
        let highest_first = bytes.iter().rev();
        Ok(highest_first.fold(0, |bits, &b| bits << 8 | u64::from(b)))
    }
}

fn refused(reason: String) -> Error {
    Error::buffer("host tensor", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_that_reaches_past_the_bytes_is_refused() {
        let layout = |offset| Layout::new([2, 2], vec![1, 2], offset).unwrap();
        let host = |offset, bytes| HostTensor::with_layout(DType::U16, layout(offset), bytes);
        let found = host(0, (0..8).collect()).unwrap();
        assert_eq!(found.storage_bits().unwrap(), [0x100, 0x504, 0x302, 0x706]);
        for (offset, bytes) in [(0, 7), (1, 8), (0, 0)] {
            let error = host(offset, vec![0; bytes]).unwrap_err().to_string();
            assert!(error.contains("end at byte"), "{error}");
        }
    }
}
