//! Functions that the lines of reductions and scans call.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use super::super::lexer::syntax;
use super::super::names::of_row;
use super::super::parser::Parser;
use crate::error::{Error, Result};
use crate::expr::{Along, Axes, Composed, Reduction, Results, Scan};
use crate::op::Op;

/// The reductions by the names that lines have for them.
const REDUCTIONS: &[(&str, Reduction)] = &[
    ("all", Reduction::All),
    ("any", Reduction::Any),
    ("argmax", Reduction::ArgMax { last: false }),
    ("argmin", Reduction::ArgMin { last: false }),
    ("count_nonzero", Reduction::CountNonzero),
    ("logsumexp", Reduction::LogSumExp),
    ("max", Reduction::Max),
    ("mean", Reduction::Mean),
    ("min", Reduction::Min),
    ("prod", Reduction::Prod),
    ("std", Reduction::Std { ddof: 0 }),
    ("sum", Reduction::Sum),
    ("var", Reduction::Var { ddof: 0 }),
];

/// The reduction whose name stands first.
fn named(given: &Passed) -> Reduction {
    let name = given.text(0).unwrap_or_default();
    let found = of_row(REDUCTIONS, name);
    debug_assert!(found.is_some(), "a line folds by {name}");
    found.unwrap_or(Reduction::Sum)
}

/// The reduction whose name stands first, of the second operand; behind it are the axes, whether they
/// are kept, and what the number of elements is less in a variance.
pub(super) fn fold(parser: &mut Parser, given: &Passed, results: Results) -> Result<usize> {
    let x = given.operand(1)?;
    let ddof = given.whole(4).unwrap_or(0).unsigned_abs();
    let reduction = match named(given) {
        Reduction::Var { .. } => Reduction::Var { ddof },
        Reduction::Std { .. } => Reduction::Std { ddof },
        other => other,
    };
    Ok(At::of(parser, given).folded(x, reduction, (given, 2), results))
}

/// A reduction that begins with a value: of no elements it is that.
pub(super) fn begun(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let (x, initial) = (given.operand(1)?, given.operand(4)?);
    let reduction = named(given);
    let join = match reduction {
        Reduction::Max => Op::MAXIMUM,
        Reduction::Min => Op::MINIMUM,
        Reduction::Prod => Op::MUL,
        _ => Op::ADD,
    };
    let is_extreme = matches!(reduction, Reduction::Max | Reduction::Min);
    let is_empty = is_extreme && is_empty(parser, x, given.ints(2))?;
    let mut at = At::of(parser, given);
    if is_empty {
        // In the shape of the result, which a product of no elements has.
        let like = at.folded(x, Reduction::Prod, (given, 2), Results::Kept);
        return Ok(at.composed(Composed::Full, &[initial, like]));
    }
    let made = at.folded(x, reduction, (given, 2), Results::Numpy);
    let initial = match is_extreme {
        true => at.composed(Composed::Full, &[initial, made]),
        false => initial,
    };
    Ok(at.op(join, &[made, initial]))
}

/// The initial value as one of an array's own type, which stands where elements are not taken.
pub(super) fn neutral(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(initial) = given.node(1) else {
        let reason = "where= needs initial=, since it may select no element";
        return Err(Error::argument(given.function, reason));
    };
    Ok(At::of(parser, given).composed(Composed::Full, &[initial, x]))
}

pub(super) fn scan(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let scan = match named(given) {
        Reduction::Prod => Scan::Prod,
        _ => Scan::Sum,
    };
    let along = given.whole(2).map_or(Along::ALL, Along::axis);
    let of = given.operand(1)?;
    Ok(parser.push(given.column, Ast::Scan { of, scan, along }))
}

/// All elements as one row, which an input is where it lies.
pub(super) fn flat(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    Ok(match parser.values[x] {
        None => parser.push(given.column, Ast::Reshape(x, vec![-1])),
        Some(_) => x,
    })
}

/// A norm, of vectors or of a matrix along two axes.
pub(super) fn norm(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    if given.function == "norm" {
        check_norm(parser, given, x)?;
    }
    let mut at = At::of(parser, given);
    let (reduction, results) = match given.text(1) {
        // Also of whole numbers a norm is a float.
        Some("l1") => (Reduction::L1, Results::Float),
        Some(extreme @ ("max" | "min")) => {
            let one = at.parser.literal(at.column, 1.0);
            let x = at.op(Op::MUL, &[x, one]);
            let x = at.op(Op::ABS, &[x]);
            let reduction = of_row(REDUCTIONS, extreme).unwrap_or(Reduction::Max);
            return Ok(at.folded(x, reduction, (given, 2), Results::Numpy));
        }
        _ => (Reduction::L2, Results::Numpy),
    };
    Ok(at.folded(x, reduction, (given, 2), results))
}

/// Refuses norms that NumPy has of matrices or not at all.
fn check_norm(parser: &mut Parser, given: &Passed, x: usize) -> Result<()> {
    let axes = given.ints(2).map(<[_]>::len);
    match (given.text(1), axes) {
        // Of a vector it is known which norm it is.
        (Some(_), None) if parser.extents(x)?.is_none_or(|of| of.len() == 1) => Ok(()),
        (Some(_), None | Some(2)) => Err(syntax(
            given.columns[1],
            "for a matrix this is another norm in NumPy; name one axis, or write vector_norm(x, ord=1)",
        )),
        (_, None | Some(1)) | (None, Some(2)) => Ok(()),
        _ => Err(syntax(
            given.column,
            "norm takes one axis, two or None; vector_norm takes any number of them",
        )),
    }
}

/// The weight of each element: of the array's shape, or along one axis of it.
pub(super) fn weights(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let (x, weights) = (given.operand(0)?, given.operand(1)?);
    let (own, of) = (parser.extents(x)?, parser.extents(weights)?);
    let (Some(own), Some(of)) = (own, of) else {
        return Ok(weights);
    };
    match given.ints(2) {
        _ if own == of => Ok(weights),
        Some(&[axis]) if of.len() == 1 => {
            let mut at = At::of(parser, given);
            let mut extents = vec![1; own.len()];
            extents[at.axis(axis, own.len())?] = -1;
            Ok(at.reshaped(weights, extents))
        }
        _ => {
            let reason = "weights= must have the shape of the array, or the extent of axis=";
            Err(syntax(given.column, reason))
        }
    }
}

/// Whether there are no elements along axes, or along any.
fn is_empty(parser: &mut Parser, x: usize, axes: Option<&[isize]>) -> Result<bool> {
    let Some(extents) = parser.extents(x)? else {
        return Ok(false);
    };
    let extent = |&axis: &isize| place(axis, extents.len()).and_then(|i| extents.get(i));
    Ok(match axes {
        Some(axes) => axes.iter().any(|axis| extent(axis) == Some(&0)),
        None => extents.contains(&0),
    })
}

/// The place of an axis, counted from the last if it is negative.
fn place(axis: isize, rank: usize) -> Option<usize> {
    match axis {
        0.. => Some(axis.unsigned_abs()),
        _ => rank.checked_add_signed(axis),
    }
}

impl At<'_> {
    /// A reduction along the axes that a call gives for one parameter, kept if it says so for the next.
    fn folded(
        &mut self,
        of: usize,
        reduction: Reduction,
        (given, i): (&Passed, usize),
        results: Results,
    ) -> usize {
        let axes = given.ints(i).map_or(Axes::ALL, Axes::new);
        let axes = match given.truth(i + 1) {
            Some(true) => axes.keepdims(),
            _ => axes,
        };
        self.push(Ast::Reduce {
            of,
            reduction,
            axes,
            results,
        })
    }
}
