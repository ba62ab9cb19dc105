//! A `.npy` file that is read by position.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::header::Header;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::read_exact_at;
use crate::host::HostTensor;
use crate::message::{self, count};

/// An open `.npy` file, whose header and length have been checked.
#[derive(Debug)]
pub struct NpyFile {
    file: File,
    path: PathBuf,
    header: Header,
}

impl NpyFile {
    /// Opens a file and checks its header and length; the data are not read. `dtype` is as in
    /// [`Header::read`].
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Format`] if the file is not a `.npy` file, is truncated, or
    /// goes on after the array.
    pub fn open(path: impl AsRef<Path>, dtype: Option<DType>) -> Result<Self> {
        let path = path.as_ref();
        let file = open(path)?;
        let header = Header::read(BufReader::new(&file), path, dtype)?;
        let len = file.metadata().map_err(|e| Error::io(path, e))?.len();
        header.check_len(len, path)?;
        Ok(Self {
            file,
            path: path.to_owned(),
            header,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The path that the file was opened with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a range of elements, counted in the file's order, into `out`, little-endian.
    ///
    /// # Errors
    /// [`Error::Argument`] if the range is outside the array or `out` is not as long as the
    /// range's elements; [`Error::Io`] if reading fails.
    pub fn read_at(&self, elements: Range<usize>, out: &mut [u8]) -> Result<()> {
        let size = self.header.dtype.size();
        let len = self.header.shape.len()?;
        let Range { start, end } = elements;
        let fail = |reason: String| Error::argument("read_at", reason);
        if start > end || end > len {
            let path = message::path(&self.path);
            return Err(fail(format!(
                "elements {start}..{end} are not within the {len} of {path}"
            )));
        }
        if out.len() != (end - start) * size {
            let takes = count((end - start) * size, "byte");
            return Err(fail(format!(
                "elements {start}..{end} take {takes}, but `out` has {}",
                out.len()
            )));
        }
        let from = self.header.data_offset + (start * size) as u64;
        read_exact_at(&self.file, out, from).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => {
                Error::format(&self.path, "the file was shortened while it was read")
            }
            _ => Error::io(&self.path, e),
        })?;
        self.header.to_little_endian(out);
        Ok(())
    }

    /// Reads the whole array.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails or memory does not suffice.
    pub fn read_all(&self) -> Result<HostTensor> {
        let len = self.header.shape.len()?;
        let mut bytes = reserve(&self.header, &self.path)?;
        bytes.resize(len * self.header.dtype.size(), 0);
        self.read_at(0..len, &mut bytes)?;
        HostTensor::with_layout(self.header.dtype, self.header.layout()?, bytes)
    }
}

/// Opens a regular file.
pub(super) fn open(path: &Path) -> Result<File> {
    let fail = |e| Error::io(path, e);
    // Asked before opening: opening a pipe would wait for its writer.
    if !fs::metadata(path).map_err(fail)?.is_file() {
        return Err(Error::format(path, "not a regular file"));
    }
    File::open(path).map_err(fail)
}

/// Reads a `.npy` file from a pipe, or another source that cannot be read by position. Memory is
/// allocated for the bytes that arrive, not for those that the header promises. `path` is only for
/// errors; `dtype` is as in [`Header::read`].
///
/// # Errors
/// [`Error::Format`] if the source is not a `.npy` file, ends early, or goes on after the array;
/// [`Error::Io`] if reading fails.
pub fn read_from(mut reader: impl Read, path: &Path, dtype: Option<DType>) -> Result<HostTensor> {
    let header = Header::read(&mut reader, path, dtype)?;
    let mut bytes = Vec::new();
    // One byte more shows whether the stream goes on.
    reader
        .take(header.byte_len().saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| Error::io(path, e))?;
    header.check_streamed(bytes.len() as u64, path)?;
    header.host_tensor(bytes)
}

/// Allocates memory for an array's bytes.
pub(super) fn reserve(header: &Header, path: &Path) -> Result<Vec<u8>> {
    let none = |_| {
        let reason = format!("no memory for {}", count(header.byte_len(), "byte"));
        Error::io(path, io::Error::new(ErrorKind::OutOfMemory, reason))
    };
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(header.shape.len()? * header.dtype.size())
        .map_err(none)?;
    Ok(bytes)
}
