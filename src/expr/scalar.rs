//! Numbers in expressions: of a type, or taking the type of their surroundings.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use half::{bf16, f16};

use crate::dtype::{Class, DType};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::{Value, cast_cpu};

/// A number of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Scalar {
    /// Its element type.
    pub dtype: DType,
    /// Its storage bits, zero-extended.
    pub bits: u64,
    /// The index of the number given to a plan's run that it stands for.
    pub(crate) given: Option<usize>,
}

impl<T: Element> From<T> for Scalar {
    fn from(x: T) -> Self {
        let mut bits = [0; 8];
        let bytes = T::to_bytes(std::slice::from_ref(&x));
        bits[..bytes.len()].copy_from_slice(&bytes);
        Self::of_bits(T::DTYPE, u64::from_ne_bytes(bits))
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (Value::decode(self.dtype, self.bits), self.dtype) {
            (Value::Bool(x), _) => write!(f, "{x}"),
            (Value::U32(x), d) => write!(f, "{x}{d}"),
            (Value::I32(x), d) => write!(f, "{x}{d}"),
            (Value::F32(x), d) => write!(f, "{x:?}{d}"),
            (Value::U64(x) | Value::Bits(x), d) => write!(f, "{x}{d}"),
            (Value::I64(x), d) => write!(f, "{x}{d}"),
            (Value::F64(x), d) => write!(f, "{x:?}{d}"),
        }
    }
}

/// A number without a type of its own, as in Python: it takes the type of the operands beside it.
/// Literals are equal if their bits are equal: 0.0 and -0.0 are not, a NaN equals itself.
#[derive(Clone, Copy)]
pub enum Literal {
    /// `True` or `False`.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number with a decimal point or exponent.
    Float(f64),
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Literal {}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl Literal {
    /// Its kind and its bits.
    fn key(&self) -> (Discriminant<Self>, i128) {
        let bits = match *self {
            Self::Bool(x) => x.into(),
            Self::Int(x) => x,
            Self::Float(x) => x.to_bits().into(),
        };
        (discriminant(self), bits)
    }

    /// Its value; a truth is 1 or 0.
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Bool(b) => f64::from(u8::from(b)),
            Self::Int(i) => i as f64,
            Self::Float(x) => x,
        }
    }

    /// The same, if it is a whole number by its kind.
    pub(super) fn whole(self) -> Option<i128> {
        match self {
            Self::Bool(b) => Some(b.into()),
            Self::Int(i) => Some(i),
            Self::Float(_) => None,
        }
    }

    /// The type that it has by itself; that of a fraction is given.
    pub(crate) fn dtype(self, float: DType) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::Int(_) => DType::I64,
            Self::Float(_) => float,
        }
    }

    /// Whether it is true as a condition: it is not 0.
    pub(super) fn truth(self) -> bool {
        self.float() != 0.0
    }

    /// The literal as a number of a type.
    ///
    /// # Errors
    /// [`Error::Argument`] if a whole number is outside an integer type, or the type is an integer
    /// and the number a fraction.
    pub(crate) fn to_scalar(self, dtype: DType) -> Result<Scalar> {
        let fail = |why: &str| {
            let reason = format!("{self} {why} {dtype}; use .astype or another number");
            Error::argument("literal", reason)
        };
        let float = |x: f64| Scalar::of(dtype, x);
        match self {
            Self::Bool(x) if dtype == DType::Bool => Ok(x.into()),
            Self::Bool(x) => Self::Int(i128::from(x)).to_scalar(dtype),
            Self::Int(x) if dtype.is_float() => Ok(float(x as f64)),
            Self::Float(x) if dtype.is_float() => Ok(float(x)),
            Self::Int(x) if dtype == DType::Bool => match x {
                0 | 1 => Ok((x == 1).into()),
                _ => Err(fail("is not a")),
            },
            Self::Int(x) => {
                let (low, high) = ends(dtype);
                if x < low || x > high {
                    return Err(fail("is out of range for"));
                }
                let unused = 64 - 8 * dtype.size();
                Ok(Scalar::of_bits(dtype, (x as u64) << unused >> unused))
            }
            Self::Float(_) => Err(fail("is not a")),
        }
    }

    /// The literal as a cast to a type takes it: a fraction loses what stands behind the point, and a
    /// number is true if it is not 0.
    pub(crate) fn cast(self, dtype: DType) -> Self {
        match self {
            _ if dtype == DType::Bool => Self::Bool(self.truth()),
            Self::Float(x) if dtype.is_int() && x.is_finite() => Self::Int(x as i128),
            _ => self,
        }
    }

    /// The number of an integer type that is nearest to a whole number.
    pub(super) fn nearest(self, dtype: DType) -> Option<Scalar> {
        let (low, high) = ends(dtype);
        match self {
            Self::Int(x) if dtype.is_int() => Self::Int(x.clamp(low, high)).to_scalar(dtype).ok(),
            _ => None,
        }
    }
}

/// The smallest and the largest number of an integer type.
fn ends(dtype: DType) -> (i128, i128) {
    let width = 8 * dtype.size();
    match dtype.is_signed() {
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, (1 << width) - 1),
    }
}

/// A number as the type that it takes, and which of a run's numbers it stands for.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub literal: Literal,
    pub given: Option<usize>,
}

impl Number {
    /// The number as one of a type; as a condition it is true if it is not 0.
    pub fn typed(self, dtype: DType) -> Result<Scalar> {
        let scalar = match dtype {
            DType::Bool => self.literal.truth().into(),
            _ => self.literal.to_scalar(dtype)?,
        };
        Ok(Scalar {
            given: self.given,
            ..scalar
        })
    }
}

/// A number that is given when a plan runs.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub index: usize,
    /// The number that plans are made with.
    pub stand_in: Literal,
    /// Whether a plan depends on its value.
    looked_at: Arc<AtomicBool>,
}

impl Given {
    pub fn new(index: usize, stand_in: Literal) -> Self {
        Self {
            index,
            stand_in,
            looked_at: Arc::default(),
        }
    }

    /// Its value, on which the plan depends from now on.
    pub fn look(&self) -> Literal {
        self.looked_at.store(true, Ordering::Relaxed);
        self.stand_in
    }

    pub fn is_looked_at(&self) -> bool {
        self.looked_at.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Bool(_) => "Bool",
            Self::Int(_) => "Int",
            Self::Float(_) => "Float",
        };
        f.debug_tuple(kind).field(&format_args!("{self}")).finish()
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(x) => write!(f, "{x}"),
            Self::Int(x) => write!(f, "{x}"),
            Self::Float(x) => write!(f, "{x:?}"),
        }
    }
}

macro_rules! literal_from {
    ($($t:ty: $kind:ident, $value:expr;)+) => {
        $(impl From<$t> for Literal {
            fn from(x: $t) -> Self {
                Self::$kind($value(x))
            }
        })+
    };
}

literal_from! {
    bool: Bool, |x| x;
    u8: Int, i128::from;
    i8: Int, i128::from;
    u16: Int, i128::from;
    i16: Int, i128::from;
    u32: Int, i128::from;
    i32: Int, i128::from;
    u64: Int, i128::from;
    i64: Int, i128::from;
    usize: Int, |x| x as i128;
    isize: Int, |x| x as i128;
    f16: Float, f64::from;
    bf16: Float, f64::from;
    f32: Float, f64::from;
    f64: Float, |x| x;
}

impl Scalar {
    /// The number of this type that `x` rounds or truncates to.
    pub fn of(dtype: DType, x: f64) -> Self {
        let bits = match dtype.class() {
            Class::Bool => u64::from(x != 0.0),
            Class::F32 => cast_cpu(Value::F64(x), dtype).encode(dtype),
            Class::U32 => Value::U32(x as u32).encode(dtype),
            Class::I32 => Value::I32(x as i32).encode(dtype),
            Class::U64 => x as u64,
            Class::I64 => (x as i64).cast_unsigned(),
            Class::F64 => x.to_bits(),
        };
        Self::of_bits(dtype, bits)
    }

    /// The number of this type that these storage bits are.
    pub(crate) fn of_bits(dtype: DType, bits: u64) -> Self {
        Self {
            dtype,
            bits,
            given: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_outside_its_type_is_an_error() {
        assert!(Literal::Int(300).to_scalar(DType::U8).is_err());
        assert!(Literal::Int(-1).to_scalar(DType::U32).is_err());
        assert!(Literal::Float(0.5).to_scalar(DType::I32).is_err());
        assert_eq!(Literal::Int(-1).to_scalar(DType::I8).unwrap().bits, 0xff);
        assert_eq!(Literal::Int(1).to_scalar(DType::F16).unwrap().bits, 0x3c00);
    }
}
