//! Little-endian elements without a header, in row-major order.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zerostride::message::count;
use zerostride::stream::Input;
use zerostride::{DType, Error, HostTensor, Layout, Shape};

use super::errors::{io, refused};
use super::place::{Place, regular};

/// Contiguous elements in a file.
pub struct RawFile {
    /// Its position is set before each read.
    file: Mutex<File>,
    path: PathBuf,
    dtype: DType,
    layout: Layout,
    /// The first byte of the elements.
    start: u64,
}

/// The layout of the elements, and their size in bytes.
fn layout(path: &Path, dtype: DType, shape: &Shape) -> Result<(Layout, u64), Error> {
    let counted = Layout::contiguous(shape).ok().and_then(|layout| {
        let bytes = layout.len().checked_mul(dtype.size())?;
        let bytes = isize::try_from(bytes).ok()?;
        Some((layout, bytes.unsigned_abs() as u64))
    });
    counted.ok_or_else(|| {
        let reason = format!("{dtype} {shape} has more bytes than can be counted");
        refused(path, reason)
    })
}

impl RawFile {
    /// Opens a file that contains these elements alone.
    pub fn open(path: &Path, dtype: DType, shape: &Shape) -> Result<Self, Error> {
        let file = regular(path)?;
        let (layout, bytes) = layout(path, dtype, shape)?;
        let found = file.metadata().map_err(|e| io(path, e))?.len();
        if found != bytes {
            return Err(refused(
                path,
                format!(
                    "{dtype} {shape} takes {}; the file has {found}",
                    count(bytes, "byte")
                ),
            ));
        }
        Ok(Self {
            file: Mutex::new(file),
            path: path.into(),
            dtype,
            layout,
            start: 0,
        })
    }

    /// The elements from byte `start` on, in a file whose length was checked.
    pub fn within(
        file: File,
        path: PathBuf,
        dtype: DType,
        shape: &Shape,
        start: u64,
    ) -> Result<Self, Error> {
        let (layout, _) = layout(&path, dtype, shape)?;
        Ok(Self {
            file: Mutex::new(file),
            path,
            dtype,
            layout,
            start,
        })
    }

    pub fn read_all(self) -> Result<HostTensor, Error> {
        let len = self.layout.len() * self.dtype.size();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| {
            let reason = format!("no memory for {}", count(len, "byte"));
            io(
                &self.path,
                std::io::Error::new(ErrorKind::OutOfMemory, reason),
            )
        })?;
        bytes.resize(len, 0);
        self.read(0..self.layout.len(), &mut bytes)?;
        HostTensor::with_layout(self.dtype, self.layout, bytes)
    }
}

impl Input for RawFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn layout(&self) -> Result<Layout, Error> {
        Ok(self.layout.clone())
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<(), Error> {
        let at = self.start + (positions.start * self.dtype.size()) as u64;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file
            .seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(out));
        read.map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => {
                refused(&self.path, "the file was shortened while it was read")
            }
            _ => io(&self.path, e),
        })
    }
}

/// Reads elements from a pipe, which must end with them.
pub fn read_from(place: &Place, dtype: DType, shape: &Shape) -> Result<HostTensor, Error> {
    let (layout, wanted) = layout(place.path(), dtype, shape)?;
    let mut bytes = Vec::new();
    // One byte more shows whether the pipe goes on.
    let mut pipe = place.open()?.take(wanted.saturating_add(1));
    pipe.read_to_end(&mut bytes)
        .map_err(|e| io(place.path(), e))?;
    if bytes.len() as u64 != wanted {
        let found = match bytes.len() as u64 > wanted {
            true => "the input has more".to_owned(),
            false => format!("the input has {}", bytes.len()),
        };
        let takes = count(wanted, "byte");
        let reason = format!("{dtype} {shape} takes {takes}; {found}");
        return Err(refused(place.path(), reason));
    }
    HostTensor::with_layout(dtype, layout, bytes)
}
