//! Elements of model files in host memory.

use zerostride::{DType, Error, HostTensor, Result, Shape};

use super::external::Folder;
use super::proto::TensorProto;
use crate::call::check_axes;
use crate::dtypes;

/// The field that contains the elements of a tensor.
enum Encoding {
    Raw,
    Float,
    Int32,
    Int64,
    Double,
    Uint64,
}

/// The elements of a tensor in any encoding. `folder` is the folder of external data.
///
/// # Errors
/// [`Error::Unsupported`] for an element type that is not supported, [`Error::Argument`] for
/// contents that do not fit the shape, and those of files.
pub(super) fn host(tensor: &TensorProto, folder: Option<&Folder>) -> Result<HostTensor> {
    let dtype = dtypes::known(tensor.data_type.into())?;
    let shape = shape(&tensor.dims)?;
    let bytes = shape.len()?.checked_mul(dtype.size());
    let bytes = bytes.ok_or_else(|| refused(format!("shape {shape} has too many elements")))?;
    if tensor.data_location == 1 {
        if let Some((_, _, field)) = fields(tensor).into_iter().find(|(_, count, _)| *count > 0) {
            return Err(refused(format!(
                "its elements are in a file and in {field}"
            )));
        }
        let folder = folder.ok_or_else(|| {
            refused(
                "its elements are in a file beside the model; load the model by its path".into(),
            )
        })?;
        return HostTensor::new(dtype, shape, folder.read(&tensor.external_data, bytes)?)
            .map(truths);
    }
    let found = elements(tensor, dtype)?;
    if found.len() != bytes {
        return Err(refused(format!(
            "shape {shape} of {dtype} takes {bytes} bytes, but the tensor has {}",
            found.len()
        )));
    }
    HostTensor::new(dtype, shape, found).map(truths)
}

/// A shape of a model's extents.
pub(super) fn shape(dims: &[i64]) -> Result<Shape> {
    check_axes(dims.len())?;
    let extent = |&dim: &i64| {
        usize::try_from(dim).map_err(|_| refused(format!("an extent must be 0 or more, not {dim}")))
    };
    let extents: Vec<usize> = dims.iter().map(extent).collect::<Result<_>>()?;
    Ok(Shape::from(extents))
}

/// Replaces each truth value other than 0 by 1.
fn truths(mut tensor: HostTensor) -> HostTensor {
    if tensor.dtype == DType::Bool {
        tensor.bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    tensor
}

/// The fields that may contain the elements of a message, with their lengths and names.
fn fields(tensor: &TensorProto) -> [(Encoding, usize, &'static str); 6] {
    let raw = tensor.raw_data.as_ref().map_or(0, Vec::len);
    [
        (Encoding::Raw, raw, "raw_data"),
        (Encoding::Float, tensor.float_data.len(), "float_data"),
        (Encoding::Int32, tensor.int32_data.len(), "int32_data"),
        (Encoding::Int64, tensor.int64_data.len(), "int64_data"),
        (Encoding::Double, tensor.double_data.len(), "double_data"),
        (Encoding::Uint64, tensor.uint64_data.len(), "uint64_data"),
    ]
}

/// The bytes of the elements, from the only field that is used.
fn elements(tensor: &TensorProto, dtype: DType) -> Result<Vec<u8>> {
    let raw = tensor.raw_data.as_deref().unwrap_or_default();
    let mut used = fields(tensor)
        .into_iter()
        .filter(|(_, count, _)| *count > 0);
    let Some((encoding, _, field)) = used.next() else {
        return Ok(Vec::new());
    };
    if let Some((_, _, other)) = used.next() {
        return Err(refused(format!(
            "its elements are in two fields, {field} and {other}"
        )));
    }
    let mismatch = || refused(format!("elements of {dtype} cannot be in {field}"));
    Ok(match (encoding, dtype) {
        (Encoding::Raw, _) => raw.to_vec(),
        (Encoding::Float, DType::F32) => bytes(&tensor.float_data, |x| x.to_le_bytes()),
        (Encoding::Double, DType::F64) => bytes(&tensor.double_data, |x| x.to_le_bytes()),
        (Encoding::Int64, DType::I64) => bytes(&tensor.int64_data, |x| x.to_le_bytes()),
        (Encoding::Uint64, DType::U64) => bytes(&tensor.uint64_data, |x| x.to_le_bytes()),
        (Encoding::Uint64, DType::U32) => narrow(&tensor.uint64_data, 4, |x| x.to_le_bytes())?,
        (Encoding::Int32, DType::I32) => bytes(&tensor.int32_data, |x| x.to_le_bytes()),
        // Halves stand there as their bits.
        (
            Encoding::Int32,
            DType::Bool
            | DType::U8
            | DType::I8
            | DType::U16
            | DType::I16
            | DType::F16
            | DType::Bf16,
        ) => narrow_ints(&tensor.int32_data, dtype)?,
        _ => return Err(mismatch()),
    })
}

fn bytes<T: Copy, const N: usize>(all: &[T], to: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    all.iter().flat_map(|&x| to(x)).collect()
}

/// The low bytes of words whose other bytes must be 0.
fn narrow<T: Copy, const N: usize>(
    all: &[T],
    size: usize,
    to: impl Fn(T) -> [u8; N],
) -> Result<Vec<u8>> {
    let mut found = Vec::with_capacity(all.len() * size);
    for &x in all {
        let word = to(x);
        if word[size..].iter().any(|&b| b != 0) {
            return Err(refused("a number does not fit its type".into()));
        }
        found.extend_from_slice(&word[..size]);
    }
    Ok(found)
}

/// Words as elements of one or two bytes.
fn narrow_ints(all: &[i32], dtype: DType) -> Result<Vec<u8>> {
    let bits = 8 * dtype.size() as u32;
    let (low, high) = match dtype {
        DType::I8 | DType::I16 => (-(1i32 << (bits - 1)), (1i32 << (bits - 1)) - 1),
        _ => (0, (1i32 << bits) - 1),
    };
    match all.iter().find(|x| !(low..=high).contains(*x)) {
        Some(x) => Err(refused(format!("{x} does not fit {dtype}"))),
        None => Ok(all
            .iter()
            .flat_map(|x| x.to_le_bytes().into_iter().take(dtype.size()))
            .collect()),
    }
}

fn refused(reason: String) -> Error {
    Error::argument("tensor", reason)
}
