//! Functions that move or repeat elements. They need known shapes.

use super::super::ast::{Ast, Made};
use super::super::function::{At, Passed};
use super::shape::{count, signed};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Gathered, Join, Literal};
use crate::op::Op;
use crate::view::{Index, View};

pub(super) fn tile(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(mut extents) = at.parser.extents(x)? else {
        return Ok(x);
    };
    let times = given.wholes(1).iter().map(|&n| usize::try_from(n));
    let mut times: Vec<usize> = times
        .collect::<Result<_, _>>()
        .map_err(|_| at.error("reps must be 0 or more"))?;
    let rank = extents.len().max(times.len());
    extents.splice(0..0, vec![1; rank - extents.len()]);
    times.splice(0..0, vec![1; rank - times.len()]);
    let counts: Vec<_> = times.into_iter().map(|n| [n, 1]).collect();
    Ok(at.repeated(x, &extents, &counts))
}

pub(super) fn at_least(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(extents) = at.parser.extents(x)? else {
        return Ok(x);
    };
    let new: &[isize] = match (extents.len(), at.function) {
        (0, "atleast_1d") => &[0],
        (0, "atleast_2d") => &[0, 1],
        (0, _) => &[0, 1, 2],
        (1, "atleast_2d") => &[0],
        (1, "atleast_3d") => &[0, 2],
        (2, "atleast_3d") => &[2],
        _ => return Ok(x),
    };
    Ok(at.push(Ast::View(x, View::Unsqueeze(new.to_vec()))))
}

pub(super) fn roll(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let mut x = given.operand(0)?;
    let (shifts, axes) = (given.wholes(1), given.wholes(2));
    let Some(extents) = at.parser.extents(x)? else {
        return Ok(x);
    };
    if axes.is_empty() {
        let flat = at.reshaped(x, vec![-1]);
        let count = count(&extents);
        let n = count.cast_signed().max(1);
        let shift = shifts.iter().fold(0, |sum, s| (sum + s.rem_euclid(n)) % n);
        let rolled = at.rolled(flat, 0, count, shift);
        return Ok(at.reshaped(rolled, signed(&extents)));
    }
    let count = shifts.len().max(axes.len());
    let fits = |n: usize| n == count || n == 1;
    if shifts.is_empty() || !fits(shifts.len()) || !fits(axes.len()) {
        return Err(at.error("roll takes one shift for each axis"));
    }
    for i in 0..count {
        let axis = at.axis(axes[i % axes.len()], extents.len())?;
        x = at.rolled(x, axis, extents[axis], shifts[i % shifts.len()]);
    }
    Ok(x)
}

/// The first elements along an axis.
pub(super) fn first(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (x, count, axis) = (given.operand(0)?, given.whole(1), given.whole(2));
    let Some(extents) = at.parser.extents(x)? else {
        return Ok(x);
    };
    let axis = at.axis(axis.unwrap_or(-1), extents.len())?;
    let (count, extent) = (count.unwrap_or(0), extents[axis]);
    if usize::try_from(count).is_ok_and(|count| count <= extent) {
        return Ok(at.along(x, axis, Index::Range(None, Some(count), 1)));
    }
    let reason = format!("k is {count}, but axis {axis} has {extent} elements");
    Err(at.error(reason))
}

/// The elements at indices along an axis, each at the index's own place along the others.
pub(super) fn taken_along(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (x, indices) = (given.operand(0)?, given.operand(1)?);
    let (Some(extents), Some(own)) = (at.parser.extents(x)?, at.parser.extents(indices)?) else {
        return Ok(x);
    };
    let rank = extents.len();
    if own.len() != rank {
        let reason = format!("indices have {} axes, but the array has {rank}", own.len());
        return Err(at.error(reason));
    }
    let axis = at.axis(given.whole(2).unwrap_or(-1), rank)?;
    let misfit =
        (0..rank).find(|&a| a != axis && extents[a] != own[a] && extents[a].min(own[a]) != 1);
    if let Some(a) = misfit {
        let reason = format!(
            "axis {a} has {} indices, but the array has {} elements",
            own[a], extents[a]
        );
        return Err(at.error(reason));
    }
    // The place of each element among all of the array, with indices beyond the ends at these.
    let number = |at: &mut At<'_>, n: usize| at.parser.literal(at.column, Literal::Int(n as i128));
    let mut place = at.push(Ast::Cast(indices, DType::I64));
    let zero = number(at, 0);
    let extent = number(at, extents[axis]);
    let is_negative = at.op(Op::LESS, &[place, zero]);
    let from_end = at.op(Op::ADD, &[place, extent]);
    place = at.op(Op::WHERE, &[is_negative, from_end, place]);
    place = at.op(Op::MAXIMUM, &[place, zero]);
    let last = number(at, extents[axis].saturating_sub(1));
    place = at.op(Op::MINIMUM, &[place, last]);
    let mut stride = 1;
    let mut sum = None;
    for a in (0..rank).rev() {
        if a == axis || extents[a] > 1 {
            let along = match a == axis {
                true => place,
                false => {
                    let bounds = [0, extents[a], 1].map(|n| Literal::Int(n as i128));
                    let line = at.push(Ast::Made(Made::Arange(bounds, Some(DType::I64))));
                    let mut line_extents = vec![1; rank];
                    line_extents[a] = -1;
                    at.reshaped(line, line_extents)
                }
            };
            let stride = number(at, stride);
            let term = at.op(Op::MUL, &[along, stride]);
            sum = Some(sum.map_or(term, |sum| at.op(Op::ADD, &[sum, term])));
        }
        stride *= extents[a];
    }
    let flat = at.reshaped(x, vec![-1]);
    let taken = Gathered::Taken(0);
    Ok(at.push(Ast::Gathered(taken, vec![flat, sum.unwrap_or(place)])))
}

impl At<'_> {
    /// A part of an array along one axis.
    pub(super) fn along(&mut self, x: usize, axis: usize, part: Index) -> usize {
        let mut index = vec![Index::ALL; axis];
        index.push(part);
        self.push(Ast::View(x, View::Slice(index)))
    }

    fn rolled(&mut self, x: usize, axis: usize, n: usize, shift: isize) -> usize {
        let first = match n.cast_signed() {
            0 => 0,
            n => n - shift.rem_euclid(n),
        };
        if first == 0 || first == n.cast_signed() {
            return x;
        }
        let parts = [(Some(first), None), (None, Some(first))];
        let parts = parts.map(|(start, stop)| self.along(x, axis, Index::Range(start, stop, 1)));
        self.push(Ast::joined(Join::Along(axis.cast_signed()), parts.to_vec()))
    }
}
