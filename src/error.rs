//! The one error type of the crate.
//!
//! Each variant carries the values of its message (operand, axis, extents, rule, op), so that a
//! caller can match on them, and the message says what to do. Operands are counted from 0, axes
//! from the outermost. Messages escape the characters of files and paths that a terminal would
//! obey; the fields hold them unchanged.

use std::path::PathBuf;
use std::sync::Arc;

use crate::dtype::{DType, UnknownDType};
use crate::message::{self, count, escape};
use crate::shape::{Shape, TooManyElements};

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong. No call of this crate panics because of its arguments.
///
/// [`Debug`](std::fmt::Debug) writes the same sentence as `Display`, since a `main` that returns an
/// error prints it.
///
/// ```
/// let error = zerostride::text::parse("x +").unwrap_err();
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two extents on one axis of the result differ and the rule does not let either be broadcast.
    #[error(
        "{op}: shapes {} do not align under {rule}: axis {axis} has extents {left} and {right}",
        join(shapes)
    )]
    Extents {
        /// The operator, as the expression language spells it.
        op: String,
        /// The rule's name.
        rule: &'static str,
        /// All shapes that were to be aligned.
        shapes: Vec<Shape>,
        /// The axis of the result.
        axis: usize,
        /// The extent found first.
        left: usize,
        /// The extent that does not match the first.
        right: usize,
    },
    /// An operand has more axes, or other axes, than the rule allows.
    #[error(
        "{op}: shapes {} do not align under {rule}: operand {operand} has rank {rank}, {expected}",
        join(shapes)
    )]
    Rank {
        /// The operator.
        op: String,
        /// The rule's name.
        rule: &'static str,
        /// All shapes that were to be aligned.
        shapes: Vec<Shape>,
        /// The operand at fault.
        operand: usize,
        /// Its rank.
        rank: usize,
        /// What the rule requires.
        expected: String,
    },
    /// An axis number is outside what the rule or view allows.
    #[error("{op}: axis {axis} is out of range for rank {rank}: {expected}")]
    Axis {
        /// The operator or view.
        op: String,
        /// The axis as given.
        axis: i64,
        /// The rank it was meant for.
        rank: usize,
        /// The range that is allowed.
        expected: String,
    },
    /// An operator was given too few or too many operands.
    #[error("{op} takes {}, {found} {} given", count(expected, "operand"), if *found == 1 { "was" } else { "were" })]
    Arity {
        /// The operator.
        op: String,
        /// The number of operands that it takes.
        expected: String,
        /// The number that was given.
        found: usize,
    },
    /// An operator does not accept this element type.
    #[error(
        "{op}: operand {operand} is {dtype}, which {op} does not accept (it takes {accepts}); cast it first"
    )]
    DType {
        /// The operator.
        op: String,
        /// The operand at fault.
        operand: usize,
        /// Its element type.
        dtype: DType,
        /// The types the operator takes.
        accepts: String,
    },
    /// Operands that must have one element type have several.
    #[error(
        "{op}: operands have the types {}, which must be equal; cast them first",
        join(dtypes)
    )]
    MixedDTypes {
        /// The operator.
        op: String,
        /// The types found.
        dtypes: Vec<DType>,
    },
    /// Something that this version, or this adapter, does not support.
    #[error("unsupported: {what}")]
    Unsupported {
        /// What is missing and what to do instead.
        what: String,
    },
    /// A parameter has a value the operator or call does not allow.
    #[error("{}: {}", escape(op), escape(reason))]
    Argument {
        /// The operator, view or call.
        op: String,
        /// What is wrong and what is allowed.
        reason: String,
    },
    /// The number of elements is more than an index can count.
    #[error(
        "shape {shape} has more elements than the {limit} that can be counted; split the arrays into smaller parts"
    )]
    TooManyElements {
        /// The shape.
        shape: Shape,
        /// The largest allowed number of elements.
        limit: usize,
    },
    /// A view does not fit the layout that it views.
    #[error("{view}: {reason} (shape {shape})")]
    View {
        /// The view, e.g. `slice`.
        view: &'static str,
        /// The shape that it views.
        shape: Shape,
        /// What does not fit.
        reason: String,
    },
    /// An operand needs a larger binding than the adapter offers.
    #[error(
        "{operand} reaches {}, the adapter binds at most {limit}; split the arrays into smaller parts",
        count(bytes, "byte")
    )]
    TooLarge {
        /// The operand or output.
        operand: String,
        /// Bytes up to its last element.
        bytes: u64,
        /// Bytes a binding may hold.
        limit: u64,
    },
    /// Something needs a larger buffer than the device allows.
    #[error(
        "{what} needs a buffer of {}, the device has buffers of at most {limit} (max_buffer_size); compute it in \
         parts (Partition) or stream it from file to file (zerostride eval --memory)",
        count(bytes, "byte")
    )]
    BufferTooLarge {
        /// What was to be allocated.
        what: String,
        /// Its size in bytes.
        bytes: u64,
        /// Bytes the largest buffer may have.
        limit: u64,
    },
    /// A buffer does not suit its use: usage, size, alignment or device.
    #[error("{operand}: {reason}")]
    Buffer {
        /// The buffer's role.
        operand: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// An input overlaps an output that is not computed in its place: it has other elements, or
    /// another order, or is reduced, scanned or multiplied as a matrix.
    #[error(
        "output {output} overlaps input {input}, and the plan cannot compute it in place; copy one of them first"
    )]
    Overlap {
        /// The input's slot.
        input: usize,
        /// The output's number.
        output: usize,
    },
    /// Tensors of two contexts met in one call.
    #[error("{what} belongs to another context; read it back and upload it to this one")]
    OtherContext {
        /// The tensor's role.
        what: String,
    },
    /// A name in an expression is unknown.
    #[error("column {column}: unknown name `{}`{hint}", escape(name))]
    UnknownName {
        /// Column in the expression, from 1.
        column: usize,
        /// The name.
        name: String,
        /// Names that are close, or empty.
        hint: String,
    },
    /// The text of an expression does not parse.
    #[error("column {column}: {}", escape(reason))]
    Syntax {
        /// Column in the expression, from 1.
        column: usize,
        /// What was expected.
        reason: String,
    },
    /// An error of a sub-expression, with its place in the text.
    #[error("column {column}: {source}")]
    At {
        /// Column in the expression, from 1.
        column: usize,
        /// What went wrong there.
        source: Box<Error>,
    },
    /// A file's contents do not match its name or header.
    #[error("{}: {}", message::path(path), escape(reason))]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The system refused a file operation.
    #[error("{}: {}", message::path(path), escape(&source.to_string()))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: Arc<std::io::Error>,
    },
    /// The caller ended a run before it was complete.
    #[error("{what}: interrupted before it was complete")]
    Interrupted {
        /// What was running.
        what: &'static str,
    },
    /// No adapter fits the request.
    #[error("no adapter: {}", escape(reason))]
    NoAdapter {
        /// What was looked for and what to install.
        reason: String,
    },
    /// The device is gone; a new context is needed.
    #[error("the device is lost ({reason}); request a new context")]
    DeviceLost {
        /// The driver's words.
        reason: String,
    },
    /// The device has no memory left for an allocation.
    #[error("out of device memory: {what} of {}", count(bytes, "byte"))]
    OutOfMemory {
        /// What was to be allocated.
        what: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The host has no memory left for a read.
    #[error(
        "out of host memory: no room for {} to read back",
        count(bytes, "byte")
    )]
    HostMemory {
        /// Bytes that were to be read back.
        bytes: usize,
    },
    /// wgpu refused a call. Where the caller's arguments can cause it, another variant is returned
    /// first.
    #[error("wgpu: {what}: {reason}")]
    Wgpu {
        /// The call.
        what: &'static str,
        /// wgpu's description.
        reason: String,
    },
    /// The WGSL text of a [`CustomOp`](crate::CustomOp) was refused.
    #[error("{op}: line {line}, column {column} of its WGSL: {reason}")]
    Wgsl {
        /// The operator's name.
        op: String,
        /// The line of the text, from 1.
        line: usize,
        /// The column of that line, in characters from 1.
        column: usize,
        /// naga's message, or what a custom operator must not contain.
        reason: String,
    },
    /// A kernel was refused: by naga, when it is checked or translated, or by the device that is to
    /// run it. For a kernel that this crate generated, this is a bug: report it with this message.
    #[error("kernel refused: {reason}")]
    Kernel {
        /// The message of naga or the device, with the place.
        reason: String,
    },
}

impl From<UnknownDType> for Error {
    fn from(unknown: UnknownDType) -> Self {
        Self::argument("dtype", unknown.to_string())
    }
}

impl From<TooManyElements> for Error {
    fn from(TooManyElements { shape, limit }: TooManyElements) -> Self {
        Self::TooManyElements { shape, limit }
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// An [`Error::Unsupported`].
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into() }
    }

    /// An [`Error::Argument`].
    pub fn argument(op: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Argument {
            op: op.into(),
            reason: reason.into(),
        }
    }

    /// An [`Error::Buffer`].
    pub(crate) fn buffer(operand: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Buffer {
            operand: operand.into(),
            reason: reason.into(),
        }
    }

    /// An [`Error::Wgpu`].
    pub(crate) fn wgpu(what: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Wgpu {
            what,
            reason: reason.to_string(),
        }
    }

    /// An [`Error::OutOfMemory`] with what was to be allocated; any other error as it is.
    pub(crate) fn sized(self, what: &str, bytes: u64) -> Self {
        match self {
            Self::OutOfMemory { .. } => Self::OutOfMemory {
                what: what.into(),
                bytes,
            },
            other => other,
        }
    }

    /// An [`Error::Io`].
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io {
            path: path.into(),
            source: Arc::new(source),
        }
    }

    /// An [`Error::Format`].
    #[allow(dead_code, reason = "used by the file features")]
    pub(crate) fn format(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Format {
            path: path.into(),
            reason: reason.into(),
        }
    }

    /// This error of a step, attributed to the function that the step is a part of.
    pub(crate) fn of(mut self, function: &'static str) -> Self {
        match &mut self {
            Self::Extents { op, .. }
            | Self::Rank { op, .. }
            | Self::Axis { op, .. }
            | Self::Arity { op, .. }
            | Self::DType { op, .. }
            | Self::MixedDTypes { op, .. }
            | Self::Argument { op, .. } => *op = function.into(),
            Self::View { view, .. } => *view = function,
            _ => {}
        }
        self
    }

    /// This error at a column of an expression's text; an error that has a column keeps it. Column
    /// 0 means no column.
    pub(crate) fn at(self, column: usize) -> Self {
        match self {
            Self::At { .. } | Self::Syntax { .. } | Self::UnknownName { .. } => self,
            other if column == 0 => other,
            other => Self::At {
                column,
                source: Box::new(other),
            },
        }
    }
}

/// `a, b and c`.
pub(crate) fn join<T: std::fmt::Display>(items: &[T]) -> String {
    let mut out = String::new();
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(if i + 1 == items.len() { " and " } else { ", " });
        }
        out.push_str(&item.to_string());
    }
    out
}
