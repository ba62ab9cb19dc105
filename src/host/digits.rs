//! The decimal digits of floats: as few as tell a value from all others of its type.

use half::{bf16, f16};

use crate::dtype::DType;

/// A finite float as decimal digits: `0.d1d2d3.. * 10^(point)`.
pub(super) struct Digits {
    sign: &'static str,
    digits: String,
    /// How many digits stand before the point; 0 or fewer if there are zeros behind it first.
    point: i32,
    /// The value itself, which every f64 holds.
    exact: f64,
}

/// The value of a float's bits.
pub(super) fn value(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F16 => f16::from_bits(bits as u16).to_f64(),
        DType::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        DType::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// A value as the nearest of a float type.
pub(super) fn rounded(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::Bf16 => bf16::from_f64(x).to_f64(),
        DType::F32 => f64::from(x as f32),
        _ => x,
    }
}

/// The shortest text of a magnitude, as `d.dde-5`, that reads as the same value of its type. Ties
/// between two texts go to the even one, as in NumPy.
fn shortest(dtype: DType, x: f64) -> String {
    let reads = |text: &String| text.parse().is_ok_and(|y| rounded(dtype, y) == x);
    let (short, places) = match dtype {
        DType::F64 => (format!("{x:e}"), 0),
        DType::F32 => (format!("{:e}", x as f32), 0),
        _ => (format!("{x:e}"), 8),
    };
    let known = short
        .split('e')
        .next()
        .map_or(0, str::len)
        .saturating_sub(2);
    let from = if places > 0 { 0 } else { known };
    let texts = (from..=known.max(places)).map(|places| format!("{x:.places$e}"));
    texts.into_iter().find(reads).unwrap_or(short)
}

impl Digits {
    /// The digits of a finite float.
    pub fn new(dtype: DType, bits: u64) -> Self {
        let exact = value(dtype, bits);
        let text = shortest(dtype, exact.abs());
        let (digits, point) = parsed(&text);
        Self {
            sign: if exact.is_sign_negative() { "-" } else { "" },
            digits,
            point,
            exact,
        }
    }

    /// The digits before the point, with the sign, and those behind it: at most `places`, without
    /// zeros at the end.
    pub fn positional(&self, places: Option<usize>) -> (String, String) {
        let zeros = usize::try_from(-self.point).unwrap_or(0);
        let before = usize::try_from(self.point).unwrap_or(0);
        let (whole, fraction) = match self.digits.len() > before {
            true => {
                let (whole, rest) = self.digits.split_at(before);
                (whole.to_owned(), "0".repeat(zeros) + rest)
            }
            false => (format!("{:0<before$}", self.digits), String::new()),
        };
        let (whole, fraction) = match places {
            // Rounded from the value itself, once.
            Some(places) if fraction.len() > places => {
                let text = format!("{:.places$}", self.exact.abs());
                let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
                (whole.to_owned(), fraction.to_owned())
            }
            _ => (whole, fraction),
        };
        let whole = if whole.is_empty() { "0" } else { &whole };
        (
            format!("{}{whole}", self.sign),
            fraction.trim_end_matches('0').to_owned(),
        )
    }

    /// The first digit, with the sign, the digits behind the point, as above, and the exponent.
    pub fn scientific(&self, places: Option<usize>) -> (String, String, i32) {
        let (digits, point) = match places {
            Some(places) if self.digits.len() > places + 1 => {
                parsed(&format!("{:.places$e}", self.exact.abs()))
            }
            _ => (self.digits.clone(), self.point),
        };
        let (first, rest) = digits.split_at(1);
        let exponent = if digits == "0" { 0 } else { point - 1 };
        let first = format!("{}{first}", self.sign);
        (first, rest.trim_end_matches('0').to_owned(), exponent)
    }
}

/// The digits of a text such as `1.25e-5`, without zeros at the end, and the place of the point.
fn parsed(text: &str) -> (String, i32) {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = digits.replace('.', "");
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        some => some,
    };
    (digits.to_owned(), exponent.parse::<i32>().unwrap_or(0) + 1)
}
