//! Calls of NumPy's functions that are made of others: `np.hypot` is a row of the op table,
//! `np.isclose` is none.

use super::ast::Ast;
use super::function::{Argument, At, Function, Make, Parameter, Passed, Takes};
use super::lexer::{Token, syntax};
use super::parameters::{Ahead, Parameters};
use super::parser::Parser;
use crate::error::Result;
use crate::expr::Literal;

impl Parser {
    /// The function whose parameters follow, up to the closing bracket, which is passed. A method's
    /// first operand stands in front.
    pub fn composed(
        &mut self,
        function: &'static Function,
        column: usize,
        first: Option<usize>,
    ) -> Result<usize> {
        let names = function.parameters.iter().map(|p| p.name);
        let mut given = Passed {
            values: vec![None; function.parameters.len()],
            given: vec![false; function.parameters.len()],
            column,
        };
        let mut ahead = Parameters::new(function.name, names, ABSENT);
        if let Some(x) = first {
            ahead.take_first();
            given.values[0] = Some(match function.parameters.first().map(|p| p.takes) {
                Some(Takes::Operand) => Argument::Node(x),
                _ => {
                    let reason = format!("{0} is no method; write {0}(...)", function.name);
                    return Err(syntax(column, reason));
                }
            });
        }
        while !self.eat(")") {
            // The rows of these names call their operand x.
            let is_x = self.is_named() && *self.token() == Token::Name("x".into());
            let named_x = function.parameters.iter().any(|p| p.name == "x");
            if is_x
                && !named_x
                && !ahead.is_given(0)
                && function.parameters[0].takes == Takes::Operand
            {
                self.advance();
                self.advance();
                ahead.take_first();
                given.given[0] = true;
                given.values[0] = Some(Argument::Node(self.expression(0)?));
                self.separator()?;
                continue;
            }
            let Ahead { number, column, .. } = self.parameter_ahead(&mut ahead)?;
            given.given[number] = true;
            given.values[number] = self.value(function, &function.parameters[number], column)?;
            self.separator()?;
        }
        let lacking = function.parameters.iter().enumerate();
        if let Some((_, lacking)) = lacking
            .filter(|(_, p)| p.needed)
            .find(|(i, _)| !ahead.is_given(*i))
        {
            let reason = format!(
                "{} lacks {}=; {}",
                function.name,
                lacking.name,
                ahead.takes()
            );
            return Err(syntax(column, reason));
        }
        let mut at = At {
            parser: self,
            column,
        };
        match function.make {
            Make::One(make) => Ok(make(&mut at, given.operand(0)?)),
            Make::Two(make) => Ok(make(&mut at, given.operand(0)?, given.operand(1)?)),
            Make::Given(make) => make(self, &given),
        }
    }

    /// The value of a parameter; `None` if it is `None`.
    fn value(
        &mut self,
        function: &Function,
        parameter: &Parameter,
        start: usize,
    ) -> Result<Option<Argument>> {
        if !parameter.needed && self.eat_none() {
            return Ok(None);
        }
        Ok(Some(match parameter.takes {
            Takes::Operand => Argument::Node(self.expression(0)?),
            Takes::Arrays => {
                let column = self.column();
                let node = self.expression(0)?;
                match &self.nodes[node].ast {
                    Ast::Tuple(items) | Ast::List(items) => Argument::Nodes(items.clone()),
                    _ => {
                        let reason =
                            format!("{0} takes arrays in brackets: {0}((x, y))", function.name);
                        return Err(syntax(column, reason));
                    }
                }
            }
            Takes::Whole => Argument::Ints(vec![self.integer(parameter.name)?]),
            Takes::Wholes => Argument::Ints(self.integers(parameter.name)?.0),
            Takes::Text => {
                let Token::Text(text) = self.token().clone() else {
                    return Err(self.unexpected("a word in quotes"));
                };
                self.advance();
                Argument::Text(text)
            }
            Takes::Shape => Argument::Ints(self.integers("an extent")?.0),
            Takes::Type => Argument::Type(self.dtype_name()?),
            Takes::Truth => Argument::Truth(self.truth(parameter.name)?),
            Takes::Absent => {
                let harmless = match self.token() {
                    Token::Name(n) => n == "True" || n == "False",
                    Token::Text(order) => order == "C" || order == "K",
                    _ => false,
                };
                if !harmless {
                    let reason = format!(
                        "{} has no {}=; it returns a new array of its own",
                        function.name, parameter.name
                    );
                    return Err(syntax(start, reason));
                }
                self.advance();
                return Ok(None);
            }
        }))
    }

    /// A number as a node.
    #[inline(never)]
    pub fn literal(&mut self, column: usize, x: impl Into<Literal>) -> usize {
        self.push(column, Ast::Number(x.into()))
    }
}

/// Parameters that messages do not list.
const ABSENT: &[&str] = &["out", "order", "device", "like", "copy", "subok", "where"];
