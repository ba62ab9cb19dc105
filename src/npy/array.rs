//! An array that was read.

use super::header::Header;
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;

/// The contents of a `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The element type.
    pub dtype: DType,
    /// The shape, and the strides of the file's order: row-major, or the first axis innermost.
    pub layout: Layout,
    /// The elements in the file's order, little-endian. The bytes of a bool are kept as they are.
    pub bytes: Vec<u8>,
}

impl Array {
    /// The array that a header and the bytes behind it describe; the lengths have been compared.
    pub(super) fn new(header: &Header, mut bytes: Vec<u8>) -> Result<Self> {
        to_little_endian(header, &mut bytes);
        let layout = header.layout()?;
        Ok(Self {
            dtype: header.dtype,
            layout,
            bytes,
        })
    }
}

/// Turns whole elements as the file has them into little-endian ones.
pub(super) fn to_little_endian(header: &Header, bytes: &mut [u8]) {
    if header.big_endian {
        bytes
            .chunks_exact_mut(header.dtype.size())
            .for_each(<[u8]>::reverse);
    }
}
