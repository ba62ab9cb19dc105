//! Letters, and floats as digits, as the standard library knows them. In browsers another module
//! stands here.

/// Whether a character is a letter.
pub(crate) fn is_alphabetic(c: char) -> bool {
    c.is_alphabetic()
}

/// Whether a character is a letter or a digit.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    c.is_alphanumeric()
}

/// The float nearest to decimal digits with a point or an exponent.
pub(crate) fn float_of(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The fewest digits that read as this number.
pub(crate) fn shortest(x: f64) -> String {
    format!("{x:?}")
}

/// The fewest digits that read as this number.
pub(crate) fn shortest_f32(x: f32) -> String {
    format!("{x:?}")
}

/// The number with so many digits behind the point.
pub(crate) fn fixed(x: f64, places: u8) -> String {
    format!("{x:.*}", usize::from(places))
}
