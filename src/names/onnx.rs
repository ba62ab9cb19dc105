//! ONNX. Element types by opset are those of its operator schemas.

use super::{Call, Name, Standard, Typed, quantize};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, Result};
use crate::expr::{Expr, Gemm, Scalar};
use crate::op::Op;
use crate::rule::Rule;

use DType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

const N12: DTypes = DTypes::NUMERIC;
/// Without bf16.
const N11: DTypes = DTypes::INTS.or(F3);
/// Without the integers of 1 and 2 bytes.
const N8: DTypes = N7.or(DTypes::FLOATS);
const N7: DTypes = DTypes::of(&[U32, U64, I32, I64]).or(F3);
const F4: DTypes = DTypes::FLOATS;
const F3: DTypes = DTypes::of(&[F16, F32, F64]);
const ANY: DTypes = DTypes::ANY;
const ANY12: DTypes = N11.or(DTypes::BOOL);

const ARITHMETIC: &[(u32, DTypes)] = &[(14, N12), (13, N8), (7, N7)];
const LARGEST: &[(u32, DTypes)] = &[(13, N12), (12, N11), (8, F3)];
const MEANS: &[(u32, DTypes)] = &[(13, F4), (8, F3)];
const ORDER: &[(u32, DTypes)] = &[(13, N12), (9, N11), (7, F3)];
const OR_EQUAL: &[(u32, DTypes)] = &[(16, N12), (12, N11)];
const LOGIC: &[(u32, DTypes)] = &[(7, DTypes::BOOL)];
const BITS: &[(u32, DTypes)] = &[(18, DTypes::INTS)];
const FLOATS: &[(u32, DTypes)] = &[(13, F4), (6, F3)];
const TRIG: &[(u32, DTypes)] = &[(22, F4), (7, F3)];
const HYPERBOLIC: &[(u32, DTypes)] = &[(22, F4), (9, F3)];
const ACTIVATION: &[(u32, DTypes)] = &[(22, F4), (1, F3)];
const MOVES: &[(u32, DTypes)] = &[(13, ANY), (6, ANY12)];

const fn step(
    name: &'static str,
    op: Op,
    operands: usize,
    versions: &'static [(u32, DTypes)],
) -> Name {
    Name::step(Standard::Onnx, name, op, (operands, operands), versions)
}

const fn variadic(name: &'static str, op: Op, versions: &'static [(u32, DTypes)]) -> Name {
    Name::step(Standard::Onnx, name, op, (1, usize::MAX), versions)
}

const TO: (&str, &str) = (
    "to",
    "the element type, as a number of TensorProto.DataType or a name",
);
const FLOAT8: &[(&str, &str)] = &[
    TO,
    ("saturate", "float8 only"),
    ("round_mode", "float8 only"),
];

/// The rows.
pub(super) static TABLE: &[Name] = &[
    step("Add", Op::ADD, 2, ARITHMETIC),
    step("Sub", Op::SUB, 2, ARITHMETIC),
    step("Mul", Op::MUL, 2, ARITHMETIC),
    step("Div", Op::DIV, 2, ARITHMETIC),
    step("Mod", Op::MOD, 2, &[(13, N12), (10, N11)])
        .attrs(&[(
            "fmod",
            "0 (default): the sign of the divisor; 1: the sign of the dividend",
        )])
        .with(modulo),
    step(
        "Pow",
        Op::POW,
        2,
        &[(13, F4.or(POW_INTS)), (12, F3.or(POW_INTS)), (7, F3)],
    )
    .typed(Typed::First)
    .with(pow),
    variadic("Max", Op::MAX_N, LARGEST),
    variadic("Min", Op::MIN_N, LARGEST),
    variadic("Sum", Op::ADD_N, MEANS),
    variadic("Mean", Op::MEAN_N, MEANS),
    step(
        "Equal",
        Op::EQUAL,
        2,
        &[
            (13, ANY),
            (11, ANY12),
            (7, DTypes::of(&[DType::Bool, I32, I64])),
        ],
    ),
    step("Greater", Op::GREATER, 2, ORDER),
    step("Less", Op::LESS, 2, ORDER),
    step("GreaterOrEqual", Op::GREATER_OR_EQUAL, 2, OR_EQUAL),
    step("LessOrEqual", Op::LESS_OR_EQUAL, 2, OR_EQUAL),
    step("And", Op::AND, 2, LOGIC),
    step("Or", Op::OR, 2, LOGIC),
    step("Xor", Op::XOR, 2, LOGIC),
    step("Not", Op::NOT, 1, &[(1, DTypes::BOOL)]),
    step("BitwiseAnd", Op::BIT_AND, 2, BITS),
    step("BitwiseOr", Op::BIT_OR, 2, BITS),
    step("BitwiseXor", Op::BIT_XOR, 2, BITS),
    step("BitwiseNot", Op::BIT_NOT, 1, BITS),
    step(
        "BitShift",
        Op::SHL,
        2,
        &[(28, DTypes::INTS), (11, DTypes::UNSIGNED_INTS)],
    )
    .attrs(&[("direction", "LEFT or RIGHT")])
    .with(bit_shift),
    step("Where", Op::WHERE, 3, &[(16, ANY), (9, ANY12)]).typed(Typed::Select),
    step(
        "PRelu",
        Op::PRELU,
        2,
        &[(16, F4.or(WIDE_INTS)), (9, N7), (7, F3)],
    )
    .with(prelu),
    Name::step(
        Standard::Onnx,
        "Gemm",
        Op::MUL,
        (2, 3),
        &[(13, F4.or(WIDE_INTS)), (9, N7), (7, F3)],
    )
    .attrs(&[
        ("alpha", "1"),
        ("beta", "1"),
        ("transA", "0"),
        ("transB", "0"),
    ])
    .with(gemm),
    step(
        "Neg",
        Op::NEG,
        1,
        &[
            (13, F4.or(DTypes::SIGNED_INTS)),
            (6, F3.or(DTypes::SIGNED_INTS)),
        ],
    ),
    step("Abs", Op::ABS, 1, &[(13, N12), (6, N11)]),
    step("Sign", Op::SIGN, 1, &[(13, N12), (9, N11)]),
    step("Sqrt", Op::SQRT, 1, FLOATS),
    step("Exp", Op::EXP, 1, FLOATS),
    step("Log", Op::LOG, 1, FLOATS),
    step("Tanh", Op::TANH, 1, FLOATS),
    step("Sigmoid", Op::SIGMOID, 1, FLOATS),
    step("Sin", Op::SIN, 1, TRIG),
    step("Cos", Op::COS, 1, TRIG),
    step("Tan", Op::TAN, 1, TRIG),
    step("Asin", Op::ASIN, 1, TRIG),
    step("Acos", Op::ACOS, 1, TRIG),
    step("Atan", Op::ATAN, 1, TRIG),
    step("Sinh", Op::SINH, 1, HYPERBOLIC),
    step("Cosh", Op::COSH, 1, HYPERBOLIC),
    step("Asinh", Op::ASINH, 1, HYPERBOLIC),
    step("Acosh", Op::ACOSH, 1, HYPERBOLIC),
    step("Atanh", Op::ATANH, 1, HYPERBOLIC),
    step("Erf", Op::ERF, 1, &[(13, F4), (9, F3)]),
    step("Softplus", Op::SOFTPLUS, 1, ACTIVATION),
    step("Softsign", Op::SOFTSIGN, 1, ACTIVATION),
    step("Mish", Op::MISH, 1, &[(22, F4), (18, F3)]),
    step("HardSwish", Op::HARD_SWISH, 1, &[(22, F4), (14, F3)]),
    step("Gelu", Op::GELU, 1, &[(20, F4)])
        .attrs(&[("approximate", "none (default): by the error function; tanh")])
        .with(gelu),
    step("LeakyRelu", Op::LEAKY_RELU, 1, &[(16, F4), (6, F3)])
        .attrs(&[("alpha", "0.01")])
        .with(|call| parameters(call, Op::LEAKY_RELU)),
    step(
        "ThresholdedRelu",
        Op::THRESHOLDED_RELU,
        1,
        &[(22, F4), (10, F3)],
    )
    .attrs(&[("alpha", "1")])
    .with(|call| parameters(call, Op::THRESHOLDED_RELU)),
    step("Elu", Op::ELU, 1, ACTIVATION)
        .attrs(&[("alpha", "1")])
        .with(|call| parameters(call, Op::ELU)),
    step("Celu", Op::CELU, 1, &[(28, F4), (12, DTypes::of(&[F32]))])
        .attrs(&[("alpha", "1")])
        .with(|call| parameters(call, Op::CELU)),
    step("Selu", Op::SELU, 1, ACTIVATION)
        .attrs(&[("alpha", "1.6732632"), ("gamma", "1.050701")])
        .with(|call| parameters(call, Op::SELU)),
    step("HardSigmoid", Op::HARD_SIGMOID, 1, ACTIVATION)
        .attrs(&[("alpha", "0.2"), ("beta", "0.5")])
        .with(|call| parameters(call, Op::HARD_SIGMOID)),
    step("Swish", Op::SWISH, 1, &[(24, F4)])
        .attrs(&[("alpha", "1")])
        .with(|call| parameters(call, Op::SWISH)),
    step("SwiGLU", Op::SWISH, 2, &[(28, F4)])
        .attrs(&[("alpha", "1")])
        .with(swiglu),
    step("Shrink", Op::WHERE, 1, &[(9, N11)])
        .attrs(&[("lambd", "0.5"), ("bias", "0")])
        .with(shrink),
    step("Reciprocal", Op::RECIPROCAL, 1, FLOATS),
    step(
        "Relu",
        Op::RELU,
        1,
        &[(14, F4.or(DTypes::SIGNED_INTS)), (13, F4), (6, F3)],
    ),
    step("Floor", Op::FLOOR, 1, FLOATS),
    step("Ceil", Op::CEIL, 1, FLOATS),
    step("Round", Op::ROUND, 1, &[(22, F4), (11, F3)]),
    step("IsNaN", Op::IS_NAN, 1, &[(13, F4), (9, F3)]),
    step(
        "IsInf",
        Op::IS_INF,
        1,
        &[(20, F4), (10, DTypes::of(&[F32, F64]))],
    )
    .attrs(&[
        ("detect_negative", "1 (default): of -inf too"),
        ("detect_positive", "1 (default): of +inf too"),
    ])
    .with(is_inf),
    Name::step(
        Standard::Onnx,
        "Clip",
        Op::CLIP,
        (1, 3),
        &[(13, N12), (12, N11), (6, F3)],
    )
    .attrs(&[
        ("min", "before opset 11: the lower bound"),
        ("max", "before opset 11: the upper bound"),
    ])
    .with(clip),
    Name::step(
        Standard::Onnx,
        "QuantizeLinear",
        Op::CAST,
        (2, 3),
        &[(10, F4.or(DTypes::of(&[I32])))],
    )
    .typed(Typed::First)
    .attrs(quantize::ATTRS)
    .with(quantize::quantize),
    Name::step(
        Standard::Onnx,
        "DequantizeLinear",
        Op::CAST,
        (2, 3),
        &[(10, quantize::QUANTISED.or(DTypes::of(&[I32])))],
    )
    .typed(Typed::First)
    .attrs(quantize::ATTRS)
    .with(quantize::dequantize),
    step("Identity", Op::IDENTITY, 1, &[(13, ANY), (1, ANY12)]),
    step("Cast", Op::CAST, 1, MOVES).attrs(FLOAT8).with(cast),
    step("BitCast", Op::BIT_CAST, 1, &[(26, ANY)])
        .attrs(&[TO])
        .with(bit_cast),
    step("CastLike", Op::CAST, 2, &[(15, ANY)])
        .typed(Typed::First)
        .attrs(FLOAT8)
        .with(cast_like),
    Name::step(
        Standard::Onnx,
        "Expand",
        Op::IDENTITY,
        (1, 2),
        &[(13, ANY), (8, ANY12)],
    )
    .typed(Typed::First)
    .attrs(&[("shape", "the target shape, where it is not operand 1")])
    .with(expand),
];

const POW_INTS: DTypes = DTypes::of(&[I32, I64]);
const WIDE_INTS: DTypes = DTypes::of(&[U32, U64, I32, I64]);

/// A step whose operands with defaults are attributes of the same names.
fn parameters(call: &Call<'_>, op: Op) -> Result<Expr<usize>> {
    let names = &op.operands()[op.operands().len() - op.defaults().len()..];
    let mut operands = vec![call.x(0)?];
    for (name, default) in names.iter().zip(op.defaults()) {
        operands.push(Expr::literal(call.float(name)?.unwrap_or(*default)));
    }
    Ok(Expr::step(op, operands))
}

fn gelu(call: &Call<'_>) -> Result<Expr<usize>> {
    match call.text("approximate")?.unwrap_or("none") {
        "none" => call.step(Op::GELU),
        "tanh" => call.step(Op::GELU_TANH),
        other => Err(call.fail(format!("approximate is none or tanh, not `{other}`"))),
    }
}

/// swish(x, alpha) * y, of one shape.
fn swiglu(call: &Call<'_>) -> Result<Expr<usize>> {
    let alpha = Expr::literal(call.float("alpha")?.unwrap_or(1.0));
    Ok(call
        .x(0)?
        .swish(&alpha)
        .mul(&call.x(1)?)
        .with_rule(Rule::None))
}

/// x + bias below -lambd, x - bias above lambd, else 0.
fn shrink(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let number = |value: f64| Expr::scalar(Scalar::of(x.dtype, value));
    let (lambd, bias) = (
        call.float("lambd")?.unwrap_or(0.5),
        call.float("bias")?.unwrap_or(0.0),
    );
    // Compared as f32, so that a fraction is one for whole numbers too.
    let wide = if x.dtype.is_float() {
        x.expr.clone()
    } else {
        x.expr.cast(F32)
    };
    let bound = |value: f64| {
        if x.dtype.is_float() {
            number(value)
        } else {
            Expr::scalar(value as f32)
        }
    };
    let above = wide
        .greater(&bound(lambd))
        .select_by(&x.expr.sub(&number(bias)), &number(0.0));
    Ok(wide
        .less(&bound(-lambd))
        .select_by(&x.expr.add(&number(bias)), &above))
}

fn modulo(call: &Call<'_>) -> Result<Expr<usize>> {
    let fmod = call.flag("fmod", false)?;
    let dtype = call.operand(0)?.dtype;
    if !fmod && dtype.is_float() && call.opset.is_some_and(|o| o < 28) {
        let reason = format!("before opset 28 fmod must be 1 for {dtype} operands");
        return Err(call.fail(reason));
    }
    call.step(if fmod { Op::FMOD } else { Op::MOD })
}

/// The result has the base's type. Where the types differ, the power is computed in one that holds
/// both.
fn pow(call: &Call<'_>) -> Result<Expr<usize>> {
    let (x, y) = (call.operand(0)?, call.operand(1)?);
    let accepts = match call.opset {
        Some(..12) => DTypes::of(&[x.dtype]),
        Some(12) => N11,
        _ => N12,
    };
    if !accepts.contains(y.dtype) {
        let (op, accepts) = (call.name.into(), accepts.to_string());
        return Err(Error::DType {
            op,
            operand: 1,
            dtype: y.dtype,
            accepts,
        });
    }
    let both = match (x.dtype, y.dtype) {
        (a, b) if a == b => a,
        (F64, _) | (_, F64) => F64,
        (a, b) if a.is_float() || b.is_float() => F32,
        // Whole numbers wrap, so an unsigned exponent is computed with the base's bits.
        (I64, b) | (_, b @ (U64 | I64)) => {
            if b.is_signed() {
                I64
            } else {
                U64
            }
        }
        (_, U8 | U16 | U32) => U32,
        (a, I8 | I16 | I32) => a,
        (a, _) => a,
    };
    let to =
        |x: &Expr<usize>, from: DType, to: DType| if from == to { x.clone() } else { x.cast(to) };
    if x.dtype.is_int() && y.dtype.is_float() {
        // A whole exponent gives a whole number, exactly; any other is truncated.
        let ints = to(&y.expr, y.dtype, x.dtype);
        let exact = Expr::step(Op::POW, [x.expr.clone(), ints]).with_rule(call.own_rule()?);
        let floats = [x.expr.cast(both), to(&y.expr, y.dtype, both)];
        let rounded = Expr::step(Op::POW, floats)
            .with_rule(call.own_rule()?)
            .cast(x.dtype);
        let whole = y.expr.floor().equal(&y.expr);
        return Ok(Expr::step(Op::WHERE, [whole, exact, rounded]));
    }
    let power = Expr::step(
        Op::POW,
        [to(&x.expr, x.dtype, both), to(&y.expr, y.dtype, both)],
    )
    .with_rule(call.own_rule()?);
    Ok(to(&power, both, x.dtype))
}

/// C is broadcast one way onto the product, whatever the call's rule.
fn gemm(call: &Call<'_>) -> Result<Expr<usize>> {
    let factor = |name: &str| -> Result<f64> { Ok(call.float(name)?.unwrap_or(1.0)) };
    let gemm = Gemm::new()
        .alpha(factor("alpha")?)
        .beta(factor("beta")?)
        .trans_a(call.flag("transA", false)?)
        .trans_b(call.flag("transB", false)?);
    let c = call.optional(2).map(|c| &c.expr);
    Ok(Expr::gemm(
        &call.x(0)?,
        &call.x(1)?,
        c,
        call.operand(0)?.dtype,
        &gemm,
    ))
}

fn bit_shift(call: &Call<'_>) -> Result<Expr<usize>> {
    match call.text("direction")? {
        Some("LEFT") => call.step(Op::SHL),
        Some("RIGHT") => call.step(Op::SHR),
        Some(other) => Err(call.fail(format!("direction is LEFT or RIGHT, not `{other}`"))),
        None => Err(call.fail("the attribute direction is missing")),
    }
}

/// The slope is broadcast one way onto operand 0, aligned right.
fn prelu(call: &Call<'_>) -> Result<Expr<usize>> {
    let rule = match call.rule {
        Rule::Numpy => Rule::Unidirectional,
        other => other.clone(),
    };
    call.step(Op::PRELU).map(|x| x.with_rule(rule))
}

pub(super) fn is_inf(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.x(0)?;
    let zero = || Expr::literal(0);
    Ok(
        match (
            call.flag("detect_negative", true)?,
            call.flag("detect_positive", true)?,
        ) {
            (true, true) => x.is_inf(),
            (true, false) => x.is_inf().logical_and(&x.less(&zero())),
            (false, true) => x.is_inf().logical_and(&x.greater(&zero())),
            (false, false) => x.less(&x),
        },
    )
}

fn clip(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let old = call.opset.is_some_and(|o| o < 11);
    if old && call.operands.len() > 1 {
        return Err(call.fail("before opset 11 the bounds are the attributes min and max"));
    }
    if !old && call.opset.is_some() && !call.attrs.is_empty() {
        return Err(call.fail("from opset 11 on the bounds are operands 1 and 2"));
    }
    let bound = |i: usize, attr: &str| match call.scalar(i)? {
        Some(scalar) => Ok(Some(scalar)),
        None => call.float(attr).map(|b| b.map(|b| Call::bound(x.dtype, b))),
    };
    Ok(match (bound(1, "min")?, bound(2, "max")?) {
        (Some(low), Some(high)) => x.expr.clip(&low, &high),
        (Some(low), None) => x.expr.maximum(&low),
        (None, Some(high)) => x.expr.minimum(&high),
        (None, None) => x.expr.identity(),
    })
}

fn cast(call: &Call<'_>) -> Result<Expr<usize>> {
    Ok(call.x(0)?.cast(target(call)?))
}

fn bit_cast(call: &Call<'_>) -> Result<Expr<usize>> {
    Ok(call.x(0)?.bit_cast(target(call)?))
}

/// The element type that the attribute `to` names.
fn target(call: &Call<'_>) -> Result<DType> {
    Ok(match call.attrs.get("to") {
        Some(super::Attr::Str(name)) => name
            .parse()
            .map_err(|_| Error::unsupported(format!("{} to {name}", call.name)))?,
        _ => {
            let code = call
                .int("to")?
                .ok_or_else(|| call.fail("the attribute `to` is missing"))?;
            let known = i32::try_from(code).ok().and_then(DType::from_onnx);
            known.ok_or_else(|| match code {
                1..=26 => {
                    Error::unsupported(format!("{} to TensorProto.DataType {code}", call.name))
                }
                _ => call.fail(format!("to = {code} is no TensorProto.DataType")),
            })?
        }
    })
}

pub(super) fn cast_like(call: &Call<'_>) -> Result<Expr<usize>> {
    Ok(call.x(0)?.cast(call.operand(1)?.dtype))
}

fn expand(call: &Call<'_>) -> Result<Expr<usize>> {
    let target = call
        .places(1, "shape")?
        .ok_or_else(|| call.fail("the target shape is missing"))?;
    Ok(call.x(0)?.expand(target))
}
