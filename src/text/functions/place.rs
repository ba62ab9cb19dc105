//! Elements at other places, or more often. Their shapes are known when they are made.

use super::super::ast::Ast;
use super::super::function::{At, Function, Parameter, Passed, Takes, made, needed, optional};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use super::shape::{count, signed};
use crate::error::Result;
use crate::expr::Join;
use crate::view::{Index, View};

const A: &[Parameter] = &[needed("a", Takes::Operand)];

pub(super) static TABLE: &[Function] = &[
    made(
        "atleast_1d",
        A,
        "atleast_1d(x)",
        "The array, a number as one axis of one element.",
        |parser, given| at_least(parser, given, 1),
    ),
    made(
        "atleast_2d",
        A,
        "atleast_2d(v)",
        "The array, one axis as a row.",
        |parser, given| at_least(parser, given, 2),
    ),
    made(
        "atleast_3d",
        A,
        "atleast_3d(x)",
        "The array with an axis behind those of a matrix.",
        |parser, given| at_least(parser, given, 3),
    ),
    made(
        "roll",
        &[
            needed("a", Takes::Operand),
            needed("shift", Takes::Wholes),
            optional("axis", Takes::Wholes),
        ],
        "roll(x, 1, axis=0)",
        "The elements further on along axes, those beyond the end first; without an axis, of all elements as one axis.",
        roll,
    ),
    made(
        "tile",
        &[needed("A", Takes::Operand), needed("reps", Takes::Wholes)],
        "tile(x, (1, 2))",
        "The array so many times along each axis.",
        |parser, given| {
            let x = given.operand(0)?;
            let Some(mut extents) = parser.extents(x)? else {
                return Ok(x);
            };
            let times = given.wholes(1).iter().map(|&n| usize::try_from(n));
            let mut times: Vec<usize> = times
                .collect::<Result<_, _>>()
                .map_err(|_| syntax(given.column, "reps are 0 or more"))?;
            let rank = extents.len().max(times.len());
            extents.splice(0..0, vec![1; rank - extents.len()]);
            times.splice(0..0, vec![1; rank - times.len()]);
            let counts: Vec<_> = times.into_iter().map(|n| [n, 1]).collect();
            Ok(At::of(parser, given).repeated(x, &extents, &counts))
        },
    ),
];

fn at_least(parser: &mut Parser, given: &Passed, least: usize) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(extents) = parser.extents(x)? else {
        return Ok(x);
    };
    let new: &[isize] = match (extents.len(), least) {
        (0, 1) => &[0],
        (0, 2) => &[0, 1],
        (0, _) => &[0, 1, 2],
        (1, 2) => &[0],
        (1, 3) => &[0, 2],
        (2, 3) => &[2],
        _ => return Ok(x),
    };
    Ok(parser.push(given.column, Ast::View(x, View::Unsqueeze(new.to_vec()))))
}

fn roll(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let mut x = given.operand(0)?;
    let (shifts, axes) = (given.wholes(1), given.wholes(2));
    let Some(extents) = parser.extents(x)? else {
        return Ok(x);
    };
    let mut at = At::of(parser, given);
    if axes.is_empty() {
        let flat = at.reshaped(x, vec![-1]);
        let count = count(&extents);
        let steps = |&shift: &isize| shift.rem_euclid(count.cast_signed().max(1));
        let shift = shifts
            .iter()
            .map(steps)
            .fold(0, |sum, s| (sum + s) % count.cast_signed().max(1));
        let rolled = at.rolled(flat, 0, count, shift);
        return Ok(at.reshaped(rolled, signed(&extents)));
    }
    let count = shifts.len().max(axes.len());
    if shifts.is_empty()
        || [shifts.len(), axes.len()]
            .iter()
            .any(|&n| n != count && n != 1)
    {
        return Err(syntax(given.column, "roll takes one shift for each axis"));
    }
    for i in 0..count {
        let axis = at.axis(axes[i % axes.len()], extents.len())?;
        x = at.rolled(x, axis, extents[axis], shifts[i % shifts.len()]);
    }
    Ok(x)
}

impl At<'_> {
    /// A part of an array along one axis.
    pub(super) fn along(&mut self, x: usize, axis: usize, part: Index) -> usize {
        let mut index = vec![Index::Range(None, None, 1); axis];
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
        self.push(Ast::Joined(Join::Along(axis.cast_signed()), parts.to_vec()))
    }
}
