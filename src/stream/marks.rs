//! A file beside an output that records which of its parts are written. Its name is the output's
//! with `.parts` appended, or `.lanes` if parts of a reduction leave more than a mark.
//!
//! The file begins with a line that describes the result, and a byte for each part: 1 if the part
//! is written. The first run creates the file; the run that finds all parts written removes it.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::{Temporary, read_exact_at, write_all_at};
use crate::message;

/// The data after the line and the marks begin at a multiple of this.
const ALIGNED: usize = 64;
/// The longest line that is read; a shape may have many axes.
const LONGEST: u64 = 1 << 20;
/// The kinds of files; each is the ending that is appended to the output's name.
const KINDS: [&str; 2] = ["parts", "lanes"];

/// The description in a file of marks.
pub(super) struct Head<'a> {
    /// `parts` or `lanes`.
    pub kind: &'a str,
    /// What is written, as in `f32 [2, 3]`.
    pub what: String,
    pub of: usize,
    /// Tells expressions apart.
    pub fingerprint: u64,
    /// Bytes behind the marks.
    pub more: u64,
}

/// An open file of marks.
pub(super) struct Marks {
    file: File,
    pub path: PathBuf,
    /// Where the parts' bytes lie.
    parts: Range<u64>,
}

/// The name of a file of this kind beside an output.
fn beside(output: &Path, kind: &str) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(format!(".{kind}"));
    name.into()
}

/// The file that records which parts of a `.npy` file are written; it exists only while some are
/// missing. A run that writes the `.npy` file as a whole removes it.
///
/// ```
/// use std::path::Path;
///
/// let beside = zerostride::stream::parts_file("y.npy");
/// assert_eq!(beside, Path::new("y.npy.parts"));
/// ```
pub fn parts_file(output: impl AsRef<Path>) -> PathBuf {
    beside(output.as_ref(), "parts")
}

impl Head<'_> {
    fn line(&self) -> String {
        let mut line = format!(
            "zerostride {} 1: {} of {} parts, expression {:016x}",
            self.kind, self.what, self.of, self.fingerprint
        );
        line += &" ".repeat((line.len() + 1).next_multiple_of(ALIGNED) - line.len() - 1);
        line.push('\n');
        line
    }
}

impl Marks {
    /// The file beside an output, created if it does not exist. If one of another description
    /// exists, it is replaced, or an error if `is_kept`.
    pub fn open(output: &Path, head: &Head<'_>, is_kept: bool) -> Result<Self> {
        let path = beside(output, head.kind);
        let fail = |e| Error::io(&path, e);
        let line = head.line();
        let parts = line.len() as u64..(line.len() + head.of) as u64;
        let len = match head.more {
            0 => parts.end,
            more => parts.end.next_multiple_of(ALIGNED as u64) + more,
        };
        let is_same = || -> Result<bool> {
            let meta = std::fs::metadata(&path).map_err(fail)?;
            if !meta.is_file() || meta.len() != len {
                return Ok(false);
            }
            let file = File::open(&path).map_err(fail)?;
            let mut found = vec![0; line.len()];
            read_exact_at(&file, &mut found, 0).map_err(fail)?;
            Ok(found == line.as_bytes())
        };
        if path.exists() && !is_same()? {
            if is_kept {
                let reason = format!(
                    "it exists and does not hold this number of parts of this result; remove it, or name another \
                     output than {}",
                    message::path(output)
                );
                return Err(Error::format(&path, reason));
            }
            std::fs::remove_file(&path).map_err(fail)?;
        }
        if !path.exists() {
            let made = Temporary::beside(&path)?;
            let mut file = made.as_file();
            file.write_all(line.as_bytes()).map_err(fail)?;
            file.set_len(len).map_err(fail)?;
            made.finish_unless_there()?;
        }
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(fail)?;
        Ok(Self { file, path, parts })
    }

    /// Where the data after the marks begin.
    pub fn end(&self) -> u64 {
        self.parts.end.next_multiple_of(ALIGNED as u64)
    }

    /// Records that a part is written, or that it is not.
    pub fn mark(&self, part: usize, is_written: bool) -> Result<()> {
        self.write(&[u8::from(is_written)], self.parts.start + part as u64)
    }

    /// Records that no part is written.
    pub fn clear(&self) -> Result<()> {
        let none = vec![0; (self.parts.end - self.parts.start) as usize];
        self.write(&none, self.parts.start)
    }

    /// The parts that are not written.
    pub fn missing(&self) -> Result<Vec<usize>> {
        let mut marks = vec![0; (self.parts.end - self.parts.start) as usize];
        self.read(&mut marks, self.parts.start)?;
        Ok(unwritten(&marks))
    }

    /// Reads bytes of the file from a place on.
    pub fn read(&self, out: &mut [u8], at: u64) -> Result<()> {
        read_exact_at(&self.file, out, at).map_err(|e| Error::io(&self.path, e))
    }

    /// Writes bytes of the file from a place on.
    pub fn write(&self, bytes: &[u8], at: u64) -> Result<()> {
        write_all_at(&self.file, bytes, at).map_err(|e| Error::io(&self.path, e))
    }

    /// Removes the file, whose parts are all written.
    pub fn remove(self) -> Result<()> {
        drop(self.file);
        remove(&self.path)
    }
}

/// Removes a file that may not be there.
pub(super) fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(path, e)),
        _ => Ok(()),
    }
}

fn unwritten(marks: &[u8]) -> Vec<usize> {
    let parts = marks.iter().enumerate();
    parts.filter(|(_, b)| **b != 1).map(|(k, _)| k).collect()
}

/// The missing parts of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingParts {
    /// The numbers of the missing parts, from 0.
    pub missing: Vec<usize>,
    /// The number of all parts.
    pub of: usize,
    /// The file that records them.
    pub file: PathBuf,
}

/// The missing parts of an output that is computed in [parts](super::Stream::part); `None` if no
/// file beside it records missing parts.
///
/// ```
/// # fn main() -> zerostride::Result<()> {
/// assert_eq!(zerostride::stream::missing_parts("no-such-file.npy")?, None);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Io`], or [`Error::Format`] if the file beside it is not a list of parts.
pub fn missing_parts(output: impl AsRef<Path>) -> Result<Option<MissingParts>> {
    for kind in KINDS {
        let path = beside(output.as_ref(), kind);
        let fail = |e| Error::io(&path, e);
        // To open a pipe would wait for whoever writes to it.
        let is_file = match std::fs::metadata(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            meta => meta.map_err(fail)?.is_file(),
        };
        let marks = match is_file {
            true => read(File::open(&path).map_err(fail)?, kind).map_err(fail)?,
            false => None,
        };
        let Some(marks) = marks else {
            let reason = "not a list of parts; remove it, or compute its parts again";
            return Err(Error::format(&path, reason));
        };
        return Ok(Some(MissingParts {
            missing: unwritten(&marks),
            of: marks.len(),
            file: path,
        }));
    }
    Ok(None)
}

/// The marks of a file; `None` if it is of another kind or not whole.
fn read(file: File, kind: &str) -> std::io::Result<Option<Vec<u8>>> {
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Ok(None);
    }
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    let of = std::str::from_utf8(&line).ok().and_then(|line| {
        let rest = line.strip_prefix(&format!("zerostride {kind} 1: "))?;
        let (rest, _) = rest.split_once(" parts, expression ")?;
        rest.rsplit_once(" of ")?.1.parse::<u64>().ok()
    });
    // Memory is taken for marks that are there.
    let Some(of) = of.filter(|of| *of <= meta.len()) else {
        return Ok(None);
    };
    let mut marks = Vec::new();
    reader.take(of).read_to_end(&mut marks)?;
    Ok((marks.len() as u64 == of).then_some(marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(kind: &str, fingerprint: u64) -> Head<'_> {
        Head {
            kind,
            what: "f32 [2, 3]".into(),
            of: 3,
            fingerprint,
            more: 0,
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_the_place_of_marks_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("y.npy");
        for ending in ["parts", "lanes"] {
            let pipe = folder.path().join(format!("y.npy.{ending}"));
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            let error = missing_parts(&output).unwrap_err().to_string();
            assert!(error.contains("not a list of parts"), "{error}");
            std::fs::remove_file(&pipe).unwrap();
        }
    }

    #[test]
    fn marks_stay_until_all_are_there_and_are_of_one_result() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("y.npy");
        assert_eq!(missing_parts(&output).unwrap(), None);
        let marks = Marks::open(&output, &head("parts", 1), true).unwrap();
        marks.mark(1, true).unwrap();
        let again = Marks::open(&output, &head("parts", 1), true).unwrap();
        assert_eq!(again.missing().unwrap(), [0, 2]);
        let found = missing_parts(&output).unwrap().unwrap();
        assert_eq!((found.missing, found.of), (vec![0, 2], 3));
        assert_eq!(found.file, parts_file(&output));
        // Another expression, unless there is nothing that its parts are of.
        assert!(Marks::open(&output, &head("parts", 2), true).is_err());
        let other = Marks::open(&output, &head("parts", 2), false).unwrap();
        assert_eq!(other.missing().unwrap(), [0, 1, 2]);
        other.remove().unwrap();
        assert_eq!(missing_parts(&output).unwrap(), None);
    }

    #[test]
    fn a_file_of_another_kind_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("y.npy");
        for bytes in [
            &b""[..],
            b"notes",
            b"zerostride parts 1: f32 [2] of 3 parts, expression 0\n\x01",
            b"zerostride parts 1: f32 [2] of 99999999999999 parts, expression 0\n\x01",
            b"zerostride parts 1: f32 [2] of -1 parts, expression 0\n\x01",
            b"\xff\xff\n\x01",
        ] {
            std::fs::write(parts_file(&output), bytes).unwrap();
            let found = missing_parts(&output);
            assert!(matches!(found, Err(Error::Format { .. })), "{found:?}");
        }
    }
}
