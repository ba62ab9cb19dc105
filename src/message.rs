//! Parts of messages: counted nouns, and escaped text from files, paths and names.
//!
//! The command uses this module too, so that the messages of both are alike.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::path::Path;

/// A number with its noun, which is given in the singular: `1 byte`, `2 bytes`, `3 passes`, `0 axes`.
pub fn count(n: impl Display, noun: &str) -> String {
    let n = n.to_string();
    match noun {
        _ if n == "1" => format!("1 {noun}"),
        "axis" => format!("{n} axes"),
        "pass" => format!("{n} passes"),
        _ => format!("{n} {noun}s"),
    }
}

/// Escapes text from outside for a message of one line: characters that a terminal would obey, or
/// that reorder text, become escapes such as `\u{1b}`. Escaping a text twice changes nothing.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let spelled = |c: char| match is_obeyed(c) {
        true => c.escape_default().to_string(),
        false => c.into(),
    };
    Cow::Owned(text.chars().map(spelled).collect())
}

/// Text from outside as by [`escape`], cut to at most `most` characters.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", escape(&text[..end])),
        None => escape(text).into_owned(),
    }
}

/// A path, escaped for a message as by [`escape`].
pub fn path(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

/// JSON text of the same value in which a terminal obeys nothing but line ends.
pub fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_obeyed(c) {
            // Outside its strings JSON has line ends and ASCII alone.
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Control characters of ASCII and Latin-1, those that change the direction of text, and line
/// separators.
fn is_obeyed(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text that only lists show, such as `text::language`; empty without feature `complete`.
pub(crate) const fn shown(text: &'static str) -> &'static str {
    if cfg!(feature = "complete") { text } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        for (n, noun, text) in [
            (1, "byte", "1 byte"),
            (0, "byte", "0 bytes"),
            (21, "byte", "21 bytes"),
            (2, "axis", "2 axes"),
            (1, "axis", "1 axis"),
            (3, "pass", "3 passes"),
        ] {
            assert_eq!(count(n, noun), text);
        }
    }

    #[test]
    fn what_a_terminal_obeys_is_spelled_out_and_everything_else_kept() {
        let hostile = "a\u{1b}[31m\u{7}\n\r\t\u{0}\u{7f}\u{85}\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}z";
        let shown = escape(hostile);
        assert!(!shown.contains(is_obeyed), "{shown:?}");
        assert!(
            shown.starts_with(r"a\u{1b}[31m\u{7}\n\r\t\u{0}\u{7f}\u{85}\u{9b}2J\u{202e}"),
            "{shown}"
        );
        assert_eq!(escape(&shown), shown);
        let kept = r"C:\grün\日本語 e\u0301 'x' (1).npy";
        assert!(matches!(escape(kept), Cow::Borrowed(same) if same == kept));
    }

    #[test]
    fn json_keeps_its_value() {
        let hostile = "\u{1b}\u{9b}\u{202e}\"\\\n日";
        let json = format!("{:#}", serde_json::json!({ "name": hostile }));
        let shown = escape_json(&json);
        assert!(!shown.replace('\n', "").contains(is_obeyed), "{shown:?}");
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(value["name"], hostile);
    }
}
