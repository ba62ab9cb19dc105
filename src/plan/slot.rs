//! What a plan knows of an input or output before anything is decided.

use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::shape::Shape;

/// Elements one invocation owns at a time: a quad of bytes is one word, of halves two, of words a
/// `vec4`.
pub(crate) const QUAD: usize = 4;
/// Elements of 64 bits that one owns at a time on machines whose neighbouring invocations should
/// access 16 bytes each that are neighbours.
pub(crate) const PAIR: usize = 2;

/// How far beyond its elements a buffer may be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Room {
    /// Whole quads, of words if elements are narrower (16 or 32 bytes), may be read and, in an
    /// output, overwritten past the last element: buffers this crate allocates are padded so.
    Padding,
    /// The buffer has this many bytes, and nothing but the elements may be written.
    Bytes(u64),
}

/// What a plan knows of an input or output: its type and where its elements lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Slot {
    /// Element type.
    pub dtype: DType,
    /// Shape, strides and offset, in elements from the buffer's start.
    pub layout: Layout,
    /// How far beyond the elements the buffer may be touched.
    pub room: Room,
}

impl Slot {
    /// Elements in row-major order from the start of a buffer of this crate.
    ///
    /// # Errors
    /// [`Error::TooManyElements`](crate::Error::TooManyElements).
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Result<Self> {
        Ok(Self::padded(dtype, Layout::contiguous(shape)?))
    }

    /// Elements anywhere in a buffer of this crate.
    pub(super) fn padded(dtype: DType, layout: Layout) -> Self {
        Self {
            dtype,
            layout,
            room: Room::Padding,
        }
    }

    /// Elements anywhere in a buffer of `bytes` bytes.
    pub fn wrapped(dtype: DType, layout: Layout, bytes: u64) -> Self {
        Self {
            dtype,
            layout,
            room: Room::Bytes(bytes),
        }
    }

    /// The same buffer, looked at through another layout.
    pub fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Elements that are touched at once: quads, of words if elements are narrower.
    pub(crate) fn quad(&self) -> usize {
        QUAD * elements_a_word(self.dtype) as usize
    }

    /// Bytes of whole quads up to the last element.
    pub(crate) fn quad_bytes(&self) -> u64 {
        let end = self.layout.reach().map_or(0, |r| r.end().saturating_add(1));
        let end = end
            .checked_next_multiple_of(self.quad())
            .unwrap_or(usize::MAX);
        (end as u64).saturating_mul(self.dtype.size() as u64)
    }

    /// Whether so many elements may be stored at a time, the last of which may be padding.
    pub(super) fn holds_units(&self, unit: usize) -> bool {
        self.room == Room::Padding || self.layout.len().is_multiple_of(unit)
    }

    /// Bytes of the buffer that are known to be there.
    pub(super) fn bytes(&self) -> u64 {
        match self.room {
            Room::Bytes(bytes) => bytes,
            Room::Padding => self.quad_bytes(),
        }
    }
}

/// Elements that share a word.
pub(super) fn elements_a_word(dtype: DType) -> u32 {
    (4 / dtype.size() as u32).max(1)
}
