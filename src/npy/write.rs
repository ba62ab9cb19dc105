//! Writing `.npy` files, all or nothing.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::header::{byte_len, encode};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::Shape;

/// Writes a `.npy` file: version 1.0, C order, little-endian, byte for byte as NumPy does; bf16 as `<V2`.
///
/// `bytes` are the elements in row-major order, little-endian. The file appears under its name when it is whole; on
/// failure an earlier file of this name stays as it was.
///
/// # Errors
/// [`Error::Argument`] where `bytes` is not as long as the shape's elements; [`Error::Io`] where writing fails.
pub fn write(path: impl AsRef<Path>, dtype: DType, shape: &Shape, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    check(path, dtype, shape, bytes)?;
    let header = encode(path, dtype, shape)?;
    replace(path, |out| {
        let done = out.write_all(&header).and_then(|()| out.write_all(bytes));
        done.map_err(|e| Error::io(path, e))
    })
}

/// Refuses bytes of another length than the shape's elements.
pub(super) fn check(path: &Path, dtype: DType, shape: &Shape, bytes: &[u8]) -> Result<()> {
    if byte_len(dtype, shape) == Some(bytes.len()) {
        return Ok(());
    }
    let reason = format!("{}: {} bytes were given for {dtype} {shape}", path.display(), bytes.len());
    Err(Error::argument("write", reason))
}

/// Fills a temporary file in the folder of `path` and renames it to `path` when `fill` has succeeded.
pub(super) fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<&fs::File>) -> Result<()>) -> Result<()> {
    let fail = |e| Error::io(path, e);
    let (file, target) = temporary(path)?;
    let mut out = BufWriter::new(file.as_file());
    fill(&mut out)?;
    out.flush().map_err(fail)?;
    drop(out);
    file.persist(&target).map_err(|e| fail(e.error))?;
    Ok(())
}

/// A temporary file in the folder of `path`, and the path it is renamed to when it is complete.
pub(crate) fn temporary(path: &Path) -> Result<(tempfile::NamedTempFile, PathBuf)> {
    // A link is followed, so that it stays one; a device or pipe must not be replaced by a file.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|m| !m.is_file()) {
        return Err(Error::format(path, "exists and is not a regular file; name another output"));
    }
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".zerostride-");
    #[cfg(unix)]
    let readable: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(readable);
    let file = builder.tempfile_in(folder).map_err(|e| Error::io(path, e.kind().into()))?;
    Ok((file, target))
}
