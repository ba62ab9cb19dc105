//! The Rust types that closures of custom operators compute with.

use crate::dtype::{Class, DType};
use crate::op::Value;

/// A type that a form of a [`CustomOp`](super::CustomOp) computes with, in Rust and in WGSL.
///
/// | type | element types | WGSL |
/// |---|---|---|
/// | `f32` | f16, bf16, f32 | `vec4<f32>` |
/// | `f64` | f64 | `vec4<f64>`, if the adapter has it |
/// | `i32` | i8, i16, i32 | `vec4<i32>` |
/// | `u32` | u8, u16, u32 | `vec4<u32>` |
/// | `bool` | bool | `vec4<bool>` |
///
/// Custom operators do not support i64 and u64: shaders compute them as pairs of words.
pub trait CustomValue: Copy + sealed::Sealed {
    #[doc(hidden)]
    const CLASS: Class;
    /// The element types.
    #[doc(hidden)]
    const DTYPES: &'static [DType];
}

/// The result of a form on a type: a value of the type, or a bool.
pub trait CustomResult<T>: sealed::Sealed {}

pub(super) mod sealed {
    use super::Value;

    pub trait Sealed {
        #[doc(hidden)]
        fn of(value: Value) -> Self;
        #[doc(hidden)]
        fn value(self) -> Value;
        /// Whether it is bool.
        #[doc(hidden)]
        const IS_BOOL: bool;
    }
}

macro_rules! values {
    ($($t:ident $class:ident $get:ident [$($dtype:ident)+];)+) => {
        $(impl sealed::Sealed for $t {
            const IS_BOOL: bool = matches!(Class::$class, Class::Bool);

            fn of(value: Value) -> Self {
                value.$get()
            }

            fn value(self) -> Value {
                self.into()
            }
        }

        impl CustomValue for $t {
            const CLASS: Class = Class::$class;
            const DTYPES: &'static [DType] = &[$(DType::$dtype),+];
        }

        impl CustomResult<$t> for $t {})+
    };
}

values! {
    f32 F32 as_f32 [F16 Bf16 F32];
    f64 F64 as_f64 [F64];
    i32 I32 as_i32 [I8 I16 I32];
    u32 U32 as_u32 [U8 U16 U32];
    bool Bool as_bool [Bool];
}

impl CustomResult<f32> for bool {}
impl CustomResult<f64> for bool {}
impl CustomResult<i32> for bool {}
impl CustomResult<u32> for bool {}
