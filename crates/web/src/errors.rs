//! The crate's errors as JavaScript objects.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;
use zerostride::{Error, text};

/// An object with `code`, `message` and, if the error has one, `column`. `js/errors.js` turns it
/// into a `ZerostrideError`.
pub fn thrown(error: Error) -> JsValue {
    let (column, error) = match text::with_hint(error) {
        Error::At { column, source } => (Some(column), *source),
        other => (None, other),
    };
    let (column, message) = match &error {
        Error::Syntax { column, reason } => (Some(*column), reason.clone()),
        Error::UnknownName { column, name, hint } => {
            (Some(*column), format!("unknown name `{name}`{hint}"))
        }
        other => (column, other.to_string()),
    };
    let object = Object::new();
    let set = |name: &str, value: JsValue| {
        // An object of our own takes every property.
        let _ = Reflect::set(&object, &name.into(), &value);
    };
    set("code", code(&error).into());
    set("message", message.into());
    if let Some(column) = column {
        set("column", (column as u32).into());
    }
    object.into()
}

/// An error in the arguments of a call.
pub fn argument(reason: impl Into<String>) -> JsValue {
    thrown(Error::Argument {
        op: "zerostride".into(),
        reason: reason.into(),
    })
}

/// The code by which programs distinguish errors.
fn code(error: &Error) -> &'static str {
    match error {
        Error::Extents { .. } => "EXTENTS",
        Error::Rank { .. } => "RANK",
        Error::Axis { .. } => "AXIS",
        Error::Arity { .. } => "ARITY",
        Error::DType { .. } | Error::MixedDTypes { .. } => "DTYPE",
        Error::View { .. } => "VIEW",
        Error::Argument { .. }
        | Error::Buffer { .. }
        | Error::Overlap { .. }
        | Error::OtherContext { .. } => "ARGUMENT",
        Error::Syntax { .. } => "SYNTAX",
        Error::UnknownName { .. } => "UNKNOWN_NAME",
        Error::Unsupported { .. } => "UNSUPPORTED",
        Error::TooManyElements { .. } | Error::TooLarge { .. } | Error::BufferTooLarge { .. } => {
            "TOO_LARGE"
        }
        Error::OutOfMemory { .. } | Error::HostMemory { .. } => "OUT_OF_MEMORY",
        Error::NoAdapter { .. } => "NO_ADAPTER",
        Error::DeviceLost { .. } => "DEVICE_LOST",
        Error::Kernel { .. } | Error::Wgsl { .. } => "KERNEL",
        _ => "WEBGPU",
    }
}
