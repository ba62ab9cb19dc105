//! The operators of ONNX and OpenVINO by name, with their attributes, as expressions over the op
//! table's rows.
//!
//! A row here says what its standard accepts; [`build`] checks a call against it and gives the
//! expression. Nothing promotes: operand types must be what the standard asks for. Operators and
//! types that do not exist yet are [`Error::Unsupported`].

mod call;
mod name;
mod onnx;
mod openvino;
mod quantize;
mod reduce;
#[cfg(test)]
mod tests;

pub use call::{Attr, Attrs, Call, Operand, Standard};
pub use name::Name;

use zerostride::{Error, Expr, Result};

/// All rows.
pub fn all() -> impl Iterator<Item = &'static Name> {
    onnx::TABLE.iter().chain(openvino::TABLE)
}

/// The row of a name.
pub fn named(standard: Standard, name: &str) -> Option<&'static Name> {
    all().find(|row| row.standard() == standard && row.name() == name)
}

/// The expression of an operator's call.
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
/// [`Error::Unsupported`] for a name, operation set or operand that is not known, [`Error::Arity`],
/// [`Error::DType`], [`Error::MixedDTypes`], [`Error::Axis`], [`Error::Argument`] for an attribute
/// or constant the standard does not allow. Shapes are aligned, and 64-bit types refused, when the
/// expression is planned or run.
pub fn build(call: &Call<'_>) -> Result<Expr<usize>> {
    let Some(row) = named(call.standard, call.name) else {
        let what = format!(
            "{} operator {}; it is not in the table of names",
            call.standard, call.name
        );
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
    row.expr(&call)
}
