//! The targets of `-o`, and writing results to them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use zerostride::message::{self, escape};
use zerostride::{HostTensor, npy, stream};

use crate::failure::Failure;
use crate::{interrupt, output, show};

/// Where a result goes, and in which form.
///
/// | text | meaning |
/// |---|---|
/// | `z.npy`, `z.npz` | NumPy's files; an archive takes all results |
/// | `z.csv`, `z.tsv`, `z.txt` | text, for results of at most two axes |
/// | `z.raw`, `z.bin` | the elements alone, little-endian, in row-major order |
/// | `-`, `-:csv`, `-:raw` | standard output: `.npy`, or one of these |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// `None` for standard output.
    path: Option<PathBuf>,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Npy,
    Npz,
    /// Text with this between cells.
    Text(char),
    Raw,
}

impl Form {
    fn of(ending: &str) -> Option<Self> {
        Some(match ending.to_ascii_lowercase().as_str() {
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "csv" => Self::Text(','),
            "tsv" => Self::Text('\t'),
            "txt" => Self::Text(' '),
            "raw" | "bin" => Self::Raw,
            _ => return None,
        })
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(form) = text
            .strip_prefix('-')
            .filter(|f| f.is_empty() || f.starts_with(':'))
        {
            return match Form::of(form.strip_prefix(':').unwrap_or("npy")) {
                Some(Form::Npz) | None => Err(format!(
                    "`{}` is not a form of standard output; use npy, csv, tsv, txt or raw",
                    escape(text)
                )),
                Some(form) => Ok(Self { path: None, form }),
            };
        }
        let path = PathBuf::from(text);
        let ending = path.extension().and_then(|e| e.to_str());
        match ending.and_then(Form::of) {
            Some(form) => Ok(Self {
                path: Some(path),
                form,
            }),
            None => Err(
                "the file's name must end in .npy or .npz, .csv, .tsv or .txt, .raw or .bin; `-` is standard output"
                    .into(),
            ),
        }
    }
}

impl Target {
    /// The file; `None` for standard output.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The file of a target that can be written piece by piece: a `.npy` file, or one of raw
    /// elements unless `in_parts`.
    pub fn streamed(&self, in_parts: bool) -> Option<&Path> {
        let is_raw = self.form == Form::Raw && !in_parts;
        self.path().filter(|_| self.form == Form::Npy || is_raw)
    }

    /// Whether the target takes bytes that no terminal should show.
    fn is_binary(&self) -> bool {
        !matches!(self.form, Form::Text(_))
    }

    /// The target's name in the report, for a result that was written to it.
    pub fn described(&self, result: &HostTensor) -> Option<String> {
        let path = message::path(self.path()?);
        Some(match self.form {
            Form::Raw => format!("{path}: {}", raw_form(result)),
            _ => path,
        })
    }

    /// Writes results; only an archive takes several.
    pub fn write(&self, results: &[&HostTensor]) -> Result<(), Failure> {
        interrupt::catch()?;
        let [result] = results else {
            return match (&self.path, self.form) {
                (Some(path), Form::Npz) => archive(path, results),
                _ => Err(Failure::Usage(format!(
                    "{} results do not fit in one file; only .npz takes several",
                    results.len()
                ))),
            };
        };
        let (dtype, shape) = (result.dtype, result.layout.shape());
        match (&self.path, self.form) {
            (Some(path), Form::Npz) => archive(path, results),
            (Some(path), Form::Npy) => {
                npy::write(path, dtype, shape, &result.bytes)?;
                // Of an earlier file that was written in parts.
                let _ = std::fs::remove_file(stream::parts_file(path));
                Ok(())
            }
            (Some(path), Form::Text(between)) => {
                output::file(path, text(result, between)?.as_bytes())
            }
            (Some(path), Form::Raw) => output::file(path, &result.bytes),
            (None, Form::Text(between)) => output::bytes(text(result, between)?.as_bytes()),
            (None, Form::Raw) => output::bytes(&result.bytes),
            (None, Form::Npy | Form::Npz) => output::npy(result),
        }
    }
}

/// The targets of a command line.
#[derive(Clone, Copy)]
pub struct Targets<'a>(pub &'a [Target]);

impl<'a> Targets<'a> {
    /// Whether a result goes to standard output, so that nothing else may.
    pub fn take_stdout(self) -> bool {
        self.0.iter().any(|t| t.path.is_none())
    }

    /// Refuses targets that cannot be written, before anything is computed.
    pub fn check(self) -> Result<(), Failure> {
        for (i, target) in self.0.iter().enumerate() {
            match &target.path {
                Some(path) => output::check_folder(path)?,
                None if target.is_binary() && output::is_terminal() => {
                    return Err(Failure::Usage(
                        "standard output is a terminal, which an array's bytes would confuse; pipe it, or name a file \
                         or -:csv"
                            .into(),
                    ));
                }
                None => {}
            }
            if self.0[..i].iter().any(|other| other.path == target.path) {
                let name = target.path().map_or("-".into(), message::path);
                return Err(Failure::Usage(format!("two outputs are called {name}")));
            }
        }
        Ok(())
    }

    /// Each target with the range of its results among `n`: one each, or all for a single archive.
    pub fn results(self, n: usize) -> Result<Vec<(&'a Target, Range<usize>)>, Failure> {
        match self.0 {
            [] => Ok(Vec::new()),
            [archive] if archive.form == Form::Npz => Ok(vec![(archive, 0..n)]),
            targets if targets.len() == n => {
                Ok(targets.iter().zip((0..n).map(|i| i..i + 1)).collect())
            }
            targets => Err(Failure::Usage(format!(
                "the expression has {}, and -o is given {}; name a file for each, or one .npz for all",
                message::count(n, "result"),
                match targets.len() {
                    1 => "once".to_owned(),
                    n => format!("{n} times"),
                }
            ))),
        }
    }

    /// Refuses results whose ranks their targets do not support.
    pub fn check_ranks(self, ranks: &[usize]) -> Result<(), Failure> {
        let mut pairs = self.0.iter().zip(ranks);
        pairs.try_for_each(|(target, &rank)| match target.form {
            Form::Text(_) => check_text(rank),
            _ => Ok(()),
        })
    }
}

fn check_text(rank: usize) -> Result<(), Failure> {
    match rank {
        0..=2 => Ok(()),
        _ => Err(Failure::Failed(format!(
            "a result of {} does not fit in a text table; write .npy or .raw",
            message::count(rank, "axis")
        ))),
    }
}

/// Writes an archive as `numpy.savez` does.
fn archive(path: &Path, results: &[&HostTensor]) -> Result<(), Failure> {
    let names: Vec<String> = (0..results.len()).map(|i| format!("arr_{i}")).collect();
    let arrays: Vec<_> = results
        .iter()
        .zip(&names)
        .map(|(r, name)| (name.as_str(), r.dtype, r.layout.shape(), r.bytes.as_slice()))
        .collect();
    Ok(npy::write_npz(path, &arrays)?)
}

/// The type and shape by which an input names these raw elements: `f32[3,4]`.
fn raw_form(result: &HostTensor) -> String {
    let extents = result.layout.shape().extents().iter();
    let extents: Vec<String> = extents.map(ToString::to_string).collect();
    format!("{}[{}]", result.dtype, extents.join(","))
}

/// Formats a line for each row, or for each element if there is one axis.
fn text(result: &HostTensor, between: char) -> Result<String, Failure> {
    check_text(result.layout.shape().rank())?;
    let cells = match result.layout.shape().extents() {
        [_, cells] => *cells,
        _ => 1,
    };
    let mut text = String::new();
    let size = result.dtype.size();
    for (i, element) in result.bytes.chunks_exact(size).enumerate() {
        if i % cells != 0 {
            text.push(between);
        }
        text.push_str(&show::value(result.dtype, bits(element)));
        if (i + 1) % cells == 0 {
            text.push('\n');
        }
    }
    Ok(text)
}

/// The bits of an element, zero-extended.
pub fn bits(element: &[u8]) -> u64 {
    element
        .iter()
        .rev()
        .fold(0, |bits, &b| bits << 8 | u64::from(b))
}

#[cfg(test)]
mod tests {
    use zerostride::DType;

    use super::*;

    fn targets(texts: &[&str]) -> Vec<Target> {
        texts.iter().map(|t| t.parse().unwrap()).collect()
    }

    #[test]
    fn each_result_has_a_target_or_all_have_an_archive() {
        let taken = |texts: &[&str], n: usize| {
            let targets = targets(texts);
            let taken = Targets(&targets).results(n);
            taken.map(|all| {
                let ends = all.into_iter().map(|(_, r)| (r.start, r.end));
                ends.collect::<Vec<_>>()
            })
        };
        assert_eq!(taken(&["a.npy", "b.csv"], 2).unwrap(), [(0, 1), (1, 2)]);
        assert_eq!(taken(&["a.npz"], 3).unwrap(), [(0, 3)]);
        assert_eq!(taken(&["a.npz", "b.npz"], 2).unwrap(), [(0, 1), (1, 2)]);
        assert_eq!(taken(&[], 2).unwrap(), []);
        for (texts, n, words) in [
            (&["a.npy"][..], 2, "has 2 results, and -o is given once"),
            (
                &["a.npy", "b.npy"],
                1,
                "has 1 result, and -o is given 2 times",
            ),
            (
                &["a.npz", "b.npy"],
                3,
                "has 3 results, and -o is given 2 times",
            ),
        ] {
            let error = format!("{:?}", taken(texts, n).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
        let targets = targets(&["a.npy", "b.csv"]);
        assert!(Targets(&targets).check_ranks(&[3, 2]).is_ok());
        let error = format!("{:?}", Targets(&targets).check_ranks(&[2, 3]).unwrap_err());
        assert!(error.contains("a result of 3 axes does not fit"), "{error}");
    }

    #[test]
    fn several_results_are_written_to_files_and_archives() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let host = |shape: &[usize], bytes: Vec<u8>| HostTensor::new(DType::I8, shape, bytes);
        let (a, b) = (
            host(&[2], vec![1, 255]).unwrap(),
            host(&[1, 2], vec![3, 4]).unwrap(),
        );
        let archive: Target = path("z.npz").to_str().unwrap().parse().unwrap();
        archive.write(&[&a, &b]).unwrap();
        let mut found = npy::Archive::open(path("z.npz")).unwrap();
        assert_eq!(found.names().unwrap(), ["arr_0", "arr_1"]);
        assert_eq!(found.read(Some("arr_1"), None).unwrap(), b);
        for (name, result, expected) in [
            ("z.csv", &b, "3,4\n"),
            ("z.tsv", &b, "3\t4\n"),
            ("z.txt", &b, "3 4\n"),
            ("y.csv", &a, "1\n-1\n"),
        ] {
            let target: Target = path(name).to_str().unwrap().parse().unwrap();
            target.write(&[result]).unwrap();
            assert_eq!(std::fs::read_to_string(path(name)).unwrap(), expected);
        }
        let raw: Target = path("z.raw").to_str().unwrap().parse().unwrap();
        raw.write(&[&a]).unwrap();
        assert_eq!(std::fs::read(path("z.raw")).unwrap(), [1, 255]);
        assert!(raw.described(&a).unwrap().ends_with("z.raw: i8[2]"));
        assert!(raw.write(&[&a, &b]).is_err());
    }

    #[test]
    fn a_target_is_known_by_its_ending() {
        for text in ["z.npy", "Z.NPZ", "a/z.csv", "-", "-:csv", "-:raw", "-.npy"] {
            assert!(text.parse::<Target>().is_ok(), "{text}");
        }
        for text in ["z", "z.png", "-:npz", "-:doc", "-x"] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }
}
