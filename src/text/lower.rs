//! Nodes to an expression.

use super::ast::Ast;
use super::names;
use super::{Parsed, Program};
use crate::error::{Error, Result};
use crate::expr::{Composed, Expr, Join, Origin};
use crate::rule::Rule;

impl Parsed {
    /// The expression, with the inputs of these names as slots 0, 1, ... Other names are constants
    /// (`pi`, `e`, `inf`, `nan`, `True`, `False`).
    ///
    /// Steps that name no rule of their own are under `default_rule`; numbers join any step under
    /// any rule, so a step with one operand that is not a number is under [`Rule::Numpy`].
    ///
    /// # Errors
    /// [`Error::UnknownName`] for a name that is neither, with the names that are close;
    /// [`Error::Argument`] (within [`Error::At`]) for a reduction or scan of numbers alone.
    pub fn bind(&self, inputs: &[impl AsRef<str>], default_rule: &Rule) -> Result<Expr<usize>> {
        only(self.0.bind(inputs, default_rule)?)
    }
}

/// The one result.
pub(super) fn only(mut results: Vec<Expr<usize>>) -> Result<Expr<usize>> {
    results.pop().ok_or_else(|| Error::Syntax {
        column: 1,
        reason: "the expression is empty".into(),
    })
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
        self.build(
            &|name| inputs.iter().position(|&n| n == name),
            default_rule,
            &inputs,
        )
    }

    fn build(
        &self,
        slot_of: &dyn Fn(&str) -> Option<usize>,
        default_rule: &Rule,
        inputs: &[&str],
    ) -> Result<Vec<Expr<usize>>> {
        if let Some(asking) = &self.asking {
            let reason = "shapes are known where inputs are: bind_to gives them with the names";
            return Err(Error::argument("text", reason).at(asking.column));
        }
        let mut made: Vec<Lowered> = Vec::with_capacity(self.nodes.len());
        let needed = self.roots.iter().max().map_or(0, |root| root + 1);
        for node in &self.nodes[..needed] {
            let column = node.column;
            let lowered = match &node.ast {
                Ast::Name(name) => match (slot_of(name), names::constant(name)) {
                    (Some(slot), _) => Lowered::array(Expr::slot(slot)),
                    (None, Some(constant)) => Lowered::number(Expr::literal(constant)),
                    (None, None) => {
                        let hint = names::input_hint(name, inputs);
                        return Err(Error::UnknownName {
                            column,
                            name: name.clone(),
                            hint,
                        });
                    }
                },
                Ast::Number(x) => Lowered::number(Expr::literal(x.0)),
                Ast::Step { op, args, rule } => {
                    let arrays = args.iter().filter(|&&a| !made[a].number).count();
                    let operands: Vec<_> = args.iter().map(|&a| made[a].expr.clone()).collect();
                    let free = if arrays < 2 {
                        &Rule::Numpy
                    } else {
                        default_rule
                    };
                    let step = Expr::promoting(*op, operands)
                        .with_rule(rule.as_ref().unwrap_or(free).clone());
                    Lowered {
                        expr: step,
                        number: arrays == 0,
                    }
                }
                Ast::Cast(x, dtype) => Lowered {
                    expr: made[*x].expr.cast(*dtype),
                    number: made[*x].number,
                },
                Ast::BitCast(x, dtype) => Lowered {
                    expr: made[*x].expr.bit_cast(*dtype),
                    number: made[*x].number,
                },
                Ast::View(x, view) => Lowered::array(made[*x].expr.view(view.clone())),
                Ast::Reshape(x, extents) => Lowered::array(made[*x].expr.reshape(extents.clone())),
                Ast::Reduce { of, reduction, .. } if made[*of].number => {
                    let reason = "a number has no axes to reduce; of two numbers there are maximum and minimum";
                    return Err(Error::argument(reduction.name(), reason).at(column));
                }
                Ast::Reduce {
                    of,
                    reduction,
                    axes,
                    results,
                } => Lowered::array(made[*of].expr.reduced(*reduction, axes.clone(), *results)),
                Ast::Scan { of, scan, .. } if made[*of].number => {
                    let reason = "a number has no axis to run along";
                    return Err(Error::argument(scan.name(), reason).at(column));
                }
                Ast::Scan { of, scan, along } => Lowered::array(made[*of].expr.scan(*scan, *along)),
                Ast::Broadcast(x, rule) => {
                    // A number has its type from elsewhere, an array made of one its own.
                    let x = match &made[*x] {
                        Lowered { expr, number: true } => {
                            Expr::composed(Composed::Typed, [expr.clone()])
                        }
                        Lowered { expr, .. } => expr.clone(),
                    };
                    Lowered::array(x.broadcast(rule.clone()))
                }
                Ast::Composed(composed, args) => Lowered {
                    expr: Expr::composed(*composed, exprs(&made, args)),
                    number: args.iter().all(|&a| made[a].number) && !composed.makes_array(),
                },
                Ast::Filled(x, shape, dtype) => Lowered::array(made[*x].expr.filled(shape, *dtype)),
                Ast::Beside(x, k, comparison) => {
                    Lowered::array(made[*x].expr.beside(*k, *comparison))
                }
                Ast::Made(made) => Lowered::array(made.expr()?),
                Ast::Taken([x, indices], axis) => {
                    let indices = &made[*indices].expr;
                    Lowered::array(made[*x].expr.take(indices, *axis))
                }
                Ast::Joined(join, args) => Lowered::array(Expr::joined(*join, exprs(&made, args))),
                Ast::List(args) => Lowered::array(Expr::joined(Join::List, exprs(&made, args))),
                // No operand: what it is made of is.
                Ast::Tuple(_) => Lowered::number(Expr::literal(false)),
            };
            let operands = node.ast.operands();
            let operands: Vec<_> = operands.iter().map(|&n| &made[n].expr).collect();
            let origin = Origin {
                column,
                called: node.called,
            };
            made.push(Lowered {
                expr: lowered.expr.made_of(&operands, origin),
                number: lowered.number,
            });
        }
        Ok(self
            .roots
            .iter()
            .map(|&root| made[root].expr.clone())
            .collect())
    }
}

fn exprs(made: &[Lowered], nodes: &[usize]) -> Vec<Expr<usize>> {
    nodes.iter().map(|&n| made[n].expr.clone()).collect()
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
}
