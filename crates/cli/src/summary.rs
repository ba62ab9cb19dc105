//! A result in a few numbers.

use serde_json::Value;
use zerostride::{DType, HostTensor, bf16, f16};

use crate::show;
use crate::target::bits;

/// The least and largest element and the mean, NaNs left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    dtype: DType,
    /// The bits of the least and largest, and the mean; `None` without elements other than NaN.
    range: Option<(u64, u64, f64)>,
    /// Elements that are NaN.
    pub nan: usize,
}

impl Summary {
    pub fn of(result: &HostTensor) -> Self {
        let dtype = result.dtype;
        let (mut nan, mut sum, mut counted) = (0, 0.0, 0usize);
        let mut range: Option<(u64, u64)> = None;
        for element in result.bytes.chunks_exact(dtype.size()) {
            // Whatever is not 0 is true.
            let bits = match dtype {
                DType::Bool => u64::from(element != [0]),
                _ => bits(element),
            };
            let value = number(dtype, bits);
            if value.is_nan() {
                nan += 1;
                continue;
            }
            counted += 1;
            sum += value;
            let (least, largest) = range.get_or_insert((bits, bits));
            if is_less(dtype, bits, *least) {
                *least = bits;
            }
            if is_less(dtype, *largest, bits) {
                *largest = bits;
            }
        }
        let range = range.map(|(least, largest)| (least, largest, sum / counted as f64));
        Self { dtype, range, nan }
    }

    /// One line, without its end; `None` for a result without elements.
    pub fn text(&self) -> Option<String> {
        let nan = match self.nan {
            0 => String::new(),
            n => format!(", {n} NaN"),
        };
        match self.range {
            Some((least, largest, mean)) => Some(format!(
                "min {}, max {}, mean {}{nan}",
                show::value(self.dtype, least),
                show::value(self.dtype, largest),
                show::value(DType::F64, short(mean).to_bits())
            )),
            None => (self.nan > 0).then(|| format!("all {} are NaN", self.nan)),
        }
    }

    /// `min`, `max`, `mean` and `nan`.
    pub fn json(&self) -> [(&'static str, Value); 4] {
        let (min, max, mean) = match self.range {
            Some((least, largest, mean)) => (
                value(self.dtype, least),
                value(self.dtype, largest),
                value(DType::F64, mean.to_bits()),
            ),
            None => (Value::Null, Value::Null, Value::Null),
        };
        [
            ("min", min),
            ("max", max),
            ("mean", mean),
            ("nan", self.nan.into()),
        ]
    }
}

/// Rounded to seven digits.
fn short(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}

/// An element as a number; integers beyond 2^53 are rounded.
pub fn number(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F64 => f64::from_bits(bits),
        DType::F32 => f32::from_bits(bits as u32).into(),
        DType::F16 => f16::from_bits(bits as u16).into(),
        DType::Bf16 => bf16::from_bits(bits as u16).into(),
        _ if dtype.is_signed() => signed(dtype, bits) as f64,
        _ => bits as f64,
    }
}

fn signed(dtype: DType, bits: u64) -> i64 {
    let unused = 64 - 8 * dtype.size();
    (bits << unused).cast_signed() >> unused
}

fn is_less(dtype: DType, a: u64, b: u64) -> bool {
    if dtype.is_float() {
        number(dtype, a) < number(dtype, b)
    } else if dtype.is_signed() {
        signed(dtype, a) < signed(dtype, b)
    } else {
        a < b
    }
}

/// An element in JSON, exact. NaN and infinities, which JSON has no numbers for, are the strings
/// `"nan"`, `"inf"` and `"-inf"`.
pub fn value(dtype: DType, bits: u64) -> Value {
    match dtype {
        DType::Bool => (bits != 0).into(),
        _ if dtype.is_float() => {
            let text = show::value(dtype, bits);
            // The shortest text of an f32 is that of the number that is written.
            match text.parse::<f64>() {
                Ok(x) if x.is_finite() => x.into(),
                _ => text.into(),
            }
        }
        _ if dtype.is_signed() => signed(dtype, bits).into(),
        _ => bits.into(),
    }
}

/// All elements, as lists of lists.
pub fn values(result: &HostTensor) -> Value {
    let extents = result.layout.shape().extents();
    let size = result.dtype.size();
    let mut items: Vec<Value> = result
        .bytes
        .chunks_exact(size)
        .map(|element| value(result.dtype, bits(element)))
        .collect();
    for axis in (0..extents.len()).rev() {
        let lists: usize = extents[..axis].iter().product();
        let mut rest = items.into_iter();
        items = (0..lists)
            .map(|_| rest.by_ref().take(extents[axis]).collect())
            .collect();
    }
    items.pop().unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use zerostride::Element;

    use super::*;

    fn host<T: Element>(shape: &[usize], elements: &[T]) -> HostTensor {
        HostTensor::new(T::DTYPE, shape, T::to_bytes(elements).into_owned()).unwrap()
    }

    #[test]
    fn nan_is_counted_and_left_out() {
        let summary = Summary::of(&host(&[4], &[1.0f32, f32::NAN, -2.5, 3.0]));
        assert_eq!(
            summary.text().unwrap(),
            "min -2.5, max 3.0, mean 0.5, 1 NaN"
        );
        let all = Summary::of(&host(&[2], &[f64::NAN; 2]));
        assert_eq!(all.text().unwrap(), "all 2 are NaN");
        assert_eq!(Summary::of(&host::<f32>(&[0], &[])).text(), None);
        let ints = Summary::of(&host(&[3], &[i64::MIN, i64::MAX, 0]));
        assert_eq!(
            ints.text().unwrap(),
            "min -9223372036854775808, max 9223372036854775807, mean 0.0"
        );
        let bools = Summary::of(&host(&[4], &[true, false, true, true]));
        assert_eq!(bools.text().unwrap(), "min False, max True, mean 0.75");
        let mut any_bits = host(&[3], &[false; 3]);
        any_bits.bytes = vec![0, 2, 255];
        let any_bits = Summary::of(&any_bits).text().unwrap();
        assert_eq!(any_bits, "min False, max True, mean 0.6666667");
    }

    #[test]
    fn values_are_nested_lists_that_lose_nothing() {
        let text = |t: &HostTensor| values(t).to_string();
        assert_eq!(
            text(&host(&[2, 2], &[0.1f32, f32::NAN, f32::INFINITY, -0.0])),
            "[[0.1,\"nan\"],[\"inf\",-0.0]]"
        );
        assert_eq!(
            text(&host(&[2], &[u64::MAX, 1])),
            "[18446744073709551615,1]"
        );
        assert_eq!(text(&host(&[], &[-3i8])), "-3");
        assert_eq!(text(&host::<f32>(&[2, 0], &[])), "[[],[]]");
        assert_eq!(text(&host::<f32>(&[0, 2], &[])), "[]");
        assert_eq!(text(&host(&[1], &[true])), "[true]");
    }
}
