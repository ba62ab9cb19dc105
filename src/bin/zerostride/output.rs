//! Stdout and files.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use zerostride::Error;

use crate::failure::Failure;

/// Writes bytes to stdout.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|e| match e.kind() {
        ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::Failed(format!("stdout: {e}")),
    })
}

/// Writes a text to stdout, with a line end where it has none.
pub fn text(text: &str) -> Result<(), Failure> {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    bytes(format!("{text}{end}").as_bytes())
}

/// Writes a JSON object to stdout.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    text(&format!("{value:#}"))
}

/// Whether stdout is a terminal.
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Refuses a file whose folder does not exist, before anything is computed.
pub fn check_folder(path: &Path) -> Result<(), Failure> {
    match path.parent().filter(|p| !p.as_os_str().is_empty() && !p.is_dir()) {
        Some(folder) => Err(Failure::Failed(format!("{}: there is no folder {}", path.display(), folder.display()))),
        None => Ok(()),
    }
}

/// Writes a file by way of a temporary one in the same folder, so that a failure leaves nothing behind.
pub fn file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let fail = |source: std::io::Error| Failure::from(Error::Io { path: path.into(), source: source.into() });
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return Err(Failure::Failed(format!(
            "{}: exists and is not a regular file; name another output",
            path.display()
        )));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".zerostride-");
    #[cfg(unix)]
    let readable: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(readable);
    let mut temporary = builder.tempfile_in(folder).map_err(fail)?;
    temporary.write_all(bytes).map_err(fail)?;
    temporary.persist(path).map_err(|e| fail(e.error))?;
    Ok(())
}
