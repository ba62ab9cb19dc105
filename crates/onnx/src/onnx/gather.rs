//! Operators that take elements at indices, put them there, or order them.

use crate::call::{Call, Operand, listed};
use zerostride::{Axes, DType, Error, Expr, Index, Reduction, Result, Scalar, Shape, View};

use super::create::{from_start, line};
use super::moves::{place, signed};

/// The most pairs of an element and an index that a scatter compares.
const MOST_PAIRS: u64 = 1 << 32;

fn number(dtype: DType, x: usize) -> Expr<usize> {
    Expr::scalar(Scalar::of(dtype, x as f64))
}

pub fn gather(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let axis = call.axis_of(call.int("axis")?.unwrap_or(0), x.shape.rank())?;
    Ok(x.expr.take(call.x(1)?, place(axis)))
}

/// Takes elements of `x`, which has this shape, at indices from 0 along an axis. On the other axes,
/// each element has the position of its index.
fn at(
    call: &Call<'_>,
    (x, shape): (&Expr<usize>, &[usize]),
    index: &Expr<usize>,
    axis: usize,
) -> Result<Expr<usize>> {
    if let [_] = shape {
        return Ok(x.take(index, 0));
    }
    let len = Shape::from(shape.to_vec()).len()?;
    if i32::try_from(len).is_err() {
        let reason = format!("shape {} has more than 2^31 - 1 elements", listed(shape));
        return Err(call.fail(reason));
    }
    let stride = |axis: usize| shape[axis + 1..].iter().product::<usize>();
    // Beyond the ends are the ends of their own axis.
    let last = shape[axis].saturating_sub(1);
    let own = index.cast(DType::I32);
    let own = own.clip(number(DType::I32, 0), number(DType::I32, last));
    let mut flat = own.mul(number(DType::I32, stride(axis)));
    for other in (0..shape.len()).filter(|&other| other != axis) {
        let place = index.position(place(other)).cast(DType::I32);
        flat = flat.add(place.mul(number(DType::I32, stride(other))));
    }
    Ok(x.reshape([-1]).take(flat, 0))
}

pub fn gather_elements(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, index) = (call.operand(0)?, call.operand(1)?);
    let axis = call.axis_of(call.int("axis")?.unwrap_or(0), x.shape.rank())?;
    check_within(call, x, index, axis)?;
    let place = from_start(index, x.shape.extents()[axis]);
    at(call, (&x.expr, x.shape.extents()), &place, axis)
}

/// Refuses indices of another rank than `x`, or with a larger extent on an axis other than `axis`.
fn check_within(call: &Call<'_>, x: &Operand, index: &Operand, axis: usize) -> Result<()> {
    let (own, of) = (x.shape.extents(), index.shape.extents());
    let fits = own.len() == of.len()
        && (0..own.len()).all(|other| other == axis || of[other] <= own[other]);
    match fits {
        true => Ok(()),
        false => {
            let (x, index) = (&x.shape, &index.shape);
            Err(call.fail(format!(
                "indices of shape {index} do not lie within shape {x}"
            )))
        }
    }
}

/// The element that an index beyond the ends names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// The element at that end.
    Last,
    /// None.
    Nothing,
}

/// The flat position, on the first axes, of the element that a row of indices names; -1 for none.
fn flat(index: &Operand, extents: &[usize], beyond: Beyond) -> Expr<usize> {
    let mut sum: Option<Expr<usize>> = None;
    let whole = |x: i64| Expr::scalar(x);
    let mut is_within = Vec::new();
    for (k, &extent) in extents.iter().enumerate() {
        let one = index.expr.slice([Index::Ellipsis, Index::At(place(k))]);
        let one = Operand::new(one, index.dtype, Shape::scalar());
        let stride = extents[k + 1..].iter().product::<usize>();
        let at = from_start(&one, extent);
        let last = extent as i64 - 1;
        let at = match beyond {
            Beyond::Last => at.clip(whole(0), whole(last.max(0))),
            Beyond::Nothing => {
                is_within.push(
                    at.greater_equal(whole(0))
                        .logical_and(at.less_equal(whole(last))),
                );
                at
            }
        };
        let term = at.mul(number(DType::I64, stride));
        sum = Some(match sum {
            Some(sum) => sum.add(term),
            None => term,
        });
    }
    let sum = sum.unwrap_or_else(|| whole(0));
    match is_within.into_iter().reduce(|a, b| a.logical_and(b)) {
        Some(is_within) => is_within.select(sum, whole(-1)),
        None => sum,
    }
}

pub fn gather_nd(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, index) = (call.operand(0)?, call.operand(1)?);
    let own = x.shape.extents();
    let batch = call.int("batch_dims")?.unwrap_or(0);
    let batch = usize::try_from(batch).ok().filter(|&b| b < own.len());
    let batch = batch.ok_or_else(|| call.fail("batch_dims must be less than the rank of x"))?;
    let depth = depth(call, index, own.len() - batch)?;
    if index.shape.rank() <= batch || index.shape.extents()[..batch] != own[..batch] {
        let reason = format!(
            "the first axes of {} and {} are not equal",
            x.shape, index.shape
        );
        return Err(call.fail(reason));
    }
    let (named, rest) = own[batch..].split_at(depth);
    let mut place = flat(index, named, Beyond::Last);
    // Places of the batches.
    for axis in 0..batch {
        let stride: usize = own[axis + 1..batch + depth].iter().product();
        let at = index.expr.slice([Index::Ellipsis, Index::At(0)]);
        let at = at.position(super::moves::place(axis)).cast(DType::I64);
        place = place.add(at.mul(number(DType::I64, stride)));
    }
    let mut extents = vec![own[..batch + depth].iter().product::<usize>()];
    extents.extend(rest);
    Ok(x.expr.reshape(signed(&extents)).take(place, 0))
}

/// The number of axes that a row of indices names.
fn depth(call: &Call<'_>, index: &Operand, rank: usize) -> Result<usize> {
    match index.shape.extents().last() {
        Some(&depth) if (1..=rank).contains(&depth) => Ok(depth),
        _ => {
            let reason = format!(
                "the last axis of indices of shape {} must have 1 to {rank} elements",
                index.shape
            );
            Err(call.fail(reason))
        }
    }
}

/// The reduction of an element with its updates; `None` if they replace it.
fn combined(call: &Call<'_>) -> Result<Option<Reduction>> {
    Ok(match call.text("reduction")?.unwrap_or("none") {
        "none" => None,
        "add" => Some(Reduction::Sum),
        "mul" => Some(Reduction::Prod),
        "min" => Some(Reduction::Min),
        "max" => Some(Reduction::Max),
        other => {
            let known = "none, add, mul, min or max";
            return Err(call.fail(format!("reduction must be {known}, not `{other}`")));
        }
    })
}

/// Reduces each element of `x` with the updates that `hits` selects for it along `axis`. Each
/// element is compared with each index.
fn met(
    x: &Operand,
    (own, hits, updates): (&Expr<usize>, &Expr<usize>, &Expr<usize>),
    reduction: Reduction,
    axis: isize,
) -> Expr<usize> {
    let none = match reduction {
        Reduction::Sum => Expr::scalar(Scalar::of(x.dtype, 0.0)),
        Reduction::Prod => Expr::scalar(Scalar::of(x.dtype, 1.0)),
        // The element itself is no larger and no smaller.
        _ => own.view(View::Unsqueeze(vec![axis])),
    };
    let some = hits.select(updates, none).reduce_as_is(reduction, axis);
    match reduction {
        Reduction::Sum => own.add(some),
        Reduction::Prod => own.mul(some),
        Reduction::Min => own.minimum(some),
        _ => own.maximum(some),
    }
}

/// Whether a truth value along an axis is true, and the position of the last one that is.
fn last(hits: &Expr<usize>, axis: isize) -> [Expr<usize>; 2] {
    let last = Reduction::ArgMax { last: true };
    let bytes = hits.cast(DType::U8);
    [hits.any(axis), bytes.reduce_as_is(last, axis)]
}

fn check_pairs(call: &Call<'_>, elements: usize, indices: usize) -> Result<()> {
    match (elements as u64).checked_mul(indices as u64) {
        Some(pairs) if pairs <= MOST_PAIRS => Ok(()),
        _ => Err(Error::unsupported(format!(
            "{} of {indices} indices onto {elements} elements, which compares each with each: more \
             than 2^32 pairs",
            call.name
        ))),
    }
}

pub fn scatter_elements(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, index, updates) = (call.operand(0)?, call.operand(1)?, call.operand(2)?);
    let reduction = combined(call)?;
    let rank = x.shape.rank();
    let axis = call.axis_of(call.int("axis")?.unwrap_or(0), rank)?;
    check_within(call, x, index, axis)?;
    if updates.shape != index.shape {
        let (a, b) = (&updates.shape, &index.shape);
        return Err(call.fail(format!(
            "updates of shape {a} do not fit indices of shape {b}"
        )));
    }
    if index.shape.is_empty() {
        return Ok(x.expr.identity());
    }
    let own = x.shape.extents();
    let count = index.shape.extents()[axis];
    check_pairs(call, x.shape.len()?, count)?;
    // Indices and updates on the axes of x; where x has more, no index holds.
    let mut places = from_start(index, own[axis]);
    let mut values = updates.expr.clone();
    let mut extents = index.shape.extents().to_vec();
    for other in (0..rank).filter(|&other| other != axis) {
        let more = own[other] - extents[other];
        if more > 0 {
            extents[other] = more;
            let none = crate::elements::filled(-1i64, extents.clone());
            let zeros = crate::elements::filled(Scalar::of(x.dtype, 0.0), extents.clone());
            places = Expr::concat([places, none], place(other));
            values = Expr::concat([values, zeros], place(other));
            extents[other] = own[other];
        }
    }
    let beside = |all: &Expr<usize>| {
        let moved = View::MoveAxis {
            from: vec![place(axis)],
            to: vec![-1],
        };
        all.view(moved).view(View::Unsqueeze(vec![place(axis)]))
    };
    let here = x.expr.position(place(axis)).cast(DType::I64);
    let hits = beside(&places).equal(here.view(View::Unsqueeze(vec![-1])));
    match reduction {
        Some(reduction) => {
            let all = (&x.expr, &hits, &beside(&values));
            Ok(met(x, all, reduction, -1))
        }
        None => {
            let [is_hit, which] = last(&hits, -1);
            let value = at(call, (&values, &extents), &which, axis)?;
            Ok(is_hit.select(value, &x.expr))
        }
    }
}

pub fn scatter_nd(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, index, updates) = (call.operand(0)?, call.operand(1)?, call.operand(2)?);
    let reduction = combined(call)?;
    let own = x.shape.extents();
    let depth = depth(call, index, own.len())?;
    let rows = &index.shape.extents()[..index.shape.rank() - 1];
    let (named, rest) = own.split_at(depth);
    if updates.shape.extents() != [rows, rest].concat() {
        let (a, b) = (&updates.shape, &index.shape);
        return Err(call.fail(format!(
            "updates of shape {a} do not fit indices of shape {b}"
        )));
    }
    if updates.shape.is_empty() {
        return Ok(x.expr.identity());
    }
    let [count, outer, inner] = [rows, named, rest].map(|e| e.iter().product::<usize>());
    let elements = if reduction.is_some() {
        outer * inner
    } else {
        outer
    };
    check_pairs(call, elements, count)?;
    let places = flat(index, named, Beyond::Nothing).reshape([place(count)]);
    let values = updates.expr.reshape(signed(&[count, inner]));
    let whole = x.expr.reshape(signed(&[outer, inner]));
    let here = line(outer).cast(DType::I64).reshape([place(outer), 1]);
    let hits = here.equal(&places);
    let made = match reduction {
        Some(reduction) => {
            let hits = hits.view(View::Unsqueeze(vec![2]));
            let values = values.view(View::Unsqueeze(vec![0]));
            met(x, (&whole, &hits, &values), reduction, 1)
        }
        None => {
            let [is_hit, which] = last(&hits, 1);
            let value = values.take(which, 0);
            is_hit.view(View::Unsqueeze(vec![1])).select(value, &whole)
        }
    };
    Ok(made.reshape(signed(own)))
}

/// Writes updates into a cache along an axis, from an index for each batch on.
pub fn tensor_scatter(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, updates) = (call.operand(0)?, call.operand(1)?);
    let rank = x.shape.rank();
    let axis = call.axis_of(call.int("axis")?.unwrap_or(-2), rank)?;
    check_within(call, x, updates, axis)?;
    let (extent, count) = (x.shape.extents()[axis], updates.shape.extents()[axis]);
    let beside = |all: &[usize]| [&all[..axis], &all[axis + 1..]].concat();
    let fits = beside(x.shape.extents()) == beside(updates.shape.extents());
    if axis == 0 || count > extent || count == 0 || !fits {
        return Err(call.fail(format!(
            "updates of shape {} do not fit a cache of shape {}",
            updates.shape, x.shape
        )));
    }
    let whole = crate::elements::filled(0i64, x.shape.clone());
    let here = whole.position(place(axis)).cast(DType::I64);
    let mut since = match call.optional(2) {
        Some(start) => {
            let mut extents = vec![1; rank];
            extents[0] = start.shape.len()?;
            here.sub(start.expr.cast(DType::I64).reshape(signed(&extents)))
        }
        None => here,
    };
    match call.text("mode")?.unwrap_or("linear") {
        "linear" => {}
        "circular" => since = since.rem_floor(number(DType::I64, extent)),
        other => return Err(call.fail(format!("mode must be linear or circular, not `{other}`"))),
    }
    let since = since.add(whole);
    let is_new = since
        .greater_equal(number(DType::I64, 0))
        .logical_and(since.less(number(DType::I64, count)));
    let value = at(call, (&updates.expr, updates.shape.extents()), &since, axis)?;
    Ok(is_new.select(value, &x.expr))
}

/// Reverses the first elements of each batch.
pub fn reverse_sequence(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, lengths) = (call.operand(0)?, call.operand(1)?);
    let rank = x.shape.rank();
    let time = call.axis_of(call.int("time_axis")?.unwrap_or(0), rank)?;
    let batch = call.axis_of(call.int("batch_axis")?.unwrap_or(1), rank)?;
    if time == batch || lengths.shape.extents() != [x.shape.extents()[batch]] {
        let reason = format!("lengths of shape {} do not fit {}", lengths.shape, x.shape);
        return Err(call.fail(reason));
    }
    let mut extents = vec![1; rank];
    extents[batch] = x.shape.extents()[batch];
    let lengths = lengths.expr.cast(DType::I64).reshape(signed(&extents));
    let whole = crate::elements::filled(0i64, x.shape.clone());
    let here = whole.position(place(time)).cast(DType::I64);
    let mirrored = lengths.sub(number(DType::I64, 1)).sub(&here);
    let index = here.less(&lengths).select(mirrored, &here).add(whole);
    at(call, (&x.expr, x.shape.extents()), &index, time)
}

/// The first elements in order along an axis, and their indices.
pub fn top_k(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let x = call.operand(0)?;
    let axis = call.axis_of(call.int("axis")?.unwrap_or(-1), x.shape.rank())?;
    let k = match call.before(10) {
        true => call.int("k")?,
        false => call.whole_one(1)?,
    };
    let extent = x.shape.extents()[axis];
    let k = k
        .and_then(|k| usize::try_from(k).ok())
        .filter(|&k| k <= extent);
    let k = k.ok_or_else(|| call.fail(format!("k must be 0 to {extent}")))?;
    let order = if call.flag("largest", true)? {
        // Of equal elements the first one comes first: the others' order is turned twice.
        let turned = View::Flip(Some(vec![place(axis)]));
        let order = x
            .expr
            .view(turned.clone())
            .argsort(place(axis))
            .view(turned);
        Expr::scalar(extent as i64 - 1).sub(order)
    } else {
        x.expr.argsort(place(axis))
    };
    let indices = super::moves::part(&order, axis, 0, k);
    let values = at(call, (&x.expr, x.shape.extents()), &indices, axis)?;
    Ok(vec![values, indices])
}

/// An axis for a reduction that keeps it.
pub fn kept(axis: usize) -> Axes {
    Axes::new([place(axis)]).keepdims()
}
