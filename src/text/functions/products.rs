//! Products that are made of parts, reshapes and matrix products.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use super::shape::{count, signed};
use crate::error::Result;
use crate::expr::{Composed, Join};
use crate::op::Op;
use crate::view::{Index, View};

pub(super) fn dot(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (a, b) = (given.operand(0)?, given.operand(1)?);
    product(at, a, b)
}

pub(super) fn cross(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let vectors = [given.operand(0)?, given.operand(1)?];
    for x in vectors {
        if at.parser.extents(x)?.is_some_and(|e| e.last() != Some(&3)) {
            return Err(at.error("cross takes three elements along the last axis"));
        }
    }
    let element = |at: &mut At<'_>, x, i: isize| {
        let index = vec![Index::Ellipsis, Index::At(i % 3)];
        at.push(Ast::View(x, View::Slice(index)))
    };
    let mut parts = Vec::new();
    for i in 0..3isize {
        let products = [(i + 1, i + 2), (i + 2, i + 1)].map(|(i, j)| {
            let factors = [element(at, vectors[0], i), element(at, vectors[1], j)];
            at.op(Op::MUL, &factors)
        });
        parts.push(at.op(Op::SUB, &products));
    }
    Ok(at.push(Ast::joined(Join::Stack(-1), parts)))
}

/// A product as NumPy's `dot` has it: over the last axis of `a` and the last but one of `b`. The axes
/// of `b` before that are kept as well, behind those of `a`.
fn product(at: &mut At<'_>, a: usize, b: usize) -> Result<usize> {
    let (own, other) = (at.parser.extents(a)?, at.parser.extents(b)?);
    let (Some(own), Some(other)) = (own, other) else {
        return Ok(at.composed(Composed::Matmul, &[a, b]));
    };
    match (own.as_slice(), other.as_slice()) {
        ([], _) | (_, []) => {
            let factors = [a, b].map(|x| at.composed(Composed::Typed, &[x]));
            Ok(at.op(Op::MUL, &factors))
        }
        (_, [_] | [_, _]) => Ok(at.composed(Composed::Matmul, &[a, b])),
        ([kept @ .., _], [batches @ .., inner, columns]) => {
            let inner_first = View::MoveAxis {
                from: vec![-2],
                to: vec![0],
            };
            let b = at.push(Ast::View(b, inner_first));
            let width = count(batches).saturating_mul(*columns);
            let b = at.reshaped(b, signed(&[*inner, width]));
            let products = at.composed(Composed::Matmul, &[a, b]);
            Ok(at.reshaped(products, signed(&[kept, batches, &[*columns]].concat())))
        }
    }
}

/// A product as NumPy's `inner` has it: over the last axes of both.
pub(super) fn inner(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (a, mut b) = (given.operand(0)?, given.operand(1)?);
    let (own, other) = (at.parser.extents(a)?, at.parser.extents(b)?);
    if let (Some([_, ..]), Some([.., _, _])) = (own.as_deref(), other.as_deref()) {
        b = at.push(Ast::View(b, View::SwapAxes(-2, -1)));
    }
    product(at, a, b)
}

pub(super) fn kron(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let factors = [given.operand(0)?, given.operand(1)?];
    // A number is an array of one element.
    let [a, b] = factors.map(|x| at.composed(Composed::Typed, &[x]));
    let (Some(mut own), Some(mut other)) = (at.parser.extents(a)?, at.parser.extents(b)?) else {
        return Ok(at.op(Op::MUL, &[a, b]));
    };
    let rank = own.len().max(other.len());
    own.splice(0..0, vec![1; rank - own.len()]);
    other.splice(0..0, vec![1; rank - other.len()]);
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
