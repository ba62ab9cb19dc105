//! Letters, and floats as digits, as the browser knows them: the standard library's tables for
//! letters and for reading floats are 13 KB that no compression makes smaller, and writing floats
//! is another 8.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// Each method throws for more than 100 digits alone.
    type Number;

    #[wasm_bindgen(method, js_name = toExponential)]
    fn as_exponential(this: &Number, places: u8) -> String;

    #[wasm_bindgen(method, js_name = toFixed)]
    fn as_fixed(this: &Number, places: u8) -> String;
}

/// Whether a character is a letter.
pub(crate) fn is_alphabetic(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphabetic(),
        false => has_property(c, r"\p{Alphabetic}"),
    }
}

/// Whether a character is a letter or a digit.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric(),
        false => has_property(c, r"[\p{Alphabetic}\p{N}]"),
    }
}

fn has_property(c: char, pattern: &str) -> bool {
    js_sys::RegExp::new(pattern, "u").test(c.encode_utf8(&mut [0; 4]))
}

/// The float nearest to decimal digits with a point or an exponent.
pub(crate) fn float_of(text: &str) -> Option<f64> {
    let x = JsValue::from_str(text).unchecked_into_f64();
    (!x.is_nan()).then_some(x)
}

/// The fewest digits that read as this number.
pub(crate) fn shortest(x: f64) -> String {
    written(x, &|y| y)
}

/// The fewest digits that read as this number.
pub(crate) fn shortest_f32(x: f32) -> String {
    written(x.into(), &|y| f64::from(y as f32))
}

/// The number with so many digits behind the point.
pub(crate) fn fixed(x: f64, places: u8) -> String {
    number(x).as_fixed(places)
}

fn number(x: f64) -> Number {
    JsValue::from_f64(x).unchecked_into()
}

/// The number of a type, to which `round` brings others, as `{:?}` writes it. The fewest digits are
/// looked for here: those that the browser gives on its own end in an even one where two are as near.
fn written(x: f64, round: &dyn Fn(f64) -> f64) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let number = number(x.abs());
    let mut texts = (0..17).map(|places| number.as_exponential(places));
    let text = texts.find(|text| float_of(text).map(round) == Some(x.abs()));
    // The text of infinity has no exponent.
    let text = text.unwrap_or_default();
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return format!("{sign}inf");
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-4..16).contains(&exponent) {
        return format!("{sign}{mantissa}e{exponent}");
    }
    let zeros = "0".repeat(exponent.min(0).unsigned_abs() as usize);
    let digits = zeros + &mantissa.replace('.', "");
    let point = exponent.max(0) as usize + 1;
    let fraction = digits.get(point..).filter(|rest| !rest.is_empty());
    format!("{sign}{digits:0<point$.point$}.{}", fraction.unwrap_or("0"))
}
