//! The output file: written by position, whole or in parts.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::marks::{self, Head, Marks};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::{Temporary, write_all_at};
use crate::npy::{NpyFile, encode};
use crate::shape::Shape;

/// A `.npy` file, or a file of raw elements, whose elements are written in any order.
pub(super) struct OutputFile {
    file: WrittenFile,
    path: PathBuf,
    /// The first byte of the elements.
    data: u64,
}

enum WrittenFile {
    /// A temporary file, which gets its name at the end.
    Whole(Temporary),
    /// A file that other processes write too.
    Joined(File),
}

impl OutputFile {
    /// A file that appears under its name when it is finished.
    pub fn whole(path: &Path, dtype: DType, shape: &Shape) -> Result<Self> {
        let file = Temporary::beside(path)?;
        let header = match is_raw(path) {
            true => Vec::new(),
            false => encode(path, dtype, shape)?,
        };
        let data = begin(file.as_file(), path, &header, dtype, shape)?;
        Ok(Self {
            file: WrittenFile::Whole(file),
            path: path.into(),
            data,
        })
    }

    /// A file that the first process creates at the start, and the marks of its parts.
    pub fn joined(
        path: &Path,
        dtype: DType,
        shape: &Shape,
        of: usize,
        fingerprint: u64,
    ) -> Result<(Self, Marks)> {
        let head = Head {
            kind: "parts",
            what: format!("{dtype} {shape}"),
            of,
            fingerprint,
            more: 0,
        };
        if is_raw(path) {
            let reason = "a file of raw elements cannot be written in parts; write a .npy file";
            return Err(Error::argument("stream", reason));
        }
        let is_there = path.exists();
        // Nothing is left beside a file that is something else.
        if is_there {
            check(path, dtype, shape)?;
        }
        // There before the file, so that it is never there without marks. Those of a file that was
        // removed are of no use.
        let marks = Marks::open(path, &head, is_there)?;
        if !is_there {
            let file = Temporary::beside(path)?;
            let header = encode(path, dtype, shape)?;
            begin(file.as_file(), path, &header, dtype, shape)?;
            if file.finish_unless_there()? {
                marks.clear()?;
            }
        }
        let data = check(path, dtype, shape)?;
        let file = OpenOptions::new().write(true).open(path);
        let output = Self {
            file: WrittenFile::Joined(file.map_err(|e| Error::io(path, e))?),
            path: path.into(),
            data,
        };
        Ok((output, marks))
    }

    /// Writes bytes of elements, counted from the first element's.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<()> {
        let file = match &self.file {
            WrittenFile::Whole(file) => file.as_file(),
            WrittenFile::Joined(file) => file,
        };
        write_all_at(file, bytes, self.data + at).map_err(|e| Error::io(&self.path, e))
    }

    /// Gives a whole file its name. Marks of an earlier file's parts are no longer true.
    pub fn finish(self) -> Result<()> {
        match self.file {
            WrittenFile::Joined(_) => Ok(()),
            WrittenFile::Whole(file) => {
                file.finish()?;
                marks::remove(&marks::parts_file(&self.path))
            }
        }
    }
}

/// Refuses a file of other elements; returns the position of the first byte of the elements.
fn check(path: &Path, dtype: DType, shape: &Shape) -> Result<u64> {
    let bf16 = (dtype == DType::Bf16).then_some(dtype);
    let other = |found: String| {
        let reason = format!(
            "it exists and does not hold parts of this result ({found} instead of {dtype} {shape} in C order); \
             remove it or name another output"
        );
        Error::format(path, reason)
    };
    let found = NpyFile::open(path, bf16).map_err(|e| match e {
        Error::Format { reason, .. } => other(reason),
        e => e,
    })?;
    let header = found.header();
    let data = encode(path, dtype, shape)?.len() as u64;
    if header.dtype != dtype
        || header.shape != *shape
        || header.fortran
        || header.big_endian
        || header.data_offset != data
    {
        return Err(other(format!("{} {}", header.dtype, header.shape)));
    }
    Ok(data)
}

/// Whether a file of this name has raw elements, without a header.
fn is_raw(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ending.eq_ignore_ascii_case("raw") || ending.eq_ignore_ascii_case("bin")
}

/// Writes the header and sets the length; returns the position of the elements' first byte.
fn begin(mut file: &File, path: &Path, header: &[u8], dtype: DType, shape: &Shape) -> Result<u64> {
    let fail = |e| Error::io(path, e);
    let bytes = (shape.len()? as u64)
        .checked_mul(dtype.size() as u64)
        .and_then(|n| n.checked_add(header.len() as u64));
    let bytes = bytes.ok_or_else(|| Error::TooManyElements {
        shape: shape.clone(),
        limit: usize::MAX / dtype.size(),
    })?;
    file.write_all(header).map_err(fail)?;
    file.set_len(bytes).map_err(fail)?;
    Ok(header.len() as u64)
}
