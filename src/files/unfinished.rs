//! The files that this process is writing under temporary names. The list belongs to the process,
//! as signals do.

use std::path::PathBuf;

use parking_lot::{Mutex, MutexGuard};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A guard: while it lives, threads that are about to create a temporary file wait.
#[derive(Debug)]
#[must_use = "further temporary files are made when it is dropped"]
pub struct Removed(
    #[allow(dead_code, reason = "held until the process ends")] MutexGuard<'static, Vec<PathBuf>>,
);

/// Removes all files that this process is writing under temporary names. Call it when the program
/// has caught a signal and is about to end. If the program goes on, these writes fail when the
/// files would be renamed.
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

/// A file's place in the list, dropped when the file is renamed or removed.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// Lists the file that `make` creates and returns with its path; no signal comes in between.
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
