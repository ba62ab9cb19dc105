//! Properties of shapes, and functions that need known shapes.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use crate::error::Result;
use crate::rule::Rule;
use crate::view::{View, axis_among};

/// A property of a shape, by the function's name.
pub(super) fn asked(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    at.parser
        .of_shape(given.operand(0)?, at.function, at.column)
}

/// What is left of an array that was reduced along an axis, or along all, with extents of 1 for them.
pub(super) fn kept(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let axes = match given.whole(2) {
        Some(axis) => vec![axis],
        None => {
            let extents = at.parser.extents(given.operand(1)?)?.unwrap_or_default();
            (0..extents.len().cast_signed()).collect()
        }
    };
    let view = Ast::View(given.operand(0)?, View::Unsqueeze(axes));
    Ok(at.push(view))
}

pub(super) fn repeat(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (x, times) = (given.operand(0)?, given.whole(1).unwrap_or(0));
    let fail = |_| at.error("repeats must be 0 or more");
    let times = usize::try_from(times).map_err(fail)?;
    let Some(extents) = at.parser.extents(x)? else {
        return Ok(x);
    };
    let (x, extents, axis) = match given.whole(2) {
        Some(axis) => (x, extents.clone(), at.axis(axis, extents.len())?),
        None => (at.reshaped(x, vec![-1]), vec![count(&extents)], 0),
    };
    let mut counts = vec![[1, 1]; extents.len()];
    counts[axis][1] = times;
    Ok(at.repeated(x, &extents, &counts))
}

/// The number of elements.
pub(super) fn count(extents: &[usize]) -> usize {
    extents.iter().fold(1, |n, &e| n.saturating_mul(e))
}

/// Extents as a reshape takes them.
pub(super) fn signed(extents: &[usize]) -> Vec<isize> {
    let most = |&e: &usize| isize::try_from(e).unwrap_or(isize::MAX);
    extents.iter().map(most).collect()
}

impl At<'_> {
    /// The place of an axis, counted from the last if it is negative.
    pub(super) fn axis(&self, axis: isize, rank: usize) -> Result<usize> {
        axis_among(self.function, axis, rank, rank)
    }

    pub(super) fn reshaped(&mut self, x: usize, extents: Vec<isize>) -> usize {
        self.push(Ast::Reshape(x, extents))
    }

    pub(super) fn broadcast(&mut self, x: usize, target: Vec<usize>) -> usize {
        let target = target.into();
        self.push(Ast::Broadcast(x, Rule::To { target }))
    }

    /// The whole of each axis so many times, and each index of it so many times in a row.
    pub(super) fn repeated(&mut self, x: usize, extents: &[usize], counts: &[[usize; 2]]) -> usize {
        let (mut apart, mut target, mut joined) = (Vec::new(), Vec::new(), Vec::new());
        for (&n, &[whole, each]) in extents.iter().zip(counts) {
            for (from, to) in [(1, whole), (n, n), (1, each)] {
                if from != 1 || to != 1 {
                    apart.push(from);
                    target.push(to);
                }
            }
            joined.push(n.saturating_mul(whole).saturating_mul(each));
        }
        let apart = self.reshaped(x, signed(&apart));
        let repeated = self.broadcast(apart, target);
        self.reshaped(repeated, signed(&joined))
    }
}
