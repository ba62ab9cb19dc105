//! Products that are made of parts, reshapes and matrix products.

use super::super::ast::Ast;
use super::super::composed::{At, Function, Given, Kind, Parameter};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use super::shape::signed;
use super::{made, needed};
use crate::error::Result;
use crate::expr::{Composed, Join};
use crate::op::Op;
use crate::view::{Index, View};

const AB: &[Parameter] = &[needed("a", Kind::Operand), needed("b", Kind::Operand)];

pub(super) static TABLE: &[Function] = &[
    made(
        "cross",
        AB,
        "cross(x[:, :3], y[:, :3])",
        "Vector products of the three elements along the last axis.",
        cross,
    ),
    made(
        "dot",
        AB,
        "dot(x, v)",
        "Product of vectors or matrices, a @ b; of a number and an array a * b.",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            product(parser, given, a, b)
        },
    ),
    made(
        "inner",
        AB,
        "inner(x, y)",
        "Sums of products along the last axes of both, a @ b.T.",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            let rank = |extents: Option<Vec<usize>>| extents.map(|extents| extents.len());
            let turned = match [rank(parser.extents(a)?), rank(parser.extents(b)?)] {
                [Some(1..), Some(2)] => parser.push(given.column, Ast::View(b, View::Transpose)),
                _ => b,
            };
            product(parser, given, a, turned)
        },
    ),
    made(
        "kron",
        AB,
        "kron(x, y)",
        "Each element of the first times all of the second.",
        kron,
    ),
    made(
        "vdot",
        AB,
        "vdot(x, y)",
        "The sum of all products of elements.",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            let mut at = At::of(parser, given);
            let [a, b] = [a, b].map(|x| at.reshaped(x, vec![-1]));
            Ok(at.composed(Composed::Matmul, &[a, b]))
        },
    ),
];

fn cross(parser: &mut Parser, given: &Given) -> Result<usize> {
    let vectors = [given.operand(0)?, given.operand(1)?];
    for x in vectors {
        if parser.extents(x)?.is_some_and(|e| e.last() != Some(&3)) {
            return Err(syntax(
                given.column,
                "cross takes three elements along the last axis",
            ));
        }
    }
    let mut at = At::of(parser, given);
    let element = |at: &mut At<'_>, x, i: isize| {
        let index = vec![Index::Ellipsis, Index::At(i % 3)];
        at.push(Ast::View(x, View::Slice(index)))
    };
    let mut parts = Vec::new();
    for i in 0..3isize {
        let products = [(i + 1, i + 2), (i + 2, i + 1)].map(|(i, j)| {
            let factors = [
                element(&mut at, vectors[0], i),
                element(&mut at, vectors[1], j),
            ];
            at.op(Op::MUL, &factors)
        });
        parts.push(at.op(Op::SUB, &products));
    }
    Ok(at.push(Ast::Joined(Join::Stack(-1), parts)))
}

/// A product as NumPy's `dot` has it, where that is one of matrices.
fn product(parser: &mut Parser, given: &Given, a: usize, b: usize) -> Result<usize> {
    let ranks = [parser.extents(a)?, parser.extents(b)?].map(|e| e.map_or(1, |e| e.len()));
    let mut at = At::of(parser, given);
    match ranks {
        [0, _] | [_, 0] => {
            let factors = [a, b].map(|x| at.composed(Composed::Typed, &[x]));
            Ok(at.op(Op::MUL, &factors))
        }
        [_, 1 | 2] => Ok(at.composed(Composed::Matmul, &[a, b])),
        _ => {
            let reason = "its second operand has one axis or two; batches are multiplied by a @ b";
            Err(syntax(given.column, reason))
        }
    }
}

fn kron(parser: &mut Parser, given: &Given) -> Result<usize> {
    let (a, b) = (given.operand(0)?, given.operand(1)?);
    let (Some(mut own), Some(mut other)) = (parser.extents(a)?, parser.extents(b)?) else {
        return Ok(parser.step(given.column, Op::MUL, vec![a, b]));
    };
    let rank = own.len().max(other.len());
    own.splice(0..0, vec![1; rank - own.len()]);
    other.splice(0..0, vec![1; rank - other.len()]);
    let mut at = At::of(parser, given);
    let apart = |extents: &[usize], own_first: bool| {
        let pair = |&n: &usize| if own_first { [n, 1] } else { [1, n] };
        signed(&extents.iter().flat_map(pair).collect::<Vec<_>>())
    };
    let a = at.reshaped(a, apart(&own, true));
    let b = at.reshaped(b, apart(&other, false));
    let products = at.op(Op::MUL, &[a, b]);
    let extents = own.iter().zip(&other).map(|(a, b)| a.saturating_mul(*b));
    Ok(at.reshaped(products, signed(&extents.collect::<Vec<_>>())))
}
