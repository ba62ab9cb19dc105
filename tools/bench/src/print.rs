//! Lines on standard output.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use zerostride::{Error, Result};

/// Prints a line. Whoever closed the pipe has seen enough.
pub fn print(line: &str) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => done.map_err(|e| io("standard output", e)),
    }
}

pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Error {
    Error::Io {
        path: path.into(),
        source: Arc::new(source),
    }
}
