//! Errors of sources.

use std::path::Path;

use zerostride::message::escape;
use zerostride::{DType, Error, text};

/// The element type that a name of zerostride, NumPy or Python stands for.
pub fn dtype(name: &str) -> Result<DType, String> {
    text::dtype(name).map_err(|reason| escape(&reason).into_owned())
}

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
