//! Elements around an array.

use super::super::ast::Ast;
use super::super::function::{At, Passed};
use super::super::parser::Parser;
use crate::error::Result;
use crate::expr::{Composed, Join};
use crate::view::Index;

pub(super) fn pad(at: &mut At<'_>, given: &Passed) -> Result<usize> {
    let mut x = given.operand(0)?;
    let mode = Mode::named(given.text(2).unwrap_or("constant"));
    let mode = mode.ok_or_else(|| {
        at.error("mode must be 'constant', 'edge', 'reflect', 'symmetric' or 'wrap'")
    })?;
    let Some(mut extents) = at.parser.extents(x)? else {
        return Ok(x);
    };
    let widths = pairs(at.parser, given.node(1), extents.len(), |node| {
        let whole = at.parser.whole_numbers(node)?.into_iter();
        whole.map(|n| usize::try_from(n).ok()).collect()
    });
    let widths = widths.ok_or_else(|| {
        let reason = "pad_width must be a whole number of 0 or more, (before, after), or a pair for each axis";
        at.error(reason)
    })?;
    let zero = at.parser.literal(at.column, 0);
    let values = given.node(3).or(Some(zero));
    let values = pairs(at.parser, values, extents.len(), |node| {
        Some(at.parser.parts_of(node).unwrap_or(&[node]).to_vec())
    });
    let values = values.ok_or_else(|| {
        let reason = "constant_values must be a value, (before, after), or a pair for each axis";
        at.error(reason)
    })?;
    for (axis, counts) in widths.into_iter().enumerate() {
        let n = extents[axis];
        if n == 0 && counts != [0, 0] && mode != Mode::Constant {
            let reason = format!("axis {axis} has no elements; pad it with mode='constant'");
            return Err(at.error(reason));
        }
        let mut parts = Vec::new();
        for (side, &count) in counts.iter().enumerate() {
            if side == 1 {
                parts.push(x);
            }
            if count == 0 {
                continue;
            }
            let mut target = extents.clone();
            target[axis] = count;
            match mode {
                Mode::Constant => {
                    let value = at.composed(Composed::Like, &[values[axis][side], x]);
                    parts.push(at.broadcast(value, target));
                }
                _ if n == 1 || mode == Mode::Edge => {
                    let edge = [0, n - 1][side].cast_signed();
                    let edge = at.along(x, axis, Index::Range(Some(edge), Some(edge + 1), 1));
                    parts.push(at.broadcast(edge, target));
                }
                _ => {
                    let runs = mode.runs(n, side, count);
                    if runs.len() > MOST_RUNS {
                        let reason = format!(
                            "axis {axis} of {n} is repeated more than {MOST_RUNS} times; take a part of it by indices"
                        );
                        return Err(at.error(reason));
                    }
                    parts.extend(runs.into_iter().map(|run| at.along(x, axis, run)));
                }
            }
        }
        extents[axis] = n.saturating_add(counts[0]).saturating_add(counts[1]);
        if parts.len() > 1 {
            x = at.push(Ast::joined(Join::Along(axis.cast_signed()), parts));
        }
    }
    Ok(x)
}

/// How many parts of an axis stand beside it at most.
const MOST_RUNS: usize = 64;

/// What `pad` adds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Constant,
    Edge,
    Reflect,
    Symmetric,
    Wrap,
}

impl Mode {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "constant" => Self::Constant,
            "edge" => Self::Edge,
            "reflect" => Self::Reflect,
            "symmetric" => Self::Symmetric,
            "wrap" => Self::Wrap,
            _ => return None,
        })
    }

    /// The parts of an axis of `n` elements, two or more, that stand before it (side 0) or behind it
    /// (side 1), together `count` elements. From the array outwards they go back and forth over it.
    fn runs(self, n: usize, side: usize, count: usize) -> Vec<Index> {
        // An axis that is turned does not repeat its last element if it is reflected.
        let (length, skipped) = match self {
            Self::Reflect => (n - 1, 1),
            _ => (n, 0),
        };
        let turns = self != Self::Wrap;
        let mut runs = Vec::new();
        let mut left = count;
        while left > 0 && runs.len() <= MOST_RUNS {
            let taken = left.min(length);
            // Whether this part's elements come in the order of the array.
            let forwards = !turns || runs.len() % 2 == 1;
            // Of the part the end that lies at the array, seen from there.
            let from_start = forwards == (side == 1);
            let (low, high) = match from_start {
                true => (skipped, skipped + taken),
                false => (n - skipped - taken, n - skipped),
            };
            let [low, high] = [low, high].map(usize::cast_signed);
            runs.push(match forwards {
                true => Index::Range(Some(low), Some(high), 1),
                false => Index::Range(Some(high - 1), (low > 0).then_some(low - 1), -1),
            });
            left -= taken;
        }
        if side == 0 {
            runs.reverse();
        }
        runs
    }
}

/// What a parameter gives for both sides of each axis: one thing for all, a pair for all, or a pair
/// for each axis.
fn pairs<T: Copy>(
    parser: &Parser,
    given: Option<usize>,
    rank: usize,
    several: impl Fn(usize) -> Option<Vec<T>>,
) -> Option<Vec<[T; 2]>> {
    let pair = |node: usize| match *several(node)?.as_slice() {
        [both] => Some([both; 2]),
        [before, behind] => Some([before, behind]),
        _ => None,
    };
    let node = given?;
    let is_nested = |items: &&[usize]| items.iter().any(|&item| parser.parts_of(item).is_some());
    let Some(items) = parser.parts_of(node).filter(is_nested) else {
        return Some(vec![pair(node)?; rank]);
    };
    let pairs: Option<Vec<_>> = items.iter().map(|&item| pair(item)).collect();
    match pairs?.as_slice() {
        &[all] => Some(vec![all; rank]),
        pairs if pairs.len() == rank => Some(pairs.to_vec()),
        _ => None,
    }
}
