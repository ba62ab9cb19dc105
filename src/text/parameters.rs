//! The arguments of a function's call, by place or by name.

use super::function::{Function, Parameter};
use super::lexer::{Token, syntax};
use super::parser::Parser;
use crate::error::{Error, Result, join};

/// The parameters of a function, and which of them a call has given.
pub(super) struct Parameters<'a> {
    function: &'a Function,
    /// The given parameters, by which of their names.
    given: Vec<Option<&'static str>>,
    /// How many were given by place.
    next: usize,
}

/// A parameter whose value follows.
pub(super) struct Ahead {
    /// Its place in the list.
    pub number: usize,
    /// Where it begins, its name included.
    pub column: usize,
    pub by_name: bool,
}

impl<'a> Parameters<'a> {
    pub fn new(function: &'a Function) -> Self {
        Self {
            function,
            given: vec![None; function.parameters.len()],
            next: 0,
        }
    }

    /// Counts the first as given by place: the operand in front of a method.
    pub fn take_first(&mut self) {
        self.next = 1;
        self.given[0] = Some(self.function.parameters[0].name);
    }

    /// Whether a call has given it.
    pub fn is_given(&self, number: usize) -> bool {
        self.given[number].is_some()
    }

    /// The parameters of the function, for messages.
    pub fn takes(&self) -> String {
        let shown = self.function.parameters.iter().flat_map(Parameter::shown);
        let names: Vec<String> = shown.map(|name| format!("{name}=")).collect();
        match names.as_slice() {
            [] => "it takes none".into(),
            names => format!("it takes {}", join(names)),
        }
    }
}

/// The error of an operand that is given by name.
pub(super) fn by_place(function: &str, key: &str, column: usize) -> Error {
    let reason = format!("{function} takes its operands by place, without {key}=");
    syntax(column, reason)
}

impl Parser {
    /// Whether a parameter is given by its name here.
    pub fn is_named(&self) -> bool {
        matches!(self.token(), Token::Name(_)) && *self.ahead(1) == Token::Symbol("=")
    }

    /// The parameter whose value stands here; its name is passed.
    pub fn parameter_ahead(&mut self, parameters: &mut Parameters<'_>) -> Result<Ahead> {
        let column = self.column();
        let by_name = self.is_named();
        let Function {
            name: function,
            parameters: all,
            places,
            ..
        } = parameters.function;
        let (number, name) = match self.token().clone() {
            Token::Name(key) if by_name => {
                self.advance();
                self.advance();
                // NumPy takes these by place alone.
                if matches!(key.as_str(), "x1" | "x2") {
                    return Err(by_place(function, &key, column));
                }
                let is_it = |p: &Parameter| p.name == key || p.others.contains(&key.as_str());
                let found = all.iter().position(is_it);
                // A method has no name for what it is a method of.
                let found = found.filter(|&n| !(parameters.is_given(n) && all[n].is_hidden()));
                let number = found.ok_or_else(|| {
                    let reason = format!("{function} has no {key}=; {}", parameters.takes());
                    syntax(column, reason)
                })?;
                let mut others = all[number].others.iter().copied();
                let other = others.find(|other| *other == key);
                (number, other.unwrap_or(all[number].name))
            }
            _ if parameters.next < *places => {
                parameters.next += 1;
                let number = parameters.next - 1;
                (number, all[number].name)
            }
            _ => {
                let reason = format!("{function} is given too much; {}", parameters.takes());
                return Err(syntax(column, reason));
            }
        };
        if let Some(before) = parameters.given[number].replace(name) {
            let reason = match before == name {
                true => format!("{function} has {name}= twice"),
                false => format!("{function} has {before}= and {name}=, which are the same"),
            };
            return Err(syntax(column, reason));
        }
        Ok(Ahead {
            number,
            column,
            by_name,
        })
    }

    /// The comma behind a parameter; the closing bracket is left.
    pub fn separator(&mut self) -> Result<()> {
        match self.eat(",") || *self.token() == Token::Symbol(")") {
            true => Ok(()),
            false => Err(self.unexpected("`,` or `)`")),
        }
    }
}
