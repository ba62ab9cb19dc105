//! The cast row's forms: one for each pair of classes.

use half::{bf16, f16};

use super::value::Value;
use crate::dtype::{Class, DType};

/// The value as another element type: floats are truncated towards zero and kept within an integer
/// target's range, NaN becomes 0; integers keep their low bits; everything that is not 0 (NaN too)
/// is true.
pub(crate) fn cast_cpu(x: Value, to: DType) -> Value {
    match x {
        Value::Bool(b) => cast_int(b.into(), to),
        Value::U32(v) => cast_int(v.into(), to),
        Value::U64(v) | Value::Bits(v) => cast_int(v.into(), to),
        Value::I32(v) => cast_int(v.into(), to),
        Value::I64(v) => cast_int(v.into(), to),
        Value::F32(v) => match to.class() {
            Class::F32 => Value::F32(v),
            Class::F64 => Value::F64(widen(v)),
            _ => cast_f64(f64::from(v), to),
        },
        Value::F64(v) => cast_f64(v, to),
    }
}

fn cast_int(v: i128, to: DType) -> Value {
    match to.class() {
        Class::Bool => Value::Bool(v != 0),
        Class::F32 => Value::F32(v as f32),
        Class::F64 => Value::F64(v as f64),
        _ => Value::Bits(v as u64),
    }
}

fn cast_f64(v: f64, to: DType) -> Value {
    match to {
        DType::Bool => Value::Bool(v != 0.0),
        DType::U8 => Value::U32(u32::from(v as u8)),
        DType::U16 => Value::U32(u32::from(v as u16)),
        DType::U32 => Value::U32(v as u32),
        DType::U64 => Value::U64(v as u64),
        DType::I8 => Value::I32(i32::from(v as i8)),
        DType::I16 => Value::I32(i32::from(v as i16)),
        DType::I32 => Value::I32(v as i32),
        DType::I64 => Value::I64(v as i64),
        DType::F16 if !v.is_nan() => Value::Bits(u64::from(f16::from_f32(odd(v)).to_bits())),
        DType::Bf16 if !v.is_nan() => Value::Bits(u64::from(bf16::from_f32(odd(v)).to_bits())),
        DType::F16 | DType::Bf16 | DType::F32 => Value::F32(narrow(v)),
        DType::F64 => Value::F64(v),
    }
}

/// Rounds a double to f32, to odd: the last bit records cut-off digits, so that rounding once more
/// to fewer bits equals rounding the double.
fn odd(v: f64) -> f32 {
    let near = v as f32;
    if f64::from(near) == v {
        return near;
    }
    let is_above = f64::from(near).abs() > v.abs();
    let cut = near.to_bits() - u32::from(is_above);
    f32::from_bits(cut | 1)
}

/// An f32 widened; a NaN keeps its sign and payload, and a signalling one stays signalling.
fn widen(v: f32) -> f64 {
    let bits = u64::from(v.to_bits());
    if v.is_nan() {
        f64::from_bits((bits >> 31) << 63 | 0x7ff0_0000_0000_0000 | (bits & 0x7f_ffff) << 29)
    } else {
        f64::from(v)
    }
}

/// An f64 rounded to f32; a NaN keeps its sign and upper payload; if none of it is set, the quiet
/// bit is.
fn narrow(v: f64) -> f32 {
    if !v.is_nan() {
        return v as f32;
    }
    let bits = v.to_bits();
    let payload = (bits >> 29) as u32 & 0x7f_ffff;
    f32::from_bits(
        ((bits >> 63) as u32) << 31 | 0x7f80_0000 | if payload == 0 { 0x40_0000 } else { payload },
    )
}

/// The WGSL expression of the cast on `vec4` values named `x`.
pub(crate) fn cast_wgsl(from: DType, to: DType) -> &'static str {
    use Class::{Bool, F32, F64, I32, I64, U32, U64};
    match (from.class(), to.class()) {
        (Bool, U32) => "one_where(x)",
        (Bool, I32) => "select(vec4<i32>(0i), vec4<i32>(1i), x)",
        (Bool, F32) => "select(vec4<f32>(0.0), vec4<f32>(1.0), x)",
        (Bool, U64 | I64) => "Pair(one_where(x), vec4<u32>(0u))",
        (Bool, F64) => "u64_to_f64(Pair(one_where(x), vec4<u32>(0u)))",
        (U32, Bool) => "x != vec4<u32>(0u)",
        (I32, Bool) => "x != vec4<i32>(0i)",
        (F32, Bool) => "(bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) != vec4<u32>(0u)",
        (U64 | I64, Bool) => "!zero_64(x)",
        (F64, Bool) => "!zero_f64(x)",
        (U32, I32) => "bitcast<vec4<i32>>(x)",
        (I32, U32) => "bitcast<vec4<u32>>(x)",
        (U32, F32) => "u32_to_f32(x)",
        (I32, F32) => "vec4<f32>(x)",
        (U32, U64 | I64) => "Pair(x, vec4<u32>(0u))",
        (I32, U64 | I64) => "from_i32(x)",
        (U32, F64) => "u64_to_f64(Pair(x, vec4<u32>(0u)))",
        (I32, F64) => "i64_to_f64(from_i32(x))",
        (U64 | I64, U32) => "x.lo",
        (U64 | I64, I32) => "bitcast<vec4<i32>>(x.lo)",
        (U64, F32) => "u64_to_f32(x)",
        (I64, F32) => "i64_to_f32(x)",
        (U64, F64) => "u64_to_f64(x)",
        (I64, F64) => "i64_to_f64(x)",
        (F32, U64) => "f32_to_u64(x)",
        (F32, I64) => "f32_to_i64(x)",
        (F32, F64) => "f32_to_f64(x)",
        (F64, U64) => "f64_to_u64(x)",
        (F64, I64) => "f64_to_i64(x)",
        (F32, U32) => match to {
            DType::U8 => "f32_to_u32(x, 255.0)",
            DType::U16 => "f32_to_u32(x, 65535.0)",
            _ => "f32_to_u32_full(x)",
        },
        (F32, I32) => match to {
            DType::I8 => "f32_to_i32(x, -128.0, 127.0)",
            DType::I16 => "f32_to_i32(x, -32768.0, 32767.0)",
            _ => "f32_to_i32_full(x)",
        },
        (F64, U32) => match to {
            DType::U8 => "narrow_u64(f64_to_u64(x), 0xffu)",
            DType::U16 => "narrow_u64(f64_to_u64(x), 0xffffu)",
            _ => "narrow_u64(f64_to_u64(x), 0xffffffffu)",
        },
        (F64, I32) => match to {
            DType::I8 => "narrow_i64(f64_to_i64(x), 0x80u, 0x7fu)",
            DType::I16 => "narrow_i64(f64_to_i64(x), 0x8000u, 0x7fffu)",
            _ => "narrow_i64(f64_to_i64(x), 0x80000000u, 0x7fffffffu)",
        },
        // A half is rounded from all bits of the double, not from one that was rounded before.
        (F64, F32) if to == DType::F32 => "f64_to_f32(x)",
        (F64, F32) => "f64_to_f32_odd(x)",
        (Bool, Bool)
        | (U32, U32)
        | (I32, I32)
        | (F32, F32)
        | (F64, F64)
        | (U64 | I64, U64 | I64) => "x",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_rounded_to_halves_once() {
        let bits = |v: f64, to: DType| cast_cpu(Value::F64(v), to).encode(to);
        // Just above a tie, by less than an f32 shows.
        let above = |tie: f64| f64::from_bits(tie.to_bits() + 1);
        assert_eq!(bits(1.0 + 2f64.powi(-8), DType::Bf16), 0x3f80);
        assert_eq!(bits(above(1.0 + 2f64.powi(-8)), DType::Bf16), 0x3f81);
        assert_eq!(bits(above(-1.0 - 2f64.powi(-8)), DType::Bf16), 0xbf81);
        assert_eq!(bits(1.0 + 2f64.powi(-11), DType::F16), 0x3c00);
        assert_eq!(bits(above(1.0 + 2f64.powi(-11)), DType::F16), 0x3c01);
        assert_eq!(bits(65_520.0, DType::F16), 0x7c00);
        assert_eq!(bits(65_519.999, DType::F16), 0x7bff);
        assert_eq!(bits(1e300, DType::Bf16), 0x7f80);
        assert_eq!(bits(2f64.powi(-25), DType::F16), 0);
        assert_eq!(bits(above(2f64.powi(-25)), DType::F16), 1);
    }
}
