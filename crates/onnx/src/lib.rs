//! Builds expressions from operators of ONNX and OpenVINO by name, with their attributes, and runs
//! models from ONNX files.
//!
//! A [`Name`] says what its standard accepts. [`build`] checks a call against it and returns the
//! expression. Operands are not promoted: they must have the types that the standard asks for.
//! Operators and types that are not supported are [`Error::Unsupported`].
//!
//! With the feature `model`, which is on by default but not available in browsers, `Model` reads a
//! file, and its `Session` computes every node on the device.

mod call;
mod dtypes;
mod elements;
#[cfg(all(feature = "model", not(target_family = "wasm")))]
mod model;
mod name;
mod onnx;
mod openvino;
mod quantize;
mod reduce;
#[cfg(test)]
mod tests;

pub use call::{Attr, Attrs, Call, MAX_AXES, Operand, Standard};
#[cfg(all(feature = "model", not(target_family = "wasm")))]
#[doc(hidden)]
pub use model::proto;
#[cfg(all(feature = "model", not(target_family = "wasm")))]
pub use model::{
    Bound, Extent, Given, InputInfo, MAX_KNOWN, MAX_NODES, Model, NodeInfo, Session, read_tensor,
};
pub use name::Name;

use std::collections::HashMap;
use std::sync::LazyLock;

use name::Made;
use zerostride::{Error, Expr, Result};

/// The page on models, whose example is compiled as a test.
#[cfg(all(doctest, feature = "model"))]
#[doc = include_str!("../../../docs/onnx.md")]
struct Page;

/// All supported operators of both standards.
pub fn all() -> impl Iterator<Item = &'static Name> {
    onnx::TABLE
        .iter()
        .chain(onnx::ARRAYS)
        .chain(openvino::TABLE)
}

/// Finds an operator by its name.
pub fn named(standard: Standard, name: &str) -> Option<&'static Name> {
    static ROWS: LazyLock<HashMap<(Standard, &str), &'static Name>> = LazyLock::new(|| {
        all()
            .map(|row| ((row.standard(), row.name()), row))
            .collect()
    });
    ROWS.get(&(standard, name)).copied()
}

/// Says why an operator is not supported.
pub(crate) fn refused(standard: Standard, name: &str) -> &'static str {
    let mut known = onnx::REFUSED.iter();
    match known.find(|(names, _)| standard == Standard::Onnx && names.contains(&name)) {
        Some((_, why)) => why,
        None => "which is not known",
    }
}

/// Returns the expression of a call of an operator.
///
/// ```
/// use zerostride_onnx::{self as onnx, Attr, Attrs, Call, Operand, Standard};
/// use zerostride::{DType, Expr};
///
/// let operand = |slot, shape: [usize; 2]| Some(Operand::new(Expr::slot(slot), DType::F32, shape));
/// let operands = [operand(0, [2, 3]), operand(1, [4, 3])];
/// let attrs = Attrs::from([("transB".into(), Attr::Int(1))]);
/// let product = onnx::build(&Call::new(Standard::Onnx, "Gemm", &operands).attrs(&attrs))?;
/// # let _ = product;
/// # Ok::<(), zerostride::Error>(())
/// ```
///
/// # Errors
/// [`Error::Unsupported`] for an unsupported name or operation set or an operand that is not known,
/// [`Error::Arity`], [`Error::DType`], [`Error::MixedDTypes`], [`Error::Axis`], [`Error::Argument`]
/// for an attribute or constant that the standard does not allow. Planning or running the result
/// checks shapes and 64-bit types. Of several results it is the first; see [`build_all`].
pub fn build(call: &Call<'_>) -> Result<Expr<usize>> {
    let first = build_all(call)?.into_iter().next();
    first.ok_or_else(|| call.fail("it has no results"))
}

/// Returns the expressions of all results of a call. The caller may ignore the last ones.
///
/// # Errors
/// Those of [`build`].
pub fn build_all(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    match made(call)? {
        Made::Exprs(exprs) => Ok(exprs),
        Made::Known(known) => match elements::uniform(&known)? {
            Some(number) => Ok(vec![elements::filled(number, known.layout.shape().clone())]),
            None => Err(Error::unsupported(format!(
                "{}: a constant of different numbers as an expression; use an input instead",
                call.name
            ))),
        },
    }
}

/// The results of an operator's call.
pub(crate) fn made(call: &Call<'_>) -> Result<Made> {
    let Some(row) = named(call.standard, call.name) else {
        let why = refused(call.standard, call.name);
        let what = format!("{} operator {}, {why}", call.standard, call.name);
        return Err(Error::unsupported(what));
    };
    // Operands omitted at the end are as good as absent.
    let count = call
        .operands
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    let call = Call {
        operands: &call.operands[..count],
        ..*call
    };
    row.made(&call)
}
