//! Functions that the lines of reductions and scans call.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use super::super::lexer::syntax;
use super::super::names::of_row;
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
pub(super) fn fold(at: &mut At<'_>, given: &Passed, results: Results) -> Result<usize> {
    let x = given.operand(1)?;
    let ddof = given.whole(4).unwrap_or(0).unsigned_abs();
    let reduction = match named(given) {
        Reduction::Var { .. } => Reduction::Var { ddof },
        Reduction::Std { .. } => Reduction::Std { ddof },
        other => other,
    };
    Ok(at.folded(x, reduction, (given, 2), results))
}

/// A reduction that begins with a value: of no elements it is that.
pub(super) fn begun(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (x, initial) = (given.operand(1)?, given.operand(4)?);
    let reduction = named(given);
    let join = match reduction {
        Reduction::Max => Op::MAXIMUM,
        Reduction::Min => Op::MINIMUM,
        Reduction::Prod => Op::MUL,
        _ => Op::ADD,
    };
    let is_extreme = matches!(reduction, Reduction::Max | Reduction::Min);
    if is_extreme && is_empty(at, x, given.ints(2))? {
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
pub(super) fn neutral(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    let Some(initial) = given.node(1) else {
        let reason = "where= needs initial=, since it may select no element";
        return Err(Error::argument(at.function, reason));
    };
    Ok(at.composed(Composed::Full, &[initial, x]))
}

pub(super) fn scan(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let scan = match named(given) {
        Reduction::Prod => Scan::Prod,
        _ => Scan::Sum,
    };
    let along = given.whole(2).map_or(Along::ALL, Along::axis);
    let of = given.operand(1)?;
    Ok(at.push(Ast::Scan { of, scan, along }))
}

/// All elements as one row, which an input is where it lies.
pub(super) fn flat(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    Ok(match at.parser.values[x] {
        None => at.reshaped(x, vec![-1]),
        Some(_) => x,
    })
}

/// A norm, of vectors or of a matrix along two axes.
pub(super) fn norm(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    if at.function == "norm" {
        check_norm(at, given, x)?;
    }
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
fn check_norm(at: &mut At<'_>, given: &Passed, x: usize) -> Result<()> {
    let axes = given.ints(2).map(<[_]>::len);
    match (given.text(1), axes) {
        // Of a vector it is known which norm it is.
        (Some(_), None) if at.parser.extents(x)?.is_none_or(|of| of.len() == 1) => Ok(()),
        (Some(_), None | Some(2)) => Err(syntax(
            given.columns[1],
            "for a matrix this is another norm in NumPy; name one axis, or write vector_norm(x, ord=1)",
        )),
        (_, None | Some(1)) | (None, Some(2)) => Ok(()),
        _ => {
            Err(at.error("norm takes one axis, two or None; vector_norm takes any number of them"))
        }
    }
}

/// The weight of each element: of the array's shape, or along one axis of it.
pub(super) fn weights(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (x, weights) = (given.operand(0)?, given.operand(1)?);
    let (own, of) = (at.parser.extents(x)?, at.parser.extents(weights)?);
    let (Some(own), Some(of)) = (own, of) else {
        return Ok(weights);
    };
    match given.ints(2) {
        _ if own == of => Ok(weights),
        Some(&[axis]) if of.len() == 1 => {
            let mut extents = vec![1; own.len()];
            extents[at.axis(axis, own.len())?] = -1;
            Ok(at.reshaped(weights, extents))
        }
        _ => {
            let reason = "weights= must have the shape of the array, or the extent of axis=";
            Err(at.error(reason))
        }
    }
}

/// Whether there are no elements along axes, or along any.
fn is_empty(at: &mut At<'_>, x: usize, axes: Option<&[isize]>) -> Result<bool> {
    let Some(extents) = at.parser.extents(x)? else {
        return Ok(false);
    };
    let place = |&axis: &isize| at.axis(axis, extents.len());
    Ok(match axes {
        Some(axes) => axes.iter().flat_map(place).any(|axis| extents[axis] == 0),
        None => extents.contains(&0),
    })
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
