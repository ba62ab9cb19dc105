//! A function that is made of others: its name, its parameters as in NumPy, its meaning, and the lines
//! that define it in the language itself; and the arguments of a call.

use std::iter;

use super::ast::Ast;
use super::lexer::{Token, syntax, tokens};
use super::names::of_row;
use super::parser::Parser;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Composed;
use crate::op::{Arity, Op};

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// An array or a number.
    Operand,
    /// The array that a view is taken of: first, and without a name.
    Viewed,
    /// Arrays in brackets.
    Arrays,
    /// A number, or several in brackets: the function of each, stacked along a new first axis.
    Each,
    /// A whole number.
    Whole,
    /// A whole number, or several in brackets.
    Wholes,
    /// Whole numbers in brackets, or given by place without brackets.
    Spread,
    /// A word in quotes.
    Word,
    /// Extents: one, or several in brackets.
    Shape,
    /// An element type.
    Type,
    /// `True` or `False`.
    Truth,
    /// The array that is reduced or scanned: first, and without a name.
    Reduced,
    /// An axis, several in brackets, or `None` for all.
    Axes,
    /// An axis, or `None` for all elements as one.
    Axis,
    /// A whole number of 0 or more.
    Count,
    /// An element type of floats.
    Float,
    /// Which norm: `1`, `2`, `inf`, `-inf` or `'fro'`.
    Norm,
    /// A parameter that is not supported, except for values that change nothing.
    Absent,
    /// Of operators: further arrays and numbers, by place.
    More,
    /// Of operators: the name of a rule, in quotes or not.
    Rule,
}

/// The kinds of parameters by their words in the table; without a word it is an operand.
const TAKES: &[(&str, Takes)] = &[
    ("absent", Takes::Absent),
    ("arrays", Takes::Arrays),
    ("axes", Takes::Axes),
    ("axis", Takes::Axis),
    ("count", Takes::Count),
    ("each", Takes::Each),
    ("float", Takes::Float),
    ("more", Takes::More),
    ("norm", Takes::Norm),
    ("reduced", Takes::Reduced),
    ("rule", Takes::Rule),
    ("shape", Takes::Shape),
    ("spread", Takes::Spread),
    ("truth", Takes::Truth),
    ("type", Takes::Type),
    ("viewed", Takes::Viewed),
    ("whole", Takes::Whole),
    ("wholes", Takes::Wholes),
    ("word", Takes::Word),
];

/// A parameter.
pub(super) struct Parameter {
    pub name: &'static str,
    /// Other names of the same.
    pub others: Vec<&'static str>,
    pub takes: Takes,
    /// The default, empty for `None`; a parameter without a default must be given.
    pub default: Option<&'static str>,
}

impl Parameter {
    /// Reads its text in the table: `name`, `name:takes`, and `=` with the default.
    fn new(text: &'static str) -> Self {
        let (head, default) = match text.split_once('=') {
            Some((head, default)) => (head, Some(default)),
            None => (text, None),
        };
        let (names, word) = head.split_once(':').unwrap_or((head, ""));
        let takes = of_row(TAKES, word);
        debug_assert!(takes.is_some() || word.is_empty(), "{text}");
        let mut names = names.split('|');
        Self {
            name: names.next().unwrap_or_default(),
            others: names.collect(),
            takes: takes.unwrap_or(Takes::Operand),
            default,
        }
    }

    /// Whether messages leave it out: it is not supported, or has no name in a call.
    pub fn is_hidden(&self) -> bool {
        let hidden = [Takes::Absent, Takes::Viewed, Takes::Reduced, Takes::More];
        hidden.contains(&self.takes)
    }

    /// Its names; none if it is hidden.
    pub fn shown(&self) -> impl Iterator<Item = &'static str> {
        let others = self.others.iter().copied();
        iter::once(self.name)
            .chain(others)
            .filter(|_| !self.is_hidden())
    }

    /// The name in messages for a number of it.
    pub fn what(&self) -> &'static str {
        match self.name {
            "shape" => "an extent",
            "axis" | "axes" => "an axis",
            name => name,
        }
    }
}

/// The argument of a call for a parameter.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    Node(usize),
    Nodes(Vec<usize>),
    Ints(Vec<isize>),
    Type(DType),
    Truth(bool),
    Text(String),
}

/// The arguments of a call.
#[derive(Clone)]
pub(super) struct Passed {
    pub values: Vec<Option<Argument>>,
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

    pub fn shape(&self, i: usize) -> Vec<usize> {
        self.wholes(i).iter().map(|e| e.unsigned_abs()).collect()
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
    /// The operator that it is.
    pub op: Option<Op>,
    pub parameters: Vec<Parameter>,
    /// The number of leading parameters that may be given by place.
    pub places: usize,
    /// A call that works, for the list of the language.
    pub example: &'static str,
    /// What it computes, in a sentence.
    pub doc: &'static str,
    /// Its definition in the language itself; empty if Rust makes it.
    pub lines: Vec<Line>,
}

/// The operands of clip.
const CLIP: &[&str] = &["a|x", "min|a_min|lo=", "max|a_max|hi="];

/// What an operator takes behind its operands.
const OF_OPERATORS: &[&str] = &[
    ":more=",
    "axis:whole=",
    "rule:rule=",
    "dtype:absent=",
    "initial:absent=",
    "keepdims:absent=",
    "order:absent=",
    "out:absent=",
    "subok:absent=",
    "where:absent=",
];

/// A line of a function's definition.
pub(super) struct Line {
    /// A parameter, and whether the line is for calls that give it, or for calls that do not.
    pub only_if: Option<(&'static str, bool)>,
    /// The name of the value; the last line has none.
    pub target: Option<&'static str>,
    pub value: Vec<Token>,
}

/// The functions of a table's text.
pub(super) fn read(text: &'static str) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    for line in text.lines() {
        let part = line.strip_prefix("    ");
        let line = part.unwrap_or(line);
        match found.last_mut() {
            _ if line.is_empty() || line.starts_with('#') => {}
            Some(function) if part.is_some() => function.lines.push(Line::new(line)),
            _ => found.push(Function::new(line)),
        }
    }
    found
}

impl Function {
    /// The kind of its first parameter.
    pub fn first(&self) -> Option<Takes> {
        self.parameters.first().map(|p| p.takes)
    }

    /// Whether a call must give exactly one array.
    pub fn is_of_one_array(&self) -> bool {
        let takes_array = |p: &&Parameter| {
            let takes = matches!(p.takes, Takes::Operand | Takes::Viewed | Takes::Reduced);
            takes && p.default.is_none()
        };
        self.parameters.iter().filter(takes_array).count() == 1
    }

    /// Whether it is a reduction or a scan.
    pub fn reduces(&self) -> bool {
        self.first() == Some(Takes::Reduced)
    }

    /// The function that an operator is, of this name. It has one place more than operands have names.
    pub fn of(op: Op, name: &'static str) -> Self {
        let operands = match op.arity() {
            _ if op == Op::CLIP => CLIP,
            Arity::Exactly(_) => op.operands(),
            Arity::Variadic => &[],
        };
        let all = operands.iter().chain(OF_OPERATORS);
        let mut parameters: Vec<_> = all.map(|text| Parameter::new(text)).collect();
        let first = operands.len() - op.defaults().len();
        let left_out = parameters[first..operands.len()].iter_mut();
        left_out.for_each(|p| p.default = Some(""));
        Self {
            name,
            op: Some(op),
            parameters,
            places: operands.len() + 1,
            example: "",
            doc: "",
            lines: Vec::new(),
        }
    }

    fn new(line: &'static str) -> Self {
        let mut parts = line.split(" :: ");
        let mut next = || parts.next().unwrap_or_default();
        let (name, parameters) = next().split_once('(').unwrap_or_default();
        let parameters = parameters.split(')').next().unwrap_or_default();
        let mut parameters: Vec<_> = parameters.split(", ").filter(|p| !p.is_empty()).collect();
        let places = parameters.iter().position(|text| *text == "*");
        parameters.retain(|text| *text != "*");
        Self {
            name,
            op: None,
            places: places.unwrap_or(parameters.len()),
            parameters: parameters.into_iter().map(Parameter::new).collect(),
            example: next(),
            doc: next(),
            lines: Vec::new(),
        }
    }
}

impl Line {
    fn new(line: &'static str) -> Self {
        let condition = line
            .strip_prefix("if ")
            .and_then(|line| line.split_once(": "));
        let only_if = condition.map(|(name, _)| match name.strip_prefix("not ") {
            Some(name) => (name, false),
            None => (name, true),
        });
        let line = condition.map_or(line, |(_, line)| line);
        let (target, value) = match line.split_once(" = ") {
            Some((target, value)) => (Some(target), value),
            None => (None, line),
        };
        let spots = tokens(value).unwrap_or_default();
        Self {
            only_if,
            target,
            value: spots.into_iter().map(|spot| spot.token).collect(),
        }
    }
}

/// The nodes of a function's parts, all at the column of its call.
pub(super) struct At<'a> {
    pub parser: &'a mut Parser,
    /// The function's name.
    pub function: &'static str,
    pub column: usize,
}

impl At<'_> {
    /// An error of the call.
    pub fn error(&self, reason: impl Into<String>) -> Error {
        syntax(self.column, reason)
    }

    pub fn op(&mut self, op: Op, args: &[usize]) -> usize {
        self.parser.step(self.column, op, args.to_vec())
    }

    pub fn composed(&mut self, composed: Composed, args: &[usize]) -> usize {
        self.push(Ast::Composed(composed, args.to_vec()))
    }

    pub fn push(&mut self, ast: Ast) -> usize {
        self.parser.push(self.column, ast)
    }
}
