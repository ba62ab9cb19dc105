//! Arrays that are made of numbers; elements of another type, rounded, or chosen by conditions.

use super::super::ast::{Ast, Made};
use super::super::function::{At, Passed};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Literal};
use crate::op::Op;

pub(super) fn eye(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let rows = extent(given, 0)?;
    let columns = match given.whole(1) {
        Some(_) => extent(given, 1)?,
        None => rows,
    };
    let k = given.whole(2).unwrap_or(0);
    let made = Made::Eye([rows, columns], k, given.dtype(3));
    Ok(parser.push(given.column, Ast::Made(made)))
}

pub(super) fn identity(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let n = given.operand(0)?;
    match parser.values[n] {
        Some(Literal::Int(rows)) if rows >= 0 => {
            let fail = |_| syntax(given.column, "an extent is too large");
            let rows = usize::try_from(rows).map_err(fail)?;
            let made = Made::Eye([rows, rows], 0, given.dtype(1));
            Ok(parser.push(given.column, Ast::Made(made)))
        }
        _ => Ok(parser.step(given.column, Op::IDENTITY, vec![n])),
    }
}

pub(super) fn full(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let (value, dtype) = (given.operand(1)?, given.dtype(2));
    if let Some(dtype) = dtype {
        check_numbers(parser, given, value, dtype)?;
    }
    let shape = given.shape(0).into();
    Ok(parser.push(given.column, Ast::Filled(value, shape, dtype)))
}

/// Compares each column's index with its row's index plus a number.
pub(super) fn beside(parser: &mut Parser, given: &Passed, comparison: Op) -> Result<usize> {
    let k = given.whole(1).unwrap_or(0);
    let beside = Ast::Beside(given.operand(0)?, k, comparison);
    Ok(parser.push(given.column, beside))
}

fn extent(given: &Passed, i: usize) -> Result<usize> {
    let extent = given.whole(i).and_then(|e| usize::try_from(e).ok());
    extent.ok_or_else(|| syntax(given.column, "an extent must be 0 or more"))
}

/// Refuses whole numbers that a type does not hold, as NumPy does; arrays are cast to it.
pub(super) fn check_numbers(
    parser: &Parser,
    given: &Passed,
    node: usize,
    dtype: DType,
) -> Result<()> {
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        match (&parser.nodes[node].ast, parser.values[node]) {
            (Ast::List(items), _) => nodes.extend(items),
            (_, Some(number @ Literal::Int(_))) if dtype.is_int() => {
                number.to_scalar(dtype).map_err(|e| e.at(given.column))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The number that a parameter is.
fn number(parser: &Parser, given: &Passed, i: usize) -> Result<Option<Literal>> {
    let Some(node) = given.node(i) else {
        return Ok(None);
    };
    let literal = match &parser.nodes[node].ast {
        Ast::Name(name) => super::super::names::constant(name),
        _ => parser.values[node],
    };
    literal.map(Some).ok_or_else(|| {
        syntax(
            given.column,
            "its arguments must be numbers known before it runs; give any other array as an input",
        )
    })
}

/// A share of elements, of which quantiles are made.
fn share_of(parser: &Parser, given: &Passed, i: usize) -> Result<f64> {
    let share = match (given.node(i), number(parser, given, i)) {
        (Some(_), Ok(Some(number))) => number.float(),
        _ => {
            return Err(syntax(
                given.column,
                "q must be a number known before it runs, or several in brackets",
            ));
        }
    };
    match (0.0..=1.0).contains(&share) {
        true => Ok(share),
        false => {
            let reason = "quantiles must be from 0 to 1, percentiles from 0 to 100";
            Err(syntax(given.column, reason))
        }
    }
}

/// A share as a whole number of 2^-46.
pub(super) fn share(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let parts = share_of(parser, given, 0)? * 2f64.powi(46);
    Ok(parser.literal(given.column, Literal::Int(parts.round() as i128)))
}

/// The place of a share of the elements along an axis, counted from 0.
pub(super) fn place(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let share = share_of(parser, given, 1)?;
    let extent = match parser.extents(given.operand(0)?)? {
        Some(extents) => {
            let axis = At::of(parser, given).axis(given.whole(2).unwrap_or(0), extents.len())?;
            extents[axis]
        }
        None => parser.extent,
    };
    let place = share * extent.saturating_sub(1) as f64;
    Ok(parser.literal(given.column, Literal::Float(place)))
}

pub(super) fn arange(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let first = number(parser, given, 0)?.unwrap_or(Literal::Int(0));
    let (start, stop) = match number(parser, given, 1)? {
        Some(stop) => (first, stop),
        None => (Literal::Int(0), first),
    };
    let step = number(parser, given, 2)?.unwrap_or(Literal::Int(1));
    let made = Made::Arange([start, stop, step], given.dtype(3));
    let _ = made.expr().map_err(|e| e.at(given.column))?;
    Ok(parser.push(given.column, Ast::Made(made)))
}

pub(super) fn linspace(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let ends = [number(parser, given, 0)?, number(parser, given, 1)?];
    let ends = ends.map(|x| x.unwrap_or(Literal::Int(0)));
    let count = match given.whole(2) {
        Some(_) => extent(given, 2)?,
        None => 50,
    };
    let has_last = given.truth(3) != Some(false);
    let made = Made::Linspace(ends, count, has_last, given.dtype(5));
    Ok(parser.push(given.column, Ast::Made(made)))
}

/// The operand itself, of the type that is asked for.
pub(super) fn array(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    if let Some(dtype) = given.dtype(1) {
        check_numbers(parser, given, x, dtype)?;
    }
    let mut at = At::of(parser, given);
    let x = at.composed(Composed::Typed, &[x]);
    Ok(match given.dtype(1) {
        Some(dtype) => at.push(Ast::Cast(x, dtype)),
        None => x,
    })
}

/// Another element type, or the bits as one.
pub(super) fn cast(
    parser: &mut Parser,
    given: &Passed,
    cast: fn(usize, DType) -> Ast,
) -> Result<usize> {
    let dtype = given
        .dtype(1)
        .ok_or_else(|| syntax(given.column, "the type is missing"))?;
    Ok(parser.push(given.column, cast(given.operand(0)?, dtype)))
}

/// Rounding to decimals.
pub(super) fn round(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let decimals = given.whole(1).unwrap_or(0);
    let fail = |_| syntax(given.column, "decimals is out of range");
    let round = Composed::Round(i32::try_from(decimals).map_err(fail)?);
    let x = given.operand(0)?;
    Ok(At::of(parser, given).composed(round, &[x]))
}

pub(super) fn select(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let (conditions, choices) = (given.nodes(0), given.nodes(1));
    if conditions.len() != choices.len() || conditions.is_empty() {
        let reason = format!(
            "select has {} conditions and {} choices; it takes one choice for each condition",
            conditions.len(),
            choices.len()
        );
        return Err(syntax(given.column, reason));
    }
    let mut chosen = given.operand(2)?;
    for (&condition, &choice) in conditions.iter().zip(&choices).rev() {
        chosen = parser.step(given.column, Op::WHERE, vec![condition, choice, chosen]);
    }
    Ok(chosen)
}
