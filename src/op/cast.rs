//! The cast row's forms: one for each pair of classes.

use super::value::Value;
use crate::dtype::{Class, DType};

/// The value as another element type: floats are truncated towards zero and kept within an integer target's range,
/// NaN becomes 0; integers keep their low bits; everything that is not 0 (NaN too) is true.
pub(crate) fn cast_cpu(x: Value, to: DType) -> Value {
    match (x, to.class()) {
        (Value::Bool(b), Class::F32) => Value::F32(f32::from(u8::from(b))),
        (Value::Bool(b), Class::Bool) => Value::Bool(b),
        (Value::Bool(b), _) => Value::U32(u32::from(b)),
        (Value::U32(v), Class::F32) => Value::F32(v as f32),
        (Value::I32(v), Class::F32) => Value::F32(v as f32),
        (Value::U32(v), Class::Bool) => Value::Bool(v != 0),
        (Value::I32(v), Class::Bool) => Value::Bool(v != 0),
        (Value::F32(v), Class::Bool) => Value::Bool(v != 0.0),
        (Value::F32(v), Class::F32) => Value::F32(v),
        (Value::F32(v), Class::U32) => Value::U32(match to {
            DType::U8 => u32::from(v as u8),
            DType::U16 => u32::from(v as u16),
            _ => v as u32,
        }),
        (Value::F32(v), Class::I32) => Value::I32(match to {
            DType::I8 => i32::from(v as i8),
            DType::I16 => i32::from(v as i16),
            _ => v as i32,
        }),
        (other, _) => other,
    }
}

/// The WGSL expression of the same on `vec4` values named `x`.
pub(crate) fn cast_wgsl(from: DType, to: DType) -> &'static str {
    match (from.class(), to.class()) {
        (Class::Bool, Class::U32) => "select(vec4<u32>(0u), vec4<u32>(1u), x)",
        (Class::Bool, Class::I32) => "select(vec4<i32>(0i), vec4<i32>(1i), x)",
        (Class::Bool, Class::F32) => "select(vec4<f32>(0.0), vec4<f32>(1.0), x)",
        (Class::U32, Class::Bool) => "x != vec4<u32>(0u)",
        (Class::I32, Class::Bool) => "x != vec4<i32>(0i)",
        (Class::F32, Class::Bool) => "(bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) != vec4<u32>(0u)",
        (Class::U32, Class::I32) => "bitcast<vec4<i32>>(x)",
        (Class::I32, Class::U32) => "bitcast<vec4<u32>>(x)",
        (Class::U32, Class::F32) | (Class::I32, Class::F32) => "vec4<f32>(x)",
        (Class::F32, Class::U32) => match to {
            DType::U8 => "f32_to_u32(x, 255.0)",
            DType::U16 => "f32_to_u32(x, 65535.0)",
            _ => "f32_to_u32_full(x)",
        },
        (Class::F32, Class::I32) => match to {
            DType::I8 => "f32_to_i32(x, -128.0, 127.0)",
            DType::I16 => "f32_to_i32(x, -32768.0, 32767.0)",
            _ => "f32_to_i32_full(x)",
        },
        _ => "x",
    }
}
