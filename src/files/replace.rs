//! Replaces a file by a temporary file beside it, which is filled and then renamed.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::unfinished::Unfinished;
use crate::error::{Error, Result};

/// The most links that are followed one after another; as many as Linux follows.
const MOST_LINKS: usize = 40;

/// The file that a write to `path` creates or replaces: `path` itself, or the target of the link of
/// this name, whether the target exists or not.
///
/// ```
/// # fn main() -> zerostride::Result<()> {
/// let path = std::path::Path::new("no-such-folder/x.npy");
/// assert_eq!(zerostride::files::destination(path)?, path);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`] if links point to one another without end.
pub fn destination(path: impl AsRef<Path>) -> Result<PathBuf> {
    let path = path.as_ref();
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        // What is no link, or not there, is the file.
        let Ok(to) = fs::read_link(&at) else {
            return Ok(at);
        };
        at = at
            .parent()
            .map_or_else(|| to.clone(), |folder| folder.join(&to));
    }
    Err(Error::io(
        path,
        io::Error::other("its links lead in a circle; remove it or name another output"),
    ))
}

/// Writes these bytes to a file, which appears under its name when it is complete. On failure an
/// earlier file of this name stays as it was. Follows links. On Unix, the new file has the mode of
/// the earlier one.
///
/// # Errors
/// - [`Error::Io`] if writing fails, or an earlier file of this name is not writable
/// - [`Error::Format`] if the path exists and is not a regular file
pub fn replace(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    fill(path, |out| {
        out.write_all(bytes).map_err(|e| Error::io(path, e))
    })
}

/// Fills a temporary file and renames it when `write` has succeeded.
pub(crate) fn fill(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<()>,
) -> Result<()> {
    let temporary = Temporary::beside(path)?;
    let mut out = BufWriter::new(temporary.as_file());
    write(&mut out)?;
    out.flush().map_err(|e| Error::io(path, e))?;
    drop(out);
    temporary.finish()
}

/// A temporary file beside the file that it replaces; removed if dropped before `finish`.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: NamedTempFile,
    target: PathBuf,
    /// The path as it was given.
    path: PathBuf,
    /// Dropped after the file.
    _entry: Unfinished,
}

impl Temporary {
    /// A temporary file beside the file that a write to `path` creates or replaces.
    pub fn beside(path: &Path) -> Result<Self> {
        let target = destination(path)?;
        let earlier = fs::metadata(&target).ok();
        // A device or pipe must not be replaced by a file.
        if earlier.as_ref().is_some_and(|m| !m.is_file()) {
            return Err(Error::format(
                path,
                "exists and is not a regular file; name another output",
            ));
        }
        let fail = |e: io::Error| Error::io(path, e.kind().into());
        // A file that must not be written is not replaced either.
        if earlier.is_some() {
            File::options().write(true).open(&target).map_err(fail)?;
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".zerostride-");
        // Who may read it is settled before anything is in it.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = earlier.map(|m| fs::Permissions::from_mode(m.permissions().mode() & 0o777));
            // The system takes the process's mask off that of a new file alone.
            let first = if mode.is_some() { 0o600 } else { 0o666 };
            builder.permissions(fs::Permissions::from_mode(first));
            let made = Self::make(&builder, path, target).map_err(fail)?;
            if let Some(mode) = mode {
                made.as_file().set_permissions(mode).map_err(fail)?;
            }
            Ok(made)
        }
        #[cfg(not(unix))]
        Self::make(&builder, path, target).map_err(fail)
    }

    fn make(builder: &tempfile::Builder<'_, '_>, path: &Path, target: PathBuf) -> io::Result<Self> {
        let folder = target
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let (file, entry) = Unfinished::of(|| {
            let file = builder.tempfile_in(folder)?;
            let path = file.path().to_owned();
            Ok::<_, io::Error>((file, path))
        })?;
        Ok(Self {
            file,
            target,
            path: path.to_owned(),
            _entry: entry,
        })
    }

    pub fn as_file(&self) -> &File {
        self.file.as_file()
    }

    /// Renames it to its final name, in place of an earlier file.
    pub fn finish(self) -> Result<()> {
        let renamed = self.file.persist(self.target).map(drop);
        renamed.map_err(|e| Error::io(self.path, e.error))
    }

    /// Renames it to its final name unless a file of this name exists. Returns whether it was
    /// renamed.
    pub fn finish_unless_there(self) -> Result<bool> {
        match self.file.persist_noclobber(self.target) {
            Err(e) if e.error.kind() != ErrorKind::AlreadyExists => {
                Err(Error::io(self.path, e.error))
            }
            made => Ok(made.is_ok()),
        }
    }
}
