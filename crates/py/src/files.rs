//! Reading arrays from files.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zerostride_files::{Header, Reading, Settings, Source, Words};

use crate::context::context;
use crate::errors::raised;
use crate::host;
use crate::lazy::Lazy;

/// The parameters of `zerostride.load`, as errors name them.
const WORDS: Words = Words {
    header: "header=True",
    no_header: "header=False",
    empty: "empty_as_nan=True",
    between: "delimiter=",
    space: "delimiter=' '",
};

/// Reads the array that `source_text` names: a path if `is_path`.
#[pyfunction]
pub fn load(
    py: Python<'_>,
    source_text: &str,
    is_path: bool,
    f64_as: Option<&str>,
    delimiter: Option<&str>,
    header: Option<bool>,
    empty_as_nan: bool,
) -> PyResult<Lazy> {
    let parsed = match is_path {
        true => Source::file(source_text),
        false => source_text.parse(),
    };
    let source = parsed.map_err(PyValueError::new_err)?;
    if source.path().is_none() {
        let reason = format!("`{source_text}` is not a file; use zs.asarray to make an array");
        return Err(PyValueError::new_err(reason));
    }
    let is_table = matches!(source, Source::Table(..));
    if !is_table && (delimiter.is_some() || header.is_some() || empty_as_nan) {
        let reason = "delimiter=, header= and empty_as_nan= are for tables: .csv, .tsv and .txt";
        return Err(PyValueError::new_err(reason));
    }
    let between = delimiter.map(str::parse).transpose();
    let between =
        between.map_err(|reason: String| PyValueError::new_err(format!("delimiter: {reason}")))?;
    let reading = Reading {
        f64_as: f64_as.map(host::dtype).transpose()?,
        table: Settings {
            between,
            header: match header {
                None => Header::Auto,
                Some(true) => Header::Yes,
                Some(false) => Header::No,
            },
            empty_is_nan: empty_as_nan,
            words: WORDS,
        },
    };
    let context = context(py)?;
    let tensor = py.detach(|| {
        let array = source.read(&reading)?;
        context.tensor_from_host(&array)
    });
    tensor
        .map(Lazy::ready)
        .map_err(|error| raised(py, error, None))
}
