//! How an array is named on a command line.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::file::NpyFile;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::host::HostTensor;

/// Where an array is read from: `[NAME=]PATH[:MEMBER][:DTYPE]`.
///
/// | text | meaning |
/// |---|---|
/// | `x.npy` | a file |
/// | `a=x.npy` | a file, bound to the name `a` of an expression |
/// | `x.npy:bf16` | a file whose two-byte void elements are bf16; for other elements the dtype must be their type |
/// | `x.npz` | the single array of an archive |
/// | `x.npz:w`, `x.npz:w:bf16` | the array `w` of an archive: its member `w`, or else `w.npy` |
///
/// If an array of an archive has the name of an element type, append `.npy` to it:
/// `x.npz:f32.npy`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The name that the array is bound to.
    pub name: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// The array of a `.npz` archive. The name is compared with those in the archive and is never
    /// used as a path.
    pub member: Option<String>,
    /// The element type, if it is given.
    pub dtype: Option<DType>,
}

impl Source {
    /// Reads the array.
    ///
    /// # Errors
    /// - [`Error::Io`] if reading fails or memory does not suffice
    /// - [`Error::Format`] if the file is not a `.npy` file or archive, is truncated, or goes on
    ///   after the array; or if the archive lacks the array, or has several and none is named
    pub fn read(&self) -> Result<HostTensor> {
        if !is_archive(&self.path) {
            return NpyFile::open(&self.path, self.dtype)?.read_all();
        }
        super::Archive::open(&self.path)?.read(self.member.as_deref(), self.dtype)
    }
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest),
            _ => (None, text),
        };
        let (path, member, dtype) = if let Some((path, tail)) = split_after(rest, ".npz") {
            match tail.rsplit_once(':') {
                Some((member, dtype)) => (path, some(member), Some(dtype.parse()?)),
                None => match tail.parse() {
                    Ok(dtype) => (path, None, Some(dtype)),
                    Err(_) => (path, some(tail), None),
                },
            }
        } else if let Some((path, tail)) = split_after(rest, ".npy") {
            (path, None, Some(tail.parse()?))
        } else {
            match rest
                .rsplit_once(':')
                .map(|(path, tail)| (path, tail.parse()))
            {
                Some((path, Ok(dtype))) => (path, None, Some(dtype)),
                _ => (rest, None, None),
            }
        };
        if path.is_empty() {
            return Err(Error::argument(
                "input",
                format!("`{text}` names no file; write NAME=FILE.npy"),
            ));
        }
        Ok(Self {
            name,
            path: path.into(),
            member,
            dtype,
        })
    }
}

/// Splits `text` after `ending:`, if no further path follows.
fn split_after<'a>(text: &'a str, ending: &str) -> Option<(&'a str, &'a str)> {
    let at = text.to_ascii_lowercase().find(&format!("{ending}:"))? + ending.len();
    let (path, tail) = (&text[..at], &text[at + 1..]);
    let is_path = !is_archive(Path::new(path)) && tail.contains(['/', '\\']);
    (!is_path).then_some((path, tail))
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn is_archive(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npz"))
}
