//! Places of elements in the order of their type's values: neighbouring values are 1 apart.

use zerostride::{DType, HostTensor};

/// The place of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A number's; the two zeros have the same place.
    At(i64),
    /// NaN has no place.
    Nan,
}

/// Sign bit and the bits of infinity of a float type.
fn float(dtype: DType) -> Option<(u64, u64)> {
    match dtype {
        DType::F16 => Some((1 << 15, 0x7c00)),
        DType::Bf16 => Some((1 << 15, 0x7f80)),
        DType::F32 => Some((1 << 31, 0x7f80_0000)),
        DType::F64 => Some((1 << 63, 0x7ff0_0000_0000_0000)),
        _ => None,
    }
}

/// The place of an element's storage bits.
pub fn place(dtype: DType, bits: u64) -> Place {
    if let Some((sign, infinity)) = float(dtype) {
        let magnitude = bits & (sign - 1);
        return match magnitude.cast_signed() {
            _ if magnitude > infinity => Place::Nan,
            m if bits & sign != 0 => Place::At(-m),
            m => Place::At(m),
        };
    }
    let shift = 64 - 8 * dtype.size() as u32;
    Place::At(match dtype {
        DType::Bool => i64::from(bits != 0),
        // The order of u64 beyond i64 is kept.
        DType::U64 => (bits ^ 1 << 63).cast_signed(),
        d if d.is_signed() => (bits << shift).cast_signed() >> shift,
        _ => bits.cast_signed(),
    })
}

/// The storage bits of a place; those of an infinity if it lies beyond.
pub fn unplace(dtype: DType, at: i64) -> u64 {
    if let Some((sign, infinity)) = float(dtype) {
        return at.unsigned_abs().min(infinity) | if at < 0 { sign } else { 0 };
    }
    match dtype {
        DType::U64 => at.cast_unsigned() ^ 1 << 63,
        d => at.cast_unsigned() & (u64::MAX >> (64 - 8 * d.size())),
    }
}

/// The places of a float type's infinity and of its smallest normal number.
pub fn ends(dtype: DType) -> Option<(i64, i64)> {
    let (_, infinity) = float(dtype)?;
    let normal = match dtype {
        DType::F16 => 1 << 10,
        DType::Bf16 => 1 << 7,
        DType::F32 => 1 << 23,
        _ => 1 << 52,
    };
    Some((infinity.cast_signed(), normal))
}

/// The storage bits of all elements in row-major order.
pub fn bits(host: &HostTensor) -> impl Iterator<Item = u64> + '_ {
    let size = host.dtype.size();
    host.layout.offsets().map(move |at| {
        let bytes = host
            .bytes
            .get(at * size..(at + 1) * size)
            .unwrap_or_default();
        bytes.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b))
    })
}

/// The index of an element counted in row-major order.
pub fn index(mut flat: usize, extents: &[usize]) -> Vec<usize> {
    let mut index = vec![0; extents.len()];
    for (i, &extent) in index.iter_mut().zip(extents).rev() {
        *i = flat % extent;
        flat /= extent;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_the_values() {
        let f32s = [
            f32::NEG_INFINITY,
            -1.0,
            -1e-45,
            0.0,
            1e-45,
            1.0,
            f32::INFINITY,
        ];
        let places: Vec<_> = f32s
            .iter()
            .map(|x| place(DType::F32, u64::from(x.to_bits())))
            .collect();
        assert!(
            places.is_sorted_by(|a, b| matches!((a, b), (Place::At(a), Place::At(b)) if a < b)),
            "{places:?}"
        );
        assert_eq!(place(DType::F32, 0x8000_0000), Place::At(0));
        assert_eq!(place(DType::F32, 0x7fc0_0000), Place::Nan);
        assert_eq!(place(DType::I8, 0xff), Place::At(-1));
        assert_eq!(place(DType::U8, 0xff), Place::At(255));
        for (dtype, bits) in [
            (DType::I8, 0x80),
            (DType::U64, u64::MAX),
            (DType::F16, 0xbc00),
            (DType::I64, u64::MAX),
            (DType::U32, 7),
        ] {
            let Place::At(at) = place(dtype, bits) else {
                panic!("{dtype}")
            };
            assert_eq!(unplace(dtype, at), bits, "{dtype}");
        }
    }
}
