//! Windows along axes, and the sums of products along them.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use super::super::lexer::syntax;
use crate::error::Result;
use crate::expr::{Composed, Join};
use crate::view::View;

pub(super) fn sliding_window_view(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let (x, lengths) = (given.operand(0)?, given.wholes(1));
    let lengths: Vec<usize> = lengths.iter().flat_map(|&n| usize::try_from(n)).collect();
    if lengths.len() != given.wholes(1).len() {
        let reason = "an extent of window_shape must be 0 or more";
        return Err(syntax(given.columns[1], reason));
    }
    let axes = match given.ints(2) {
        Some(axes) => axes.to_vec(),
        None => {
            let rank = at.parser.extents(x)?.map_or(lengths.len(), |e| e.len());
            (0..rank.cast_signed()).collect()
        }
    };
    if axes.len() != lengths.len() {
        let (lengths, axes) = (lengths.len(), axes.len());
        let reason = format!("window_shape has {lengths} extents for {axes} axes");
        return Err(syntax(given.columns[1], reason));
    }
    let windows = axes.into_iter().zip(lengths).collect();
    Ok(at.push(Ast::Windows(x, windows)))
}

/// Sums of products of one row and each window of another that is as long: NumPy's `correlate`. Or
/// `backwards`, its `convolve`.
pub(super) fn correlate(at: &mut At<'_>, given: &Passed, backwards: bool) -> Result<usize> {
    let (mut rows, mut lengths) = ([given.operand(0)?, given.operand(1)?], [0; 2]);
    // Of both, so that both are inputs before their shapes are known.
    let shapes = [at.parser.extents(rows[0])?, at.parser.extents(rows[1])?];
    for ((row, length), extents) in rows.iter_mut().zip(&mut lengths).zip(shapes) {
        let Some(extents) = extents else {
            return Ok(*row);
        };
        *length = match *extents.as_slice() {
            [] => {
                let typed = at.composed(Composed::Typed, &[*row]);
                *row = at.push(Ast::View(typed, View::Unsqueeze(vec![0])));
                1
            }
            [0] => return Err(at.error("correlate and convolve need arrays with elements")),
            [length] => length,
            _ => return Err(at.error("correlate and convolve take arrays of one axis")),
        };
    }
    // The shorter one is moved along the longer; of a convolution it does not matter which is which.
    let is_swapped = lengths[0] < lengths[1];
    if is_swapped {
        rows.reverse();
        lengths.reverse();
    }
    if backwards {
        rows[1] = at.push(Ast::View(rows[1], View::Flip(None)));
    }
    let length = lengths[1];
    let before = match given.text(2).unwrap_or_default() {
        "valid" => [0, 0],
        "same" => [length / 2, length - 1 - length / 2],
        "full" => [length - 1; 2],
        _ => {
            let reason = "mode must be 'full', 'same' or 'valid'";
            return Err(syntax(given.columns[2], reason));
        }
    };
    let zero = at.parser.literal(at.column, 0);
    let zero = at.composed(Composed::Like, &[zero, rows[0]]);
    let zeros = before.map(|count| (count > 0).then(|| at.broadcast(zero, vec![count])));
    let parts: Vec<usize> = [zeros[0], Some(rows[0]), zeros[1]]
        .into_iter()
        .flatten()
        .collect();
    let padded = match *parts.as_slice() {
        [all] => all,
        _ => at.push(Ast::joined(Join::Along(0), parts)),
    };
    let windows = at.push(Ast::Windows(padded, vec![(0, length)]));
    let sums = at.composed(Composed::Matmul, &[windows, rows[1]]);
    Ok(match is_swapped && !backwards {
        true => at.push(Ast::View(sums, View::Flip(None))),
        false => sums,
    })
}

/// The edges of bins, which are an array.
pub(super) fn edges(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let bins = given.operand(0)?;
    match at.parser.values[bins] {
        None => Ok(bins),
        Some(_) => {
            let reason = "bins must be an array of edges; for n bins of equal width linspace(low, high, n + 1)";
            Err(at.error(reason))
        }
    }
}
