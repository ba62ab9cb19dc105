//! The crate's errors as Python exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyMemoryError, PyOSError, PyOverflowError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use zerostride::{DType, Error as Failure};

create_exception!(
    zerostride,
    Error,
    PyException,
    "An operation failed on the device, or is not supported."
);

/// Converts an error to a Python exception, with the source and a caret if the error has a column.
pub fn raised(py: Python<'_>, error: Failure, text: Option<&str>) -> PyErr {
    let (column, error) = match error {
        Failure::At { column, source } => (Some(column), *source),
        other => (None, other),
    };
    let (column, message) = match (&error, column) {
        (Failure::Syntax { column, reason }, _) => (Some(*column), reason.clone()),
        (Failure::UnknownName { column, .. }, _) => (Some(*column), error.to_string()),
        _ => (column, error.to_string()),
    };
    let message = match (text, column) {
        (Some(text), Some(column)) => format!("{message}\n{}", pointed(text, column)),
        _ => message,
    };
    match error {
        // NumPy's error for a number that a type does not hold, whichever function it is given to.
        Failure::Argument { reason, .. } if is_of_number(&reason) => {
            PyOverflowError::new_err(message)
        }
        Failure::DType { .. } | Failure::MixedDTypes { .. } | Failure::Unsupported { .. } => {
            PyTypeError::new_err(message)
        }
        Failure::Axis { .. } => axis_error(py, message),
        // `FileNotFoundError` and the like.
        Failure::Io { path, source } => match source.raw_os_error() {
            Some(number) => {
                let reason = source.to_string();
                let reason = reason
                    .split(" (os error")
                    .next()
                    .unwrap_or(&reason)
                    .to_owned();
                PyOSError::new_err((number, reason, path.into_os_string()))
            }
            None if source.kind() == std::io::ErrorKind::InvalidInput => {
                PyValueError::new_err(message)
            }
            None => std::io::Error::new(source.kind(), message).into(),
        },
        Failure::Extents { .. }
        | Failure::Rank { .. }
        | Failure::Arity { .. }
        | Failure::Argument { .. }
        | Failure::Buffer { .. }
        | Failure::Overlap { .. }
        | Failure::OtherContext { .. }
        | Failure::View { .. }
        | Failure::Format { .. }
        | Failure::UnknownName { .. }
        | Failure::Syntax { .. } => PyValueError::new_err(message),
        Failure::TooManyElements { .. }
        | Failure::TooLarge { .. }
        | Failure::BufferTooLarge { .. }
        | Failure::OutOfMemory { .. }
        | Failure::HostMemory { .. } => PyMemoryError::new_err(message),
        _ => Error::new_err(message),
    }
}

fn is_of_number(reason: &str) -> bool {
    let beyond = reason.split_once(" is out of range for ");
    beyond.is_some_and(|(_, of)| of.split(';').next().unwrap_or(of).parse::<DType>().is_ok())
}

/// NumPy's `AxisError`, which is a `ValueError` and an `IndexError`.
fn axis_error(py: Python<'_>, message: String) -> PyErr {
    let kind = py
        .import("numpy.exceptions")
        .and_then(|module| module.getattr("AxisError"));
    match kind.and_then(|kind| kind.call1((&message,))) {
        Ok(value) => PyErr::from_value(value),
        Err(_) => PyValueError::new_err(message),
    }
}

/// The line of a text that has this column, counted in characters from 1 through all lines, and a
/// caret below it.
fn pointed(text: &str, column: usize) -> String {
    let mut before = column.saturating_sub(1);
    for line in text.split('\n') {
        let length = line.chars().count();
        if before <= length {
            return format!("  {line}\n  {}^", " ".repeat(before));
        }
        before -= length + 1;
    }
    format!("  {text}")
}
