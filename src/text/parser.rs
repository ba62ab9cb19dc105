//! Tokens to nodes: a Pratt parser with Python's precedence.

use std::collections::HashMap;

use super::ast::{Ast, TextNode};
use super::lexer::{Spot, Token, syntax, tokens};
use super::names;
use super::operators::{COMPARISON, UNARY, in_place, infix, symbol_hint};
use super::program::{Known, Program};
use crate::error::{Error, Result};
use crate::expr::{Composed, Literal, fold};
use crate::op::Op;
use crate::rule::Rule;

/// How deeply brackets, calls and operators on the right may nest.
const DEPTH: usize = 200;

/// The modules of NumPy, and the functions of each that are known.
const MODULES: &[(&[&str], &[&str])] = &[
    (
        &["linalg"],
        &[
            "norm",
            "vector_norm",
            "matmul",
            "vecdot",
            "outer",
            "cross",
            "matrix_transpose",
        ],
    ),
    (&["lib", "stride_tricks"], &["sliding_window_view"]),
];

/// A source being parsed. Nodes are only ever appended, so operands stand before their users.
#[derive(Default)]
pub(super) struct Parser {
    pub source: String,
    /// The custom operators.
    pub own: Vec<Op>,
    spots: Vec<Spot>,
    at: usize,
    depth: usize,
    /// The place of each node.
    seen: HashMap<Ast, usize>,
    pub nodes: Vec<TextNode>,
    /// The functions that are called, by the columns of their names.
    pub called: HashMap<usize, &'static str>,
    /// The named values of statements; within a function, its own.
    pub bound: HashMap<String, usize>,
    /// Whether the lines of a function are parsed.
    pub is_within: bool,
    /// The rule of steps that name none: NumPy's in the lines of a function of one array, whose parts have
    /// other shapes than the array.
    pub rule: Option<Rule>,
    /// The number that each node is, if it is made of numbers alone.
    pub values: Vec<Option<Literal>>,
    /// Whether each node is made of numbers and constants alone.
    pub of_numbers: Vec<bool>,
    /// The inputs, if they are known.
    pub known: Option<Known>,
    /// The stand-in for an extent while they are not known.
    pub extent: usize,
    /// The nodes whose shapes were asked for, and where first while the inputs are not known.
    pub asked: Vec<usize>,
    pub asks: Option<usize>,
}

/// The program of a source, and the columns of its results.
pub(super) fn parse(
    source: &str,
    own: &[Op],
    known: Option<Known>,
    extent: usize,
) -> Result<(Program, Vec<usize>)> {
    let parser = Parser {
        source: source.into(),
        own: own.to_vec(),
        spots: tokens(source)?,
        known,
        extent,
        ..Parser::default()
    };
    parser.statements()
}

/// The number that a node is, given those of its operands.
fn value(ast: &Ast, values: &[Option<Literal>]) -> Option<Literal> {
    match ast {
        Ast::Number(x) => Some(*x),
        Ast::Step { op, args, .. } => fold(
            *op,
            &args
                .iter()
                .map(|&a| values[a])
                .collect::<Option<Vec<_>>>()?,
        ),
        Ast::Composed(Composed::Called, args) => args.first().and_then(|&a| values[a]),
        // As a typed number it keeps its value if it fits.
        Ast::Cast(x, dtype) => values[*x]
            .map(|x| x.cast(*dtype))
            .filter(|x| x.to_scalar(*dtype).is_ok()),
        _ => None,
    }
}

impl Parser {
    pub fn token(&self) -> &Token {
        self.ahead(0)
    }

    pub fn ahead(&self, n: usize) -> &Token {
        self.spots
            .get(self.at + n)
            .map_or(&Token::End, |s| &s.token)
    }

    pub fn column(&self) -> usize {
        self.spots[self.at].column
    }

    /// The column of a token further on.
    pub fn column_ahead(&self, n: usize) -> usize {
        let last = self.spots.len() - 1;
        self.spots[(self.at + n).min(last)].column
    }

    /// The number of the token that stands here.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Goes back to a token that was passed.
    pub fn back_to(&mut self, place: usize) {
        self.at = place;
    }

    /// The value of other tokens, as of brackets that stand by themselves.
    pub fn apart(&mut self, spots: Vec<Spot>) -> Result<usize> {
        let spots = std::mem::replace(&mut self.spots, spots);
        let before = (
            std::mem::take(&mut self.at),
            std::mem::take(&mut self.depth),
        );
        let value = self.expression(0)?;
        debug_assert_eq!(*self.token(), Token::End, "a line goes on");
        (self.spots, (self.at, self.depth)) = (spots, before);
        Ok(value)
    }

    pub fn advance(&mut self) {
        // The end is never passed.
        self.at = (self.at + 1).min(self.spots.len() - 1);
    }

    /// Whether this symbol or name stands here; if so it is passed.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = match self.token() {
            Token::Symbol(symbol) => *symbol == text,
            Token::Name(name) => name == text,
            _ => false,
        };
        if found {
            self.advance();
        }
        found
    }

    /// Whether one of these names stands here before the symbol; if so both are passed.
    pub fn eat_before(&mut self, names: &[&str], symbol: &'static str) -> bool {
        let found = self.is_one_of(0, names) && *self.ahead(1) == Token::Symbol(symbol);
        if found {
            self.advance();
            self.advance();
        }
        found
    }

    /// Whether a token further on is one of these names.
    fn is_one_of(&self, ahead: usize, names: &[&str]) -> bool {
        matches!(self.ahead(ahead), Token::Name(name) if names.contains(&name.as_str()))
    }

    pub fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.eat(symbol) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{symbol}`")))
        }
    }

    /// Appends a node. One that is there already is shared, so that a part written twice is
    /// computed once; it keeps its first column.
    pub fn push(&mut self, column: usize, ast: Ast) -> usize {
        let next = self.nodes.len();
        let place = *self.seen.entry(ast.clone()).or_insert(next);
        if place == next {
            self.values.push(value(&ast, &self.values));
            self.of_numbers.push(match &ast {
                Ast::Name(name) => names::constant(name).is_some(),
                Ast::Number(_) => true,
                Ast::Step { args, .. } | Ast::Composed(_, args) => {
                    args.iter().all(|&a| self.of_numbers[a])
                }
                _ => false,
            });
            let called = self.called.get(&column).copied();
            self.nodes.push(TextNode {
                ast,
                column,
                called,
            });
        }
        place
    }

    pub fn step(&mut self, column: usize, op: Op, args: Vec<usize>) -> usize {
        self.push(
            column,
            Ast::Step {
                op,
                args,
                rule: self.rule.clone(),
            },
        )
    }

    /// Operands and operators that bind at least as tightly as `least`. Chains of operators that
    /// take the left first are a loop, however long.
    pub fn expression(&mut self, least: u8) -> Result<usize> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(syntax(
                self.column(),
                format!(
                    "the expression is nested more than {DEPTH} levels deep; give parts of it names: d = ..; d + 1"
                ),
            ));
        }
        let mut left = self.prefix()?;
        let mut compared = false;
        while let Token::Symbol(symbol) = *self.token() {
            let Some(infix) = infix(symbol).filter(|i| i.left >= least) else {
                break;
            };
            if infix.left == COMPARISON && compared {
                let reason = "comparisons do not chain; write (a < b) & (b < c)";
                return Err(syntax(self.column(), reason));
            }
            compared = infix.left == COMPARISON;
            let column = self.column();
            self.advance();
            if *self.token() == Token::Symbol("=") {
                let reason = match infix.left {
                    COMPARISON => "a comparison is written ==, !=, <= or >=".into(),
                    _ => in_place(symbol),
                };
                return Err(syntax(column, reason));
            }
            let right = self.expression(infix.right)?;
            if infix.op == Some(Op::BIT_XOR)
                && let Ast::Number(Literal::Float(_)) = self.nodes[right].ast
            {
                return Err(syntax(column, "`^` is exclusive or; a power is written **"));
            }
            left = match infix.op {
                // Neither its type nor its value is that of a function of two operands.
                Some(op)
                    if op == Op::POW
                        && self.values[left].is_none()
                        && matches!(self.nodes[right].ast, Ast::Number(Literal::Int(2))) =>
                {
                    self.push(column, Ast::Composed(Composed::Squared, vec![left]))
                }
                Some(op) => self.step(column, op, vec![left, right]),
                None => self.push(column, Ast::Composed(Composed::Matmul, vec![left, right])),
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Unary operators, or an operand.
    fn prefix(&mut self) -> Result<usize> {
        let column = self.column();
        let op = match self.token() {
            Token::Symbol("-") => Op::NEG,
            Token::Symbol("~") => Op::BIT_NOT,
            Token::Symbol("+") => {
                self.advance();
                return self.expression(UNARY);
            }
            _ => return self.operand(),
        };
        self.advance();
        let x = self.expression(UNARY)?;
        Ok(self.step(column, op, vec![x]))
    }

    /// A number, name, call or bracket, with the views and methods behind it.
    fn operand(&mut self) -> Result<usize> {
        let column = self.column();
        let mut x = match self.token().clone() {
            Token::Int(x) => self.number(Literal::Int(x)),
            Token::Float(x) => self.number(Literal::Float(x)),
            Token::Name(name) => self.name(name)?,
            Token::Symbol("(") => {
                self.advance();
                let inner = self.expression(0)?;
                let comma = self.column();
                match self.eat(",") {
                    true => {
                        let mut items = vec![inner];
                        items.extend(self.items(")")?);
                        self.push(comma, Ast::Tuple(items))
                    }
                    false => {
                        self.expect(")")?;
                        inner
                    }
                }
            }
            Token::Symbol("[") => {
                self.advance();
                let items = self.items("]")?;
                if items.is_empty() {
                    return Err(syntax(
                        column,
                        "for an array without elements write zeros(0)",
                    ));
                }
                self.push(column, Ast::List(items))
            }
            Token::Text(_) => {
                return Err(syntax(
                    column,
                    "quotes are only for a rule, a type or a mode: rule='numpy', astype('f4')",
                ));
            }
            Token::Line | Token::End => {
                let reason = match self
                    .at
                    .checked_sub(2)
                    .map(|at| (&self.spots[at].token, &self.spots[at + 1].token))
                {
                    Some((Token::Symbol(a @ ("+" | "-")), Token::Symbol(b))) if a == b => {
                        format!("`{a}{a}` is not supported; write x {a} 1")
                    }
                    _ => "the expression ends where an operand was expected".into(),
                };
                return Err(syntax(column, reason));
            }
            Token::Symbol(s) => {
                let found = || format!("`{s}` was found, an operand was expected");
                return Err(syntax(
                    column,
                    symbol_hint(s).map_or_else(found, str::to_owned),
                ));
            }
        };
        loop {
            match self.token() {
                Token::Symbol("[") => x = self.index(x)?,
                Token::Symbol(".") => x = self.method(x)?,
                Token::Symbol("(") => {
                    return Err(syntax(
                        self.column(),
                        "only a function can be called; a product is written with *",
                    ));
                }
                _ => return Ok(x),
            }
        }
    }

    /// Expressions between commas up to a closing bracket, which is passed.
    pub fn items(&mut self, close: &str) -> Result<Vec<usize>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.expression(0)?);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn number(&mut self, literal: Literal) -> usize {
        let column = self.column();
        self.advance();
        self.push(column, Ast::Number(literal))
    }

    /// Skips the name of a module in front of a function of it.
    fn skip_module(&mut self) {
        let is_here = |(path, functions): &&(&[&str], &[&str])| {
            let mut steps = path.iter().enumerate();
            let is_path = steps.all(|(k, step)| {
                self.is_one_of(2 * k, &[*step]) && *self.ahead(2 * k + 1) == Token::Symbol(".")
            });
            is_path && self.is_one_of(2 * path.len(), functions)
        };
        let found = MODULES.iter().find(is_here);
        (0..found.map_or(0, |(path, _)| 2 * path.len())).for_each(|_| self.advance());
    }

    fn name(&mut self, mut name: String) -> Result<usize> {
        let mut column = self.column();
        if !self.is_within
            && let Some(hint) = names::keyword(&name)
        {
            return Err(syntax(column, hint));
        }
        self.advance();
        if matches!(name.as_str(), "np" | "numpy")
            && *self.token() == Token::Symbol(".")
            && matches!(self.ahead(1), Token::Name(_))
        {
            self.advance();
            self.skip_module();
            column = self.column();
            if let Token::Name(inner) = self.token().clone() {
                name = inner;
            }
            self.advance();
            if *self.token() != Token::Symbol("(") && names::constant(&name).is_none() {
                return Err(self.no_constant(name, column));
            }
        }
        if self.eat("(") {
            return self.call(&name, column);
        }
        if let Some(hint) = self.method_of_function(&name) {
            return Err(Error::UnknownName { column, name, hint });
        }
        if let Some(&value) = self.bound.get(&name) {
            return Ok(value);
        }
        match names::constant(&name) {
            // No input of a text's is known within a function.
            Some(constant) if self.is_within => Ok(self.literal(column, constant)),
            _ => Ok(self.push(column, Ast::Name(name))),
        }
    }
}
