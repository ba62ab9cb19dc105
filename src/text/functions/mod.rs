//! The tables of functions that are made of others.

mod create;
mod join;
mod math;
mod test;

use super::ast::Ast;
use super::composed::{Function, Kind, Parameter};
use super::parser::Parser;
use crate::expr::Composed;
use crate::op::Op;

/// All tables.
pub(super) static TABLES: &[&[Function]] = &[math::TABLE, test::TABLE, join::TABLE, create::TABLE];

const fn needed(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        needed: true,
    }
}

const fn optional(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        needed: false,
    }
}

/// The nodes of a function's parts, all at the column of its call.
struct At<'a> {
    parser: &'a mut Parser,
    column: usize,
}

impl At<'_> {
    fn op(&mut self, op: Op, args: &[usize]) -> usize {
        self.parser.step(self.column, op, args.to_vec())
    }

    fn number(&mut self, x: f64) -> usize {
        self.parser.literal(self.column, x)
    }

    fn composed(&mut self, composed: Composed, args: &[usize]) -> usize {
        self.push(Ast::Composed(composed, args.to_vec()))
    }

    fn push(&mut self, ast: Ast) -> usize {
        self.parser.push(self.column, ast)
    }
}
