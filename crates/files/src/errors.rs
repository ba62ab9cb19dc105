//! Errors of sources.

use std::path::Path;

use zerostride::Error;

/// An error of a file.
pub fn refused(path: &Path, reason: impl Into<String>) -> Error {
    Error::Format {
        path: path.into(),
        reason: reason.into(),
    }
}

/// An error of the system.
pub fn io(path: &Path, source: std::io::Error) -> Error {
    Error::Io {
        path: path.into(),
        source: std::sync::Arc::new(source),
    }
}
