//! An array as text.

use zerostride::{ArrayText, DType, HostTensor, bf16, f16};

/// Up to this many elements are shown in full.
const FULL: usize = 100;

/// Formats an array as NumPy does, each element with all its digits; a large one with only the
/// first and last items of each axis.
pub fn array(host: &HostTensor) -> String {
    shown(host).to_string()
}

/// Whether [`array`] leaves elements out.
pub fn is_cut(host: &HostTensor) -> bool {
    shown(host).is_summary()
}

fn shown(host: &HostTensor) -> ArrayText<'_> {
    let text = host.display().formatter(value);
    text.threshold(FULL)
}

/// An element's value in the fewest digits that lose nothing.
pub fn value(dtype: DType, bits: u64) -> String {
    let float = |x: f64, short: String| match x.abs() {
        m if x.is_nan() || m.is_infinite() => format!("{x}").to_lowercase(),
        m if m != 0.0 && !(1e-4..1e8).contains(&m) => short,
        _ => format!("{x:?}"),
    };
    // The shortest text of an f32 is that of a short f64 too.
    let narrow = |x: f32| {
        let short: f64 = format!("{x:?}").parse().unwrap_or(f64::NAN);
        float(short, format!("{x:e}"))
    };
    match dtype {
        DType::Bool => if bits == 0 { "False" } else { "True" }.into(),
        DType::F64 => float(f64::from_bits(bits), format!("{:e}", f64::from_bits(bits))),
        DType::F32 => narrow(f32::from_bits(bits as u32)),
        DType::F16 => narrow(f16::from_bits(bits as u16).to_f32()),
        DType::Bf16 => narrow(bf16::from_bits(bits as u16).to_f32()),
        signed if signed.is_signed() => {
            let unused = 64 - 8 * signed.size();
            ((bits << unused) as i64 >> unused).to_string()
        }
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(shape: &[usize]) -> HostTensor {
        let len: usize = shape.iter().product();
        let bytes = (0..len as i32).flat_map(i32::to_le_bytes).collect();
        HostTensor::new(DType::I32, shape, bytes).unwrap()
    }

    #[test]
    fn small_arrays_are_shown_in_full() {
        assert_eq!(array(&ints(&[])), "0");
        assert_eq!(array(&ints(&[3])), "[0 1 2]");
        assert_eq!(array(&ints(&[2, 3])), "[[0 1 2]\n [3 4 5]]");
        assert_eq!(array(&ints(&[2, 1, 2])), "[[[0 1]]\n\n [[2 3]]]");
        assert_eq!(array(&ints(&[2, 0])), "[]");
    }

    #[test]
    fn large_arrays_are_shortened() {
        assert_eq!(array(&ints(&[101])), "[  0   1   2 ...  98  99 100]");
        let rows = array(&ints(&[20, 7]));
        assert_eq!(rows.lines().count(), 7);
        assert!(
            rows.starts_with("[[  0   1   2 ...   4   5   6]\n [  7"),
            "{rows}"
        );
        assert!(rows.lines().nth(3) == Some(" ..."), "{rows}");
        assert!(rows.ends_with("139]]"), "{rows}");
    }

    #[test]
    fn floats_are_short_and_exact() {
        let f32s = |x: f32| value(DType::F32, u64::from(x.to_bits()));
        for (x, text) in [
            (0.1, "0.1"),
            (-2.0, "-2.0"),
            (1e-7, "1e-7"),
            (f32::NAN, "nan"),
            (f32::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(f32s(x), text);
        }
        assert_eq!(value(DType::F16, 0x3555), "0.33325195");
    }

    #[test]
    fn integers_have_their_sign() {
        for (dtype, bits, text) in [
            (DType::I8, 0xff, "-1"),
            (DType::U8, 0xff, "255"),
            (DType::I16, 0x8000, "-32768"),
            (DType::I32, 0xffff_fffe, "-2"),
            (DType::I64, u64::MAX, "-1"),
            (DType::U64, u64::MAX, "18446744073709551615"),
        ] {
            assert_eq!(value(dtype, bits), text);
        }
    }
}
