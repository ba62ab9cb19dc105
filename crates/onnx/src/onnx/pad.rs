//! Operators that put elements around an array, or cut some off.

use super::moves::{ints, part, place};
use crate::call::Call;
use zerostride::{DType, DTypes, Expr, Index, Result, Rule};

/// The most runs of neighbours in the padding of an axis.
const MOST_RUNS: usize = 256;

/// The elements around an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Constant,
    Edge,
    Reflect,
    Wrap,
}

pub fn pad(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let rank = x.shape.rank();
    let attr = if call.before(2) { "paddings" } else { "pads" };
    let pads = call.list(1, attr, 1..=2, DTypes::of(&[DType::I64]))?;
    let pads = pads.ok_or_else(|| call.fail("the pads are missing"))?;
    let accepts = DTypes::of(&[DType::I32, DType::I64]);
    let axes = match call.list(3, "", 1..=1, accepts)? {
        Some(axes) => axes,
        None => (0..rank as i64).collect(),
    };
    if pads.len() != 2 * axes.len() {
        let reason = format!(
            "the pads must be two numbers for each of {} axes, not {}",
            axes.len(),
            pads.len()
        );
        return Err(call.fail(reason));
    }
    let value = match call.scalar(2)? {
        Some(value) => value,
        None => Call::bound(x.dtype, call.float("value")?.unwrap_or(0.0)),
    };
    let around = match call.text("mode")?.unwrap_or("constant") {
        "constant" => Around::Constant,
        "edge" => Around::Edge,
        "reflect" => Around::Reflect,
        "wrap" => Around::Wrap,
        other => {
            let known = "constant, edge, reflect or wrap";
            return Err(call.fail(format!("mode must be {known}, not `{other}`")));
        }
    };
    let mut padded = (x.expr.clone(), x.shape.extents().to_vec());
    for (k, &axis) in axes.iter().enumerate() {
        let axis = call.axis_of(axis, rank)?;
        let ends = [pads[k], pads[k + axes.len()]];
        padded = along(call, padded, axis, ends, (around, &value))?;
    }
    Ok(padded.0)
}

/// Cuts an array to its middle, or puts zeros around it.
pub fn center(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let rank = x.shape.rank();
    let wanted = call.whole(1)?;
    let axes = match ints(call, "axes")? {
        Some(axes) => axes,
        None => (0..rank as i64).collect(),
    };
    if axes.len() != wanted.len() {
        return Err(call.fail("the shape must have one extent for each axis"));
    }
    let zero = Call::bound(x.dtype, 0.0);
    let mut padded = (x.expr.clone(), x.shape.extents().to_vec());
    for (&axis, &extent) in axes.iter().zip(&wanted) {
        let axis = call.axis_of(axis, rank)?;
        let more = extent
            .checked_sub(padded.1[axis] as i64)
            .filter(|_| extent >= 0)
            .ok_or_else(|| call.fail(format!("an extent must be 0 or more, not {extent}")))?;
        // The odd one of what is cut or added is at the end.
        let before = more / 2;
        let ends = [before, more - before];
        padded = along(call, padded, axis, ends, (Around::Constant, &zero))?;
    }
    Ok(padded.0)
}

/// Adds `ends` elements before and after an array along an axis; negative numbers cut some off.
fn along(
    call: &Call<'_>,
    (x, mut extents): (Expr<usize>, Vec<usize>),
    axis: usize,
    ends: [i64; 2],
    (around, value): (Around, &Expr<usize>),
) -> Result<(Expr<usize>, Vec<usize>)> {
    let n = extents[axis];
    let cut = ends.map(|e| usize::try_from(e.min(0).unsigned_abs()).unwrap_or(usize::MAX));
    let more = ends.map(|e| usize::try_from(e.max(0)).unwrap_or(usize::MAX));
    let kept = n.checked_sub(cut[0]).and_then(|n| n.checked_sub(cut[1]));
    let kept = kept.ok_or_else(|| call.fail(format!("cannot cut {cut:?} off an extent of {n}")))?;
    let whole = more[0]
        .checked_add(kept)
        .and_then(|n| n.checked_add(more[1]));
    extents[axis] = whole.ok_or_else(|| call.fail(format!("pads of {ends:?} are too large")))?;
    zerostride::Shape::from(extents.clone()).len()?;
    let x = if cut == [0, 0] {
        x
    } else {
        part(&x, axis, cut[0], kept)
    };
    if more == [0, 0] {
        return Ok((x, extents));
    }
    if kept == 0 && around != Around::Constant {
        return Err(call.fail(format!("axis {axis} has no elements to repeat")));
    }
    let mut parts = Vec::new();
    for (side, &count) in more.iter().enumerate() {
        if side == 1 {
            parts.push(x.clone());
        }
        let mut target = extents.clone();
        target[axis] = count;
        match around {
            _ if count == 0 => {}
            Around::Constant => parts.push(value.broadcast(Rule::To {
                target: target.into(),
            })),
            Around::Edge => {
                let edge = part(&x, axis, side * (kept - 1), 1);
                parts.push(edge.broadcast(Rule::To {
                    target: target.into(),
                }));
            }
            Around::Reflect | Around::Wrap => {
                let first = if side == 0 {
                    -(count as i128)
                } else {
                    kept as i128
                };
                parts.extend(runs(call, &x, axis, (kept, around), (first, count))?);
            }
        }
    }
    Ok((Expr::concat(parts, place(axis)), extents))
}

/// The elements at positions beyond an axis, as runs of neighbours.
fn runs(
    call: &Call<'_>,
    x: &Expr<usize>,
    axis: usize,
    (extent, around): (usize, Around),
    (first, count): (i128, usize),
) -> Result<Vec<Expr<usize>>> {
    let n = extent as i128;
    let period = match around {
        Around::Reflect => (2 * (n - 1)).max(1),
        _ => n,
    };
    let mut parts = Vec::new();
    let mut done = 0i128;
    while done < count as i128 {
        let at = (first + done).rem_euclid(period);
        // Up to the end of the period's half, then backwards.
        let (start, step, left) = match around {
            Around::Reflect if at >= n => (period - at, -1, period - at),
            Around::Reflect if n > 1 => (at, 1, n - at),
            Around::Reflect => (0, 1, 1),
            _ => (at, 1, n - at),
        };
        let len = left.min(count as i128 - done);
        let end = start + step * len;
        let end = (end >= 0).then_some(end as isize);
        let mut items = vec![Index::ALL; axis];
        items.push(Index::Range(Some(start as isize), end, step as isize));
        parts.push(x.slice(items));
        done += len;
        if parts.len() > MOST_RUNS {
            let reason = format!("axis {axis} of {extent} is repeated more than {MOST_RUNS} times");
            return Err(call.fail(reason));
        }
    }
    Ok(parts)
}
