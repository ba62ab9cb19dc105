//! The parameters of reductions: the axes that they run along, and the norm.

use super::ast::Ast;
use super::function::{Argument, Function, Parameter, Takes};
use super::lexer::{Token, syntax};
use super::names;
use super::parameters::Ahead;
use super::parser::Parser;
use crate::error::Result;
use crate::expr::Literal;

impl Parser {
    /// A whole number, or several in brackets where a function takes them.
    pub fn axes(&mut self, function: &Function, ahead: &Ahead) -> Result<Vec<isize>> {
        let column = self.column();
        let is_bracket = matches!(self.token(), Token::Symbol("(" | "["));
        let found = self.wholes("an axis", Self::several)?;
        let is_whole = matches!(self.token(), Token::Symbol("," | ")") | Token::End);
        let is_one = function.parameters[ahead.number].takes == Takes::Axis;
        match found {
            Ok(_) if !is_whole => Err(self.unexpected("`,` or `)`")),
            Ok((_, true)) if is_one => Err(syntax(column, one_axis(function.name))),
            Ok((axes, _)) => Ok(axes),
            // What else it is says what was meant.
            Err((x, error)) if is_bracket && self.parts_of(x).is_some() => Err(error),
            Err(_) => {
                let axes = match is_one {
                    true => "axis= must be a whole number, or None for all elements as one axis",
                    false => "axis= must be a whole number, several in brackets, or None for all",
                };
                let reason = match ahead.by_name {
                    true => axes.into(),
                    false => no_axis(function, axes),
                };
                Err(syntax(column, reason))
            }
        }
    }

    /// Refuses a number by place for a type or an unsupported parameter: it was meant as an axis.
    pub fn no_second_axis(&self, function: &Function, parameter: &Parameter) -> Result<()> {
        let takes_number = !matches!(parameter.takes, Takes::Type | Takes::Float | Takes::Absent);
        if takes_number || !matches!(self.token(), Token::Int(_) | Token::Symbol("-")) {
            return Ok(());
        }
        let name = function.name;
        let axes = function.parameters.iter().find_map(|p| match p.takes {
            Takes::Axis => Some(one_axis(name)),
            Takes::Axes => Some(format!(
                "put several axes in brackets: {name}(x, axis=(0, 1))"
            )),
            _ => None,
        });
        axes.map_or(Ok(()), |reason| Err(syntax(self.column(), reason)))
    }

    /// Which norm, by the reduction that it is of absolute values; none for that of Frobenius, which
    /// is the default.
    pub fn norm(&mut self, function: &str) -> Result<Option<Argument>> {
        let column = self.column();
        let reason = match function {
            "norm" => "ord must be 1, 2, inf or -inf; norms of matrices are not supported",
            _ => "ord must be 1, 2, inf or -inf",
        };
        match self.token() {
            Token::Text(text) if text == "fro" && function == "norm" => {
                self.advance();
                return Ok(None);
            }
            Token::Text(_) => return Err(syntax(column, reason)),
            _ => {}
        }
        let is_least = self.eat("-");
        let node = self.expression(0)?;
        let is_infinite = match &self.nodes[node].ast {
            Ast::Name(name) => names::constant(name) == Some(Literal::Float(f64::INFINITY)),
            _ => false,
        };
        let is = |ord, n: i32| ord == Literal::Int(n.into()) || ord == Literal::Float(n.into());
        let norm = match (self.values[node], is_least) {
            (_, true) if is_infinite => "min",
            (_, false) if is_infinite => "max",
            (Some(ord), false) if is(ord, 1) => "l1",
            (Some(ord), false) if is(ord, 2) => "l2",
            _ => return Err(syntax(column, reason)),
        };
        Ok(Some(Argument::Text(norm.into())))
    }
}

fn one_axis(function: &str) -> String {
    format!("{function} takes one axis, or None for all")
}

/// What to write instead of a second operand.
fn no_axis(function: &Function, axes: &str) -> String {
    let name = function.name;
    let two = match name {
        "sum" | "nansum" => "a + b, or add_n(a, b, c) for more",
        "prod" | "nanprod" => "a * b",
        "max" | "amax" | "nanmax" => "maximum(a, b), or max_n(a, b, c) for more",
        "min" | "amin" | "nanmin" => "minimum(a, b), or min_n(a, b, c) for more",
        "mean" | "average" => "(a + b) / 2, or mean_n(a, b, c) for more",
        "any" => "a | b",
        "all" => "a & b",
        _ => "",
    };
    let instead = match two {
        "" => "",
        _ => "; element by element write ",
    };
    format!("{name} works along axes, but this is not one: {axes}{instead}{two}")
}
