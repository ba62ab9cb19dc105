//! Operators that move elements: reshapes, views, joins and repeats.

use crate::call::{Attr, Call, check_axes, listed};
use crate::elements::filled;
use zerostride::{DType, DTypes, Expr, Index, Result, Rule, Scalar, View};

const I64S: DTypes = DTypes::of(&[DType::I64]);

/// Extents as a reshape takes them.
pub fn signed(extents: &[usize]) -> Vec<isize> {
    extents.iter().map(|e| e.cast_signed()).collect()
}

/// An axis by its place, as views take it.
pub fn place(axis: usize) -> isize {
    axis.cast_signed()
}

pub fn reshape(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let wanted = call
        .list(1, "shape", 1..=1, I64S)?
        .ok_or_else(|| call.fail("the shape is missing"))?;
    check_axes(wanted.len())?;
    let keeps_zero = call.flag("allowzero", false)?;
    let own = x.shape.extents();
    let mut extents = Vec::with_capacity(wanted.len());
    let mut open = None;
    for (axis, &extent) in wanted.iter().enumerate() {
        extents.push(match extent {
            0 if !keeps_zero => *own.get(axis).ok_or_else(|| {
                call.fail(format!(
                    "extent {axis} is 0, but x has no such axis: its shape is {}",
                    x.shape
                ))
            })?,
            -1 if open.is_none() => {
                open = Some(axis);
                1
            }
            -1 => return Err(call.fail(format!("{} has -1 twice", listed(&wanted)))),
            _ => usize::try_from(extent)
                .map_err(|_| call.fail(format!("an extent must be -1, 0 or more, not {extent}")))?,
        });
    }
    let known = zerostride::Shape::from(extents.clone()).len()?;
    let len = x.shape.len()?;
    let fits = match open {
        Some(axis) if known > 0 && len % known == 0 => {
            extents[axis] = len / known;
            true
        }
        Some(_) => false,
        None => known == len,
    };
    if !fits {
        let reason = format!("cannot reshape {} to {}", x.shape, listed(&wanted));
        return Err(call.fail(reason));
    }
    Ok(x.expr.reshape(signed(&extents)))
}

pub fn flatten(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let (axis, rank) = (call.int("axis")?.unwrap_or(1), x.shape.rank());
    let axis = call.axis_below(axis, rank, rank + 1)?;
    let (outer, inner) = x.shape.extents().split_at(axis);
    let extents = [outer, inner].map(|e| e.iter().product::<usize>());
    Ok(x.expr.reshape(signed(&extents)))
}

pub fn transpose(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let Some(order) = ints(call, "perm")? else {
        return Ok(x.expr.transpose());
    };
    let rank = x.shape.rank();
    let order = order.iter().map(|&axis| call.axis_of(axis, rank));
    Ok(x.expr.view(View::Permute(order.collect::<Result<_>>()?)))
}

/// Whole numbers from an attribute.
pub fn ints(call: &Call<'_>, name: &str) -> Result<Option<Vec<i64>>> {
    match call.attrs.get(name) {
        None => Ok(None),
        Some(Attr::Ints(list)) => Ok(Some(list.clone())),
        Some(other) => Err(call.fail(format!("attribute {name} must be a list, not {other}"))),
    }
}

pub fn squeeze(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let axes = call.list(1, "axes", 1..=1, I64S)?;
    let axes = match axes {
        Some(axes) => Some(places(call, &axes, x.shape.rank())?),
        None => None,
    };
    Ok(x.expr.view(View::Squeeze(axes)))
}

pub fn unsqueeze(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let axes = call
        .list(1, "axes", 0..=1, I64S)?
        .ok_or_else(|| call.fail("the axes are missing"))?;
    let rank = x.shape.rank() + axes.len();
    Ok(x.expr.view(View::Unsqueeze(places(call, &axes, rank)?)))
}

fn places(call: &Call<'_>, axes: &[i64], rank: usize) -> Result<Vec<isize>> {
    axes.iter()
        .map(|&axis| call.axis_of(axis, rank).map(place))
        .collect()
}

/// Clamps an i64 to the range of isize.
fn counted(x: i64) -> isize {
    isize::try_from(x).unwrap_or(if x < 0 { isize::MIN } else { isize::MAX })
}

/// Start and end as NumPy takes them. For a negative step, the standard clamps a start before the
/// first element to this element, where NumPy has no elements.
fn within(start: i64, end: i64, step: i64, extent: usize) -> (Option<isize>, Option<isize>) {
    let extent = extent as i64;
    let first = match step < 0 && start.saturating_add(extent) < 0 {
        true => 0,
        false => start,
    };
    (Some(counted(first)), Some(counted(end)))
}

pub fn slice(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let accepts = DTypes::of(&[DType::I32, DType::I64]);
    let list = |i, name| call.list(i, name, 1..=1, accepts);
    let missing = |name: &str| call.fail(format!("{name} is missing"));
    let starts = list(1, "starts")?.ok_or_else(|| missing("starts"))?;
    let ends = list(2, "ends")?.ok_or_else(|| missing("ends"))?;
    let axes = match list(3, "axes")? {
        Some(axes) => axes,
        None => (0..starts.len() as i64).collect(),
    };
    let steps = list(4, "steps")?.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return Err(call.fail("starts, ends, axes and steps must have one length"));
    }
    let rank = x.shape.rank();
    let mut items = vec![Index::ALL; rank];
    let mut seen = vec![false; rank];
    for (k, &axis) in axes.iter().enumerate() {
        let axis = call.axis_of(axis, rank)?;
        if std::mem::replace(&mut seen[axis], true) {
            return Err(call.fail(format!("axis {axis} is named twice")));
        }
        let (start, end) = within(starts[k], ends[k], steps[k], x.shape.extents()[axis]);
        items[axis] = Index::Range(start, end, counted(steps[k]));
    }
    Ok(x.expr.slice(items))
}

pub fn concat(call: &Call<'_>) -> Result<Expr<usize>> {
    let default = call.before(4).then_some(1);
    let axis = call.int("axis")?.or(default);
    let axis = axis.ok_or_else(|| call.fail("the attribute axis is missing"))?;
    let axis = call.axis_of(axis, call.operand(0)?.shape.rank())?;
    let all = (0..call.operands.len()).map(|i| call.x(i));
    let all: Vec<Expr<usize>> = all.collect::<Result<_>>()?;
    Ok(Expr::concat(all, place(axis)))
}

/// The `count` elements from `start` on along an axis.
pub fn part(x: &Expr<usize>, axis: usize, start: usize, count: usize) -> Expr<usize> {
    let mut items = vec![Index::ALL; axis];
    let [start, end] = [start, start + count].map(usize::cast_signed);
    items.push(Index::Range(Some(start), Some(end), 1));
    x.slice(items)
}

pub fn split(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let x = call.operand(0)?;
    let axis = call.axis_of(call.int("axis")?.unwrap_or(0), x.shape.rank())?;
    let extent = x.shape.extents()[axis];
    let sizes = match call.places(1, "split")? {
        Some(sizes) => sizes,
        None => {
            let named = call.int("num_outputs")?;
            let count = match named {
                Some(n) => usize::try_from(n).ok().filter(|&n| n > 0 && n <= 1 << 16),
                None => Some(call.results).filter(|&n| n > 0),
            };
            let count =
                count.ok_or_else(|| call.fail("num_outputs must be a number from 1 to 65536"))?;
            if named.is_none() && extent % count != 0 {
                let reason = format!("extent {extent} cannot be split into {count} equal parts");
                return Err(call.fail(reason));
            }
            let size = extent.div_ceil(count);
            let left = |k: usize| extent.saturating_sub(k * size).min(size);
            (0..count).map(left).collect()
        }
    };
    let total = sizes.iter().try_fold(0usize, |n, &s| n.checked_add(s));
    if total != Some(extent) {
        let reason = format!(
            "parts of {} do not add up to an extent of {extent}",
            listed(&sizes)
        );
        return Err(call.fail(reason));
    }
    let mut start = 0;
    let next = |size: usize| {
        start += size;
        part(&x.expr, axis, start - size, size)
    };
    Ok(sizes.into_iter().map(next).collect())
}

pub fn tile(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let repeats = call
        .places(1, "repeats")?
        .ok_or_else(|| call.fail("the repeats are missing"))?;
    let rank = x.shape.rank();
    if repeats.len() != rank {
        return Err(call.fail(format!(
            "the repeats must be one number for each of {rank} axes, not {}",
            repeats.len()
        )));
    }
    let axes: Vec<isize> = (0..rank).map(|axis| place(2 * axis)).collect();
    let (mut target, mut extents) = (Vec::new(), Vec::new());
    for (&extent, &count) in x.shape.extents().iter().zip(&repeats) {
        target.extend([count, extent]);
        let whole = extent.checked_mul(count);
        extents.push(whole.ok_or_else(|| call.fail(format!("{} is too large", listed(&repeats))))?);
    }
    zerostride::Shape::from(target.clone()).len()?;
    let spread = x.expr.view(View::Unsqueeze(axes));
    let target = target.into();
    Ok(spread
        .broadcast(Rule::To { target })
        .reshape(signed(&extents)))
}

/// Moves channels to blocks of positions, or such blocks to channels.
pub fn depth_space(call: &Call<'_>, to_space: bool) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let &[n, c, h, w] = x.shape.extents() else {
        return Err(call.fail(format!("x must have 4 axes, but its shape is {}", x.shape)));
    };
    let size = call.int("blocksize")?.and_then(|b| usize::try_from(b).ok());
    let b = size.filter(|&b| b > 0 && b < 1 << 16);
    let b = b.ok_or_else(|| call.fail("blocksize must be a number from 1 to 65535"))?;
    let permuted = |from: [usize; 6], order: [usize; 6], to: [usize; 4]| {
        let apart = x.expr.reshape(signed(&from));
        apart
            .view(View::Permute(order.to_vec()))
            .reshape(signed(&to))
    };
    let fits = if to_space {
        c % (b * b) == 0
    } else {
        h % b == 0 && w % b == 0
    };
    if !fits {
        return Err(call.fail(format!("blocks of {b} do not divide shape {}", x.shape)));
    }
    let is_crd = match call.text("mode")?.unwrap_or("DCR") {
        "DCR" => false,
        "CRD" => true,
        other => return Err(call.fail(format!("mode must be DCR or CRD, not `{other}`"))),
    };
    let times = |extent: usize, by: usize| {
        let grown = extent.checked_mul(by);
        grown.ok_or_else(|| call.fail(format!("shape {} is too large for blocks of {b}", x.shape)))
    };
    if !to_space {
        let order = if is_crd {
            [0, 1, 3, 5, 2, 4]
        } else {
            [0, 3, 5, 1, 2, 4]
        };
        let to = [n, times(c, b * b)?, h / b, w / b];
        return Ok(permuted([n, c, h / b, b, w / b, b], order, to));
    }
    let d = c / (b * b);
    let to = [n, d, times(h, b)?, times(w, b)?];
    Ok(match is_crd {
        false => permuted([n, b, b, d, h, w], [0, 3, 4, 1, 5, 2], to),
        true => permuted([n, d, b, b, h, w], [0, 1, 4, 2, 5, 3], to),
    })
}

/// The upper or lower triangle of matrices, zeros elsewhere.
pub fn trilu(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let rank = x.shape.rank();
    if rank < 2 {
        return Err(call.fail(format!("x needs at least 2 axes; its shape is {}", x.shape)));
    }
    // Diagonals further away have no elements.
    let most = x.shape.extents()[rank - 2..].iter().sum::<usize>() as i64;
    let k = call.whole_one(1)?.unwrap_or(0).clamp(-most, most);
    let [row, column] = [-2, -1].map(|axis| x.expr.position(axis).cast(DType::I64));
    let from = row.add(Expr::scalar(k));
    let kept = match call.flag("upper", true)? {
        true => column.greater_equal(&from),
        false => column.less_equal(&from),
    };
    Ok(kept.select(&x.expr, filled(Scalar::of(x.dtype, 0.0), [])))
}
