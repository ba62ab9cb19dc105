//! The element types of ONNX by their numbers.

use zerostride::{DType, Error, Result};

/// Element types that are not supported, by their numbers in `TensorProto.DataType`.
const OTHERS: &[(i64, &str)] = &[
    (8, "string"),
    (14, "complex64"),
    (15, "complex128"),
    (17, "float8e4m3fn"),
    (18, "float8e4m3fnuz"),
    (19, "float8e5m2"),
    (20, "float8e5m2fnuz"),
    (21, "uint4"),
    (22, "int4"),
    (23, "float4e2m1"),
    (24, "float8e8m0"),
    (25, "uint2"),
    (26, "int2"),
    (27, "float6e2m3"),
    (28, "float6e3m2"),
];

/// The element type of a number in `TensorProto.DataType`.
///
/// # Errors
/// [`Error::Unsupported`] with the name of the type, [`Error::Argument`] for an unknown number.
pub(crate) fn known(code: i64) -> Result<DType> {
    let found = i32::try_from(code).ok().and_then(DType::from_onnx);
    found.ok_or_else(|| match OTHERS.iter().find(|(other, _)| *other == code) {
        Some((_, name)) => Error::unsupported(format!("the element type {name}")),
        None => Error::argument("element type", format!("{code} is no TensorProto.DataType")),
    })
}
