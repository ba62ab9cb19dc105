//! What the tables of functions are made of: a row holds the name, the parameters as NumPy has them,
//! what it computes, and how its nodes are made.

use super::ast::Ast;
use super::lexer::syntax;
use super::parser::Parser;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::Composed;
use crate::message::shown;
use crate::op::Op;
use crate::view::View;

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// An array or a number.
    Operand,
    /// What a view is taken of, in front of all others and without a name.
    Viewed,
    /// Arrays in brackets.
    Arrays,
    /// A whole number.
    Whole,
    /// A whole number, or several in brackets.
    Wholes,
    /// The same; several by place may stand without brackets.
    Spread,
    /// A word in quotes.
    Text,
    /// `'C'` or `'F'`.
    Order,
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
    pub takes: Takes,
    pub needed: bool,
}

impl Parameter {
    /// A number of it, as messages name it.
    pub fn what(&self) -> &'static str {
        match self.name {
            "shape" => "an extent",
            "axis" | "axes" => "an axis",
            name => name,
        }
    }
}

pub(super) const fn needed(name: &'static str, takes: Takes) -> Parameter {
    Parameter {
        name,
        takes,
        needed: true,
    }
}

pub(super) const fn optional(name: &'static str, takes: Takes) -> Parameter {
    Parameter {
        name,
        takes,
        needed: false,
    }
}

/// What a call gives for a parameter.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    Node(usize),
    Nodes(Vec<usize>),
    Ints(Vec<isize>),
    Type(DType),
    Truth(bool),
    Text(String),
}

/// What a call passes.
pub(super) struct Passed {
    pub values: Vec<Option<Argument>>,
    /// Whether each was given, be it as `None`.
    pub given: Vec<bool>,
    /// The column of each value, or of the call.
    pub columns: Vec<usize>,
    /// The column of the call.
    pub column: usize,
}

impl Passed {
    /// The operand of a parameter.
    pub fn node(&self, i: usize) -> Option<usize> {
        match self.values.get(i) {
            Some(Some(Argument::Node(node))) => Some(*node),
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
            Some(Some(Argument::Nodes(nodes))) => nodes.clone(),
            _ => Vec::new(),
        }
    }

    pub fn whole(&self, i: usize) -> Option<isize> {
        self.wholes(i).first().copied()
    }

    /// The whole numbers of a parameter, none if it is left out.
    pub fn wholes(&self, i: usize) -> &[isize] {
        self.ints(i).unwrap_or_default()
    }

    /// The same; `None` if it is left out or `None`.
    pub fn ints(&self, i: usize) -> Option<&[isize]> {
        match self.values.get(i) {
            Some(Some(Argument::Ints(ints))) => Some(ints),
            _ => None,
        }
    }

    pub fn text(&self, i: usize) -> Option<&str> {
        match self.values.get(i) {
            Some(Some(Argument::Text(text))) => Some(text),
            _ => None,
        }
    }

    pub fn shape(&self, i: usize) -> Result<Vec<usize>> {
        let fail = |_| syntax(self.columns[i], "an extent is 0 or more");
        self.wholes(i)
            .iter()
            .map(|&e| usize::try_from(e).map_err(fail))
            .collect()
    }

    pub fn dtype(&self, i: usize) -> Option<DType> {
        match self.values.get(i) {
            Some(Some(Argument::Type(dtype))) => Some(*dtype),
            _ => None,
        }
    }

    pub fn truth(&self, i: usize) -> Option<bool> {
        match self.values.get(i) {
            Some(Some(Argument::Truth(truth))) => Some(*truth),
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
    /// A view of its first operand.
    View(fn(&Passed) -> Result<View>),
    /// Of whatever is given.
    Given(fn(&mut Parser, &Passed) -> Result<usize>),
}

/// A function that is made when its operands are parsed.
pub(super) const fn made(
    name: &'static str,
    parameters: &'static [Parameter],
    example: &'static str,
    doc: &'static str,
    make: fn(&mut Parser, &Passed) -> Result<usize>,
) -> Function {
    Function {
        name,
        parameters,
        doc: shown(doc),
        example: shown(example),
        make: Make::Given(make),
    }
}

/// The nodes of a function's parts, all at the column of its call.
pub(super) struct At<'a> {
    pub parser: &'a mut Parser,
    pub column: usize,
}

impl<'a> At<'a> {
    /// Those of a call.
    pub fn of(parser: &'a mut Parser, given: &Passed) -> Self {
        let column = given.column;
        Self { parser, column }
    }

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
