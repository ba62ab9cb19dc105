//! Letters, and floats of digits, as the standard library knows them.

/// Whether a character is a letter.
pub(super) fn is_alphabetic(c: char) -> bool {
    c.is_alphabetic()
}

/// Whether a character is a letter or a digit.
pub(super) fn is_alphanumeric(c: char) -> bool {
    c.is_alphanumeric()
}

/// The float nearest to decimal digits with a point or an exponent.
pub(super) fn float_of(text: &str) -> Option<f64> {
    text.parse().ok()
}
