//! Arrays that are made of numbers; elements of another type, rounded, or chosen by conditions.

use super::super::ast::{Ast, Made};
use super::super::function::{At, Passed};
use super::super::names;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Literal};
use crate::op::Op;

pub(super) fn eye(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let rows = extent(at, given, 0)?.unwrap_or_default();
    let columns = extent(at, given, 1)?.unwrap_or(rows);
    let k = given.whole(2).unwrap_or(0);
    let made = Made::Eye([rows, columns], k, given.dtype(3));
    Ok(at.push(Ast::Made(made)))
}

pub(super) fn identity(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let n = given.operand(0)?;
    match at.parser.values[n] {
        Some(Literal::Int(rows)) if rows >= 0 => {
            let fail = |_| at.error("an extent is too large");
            let rows = usize::try_from(rows).map_err(fail)?;
            let made = Made::Eye([rows, rows], 0, given.dtype(1));
            Ok(at.push(Ast::Made(made)))
        }
        _ => Ok(at.op(Op::IDENTITY, &[n])),
    }
}

pub(super) fn full(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (value, dtype) = (given.operand(1)?, given.dtype(2));
    check_numbers(at, value, dtype)?;
    let shape = given.shape(0).into();
    Ok(at.push(Ast::Filled(value, shape, dtype)))
}

/// The extent that a parameter is, if it is given.
fn extent(at: &At<'_>, given: &Passed, i: usize) -> Result<Option<usize>> {
    let extent = given.whole(i).map(usize::try_from).transpose();
    extent.map_err(|_| at.error("an extent must be 0 or more"))
}

/// Compares each column's index with its row's index plus a number.
pub(super) fn beside(at: &mut At<'_>, given: &Passed, comparison: Op) -> Result<usize> {
    let k = given.whole(1).unwrap_or(0);
    let beside = Ast::Beside(given.operand(0)?, k, comparison);
    Ok(at.push(beside))
}

/// Refuses whole numbers that a type does not hold, as NumPy does; arrays are cast to it.
fn check_numbers(at: &At<'_>, node: usize, dtype: Option<DType>) -> Result<()> {
    let Some(dtype) = dtype.filter(|dtype| dtype.is_int()) else {
        return Ok(());
    };
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        match (&at.parser.nodes[node].ast, at.parser.values[node]) {
            (Ast::List(items), _) => nodes.extend(items),
            (_, Some(number @ Literal::Int(_))) => {
                number.to_scalar(dtype).map_err(|e| e.at(at.column))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The number that a parameter is.
fn number(at: &At<'_>, given: &Passed, i: usize) -> Result<Option<Literal>> {
    let Some(node) = given.node(i) else {
        return Ok(None);
    };
    let literal = match &at.parser.nodes[node].ast {
        Ast::Name(name) => names::constant(name),
        _ => at.parser.values[node],
    };
    let reason =
        "its arguments must be numbers known before it runs; give any other array as an input";
    literal.map(Some).ok_or_else(|| at.error(reason))
}

/// A share of elements, of which quantiles are made.
fn share_of(at: &At<'_>, given: &Passed, i: usize) -> Result<f64> {
    let Ok(Some(share)) = number(at, given, i) else {
        let reason = "q must be a number known before it runs, or several in brackets";
        return Err(at.error(reason));
    };
    let share = share.float();
    match (0.0..=1.0).contains(&share) {
        true => Ok(share),
        false => Err(at.error("quantiles must be from 0 to 1, percentiles from 0 to 100")),
    }
}

/// A share as a whole number of 2^-46.
pub(super) fn share(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let parts = share_of(at, given, 0)? * 2f64.powi(46);
    Ok(at
        .parser
        .literal(at.column, Literal::Int(parts.round() as i128)))
}

/// The place of a share of the elements along an axis, counted from 0.
pub(super) fn place(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let share = share_of(at, given, 1)?;
    let extent = match at.parser.extents(given.operand(0)?)? {
        Some(extents) => {
            let axis = at.axis(given.whole(2).unwrap_or(0), extents.len())?;
            extents[axis]
        }
        None => at.parser.extent,
    };
    let place = share * extent.saturating_sub(1) as f64;
    Ok(at.parser.literal(at.column, Literal::Float(place)))
}

pub(super) fn arange(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let first = number(at, given, 0)?.unwrap_or(Literal::Int(0));
    let (start, stop) = match number(at, given, 1)? {
        Some(stop) => (first, stop),
        None => (Literal::Int(0), first),
    };
    let step = number(at, given, 2)?.unwrap_or(Literal::Int(1));
    let made = Made::Arange([start, stop, step], given.dtype(3));
    let _ = made.expr().map_err(|e| e.at(at.column))?;
    Ok(at.push(Ast::Made(made)))
}

pub(super) fn linspace(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let ends = [number(at, given, 0)?, number(at, given, 1)?];
    let ends = ends.map(|x| x.unwrap_or(Literal::Int(0)));
    let count = extent(at, given, 2)?.unwrap_or(50);
    let has_last = given.truth(3) != Some(false);
    let made = Made::Linspace(ends, count, has_last, given.dtype(5));
    Ok(at.push(Ast::Made(made)))
}

/// The operand itself, of the type that is asked for.
pub(super) fn array(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    check_numbers(at, x, given.dtype(1))?;
    let x = at.composed(Composed::Typed, &[x]);
    Ok(match given.dtype(1) {
        Some(dtype) => at.push(Ast::Cast(x, dtype)),
        None => x,
    })
}

/// Another element type, or the bits as one.
pub(super) fn cast(
    at: &mut At<'_>,
    given: &Passed,
    cast: fn(usize, DType) -> Ast,
) -> Result<usize> {
    let dtype = given
        .dtype(1)
        .ok_or_else(|| at.error("the type is missing"))?;
    Ok(at.push(cast(given.operand(0)?, dtype)))
}

/// Rounding to decimals.
pub(super) fn round(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let decimals = given.whole(1).unwrap_or(0);
    let fail = |_| at.error("decimals is out of range");
    let round = Composed::Round(i32::try_from(decimals).map_err(fail)?);
    let x = given.operand(0)?;
    Ok(at.composed(round, &[x]))
}

pub(super) fn select(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (conditions, choices) = (given.nodes(0), given.nodes(1));
    if conditions.len() != choices.len() || conditions.is_empty() {
        let reason = format!(
            "select has {} conditions and {} choices; it takes one choice for each condition",
            conditions.len(),
            choices.len()
        );
        return Err(at.error(reason));
    }
    let mut chosen = given.operand(2)?;
    for (&condition, &choice) in conditions.iter().zip(&choices).rev() {
        chosen = at.op(Op::WHERE, &[condition, choice, chosen]);
    }
    Ok(chosen)
}
