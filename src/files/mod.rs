//! Files that are there whole or not at all, as this crate writes all of its own.
//!
//! A file is filled under a temporary name in the folder that it goes to, and then renamed. If
//! writing fails, the temporary file is removed and an earlier file stays as it was. A process that
//! a signal ends has no time for that, unless it catches the signal and calls
//! [`remove_unfinished`].
//!
//! ```
//! # #[cfg(feature = "npy")] fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use zerostride::files;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("notes.txt");
//! files::replace(&path, b"first")?;
//! files::replace(&path, b"second")?;
//! assert_eq!(std::fs::read(&path)?, b"second");
//! // Nothing else was left behind.
//! assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "npy"))] fn main() {}
//! ```

#[cfg(feature = "npy")]
mod position;
#[cfg(feature = "npy")]
mod replace;
mod unfinished;

#[cfg(feature = "npy")]
pub(crate) use position::read_exact_at;
#[cfg(feature = "stream")]
pub(crate) use position::write_all_at;
#[cfg(any(feature = "stream", all(feature = "npy", test)))]
pub(crate) use replace::Temporary;
#[cfg(feature = "npy")]
pub(crate) use replace::fill;
#[cfg(feature = "npy")]
pub use replace::{destination, replace};
pub(crate) use unfinished::Unfinished;
pub use unfinished::{Removed, remove_unfinished};
