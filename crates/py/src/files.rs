//! Arrays of files.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zerostride_files::{Header, Reading, Settings, Source, Words};

use crate::context::context;
use crate::errors::raised;
use crate::host;
use crate::lazy::Lazy;

/// What errors call the parameters of `zerostride.load`.
const WORDS: Words = Words {
    header: "header=True",
    no_header: "header=False",
    empty: "empty_as_nan=True",
    between: "delimiter=",
    space: "delimiter=' '",
};

/// The array that a text names, and the bytes of its file that are f64 as another type.
#[pyfunction]
pub fn load(
    py: Python<'_>,
    source: &str,
    f64_as: Option<&str>,
    delimiter: Option<&str>,
    header: Option<bool>,
    empty_as_nan: bool,
) -> PyResult<Lazy> {
    let source: Source = source.parse().map_err(PyValueError::new_err)?;
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
