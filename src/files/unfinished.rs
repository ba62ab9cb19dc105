//! The files that this process is writing under temporary names. The list belongs to the process,
//! as signals do.

use std::path::PathBuf;

use parking_lot::{Mutex, MutexGuard};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// While it lives, whoever is about to make another temporary file waits.
#[derive(Debug)]
#[must_use = "further temporary files are made when it is dropped"]
pub struct Removed(
    #[allow(dead_code, reason = "held until the process ends")] MutexGuard<'static, Vec<PathBuf>>,
);

/// Removes all files that this process is writing under temporary names. A program calls it when it
/// has caught a signal and is about to end. In one that goes on, writing them fails when they would
/// get their names.
///
/// ```
/// // In a handler of the program's for the signals that end it:
/// let removed = zerostride::files::remove_unfinished();
/// // std::process::exit(130);
/// # drop(removed);
/// ```
pub fn remove_unfinished() -> Removed {
    let mut files = UNFINISHED.lock();
    for file in files.drain(..) {
        // It may have got its name just now.
        let _ = std::fs::remove_file(file);
    }
    Removed(files)
}

/// A file's place in the list. It is dropped when the file has its name or is removed.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a file, which `make` gives with its path, and lists it; no signal comes between the
    /// two.
    pub fn of<T, E>(make: impl FnOnce() -> Result<(T, PathBuf), E>) -> Result<(T, Self), E> {
        let mut files = UNFINISHED.lock();
        let (file, path) = make()?;
        files.push(path.clone());
        Ok((file, Self(path)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().retain(|file| *file != self.0);
    }
}
