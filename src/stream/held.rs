//! The result of a reduction that is computed before others: in memory, or in a temporary file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::input::Input;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::{Temporary, read_exact_at, write_all_at};
use crate::layout::Layout;
use crate::shape::Shape;

/// Elements in row-major order.
pub(super) struct Held {
    dtype: DType,
    layout: Layout,
    elements: Elements,
}

enum Elements {
    Memory(Vec<u8>),
    /// A file that is removed when it is dropped, beside the output.
    File(Temporary, PathBuf),
}

impl Held {
    /// Room for elements: in memory, or on disk `beside` a file.
    pub fn new(dtype: DType, shape: &Shape, beside: Option<&Path>) -> Result<Self> {
        let layout = Layout::contiguous(shape)?;
        let bytes = layout.byte_len(dtype.size())?;
        let elements = match beside {
            None => Elements::Memory(zeros(bytes, "a result of a reduction")?),
            Some(path) => {
                let file = Temporary::beside(path)?;
                let made = file.as_file().set_len(bytes as u64);
                made.map_err(|e| Error::io(path, e))?;
                Elements::File(file, path.into())
            }
        };
        Ok(Self {
            dtype,
            layout,
            elements,
        })
    }

    /// Writes bytes of elements, counted from the first element's.
    pub fn write(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        match &mut self.elements {
            Elements::Memory(all) => {
                let len = all.len();
                let own = all.get_mut(at..at.saturating_add(bytes.len()));
                let own = own.ok_or_else(|| {
                    let reason = format!("{} bytes from {at} are not in {len}", bytes.len());
                    Error::argument("stream", reason)
                })?;
                own.copy_from_slice(bytes);
                Ok(())
            }
            Elements::File(file, path) => {
                write_all_at(file.as_file(), bytes, at as u64).map_err(|e| Error::io(&*path, e))
            }
        }
    }
}

impl Input for Held {
    fn name(&self) -> String {
        "the result of a reduction".into()
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn layout(&self) -> Result<Layout> {
        Ok(self.layout.clone())
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<()> {
        let at = positions.start * self.dtype.size();
        match &self.elements {
            Elements::Memory(all) => match all.get(at..at.saturating_add(out.len())) {
                Some(own) => {
                    out.copy_from_slice(own);
                    Ok(())
                }
                None => {
                    let reason = format!("elements {positions:?} are not in the result");
                    Err(Error::argument("read", reason))
                }
            },
            Elements::File(file, path) => {
                read_exact_at(file.as_file(), out, at as u64).map_err(|e| Error::io(path, e))
            }
        }
    }
}

/// Bytes of zeros, if there is memory for them.
pub(super) fn zeros(len: usize, what: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(len)
        .map_err(|_| Error::OutOfMemory {
            what: what.into(),
            bytes: len as u64,
        })?;
    bytes.resize(len, 0);
    Ok(bytes)
}
