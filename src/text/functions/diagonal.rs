//! Diagonals: their elements, and diagonal matrices.

use super::super::ast::{Ast, Made};
use super::super::function::{At, Passed};
use super::shape::signed;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Join};
use crate::op::Op;
use crate::view::{Index, View};

pub(super) fn diag(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    let k = given.whole(1).unwrap_or(0);
    match at.parser.extents(x)?.as_deref() {
        Some(&[n]) => at.on_diagonal(x, n, k),
        Some(extents) if extents.len() != 2 => Err(at.error("diag takes one axis or a matrix")),
        _ => lying(at, given, k, [0, 1]),
    }
}

pub(super) fn diagonal(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let [k, first, second] = [(1, 0), (2, 0), (3, 1)].map(|(i, n)| given.whole(i).unwrap_or(n));
    lying(at, given, k, [first, second])
}

/// A diagonal: in row-major order its elements have equal distances.
fn lying(at: &mut At<'_>, given: &Passed, k: isize, axes: [isize; 2]) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(mut extents) = at.parser.extents(x)? else {
        return Ok(x);
    };
    let rank = extents.len();
    let [first, second] = [at.axis(axes[0], rank)?, at.axis(axes[1], rank)?];
    if first == second {
        return Err(at.error("a diagonal needs two different axes"));
    }
    let (rows, columns) = (extents[first], extents[second]);
    extents.remove(first.max(second));
    extents.remove(first.min(second));
    let turned = View::MoveAxis {
        from: axes.to_vec(),
        to: vec![-2, -1],
    };
    let turned = at.push(Ast::View(x, turned));
    extents.push(rows.saturating_mul(columns));
    let line = at.reshaped(turned, signed(&extents));
    let skipped = k.unsigned_abs();
    let (count, start) = match k {
        0.. => (rows.min(columns.saturating_sub(skipped)), skipped),
        _ => (
            columns.min(rows.saturating_sub(skipped)),
            skipped.saturating_mul(columns),
        ),
    };
    let step = columns + 1;
    let [start, stop] = match count {
        0 => [0, 0],
        n => [
            start,
            start
                .saturating_add((n - 1).saturating_mul(step))
                .saturating_add(1),
        ],
    };
    let [start, stop, step] = [start, stop, step].map(usize::cast_signed);
    let part = Index::Range(Some(start), Some(stop), step);
    Ok(at.push(Ast::View(line, View::Slice(vec![Index::Ellipsis, part]))))
}

impl At<'_> {
    /// The matrix with these elements on a diagonal, 0 elsewhere.
    fn on_diagonal(&mut self, x: usize, n: usize, k: isize) -> Result<usize> {
        if n == 0 {
            return Err(self.error("diag needs at least one element"));
        }
        let zero = self.parser.literal(self.column, 0);
        let zeros = self.composed(Composed::Full, &[zero, x]);
        let zero = self.along(zeros, 0, Index::Range(None, Some(1), 1));
        let more = k.unsigned_abs();
        let mut line = x;
        if more > 0 {
            let rest = self.broadcast(zero, vec![more]);
            line = self.push(Ast::joined(Join::Along(0), vec![x, rest]));
        }
        // Above the middle each row has its element, below it each column.
        let index = match k {
            0.. => vec![Index::Ellipsis, Index::NewAxis],
            _ => vec![Index::NewAxis, Index::Ellipsis],
        };
        let line = self.push(Ast::View(line, View::Slice(index)));
        let size = n.saturating_add(more);
        let eye = Made::Eye([size, size], k, Some(DType::Bool));
        let kept = self.push(Ast::Made(eye));
        Ok(self.op(Op::WHERE, &[kept, line, zero]))
    }
}
