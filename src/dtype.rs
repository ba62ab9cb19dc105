//! The dtype table: storage and compute type of each element type.

use std::fmt;
use std::str::FromStr;

/// The WGSL type in which kernels compute an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// `vec4<bool>`
    Bool,
    /// `vec4<u32>`
    U32,
    /// `vec4<i32>`
    I32,
    /// `vec4<f32>`
    F32,
    /// Pairs of `vec4<u32>`, unsigned.
    U64,
    /// Pairs of `vec4<u32>`, two's complement.
    I64,
    /// Pairs of `vec4<u32>`, the bits of doubles, for moves, comparisons and all else without
    /// arithmetic.
    F64,
}

/// An element type, stored as NumPy and ONNX store it.
///
/// ```
/// use zerostride::DType;
///
/// assert_eq!("float16".parse::<DType>()?, DType::F16);
/// assert_eq!((DType::F16.size(), DType::F16.name(), DType::F16.onnx()), (2, "f16", 10));
/// # Ok::<(), zerostride::Error>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// One byte; 0 is false, everything else true.
    Bool,
    /// Unsigned, 1 byte.
    U8,
    /// Signed, 1 byte.
    I8,
    /// Unsigned, 2 bytes.
    U16,
    /// Signed, 2 bytes.
    I16,
    /// Unsigned, 4 bytes.
    U32,
    /// Signed, 4 bytes.
    I32,
    /// Unsigned, 8 bytes.
    U64,
    /// Signed, 8 bytes.
    I64,
    /// IEEE binary16.
    F16,
    /// bfloat16: the upper half of an f32.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

/// One row of the dtype table.
struct Row {
    dtype: DType,
    name: &'static str,
    size: usize,
    class: Class,
    onnx: i32,
    rank: u8,
}

const fn row(
    dtype: DType,
    name: &'static str,
    size: usize,
    class: Class,
    onnx: i32,
    rank: u8,
) -> Row {
    Row {
        dtype,
        name,
        size,
        class,
        onnx,
        rank,
    }
}

/// The table, in the order of the enum: size in bytes, class, code in ONNX, rank in promotion.
const TABLE: [Row; 13] = [
    row(DType::Bool, "bool", 1, Class::Bool, 9, 0),
    row(DType::U8, "u8", 1, Class::U32, 2, 1),
    row(DType::I8, "i8", 1, Class::I32, 3, 1),
    row(DType::U16, "u16", 2, Class::U32, 4, 2),
    row(DType::I16, "i16", 2, Class::I32, 5, 2),
    row(DType::U32, "u32", 4, Class::U32, 12, 3),
    row(DType::I32, "i32", 4, Class::I32, 6, 3),
    row(DType::U64, "u64", 8, Class::U64, 13, 4),
    row(DType::I64, "i64", 8, Class::I64, 7, 4),
    row(DType::F16, "f16", 2, Class::F32, 10, 5),
    row(DType::Bf16, "bf16", 2, Class::F32, 16, 5),
    row(DType::F32, "f32", 4, Class::F32, 1, 6),
    row(DType::F64, "f64", 8, Class::F64, 11, 7),
];

impl DType {
    /// All element types.
    pub const ALL: [Self; 13] = {
        let mut all = [Self::Bool; 13];
        let mut i = 0;
        while i < 13 {
            all[i] = TABLE[i].dtype;
            i += 1;
        }
        all
    };

    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The name: `bool`, `u8`, ..., `bf16`, `f64`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Bytes an element takes in a buffer.
    pub const fn size(self) -> usize {
        self.row().size
    }

    /// The class in which kernels compute its values.
    pub(crate) const fn class(self) -> Class {
        self.row().class
    }

    /// The value of ONNX's `TensorProto.DataType`.
    pub const fn onnx(self) -> i32 {
        self.row().onnx
    }

    /// The element type of an ONNX `TensorProto.DataType` value.
    pub fn from_onnx(code: i32) -> Option<Self> {
        TABLE.iter().find(|r| r.onnx == code).map(|r| r.dtype)
    }

    /// The promotion rank. Of two types of one kind (signed, unsigned or float), the type of higher
    /// rank holds the other's values. Every float ranks above every integer; bool ranks lowest.
    pub(crate) const fn rank(self) -> u8 {
        self.row().rank
    }

    /// Whether it is f16, bf16, f32 or f64.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// Whether it is one of the eight integer types.
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, Self::Bool)
    }

    /// Whether it is a signed integer or a float.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64) || self.is_float()
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is not an element type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not an element type; use one of {}", TABLE.map(|row| row.name).join(", "))]
pub struct UnknownDType {
    name: String,
}

impl UnknownDType {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for DType {
    type Err = UnknownDType;

    /// Accepts this crate's names and NumPy's (`float32`, `uint8`, `bool_`, `bfloat16`).
    fn from_str(s: &str) -> Result<Self, UnknownDType> {
        let short = match s {
            "bool_" => "bool".to_owned(),
            "bfloat16" => "bf16".to_owned(),
            _ => s
                .replace("uint", "u")
                .replace("float", "f")
                .replace("int", "i"),
        };
        let row = TABLE.iter().find(|r| r.name == s || r.name == short);
        row.map(|r| r.dtype)
            .ok_or_else(|| UnknownDType { name: s.to_owned() })
    }
}

/// A set of element types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DTypes(u16);

impl DTypes {
    /// The set of these types.
    pub const fn of(list: &[DType]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u16;
            i += 1;
        }
        Self(bits)
    }

    /// bool.
    pub const BOOL: Self = Self::of(&[DType::Bool]);
    /// The eight integer types.
    pub const INTS: Self = Self::SIGNED_INTS.or(Self::UNSIGNED_INTS);
    /// u8, u16, u32, u64.
    pub const UNSIGNED_INTS: Self = Self::of(&[DType::U8, DType::U16, DType::U32, DType::U64]);
    /// i8, i16, i32, i64.
    pub const SIGNED_INTS: Self = Self::of(&[DType::I8, DType::I16, DType::I32, DType::I64]);
    /// f16, bf16, f32, f64.
    pub const FLOATS: Self = Self::of(&[DType::F16, DType::Bf16, DType::F32, DType::F64]);
    /// Integers and floats: ONNX's twelve numeric types.
    pub const NUMERIC: Self = Self::INTS.or(Self::FLOATS);
    /// All thirteen types.
    pub const ANY: Self = Self::NUMERIC.or(Self::BOOL);

    /// The union.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set has this type.
    pub const fn contains(self, dtype: DType) -> bool {
        self.0 & (1 << dtype as u16) != 0
    }

    /// The types in the set.
    pub fn iter(self) -> impl Iterator<Item = DType> {
        DType::ALL.into_iter().filter(move |&d| self.contains(d))
    }
}

impl fmt::Display for DTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(DType::name).collect();
        f.write_str(&names.join(" "))
    }
}

impl fmt::Debug for DTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_the_order_of_the_enum() {
        for (i, dtype) in DType::ALL.into_iter().enumerate() {
            assert_eq!(dtype as usize, i, "{dtype}");
            assert_eq!(dtype.name().parse::<DType>().unwrap(), dtype);
            assert_eq!(DType::from_onnx(dtype.onnx()), Some(dtype));
        }
    }

    #[test]
    fn numpy_names_are_accepted() {
        for (name, dtype) in [
            ("float32", DType::F32),
            ("uint8", DType::U8),
            ("int64", DType::I64),
            ("bfloat16", DType::Bf16),
            ("bool_", DType::Bool),
        ] {
            assert_eq!(name.parse::<DType>().unwrap(), dtype);
        }
        assert!("complex64".parse::<DType>().is_err());
    }
}
