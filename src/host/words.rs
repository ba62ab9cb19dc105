//! The elements of an array as words of one width.

use super::digits::{self, Digits};
use crate::dtype::DType;

/// The elements' texts as NumPy aligns them in an array: all as wide as the widest, floats with
/// their points below one another.
pub(super) fn words(dtype: DType, bits: &[u64], precision: Option<usize>) -> Vec<String> {
    if dtype.is_float() {
        return floats(dtype, bits, precision);
    }
    let words: Vec<String> = bits.iter().map(|&b| whole(dtype, b)).collect();
    aligned(&words, if dtype == DType::Bool { 5 } else { 0 })
}

/// Words with spaces in front, as wide as the widest, and at least this wide.
pub(super) fn aligned(words: &[String], least: usize) -> Vec<String> {
    let widths = words.iter().map(|w| w.chars().count());
    let width = widths.fold(least, usize::max);
    words.iter().map(|w| format!("{w:>width$}")).collect()
}

/// One element alone, as Python prints a number.
pub(super) fn alone(dtype: DType, bits: u64) -> String {
    if !dtype.is_float() {
        return whole(dtype, bits);
    }
    let x = digits::value(dtype, bits);
    if !x.is_finite() {
        return infinite(x).into();
    }
    let digits = Digits::new(dtype, bits);
    if x == 0.0 || (1e-4..large(dtype, 1e16)).contains(&x.abs()) {
        let (whole, fraction) = digits.positional(None);
        let fraction = if fraction.is_empty() { "0" } else { &fraction };
        return format!("{whole}.{fraction}");
    }
    let (first, rest, exponent) = digits.scientific(None);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{first}{point}{rest}{}", power(exponent, 2))
}

/// A bool or an integer.
fn whole(dtype: DType, bits: u64) -> String {
    let unused = 64 - 8 * dtype.size();
    match dtype {
        DType::Bool => if bits == 0 { "False" } else { "True" }.into(),
        _ if dtype.is_signed() => ((bits << unused).cast_signed() >> unused).to_string(),
        _ => bits.to_string(),
    }
}

fn infinite(x: f64) -> &'static str {
    match x {
        _ if x.is_nan() => "nan",
        _ if x < 0.0 => "-inf",
        _ => "inf",
    }
}

/// An exponent of at least `digits` digits.
fn power(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:0digits$}", exponent.unsigned_abs())
}

/// The least value that is shown with an exponent, if that is `double` for f64.
fn large(dtype: DType, double: f64) -> f64 {
    match dtype {
        DType::F16 => 1e3,
        // NumPy has no bf16; it has the range of an f32.
        DType::Bf16 | DType::F32 => 1e6,
        _ => double,
    }
}

/// Whether floats are shown with exponents: if one is large or small, or if they are far apart. What
/// is compared is rounded to the type, as NumPy does.
fn needs_exponents(dtype: DType, values: &[f64]) -> bool {
    let sizes = values.iter().map(|x| x.abs());
    let sizes = sizes.filter(|&x| x.is_finite() && x != 0.0);
    let Some((least, most)) = sizes.fold(None, |found: Option<(f64, f64)>, x| {
        let (least, most) = found.unwrap_or((x, x));
        Some((least.min(x), most.max(x)))
    }) else {
        return false;
    };
    most >= large(dtype, 1e8)
        || least < digits::rounded(dtype, 1e-4)
        || digits::rounded(dtype, most / least) > 1e3
}

/// A finite float's text in parts: before the point, behind it, and the exponent.
type Parts = (String, String, Option<i32>);

fn floats(dtype: DType, bits: &[u64], precision: Option<usize>) -> Vec<String> {
    let values: Vec<f64> = bits.iter().map(|&b| digits::value(dtype, b)).collect();
    let exponents = needs_exponents(dtype, &values);
    let parts = |(&bits, x): (&u64, &f64)| -> Option<Parts> {
        x.is_finite().then(|| {
            let digits = Digits::new(dtype, bits);
            if exponents {
                let (first, rest, exponent) = digits.scientific(precision);
                return (first, rest, Some(exponent));
            }
            let (whole, fraction) = digits.positional(precision);
            (whole, fraction, None)
        })
    };
    let made: Vec<Option<Parts>> = bits.iter().zip(&values).map(parts).collect();
    // The widths before and behind the point, and of exponents.
    let (mut before, mut behind, mut powers) = (0, 0, 0);
    for (whole, fraction, exponent) in made.iter().flatten() {
        before = before.max(whole.len());
        behind = behind.max(fraction.len());
        if let Some(exponent) = exponent {
            powers = powers.max(exponent.unsigned_abs().to_string().len().max(2));
        }
    }
    // The point itself, and the `e` and sign of an exponent.
    let point = usize::from(made.iter().flatten().count() > 0);
    let tail = point + behind + if powers > 0 { powers + 2 } else { 0 };
    let others = made.iter().zip(&values).filter(|(made, _)| made.is_none());
    let others = others.map(|(_, &x)| infinite(x).len()).max();
    let width = (before + tail).max(others.unwrap_or(0));
    let before = width - tail;
    let word = |(made, &x): (&Option<Parts>, &f64)| match made {
        None => format!("{:>width$}", infinite(x)),
        Some((whole, fraction, None)) => format!("{whole:>before$}.{fraction:<behind$}"),
        Some((.., Some(exponent))) => {
            // Where one has so many digits, all have, of the value itself; these may be 9.99 where
            // fewer were 1.
            let text = format!("{x:.behind$e}");
            let (digits, exact) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent = exact.parse().unwrap_or(*exponent);
            let point = if behind == 0 { "." } else { "" };
            format!(
                "{:>width$}",
                format!("{digits}{point}{}", power(exponent, powers))
            )
        }
    };
    made.iter().zip(&values).map(word).collect()
}
