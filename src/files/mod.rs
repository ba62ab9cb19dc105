//! Files that appear complete or not at all, as this crate writes its own.
//!
//! A file is filled under a temporary name in the folder that it goes to, and then renamed. If
//! writing fails, the temporary file is removed and an earlier file stays as it was. A process that
//! a signal ends leaves the temporary file, unless it catches the signal and calls
//! [`remove_unfinished`].
//!
//! ```
//! # #[cfg(feature = "files")] fn main() -> Result<(), Box<dyn std::error::Error>> {
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
//! # #[cfg(not(feature = "files"))] fn main() {}
//! ```

#[cfg(feature = "files")]
mod position;
#[cfg(feature = "files")]
mod replace;
mod unfinished;

#[cfg(feature = "files")]
pub(crate) use position::{read_exact_at, write_all_at};
#[cfg(feature = "files")]
pub(crate) use replace::{Temporary, fill};
#[cfg(feature = "files")]
pub use replace::{destination, replace};
pub(crate) use unfinished::Unfinished;
pub use unfinished::{Removed, remove_unfinished};
