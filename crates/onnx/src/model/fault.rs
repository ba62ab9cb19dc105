//! Errors of models and of their parts.

use std::fmt;

use zerostride::{Error, message};

/// A name in a message.
pub(super) fn shown(name: &str) -> String {
    message::shorten(name, 100)
}

/// An error of a model as a whole.
pub(super) fn refused(reason: String) -> Error {
    Error::argument("model", reason)
}

/// An error of a node, input or initializer, by its label.
pub(super) fn at(label: impl fmt::Display, error: Error) -> Error {
    match error {
        Error::Unsupported { what } => Error::unsupported(format!("{label}: {what}")),
        // The device's own errors are no fault of a node.
        Error::DeviceLost { .. } | Error::OutOfMemory { .. } | Error::Io { .. } => error,
        other => Error::argument(label.to_string(), other.to_string()),
    }
}
