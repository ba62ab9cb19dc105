//! Calls of reductions and scans, as functions, behind `np.` and as methods: `sum(x, axis=0)`,
//! `np.max(x, -1, keepdims=True)`, `x.mean()`.

use super::ast::{Ast, Number};
use super::lexer::{Token, syntax};
use super::parameters::{Ahead, Parameters};
use super::parser::Parser;
use super::reductions::{Makes, NOT_THERE, Named};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Along, Axes, Composed, Literal, Reduction, Results, Scan};
use crate::op::Op;
use crate::rule::Rule;

/// What a call gives.
#[derive(Default)]
struct Given {
    /// `None` for all.
    axes: Option<Vec<isize>>,
    keepdims: bool,
    dtype: Option<DType>,
    ddof: Option<usize>,
    /// Which norm, 1 or 2, with its column.
    ord: Option<(isize, usize)>,
}

impl Given {
    fn axes(&self) -> Axes {
        let axes = self.axes.clone().map_or(Axes::ALL, Axes::new);
        match self.keepdims {
            true => axes.keepdims(),
            false => axes,
        }
    }

    /// A variance, or its root, with the `ddof` that is given.
    fn spread(&self, reduction: Reduction) -> Reduction {
        match (reduction, self.ddof) {
            (Reduction::Var { .. }, Some(ddof)) => Reduction::Var { ddof },
            (Reduction::Std { .. }, Some(ddof)) => Reduction::Std { ddof },
            (other, _) => other,
        }
    }
}

impl Parser {
    /// The reduction of the node `x` whose parameters follow, up to the closing bracket, which is
    /// passed.
    pub fn reduction(&mut self, named: &'static Named, column: usize, x: usize) -> Result<usize> {
        let given = self.given_to(named, column)?;
        let reduced = |parser: &mut Self, x: usize, reduction: Reduction, results: Results| {
            let ast = Ast::Reduce {
                of: x,
                reduction,
                axes: given.axes(),
                results,
            };
            parser.push(column, ast)
        };
        let reduce = |parser: &mut Self, x: usize, reduction: Reduction| {
            reduced(parser, x, reduction, Results::Numpy)
        };
        let scanned = |parser: &mut Self, x: usize, scan: Scan| {
            let axis = given.axes.as_deref().and_then(|axes| axes.first());
            let along = axis.map_or(Along::ALL, |&axis| Along::axis(axis));
            let ast = Ast::Scan { of: x, scan, along };
            parser.push(column, ast)
        };
        // Without an axis all elements are one row, which an input is where it lies.
        let flat = |parser: &mut Self, x: usize| match (&given.axes, parser.values[x]) {
            (None, None) => parser.push(column, Ast::Reshape(x, vec![-1])),
            _ => x,
        };
        let step = |parser: &mut Self, op: Op, args: Vec<usize>| {
            let rule = Some(Rule::Numpy);
            parser.push(column, Ast::Step { op, args, rule })
        };
        let number = |parser: &mut Self, x: i128| {
            let number = Ast::Number(Number(Literal::Int(x)));
            parser.push(column, number)
        };
        let float = |parser: &mut Self, x: f64| {
            let number = Ast::Number(Number(Literal::Float(x)));
            parser.push(column, number)
        };
        let cast = |parser: &mut Self, x: usize| match given.dtype {
            Some(dtype) => parser.push(column, Ast::Cast(x, dtype)),
            None => x,
        };
        Ok(match named.makes {
            Makes::One(reduction) => {
                let x = cast(self, x);
                let made = reduce(self, x, given.spread(reduction));
                // Sums of small integers are wider than the type that was asked for.
                cast(self, made)
            }
            Makes::WithoutNan(reduction, neutral) => {
                let is_nan = step(self, Op::IS_NAN, vec![x]);
                let neutral = number(self, neutral);
                let x = step(self, Op::WHERE, vec![is_nan, neutral, x]);
                let x = cast(self, x);
                let made = reduce(self, x, reduction);
                cast(self, made)
            }
            Makes::ExtremeWithoutNan(reduction, never) => {
                let is_nan = step(self, Op::IS_NAN, vec![x]);
                let kept = float(self, never);
                let kept = self.push(
                    column,
                    Ast::Composed(Composed::WhereFloat, vec![is_nan, kept, x]),
                );
                let made = reduce(self, kept, reduction);
                let none = reduce(self, is_nan, Reduction::All);
                let nan = float(self, f64::NAN);
                self.push(
                    column,
                    Ast::Composed(Composed::WhereFloat, vec![none, nan, made]),
                )
            }
            Makes::PlaceWithoutNan(reduction, never) => {
                let is_nan = step(self, Op::IS_NAN, vec![x]);
                let kept = float(self, never);
                let kept = self.push(
                    column,
                    Ast::Composed(Composed::WhereFloat, vec![is_nan, kept, x]),
                );
                reduce(self, kept, reduction)
            }
            Makes::FloatWithoutNan(reduction) => {
                let x = cast(self, x);
                reduced(self, x, given.spread(reduction), Results::WithoutNan)
            }
            Makes::Scan(scan) => {
                let x = flat(self, x);
                let x = cast(self, x);
                let made = scanned(self, x, scan);
                cast(self, made)
            }
            Makes::ScanWithoutNan(scan, neutral) => {
                let x = flat(self, x);
                let is_nan = step(self, Op::IS_NAN, vec![x]);
                let neutral = number(self, neutral);
                let x = step(self, Op::WHERE, vec![is_nan, neutral, x]);
                let x = cast(self, x);
                let made = scanned(self, x, scan);
                cast(self, made)
            }
            Makes::Range => {
                let ends = [Reduction::Max, Reduction::Min].map(|end| reduce(self, x, end));
                step(self, Op::SUB, ends.to_vec())
            }
            Makes::Norm | Makes::VectorNorm => match given.ord {
                // Also of whole numbers a norm is a float.
                Some((1, _)) => reduced(self, x, Reduction::L1, Results::Float),
                _ => reduce(self, x, Reduction::L2),
            },
        })
    }

    /// What the parameters of a reduction are given, up to the closing bracket.
    fn given_to(&mut self, named: &'static Named, column: usize) -> Result<Given> {
        let mut given = Given::default();
        let is_there = |name: &str| !NOT_THERE.contains(&name);
        let names = named.parameters.iter().copied();
        let mut parameters = Parameters::new(named.name, names, is_there);
        while !self.eat(")") {
            let ahead = self.parameter_ahead(&mut parameters)?;
            self.give(named, &ahead, &mut given)?;
            self.separator()?;
        }
        if let Makes::Norm = named.makes {
            check_norm(&given, column)?;
        }
        Ok(given)
    }

    /// The value of a parameter.
    fn give(&mut self, named: &Named, ahead: &Ahead, given: &mut Given) -> Result<()> {
        let (name, column) = (named.name, self.column());
        let is_number = matches!(self.token(), Token::Int(_) | Token::Symbol("-"));
        match ahead.name {
            "dtype" | "out" if is_number && !ahead.by_name => {
                let reason = match named.takes_one_axis() {
                    true => format!("{name} takes one axis, or None for all"),
                    false => format!("several axes stand in brackets: {name}(x, axis=(0, 1))"),
                };
                return Err(syntax(column, reason));
            }
            "axis" => given.axes = self.axes(named, ahead.by_name)?,
            "keepdims" => given.keepdims = self.truth("keepdims")?,
            "ddof" | "correction" if given.ddof.is_some() => {
                let reason = format!("{name} has ddof= and correction=, which are the same");
                return Err(syntax(ahead.column, reason));
            }
            "ddof" | "correction" => {
                let fail = |_| syntax(column, format!("{} is 0 or more", ahead.name));
                let ddof = self.integer(ahead.name)?;
                given.ddof = Some(usize::try_from(ddof).map_err(fail)?);
            }
            _ if self.eat_none() => {}
            "dtype" => {
                let dtype = self.dtype_name()?;
                if !dtype.is_float() && !named.is_sum() {
                    let reason =
                        format!("the result of {name} is a float; write {name}(x.astype({dtype}))");
                    return Err(syntax(column, reason));
                }
                given.dtype = Some(dtype);
            }
            "ord" => given.ord = Some((self.ord()?, column)),
            absent => return Err(syntax(ahead.column, named.without(absent))),
        }
        Ok(())
    }

    /// `None`, a whole number, or several in brackets.
    fn axes(&mut self, named: &Named, by_name: bool) -> Result<Option<Vec<isize>>> {
        if self.eat_none() {
            return Ok(None);
        }
        let (place, column) = (self.place(), self.column());
        let is_bracket = matches!(self.token(), Token::Symbol("(" | "["));
        let is_literal = matches!(self.token(), Token::Int(_) | Token::Symbol("-" | "+"));
        let written = self.integers("an axis");
        let end = self.place();
        let is_whole = matches!(self.token(), Token::Symbol("," | ")") | Token::End);
        let failed = match written {
            Ok((_, true)) if is_whole && named.takes_one_axis() => {
                let reason = format!("{} takes one axis, or None for all", named.name);
                return Err(syntax(column, reason));
            }
            Ok((axes, _)) if is_whole => return Ok(Some(axes)),
            Ok(_) => None,
            Err(error) => Some(error),
        };
        // What else it is says what was meant.
        self.back_to(place);
        match (self.expression(0), failed) {
            (Err(Error::Syntax { .. }), Some(error)) if is_bracket => Err(error),
            (Ok(x), Some(error))
                if is_bracket && matches!(self.nodes[x].ast, Ast::Tuple(_) | Ast::List(_)) =>
            {
                Err(error)
            }
            (Err(error), _) => Err(error),
            (Ok(x), Some(error)) if is_literal && self.is_number(x) => Err(error),
            // Nothing is joined to it; something follows that does not belong there.
            (Ok(_), None) if self.place() == end => Err(self.unexpected("`,` or `)`")),
            (Ok(_), _) if by_name => Err(syntax(
                column,
                "an axis is a whole number, several stand in brackets, all are None",
            )),
            (Ok(_), _) => Err(syntax(column, named.no_axis())),
        }
    }

    /// Whether a node is a whole number.
    fn is_number(&self, node: usize) -> bool {
        matches!(self.values[node], Some(Literal::Int(_)))
    }

    /// `True` or `False`.
    pub fn truth(&mut self, name: &str) -> Result<bool> {
        let truth = match self.token() {
            Token::Name(n) if n == "True" => true,
            Token::Name(n) if n == "False" => false,
            _ => return Err(syntax(self.column(), format!("{name} is True or False"))),
        };
        self.advance();
        Ok(truth)
    }

    /// Which norm.
    fn ord(&mut self) -> Result<isize> {
        let column = self.column();
        let reason = "ord is 1 or 2; that of inf is max(abs(x)), those of matrices are not there";
        match self.integer("ord") {
            Ok(ord @ (1 | 2)) => Ok(ord),
            _ => Err(syntax(column, reason)),
        }
    }
}

/// Refuses norms that NumPy has of matrices or not at all.
fn check_norm(given: &Given, column: usize) -> Result<()> {
    let axes = given.axes.as_ref().map(Vec::len);
    match (given.ord, axes) {
        (Some((_, column)), None | Some(2)) => Err(syntax(
            column,
            "of a matrix this is another norm in NumPy; name one axis, or write vector_norm(x, ord=1)",
        )),
        (_, None | Some(1)) | (None, Some(2)) => Ok(()),
        _ => Err(syntax(
            column,
            "norm takes one axis, two or None; vector_norm takes any number of them",
        )),
    }
}
