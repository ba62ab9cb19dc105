//! Elements in host memory as numbers, and numbers as elements.

use zerostride::{DType, Error, Expr, HostTensor, Result, Rule, Scalar, Shape, bf16, f16};

/// The bytes of each element in row-major order.
fn each(tensor: &HostTensor) -> impl Iterator<Item = &[u8]> {
    let size = tensor.dtype.size();
    let bytes = &tensor.bytes;
    let place = move |at: usize| bytes.get(at * size..(at + 1) * size);
    tensor.layout.offsets().filter_map(place)
}

/// An element of a type from its bytes.
macro_rules! number {
    ($t:ty, $bytes:expr) => {
        <$t>::from_le_bytes($bytes.try_into().unwrap_or_default())
    };
}

/// The elements as whole numbers, 0 and 1 for bool; `None` for floats and for a number beyond i64.
pub(crate) fn whole(tensor: &HostTensor) -> Option<Vec<i64>> {
    let one = |b: &[u8]| match tensor.dtype {
        DType::Bool => Some(i64::from(b != [0])),
        DType::U8 => Some(number!(u8, b).into()),
        DType::I8 => Some(number!(i8, b).into()),
        DType::U16 => Some(number!(u16, b).into()),
        DType::I16 => Some(number!(i16, b).into()),
        DType::U32 => Some(number!(u32, b).into()),
        DType::I32 => Some(number!(i32, b).into()),
        DType::U64 => i64::try_from(number!(u64, b)).ok(),
        DType::I64 => Some(number!(i64, b)),
        _ => None,
    };
    each(tensor).map(one).collect()
}

/// The elements of any type as f64, rounded if they have more digits.
pub(crate) fn floats(tensor: &HostTensor) -> Vec<f64> {
    let one = |b: &[u8]| match tensor.dtype {
        DType::F16 => number!(f16, b).to_f64(),
        DType::Bf16 => number!(bf16, b).to_f64(),
        DType::F32 => number!(f32, b).into(),
        DType::F64 => number!(f64, b),
        DType::U64 => number!(u64, b) as f64,
        DType::I64 => number!(i64, b) as f64,
        _ => 0.0,
    };
    match tensor.dtype {
        DType::F16 | DType::Bf16 | DType::F32 | DType::F64 | DType::U64 | DType::I64 => {
            each(tensor).map(one).collect()
        }
        _ => whole(tensor)
            .unwrap_or_default()
            .into_iter()
            .map(|x| x as f64)
            .collect(),
    }
}

/// An element as a scalar, from its bytes.
fn scalar(dtype: DType, b: &[u8]) -> Result<Scalar> {
    Ok(match dtype {
        DType::Bool => Scalar::from(b != [0]),
        DType::U8 => number!(u8, b).into(),
        DType::I8 => number!(i8, b).into(),
        DType::U16 => number!(u16, b).into(),
        DType::I16 => number!(i16, b).into(),
        DType::U32 => number!(u32, b).into(),
        DType::I32 => number!(i32, b).into(),
        DType::U64 => number!(u64, b).into(),
        DType::I64 => number!(i64, b).into(),
        DType::F16 => number!(f16, b).into(),
        DType::Bf16 => number!(bf16, b).into(),
        DType::F32 => number!(f32, b).into(),
        DType::F64 => number!(f64, b).into(),
        other => return Err(Error::unsupported(format!("numbers of type {other}"))),
    })
}

/// The value of all elements, if they are equal.
pub(crate) fn uniform(tensor: &HostTensor) -> Result<Option<Scalar>> {
    let mut all = each(tensor);
    let Some(first) = all.next() else {
        return Ok(None);
    };
    match all.all(|other| other == first) {
        true => scalar(tensor.dtype, first).map(Some),
        false => Ok(None),
    }
}

/// An expression of this shape, filled with a number.
pub(crate) fn filled(number: impl Into<Scalar>, shape: impl Into<Shape>) -> Expr<usize> {
    let target = shape.into();
    match target.rank() {
        0 => Expr::scalar(number),
        _ => Expr::scalar(number).broadcast(Rule::To { target }),
    }
}

/// An array of whole numbers along one axis.
pub(crate) fn list(ints: &[i64]) -> Result<HostTensor> {
    let bytes = ints.iter().flat_map(|x| x.to_le_bytes()).collect();
    HostTensor::new(DType::I64, [ints.len()], bytes)
}

/// An array of one number.
pub(crate) fn one(number: Scalar, shape: impl Into<Shape>) -> Result<HostTensor> {
    let bytes = number.bits.to_le_bytes()[..number.dtype.size()].to_vec();
    HostTensor::new(number.dtype, shape, bytes)
}
