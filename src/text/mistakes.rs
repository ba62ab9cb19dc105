//! Errors for tokens that have no meaning where they stand.

use super::lexer::{Token, syntax};
use super::operators::symbol_hint;
use super::parser::Parser;
use super::{advice, hints, names, value};
use crate::error::Error;

impl Parser {
    /// The error of the token that stands here instead of what was wanted.
    pub fn unexpected(&self, wanted: &str) -> Error {
        let found = self.token();
        let hint = match found {
            Token::Name(name) => names::keyword(name),
            Token::Symbol(symbol) => symbol_hint(symbol),
            _ => None,
        };
        let reason = match (hint, found) {
            (Some(hint), _) => hint.into(),
            (None, Token::Text(_)) => {
                "quotes are only for a rule, a type or a mode: rule='numpy', astype('f4')".into()
            }
            (None, Token::Name(_) | Token::Int(_) | Token::Float(_)) => format!(
                "{} follows an operand without an operator, {wanted} was expected; a product is written with *",
                found.show()
            ),
            (None, _) => format!("{} was found, {wanted} was expected", found.show()),
        };
        syntax(self.column(), reason)
    }

    /// What to write instead of a method of the function whose name was passed.
    pub fn method_of_function(&self, name: &str) -> Option<String> {
        names::function(name)?;
        advice::method_of(name, self.attribute()?)
    }

    /// The name of an attribute that stands here behind its point.
    pub fn attribute(&self) -> Option<&str> {
        match (self.token(), self.ahead(1)) {
            (Token::Symbol("."), Token::Name(attribute)) => Some(attribute),
            _ => None,
        }
    }

    /// The error of what stands behind `np.` and is neither a constant nor called.
    pub fn no_constant(&self, name: String, column: usize) -> Error {
        let module = advice::module(&name).filter(|_| self.attribute().is_some());
        let lower = name.to_ascii_lowercase();
        let hint = match (module, self.method_of_function(&name)) {
            (Some(reason), _) => format!("; {reason}"),
            (None, Some(hint)) => hint,
            // `np.NaN`, `np.Inf`, `np.PI`.
            _ if names::constant(&lower).is_some() => format!("; write {lower}"),
            _ if self.function(&name).is_some()
                || hints::spelled(&name).is_some()
                || value::casting(&name).is_some() =>
            {
                format!("; it is a function and needs operands: {name}(...)")
            }
            _ => self.function_hint(&name),
        };
        Error::UnknownName { column, name, hint }
    }
}
