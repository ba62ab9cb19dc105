//! Characters to tokens, each with its column.

use crate::error::{Error, Result};

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or keyword.
    Name(String),
    /// A whole number.
    Int(i128),
    /// A number with a decimal point or exponent.
    Float(f64),
    /// A text in quotes.
    Text(String),
    /// An operator or bracket.
    Symbol(&'static str),
    /// The end of a line outside brackets.
    Line,
    /// The end of the source.
    End,
}

impl Token {
    /// The token as messages name it.
    pub fn show(&self) -> String {
        match self {
            Self::Name(x) => format!("`{x}`"),
            Self::Int(x) => format!("`{x}`"),
            Self::Float(x) => format!("`{x:?}`"),
            Self::Text(x) => format!("'{x}'"),
            Self::Symbol(x) => format!("`{x}`"),
            Self::Line => "the end of the line".into(),
            Self::End => "the end".into(),
        }
    }

    /// Whether an operand may end here, so that the end of the line ends a statement.
    fn ends_operand(&self) -> bool {
        match self {
            Self::Name(_) | Self::Int(_) | Self::Float(_) | Self::Text(_) => true,
            Self::Symbol(s) => matches!(*s, ")" | "]" | "}"),
            Self::Line | Self::End => false,
        }
    }
}

/// A token and the column it begins at, counted in characters from 1.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub token: Token,
    pub column: usize,
}

/// An [`Error::Syntax`].
pub(super) fn syntax(column: usize, reason: impl Into<String>) -> Error {
    Error::Syntax {
        column,
        reason: reason.into(),
    }
}

/// Operators and brackets; longer symbols come before their prefixes.
const SYMBOLS: &[&str] = &[
    "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "<>", ":=", "&&", "||", "+", "-", "*",
    "/", "%", "&", "|", "^", "~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ".", ":", "@",
    "!", "?", ";",
];

/// The tokens of a source, the last of them [`Token::End`].
pub(super) fn tokens(source: &str) -> Result<Vec<Spot>> {
    let mut lexer = Lexer {
        chars: source.chars().collect(),
        at: 0,
    };
    let mut spots: Vec<Spot> = Vec::new();
    let mut open = 0usize;
    loop {
        let start = lexer.at;
        if lexer.pass_space() && open == 0 && spots.last().is_some_and(|s| s.token.ends_operand()) {
            let token = Token::Line;
            let column = start + 1;
            spots.push(Spot { token, column });
        }
        let column = lexer.at + 1;
        let token = lexer.token(column)?;
        match token {
            Token::Symbol("(" | "[" | "{") => open += 1,
            Token::Symbol(")" | "]" | "}") => open = open.saturating_sub(1),
            _ => {}
        }
        let end = token == Token::End;
        spots.push(Spot { token, column });
        if end {
            return Ok(spots);
        }
    }
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Passes spaces and remarks; returns whether a line ends among them.
    fn pass_space(&mut self) -> bool {
        let mut line = false;
        while let Some(c) = self.peek(0).filter(|c| c.is_whitespace() || *c == '#') {
            line |= c == '\n';
            if c == '#' {
                self.take_while(|c| c != '\n');
            } else {
                self.at += 1;
            }
        }
        line
    }

    fn is_digit(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|c| c.is_ascii_digit())
    }

    fn token(&mut self, column: usize) -> Result<Token> {
        let Some(first) = self.peek(0) else {
            return Ok(Token::End);
        };
        if first.is_ascii_digit() || first == '.' && self.is_digit(1) {
            return self.number(column);
        }
        if first == '_' || first.is_alphabetic() {
            return Ok(Token::Name(
                self.take_while(|c| c == '_' || c.is_alphanumeric()),
            ));
        }
        if first == '\'' || first == '"' {
            self.at += 1;
            let text = self.take_while(|c| c != first);
            if self.peek(0).is_none() {
                return Err(syntax(
                    column,
                    format!("the quoted text that begins here has no closing {first}"),
                ));
            }
            self.at += 1;
            return Ok(Token::Text(text));
        }
        for symbol in SYMBOLS {
            if symbol
                .chars()
                .enumerate()
                .all(|(i, c)| self.peek(i) == Some(c))
            {
                self.at += symbol.len();
                return Ok(Token::Symbol(symbol));
            }
        }
        let instead = match first {
            '×' | '·' => "; write *",
            '÷' => "; write /",
            '−' | '–' => "; write -",
            '≤' => "; write <=",
            '≥' => "; write >=",
            '≠' => "; write !=",
            _ => "",
        };
        Err(syntax(
            column,
            format!("`{first}` has no meaning here{instead}"),
        ))
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(&keep) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    /// Digits of a radix with single underscores between them, which are left out.
    fn digits(&mut self, radix: u32) -> String {
        let mut out = String::new();
        loop {
            match self.peek(0) {
                Some(c) if c.is_digit(radix) => out.push(c),
                Some('_') if !out.is_empty() && self.peek(1).is_some_and(|c| c.is_digit(radix)) => {
                }
                _ => return out,
            }
            self.at += 1;
        }
    }

    fn number(&mut self, column: usize) -> Result<Token> {
        let radix = match (self.peek(0), self.peek(1)) {
            (Some('0'), Some('x' | 'X')) => 16,
            (Some('0'), Some('o' | 'O')) => 8,
            (Some('0'), Some('b' | 'B')) => 2,
            _ => 10,
        };
        if radix != 10 {
            self.at += 2;
        }
        let mut text = self.digits(radix);
        let mut float = false;
        if radix == 10 {
            // `1.` and `1.5`, but not the `...` of an index.
            if self.peek(0) == Some('.')
                && !(self.peek(1) == Some('.') && self.peek(2) == Some('.'))
            {
                self.at += 1;
                float = true;
                text.push('.');
                text.push_str(&self.digits(10));
            }
            let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
            if matches!(self.peek(0), Some('e' | 'E')) && self.is_digit(1 + sign) {
                float = true;
                text.push('e');
                if sign == 1 {
                    text.extend(self.peek(1));
                }
                self.at += 1 + sign;
                text.push_str(&self.digits(10));
            }
        }
        if let Some(next) = self.peek(0)
            && (next == '_' || next.is_alphanumeric())
        {
            let reason = match next {
                'j' | 'J' => "complex numbers are not supported".into(),
                _ => format!(
                    "`{next}` follows a number without an operator; a product is written with *"
                ),
            };
            return Err(syntax(self.at + 1, reason));
        }
        if float {
            // "." alone never gets here: a digit stands on one side.
            let number = text.parse().map(Token::Float);
            return number.map_err(|_| syntax(column, format!("{text} is not a number")));
        }
        if radix == 10 && text.len() > 1 && text.starts_with('0') && text.contains(|c| c != '0') {
            return Err(syntax(
                column,
                format!("{text}: a whole number must not begin with 0"),
            ));
        }
        if text.is_empty() {
            return Err(syntax(column, "digits are missing"));
        }
        i128::from_str_radix(&text, radix)
            .map(Token::Int)
            .map_err(|_| syntax(column, "the number is larger than any integer type"))
    }
}
