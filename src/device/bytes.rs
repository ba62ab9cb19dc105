//! Bytes of a buffer, and the parts in which they are read.

use super::buffer::Buffer;

/// Bytes copied by one part of a read. A larger read is several: while the host takes the bytes of
/// one, the device copies the next, and the staging buffers of both are kept for the next read. In
/// a browser each part would wait for a turn of its event loop.
pub(super) const READ_PART: usize = if cfg!(target_family = "wasm") {
    usize::MAX
} else {
    8 << 20
};

/// Bytes of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    pub buffer: &'a Buffer,
    pub start: u64,
    pub len: usize,
}

impl Bytes<'_> {
    /// These bytes in parts; all but the first begin at whole words of the buffer.
    pub fn parts(self) -> impl ExactSizeIterator<Item = Self> {
        let skip = self.skip();
        let end = if self.len == 0 { 0 } else { skip + self.len };
        (0..end.div_ceil(READ_PART)).map(move |n| {
            let from = (n * READ_PART).max(skip);
            let to = end.min(n.saturating_add(1).saturating_mul(READ_PART));
            Self {
                start: self.start + (from - skip) as u64,
                len: to - from,
                ..self
            }
        })
    }

    /// Bytes between the word that they begin in and themselves.
    pub fn skip(&self) -> usize {
        (self.start % 4) as usize
    }
}
