//! The tokens of WGSL: its declarations, and the same text with unique names.

/// How deep brackets may nest, and how many words, numbers and signs a statement may have, `else` a
/// text and declarations: a compiler goes down as deep.
const MOST_BRACKETS: usize = 64;
const MOST_IN_STATEMENT: usize = 1024;
const MOST_ELSE: usize = 256;
const MOST_DECLARED: usize = 256;

/// What is wrong with a text, and at which byte.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub reason: String,
}

impl Fault {
    pub fn new(at: usize, reason: impl Into<String>) -> Self {
        Self {
            at,
            reason: reason.into(),
        }
    }
}

/// A word, number or sign of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub at: usize,
    pub text: &'a str,
    pub is_word: bool,
}

/// A text without its comments.
pub(super) struct Source<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    /// The names of its functions and constants; none of an expression.
    declared: Vec<&'a str>,
}

/// Where a line ends in WGSL.
fn ends_line(c: char) -> bool {
    matches!(
        c,
        '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// How long the comment is that a text begins with; 0 if it begins with none.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find(ends_line).unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return Some(0);
    }
    let (mut depth, mut at) = (0usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let skipped = comment(rest).ok_or_else(|| Fault::new(at, "the comment does not end"))?;
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let len = match c {
            _ if c.is_ascii_digit() => rest.find(|c| !is_word(c) && c != '.').unwrap_or(rest.len()),
            _ if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => c.len_utf8(),
        };
        if !c.is_whitespace() {
            found.push(Token {
                at,
                text: &rest[..len],
                is_word: is_word(c) && !c.is_ascii_digit(),
            });
        }
        at += len;
    }
    Ok(found)
}

/// Checks that brackets close what they open, and that nothing is too deep for a compiler.
fn balanced(tokens: &[Token<'_>]) -> Result<(), Fault> {
    let mut open: Vec<Token<'_>> = Vec::new();
    let (mut count, mut alternatives) = (0, 0);
    for token in tokens {
        match token.text {
            ";" | "{" | "}" => count = 0,
            "else" => alternatives += 1,
            _ => count += 1,
        }
        let limits = [
            (open.len(), MOST_BRACKETS, "brackets within another"),
            (count, MOST_IN_STATEMENT, "words and signs in a statement"),
            (alternatives, MOST_ELSE, "`else`"),
        ];
        if let Some((_, most, what)) = limits.iter().find(|(found, most, _)| found > most) {
            let reason = format!("there are more than {most} {what}");
            return Err(Fault::new(token.at, reason));
        }
        let opens = match token.text {
            "(" | "[" | "{" => {
                open.push(*token);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        if open.pop().is_none_or(|o| o.text != opens) {
            let reason = format!("`{}` closes nothing", token.text);
            return Err(Fault::new(token.at, reason));
        }
    }
    match open.pop() {
        Some(o) => Err(Fault::new(o.at, format!("`{}` is not closed", o.text))),
        None => Ok(()),
    }
}

impl<'a> Source<'a> {
    /// Accepts an expression, or functions and constants. All else is an error, so that the WGSL cannot
    /// declare bindings or variables of the kernel.
    pub fn new(text: &'a str) -> Result<Self, Fault> {
        let tokens = tokens(text)?;
        balanced(&tokens)?;
        if let Some(attribute) = tokens.iter().find(|t| t.text == "@") {
            let reason = "attributes are not allowed in an operator: it has no bindings or stage";
            return Err(Fault::new(attribute.at, reason));
        }
        if tokens.is_empty() {
            return Err(Fault::new(0, "the text is empty"));
        }
        let mut source = Self {
            text,
            declared: Vec::new(),
            tokens,
        };
        let ends = |t: &&Token<'_>| matches!(t.text, ";" | "{" | "}");
        if source.tokens.iter().any(|t| t.text == "fn") {
            source.declare()?;
        } else if let Some(sign) = source.tokens.iter().find(ends) {
            let reason = format!(
                "`{}` is not allowed in an expression; write statements as a function: fn name(..) -> .. {{ .. }}",
                sign.text
            );
            return Err(Fault::new(sign.at, reason));
        }
        Ok(source)
    }

    /// Whether it is an expression.
    pub fn is_expression(&self) -> bool {
        self.declared.is_empty()
    }

    /// Finds the functions and constants, and refuses other declarations.
    fn declare(&mut self) -> Result<(), Fault> {
        let mut rest = self.tokens.as_slice();
        while let [first, after @ ..] = rest {
            let end = match first.text {
                ";" => {
                    rest = after;
                    continue;
                }
                "fn" => body_end(after),
                "const" => after
                    .iter()
                    .position(|t| t.text == ";")
                    .unwrap_or(after.len()),
                other => {
                    let reason = format!(
                        "`{other}` is not allowed here: an operator may declare functions and `const`, but no \
                         variables, structures, overrides or directives"
                    );
                    return Err(Fault::new(first.at, reason));
                }
            };
            if let Some(name) = after.first() {
                self.declared.push(name.text);
                if self.declared.len() > MOST_DECLARED {
                    let reason = format!("there are more than {MOST_DECLARED} declarations");
                    return Err(Fault::new(name.at, reason));
                }
            }
            rest = after.get(end + 1..).unwrap_or_default();
        }
        Ok(())
    }

    /// Where a word stands for the first time.
    #[cfg(not(target_family = "wasm"))]
    pub fn place(&self, word: &str) -> usize {
        let found = self.tokens.iter().find(|t| t.text == word);
        found.map_or(0, |t| t.at)
    }

    /// The text without comments, each declared name behind a prefix. A member behind a dot keeps
    /// its name.
    pub fn prefixed(&self, prefix: &str) -> String {
        let mut out = String::with_capacity(self.text.len() * 2);
        let mut end = 0;
        let mut before = "";
        for token in &self.tokens {
            let gap = &self.text[end..token.at];
            if gap.contains(ends_line) {
                let indent = gap.chars().rev().take_while(|&c| c == ' ').count();
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
            } else if !gap.is_empty() {
                out.push(' ');
            }
            if token.is_word && before != "." && self.declared.contains(&token.text) {
                out.push_str(prefix);
            }
            out.push_str(token.text);
            (end, before) = (token.at + token.text.len(), token.text);
        }
        out
    }
}

/// The place behind a function's name of the `}` that ends its body.
fn body_end(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => depth += 1,
            "}" if depth == 1 => return i,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    tokens.len()
}
