//! The file that parts of a reduction write their lanes into: [`Marks`] beside the output, and the
//! lanes behind them. Who finds all parts written joins them.

use std::ops::Range;
use std::path::Path;

use super::input::Input;
use super::marks::{Head, Marks};
use super::shared::SharedReduction;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::{read_exact_at, write_all_at};
use crate::layout::Layout;

/// An open file of lanes.
pub(super) struct ShareFile {
    pub marks: Marks,
    dtype: DType,
    layout: Layout,
}

impl ShareFile {
    /// The file of a reduction's lanes, made if it is not there.
    pub fn open(output: &Path, shared: &SharedReduction) -> Result<Self> {
        let layout = Layout::contiguous(&shared.lanes)?;
        let head = Head {
            kind: "lanes",
            what: format!("{} {}", shared.dtype, shared.lanes),
            of: shared.of,
            fingerprint: shared.fingerprint,
            more: layout.byte_len(shared.dtype.size())? as u64,
        };
        Ok(Self {
            marks: Marks::open(output, &head, true)?,
            dtype: shared.dtype,
            layout,
        })
    }

    /// Writes the lanes of rows, from the first of them among those of all chunks.
    pub fn write(&self, row: usize, bytes: &[u8]) -> Result<()> {
        let lanes = self.layout.shape().extents().last().copied().unwrap_or(1);
        let at = self.marks.end() + (row * lanes * self.dtype.size()) as u64;
        write_all_at(&self.marks.file, bytes, at).map_err(|e| Error::io(&self.marks.path, e))
    }
}

impl Input for ShareFile {
    fn name(&self) -> String {
        self.marks.path.display().to_string()
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn layout(&self) -> Result<Layout> {
        Ok(self.layout.clone())
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<()> {
        let at = self.marks.end() + (positions.start * self.dtype.size()) as u64;
        read_exact_at(&self.marks.file, out, at).map_err(|e| Error::io(&self.marks.path, e))
    }
}
