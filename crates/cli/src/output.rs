//! Stdout and files.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use zerostride::{Error, files, message};

use crate::failure::Failure;
use crate::interrupt;

/// Writes bytes to stdout.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|e| match e.kind() {
            ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Failed(format!("stdout: {e}")),
        })
}

/// Writes a text to stdout, with a line end if it has none.
pub fn text(text: &str) -> Result<(), Failure> {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    bytes(format!("{text}{end}").as_bytes())
}

/// Writes a JSON object to stdout.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    text(&message::escape_json(&format!("{value:#}")))
}

/// Whether stdout is a terminal.
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Refuses a file whose folder does not exist, before anything is computed. A link counts as what
/// it points to.
pub fn check_folder(path: &Path) -> Result<(), Failure> {
    let file = files::destination(path)?;
    match file
        .parent()
        .filter(|p| !p.as_os_str().is_empty() && !p.is_dir())
    {
        Some(folder) => {
            let (path, folder) = (message::path(path), message::path(folder));
            Err(Failure::Failed(format!(
                "{path}: there is no folder {folder}"
            )))
        }
        None => Ok(()),
    }
}

/// Writes a file, whole or not at all.
pub fn file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(replace(path, bytes)?)
}

/// As [`file`], with the library's error.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    interrupt::catch()?;
    files::replace(path, bytes)
}
