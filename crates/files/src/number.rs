//! Numbers and truth values as text.

use zerostride::message::shorten;
use zerostride::{DType, Scalar};

/// The value of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// `True` or `False`, also in lower or upper case.
    Bool(bool),
    /// A whole number of at most 64 bits.
    Int(i128),
    /// Any other number.
    Float(f64),
}

/// Parses a number or truth value.
///
/// # Errors
/// If the text is neither, or a whole number of more than 64 bits.
pub fn parse(text: &str) -> Result<Number, String> {
    match text {
        "True" | "true" | "TRUE" => return Ok(Number::Bool(true)),
        "False" | "false" | "FALSE" => return Ok(Number::Bool(false)),
        _ => {}
    }
    if is_whole(text) {
        let fits = |n: &i128| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(n);
        return match text.parse::<i128>().ok().filter(fits) {
            Some(n) => Ok(Number::Int(n)),
            None => Err(format!("`{}` does not fit 64 bits", shown(text))),
        };
    }
    text.parse()
        .map(Number::Float)
        .map_err(|_| format!("`{}` is no number", shown(text)))
}

/// Whether a text is a whole number, of however many bits.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Shortens a text for an error.
pub fn shown(text: &str) -> String {
    shorten(text, 40)
}

/// Joins the first twelve texts for an error.
pub fn shown_list(texts: &[String]) -> String {
    const MOST: usize = 12;
    let mut all: Vec<String> = texts.iter().take(MOST).map(|t| shown(t)).collect();
    if texts.len() > MOST {
        all.push("...".into());
    }
    all.join(", ")
}

/// The smallest and the largest value of an integer type or bool.
fn bounds(dtype: DType) -> (i128, i128) {
    if dtype == DType::Bool {
        return (0, 1);
    }
    let bits = 8 * dtype.size();
    match dtype.is_signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// Appends the bytes of a number in an element type, and rounds floats.
///
/// # Errors
/// If the number does not fit the type.
pub fn encode(text: &str, dtype: DType, out: &mut Vec<u8>) -> Result<(), String> {
    let refused = || format!("`{}` does not fit {dtype}", shown(text));
    let bits = if dtype.is_float() {
        float(text, dtype)?
    } else {
        let whole = match parse(text)? {
            Number::Bool(b) => Some(i128::from(b)),
            Number::Int(n) => Some(n),
            Number::Float(_) => None,
        };
        let (low, high) = bounds(dtype);
        let fits = whole.filter(|n| (low..=high).contains(n));
        fits.ok_or_else(refused)? as u64
    };
    out.extend_from_slice(&bits.to_le_bytes()[..dtype.size()]);
    Ok(())
}

/// The bits of a number in a float type. Whole numbers may have more than 64 bits.
fn float(text: &str, dtype: DType) -> Result<u64, String> {
    let wide: f64 = match text.parse() {
        Ok(x) => x,
        Err(_) => match parse(text)? {
            Number::Bool(b) => f64::from(b),
            Number::Int(n) => n as f64,
            Number::Float(x) => x,
        },
    };
    match (dtype, text.parse::<f32>()) {
        // Rounded once.
        (DType::F32, Ok(narrow)) => Ok(narrow.to_bits().into()),
        _ => Ok(Scalar::of(dtype, wide).bits),
    }
}

/// The element type of NumPy for an array of these numbers; f64 if there are none.
pub fn common(numbers: impl Iterator<Item = Number>) -> DType {
    let (mut any, mut ints, mut large, mut floats) = (false, false, false, false);
    for number in numbers {
        any = true;
        match number {
            Number::Bool(_) => {}
            Number::Int(n) if i64::try_from(n).is_err() => large = true,
            Number::Int(_) => ints = true,
            Number::Float(_) => floats = true,
        }
    }
    match (any, ints, large, floats) {
        (false, ..) | (_, _, _, true) | (_, true, true, _) => DType::F64,
        (_, _, true, _) => DType::U64,
        (_, true, ..) => DType::I64,
        _ => DType::Bool,
    }
}

/// Whether a cell of a table is a number.
pub fn is_number(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|cell| parse(cell).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_their_type_or_are_refused() {
        let encoded = |text, dtype| {
            let mut out = Vec::new();
            encode(text, dtype, &mut out).map(|()| out)
        };
        for (text, dtype, bytes) in [
            ("-128", DType::I8, vec![0x80]),
            ("65535", DType::U16, vec![0xff, 0xff]),
            ("18446744073709551615", DType::U64, vec![0xff; 8]),
            (
                "-9223372036854775808",
                DType::I64,
                i64::MIN.to_le_bytes().to_vec(),
            ),
            ("true", DType::Bool, vec![1]),
            ("0", DType::Bool, vec![0]),
            ("True", DType::I16, vec![1, 0]),
            ("True", DType::F32, 1f32.to_le_bytes().to_vec()),
            (
                "99999999999999999999",
                DType::F64,
                1e20f64.to_le_bytes().to_vec(),
            ),
            ("0.1", DType::F32, 0.1f32.to_le_bytes().to_vec()),
            // Rounded by way of f64 it would be 1.
            (
                "1.00000005960464477540",
                DType::F32,
                1.000_000_1f32.to_le_bytes().to_vec(),
            ),
            ("16777217", DType::F64, 16_777_217f64.to_le_bytes().to_vec()),
            ("-0", DType::F64, (-0.0f64).to_le_bytes().to_vec()),
            ("-inf", DType::F32, f32::NEG_INFINITY.to_le_bytes().to_vec()),
        ] {
            assert_eq!(encoded(text, dtype), Ok(bytes), "{text}");
        }
        for (text, dtype) in [
            ("128", DType::I8),
            ("-1", DType::U64),
            ("1.0", DType::I32),
            ("2", DType::Bool),
            ("18446744073709551616", DType::U64),
            ("", DType::F64),
            ("1 2", DType::F64),
            ("0x10", DType::F64),
        ] {
            assert!(encoded(text, dtype).is_err(), "{text}");
        }
    }
}
