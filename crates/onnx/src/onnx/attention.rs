//! Attention, and rotary embeddings for it.

use crate::call::{Call, Operand};
use crate::elements::filled;
use zerostride::{Axes, DType, DTypes, Error, Expr, Index, Reduction, Result, Rule, Scalar, View};

use super::create::line;
use super::moves::{place, signed};
use super::norm::to;
use super::product::product;

/// The attributes of Attention.
pub const ATTRS: &[(&str, &str)] = &[
    ("is_causal", "1: a query attends no later key"),
    ("kv_num_heads", "number of heads of 3-axis keys and values"),
    ("q_num_heads", "number of heads of 3-axis queries"),
    (
        "qk_matmul_output_mode",
        "result 3 is the scores: 0 (default) raw, 1 with softcap, 2 with the mask, 3 after softmax",
    ),
    ("scale", "1 / sqrt(head size) by default"),
    (
        "softcap",
        "tanh keeps scores within this bound; 0 (default): no bound",
    ),
    ("softmax_precision", "the type that softmax is computed in"),
    (
        "left_window_size",
        "the number of keys before a query that it attends; -1 (default): all",
    ),
    (
        "right_window_size",
        "the number of keys after a query that it attends; -1 (default): all",
    ),
];

/// Queries, keys or values on four axes: batch, heads, places, size.
struct Heads {
    expr: Expr<usize>,
    extents: [usize; 4],
}

fn heads(call: &Call<'_>, i: usize, attr: &str) -> Result<Heads> {
    let x = call.operand(i)?;
    match *x.shape.extents() {
        [batch, heads, places, size] => Ok(Heads {
            expr: x.expr.clone(),
            extents: [batch, heads, places, size],
        }),
        [batch, places, hidden] => {
            let count = call.int(attr)?.and_then(|n| usize::try_from(n).ok());
            let count = count.filter(|&n| n > 0 && hidden % n == 0);
            let count = count.ok_or_else(|| {
                call.fail(format!(
                    "{attr} must divide the {hidden} elements of operand {i}"
                ))
            })?;
            let size = hidden / count;
            let apart = x.expr.reshape(signed(&[batch, places, count, size]));
            Ok(Heads {
                expr: apart.view(View::SwapAxes(1, 2)),
                extents: [batch, count, places, size],
            })
        }
        _ => Err(call.fail(format!(
            "operand {i} must have three or four axes, but its shape is {}",
            x.shape
        ))),
    }
}

impl Heads {
    /// Puts those of a cache before these.
    fn behind(self, call: &Call<'_>, cache: usize) -> Result<Self> {
        let Some(past) = call.optional(cache) else {
            return Ok(self);
        };
        let [batch, heads, places, size] = self.extents;
        let &[b, h, before, s] = past.shape.extents() else {
            return Err(call.fail(format!("operand {cache} must have four axes")));
        };
        if [b, h, s] != [batch, heads, size] {
            let reason = format!(
                "a cache of shape {} does not fit {:?}",
                past.shape, self.extents
            );
            return Err(call.fail(reason));
        }
        Ok(Self {
            expr: Expr::concat([&past.expr, &self.expr], 2),
            extents: [batch, heads, before + places, size],
        })
    }

    /// Repeats each head for all heads of queries that share it.
    fn repeated(&self, call: &Call<'_>, count: usize) -> Result<Expr<usize>> {
        let [batch, heads, places, size] = self.extents;
        if heads == count {
            return Ok(self.expr.clone());
        }
        if heads == 0 || !count.is_multiple_of(heads) {
            let reason = format!("{count} heads of queries cannot share {heads} of keys");
            return Err(call.fail(reason));
        }
        let target = [batch, heads, count / heads, places, size].into();
        let spread = self
            .expr
            .view(View::Unsqueeze(vec![2]))
            .broadcast(Rule::To { target });
        Ok(spread.reshape(signed(&[batch, count, places, size])))
    }
}

/// The bias of scores: 0 where a query attends a key, else negative infinity, plus the given mask.
struct Bias<'a> {
    call: &'a Call<'a>,
    /// The numbers of queries and keys.
    places: [usize; 2],
    dtype: DType,
    /// The number of keys before the first query, or a number for each batch.
    before: Expr<usize>,
}

impl Bias<'_> {
    fn number(&self, x: f64) -> Expr<usize> {
        Expr::scalar(Scalar::of(self.dtype, x))
    }

    /// 0 where `allowed` is true, else negative infinity.
    fn allowed(&self, allowed: &Expr<usize>) -> Expr<usize> {
        allowed.select(self.number(0.0), self.number(f64::NEG_INFINITY))
    }

    /// The key's position minus the query's, as i64.
    fn distance(&self) -> Expr<usize> {
        let [queries, keys] = self.places;
        let key = line(keys).cast(DType::I64);
        let query = line(queries).cast(DType::I64).reshape([place(queries), 1]);
        key.sub(query.add(&self.before))
    }

    /// The mask that is given, as a bias on all keys.
    fn mask(&self, mask: &Operand) -> Result<Expr<usize>> {
        let keys = self.places[1];
        let (mut own, mut extents) = (mask.expr.clone(), mask.shape.extents().to_vec());
        if mask.dtype == DType::Bool {
            own = self.allowed(&own);
        } else if mask.dtype != self.dtype {
            own = own.cast(self.dtype);
        }
        let Some(last) = extents.last_mut() else {
            return Ok(own);
        };
        // Up to opset 23 masks are broadcast, and from then on short ones are filled up.
        let is_broadcast = self.call.before(24) && *last == 1;
        if *last < keys && !self.call.before(24) {
            let more = keys - *last;
            *last = more;
            let rest = filled(Scalar::of(self.dtype, f64::NEG_INFINITY), extents);
            own = Expr::concat([own, rest], -1);
        } else if *last != keys && !is_broadcast {
            let reason = format!("a mask of shape {} does not fit {keys} keys", mask.shape);
            return Err(self.call.fail(reason));
        }
        Ok(own)
    }

    /// The sum of all biases; `None` if every query attends every key.
    fn all(&self) -> Result<Option<Expr<usize>>> {
        let call = self.call;
        let mut parts = Vec::new();
        if let Some(mask) = call.optional(3) {
            parts.push(self.mask(mask)?);
        }
        let zero = || Expr::scalar(0i64);
        if call.flag("is_causal", false)? {
            parts.push(self.allowed(&self.distance().less_equal(zero())));
        }
        for (attr, is_left) in [("left_window_size", true), ("right_window_size", false)] {
            let size = call.int(attr)?.unwrap_or(-1);
            if size < -1 {
                return Err(call.fail(format!("{attr} must be -1 or more, not {size}")));
            }
            if size >= 0 {
                let distance = self.distance();
                let beyond = if is_left { distance.neg() } else { distance };
                parts.push(self.allowed(&beyond.less_equal(Expr::scalar(size))));
            }
        }
        if let Some(lengths) = call.optional(6) {
            let lengths = lengths.expr.cast(DType::I64).reshape([-1, 1, 1, 1]);
            let keys = line(self.places[1]).cast(DType::I64);
            parts.push(self.allowed(&keys.less(lengths)));
        }
        Ok(parts.into_iter().reduce(|a, b| a.add(b)))
    }
}

/// The number of keys before the first query.
fn before(call: &Call<'_>, queries: usize) -> Result<Expr<usize>> {
    let cached = call
        .optional(4)
        .and_then(|x| x.shape.extents().get(2).copied());
    Ok(match (cached, call.optional(6)) {
        (Some(cached), None) => Expr::scalar(cached as i64),
        (None, Some(lengths)) => {
            let lengths = lengths.expr.cast(DType::I64).reshape([-1, 1, 1, 1]);
            lengths.sub(Expr::scalar(queries as i64))
        }
        (None, None) => Expr::scalar(0i64),
        (Some(_), Some(_)) => {
            return Err(call.fail("nonpad_kv_seqlen cannot be used with a cache of keys"));
        }
    })
}

/// Softmax of scores, which is 0 for a query that attends no key.
fn softmax(scores: &Expr<usize>, bias: Option<&Expr<usize>>) -> Expr<usize> {
    let axis = Axes::new([-1]).keepdims();
    let most = scores.reduce_as_is(Reduction::Max, axis.clone());
    let powers = scores.sub(most).exp();
    let shares = powers.div(powers.reduce_as_is(Reduction::Sum, axis.clone()));
    match bias {
        None => shares,
        Some(bias) => {
            let most = bias.reduce_as_is(Reduction::Max, axis);
            let is_none = most.equal(Expr::literal(f64::NEG_INFINITY));
            is_none.select(Expr::literal(0.0), shares)
        }
    }
}

pub fn attention(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let dtype = call.operand(0)?.dtype;
    if call.optional(4).is_some() != call.optional(5).is_some() {
        return Err(call.fail("past_key and past_value must be given together"));
    }
    let q = heads(call, 0, "q_num_heads")?;
    let key = heads(call, 1, "kv_num_heads")?.behind(call, 4)?;
    let value = heads(call, 2, "kv_num_heads")?.behind(call, 5)?;
    let [batch, count, queries, size] = q.extents;
    let [others, _, keys, width] = key.extents;
    if [others, width] != [batch, size] || value.extents[0] != batch || value.extents[2] != keys {
        let of = |i: usize| call.operand(i).map(|x| x.shape.to_string());
        let (q, k, v) = (of(0)?, of(1)?, of(2)?);
        return Err(call.fail(format!("queries {q}, keys {k} and values {v} do not fit")));
    }
    let number = |x: f64| Expr::scalar(Scalar::of(dtype, x));
    let scale = call.float("scale")?.unwrap_or(1.0 / (size as f64).sqrt());
    // Halves of both factors: so neither product of halves overflows.
    let root = scale.abs().sqrt();
    let turned = key.repeated(call, count)?.view(View::SwapAxes(2, 3));
    let [left, right] = [
        q.expr.mul(number(root.copysign(scale))),
        turned.mul(number(root)),
    ];
    let mut scores = product(&left, &right, dtype);
    let raw = scores.clone();
    let softcap = call.float("softcap")?.unwrap_or(0.0);
    if softcap > 0.0 {
        scores = scores.div(number(softcap)).tanh().mul(number(softcap));
    }
    let capped = scores.clone();
    let bias = Bias {
        call,
        places: [queries, key.extents[2]],
        dtype,
        before: before(call, queries)?,
    };
    let bias = bias.all()?;
    if let Some(bias) = &bias {
        scores = scores.add(bias).with_rule(Rule::Unidirectional);
    }
    let own = match call.dtype_attr("softmax_precision")? {
        Some(named) if DTypes::FLOATS.contains(named) => named,
        Some(other) => {
            return Err(Error::unsupported(format!(
                "Attention's softmax in {other}"
            )));
        }
        None => dtype,
    };
    let shares = to(
        &softmax(&to(&scores, dtype, own), bias.as_ref()),
        own,
        dtype,
    );
    let mut y = product(&shares, &value.repeated(call, count)?, dtype);
    if call.operand(0)?.shape.rank() == 3 {
        let hidden = count.checked_mul(value.extents[3]);
        let hidden = hidden.ok_or_else(|| call.fail("its heads have too many elements"))?;
        y = y
            .view(View::SwapAxes(1, 2))
            .reshape(signed(&[batch, queries, hidden]));
    }
    let shown = match call.int("qk_matmul_output_mode")?.unwrap_or(0) {
        0 => raw,
        1 => capped,
        2 => scores,
        3 => shares,
        other => return Err(call.fail(format!("qk_matmul_output_mode must be 0-3, not {other}"))),
    };
    Ok(vec![y, key.expr, value.expr, shown])
}

/// Rotates pairs of elements by angles whose cosines and sines are given.
pub fn rotary(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let is_flat = x.shape.rank() == 3;
    // On batch, places, heads, size.
    let (own, extents) = match *x.shape.extents() {
        [batch, heads, places, size] => (
            x.expr.view(View::SwapAxes(1, 2)),
            [batch, places, heads, size],
        ),
        [_, _, _] => {
            let Heads {
                expr,
                extents: [batch, heads, places, size],
            } = heads(call, 0, "num_heads")?;
            (
                expr.view(View::SwapAxes(1, 2)),
                [batch, places, heads, size],
            )
        }
        _ => {
            return Err(call.fail(format!(
                "x must have three or four axes, but its shape is {}",
                x.shape
            )));
        }
    };
    let size = extents[3];
    let turned = match call.int("rotary_embedding_dim")?.unwrap_or(0) {
        0 => Some(size),
        n => usize::try_from(n).ok().filter(|&n| n <= size && n % 2 == 0),
    };
    let turned = turned.ok_or_else(|| {
        call.fail(format!(
            "rotary_embedding_dim must be an even number up to {size}"
        ))
    })?;
    let [batch, places, heads, _] = extents;
    let cache = |i: usize| -> Result<Expr<usize>> {
        let cache = call.operand(i)?;
        let fits = match (cache.shape.extents(), call.optional(3)) {
            (&[_, half], Some(ids)) => 2 * half == turned && ids.shape.extents() == [batch, places],
            (&[b, p, half], None) => 2 * half == turned && [b, p] == [batch, places],
            _ => false,
        };
        if !fits {
            let reason = format!(
                "a cache of shape {} does not fit {batch} x {places} x {turned} / 2 numbers",
                cache.shape
            );
            return Err(call.fail(reason));
        }
        let of_places = match call.optional(3) {
            Some(ids) => cache.expr.take(&ids.expr, 0),
            None => cache.expr.clone(),
        };
        Ok(of_places.view(View::Unsqueeze(vec![2])))
    };
    let [cos, sin] = [cache(1)?, cache(2)?];
    let along = |start: usize, end: usize, step: isize| {
        let range = Index::Range(Some(place(start)), Some(place(end)), step);
        own.slice([Index::Ellipsis, range])
    };
    let interleaved = call.flag("interleaved", false)?;
    let half = turned / 2;
    let [a, b] = match interleaved {
        true => [along(0, turned, 2), along(1, turned, 2)],
        false => [along(0, half, 1), along(half, turned, 1)],
    };
    let real = cos.mul(&a).sub(sin.mul(&b));
    let imaginary = sin.mul(&a).add(cos.mul(&b));
    let mut made = match interleaved {
        true => Expr::stack([real, imaginary], -1).reshape(signed(&[batch, places, heads, turned])),
        false => Expr::concat([real, imaginary], -1),
    };
    if turned < size {
        made = Expr::concat([made, along(turned, size, 1)], -1);
    }
    Ok(match is_flat {
        true => made.reshape(signed(x.shape.extents())),
        false => made.view(View::SwapAxes(1, 2)),
    })
}
