//! Operators that make arrays from shapes, numbers and attributes.

use crate::call::{Attr, Call, Operand, check_axes, listed};
use crate::elements::{self, filled};
use zerostride::{Axes, DType, Error, Expr, HostTensor, Index, Result, Scalar, Shape, View};

use super::moves::{place, signed};

/// The attributes of Constant, one of which must be given.
pub const CONSTANT: &[(&str, &str)] = &[
    ("value", "an array"),
    ("value_float", "a number"),
    ("value_floats", "numbers along one axis"),
    ("value_int", "a whole number"),
    ("value_ints", "whole numbers along one axis"),
    ("value_string", "strings are not supported"),
    ("value_strings", "strings are not supported"),
    ("sparse_value", "sparse arrays are not supported"),
];

pub fn constant(call: &Call<'_>) -> Result<HostTensor> {
    let mut all = call.attrs.iter();
    let (Some((name, value)), None) = (all.next(), all.next()) else {
        return Err(call.fail("exactly one attribute must give its value"));
    };
    match (name.as_str(), value) {
        ("value", Attr::Tensor(tensor)) => Ok(tensor.clone()),
        ("value_float", Attr::Float(x)) => elements::one((*x as f32).into(), []),
        ("value_int", Attr::Int(x)) => elements::one((*x).into(), []),
        ("value_ints", Attr::Ints(all)) => elements::list(all),
        ("value_floats", Attr::Floats(all)) => {
            let bytes = all.iter().flat_map(|&x| (x as f32).to_le_bytes());
            HostTensor::new(DType::F32, [all.len()], bytes.collect())
        }
        ("value_string" | "value_strings" | "sparse_value", _) => {
            Err(Error::unsupported(format!("Constant of {name}")))
        }
        (name, other) => Err(call.fail(format!("attribute {name} cannot be {other}"))),
    }
}

/// The extents from one axis up to another.
pub fn shape(call: &Call<'_>) -> Result<HostTensor> {
    let extents = call.operand(0)?.shape.extents();
    let rank = extents.len() as i64;
    let place = |axis: i64| {
        let axis = if axis < 0 {
            axis.saturating_add(rank)
        } else {
            axis
        };
        axis.clamp(0, rank) as usize
    };
    let start = place(call.int("start")?.unwrap_or(0));
    let end = place(call.int("end")?.unwrap_or(rank)).max(start);
    let some: Vec<i64> = extents[start..end].iter().map(|&e| e as i64).collect();
    elements::list(&some)
}

pub fn size(call: &Call<'_>) -> Result<HostTensor> {
    let len = call.operand(0)?.shape.len()? as i64;
    elements::one(len.into(), [])
}

pub fn constant_of_shape(call: &Call<'_>) -> Result<Expr<usize>> {
    let extents = call.places(0, "")?.unwrap_or_default();
    check_axes(extents.len())?;
    let number = match call.attrs.get("value") {
        None => Some(Scalar::from(0f32)),
        Some(Attr::Tensor(one)) if one.layout.len() == 1 => elements::uniform(one)?,
        Some(_) => None,
    };
    let number = number.ok_or_else(|| call.fail("its value must be an array of one element"))?;
    Ok(filled(number, extents))
}

/// The numbers from 0 to `count - 1`, as u32.
pub fn line(count: usize) -> Expr<usize> {
    filled(0u32, [count]).position(0)
}

/// Numbers at equal distances, up to the limit, which is excluded.
pub fn range(call: &Call<'_>) -> Result<Expr<usize>> {
    let dtype = call.operand(0)?.dtype;
    let one = |i: usize| match elements::floats(call.known(i)?)[..] {
        [x] => Ok(x),
        _ => Err(call.fail(format!("operand {i} must be one number"))),
    };
    let count = if dtype.is_float() {
        let [from, to, by] = [one(0)?, one(1)?, one(2)?];
        let count = ((to - from) / by).ceil();
        match count.is_finite() && by != 0.0 {
            true => Some(count.max(0.0))
                .filter(|&n| n < 2f64.powi(32))
                .map(|n| n as i128),
            false => None,
        }
    } else {
        let whole = |i| -> Result<i128> { Ok(call.whole_one(i)?.unwrap_or_default().into()) };
        let [from, to, by] = [whole(0)?, whole(1)?, whole(2)?];
        let (distance, by) = if by < 0 {
            (from - to, -by)
        } else {
            (to - from, by)
        };
        match by {
            0 => None,
            _ => Some((distance.max(0) + by - 1) / by),
        }
    };
    let count = count.and_then(|n| u32::try_from(n).ok());
    let count = count.ok_or_else(|| {
        call.fail("it needs finite numbers, a step that is not 0, and fewer than 2^32 results")
    })?;
    let at = |i: usize| {
        let number = call.scalar(i)?;
        number.ok_or_else(|| call.fail("a number is missing"))
    };
    // Halves count in f32, as their sums would not be exact.
    let wide = if dtype.size() == 2 && dtype.is_float() {
        DType::F32
    } else {
        dtype
    };
    let [start, step] = [at(0)?, at(2)?].map(|x| if wide == dtype { x } else { x.cast(wide) });
    let numbers = line(count as usize).cast(wide).mul(step).add(start);
    Ok(if wide == dtype {
        numbers
    } else {
        numbers.cast(dtype)
    })
}

/// 1 on a diagonal of a matrix, 0 elsewhere.
pub fn eye_like(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    if x.shape.rank() != 2 {
        return Err(call.fail(format!("x must be a matrix, but its shape is {}", x.shape)));
    }
    let dtype = call.dtype_attr("dtype")?.unwrap_or(x.dtype);
    let k = call.int("k")?.unwrap_or(0);
    let [row, column] = [0, 1].map(|axis| x.expr.position(axis).cast(DType::I64));
    Ok(column.equal(row.add(Expr::scalar(k))).cast(dtype))
}

/// An index as a whole number from 0 on. Negative indices count from the end.
pub fn from_start(x: &Operand, extent: usize) -> Expr<usize> {
    let index = if x.dtype == DType::I64 {
        x.expr.clone()
    } else {
        x.expr.cast(DType::I64)
    };
    if !x.dtype.is_signed() {
        return index;
    }
    let from_end = index.add(Expr::scalar(extent as i64));
    index.less(Expr::scalar(0i64)).select(from_end, &index)
}

pub fn one_hot(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let depth = match elements::floats(call.known(1)?)[..] {
        [depth] if depth >= 0.0 && depth < 2f64.powi(31) => depth as usize,
        _ => return Err(call.fail("depth must be one number from 0 to 2^31 - 1")),
    };
    let values = call.operand(2)?;
    if values.shape.extents() != [2] {
        return Err(call.fail(format!(
            "there must be two values, but their shape is {}",
            values.shape
        )));
    }
    let rank = x.shape.rank();
    let axis = call.axis_of(call.int("axis")?.unwrap_or(-1), rank + 1)?;
    let mut extents = vec![1; rank - axis];
    extents.insert(0, depth);
    let places = line(depth).cast(DType::I64).reshape(signed(&extents));
    let index = from_start(x, depth).view(View::Unsqueeze(vec![place(axis)]));
    let [off, on] = [0, 1].map(|i| values.expr.slice([Index::At(i)]));
    Ok(index.equal(&places).select(on, off))
}

/// A sum of the cosines of an angle's multiples with these factors.
pub fn window(call: &Call<'_>, factors: &[f64]) -> Result<Expr<usize>> {
    let size = call.whole_one(0)?.and_then(|n| usize::try_from(n).ok());
    let size = size.filter(|&n| n <= u32::MAX as usize);
    let size = size.ok_or_else(|| call.fail("the size must be a number from 0 to 2^32 - 1"))?;
    let dtype = call.dtype_attr("output_datatype")?.unwrap_or(DType::F32);
    let periods = match call.flag("periodic", true)? {
        true => size,
        false => size.saturating_sub(1),
    };
    let wide = if dtype == DType::F64 {
        DType::F64
    } else {
        DType::F32
    };
    let number = |x: f64| Expr::scalar(Scalar::of(wide, x));
    let at = line(size).cast(wide);
    let mut sum = filled(Scalar::of(wide, factors[0]), [size]);
    for (k, &factor) in factors.iter().enumerate().skip(1) {
        let turn = 2.0 * std::f64::consts::PI * k as f64 / periods.max(1) as f64;
        sum = sum.add(at.mul(number(turn)).cos().mul(number(factor)));
    }
    Ok(sum.cast(dtype))
}

/// The positions of a grid's elements under affine maps.
pub fn affine_grid(call: &Call<'_>) -> Result<Expr<usize>> {
    let theta = call.operand(0)?;
    let size = call.whole(1)?;
    let extent = |&e: &i64| usize::try_from(e).map_err(|_| call.fail("an extent is negative"));
    let size: Vec<usize> = size.iter().map(extent).collect::<Result<_>>()?;
    let [n, _, space @ ..] = &size[..] else {
        return Err(call.fail("the size must have four or five extents"));
    };
    let axes = space.len();
    if !(2..=3).contains(&axes) || theta.shape.extents() != [*n, axes, axes + 1] {
        let reason = format!(
            "maps of shape {} do not fit a size of {}",
            theta.shape,
            listed(&size)
        );
        return Err(call.fail(reason));
    }
    let aligned = call.flag("align_corners", false)?;
    let wide = DType::F32;
    let number = |x: f64| Expr::scalar(Scalar::of(wide, x));
    let whole = filled(0f32, space.to_vec());
    let mut rows = Vec::with_capacity(axes + 1);
    // The last axis is x.
    for (axis, &count) in space.iter().enumerate().rev() {
        let (step, start) = match aligned {
            // One place alone is the middle.
            true if count == 1 => (0.0, 0.0),
            true => (2.0 / (count as f64 - 1.0), -1.0),
            false => (2.0 / count as f64, 1.0 / count as f64 - 1.0),
        };
        let at = whole.position(place(axis)).cast(wide);
        rows.push(at.mul(number(step)).add(number(start)).add(&whole));
    }
    rows.push(whole.add(number(1.0)));
    let points = Shape::from(space.to_vec()).len()?;
    let base = Expr::stack(rows, 0).reshape(signed(&[axes + 1, points]));
    let moved = theta
        .expr
        .cast(wide)
        .matmul(base)
        .view(View::SwapAxes(1, 2));
    let mut extents = vec![*n];
    extents.extend(space);
    extents.push(axes);
    Ok(moved.reshape(signed(&extents)).cast(theta.dtype))
}

/// Dropout that drops nothing: its results are the operand, and true everywhere.
pub fn dropout(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let x = call.operand(0)?;
    let ratio = match call.optional(1) {
        Some(_) => elements::floats(call.known(1)?).first().copied(),
        None => call.float("ratio")?,
    };
    let trains = call.whole_one(2)?.is_some_and(|t| t != 0)
        || (call.before(7) && !call.flag("is_test", false)?);
    if trains && ratio != Some(0.0) {
        let what = "Dropout in training, which takes random numbers";
        return Err(Error::unsupported(what));
    }
    let mask = match call.before(10) {
        true => filled(Scalar::of(x.dtype, 1.0), x.shape.clone()),
        false => filled(true, x.shape.clone()),
    };
    Ok(vec![x.expr.identity(), mask])
}

/// The elements of an axis whose conditions are true.
pub fn compress(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let (x, extent, axis) = match call.int("axis")? {
        None => (x.expr.reshape([-1]), x.shape.len()?, 0),
        Some(axis) => {
            let axis = call.axis_of(axis, x.shape.rank())?;
            (x.expr.clone(), x.shape.extents()[axis], axis)
        }
    };
    let condition = call.whole(1)?;
    if condition.len() > extent {
        let reason = format!(
            "{} conditions do not fit an extent of {extent}",
            condition.len()
        );
        return Err(call.fail(reason));
    }
    // Neighbours that are kept are one part.
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for (i, _) in condition.iter().enumerate().filter(|(_, c)| **c != 0) {
        match parts.last_mut() {
            Some((start, count)) if *start + *count == i => *count += 1,
            _ => parts.push((i, 1)),
        }
    }
    let part = |&(start, count): &(usize, usize)| super::moves::part(&x, axis, start, count);
    match &parts[..] {
        [] => Ok(super::moves::part(&x, axis, 0, 0)),
        [one] => Ok(part(one)),
        all => Ok(Expr::concat(all.iter().map(part), place(axis))),
    }
}

/// All axes of a shape but these.
pub fn but(shape: &Shape, some: &[usize]) -> Axes {
    let rest = (0..shape.rank()).filter(|axis| !some.contains(axis));
    Axes::new(rest.map(place).collect::<Vec<_>>())
}
