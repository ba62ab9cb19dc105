//! Arrays joined to one, elements at indices, differences of neighbours.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Gathered, Join};
use crate::rule::Rule;
use crate::view::{Index, View};

pub(super) fn join(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let arrays = given.nodes(1);
    if arrays.is_empty() {
        return Err(at.error("a join needs at least one array"));
    }
    let join = match (given.text(0), given.whole(2)) {
        (Some("along"), Some(axis)) => Join::Along(axis),
        (Some("stack"), axis) => Join::Stack(axis.unwrap_or(0)),
        (Some("columns"), _) => Join::Columns,
        (Some("deep"), _) => Join::Deep,
        (Some("beside"), _) => Join::Beside,
        (Some("rows"), _) => Join::Rows,
        _ => Join::Flat,
    };
    let joined = at.push(Ast::joined(join, arrays));
    Ok(match given.dtype(3) {
        Some(dtype) => at.push(Ast::Cast(joined, dtype)),
        None => joined,
    })
}

pub(super) fn take(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (x, indices) = (given.operand(0)?, given.operand(1)?);
    let (x, axis) = match given.whole(2) {
        Some(axis) => (x, axis),
        None => (at.reshaped(x, vec![-1]), 0),
    };
    Ok(at.push(Ast::Gathered(Gathered::Taken(axis), vec![x, indices])))
}

/// Elements in order along an axis, or all of them.
pub(super) fn sorted(at: &mut At<'_>, given: &Passed, places: bool) -> Result<usize> {
    let (x, axis) = match given.whole(1) {
        Some(axis) => (given.operand(0)?, axis),
        None => (at.reshaped(given.operand(0)?, vec![-1]), 0),
    };
    Ok(at.push(Ast::Gathered(Gathered::Sorted { axis, places }, vec![x])))
}

/// The places of values in a sorted array.
pub(super) fn searchsorted(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let right = match given.text(2) {
        None | Some("left") => false,
        Some("right") => true,
        Some(side) => {
            let reason = format!("side must be 'left' or 'right', not '{side}'");
            return Err(at.error(reason));
        }
    };
    let args = vec![given.operand(0)?, given.operand(1)?];
    Ok(at.push(Ast::Gathered(Gathered::Searched { right }, args)))
}

pub(super) fn diff(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let mut x = given.operand(0)?;
    let times = given.whole(1).unwrap_or(1);
    if !(0..=64).contains(&times) {
        return Err(at.error("n must be 0 to 64"));
    }
    if times == 0 {
        return Ok(x);
    }
    let axis = given.whole(2).unwrap_or(-1);
    let mut ends = [3, 4].map(|i| given.node(i));
    for end in ends.iter_mut().flatten() {
        // A number is an array of NumPy's own type.
        if let Some(number) = at.parser.values[*end] {
            *end = at.push(Ast::Cast(*end, number.dtype(DType::F64)));
        }
        // One of no axes stands in every row.
        if let (Some([]), Some(mut target)) =
            (at.parser.extents(*end)?.as_deref(), at.parser.extents(x)?)
        {
            let axis = at.axis(axis, target.len())?;
            target[axis] = 1;
            let target = target.into();
            *end = at.push(Ast::Broadcast(*end, Rule::To { target }));
        }
    }
    if ends.iter().any(Option::is_some) {
        let arrays = [ends[0], Some(x), ends[1]].into_iter().flatten();
        x = at.push(Ast::joined(Join::Along(axis), arrays.collect()));
    }
    for _ in 0..times {
        let next = at.part(x, axis, Index::Range(Some(1), None, 1));
        let own = at.part(x, axis, Index::Range(None, Some(-1), 1));
        x = at.composed(Composed::Difference, &[next, own]);
    }
    Ok(x)
}

impl At<'_> {
    /// A part of an array along one axis.
    fn part(&mut self, x: usize, axis: isize, part: Index) -> usize {
        let moved = |from: isize, to: isize| View::MoveAxis {
            from: vec![from],
            to: vec![to],
        };
        let first = self.push(Ast::View(x, moved(axis, 0)));
        let part = self.push(Ast::View(first, View::Slice(vec![part])));
        self.push(Ast::View(part, moved(0, axis)))
    }
}
