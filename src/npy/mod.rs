//! NumPy's files: `.npy` (versions 1.0, 2.0 and 3.0) and `.npz`.
//!
//! A file is checked before it is believed: a small strict parser reads its header, its length must
//! be the one that the header promises, and only then is memory allocated. Both byte orders and
//! both element orders are read. Nothing is transposed: a [`HostTensor`](crate::HostTensor) keeps
//! the file's order and describes it by its layout's strides.
//!
//! [`read_from`] and [`write_to`] are for pipes.
//! Files are read by position, so that parts of a file larger than memory can be read
//! ([`NpyFile::read_at`]). Files are written to a temporary file in the same folder, which is then
//! renamed: see [`files`](crate::files). Links are followed, modes are kept.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use zerostride::{DType, Shape, npy};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("x.npy");
//! npy::write(&path, DType::U16, &Shape::new([2, 2]), &[1, 0, 2, 0, 3, 0, 4, 0])?;
//!
//! let file = npy::NpyFile::open(&path, None)?;
//! assert_eq!(file.header().shape.extents(), [2, 2]);
//! let mut last = [0; 4];
//! file.read_at(2..4, &mut last)?;
//! assert_eq!(last, [3, 0, 4, 0]);
//! assert_eq!(file.read_all()?.layout.strides(), [2, 1]);
//! # Ok(())
//! # }
//! ```
//!
//! The format is described in NumPy's `numpy.lib.format`.

mod archive;
mod file;
mod header;
mod literal;
mod source;
mod write;

#[cfg(test)]
mod tests;

pub use archive::{Archive, write_npz};
pub use file::{NpyFile, read_from};
pub use header::Header;
pub(crate) use header::encode;
pub use source::Source;
pub use write::{write, write_to};
