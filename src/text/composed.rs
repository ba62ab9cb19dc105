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
        mut first: Option<usize>,
    ) -> Result<usize> {
        let takes = function.parameters.first().map(|p| p.takes);
        if first.is_none() && takes == Some(Takes::Viewed) {
            first = Some(self.first_operand(function.name)?);
        }
        if first.is_some() && !matches!(takes, Some(Takes::Operand | Takes::Viewed)) {
            let reason = format!("{0} is no method; write {0}(...)", function.name);
            return Err(syntax(column, reason));
        }
        let given = self.passed(function, column, first)?;
        let mut at = At {
            parser: self,
            column,
        };
        match function.make {
            Make::One(make) => Ok(make(&mut at, given.operand(0)?)),
            Make::Two(make) => Ok(make(&mut at, given.operand(0)?, given.operand(1)?)),
            Make::View(make) => {
                let view = Ast::View(given.operand(0)?, make(&given)?);
                Ok(self.push(column, view))
            }
            Make::Given(make) => make(self, &given),
        }
    }

    /// What the parameters are given, up to the closing bracket.
    fn passed(
        &mut self,
        function: &'static Function,
        column: usize,
        first: Option<usize>,
    ) -> Result<Passed> {
        let parameters = function.parameters;
        let names = parameters.iter().map(|p| p.name);
        let mut given = Passed {
            values: vec![None; parameters.len()],
            given: vec![false; parameters.len()],
            columns: vec![column; parameters.len()],
            column,
        };
        let takes = parameters.first().map(|p| p.takes);
        let hidden: &[&str] = match takes {
            Some(Takes::Viewed) => &["x"],
            _ => ABSENT,
        };
        let mut ahead = Parameters::new(function.name, names, hidden);
        if let Some(x) = first {
            ahead.take_first();
            given.values[0] = Some(Argument::Node(x));
        }
        // The parameter of which more numbers may follow.
        let mut open: Option<usize> = None;
        while !self.eat(")") {
            // The rows of these names call their operand x.
            let is_x = self.is_named() && *self.token() == Token::Name("x".into());
            let named_x = parameters.iter().any(|p| p.name == "x");
            let is_more = !self.is_named() && !matches!(self.token(), Token::Text(_));
            if is_x && !named_x && !ahead.is_given(0) && takes == Some(Takes::Operand) {
                self.advance();
                self.advance();
                ahead.take_first();
                given.given[0] = true;
                given.values[0] = Some(Argument::Node(self.expression(0)?));
            } else if let Some(number) = open.filter(|_| is_more) {
                let more = self.integer(parameters[number].what())?;
                if let Some(Argument::Ints(all)) = &mut given.values[number] {
                    all.push(more);
                }
            } else {
                let Ahead {
                    number,
                    column,
                    by_name,
                    ..
                } = self.parameter_ahead(&mut ahead)?;
                given.given[number] = true;
                given.columns[number] = self.column();
                given.values[number] = self.value(function, &parameters[number], column)?;
                let is_spread = parameters[number].takes == Takes::Spread && !by_name;
                if is_spread && given.wholes(number).len() == 1 {
                    open = Some(number);
                }
            }
            self.separator()?;
        }
        let mut lacking = parameters.iter().enumerate();
        match lacking.find(|(i, p)| p.needed && !ahead.is_given(*i)) {
            Some((_, p)) => {
                let reason = format!("{} lacks {}=; {}", function.name, p.name, ahead.takes());
                Err(syntax(column, reason))
            }
            None => Ok(given),
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
            Takes::Operand | Takes::Viewed => Argument::Node(self.expression(0)?),
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
            Takes::Wholes | Takes::Shape | Takes::Spread => {
                Argument::Ints(self.integers(parameter.what())?.0)
            }
            Takes::Text => {
                let Token::Text(text) = self.token().clone() else {
                    return Err(self.unexpected("a word in quotes"));
                };
                self.advance();
                Argument::Text(text)
            }
            Takes::Order => {
                let fortran = match self.token() {
                    Token::Text(order) if order == "C" => false,
                    Token::Text(order) if order == "F" => true,
                    _ => {
                        let reason =
                            "order is 'C', the last axis fastest, or 'F', the first axis fastest";
                        return Err(syntax(self.column(), reason));
                    }
                };
                self.advance();
                Argument::Truth(fortran)
            }
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
