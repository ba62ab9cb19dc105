//! Views: `flip(x, 0)`, `np.moveaxis(x, 0, -1)`, `x.squeeze()`.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use super::super::lexer::syntax;
use crate::error::Result;
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::{View, axis_among};

pub(super) fn broadcast(at: &mut At<'_>, given: &Passed, rule: fn(Shape) -> Rule) -> Result<usize> {
    let (x, rule) = (given.operand(0)?, rule(given.shape(1).into()));
    Ok(at.push(Ast::Broadcast(x, rule)))
}

pub(super) fn reshape(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let mut target = given.wholes(1).to_vec();
    if target.iter().any(|&e| e < -1) || target.iter().filter(|&&e| e == -1).count() > 1 {
        let reason = "extents must be 0 or more; one may be -1, inferred from the others";
        return Err(syntax(given.columns[1], reason));
    }
    let x = given.operand(0)?;
    match given.text(2) {
        None | Some("C") => return Ok(at.reshaped(x, target)),
        Some("F") => {}
        Some(_) => {
            let reason = "order must be 'C', the last axis fastest, or 'F', the first axis fastest";
            return Err(syntax(given.columns[2], reason));
        }
    }
    // Fortran's order is C's with all axes in reverse order.
    target.reverse();
    let turned = at.push(Ast::View(x, View::Transpose));
    let shaped = at.reshaped(turned, target);
    Ok(at.push(Ast::View(shaped, View::Transpose)))
}

pub(super) fn moved(given: &Passed) -> Result<View> {
    let [from, to] = [1, 2].map(|i| given.wholes(i).to_vec());
    Ok(View::MoveAxis { from, to })
}

pub(super) fn swapped(given: &Passed) -> Result<View> {
    let [a, b] = [1, 2].map(|i| given.whole(i).unwrap_or(0));
    Ok(View::SwapAxes(a, b))
}

pub(super) fn turned(given: &Passed) -> Result<View> {
    let turns = given.whole(1).unwrap_or(1);
    let axes = given.ints(2).unwrap_or(&[0, 1]).try_into();
    let reason = "rot90 turns in the plane of two axes: axes=(0, 1)";
    let axes = axes.map_err(|_| syntax(given.columns[2], reason))?;
    Ok(View::Rot90 { turns, axes })
}

/// The axes in the order that is given, each once, or in reverse order.
pub(super) fn transposed(given: &Passed) -> Result<View> {
    let Some(axes) = given.ints(1) else {
        return Ok(View::Transpose);
    };
    let rank = axes.len();
    let places = axes.iter().map(|&a| axis_among("transpose", a, rank, rank));
    let places: Result<_> = places.collect();
    places.map(View::Permute).map_err(|_| {
        let last = rank.saturating_sub(1);
        let reason =
            format!("transpose must name each axis once: of {rank} axes, from -{rank} to {last}");
        syntax(given.columns[1], reason)
    })
}
