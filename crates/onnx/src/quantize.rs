//! ONNX's linear quantisation, `round(x / scale) + zero point`, and back; OpenVINO's FakeQuantize.

use super::call::{Call, Operand};
use zerostride::{Axes, Expr};
use zerostride::{DType, DTypes};
use zerostride::{Error, Result};
use zerostride::{Index, Rule, Shape, View};

/// The element types of quantised arrays.
pub(super) const QUANTISED: DTypes = DTypes::of(&[DType::U8, DType::I8, DType::U16, DType::I16]);

/// The attributes of quantisation and dequantisation.
pub(super) const ATTRS: &[(&str, &str)] = &[
    (
        "axis",
        "the axis of x that a scale of one axis belongs to, 1 by default",
    ),
    (
        "block_size",
        "the number of neighbours along the axis that share a scale; 0 (default): no blocks",
    ),
    (
        "output_dtype",
        "the result's type, if there is no zero point to determine it",
    ),
    ("precision", "the type of the division, f32 here"),
    ("saturate", "float8 only"),
];

/// Divides, rounds half to even, moves by the zero point and saturates; computed in f32.
pub(super) fn quantize(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let to = match call.optional(2) {
        Some(zero) => zero.dtype,
        None => output_dtype(call)?.unwrap_or(DType::U8),
    };
    let scaled = x
        .expr
        .cast(DType::F32)
        .div(&factor(call, 1, &x.shape)?)
        .round();
    let moved = match call.optional(2) {
        Some(_) => scaled.add(&factor(call, 2, &x.shape)?),
        None => scaled,
    };
    saturated(call, &moved, to)
}

/// Casts whole numbers in f32 to a narrow type, clamped to its range.
pub(super) fn saturated(call: &Call<'_>, x: &Expr<usize>, to: DType) -> Result<Expr<usize>> {
    if !QUANTISED.contains(to) {
        return Err(Error::unsupported(format!("{} to {to}", call.name)));
    }
    let bits = 8 * to.size() as i32;
    let low = match to.is_signed() {
        true => -(2f64.powi(bits - 1)),
        false => 0.0,
    };
    let high = low + 2f64.powi(bits) - 1.0;
    Ok(x.clip(Expr::literal(low), Expr::literal(high)).cast(to))
}

/// DynamicQuantizeLinear: u8 over the range of all elements and 0, its scale and its zero point.
pub(super) fn dynamic(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let x = call.x(0)?;
    let zero = || Expr::scalar(0f32);
    let high = x.max(Axes::ALL).maximum(zero());
    let low = x.min(Axes::ALL).minimum(zero());
    let range = high.sub(&low);
    let is_one = range.equal(zero());
    let scale = is_one
        .select(Expr::scalar(1f32), range)
        .div(Expr::scalar(255f32));
    let point = zero().sub(low.div(&scale));
    let point = point.clip(Expr::literal(0.0), Expr::literal(255.0)).round();
    let y = saturated(call, &x.div(&scale).round().add(&point), DType::U8)?;
    Ok(vec![y, scale, point.cast(DType::U8)])
}

/// `(x - zero point) * scale`, computed in f32, as the scale's type.
pub(super) fn dequantize(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let to = output_dtype(call)?.unwrap_or(call.operand(1)?.dtype);
    let moved = match call.optional(2) {
        Some(zero) if zero.dtype != x.dtype => {
            return Err(Error::MixedDTypes {
                op: call.name.into(),
                dtypes: vec![x.dtype, zero.dtype],
            });
        }
        Some(_) => x.expr.cast(DType::F32).sub(&factor(call, 2, &x.shape)?),
        None => x.expr.cast(DType::F32),
    };
    Ok(moved.mul(&factor(call, 1, &x.shape)?).cast(to))
}

/// A scale or zero point as f32, one for all elements or one for each place along an axis of x.
fn factor(call: &Call<'_>, i: usize, shape: &Shape) -> Result<Expr<usize>> {
    let factor = call.operand(i)?;
    let wide = factor.expr.cast(DType::F32);
    match call.int("block_size")?.unwrap_or(0) {
        0 if factor.shape.rank() > 1 => {
            let reason = format!("operand {i} of shape {} needs a block_size", factor.shape);
            return Err(call.fail(reason));
        }
        0 => {}
        size => return blocks(call, factor, shape, size),
    }
    if factor.shape.rank() == 0 || (factor.shape.extents() == [1] && shape.rank() == 0) {
        return call
            .scalar(i)
            .map(|x| x.map_or(wide, |x| x.cast(DType::F32)));
    }
    let axis = call.int("axis")?.unwrap_or(1);
    let rank = shape.rank();
    let from_start = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(from_start).ok().filter(|a| *a < rank) {
        Some(axis) => Ok(wide.broadcast(Rule::Explicit {
            target: shape.clone(),
            axes: vec![axis],
        })),
        // One number for all is per tensor, whatever the axis.
        None if factor.shape.extents() == [1] => {
            Ok(call.scalar(i)?.map_or(wide, |x| x.cast(DType::F32)))
        }
        None => {
            let expected = format!("it must lie from -{rank} to {}", rank.saturating_sub(1));
            Err(Error::Axis {
                op: call.name.into(),
                axis,
                rank,
                expected,
            })
        }
    }
}

/// A parameter for blocks of `size` neighbours along an axis; the last block may be shorter.
fn blocks(call: &Call<'_>, factor: &Operand, shape: &Shape, size: i64) -> Result<Expr<usize>> {
    let axis = call.axis_of(call.int("axis")?.unwrap_or(1), shape.rank())?;
    let extent = shape.extents()[axis];
    let size = usize::try_from(size).ok().filter(|&size| size > 0);
    let size = size.ok_or_else(|| call.fail("block_size must be 0 or more"))?;
    let mut expected = shape.extents().to_vec();
    expected[axis] = extent.div_ceil(size);
    if factor.shape.extents() != expected {
        let found = &factor.shape;
        let reason = format!("blocks of {size} need parameters of shape {expected:?}, not {found}");
        return Err(call.fail(reason));
    }
    let mut spread = expected.clone();
    spread.insert(axis + 1, size.min(extent.max(1)));
    let mut whole = expected;
    whole[axis] *= spread[axis + 1];
    let place = axis.cast_signed();
    let wide = factor
        .expr
        .cast(DType::F32)
        .view(View::Unsqueeze(vec![place + 1]));
    let target = spread.into();
    let whole: Vec<isize> = whole.into_iter().map(usize::cast_signed).collect();
    let mut items = vec![Index::ALL; axis];
    items.push(Index::Range(None, Some(extent.cast_signed()), 1));
    Ok(wide
        .broadcast(Rule::To { target })
        .reshape(whole)
        .slice(items))
}

/// The type that the attribute `output_dtype` names.
fn output_dtype(call: &Call<'_>) -> Result<Option<DType>> {
    call.dtype_attr("output_dtype")
}

/// Rounds elements from `input_low` to `input_high` to levels, and maps these to levels from
/// `output_low` to `output_high`. Elements at or below the lower input bound become `output_low`,
/// those above the upper one `output_high`.
pub(super) fn fake_quantize(call: &Call<'_>) -> Result<Expr<usize>> {
    let levels = call
        .int("levels")?
        .ok_or_else(|| call.fail("the attribute levels is missing"))?;
    if levels < 2 {
        return Err(call.fail(format!("levels must be 2 or more, not {levels}")));
    }
    let rule = call.own_rule()?;
    let steps = Expr::literal(levels - 1);
    let [x, low, high, out_low, out_high] = [0, 1, 2, 3, 4].map(|i| call.x(i));
    let (x, low, high, out_low, out_high) = (x?, low?, high?, out_low?, out_high?);
    // Every step of x with a bound goes by the call's rule; x comes first, so that it is the target
    // of one-way ones.
    let with = |step: Expr<usize>| step.with_rule(rule.clone());
    let place = with(with(x.sub(&low)).div(high.sub(&low)))
        .mul(&steps)
        .round()
        .div(&steps);
    let inside = with(with(place.mul(out_high.sub(&out_low))).add(&out_low));
    let is_above = with(x.greater(low.maximum(&high)));
    let is_inside = with(x.greater(low.minimum(&high)));
    let upper = with(is_above.logical_not().where_(&inside, &out_high));
    Ok(with(is_inside.where_(&upper, &out_low)))
}
