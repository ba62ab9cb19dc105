//! Nodes to an expression.

use super::ast::{Ast, TextNode};
use super::lexer::syntax;
use super::program::{Parsed, Program};
use super::{hints, names};
use crate::error::{Error, Result};
use crate::expr::{Composed, Expr, Join, Origin};
use crate::op::Op;
use crate::rule::Rule;

impl Parsed {
    /// The expression, with the inputs of these names as slots 0, 1, ... Other names are constants
    /// (`pi`, `e`, `inf`, `nan`, `True`, `False`).
    ///
    /// Steps that name no rule use `default_rule`. Numbers join any step under any rule, so a step
    /// with only one operand that is not a number uses [`Rule::Numpy`].
    ///
    /// # Errors
    /// [`Error::UnknownName`], with similar names, for a name that is neither input nor constant;
    /// [`Error::Argument`] (within [`Error::At`]) for a reduction or scan of numbers alone.
    pub fn bind(&self, inputs: &[impl AsRef<str>], default_rule: &Rule) -> Result<Expr<usize>> {
        only(self.0.bind(inputs, default_rule)?)
    }
}

/// The one result.
pub(super) fn only(mut results: Vec<Expr<usize>>) -> Result<Expr<usize>> {
    results
        .pop()
        .ok_or_else(|| syntax(1, "the expression is empty"))
}

impl Program {
    /// The results, with the inputs of these names as slots 0, 1, ...
    ///
    /// # Errors
    /// Those of [`Parsed::bind`].
    pub fn bind(
        &self,
        inputs: &[impl AsRef<str>],
        default_rule: &Rule,
    ) -> Result<Vec<Expr<usize>>> {
        let inputs: Vec<&str> = inputs.iter().map(AsRef::as_ref).collect();
        self.build(&inputs, default_rule)
    }

    fn build(&self, inputs: &[&str], default_rule: &Rule) -> Result<Vec<Expr<usize>>> {
        if let Some(asking) = &self.asking {
            let reason = "the text asks for shapes; use bind_to, which takes the inputs' shapes";
            return Err(Error::argument("text", reason).at(asking.column));
        }
        let mut lowering = Lowering {
            default_rule,
            inputs,
            made: Vec::with_capacity(self.nodes.len()),
        };
        let needed = self.roots.iter().max().map_or(0, |root| root + 1);
        for node in &self.nodes[..needed] {
            let lowered = lowering.lowered(node)?;
            let operands = node.ast.operands();
            let operands: Vec<_> = operands.iter().map(|&n| lowering.expr(n)).collect();
            let origin = Origin {
                column: node.column,
                called: node.called,
            };
            let made = lowered.map(|expr| expr.made_of(&operands, origin));
            lowering.made.push(made);
        }
        Ok(lowering.exprs(&self.roots))
    }
}

/// The nodes before one as expressions.
struct Lowering<'a> {
    default_rule: &'a Rule,
    inputs: &'a [&'a str],
    made: Vec<Lowered>,
}

impl Lowering<'_> {
    fn lowered(&self, node: &TextNode) -> Result<Lowered> {
        let column = node.column;
        Ok(match &node.ast {
            Ast::Name(name) => self.named(name, column)?,
            Ast::Number(x) => Lowered::number(Expr::literal(*x)),
            Ast::Step { op, args, rule } => self.step(*op, args, rule.as_ref()),
            Ast::Cast(x, dtype) => self.made[*x].map(|x| x.cast(*dtype)),
            Ast::BitCast(x, dtype) => self.made[*x].map(|x| x.bit_cast(*dtype)),
            Ast::View(x, view) => Lowered::array(self.expr(*x).view(view.clone())),
            Ast::Reshape(x, extents) => Lowered::array(self.expr(*x).reshape(extents.clone())),
            Ast::Windows(x, windows) => Lowered::array(self.expr(*x).windows(windows.clone())),
            Ast::Reduce {
                of,
                reduction,
                axes,
                results,
            } => {
                let name = node.called.unwrap_or(reduction.name());
                let lacks = match name {
                    "max" | "min" => "no axes to reduce; for two numbers use maximum or minimum",
                    _ => "no axes to reduce",
                };
                let x = self.array(*of, name, lacks, column)?;
                Lowered::array(x.reduced(*reduction, axes.clone(), *results))
            }
            Ast::Scan { of, scan, along } => {
                let name = node.called.unwrap_or(scan.name());
                let x = self.array(*of, name, "no axis to scan", column)?;
                Lowered::array(x.scan(*scan, *along))
            }
            Ast::Broadcast(x, rule) => {
                // A number has its type from elsewhere, an array made of one its own.
                let x = match &self.made[*x] {
                    Lowered { expr, number: true } => {
                        Expr::composed(Composed::Typed, [expr.clone()])
                    }
                    Lowered { expr, .. } => expr.clone(),
                };
                Lowered::array(x.broadcast(rule.clone()))
            }
            Ast::Composed(composed, args) => Lowered {
                expr: Expr::composed(*composed, self.exprs(args)),
                number: args.iter().all(|&a| self.made[a].number) && !composed.makes_array(),
            },
            Ast::Filled(x, shape, dtype) => Lowered::array(self.expr(*x).filled(shape, *dtype)),
            Ast::Beside(x, k, comparison) => Lowered::array(self.expr(*x).beside(*k, *comparison)),
            Ast::Made(made) => Lowered::array(made.expr()?),
            Ast::Gathered(gathered, args) => {
                Lowered::array(Expr::gathered(*gathered, self.exprs(args)))
            }
            Ast::List(args) => Lowered::array(Expr::joined(Join::List, self.exprs(args))),
            // No operand: what it is made of is.
            Ast::Tuple(_) => Lowered::number(Expr::literal(false)),
        })
    }

    fn named(&self, name: &str, column: usize) -> Result<Lowered> {
        let slot = self.inputs.iter().position(|input| *input == name);
        match (slot, names::constant(name)) {
            (Some(slot), _) => Ok(Lowered::array(Expr::slot(slot))),
            (None, Some(constant)) => Ok(Lowered::number(Expr::literal(constant))),
            (None, None) => Err(Error::UnknownName {
                column,
                name: name.into(),
                hint: hints::input_hint(name, self.inputs),
            }),
        }
    }

    fn step(&self, op: Op, args: &[usize], rule: Option<&Rule>) -> Lowered {
        let arrays = args.iter().filter(|&&a| !self.made[a].number).count();
        let free = match arrays {
            0 | 1 => &Rule::Numpy,
            _ => self.default_rule,
        };
        Lowered {
            expr: Expr::promoting(op, self.exprs(args)).with_rule(rule.unwrap_or(free).clone()),
            number: arrays == 0,
        }
    }

    /// An operand that is not made of numbers alone, which lack what a function needs.
    fn array(&self, n: usize, function: &str, lacks: &str, column: usize) -> Result<&Expr<usize>> {
        match &self.made[n] {
            Lowered { number: true, .. } => {
                Err(Error::argument(function, format!("a number has {lacks}")).at(column))
            }
            Lowered { expr, .. } => Ok(expr),
        }
    }

    fn expr(&self, n: usize) -> &Expr<usize> {
        &self.made[n].expr
    }

    fn exprs(&self, nodes: &[usize]) -> Vec<Expr<usize>> {
        nodes.iter().map(|&n| self.expr(n).clone()).collect()
    }
}

/// A node's expression, and whether it is made of numbers alone.
struct Lowered {
    expr: Expr<usize>,
    number: bool,
}

impl Lowered {
    fn array(expr: Expr<usize>) -> Self {
        Self {
            expr,
            number: false,
        }
    }

    fn number(expr: Expr<usize>) -> Self {
        Self { expr, number: true }
    }

    fn map(&self, f: impl FnOnce(&Expr<usize>) -> Expr<usize>) -> Self {
        Self {
            expr: f(&self.expr),
            number: self.number,
        }
    }
}
