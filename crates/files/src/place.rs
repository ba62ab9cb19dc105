//! Files and pipes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use zerostride::Error;

use super::errors::{io, refused};

/// Where bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A regular file.
    File(PathBuf),
    /// A pipe, which is read once, from its start to its end.
    Pipe(PathBuf),
    /// Standard input.
    Stdin,
}

impl Place {
    /// The pipe that a text names, and the part behind a colon.
    pub fn pipe(text: &str) -> Option<(Self, &str)> {
        let (name, form) = text.split_once(':').unwrap_or((text, ""));
        let is_pipe = ["/dev/fd/", "/proc/self/fd/"]
            .iter()
            .any(|folder| name.starts_with(folder));
        match name {
            "-" | "/dev/stdin" => Some((Self::Stdin, form)),
            _ if is_pipe => Some((Self::Pipe(name.into()), form)),
            _ => None,
        }
    }

    /// The path that errors show.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Pipe(path) => path,
            Self::Stdin => Path::new("standard input"),
        }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        *self == Self::Stdin
    }

    /// Opens the place for reading from the start.
    pub fn open(&self) -> Result<Box<dyn Read>, Error> {
        let fail = |e| io(self.path(), e);
        match self {
            Self::Stdin => Ok(Box::new(std::io::stdin().lock())),
            Self::Pipe(path) => Ok(Box::new(File::open(path).map_err(fail)?)),
            Self::File(path) => Ok(Box::new(regular(path)?)),
        }
    }

    /// Reads all bytes.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self.open()?.read_to_end(&mut bytes);
        read.map_err(|e| io(self.path(), e))?;
        Ok(bytes)
    }
}

/// Opens a regular file. Its kind is checked first, since opening a pipe would wait for its writer.
pub fn regular(path: &Path) -> Result<File, Error> {
    let fail = |e| io(path, e);
    if !std::fs::metadata(path).map_err(fail)?.is_file() {
        return Err(refused(path, "not a regular file"));
    }
    File::open(path).map_err(fail)
}
