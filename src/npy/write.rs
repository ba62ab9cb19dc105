//! Writing `.npy` files, all or nothing.

use std::io::Write;
use std::path::Path;

use super::header::{byte_len, encode};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::fill;
use crate::message::{self, count};
use crate::shape::Shape;

/// Writes a `.npy` file: version 1.0, C order, little-endian, byte for byte as NumPy does; bf16 as
/// `<V2`.
///
/// `bytes` are the elements in row-major order, little-endian. The file appears under its name when
/// it is complete, as by [`files::replace`](crate::files::replace).
///
/// # Errors
/// [`Error::Argument`] if `bytes` is not as long as the shape's elements; [`Error::Io`] if
/// writing fails.
pub fn write(path: impl AsRef<Path>, dtype: DType, shape: &Shape, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    check(path, dtype, shape, bytes)?;
    fill(path, |out| write_to(out, path, dtype, shape, bytes))
}

/// Writes the bytes of a `.npy` file, as [`write()`] does, to any writer: a pipe, or memory. `path`
/// is only for errors.
///
/// ```
/// # fn main() -> zerostride::Result<()> {
/// use std::path::Path;
/// use zerostride::{DType, Shape, npy};
///
/// let mut file = Vec::new();
/// npy::write_to(&mut file, Path::new("memory"), DType::U8, &Shape::new([3]), &[1, 2, 3])?;
/// assert_eq!(npy::read_from(&file[..], Path::new("memory"), None)?.bytes, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of [`write()`]; bytes written before an error stay written.
pub fn write_to(
    mut out: impl Write,
    path: &Path,
    dtype: DType,
    shape: &Shape,
    bytes: &[u8],
) -> Result<()> {
    check(path, dtype, shape, bytes)?;
    let header = encode(path, dtype, shape)?;
    let done = out.write_all(&header).and_then(|()| out.write_all(bytes));
    done.map_err(|e| Error::io(path, e))
}

/// Refuses bytes whose length is not that of the shape's elements.
pub(super) fn check(path: &Path, dtype: DType, shape: &Shape, bytes: &[u8]) -> Result<()> {
    if byte_len(dtype, shape) == Some(bytes.len()) {
        return Ok(());
    }
    let were = if bytes.len() == 1 { "was" } else { "were" };
    let given = count(bytes.len(), "byte");
    let reason = format!(
        "{}: {given} {were} given for {dtype} {shape}",
        message::path(path)
    );
    Err(Error::argument("write", reason))
}
