//! Elements that a run computes before the result: those of a reduction, in memory or in a
//! temporary file, or the lanes of a reduction's parts, in the file that the parts share.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::input::Input;
use super::marks::Marks;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::{Temporary, read_exact_at, write_all_at};
use crate::layout::Layout;
use crate::shape::Shape;

/// Elements in row-major order.
pub(super) struct Store<'a> {
    dtype: DType,
    layout: Layout,
    bytes: Bytes<'a>,
}

enum Bytes<'a> {
    Memory(Vec<u8>),
    /// A file that is removed when it is dropped, beside the output.
    File(Temporary, PathBuf),
    /// A file of parts, behind the marks.
    Shared(&'a Marks),
}

impl<'a> Store<'a> {
    /// Room for elements: in memory, or on disk `beside` a file.
    pub fn new(dtype: DType, shape: &Shape, beside: Option<&Path>) -> Result<Self> {
        let layout = Layout::contiguous(shape)?;
        let len = layout.byte_len(dtype.size())?;
        let bytes = match beside {
            None => Bytes::Memory(zeros(len, "a result of a reduction")?),
            Some(path) => {
                let file = Temporary::beside(path)?;
                let made = file.as_file().set_len(len as u64);
                made.map_err(|e| Error::io(path, e))?;
                Bytes::File(file, path.into())
            }
        };
        Ok(Self {
            dtype,
            layout,
            bytes,
        })
    }

    /// The elements in a file that parts share.
    pub fn shared(dtype: DType, shape: &Shape, marks: &'a Marks) -> Result<Self> {
        Ok(Self {
            dtype,
            layout: Layout::contiguous(shape)?,
            bytes: Bytes::Shared(marks),
        })
    }

    /// Writes elements from this one on.
    pub fn write(&mut self, element: usize, bytes: &[u8]) -> Result<()> {
        let at = element * self.dtype.size();
        match &mut self.bytes {
            Bytes::Memory(all) => {
                let own = all.get_mut(at..at.saturating_add(bytes.len()));
                own.ok_or_else(|| outside(element))?.copy_from_slice(bytes);
                Ok(())
            }
            Bytes::File(file, path) => {
                write_all_at(file.as_file(), bytes, at as u64).map_err(|e| Error::io(&*path, e))
            }
            Bytes::Shared(marks) => marks.write(bytes, marks.end() + at as u64),
        }
    }
}

impl Input for Store<'_> {
    fn name(&self) -> String {
        match &self.bytes {
            Bytes::Shared(marks) => marks.path.display().to_string(),
            _ => "the result of a reduction".into(),
        }
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn layout(&self) -> Result<Layout> {
        Ok(self.layout.clone())
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<()> {
        let at = positions.start * self.dtype.size();
        match &self.bytes {
            Bytes::Memory(all) => {
                let own = all.get(at..at.saturating_add(out.len()));
                out.copy_from_slice(own.ok_or_else(|| outside(positions.start))?);
                Ok(())
            }
            Bytes::File(file, path) => {
                read_exact_at(file.as_file(), out, at as u64).map_err(|e| Error::io(path, e))
            }
            Bytes::Shared(marks) => marks.read(out, marks.end() + at as u64),
        }
    }
}

fn outside(element: usize) -> Error {
    let reason = format!("elements from {element} on are not in the result of a reduction");
    Error::argument("stream", reason)
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
