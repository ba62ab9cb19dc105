//! Calls by name, as functions and as methods: of operators, functions and types.

use super::ast::{Ast, TextNode};
use super::lexer::{Token, syntax};
use super::names::of_row;
use super::parser::Parser;
use super::{advice, functions, hints, value};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::view::View;

impl Parser {
    /// The call of a function, its bracket passed.
    pub fn call(&mut self, name: &str, column: usize) -> Result<usize> {
        if self.is_within {
            if let Some(composed) = of_row(functions::PROMOTED, name) {
                let args = self.items(")")?;
                return Ok(self.push(column, Ast::Composed(composed, args)));
            }
            if let Some(function) = functions::private(name) {
                return self.composed(function, column, None);
            }
        }
        let dtype = name.parse::<DType>().ok().or_else(|| value::casting(name));
        match dtype {
            Some(dtype) if hints::spelled(name).is_none() && self.function(name).is_none() => {
                let x = self.expression(0)?;
                self.eat(",");
                self.expect(")")?;
                Ok(self.push(column, Ast::Cast(x, dtype)))
            }
            _ => self.of_name(name, column, None),
        }
    }

    /// The call of a function or an operator, its bracket passed. A method's first
    /// operand stands in front.
    fn of_name(&mut self, name: &str, column: usize, first: Option<usize>) -> Result<usize> {
        if let (Some(name), false) = (hints::spelled(name), self.is_within) {
            self.called.insert(column, name);
        }
        if let Some(function) = functions::named(name) {
            return self.composed(function, column, first);
        }
        let op = self.function(name).ok_or_else(|| Error::UnknownName {
            column,
            name: name.into(),
            hint: self.function_hint(name),
        })?;
        let name = hints::spelled(name).unwrap_or_else(|| op.name());
        self.operation(name, op, column, first)
    }

    /// What a view or a reduction is taken of, and the comma behind it.
    pub fn first_operand(&mut self, name: &str) -> Result<usize> {
        if self.is_named() {
            let reason = format!("{name} takes its array first, without a name");
            return Err(syntax(self.column(), reason));
        }
        let x = self.expression(0)?;
        self.separator()?;
        Ok(x)
    }

    /// `.T`, `.astype(..)`, or a function written behind its first operand.
    pub fn method(&mut self, x: usize) -> Result<usize> {
        self.advance();
        let column = self.column();
        let Token::Name(name) = self.token().clone() else {
            return Err(self.unexpected("the name of a method"));
        };
        self.advance();
        match name.as_str() {
            "T" => return Ok(self.push(column, Ast::View(x, View::Transpose))),
            // Every array is real.
            "real" => return Ok(x),
            "shape" | "size" | "ndim" if *self.token() != Token::Symbol("(") => {
                return self.of_shape(x, &name, column);
            }
            "mT" => return Ok(self.push(column, Ast::View(x, View::SwapAxes(-2, -1)))),
            _ => {}
        }
        let module = self.no_module(x, &name);
        if !self.eat("(") {
            return Err(module.unwrap_or_else(|| no_method(name, column)));
        }
        let made = self.of_name(&name, column, Some(x));
        made.map_err(|error| module.unwrap_or(error))
    }

    /// The error of an operand in front of a function that is no array but a module of Python's.
    fn no_module(&self, x: usize, function: &str) -> Option<Error> {
        let TextNode {
            ast: Ast::Name(module),
            column,
            ..
        } = &self.nodes[x]
        else {
            return None;
        };
        // `scipy.special.erf` too.
        let inner = self.attribute();
        let inner = inner.and_then(|inner| hints::module_hint(module, inner));
        Some(Error::UnknownName {
            column: *column,
            name: module.clone(),
            hint: hints::module_hint(module, function).or(inner)?,
        })
    }
}

/// The error of a method that is not called, or is none.
fn no_method(name: String, column: usize) -> Error {
    let hint = match (advice::instead(&name), name.as_str()) {
        (Some(instead), _) => instead,
        (None, "view" | "astype" | "bit_cast") => {
            format!("; it takes an element type: .{name}(u32)")
        }
        _ => "; the methods are .T, .mT, .astype(..), .view(..), and views and functions with their brackets".into(),
    };
    Error::UnknownName { column, name, hint }
}
