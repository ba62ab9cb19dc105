//! Normalisations, and pooling over all positions. f16 and bf16 are computed in f32.

use crate::call::{Call, Operand};
use zerostride::{Axes, DType, Error, Expr, Reduction, Result, Rule};

use super::create::but;
use super::moves::{part, place, signed};

/// An attribute of normalisations.
pub const EPSILON: (&str, &str) = ("epsilon", "added to the variance, 1e-5 by default");

/// The type that elements are computed in.
pub fn wide(dtype: DType) -> DType {
    match dtype.size() {
        2 => DType::F32,
        _ => dtype,
    }
}

pub fn to(x: &Expr<usize>, from: DType, to: DType) -> Expr<usize> {
    if from == to { x.clone() } else { x.cast(to) }
}

fn mean(x: &Expr<usize>, axes: &Axes) -> Expr<usize> {
    x.reduce_as_is(Reduction::Mean, axes.clone())
}

/// Deviations from the mean along axes, the mean, and 1 / the deviation's root mean square.
fn deviations(x: &Expr<usize>, axes: &Axes, epsilon: f64) -> [Expr<usize>; 3] {
    let middle = mean(x, axes);
    let from = x.sub(&middle);
    let variance = mean(&from.mul(&from), axes);
    let inverse = variance.add(Expr::literal(epsilon)).sqrt().reciprocal();
    [from, middle, inverse]
}

fn epsilon(call: &Call<'_>) -> Result<f64> {
    Ok(call.float("epsilon")?.unwrap_or(f64::from(1e-5f32)))
}

/// The axes from the attribute `axis` on, which a reduction keeps.
fn last_axes(call: &Call<'_>, x: &Operand) -> Result<Axes> {
    let rank = x.shape.rank();
    let axis = call.axis_of(call.int("axis")?.unwrap_or(-1), rank)?;
    Ok(Axes::new((axis..rank).map(place).collect::<Vec<_>>()).keepdims())
}

/// The type that the attribute `stash_type` asks to compute in; f64 stays.
fn stash(call: &Call<'_>, dtype: DType) -> Result<DType> {
    match (dtype, call.dtype_attr("stash_type")?) {
        (DType::F64, _) => Ok(DType::F64),
        (_, None | Some(DType::F32)) => Ok(DType::F32),
        (_, Some(DType::F64)) => Ok(DType::F64),
        (own, Some(named)) if own == named => Ok(wide(own)),
        (_, Some(other)) => Err(Error::unsupported(format!("{} in {other}", call.name))),
    }
}

pub fn layer(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let x = call.operand(0)?;
    let stash = stash(call, x.dtype)?;
    let axes = last_axes(call, x)?;
    let own = to(&x.expr, x.dtype, stash);
    let [from, middle, inverse] = deviations(&own, &axes, epsilon(call)?);
    let normal = to(&from.mul(&inverse), stash, x.dtype);
    let scaled = normal.mul(call.x(1)?).with_rule(Rule::Unidirectional);
    let y = match call.optional(2) {
        Some(bias) => scaled.add(&bias.expr).with_rule(Rule::Unidirectional),
        None => scaled,
    };
    Ok(vec![y, middle, inverse])
}

pub fn rms(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let stash = stash(call, x.dtype)?;
    let axes = last_axes(call, x)?;
    let own = to(&x.expr, x.dtype, stash);
    let squares = mean(&own.mul(&own), &axes);
    let root = squares.add(Expr::literal(epsilon(call)?)).sqrt();
    let normal = to(&own.div(&root), stash, x.dtype);
    Ok(normal.mul(call.x(1)?).with_rule(Rule::Unidirectional))
}

/// One number for each position on axis 1, aligned with an operand of these extents.
fn channels(call: &Call<'_>, i: usize, of: &[usize], dtype: DType) -> Result<Expr<usize>> {
    let x = call.operand(i)?;
    if x.shape.extents() != [of[1]] {
        return Err(call.fail(format!(
            "operand {i} must have shape [{}], but its shape is {}",
            of[1], x.shape
        )));
    }
    let mut extents = vec![1; of.len() - 1];
    extents[0] = of[1];
    Ok(to(&x.expr, x.dtype, dtype).reshape(signed(&extents)))
}

fn check_channels(call: &Call<'_>, x: &Operand) -> Result<()> {
    match x.shape.rank() {
        0 | 1 => Err(call.fail(format!(
            "x must have channels on axis 1, but its shape is {}",
            x.shape
        ))),
        _ => Ok(()),
    }
}

pub fn instance(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    check_channels(call, x)?;
    let (of, wide) = (x.shape.extents(), wide(x.dtype));
    let own = to(&x.expr, x.dtype, wide);
    let axes = but(&x.shape, &[0, 1]).keepdims();
    let [from, _, inverse] = deviations(&own, &axes, epsilon(call)?);
    let [scale, bias] = [channels(call, 1, of, wide)?, channels(call, 2, of, wide)?];
    let y = from.mul(inverse).mul(scale).add(bias);
    Ok(to(&y, wide, x.dtype))
}

pub fn group(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    check_channels(call, x)?;
    let extents = x.shape.extents();
    let groups = call
        .int("num_groups")?
        .and_then(|g| usize::try_from(g).ok());
    let groups = groups.filter(|&g| g > 0 && extents[1] % g == 0);
    let groups = groups
        .ok_or_else(|| call.fail(format!("num_groups must divide {} channels", extents[1])))?;
    let stash = stash(call, x.dtype)?;
    let own = to(&x.expr, x.dtype, stash);
    let inner: usize = extents[1..].iter().product();
    let grouped = own.reshape(signed(&[extents[0], groups, inner / groups]));
    let axes = Axes::new([2]).keepdims();
    let [from, _, inverse] = deviations(&grouped, &axes, epsilon(call)?);
    let normal = from.mul(inverse);
    // Before opset 21 a scale and a bias are a group's.
    let y = if call.before(21) {
        let of = [extents[0], groups, 1];
        let [scale, bias] = [
            channels(call, 1, &of, stash)?,
            channels(call, 2, &of, stash)?,
        ];
        normal.mul(scale).add(bias).reshape(signed(extents))
    } else {
        let [scale, bias] = [
            channels(call, 1, extents, stash)?,
            channels(call, 2, extents, stash)?,
        ];
        normal.reshape(signed(extents)).mul(scale).add(bias)
    };
    Ok(to(&y, stash, x.dtype))
}

/// Uses the given statistics, or in training the batch's own, and then returns running ones too.
pub fn batch(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let x = call.operand(0)?;
    check_channels(call, x)?;
    if call.before(9) && call.int("spatial")? == Some(0) {
        return Err(Error::unsupported("BatchNormalization with spatial = 0"));
    }
    let (of, wide) = (x.shape.extents(), wide(x.dtype));
    let trains = match call.opset {
        Some(..7) => !call.flag("is_test", false)?,
        Some(7..14) => call.results > 1,
        _ => call.flag("training_mode", false)?,
    };
    if trains && call.before(14) {
        return Err(Error::unsupported(
            "BatchNormalization in training before opset 14",
        ));
    }
    let own = to(&x.expr, x.dtype, wide);
    let [scale, bias, given, spread] = [1, 2, 3, 4].map(|i| channels(call, i, of, wide));
    let (scale, bias, given, spread) = (scale?, bias?, given?, spread?);
    let (middle, variance) = match trains {
        false => (given.clone(), spread.clone()),
        true => {
            let axes = but(&x.shape, &[1]).keepdims();
            let middle = mean(&own, &axes);
            let from = own.sub(&middle);
            let variance = mean(&from.mul(&from), &axes);
            (middle, variance)
        }
    };
    let root = variance.add(Expr::literal(epsilon(call)?)).sqrt();
    let y = own.sub(&middle).div(root).mul(scale).add(bias);
    let mut all = vec![to(&y, wide, x.dtype)];
    if trains {
        let momentum = call.float("momentum")?.unwrap_or(f64::from(0.9f32));
        let statistics = [(given, middle, 3), (spread, variance, 4)];
        for (before, now, i) in statistics {
            let [old, new] = [momentum, 1.0 - momentum].map(Expr::literal);
            let running = before.mul(old).add(now.mul(new)).reshape([-1]);
            all.push(to(&running, wide, call.operand(i)?.dtype));
        }
    }
    Ok(all)
}

pub fn mean_variance(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let rank = x.shape.rank();
    let named = super::moves::ints(call, "axes")?.unwrap_or_else(|| vec![0, 2, 3]);
    let axes = named
        .iter()
        .map(|&axis| call.axis_of(axis, rank).map(place));
    let axes = Axes::new(axes.collect::<Result<Vec<_>>>()?).keepdims();
    let wide = wide(x.dtype);
    let own = to(&x.expr, x.dtype, wide);
    let from = own.sub(mean(&own, &axes));
    let root = mean(&from.mul(&from), &axes).sqrt();
    Ok(to(&from.div(root.add(Expr::literal(1e-9))), wide, x.dtype))
}

/// Elements divided by their norm along an axis; 0 where the norm is 0.
pub fn lp(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let axis = call.axis_of(call.int("axis")?.unwrap_or(-1), x.shape.rank())?;
    let reduction = match call.int("p")?.unwrap_or(2) {
        1 => Reduction::L1,
        2 => Reduction::L2,
        other => return Err(call.fail(format!("p must be 1 or 2, not {other}"))),
    };
    let wide = wide(x.dtype);
    let own = to(&x.expr, x.dtype, wide);
    let norm = own.reduce_as_is(reduction, super::gather::kept(axis));
    let is_zero = norm.equal(Expr::literal(0.0));
    let divided = is_zero.select(Expr::literal(0.0), own.div(norm));
    Ok(to(&divided, wide, x.dtype))
}

/// Elements divided by a power of the sum of squares of neighbouring channels.
pub fn local_response(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    check_channels(call, x)?;
    let size = call.int("size")?.and_then(|s| usize::try_from(s).ok());
    let size = size.filter(|s| (1..=256).contains(s));
    let size = size.ok_or_else(|| call.fail("size must be from 1 to 256"))?;
    let number =
        |name, default: f32| -> Result<f64> { Ok(call.float(name)?.unwrap_or(default.into())) };
    let [alpha, beta, bias] = [
        number("alpha", 1e-4)?,
        number("beta", 0.75)?,
        number("bias", 1.0)?,
    ];
    let wide = wide(x.dtype);
    let own = to(&x.expr, x.dtype, wide);
    let mut extents = x.shape.extents().to_vec();
    let count = extents[1];
    let ends = [(size - 1) / 2, size / 2];
    let squares = own.mul(&own);
    let mut parts = Vec::new();
    for (side, end) in ends.into_iter().enumerate() {
        if side == 1 {
            parts.push(squares.clone());
        }
        extents[1] = end;
        parts.push(crate::elements::filled(
            zerostride::Scalar::of(wide, 0.0),
            extents.clone(),
        ));
    }
    let padded = Expr::concat(parts, 1);
    let around = Expr::add_n((0..size).map(|k| part(&padded, 1, k, count)));
    let scale = around
        .mul(Expr::literal(alpha / size as f64))
        .add(Expr::literal(bias));
    Ok(to(&own.div(scale.pow(Expr::literal(beta))), wide, x.dtype))
}

/// A reduction over all positions of each channel.
pub fn pool(call: &Call<'_>, reduction: Reduction) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    check_channels(call, x)?;
    let axes = but(&x.shape, &[0, 1]).keepdims();
    Ok(x.expr.reduce_as_is(reduction, axes))
}

pub fn lp_pool(call: &Call<'_>) -> Result<Expr<usize>> {
    match call.int("p")?.unwrap_or(2) {
        1 => pool(call, Reduction::L1),
        2 => pool(call, Reduction::L2),
        other => Err(Error::unsupported(format!("GlobalLpPool of p = {other}"))),
    }
}
