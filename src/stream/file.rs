//! The output file: written by position, whole or in parts.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::{Temporary, write_all_at};
use crate::npy::{NpyFile, encode};
use crate::shape::Shape;

/// A `.npy` file whose elements are written in any order.
pub(super) struct Output {
    file: Kind,
    path: PathBuf,
    /// The first byte of the elements.
    data: u64,
}

enum Kind {
    /// A temporary file, which gets its name at the end.
    Whole(Temporary),
    /// A file that others write too.
    Joined(File),
}

impl Output {
    /// A file that appears under its name when it is finished.
    pub fn whole(path: &Path, dtype: DType, shape: &Shape) -> Result<Self> {
        let file = Temporary::beside(path)?;
        let data = begin(file.as_file(), path, dtype, shape)?;
        Ok(Self {
            file: Kind::Whole(file),
            path: path.into(),
            data,
        })
    }

    /// A file that is there from the start, made by whoever comes first.
    pub fn joined(path: &Path, dtype: DType, shape: &Shape) -> Result<Self> {
        let fail = |e| Error::io(path, e);
        if !path.exists() {
            let file = Temporary::beside(path)?;
            begin(file.as_file(), path, dtype, shape)?;
            file.finish_unless_there()?;
        }
        let bf16 = (dtype == DType::Bf16).then_some(dtype);
        let other = |found: String| {
            let reason = format!(
                "it is there and is no file of parts of this result ({found} instead of {dtype} {shape} in C order); \
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
        let file = OpenOptions::new().write(true).open(path).map_err(fail)?;
        Ok(Self {
            file: Kind::Joined(file),
            path: path.into(),
            data,
        })
    }

    /// Writes bytes of elements, counted from the first element's.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<()> {
        let file = match &self.file {
            Kind::Whole(file) => file.as_file(),
            Kind::Joined(file) => file,
        };
        write_all_at(file, bytes, self.data + at).map_err(|e| Error::io(&self.path, e))
    }

    /// Gives a whole file its name.
    pub fn finish(self) -> Result<()> {
        match self.file {
            Kind::Joined(_) => Ok(()),
            Kind::Whole(file) => file.finish(),
        }
    }
}

/// Writes the header and sets the length; the first byte of the elements.
fn begin(mut file: &File, path: &Path, dtype: DType, shape: &Shape) -> Result<u64> {
    let fail = |e| Error::io(path, e);
    let header = encode(path, dtype, shape)?;
    let bytes = (shape.len()? as u64)
        .checked_mul(dtype.size() as u64)
        .and_then(|n| n.checked_add(header.len() as u64));
    let bytes = bytes.ok_or_else(|| Error::TooManyElements {
        shape: shape.clone(),
        limit: usize::MAX / dtype.size(),
    })?;
    file.write_all(&header).map_err(fail)?;
    file.set_len(bytes).map_err(fail)?;
    Ok(header.len() as u64)
}
