//! What each element counts in a reduction: where a mask holds, by weights, and beside a first value.

use super::ast::Ast;
use super::lexer::syntax;
use super::parser::Parser;
use crate::error::Result;
use crate::op::Op;
use crate::rule::Rule;

impl Parser {
    /// An array where a mask holds, elsewhere another value.
    pub(super) fn kept(&mut self, column: usize, mask: usize, x: usize, value: usize) -> usize {
        let ast = Ast::Step {
            op: Op::WHERE,
            args: vec![mask, x, value],
            // The mask is broadcast to the array, not the array to the mask.
            rule: Some(Rule::Unidirectional),
        };
        self.push(column, ast)
    }

    /// Whether there are no elements along the axes of a reduction.
    pub(super) fn is_empty_along(&mut self, x: usize, axes: Option<&[isize]>) -> Result<bool> {
        let Some(extents) = self.extents(x)? else {
            return Ok(false);
        };
        let is_empty = |&axis: &isize| {
            let extent = place(axis, extents.len()).and_then(|i| extents.get(i));
            extent == Some(&0)
        };
        Ok(match axes {
            Some(axes) => axes.iter().any(is_empty),
            None => extents.contains(&0),
        })
    }

    /// What each element of `x` counts: of its shape, or along one axis.
    pub(super) fn weights_of(
        &mut self,
        x: usize,
        weights: usize,
        axes: Option<&[isize]>,
        column: usize,
    ) -> Result<usize> {
        let (Some(own), Some(of)) = (self.extents(x)?, self.extents(weights)?) else {
            return Ok(weights);
        };
        match axes {
            _ if own == of => Ok(weights),
            Some(&[axis]) if of.len() == 1 => {
                let mut extents = vec![1; own.len()];
                // An axis that is not there is told by the sum.
                if let Some(extent) = place(axis, own.len()).and_then(|i| extents.get_mut(i)) {
                    *extent = -1;
                }
                Ok(self.push(column, Ast::Reshape(weights, extents)))
            }
            _ => {
                let reason = "weights= has the shape of the array, or one axis, that of axis=";
                Err(syntax(column, reason))
            }
        }
    }
}

/// The place of an axis, counted from the last if it is negative.
fn place(axis: isize, rank: usize) -> Option<usize> {
    match axis {
        0.. => Some(axis.unsigned_abs()),
        _ => rank.checked_add_signed(axis),
    }
}
