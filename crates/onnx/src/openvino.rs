//! The operators of OpenVINO.

use super::call::{Call, Standard};
use super::name::{Name, Typed};
use super::onnx::{cast_like, is_inf};
use super::{quantize, reduce};
use zerostride::Index;
use zerostride::Op;
use zerostride::Rule;
use zerostride::{DType, DTypes};
use zerostride::{Error, Result};
use zerostride::{Expr, Reduction, Scan};

const NUMERIC: &[(u32, DTypes)] = &[(1, DTypes::NUMERIC)];
const FLOATS: &[(u32, DTypes)] = &[(1, DTypes::FLOATS)];
const SIGNED: &[(u32, DTypes)] = &[(1, DTypes::FLOATS.or(DTypes::SIGNED_INTS))];
const BOOL: &[(u32, DTypes)] = &[(1, DTypes::BOOL)];
const BITS: &[(u32, DTypes)] = &[(13, DTypes::INTS.or(DTypes::BOOL))];
const ANY: &[(u32, DTypes)] = &[(1, DTypes::ANY)];
const NORMS: &[(u32, DTypes)] = &[(4, DTypes::NUMERIC)];

const MODE: (&str, &str) = (
    "auto_broadcast",
    "none, numpy or pdpd; by default the call's rule",
);
const AXIS: (&str, &str) = ("axis", "under pdpd the axis of the target, -1 by default");
const BROADCAST: &[(&str, &str)] = &[MODE, AXIS];

const fn unary(name: &'static str, op: Op, versions: &'static [(u32, DTypes)]) -> Name {
    Name::step(Standard::OpenVino, name, op, (1, 1), versions)
}

const fn binary(name: &'static str, op: Op, versions: &'static [(u32, DTypes)]) -> Name {
    Name::step(Standard::OpenVino, name, op, (2, 2), versions).attrs(BROADCAST)
}

/// A reduction along the axes of operand 1.
const fn reduction(name: &'static str, versions: &'static [(u32, DTypes)]) -> Name {
    Name::step(Standard::OpenVino, name, Op::ADD, (2, 2), versions)
        .typed(Typed::First)
        .attrs(reduce::KEEP_DIMS)
}

/// The operators.
pub(super) static TABLE: &[Name] = &[
    binary("Add", Op::ADD, NUMERIC),
    binary("Subtract", Op::SUB, NUMERIC),
    binary("Multiply", Op::MUL, NUMERIC),
    binary("Divide", Op::DIV, NUMERIC)
        .attrs(&[
            MODE,
            AXIS,
            (
                "m_pythondiv",
                "true (default): whole numbers are rounded down; false: towards zero",
            ),
        ])
        .with(divide),
    binary("Mod", Op::FMOD, NUMERIC),
    binary("FloorMod", Op::MOD, NUMERIC),
    binary("Power", Op::POW, NUMERIC),
    binary("SquaredDifference", Op::MUL, NUMERIC).with(squared_difference),
    binary("Maximum", Op::MAXIMUM, NUMERIC),
    binary("Minimum", Op::MINIMUM, NUMERIC),
    binary("Equal", Op::EQUAL, ANY),
    binary("NotEqual", Op::NOT_EQUAL, ANY),
    binary("Greater", Op::GREATER, NUMERIC),
    binary("GreaterEqual", Op::GREATER_OR_EQUAL, NUMERIC),
    binary("Less", Op::LESS, NUMERIC),
    binary("LessEqual", Op::LESS_OR_EQUAL, NUMERIC),
    binary("LogicalAnd", Op::AND, BOOL),
    binary("LogicalOr", Op::OR, BOOL),
    binary("LogicalXor", Op::XOR, BOOL),
    unary("LogicalNot", Op::NOT, BOOL),
    binary("BitwiseAnd", Op::BIT_AND, BITS).with(|call| bitwise(call, Op::BIT_AND, Op::AND)),
    binary("BitwiseOr", Op::BIT_OR, BITS).with(|call| bitwise(call, Op::BIT_OR, Op::OR)),
    binary("BitwiseXor", Op::BIT_XOR, BITS).with(|call| bitwise(call, Op::BIT_XOR, Op::XOR)),
    binary("BitwiseLeftShift", Op::SHL, &[(15, DTypes::INTS)]),
    binary("BitwiseRightShift", Op::SHR, &[(15, DTypes::INTS)]),
    unary("BitwiseNot", Op::BIT_NOT, BITS).with(|call| bitwise(call, Op::BIT_NOT, Op::NOT)),
    Name::step(Standard::OpenVino, "Select", Op::WHERE, (3, 3), ANY)
        .typed(Typed::Select)
        .attrs(BROADCAST),
    Name::step(Standard::OpenVino, "PReLU", Op::PRELU, (2, 2), NUMERIC).with(prelu),
    Name::step(Standard::OpenVino, "Broadcast", Op::IDENTITY, (1, 3), ANY)
        .typed(Typed::First)
        .attrs(&[
            ("mode", "numpy (default), bidirectional, explicit or pdpd"),
            ("target_shape", "the shape, in place of operand 1"),
            (
                "axes_mapping",
                "explicit only: the axes of the target, in place of operand 2",
            ),
            ("axis", "pdpd only: the first of the axes, -1 by default"),
        ])
        .with(broadcast),
    unary("Convert", Op::CAST, ANY)
        .attrs(&[("destination_type", "the element type")])
        .with(convert),
    Name::step(Standard::OpenVino, "ConvertLike", Op::CAST, (2, 2), ANY)
        .typed(Typed::First)
        .with(cast_like),
    unary("Negative", Op::NEG, NUMERIC),
    unary("Abs", Op::ABS, NUMERIC),
    unary("Sign", Op::SIGN, NUMERIC),
    unary("Sqrt", Op::SQRT, FLOATS),
    unary("Exp", Op::EXP, FLOATS),
    unary("Log", Op::LOG, FLOATS),
    unary("Tanh", Op::TANH, FLOATS),
    unary("Sigmoid", Op::SIGMOID, FLOATS),
    unary("ReLU", Op::RELU, SIGNED),
    unary("Sin", Op::SIN, FLOATS),
    unary("Cos", Op::COS, FLOATS),
    unary("Tan", Op::TAN, FLOATS),
    unary("Asin", Op::ASIN, FLOATS),
    unary("Acos", Op::ACOS, FLOATS),
    unary("Atan", Op::ATAN, FLOATS),
    unary("Sinh", Op::SINH, FLOATS),
    unary("Cosh", Op::COSH, FLOATS),
    unary("Asinh", Op::ASINH, FLOATS),
    unary("Acosh", Op::ACOSH, FLOATS),
    unary("Atanh", Op::ATANH, FLOATS),
    unary("Erf", Op::ERF, FLOATS),
    unary("SoftPlus", Op::SOFTPLUS, FLOATS),
    unary("SoftSign", Op::SOFTSIGN, FLOATS),
    unary("Mish", Op::MISH, FLOATS),
    unary("HSwish", Op::HARD_SWISH, FLOATS),
    unary("HSigmoid", Op::HARD_SIGMOID, FLOATS).with(|call| {
        let six = Expr::literal(6);
        Ok(call
            .x(0)?
            .add(Expr::literal(3))
            .clip(Expr::literal(0), &six)
            .div(&six))
    }),
    unary("Gelu", Op::GELU, FLOATS)
        .attrs(&[("approximation_mode", "erf (default) or tanh")])
        .with(gelu),
    unary("Elu", Op::ELU, FLOATS)
        .attrs(&[("alpha", "the factor of the negative side")])
        .with(elu),
    Name::step(Standard::OpenVino, "Selu", Op::SELU, (3, 3), FLOATS)
        .with(|call| scalars(call, Op::SELU)),
    Name::step(
        Standard::OpenVino,
        "HardSigmoid",
        Op::HARD_SIGMOID,
        (3, 3),
        FLOATS,
    )
    .with(|call| scalars(call, Op::HARD_SIGMOID)),
    Name::step(Standard::OpenVino, "Swish", Op::SWISH, (1, 2), FLOATS)
        .with(|call| scalars(call, Op::SWISH)),
    unary("Floor", Op::FLOOR, NUMERIC).with(|call| whole(call, Op::FLOOR)),
    unary("Ceiling", Op::CEIL, NUMERIC).with(|call| whole(call, Op::CEIL)),
    Name::step(
        Standard::OpenVino,
        "FakeQuantize",
        Op::WHERE,
        (5, 5),
        FLOATS,
    )
    .attrs(&[("levels", "the number of levels, 2 or more"), MODE, AXIS])
    .with(quantize::fake_quantize),
    unary("Identity", Op::IDENTITY, ANY),
    unary("Round", Op::ROUND, NUMERIC)
        .attrs(&[("mode", "half_to_even (default) or half_away_from_zero")])
        .with(round),
    unary("Clamp", Op::CLIP, NUMERIC)
        .attrs(&[
            ("min", "the lower bound"),
            ("max", "the upper bound, not below the lower"),
        ])
        .with(clamp),
    unary("IsNaN", Op::IS_NAN, FLOATS),
    unary("IsInf", Op::IS_INF, FLOATS)
        .attrs(&[
            ("detect_negative", "1 (default): true for -inf too"),
            ("detect_positive", "1 (default): true for +inf too"),
        ])
        .with(is_inf),
    unary("IsFinite", Op::LESS, FLOATS)
        .with(|call| Ok(call.x(0)?.abs().less(Expr::literal(f64::INFINITY)))),
    reduction("ReduceSum", NUMERIC).with(|call| reduce::openvino(call, Reduction::Sum)),
    reduction("ReduceMean", NUMERIC).with(|call| reduce::openvino(call, Reduction::Mean)),
    reduction("ReduceProd", NUMERIC).with(|call| reduce::openvino(call, Reduction::Prod)),
    reduction("ReduceMax", NUMERIC).with(|call| reduce::openvino(call, Reduction::Max)),
    reduction("ReduceMin", NUMERIC).with(|call| reduce::openvino(call, Reduction::Min)),
    reduction("ReduceL1", NORMS).with(|call| reduce::openvino(call, Reduction::L1)),
    reduction("ReduceL2", NORMS).with(|call| reduce::openvino(call, Reduction::L2)),
    reduction("ReduceLogicalAnd", BOOL).with(|call| reduce::openvino(call, Reduction::All)),
    reduction("ReduceLogicalOr", BOOL).with(|call| reduce::openvino(call, Reduction::Any)),
    Name::step(
        Standard::OpenVino,
        "CumSum",
        Op::ADD,
        (1, 2),
        &[(3, DTypes::NUMERIC)],
    )
    .typed(Typed::First)
    .attrs(reduce::SCAN_ATTRS)
    .with(|call| reduce::scan(call, Scan::Sum)),
    unary("SoftMax", Op::EXP, FLOATS)
        .attrs(&[("axis", "1")])
        .with(|call| reduce::softmax(call, false)),
    unary("LogSoftmax", Op::EXP, &[(5, DTypes::FLOATS)])
        .attrs(&[("axis", "1")])
        .with(|call| reduce::softmax(call, true)),
];

/// A step whose operands behind the first are scalars, or left out if they have a default.
fn scalars(call: &Call<'_>, op: Op) -> Result<Expr<usize>> {
    let mut operands = vec![call.x(0)?];
    for (i, default) in (1..).zip(op.defaults()) {
        operands.push(call.scalar(i)?.unwrap_or_else(|| Expr::literal(*default)));
    }
    Ok(Expr::step(op, operands))
}

fn elu(call: &Call<'_>) -> Result<Expr<usize>> {
    let alpha = call
        .float("alpha")?
        .ok_or_else(|| call.fail("the attribute alpha is missing"))?;
    Ok(call.x(0)?.elu(Expr::literal(alpha)))
}

fn gelu(call: &Call<'_>) -> Result<Expr<usize>> {
    match call
        .text("approximation_mode")?
        .map(str::to_lowercase)
        .as_deref()
    {
        None | Some("erf") => call.step(Op::GELU),
        Some("tanh") => call.step(Op::GELU_TANH),
        Some(other) => Err(call.fail(format!(
            "approximation_mode must be erf or tanh, not `{other}`"
        ))),
    }
}

fn divide(call: &Call<'_>) -> Result<Expr<usize>> {
    let floor = call.flag("m_pythondiv", true)? && call.operand(0)?.dtype.is_int();
    call.step(if floor { Op::FLOOR_DIV } else { Op::DIV })
}

fn squared_difference(call: &Call<'_>) -> Result<Expr<usize>> {
    let difference = call.step(Op::SUB)?;
    Ok(difference.mul(&difference))
}

/// Bitwise operators are logical on bool.
fn bitwise(call: &Call<'_>, ints: Op, bools: Op) -> Result<Expr<usize>> {
    call.step(if call.operand(0)?.dtype == DType::Bool {
        bools
    } else {
        ints
    })
}

/// A slope of one axis that fits axis 1 of the data is one slope for each channel, even if it fits
/// the last axis too.
fn prelu(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, slope) = (call.operand(0)?, call.operand(1)?);
    let channels = x.shape.extents().get(1);
    let slope = match slope.shape.extents() {
        [n] if channels == Some(n) => slope.expr.broadcast(Rule::Explicit {
            target: x.shape.clone(),
            axes: vec![1],
        }),
        _ => slope.expr.clone(),
    };
    Ok(x.expr.prelu(&slope).with_rule(Rule::Unidirectional))
}

fn broadcast(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let target = call
        .places(1, "target_shape")?
        .ok_or_else(|| call.fail("the target shape is missing"))?;
    let mapping = call.places(2, "axes_mapping")?;
    let mode = call.text("mode")?.unwrap_or("numpy");
    let rule = match (mode, mapping) {
        ("explicit", Some(axes)) => Rule::Explicit {
            target: target.into(),
            axes,
        },
        ("explicit", None) => return Err(call.fail("mode explicit needs axes_mapping")),
        (_, Some(_)) => {
            return Err(call.fail(format!("axes_mapping belongs to mode explicit, not {mode}")));
        }
        ("numpy", None) => Rule::To {
            target: target.into(),
        },
        ("bidirectional", None) => Rule::Bidirectional {
            target: target.into(),
        },
        ("pdpd", None) => return run(call, &target),
        _ => {
            return Err(call.fail(format!(
                "mode must be numpy, bidirectional, explicit or pdpd, not `{mode}`"
            )));
        }
    };
    Ok(x.expr.broadcast(rule))
}

/// The data as a run of the target's axes from `axis` on, as under [`Rule::Pdpd`].
fn run(call: &Call<'_>, target: &[usize]) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let (rank, extents) = (x.shape.rank(), x.shape.extents());
    let kept = extents
        .iter()
        .rposition(|&e| e != 1)
        .map_or(0, |last| last + 1);
    let axis = call.int("axis")?.unwrap_or(-1);
    let start = match axis {
        -1 => target.len().checked_sub(rank),
        _ => usize::try_from(axis)
            .ok()
            .filter(|s| s.checked_add(kept).is_some_and(|end| end <= target.len())),
    };
    let start = start.ok_or_else(|| Error::Axis {
        op: call.name.into(),
        axis,
        rank: target.len(),
        expected: format!(
            "the axes of the data, {}, must lie within the target",
            x.shape
        ),
    })?;
    let mut index = vec![Index::ALL; kept];
    index.extend(vec![Index::At(0); rank - kept]);
    let axes = (start..start + kept).collect();
    Ok(x.expr.slice(index).broadcast(Rule::Explicit {
        target: target.into(),
        axes,
    }))
}

fn convert(call: &Call<'_>) -> Result<Expr<usize>> {
    let to = call
        .text("destination_type")?
        .ok_or_else(|| call.fail("the attribute destination_type is missing"))?;
    let to = match to {
        "boolean" => DType::Bool,
        _ => to
            .parse()
            .map_err(|_| Error::unsupported(format!("Convert to {to}")))?,
    };
    Ok(call.x(0)?.cast(to))
}

/// Rounding leaves whole numbers as they are.
fn whole(call: &Call<'_>, op: Op) -> Result<Expr<usize>> {
    call.step(if call.operand(0)?.dtype.is_float() {
        op
    } else {
        Op::IDENTITY
    })
}

fn round(call: &Call<'_>) -> Result<Expr<usize>> {
    match call.text("mode")?.unwrap_or("half_to_even") {
        "half_to_even" => whole(call, Op::ROUND),
        "half_away_from_zero" => whole(call, Op::ROUND_AWAY),
        mode => Err(call.fail(format!(
            "mode must be half_to_even or half_away_from_zero, not `{mode}`"
        ))),
    }
}

fn clamp(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let bound = |name: &str| {
        call.float(name)?
            .ok_or_else(|| call.fail(format!("the attribute {name} is missing")))
    };
    let (low, high) = (bound("min")?, bound("max")?);
    if low > high {
        return Err(call.fail(format!("min {low} is above max {high}")));
    }
    let (low, high) = if x.dtype.is_int() {
        (low.ceil(), high.floor())
    } else {
        (low, high)
    };
    Ok(x.expr
        .clip(Call::bound(x.dtype, low), Call::bound(x.dtype, high)))
}
