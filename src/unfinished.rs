//! Files that this process is writing under temporary names.
//!
//! Each of them is removed where writing fails. A process that is ended by a signal gets no such
//! chance unless it catches the signal and calls [`remove`], which is what the command does. The
//! list belongs to the process, as signals do.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, whoever is about to make another temporary file waits.
#[derive(Debug)]
#[must_use = "further temporary files are made when it is dropped"]
pub struct Removed(
    #[allow(dead_code, reason = "held until the process ends")] MutexGuard<'static, Vec<PathBuf>>,
);

/// Removes all files that are being written under temporary names. It is for a process that ends
/// next: writing them goes on where it does not, and fails when they would get their names.
pub fn remove() -> Removed {
    let mut files = unfinished();
    for file in files.drain(..) {
        // It may have got its name just now.
        let _ = std::fs::remove_file(file);
    }
    Removed(files)
}

/// A file's place in the list. It is dropped when the file has its name or is removed.
#[derive(Debug)]
pub(crate) struct Entry(PathBuf);

impl Entry {
    /// Makes a file, which `make` gives with its path, and lists it; no signal comes between the
    /// two.
    pub fn of<T, E>(make: impl FnOnce() -> Result<(T, PathBuf), E>) -> Result<(T, Self), E> {
        let mut files = unfinished();
        let (file, path) = make()?;
        files.push(path.clone());
        Ok((file, Self(path)))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        unfinished().retain(|file| *file != self.0);
    }
}
