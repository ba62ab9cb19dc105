//! One element on the CPU, as the op table's CPU functions see it.

use half::{bf16, f16};

use crate::dtype::{Class, DType};

/// An element's value in its compute class, or its storage bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// bool.
    Bool(bool),
    /// Unsigned integers.
    U32(u32),
    /// Signed integers.
    I32(i32),
    /// Floats.
    F32(f32),
    /// u64.
    U64(u64),
    /// i64.
    I64(i64),
    /// f64.
    F64(f64),
    /// Storage bits, zero-extended.
    Bits(u64),
}

impl Value {
    /// Decodes storage bits of this type.
    pub fn decode(dtype: DType, bits: u64) -> Self {
        let low = bits as u32;
        match dtype {
            DType::Bool => Self::Bool(bits != 0),
            DType::U8 | DType::U16 | DType::U32 => Self::U32(low),
            DType::I8 => Self::I32(i32::from(low as u8 as i8)),
            DType::I16 => Self::I32(i32::from(low as u16 as i16)),
            DType::I32 => Self::I32(low as i32),
            DType::F16 => Self::F32(half_to_f32(low)),
            DType::Bf16 => Self::F32(f32::from_bits(low << 16)),
            DType::F32 => Self::F32(f32::from_bits(low)),
            DType::U64 => Self::U64(bits),
            DType::I64 => Self::I64(bits.cast_signed()),
            DType::F64 => Self::F64(f64::from_bits(bits)),
        }
    }

    /// Encodes as storage bits: wraps integers, rounds f16 and bf16 to nearest even.
    pub fn encode(self, dtype: DType) -> u64 {
        let mask = u64::MAX >> (64 - 8 * dtype.size());
        let bits = match (self, dtype) {
            (Self::F32(x), DType::F16 | DType::Bf16) if x.is_nan() => nan_bits(x, dtype),
            (Self::F32(x), DType::F16) => u64::from(f16::from_f32(x).to_bits()),
            (Self::F32(x), DType::Bf16) => u64::from(bf16::from_f32(x).to_bits()),
            (Self::F32(x), _) => u64::from(x.to_bits()),
            (Self::Bool(x), _) => u64::from(x),
            (Self::U32(x), _) => u64::from(x),
            (Self::I32(x), _) => u64::from(x as u32),
            (Self::U64(x) | Self::Bits(x), _) => x,
            (Self::I64(x), _) => x.cast_unsigned(),
            (Self::F64(x), _) => x.to_bits(),
        };
        bits & mask
    }

    /// `self + x * y` of one class; integers wrap, floats round twice.
    pub(crate) fn plus_product(self, x: Self, y: Self) -> Self {
        match self {
            Self::F32(s) => Self::F32(s + x.as_f32() * y.as_f32()),
            Self::F64(s) => Self::F64(s + x.as_f64() * y.as_f64()),
            // The low bits are those of every type of integers.
            s => Self::Bits(s.as_u64().wrapping_add(x.as_u64().wrapping_mul(y.as_u64()))),
        }
    }

    /// A form's result on float bits: a test, or the bits of an f32.
    pub(crate) fn of_float_bits(result: impl Into<Self>) -> Self {
        match result.into() {
            Self::U32(bits) => Self::F32(f32::from_bits(bits)),
            test => test,
        }
    }

    /// The value as bool; for other classes, whether any of the low 32 bits is set.
    pub(crate) fn as_bool(self) -> bool {
        match self {
            Self::Bool(x) => x,
            other => other.encode(DType::U32) != 0,
        }
    }

    /// The value as u32; reinterprets the bits of other classes.
    pub(crate) fn as_u32(self) -> u32 {
        self.encode(DType::U32) as u32
    }

    /// The value as i32; reinterprets the bits of other classes.
    pub(crate) fn as_i32(self) -> i32 {
        self.as_u32() as i32
    }

    /// The value as f32; reinterprets the bits of other classes.
    pub(crate) fn as_f32(self) -> f32 {
        f32::from_bits(self.as_u32())
    }

    /// The value as u64; reinterprets the bits of other classes.
    pub(crate) fn as_u64(self) -> u64 {
        self.encode(DType::U64)
    }

    /// The value as i64; reinterprets the bits of other classes.
    pub(crate) fn as_i64(self) -> i64 {
        self.as_u64().cast_signed()
    }

    /// The value as f64; reinterprets the bits of other classes.
    pub(crate) fn as_f64(self) -> f64 {
        f64::from_bits(self.as_u64())
    }

    /// The storage bits; for a bool, 0 or 1.
    pub(crate) fn as_bits(self) -> u64 {
        match self {
            Self::Bits(x) => x,
            other => u64::from(other.as_u32()),
        }
    }
}

/// An f16 widened to f32; a NaN keeps its sign and payload, and a signalling one stays signalling.
fn half_to_f32(bits: u32) -> f32 {
    let x = f16::from_bits(bits as u16);
    if x.is_nan() {
        f32::from_bits((bits & 0x8000) << 16 | 0x7f80_0000 | (bits & 0x3ff) << 13)
    } else {
        x.to_f32()
    }
}

/// A NaN narrowed to a half type: the payload's upper bits are kept; if none is set, the quiet bit
/// is.
fn nan_bits(x: f32, dtype: DType) -> u64 {
    let bits = x.to_bits();
    let (shift, infinity, quiet) = if dtype == DType::F16 {
        (13, 0x7c00, 0x200)
    } else {
        (16, 0x7f80, 0x40)
    };
    let payload = (bits & 0x7f_ffff) >> shift;
    u64::from((bits >> 31) << 15 | infinity | if payload == 0 { quiet } else { payload })
}

/// A Rust type that forms compute with.
pub(crate) trait Scalar: Into<Value> {
    const CLASS: Class;
    /// The value as this type; reinterprets the bits of other classes.
    fn of(value: Value) -> Self;
}

macro_rules! scalars {
    ($($t:ty: $class:ident $variant:ident $get:ident;)+) => {
        $(impl From<$t> for Value {
            fn from(x: $t) -> Self {
                Self::$variant(x)
            }
        }

        impl Scalar for $t {
            const CLASS: Class = Class::$class;

            fn of(value: Value) -> Self {
                value.$get()
            }
        })+
    };
}

scalars! {
    bool: Bool Bool as_bool;
    u32: U32 U32 as_u32;
    i32: I32 I32 as_i32;
    f32: F32 F32 as_f32;
    u64: U64 Bits as_u64;
    i64: I64 I64 as_i64;
    f64: F64 F64 as_f64;
}

/// The WGSL type that values of a class are held in.
pub(crate) const fn wgsl_type(class: Class) -> &'static str {
    match class {
        Class::Bool => "vec4<bool>",
        Class::U32 => "vec4<u32>",
        Class::I32 => "vec4<i32>",
        Class::F32 => "vec4<f32>",
        Class::U64 | Class::I64 | Class::F64 => "Pair",
    }
}
