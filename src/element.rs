//! Rust types of the element types.

use std::borrow::Cow;

use half::{bf16, f16};

use crate::dtype::DType;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that elements can be uploaded from and read back as.
pub trait Element: Copy + sealed::Sealed + 'static {
    /// Its element type.
    const DTYPE: DType;

    /// The elements' bytes, as a buffer holds them.
    fn to_bytes(elements: &[Self]) -> Cow<'_, [u8]>;

    /// Appends elements from a buffer's bytes; bytes past the last whole element are left out.
    #[doc(hidden)]
    fn extend(elements: &mut Vec<Self>, bytes: &[u8]);

    /// Elements from a buffer's bytes; bytes past the last whole element are left out.
    fn from_bytes(bytes: &[u8]) -> Vec<Self> {
        let mut elements = Vec::new();
        Self::extend(&mut elements, bytes);
        elements
    }
}

macro_rules! elements {
    ($($t:ty: $dtype:ident;)+) => {
        $(impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$dtype;

            fn to_bytes(elements: &[Self]) -> Cow<'_, [u8]> {
                bytemuck::cast_slice(elements).into()
            }

            fn extend(elements: &mut Vec<Self>, bytes: &[u8]) {
                let each = bytes.chunks_exact(size_of::<Self>());
                let whole = &bytes[..bytes.len() - each.remainder().len()];
                match bytemuck::try_cast_slice(whole) {
                    Ok(aligned) => elements.extend_from_slice(aligned),
                    Err(_) => elements.extend(each.map(bytemuck::pod_read_unaligned::<Self>)),
                }
            }
        })+
    };
}

elements! {
    u8: U8;
    i8: I8;
    u16: U16;
    i16: I16;
    u32: U32;
    i32: I32;
    u64: U64;
    i64: I64;
    f16: F16;
    bf16: Bf16;
    f32: F32;
    f64: F64;
}

impl sealed::Sealed for bool {}
impl Element for bool {
    const DTYPE: DType = DType::Bool;

    fn to_bytes(elements: &[Self]) -> Cow<'_, [u8]> {
        elements.iter().map(|&b| u8::from(b)).collect()
    }

    fn extend(elements: &mut Vec<Self>, bytes: &[u8]) {
        elements.extend(bytes.iter().map(|&b| b != 0));
    }
}
