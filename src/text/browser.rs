//! Letters, and floats of digits, as the browser knows them: the standard library's tables for both
//! are 13 KB that no compression makes smaller.

use wasm_bindgen::JsValue;

/// Whether a character is a letter.
pub(super) fn is_alphabetic(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphabetic(),
        false => has_property(c, r"\p{Alphabetic}"),
    }
}

/// Whether a character is a letter or a digit.
pub(super) fn is_alphanumeric(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric(),
        false => has_property(c, r"[\p{Alphabetic}\p{N}]"),
    }
}

fn has_property(c: char, pattern: &str) -> bool {
    js_sys::RegExp::new(pattern, "u").test(c.encode_utf8(&mut [0; 4]))
}

/// The float nearest to decimal digits with a point or an exponent.
pub(super) fn float_of(text: &str) -> Option<f64> {
    let x = JsValue::from_str(text).unchecked_into_f64();
    (!x.is_nan()).then_some(x)
}
