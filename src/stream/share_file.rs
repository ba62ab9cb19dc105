//! The file that parts of a reduction write their lanes into: beside the output, under its name and
//! `.lanes`.
//!
//! It begins with a line that says what it holds, and a byte for each part: 1 if the part is
//! written. The lanes follow. Whoever comes first makes the file; who finds all parts written joins
//! them.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Input;
use super::shared::Shared;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::{Temporary, read_exact_at, write_all_at};
use crate::layout::Layout;
use crate::message;

/// Where lanes begin is a multiple of this.
const ALIGNED: usize = 64;

/// An open file of lanes.
pub(super) struct ShareFile {
    file: File,
    path: PathBuf,
    dtype: DType,
    layout: Layout,
    /// Where the parts' bytes begin, and how many there are.
    parts: Range<u64>,
    /// Where the lanes begin.
    data: u64,
}

/// The name of the file beside an output.
pub(super) fn beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".lanes");
    name.into()
}

impl ShareFile {
    /// The file of a reduction's lanes, made if it is not there.
    pub fn open(output: &Path, shared: &Shared) -> Result<Self> {
        let path = beside(output);
        let fail = |e| Error::io(&path, e);
        let layout = Layout::contiguous(&shared.lanes)?;
        let bytes = layout.byte_len(shared.dtype.size())? as u64;
        let mut line = format!(
            "zerostride lanes 1: {} {} of {} parts, expression {:016x}",
            shared.dtype, shared.lanes, shared.of, shared.fingerprint
        );
        line += &" ".repeat((line.len() + 1).next_multiple_of(ALIGNED) - line.len() - 1);
        line.push('\n');
        let parts = line.len() as u64..(line.len() + shared.of) as u64;
        let data = parts.end.next_multiple_of(ALIGNED as u64);
        if !path.exists() {
            let made = Temporary::beside(&path)?;
            let mut file = made.as_file();
            file.write_all(line.as_bytes()).map_err(fail)?;
            file.set_len(data + bytes).map_err(fail)?;
            made.finish_unless_there()?;
        }
        let other = || {
            let reason = format!(
                "it is there and holds no parts of this reduction, or of another number of them; remove it, or name \
                 another output than {}",
                message::path(output)
            );
            Error::format(&path, reason)
        };
        let meta = std::fs::metadata(&path).map_err(fail)?;
        if !meta.is_file() || meta.len() != data + bytes {
            return Err(other());
        }
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(fail)?;
        let mut found = vec![0; line.len()];
        read_exact_at(&file, &mut found, 0).map_err(fail)?;
        if found != line.as_bytes() {
            return Err(other());
        }
        Ok(Self {
            file,
            path,
            dtype: shared.dtype,
            layout,
            parts,
            data,
        })
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> Result<()> {
        write_all_at(&self.file, bytes, at).map_err(|e| Error::io(&self.path, e))
    }

    /// Says that a part is written, or that it is not.
    pub fn mark(&self, part: usize, is_written: bool) -> Result<()> {
        self.write_at(&[u8::from(is_written)], self.parts.start + part as u64)
    }

    /// The parts that are not written.
    pub fn missing(&self) -> Result<Vec<usize>> {
        let mut written = vec![0; (self.parts.end - self.parts.start) as usize];
        let found = read_exact_at(&self.file, &mut written, self.parts.start);
        found.map_err(|e| Error::io(&self.path, e))?;
        let parts = written.iter().enumerate();
        Ok(parts.filter(|(_, b)| **b != 1).map(|(k, _)| k).collect())
    }

    /// Writes the lanes of rows, from the first of them among those of all chunks.
    pub fn write(&self, row: usize, bytes: &[u8]) -> Result<()> {
        let lanes = self.layout.shape().extents().last().copied().unwrap_or(1);
        self.write_at(bytes, self.data + (row * lanes * self.dtype.size()) as u64)
    }

    /// Removes the file, whose parts are joined.
    pub fn remove(self) -> Result<()> {
        drop(self.file);
        match std::fs::remove_file(&self.path) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(&self.path, e)),
            _ => Ok(()),
        }
    }
}

impl Input for ShareFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn layout(&self) -> Result<Layout> {
        Ok(self.layout.clone())
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<()> {
        let at = self.data + (positions.start * self.dtype.size()) as u64;
        read_exact_at(&self.file, out, at).map_err(|e| Error::io(&self.path, e))
    }
}
