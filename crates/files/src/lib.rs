//! Reads arrays from files for zerostride: tables of text, safetensors, `.npy`, `.npz` and raw elements. A [`Source`] names
//! an array.
//!
//! ```
//! use zerostride_files::read;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("people.csv").display().to_string();
//! std::fs::write(&path, "name,height,weight\nAda,1.7,60\nAlan,1.8,72\n")?;
//! let people = read(&format!("{path}:height,weight:f32"))?;
//! assert_eq!(people.layout.shape().extents(), [2, 2]);
//! // `Context::tensor_from_host` makes a tensor of it.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod errors;
mod literal;
mod narrow;
mod number;
#[doc(hidden)]
pub mod parts;
mod place;
mod raw;
mod safetensors;
mod table;
mod words;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use zerostride::npy::{self, NpyFile};
use zerostride::{DType, Error, HostTensor, Shape, stream};

use errors::dtype;
use narrow::{Narrowed, narrow};
pub use place::Place;
use raw::RawFile;
pub use table::{Between, Columns, Header, Settings};
pub use words::Words;

/// Where an array comes from.
///
/// | text | meaning |
/// |---|---|
/// | `x.npy`, `x.npz:w`, `x.npy:bf16` | see [`npy::Source`] |
/// | `x.csv`, `x.tsv`, `x.txt` | a table of text |
/// | `x.csv:width`, `x.csv:width,height` | columns by the names of its header |
/// | `x.csv:0,-1`, `x.csv:!name` | columns by number, with -1 for the last; all columns but some |
/// | `x.csv:f32`, `x.csv:width:f32` | with the element type of the cells |
/// | `x.safetensors:w` | a tensor of a safetensors file |
/// | `x.raw:f32[3,4]` | little-endian elements without a header, in a file of any name |
/// | `[[1, 2], [3, 4.5]]`, `[1, 2]:f32` | the elements themselves |
/// | `-`, `-:csv`, `-:u8[480,640]` | standard input: `.npy`, text, or raw elements |
/// | `/dev/fd/63`, `/dev/stdin:txt` | a pipe, in the forms of standard input |
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// `.npy` and `.npz`.
    Numpy(npy::Source),
    /// A `.npy` file through a pipe.
    Piped(Place, Option<DType>),
    /// A table of text.
    Table(Place, Columns),
    /// A tensor of a safetensors file.
    Safetensors(PathBuf, Option<String>),
    /// Elements without a header.
    Raw(Place, DType, Shape),
    /// The elements of a list such as `[1, 2]`, and the list if it names no type.
    Literal(HostTensor, Option<String>),
}

/// How text and f64 are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// The type that f64 is rounded to.
    pub f64_as: Option<DType>,
    /// The format of tables.
    pub table: Settings,
}

const RAW_FORM: &str = "say what it holds, as in FILE.raw:f32[3,4] for 12 little-endian elements";

/// Endings of array files of other programs, which are not supported.
const FOREIGN: [&str; 16] = [
    ".arrow", ".feather", ".h5", ".hdf5", ".json", ".mat", ".nc", ".ods", ".parquet", ".pkl",
    ".png", ".pt", ".pth", ".tif", ".xlsx", ".zarr",
];

/// Reads the array that a [`Source`] names, with the default [`Reading`]: `read("people.csv:height")`.
///
/// # Errors
/// [`Error::Argument`] if the text is not a source, else those of [`Source::read`].
pub fn read(source: &str) -> Result<HostTensor, Error> {
    let parsed = source.parse::<Source>();
    let parsed = parsed.map_err(|reason| Error::argument("read", reason))?;
    parsed.read(&Reading::default())
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with('[') {
            let untyped = text.trim_end().ends_with(']').then(|| text.to_owned());
            return literal::parse(text).map(|array| Self::Literal(array, untyped));
        }
        if let Some((place, form)) = Place::pipe(text) {
            return piped(place, form);
        }
        if let Some((path, tail)) = ended(text, ".safetensors") {
            return Ok(Self::Safetensors(path.into(), tail.map(str::to_owned)));
        }
        for ending in [".csv", ".tsv", ".txt"] {
            if let Some((path, tail)) = ended(text, ending) {
                // Elements may be in a file of any name.
                if let Some(raw) = tail.and_then(raw_form) {
                    let (dtype, shape) = raw?;
                    return Ok(Self::Raw(Place::File(path.into()), dtype, shape));
                }
                let columns = Columns::parse(ending, tail.unwrap_or_default())?;
                return Ok(Self::Table(Place::File(path.into()), columns));
            }
        }
        if let Some((path, tail)) = text.rsplit_once(':')
            && !path.is_empty()
            && let Some(raw) = raw_form(tail)
        {
            let ending = Path::new(path).extension().and_then(|e| e.to_str());
            if let Some(ending @ ("npy" | "npz")) = ending {
                return Err(format!(
                    "a .{ending} file contains its shape; leave out `:{tail}`"
                ));
            }
            let (dtype, shape) = raw?;
            return Ok(Self::Raw(Place::File(path.into()), dtype, shape));
        }
        for ending in [".raw", ".bin"] {
            if let Some((path, _)) = ended(text, ending) {
                return Err(format!(
                    "`{}` has no header; {RAW_FORM}",
                    zerostride::message::escape(path)
                ));
            }
        }
        for ending in FOREIGN {
            if ended(text, ending).is_some() {
                return Err(format!(
                    "{ending} files are not supported; save the array as .npy, .npz, .csv, .safetensors or raw elements"
                ));
            }
        }
        if text.is_empty() {
            return Err("the name of the file is empty".into());
        }
        // A path may hold `=`, which stands behind a name there.
        let source = format!("x={text}").parse();
        let source = source.map_err(|e: Error| e.to_string())?;
        Ok(Self::Numpy(source))
    }
}

/// The source for a pipe in one of its forms.
fn piped(place: Place, form: &str) -> Result<Source, String> {
    if let Some(raw) = raw_form(form) {
        let (dtype, shape) = raw?;
        return Ok(Source::Raw(place, dtype, shape));
    }
    let (kind, tail) = form.split_once(':').unwrap_or((form, ""));
    match kind {
        "csv" | "tsv" | "txt" => {
            let columns = Columns::parse(&format!(".{kind}"), tail)?;
            Ok(Source::Table(place, columns))
        }
        "" | "npy" if tail.is_empty() => Ok(Source::Piped(place, None)),
        "npy" => Ok(Source::Piped(place, Some(dtype(tail)?))),
        other => match other.parse() {
            Ok(dtype) if tail.is_empty() => Ok(Source::Piped(place, Some(dtype))),
            _ => Err(format!(
                "`{}` is not the form of a pipe; use npy, csv, tsv, txt or DTYPE[SHAPE]",
                zerostride::message::escape(form)
            )),
        },
    }
}

/// The type and shape of a raw file.
fn raw_form(text: &str) -> Option<Result<(DType, Shape), String>> {
    typed_shape(text, RAW_FORM)
}

/// Parses `DTYPE[SHAPE]`; `None` for a text of another form. Errors end with `form`.
pub fn typed_shape(text: &str, form: &str) -> Option<Result<(DType, Shape), String>> {
    let (name, extents) = text.strip_suffix(']')?.split_once('[')?;
    let extents = extents.trim();
    let extents = extents.strip_suffix(',').unwrap_or(extents);
    let extent = |text: &str| {
        let extent = text.trim().parse::<usize>();
        extent.map_err(|_| format!("`{}` is not an extent; {form}", number::shown(text.trim())))
    };
    let shape = match extents {
        "" => Ok(Vec::new()),
        some => some.split(',').map(extent).collect::<Result<_, _>>(),
    };
    Some(dtype(name.trim()).and_then(|dtype| Ok((dtype, Shape::from(shape?)))))
}

/// Splits `text` into a path with this ending and the part behind a colon.
fn ended<'a>(text: &'a str, ending: &str) -> Option<(&'a str, Option<&'a str>)> {
    // ASCII alone changes, so that positions stay.
    let lower = text.to_ascii_lowercase();
    if let Some(at) = lower.find(&format!("{ending}:")) {
        let at = at + ending.len();
        return Some((&text[..at], Some(&text[at + 1..])));
    }
    (lower.ends_with(ending) && lower.len() > ending.len()).then_some((text, None))
}

impl Source {
    /// Reads the array, and rounds f64 to [`Reading::f64_as`] if that is set.
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Format`], with the path and, in a table, line and column.
    pub fn read(&self, reading: &Reading) -> Result<HostTensor, Error> {
        let array = match self {
            Self::Numpy(source) => {
                parts::check(&source.path)?;
                source.read()?
            }
            Self::Piped(place, dtype) => npy::read_from(place.open()?, place.path(), *dtype)?,
            Self::Table(place, columns) => table::read(place, columns, &reading.table)?,
            Self::Safetensors(path, name) => {
                safetensors::open(path, name.as_deref())?.read_all()?
            }
            Self::Raw(Place::File(path), dtype, shape) => {
                RawFile::open(path, *dtype, shape)?.read_all()?
            }
            Self::Raw(place, dtype, shape) => raw::read_from(place, *dtype, shape)?,
            Self::Literal(array, _) => array.clone(),
        };
        match reading.f64_as.filter(|_| array.dtype == DType::F64) {
            Some(to) => narrow(array, to),
            None => Ok(array),
        }
    }

    /// A file by its path, which may contain any character: a table, `.npy`, `.npz` or safetensors.
    ///
    /// # Errors
    /// If files with this ending are not supported, or have no header.
    pub fn file(path: impl Into<PathBuf>) -> Result<Self, String> {
        let path = path.into();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let ending = ending.filter(|ending| !ending.contains(':'));
        let mut source = match ending {
            Some(ending) => format!("x.{ending}").parse()?,
            None => "x".parse()?,
        };
        match &mut source {
            Self::Table(place, _) => *place = Place::File(path),
            Self::Safetensors(file, _) => *file = path,
            Self::Numpy(source) => source.path = path,
            _ => {}
        }
        Ok(source)
    }

    /// Sets the element type of text that names none. Other sources keep their own.
    ///
    /// # Errors
    /// If a number does not fit the type.
    pub fn with_dtype(self, dtype: DType) -> Result<Self, String> {
        Ok(match self {
            Self::Literal(_, Some(text)) => {
                Self::Literal(literal::parse(&format!("{text}:{dtype}"))?, None)
            }
            Self::Table(place, columns) => Self::Table(place, columns.or_dtype(dtype)),
            other => other,
        })
    }

    /// Opens the array for reading by position; text, pipes and members of archives are read as a
    /// whole.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn open(&self, reading: &Reading) -> Result<Box<dyn stream::Input>, Error> {
        let opened: Box<dyn stream::Input> = match self {
            Self::Numpy(source) if !is_archive(&source.path) => {
                parts::check(&source.path)?;
                Box::new(NpyFile::open(&source.path, source.dtype)?)
            }
            Self::Safetensors(path, name) => Box::new(safetensors::open(path, name.as_deref())?),
            Self::Raw(Place::File(path), dtype, shape) => {
                Box::new(RawFile::open(path, *dtype, shape)?)
            }
            _ => return Ok(Box::new(self.read(reading)?)),
        };
        Ok(match reading.f64_as {
            Some(to) if opened.dtype() == DType::F64 => Box::new(Narrowed::new(opened, to)),
            _ => opened,
        })
    }

    /// The path of the file; `None` for pipes and literals.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Numpy(source) => Some(&source.path),
            Self::Safetensors(path, _) => Some(path),
            Self::Table(Place::File(path), _) | Self::Raw(Place::File(path), ..) => Some(path),
            _ => None,
        }
    }

    /// The size of the elements in bytes, if it is known before any element is read.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn bytes(&self, reading: &Reading) -> Result<Option<u64>, Error> {
        let is_known = match self {
            Self::Numpy(source) => !is_archive(&source.path),
            Self::Safetensors(..) | Self::Raw(Place::File(_), ..) => true,
            _ => false,
        };
        if !is_known {
            return Ok(None);
        }
        let array = self.open(reading)?;
        Ok(Some(
            array.layout()?.len() as u64 * array.dtype().size() as u64,
        ))
    }

    /// Whether the array comes from standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self, Self::Piped(p, _) | Self::Table(p, _) | Self::Raw(p, ..) if p.is_stdin())
    }
}

fn is_archive(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_file_by_its_ending_alone() {
        for (path, is_table) in [
            ("a:b.CSV", true),
            ("[1].txt", true),
            ("a.csv:b", false),
            ("-", false),
            ("x.npy:f32[3].npy", false),
            ("a.b\u{e9}", false),
        ] {
            let source = Source::file(path).unwrap();
            assert_eq!(source.path(), Some(Path::new(path)));
            assert_eq!(matches!(source, Source::Table(..)), is_table, "{path}");
        }
        assert!(Source::file("x.raw").unwrap_err().contains("no header"));
        assert!(Source::file("x.parquet").unwrap_err().contains("support"));
    }

    #[test]
    fn a_source_is_what_its_text_looks_like() {
        let kind = |text: &str| match text.parse::<Source>() {
            Ok(Source::Numpy(s)) => format!("numpy {}", s.path.display()),
            Ok(Source::Piped(p, d)) => format!("piped {} {d:?}", p.path().display()),
            Ok(Source::Table(p, _)) => format!("table {}", p.path().display()),
            Ok(Source::Safetensors(p, n)) => format!("safetensors {} {n:?}", p.display()),
            Ok(Source::Raw(p, d, s)) => format!("raw {} {d} {s}", p.path().display()),
            Ok(Source::Literal(t, _)) => format!("literal {} {}", t.dtype, t.layout.shape()),
            Err(e) => format!("error {e}"),
        };
        for (text, expected) in [
            ("a.npy", "numpy a.npy"),
            ("a.npz:w", "numpy a.npz"),
            ("a.npy:bf16", "numpy a.npy"),
            ("a.safetensors", "safetensors a.safetensors None"),
            (
                "a.safetensors:b.w",
                "safetensors a.safetensors Some(\"b.w\")",
            ),
            ("a.CSV", "table a.CSV"),
            ("d/a.txt:f32", "table d/a.txt"),
            ("a.raw:f32[3,4]", "raw a.raw f32 [3, 4]"),
            ("C:frame.yuv:u8[2]", "raw C:frame.yuv u8 [2]"),
            ("a.txt:u8[7,]", "raw a.txt u8 [7]"),
            ("a.bin:f64[]", "raw a.bin f64 []"),
            ("-", "piped standard input None"),
            ("-:bf16", "piped standard input Some(Bf16)"),
            ("-:csv:a,b", "table standard input"),
            ("-:f32[2]", "raw standard input f32 [2]"),
            ("/dev/fd/63:txt", "table /dev/fd/63"),
            ("[1, 2]", "literal i64 [2]"),
            ("-.npy", "numpy -.npy"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
        for (text, words) in [
            ("a.raw", "`a.raw` has no header"),
            ("a.raw:f32", "`a.raw` has no header"),
            ("a.raw:f32[3,x]", "`x` is not an extent"),
            ("a.raw:f31[3]", "`f31` is not an element type"),
            ("a.npy:f32[3]", "file contains its shape"),
            ("-:doc", "not the form of a pipe"),
            (
                "a.parquet",
                ".parquet files are not supported; save the array as .npy",
            ),
        ] {
            assert!(kind(text).contains(words), "{text}: {}", kind(text));
        }
    }
}
