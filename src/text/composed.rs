//! NumPy's functions that are made of others: `np.hypot` is a row, `np.isclose` is none.
//!
//! A row of the table holds the name, the parameters as NumPy has them, what it computes, and the
//! nodes of it.

use super::ast::{Ast, Number};
use super::lexer::{Token, syntax};
use super::parameters::{Ahead, Parameters};
use super::parser::Parser;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Literal};
use crate::op::Op;

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An array or a number.
    Operand,
    /// Arrays in brackets.
    Arrays,
    /// A whole number.
    Whole,
    /// A whole number, or several in brackets.
    Wholes,
    /// A word in quotes.
    Text,
    /// Extents: one, or several in brackets.
    Shape,
    /// An element type.
    Type,
    /// `True` or `False`.
    Truth,
    /// What is not there, but for `None`, `'C'`, `True` and `False`, which change nothing.
    Absent,
}

/// A parameter. One that `needed` cannot be left out.
pub(super) struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub needed: bool,
}

/// What a call gives for a parameter.
#[derive(Clone, Debug)]
enum Value {
    Node(usize),
    Nodes(Vec<usize>),
    Ints(Vec<isize>),
    Type(DType),
    Truth(bool),
    Text(String),
}

/// What a call gives.
pub(super) struct Given {
    values: Vec<Option<Value>>,
    /// Whether each was given, be it as `None`.
    given: Vec<bool>,
    /// The column of the call.
    pub column: usize,
}

impl Given {
    /// The operand of a parameter.
    pub fn node(&self, i: usize) -> Option<usize> {
        match self.values.get(i) {
            Some(Some(Value::Node(node))) => Some(*node),
            _ => None,
        }
    }

    /// Whether a parameter was given, be it as `None`.
    pub fn is_given(&self, i: usize) -> bool {
        self.given.get(i) == Some(&true)
    }

    /// The operand of a parameter that cannot be left out.
    pub fn operand(&self, i: usize) -> Result<usize> {
        self.node(i)
            .ok_or_else(|| syntax(self.column, "an operand is missing"))
    }

    pub fn nodes(&self, i: usize) -> Vec<usize> {
        match self.values.get(i) {
            Some(Some(Value::Nodes(nodes))) => nodes.clone(),
            _ => Vec::new(),
        }
    }

    pub fn whole(&self, i: usize) -> Option<isize> {
        self.wholes(i).first().copied()
    }

    /// The whole numbers of a parameter, none if it is left out.
    pub fn wholes(&self, i: usize) -> &[isize] {
        match self.values.get(i) {
            Some(Some(Value::Ints(ints))) => ints,
            _ => &[],
        }
    }
    pub fn text(&self, i: usize) -> Option<&str> {
        match self.values.get(i) {
            Some(Some(Value::Text(text))) => Some(text),
            _ => None,
        }
    }

    pub fn shape(&self, i: usize) -> Result<Vec<usize>> {
        let fail = |_| syntax(self.column, "an extent is 0 or more");
        self.wholes(i)
            .iter()
            .map(|&e| usize::try_from(e).map_err(fail))
            .collect()
    }

    pub fn dtype(&self, i: usize) -> Option<DType> {
        match self.values.get(i) {
            Some(Some(Value::Type(dtype))) => Some(*dtype),
            _ => None,
        }
    }

    pub fn truth(&self, i: usize) -> Option<bool> {
        match self.values.get(i) {
            Some(Some(Value::Truth(truth))) => Some(*truth),
            _ => None,
        }
    }
}

/// A function.
pub(super) struct Function {
    pub name: &'static str,
    pub parameters: &'static [Parameter],
    /// What it computes, in a sentence.
    pub doc: &'static str,
    /// A call that works, for the list of the language.
    pub example: &'static str,
    pub make: Make,
}

/// How a function's nodes are made.
pub(super) enum Make {
    /// Of its one operand.
    One(fn(&mut At<'_>, usize) -> usize),
    /// Of its two operands.
    Two(fn(&mut At<'_>, usize, usize) -> usize),
    /// Of whatever is given.
    Given(fn(&mut Parser, &Given) -> Result<usize>),
}

/// The nodes of a function's parts, all at the column of its call.
pub(super) struct At<'a> {
    pub parser: &'a mut Parser,
    pub column: usize,
}

impl At<'_> {
    pub fn op(&mut self, op: Op, args: &[usize]) -> usize {
        self.parser.step(self.column, op, args.to_vec())
    }

    pub fn number(&mut self, x: f64) -> usize {
        self.parser.literal(self.column, x)
    }

    pub fn composed(&mut self, composed: Composed, args: &[usize]) -> usize {
        self.push(Ast::Composed(composed, args.to_vec()))
    }

    pub fn push(&mut self, ast: Ast) -> usize {
        self.parser.push(self.column, ast)
    }
}

/// The function of this name.
pub(super) fn named(name: &str) -> Option<&'static Function> {
    super::functions::TABLES
        .iter()
        .copied()
        .flatten()
        .find(|f| f.name == name)
}

/// All functions.
pub(super) fn all() -> impl Iterator<Item = &'static Function> {
    super::functions::TABLES.iter().copied().flatten()
}

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
        let mut given = Given {
            values: vec![None; function.parameters.len()],
            given: vec![false; function.parameters.len()],
            column,
        };
        let mut ahead = Parameters::new(function.name, names, ABSENT);
        if let Some(x) = first {
            ahead.take_first();
            given.values[0] = Some(match function.parameters.first().map(|p| p.kind) {
                Some(Kind::Operand) => Value::Node(x),
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
                && function.parameters[0].kind == Kind::Operand
            {
                self.advance();
                self.advance();
                ahead.take_first();
                given.given[0] = true;
                given.values[0] = Some(Value::Node(self.expression(0)?));
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
    ) -> Result<Option<Value>> {
        if !parameter.needed && self.eat_none() {
            return Ok(None);
        }
        Ok(Some(match parameter.kind {
            Kind::Operand => Value::Node(self.expression(0)?),
            Kind::Arrays => {
                let column = self.column();
                let node = self.expression(0)?;
                match &self.nodes[node].ast {
                    Ast::Tuple(items) | Ast::List(items) => Value::Nodes(items.clone()),
                    _ => {
                        let reason =
                            format!("{0} takes arrays in brackets: {0}((x, y))", function.name);
                        return Err(syntax(column, reason));
                    }
                }
            }
            Kind::Whole => Value::Ints(vec![self.integer(parameter.name)?]),
            Kind::Wholes => Value::Ints(self.integers(parameter.name)?.0),
            Kind::Text => {
                let Token::Text(text) = self.token().clone() else {
                    return Err(self.unexpected("a word in quotes"));
                };
                self.advance();
                Value::Text(text)
            }
            Kind::Shape => Value::Ints(self.integers("an extent")?.0),
            Kind::Type => Value::Type(self.dtype_name()?),
            Kind::Truth => Value::Truth(self.truth(parameter.name)?),
            Kind::Absent => {
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
        self.push(column, Ast::Number(Number(x.into())))
    }
}

/// Parameters that messages do not list.
const ABSENT: &[&str] = &["out", "order", "device", "like", "copy", "subok", "where"];
