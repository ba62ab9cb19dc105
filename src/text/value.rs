//! What stands in a call and is no expression: element types, whole numbers, extents, permutations.

use super::lexer::{Token, syntax};
use super::parser::Parser;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::view::View;

impl Parser {
    /// Passes `key=` where it stands.
    pub fn keyword(&mut self, key: &str) {
        if matches!(self.token(), Token::Name(n) if n == key) && *self.ahead(1) == Token::Symbol("=") {
            self.advance();
            self.advance();
        }
    }

    /// An element type, quoted or not, with or without `np.`.
    pub fn dtype(&mut self) -> Result<DType> {
        self.keyword("dtype");
        if matches!(self.token(), Token::Name(n) if n == "np" || n == "numpy") && *self.ahead(1) == Token::Symbol(".") {
            self.advance();
            self.advance();
        }
        let column = self.column();
        match self.token().clone() {
            Token::Name(name) | Token::Text(name) => {
                self.advance();
                name.parse().map_err(|e: Error| match e {
                    Error::Argument { reason, .. } => syntax(column, reason),
                    other => other.at(column),
                })
            }
            _ => Err(self.unexpected("an element type")),
        }
    }

    /// A whole number with or without a sign.
    pub fn integer(&mut self, what: &str) -> Result<isize> {
        let column = self.column();
        let sign = if self.eat("-") { -1 } else { 1 };
        let Token::Int(x) = *self.token() else {
            let reason = format!("{} was found, {what} is a whole number", self.token().show());
            return Err(syntax(self.column(), reason));
        };
        self.advance();
        isize::try_from(sign * x).map_err(|_| syntax(column, format!("{what} is out of range")))
    }

    pub fn axis(&mut self) -> Result<isize> {
        self.integer("an axis")
    }

    /// `(2, 3)`, `[2, 3]` or `2`.
    pub fn integers(&mut self, what: &str) -> Result<Vec<isize>> {
        let close = match self.token() {
            Token::Symbol("(") => ")",
            Token::Symbol("[") => "]",
            _ => return Ok(vec![self.integer(what)?]),
        };
        self.advance();
        let mut out = Vec::new();
        while !self.eat(close) {
            out.push(self.integer(what)?);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(out)
    }

    pub fn extents(&mut self) -> Result<Vec<usize>> {
        self.keyword("shape");
        let column = self.column();
        let extents = self.integers("an extent")?;
        let fail = |_| syntax(column, "an extent is 0 or more");
        extents.into_iter().map(|e| usize::try_from(e).map_err(fail)).collect()
    }

    /// The axes of a transpose: one tuple, or several numbers.
    pub fn permutation(&mut self) -> Result<View> {
        self.keyword("axes");
        let column = self.column();
        let mut axes = self.integers("an axis")?;
        while *self.token() == Token::Symbol(",") && matches!(self.ahead(1), Token::Int(_) | Token::Symbol("-")) {
            self.advance();
            axes.push(self.integer("an axis")?);
        }
        let rank = axes.len();
        let fail = || {
            syntax(
                column,
                format!("transpose names each axis once: {rank} axes lie from -{rank} to {}", rank.saturating_sub(1)),
            )
        };
        let from_zero = |a: isize| if a < 0 { rank.checked_add_signed(a) } else { Some(a.unsigned_abs()) };
        axes.into_iter()
            .map(|a| from_zero(a).filter(|&a| a < rank).ok_or_else(fail))
            .collect::<Result<_>>()
            .map(View::Permute)
    }
}
