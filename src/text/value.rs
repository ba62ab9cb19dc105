//! What stands in a call and is no expression: element types and whole numbers.

use super::lexer::{Token, syntax};
use super::parser::Parser;
use crate::dtype::{DType, UnknownDType};
use crate::error::Result;

impl Parser {
    /// Passes `key=` if it stands here.
    fn keyword(&mut self, key: &str) {
        if matches!(self.token(), Token::Name(n) if n == key)
            && *self.ahead(1) == Token::Symbol("=")
        {
            self.advance();
            self.advance();
        }
    }

    /// An element type, with or without `dtype=`.
    pub fn dtype(&mut self) -> Result<DType> {
        self.keyword("dtype");
        self.dtype_name()
    }

    /// An element type, quoted or not, with or without `np.`.
    pub fn dtype_name(&mut self) -> Result<DType> {
        if matches!(self.token(), Token::Name(n) if n == "np" || n == "numpy")
            && *self.ahead(1) == Token::Symbol(".")
        {
            self.advance();
            self.advance();
        }
        let column = self.column();
        match self.token().clone() {
            Token::Name(name) | Token::Text(name) => {
                self.advance();
                name.parse()
                    .map_err(|unknown: UnknownDType| syntax(column, unknown.to_string()))
            }
            _ => Err(self.unexpected("an element type")),
        }
    }

    /// A whole number with or without signs and brackets, as a number bound on the command line has
    /// them: `-(-1)`.
    pub fn integer(&mut self, what: &str) -> Result<isize> {
        let column = self.column();
        let (mut sign, mut open) = (1, 0usize);
        loop {
            match self.token() {
                Token::Symbol("-") => sign = -sign,
                Token::Symbol("+") => {}
                Token::Symbol("(") => open += 1,
                _ => break,
            }
            self.advance();
        }
        let Token::Int(x) = *self.token() else {
            let reason = format!(
                "{} was found, {what} is a whole number",
                self.token().show()
            );
            return Err(syntax(self.column(), reason));
        };
        self.advance();
        for _ in 0..open {
            self.expect(")")?;
        }
        isize::try_from(sign * x).map_err(|_| syntax(column, format!("{what} is out of range")))
    }

    /// `(2, 3)`, `[2, 3]` or `2`, and whether it is a tuple or list: `(2)` is none, `(2,)` is one.
    pub fn integers(&mut self, what: &str) -> Result<(Vec<isize>, bool)> {
        let close = match self.token() {
            Token::Symbol("(") => ")",
            Token::Symbol("[") => "]",
            _ => return Ok((vec![self.integer(what)?], false)),
        };
        self.advance();
        let (mut out, mut has_comma) = (Vec::new(), false);
        while !self.eat(close) {
            out.push(self.integer(what)?);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
            has_comma = true;
        }
        let is_list = has_comma || close == "]" || out.is_empty();
        Ok((out, is_list))
    }
}
