//! NumPy's files: `.npy` (versions 1.0, 2.0 and 3.0) and, with feature `zip`, `.npz`.
//!
//! A file is checked before it is believed: its header is parsed by a strict small parser, its
//! length must be what the header promises, and only then is memory allocated. Both byte orders and
//! both element orders are read. Nothing is transposed: [`Array`] keeps the file's order and
//! describes it by its layout's strides.
//!
//! Files are read by position, so that a part of one that is larger than memory can be read
//! ([`NpyFile::read_at`]). Files are written to a temporary file in the same folder, which is then
//! renamed: a failure leaves nothing behind, and a signal neither where
//! [`unfinished::remove`](crate::unfinished::remove) is called on it. Links are followed, modes are
//! kept.
//!
//! The format is described in NumPy's `numpy.lib.format`.

#[cfg(feature = "zip")]
mod archive;
mod array;
mod file;
mod header;
mod literal;
mod source;
mod target;
mod write;

#[cfg(test)]
mod tests;

#[cfg(feature = "zip")]
pub use archive::{Archive, write_npz};
pub use array::Array;
pub use file::NpyFile;
pub use header::Header;
pub(crate) use header::encode;
pub use source::Source;
pub(crate) use target::Temporary;
pub use target::{destination, replace};
pub use write::write;
