//! Lines of WGSL with named placeholders.

use std::fmt::Display;

/// Adds lines of WGSL to a text. Each string is a line of the kernel, in which `{name}` stands for
/// one of the values named before the `;`. Other braces are WGSL's. A placeholder that names no
/// value does not compile.
///
/// ```text
/// emit! { out, i, stride = self.stride(i, "1u");
///     "fn next{i}(at: u32) -> u32 {"
///     "    return at + {stride};"
///     "}"
/// }
/// ```
macro_rules! emit {
    ($out:expr $(, $name:ident $(= $value:expr)?)*; $($line:literal)+) => {{
        const TEMPLATE: &str = concat!($($line, "\n"),+);
        const { assert!($crate::kernel::template::fits(TEMPLATE, &[$(stringify!($name)),*])) };
        $crate::kernel::template::fill(
            $out,
            TEMPLATE,
            &[$((stringify!($name), &emit!(@ $name $(= $value)?))),*],
        );
    }};
    (@ $name:ident = $value:expr) => { $value };
    (@ $name:ident) => { $name };
}
pub(super) use emit;

/// Adds a template with its placeholders replaced.
pub(super) fn fill(out: &mut String, template: &str, values: &[(&str, &dyn Display)]) {
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let name = from[1..].split('}').next().unwrap_or_default();
        match values.iter().find(|(n, _)| *n == name) {
            Some((_, value)) => {
                out.push_str(&value.to_string());
                rest = &from[name.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
}

/// Whether every placeholder of a template is one of these names.
pub(super) const fn fits(template: &str, names: &[&str]) -> bool {
    let text = template.as_bytes();
    let mut at = 0;
    while at < text.len() {
        let end = name_end(text, at);
        let mut n = 0;
        while end > at && (names.is_empty() || !is_at(text, at + 1, end, names[n].as_bytes())) {
            n += 1;
            if n >= names.len() {
                return false;
            }
        }
        at += 1;
    }
    true
}

/// Where the name of a placeholder that opens at `at` ends; `at` if none opens.
const fn name_end(text: &[u8], at: usize) -> usize {
    if text[at] != b'{' {
        return at;
    }
    let mut end = at + 1;
    while end < text.len() && (text[end].is_ascii_alphanumeric() || text[end] == b'_') {
        end += 1;
    }
    if end < text.len() && text[end] == b'}' {
        end
    } else {
        at
    }
}

const fn is_at(text: &[u8], start: usize, end: usize, name: &[u8]) -> bool {
    if end - start != name.len() {
        return false;
    }
    let mut k = 0;
    while k < name.len() {
        if text[start + k] != name[k] {
            return false;
        }
        k += 1;
    }
    true
}

/// A form with its operand names replaced.
pub(super) fn substitute(wgsl: &str, names: &[&str], with: &[String]) -> String {
    let mut out = String::with_capacity(wgsl.len() * 2);
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut String| {
        match names.iter().position(|n| n == word) {
            Some(i) => out.push_str(&with[i]),
            None => out.push_str(word),
        }
        word.clear();
    };
    for c in wgsl.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn lines_keep_their_braces_and_get_their_values() {
        let (mut out, i) = (String::new(), 3);
        emit! { &mut out, i, body = "x";
            "fn get{i}() -> u32 { return {body}; }"
            "    {"
        }
        assert_eq!(out, "fn get3() -> u32 { return x; }\n    {\n");
    }

    #[test]
    fn placeholders_must_be_named() {
        assert!(fits("{a} { b } {", &["a"]));
        assert!(!fits("{a}", &[]) && !fits("{ab}", &["a"]) && fits("{b}", &["a", "b"]));
    }
}
