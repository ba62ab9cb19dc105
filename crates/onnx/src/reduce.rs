//! Reductions and scans, and operators that consist of them, such as softmax.

use super::call::{Call, Standard};
use zerostride::{Along, Axes, Expr, Reduction, Scan};
use zerostride::{DType, DTypes};
use zerostride::{Error, Result};

const KEEPDIMS: (&str, &str) = (
    "keepdims",
    "1 (default): reduced axes stay with extent 1; 0: they are dropped",
);

/// The attributes of ONNX's Reduce operators.
pub(super) const ATTRS: &[(&str, &str)] = &[
    ("axes", "the axes, in place of operand 1"),
    KEEPDIMS,
    (
        "noop_with_empty_axes",
        "without axes, 0 (default): all are reduced; 1: none",
    ),
];

/// The attributes of ArgMax and ArgMin.
pub(super) const ARG_ATTRS: &[(&str, &str)] = &[
    ("axis", "0"),
    KEEPDIMS,
    (
        "select_last_index",
        "0 (default): the first of equal elements; 1: the last",
    ),
];

/// The attributes of OpenVINO's reductions.
pub(super) const KEEP_DIMS: &[(&str, &str)] = &[(
    "keep_dims",
    "true: reduced axes stay with extent 1; false (default): they are dropped",
)];

/// A reduction of ONNX. The axes are an attribute before the operation set `since`, operand 1 from
/// it on.
pub(super) fn onnx(call: &Call<'_>, reduction: Reduction, since: u32) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let old = call.opset.is_some_and(|o| o < since);
    if old && call.operands.len() > 1 {
        return Err(call.fail(format!(
            "before opset {since} the axes must be the attribute axes"
        )));
    }
    if old && call.attrs.contains_key("noop_with_empty_axes") {
        return Err(call.fail(format!(
            "noop_with_empty_axes requires opset {since} or newer"
        )));
    }
    if !old && call.opset.is_some() && call.attrs.contains_key("axes") {
        return Err(call.fail(format!("from opset {since} on the axes must be operand 1")));
    }
    let named = call.list(1, "axes", 1..=1, DTypes::of(&[DType::I64]))?;
    let noop = call.flag("noop_with_empty_axes", false)?;
    let axes = match named.filter(|axes| !axes.is_empty()) {
        Some(axes) => of(call, &axes)?,
        // What a reduction does to each element, as the squares of a sum of squares, it still does.
        None if noop => Axes::new([]),
        None => Axes::ALL,
    };
    let keeps = call.flag("keepdims", true)?;
    let extents = x.shape.extents();
    let reduced = axes.of(call.name, extents.len())?;
    if let Some(value) = nothing(reduction, x.dtype)
        && reduced.iter().any(|&axis| extents[axis] == 0)
    {
        let left = (0..extents.len()).filter_map(|axis| match reduced.contains(&axis) {
            false => Some(extents[axis]),
            true => keeps.then_some(1),
        });
        return Ok(value.expand(left.collect::<Vec<_>>()));
    }
    Ok(x.expr.reduce_as_is(reduction, keep(axes, keeps)))
}

/// ONNX's result for no elements, if the reduction of [`Expr`] refuses these.
fn nothing(reduction: Reduction, dtype: DType) -> Option<Expr<usize>> {
    match reduction {
        Reduction::Max | Reduction::LogSumExp => Some(Call::bound(dtype, f64::NEG_INFINITY)),
        Reduction::Min => Some(Call::bound(dtype, f64::INFINITY)),
        _ => None,
    }
}

/// ArgMax and ArgMin, along one axis.
pub(super) fn arg(call: &Call<'_>, reduction: fn(bool) -> Reduction) -> Result<Expr<usize>> {
    if call.opset.is_some_and(|o| o < 12) && call.attrs.contains_key("select_last_index") {
        return Err(call.fail("select_last_index requires opset 12 or newer"));
    }
    let axis = of(call, &[call.int("axis")?.unwrap_or(0)])?;
    let axis = keep(axis, call.flag("keepdims", true)?);
    let last = call.flag("select_last_index", false)?;
    Ok(call.x(0)?.reduce_as_is(reduction(last), axis))
}

/// A reduction of OpenVINO. Without axes it is the identity, as its specification says.
pub(super) fn openvino(call: &Call<'_>, reduction: Reduction) -> Result<Expr<usize>> {
    let axes = call
        .list(1, "axes", 0..=1, DTypes::INTS)?
        .ok_or_else(|| call.fail("the axes are missing"))?;
    let keeps = call.flag("keep_dims", false)?;
    let reduced = of(call, &axes)?;
    Ok(match axes.is_empty() {
        true => call.x(0)?.identity(),
        false => call.x(0)?.reduce_as_is(reduction, keep(reduced, keeps)),
    })
}

/// CumSum and CumProd. The axis is operand 1, which OpenVINO may leave out.
pub(super) fn scan(call: &Call<'_>, scan: Scan) -> Result<Expr<usize>> {
    let accepts = DTypes::of(&[DType::I32, DType::I64]);
    let axis = match (
        call.list(1, "axis", 0..=1, accepts)?.as_deref(),
        call.standard,
    ) {
        (Some([axis]), _) => *axis,
        (None, Standard::OpenVino) => 0,
        (Some(axes), _) => {
            let found = zerostride::message::count(axes.len(), "number");
            return Err(call.fail(format!("operand 1 must be one axis, but has {found}")));
        }
        (None, _) => return Err(call.fail("the axis is missing")),
    };
    let rank = call.operand(0)?.shape.rank();
    let Some(&axis) = of(call, &[axis])?.of(call.name, rank)?.first() else {
        return Err(call.fail("the axis is missing"));
    };
    let mut along = Along::axis(axis as isize);
    if call.flag("exclusive", false)? {
        along = along.exclusive();
    }
    if call.flag("reverse", false)? {
        along = along.reverse();
    }
    Ok(call.x(0)?.scan_as_is(scan, along))
}

/// The attributes of CumSum and CumProd.
pub(super) const SCAN_ATTRS: &[(&str, &str)] = &[
    (
        "exclusive",
        "0 (default): each result includes its own element; 1: it does not",
    ),
    (
        "reverse",
        "0 (default): from the first element on; 1: from the last",
    ),
];

/// Hardmax: 1 for the first of the largest elements, 0 for the others.
pub(super) fn hardmax(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let axes = normalised(call)?.keepdims();
    if x.shape.len()? == 0 {
        return Ok(x.expr.identity());
    }
    let largest = x.expr.argmax(axes.clone()).cast(DType::U32);
    Ok(x.expr.position(axes).equal(&largest).cast(x.dtype))
}

/// The axes of Softmax, LogSoftmax and Hardmax.
fn normalised(call: &Call<'_>) -> Result<Axes> {
    let rank = call.operand(0)?.shape.rank();
    // Before opset 13, ONNX takes all axes from the named one on together.
    let together = call.standard == Standard::Onnx && call.opset.is_some_and(|o| o < 13);
    let default = match call.standard {
        Standard::Onnx if !together => -1,
        _ => 1,
    };
    let axis = call.int("axis")?.unwrap_or(default);
    let axes = of(call, &[axis])?;
    if !together {
        return Ok(axes);
    }
    let first = axes.of(call.name, rank)?;
    let from = first.into_iter().flat_map(|first| first..rank);
    let from: Vec<isize> = from.map(|axis| axis as isize).collect();
    Ok(Axes::new(from))
}

/// Softmax, or its logarithm, computed in f32 if the operand is f16 or bf16.
pub(super) fn softmax(call: &Call<'_>, is_log: bool) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let axes = normalised(call)?;
    if x.shape.len()? == 0 {
        return Ok(x.expr.identity());
    }
    let axes = axes.keepdims();
    let wide = match x.dtype.size() {
        2 => x.expr.cast(DType::F32),
        _ => x.expr.clone(),
    };
    let below = wide.sub(wide.max(axes.clone()));
    let powers = below.exp();
    let sum = powers.sum(axes);
    let made = match is_log {
        true => below.sub(sum.log()),
        false => powers.div(&sum),
    };
    Ok(match x.dtype.size() {
        2 => made.cast(x.dtype),
        _ => made,
    })
}

/// Axes of operand 0 by their numbers.
fn of(call: &Call<'_>, axes: &[i64]) -> Result<Axes> {
    let rank = call.operand(0)?.shape.rank();
    let place = |&axis: &i64| {
        isize::try_from(axis).map_err(|_| Error::Axis {
            op: call.name.into(),
            axis,
            rank,
            expected: "it is no axis".into(),
        })
    };
    let axes = Axes::new(axes.iter().map(place).collect::<Result<Vec<_>>>()?);
    axes.of(call.name, rank)?;
    Ok(axes)
}

fn keep(axes: Axes, keeps: bool) -> Axes {
    match keeps {
        true => axes.keepdims(),
        false => axes,
    }
}
