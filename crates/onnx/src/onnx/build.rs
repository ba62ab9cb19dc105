//! Expressions of operators that consist of several steps, or have attributes.

use crate::call::{Attr, Call, check_axes};
use zerostride::Op;
use zerostride::Rule;
use zerostride::{DType, DTypes};
use zerostride::{Error, Result};
use zerostride::{Expr, Gemm, Scalar};

use DType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

pub const N12: DTypes = DTypes::NUMERIC;
/// Without bf16.
pub const N11: DTypes = DTypes::INTS.or(F3);
pub const F3: DTypes = DTypes::of(&[F16, F32, F64]);

/// A step whose operands with defaults come from attributes of the same names.
pub fn parameters(call: &Call<'_>, op: Op) -> Result<Expr<usize>> {
    let names = &op.operands()[op.operands().len() - op.defaults().len()..];
    let mut operands = vec![call.x(0)?];
    for (name, default) in names.iter().zip(op.defaults()) {
        operands.push(Expr::literal(call.float(name)?.unwrap_or(*default)));
    }
    Ok(Expr::step(op, operands))
}

/// Selu. Before opset 6, its defaults have five digits.
pub fn selu(call: &Call<'_>) -> Result<Expr<usize>> {
    if !call.before(6) {
        return parameters(call, Op::SELU);
    }
    let number = |name, default: f32| -> Result<Expr<usize>> {
        Ok(Expr::literal(call.float(name)?.unwrap_or(default.into())))
    };
    let [alpha, gamma] = [number("alpha", 1.6732)?, number("gamma", 1.0507)?];
    Ok(Expr::step(Op::SELU, [call.x(0)?, alpha, gamma]))
}

pub fn gelu(call: &Call<'_>) -> Result<Expr<usize>> {
    match call.text("approximate")?.unwrap_or("none") {
        "none" => call.step(Op::GELU),
        "tanh" => call.step(Op::GELU_TANH),
        other => Err(call.fail(format!("approximate must be none or tanh, not `{other}`"))),
    }
}

/// swish(x, alpha) * y, for operands of one shape.
pub fn swiglu(call: &Call<'_>) -> Result<Expr<usize>> {
    let alpha = Expr::literal(call.float("alpha")?.unwrap_or(1.0));
    Ok(call
        .x(0)?
        .swish(&alpha)
        .mul(&call.x(1)?)
        .with_rule(Rule::None))
}

/// x + bias below -lambd, x - bias above lambd, else 0.
pub fn shrink(call: &Call<'_>) -> Result<Expr<usize>> {
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
        .greater(bound(lambd))
        .where_(x.expr.sub(number(bias)), number(0.0));
    Ok(wide
        .less(bound(-lambd))
        .where_(x.expr.add(number(bias)), &above))
}

pub fn modulo(call: &Call<'_>) -> Result<Expr<usize>> {
    let fmod = call.flag("fmod", false)?;
    let dtype = call.operand(0)?.dtype;
    if !fmod && dtype.is_float() && call.opset.is_some_and(|o| o < 28) {
        let reason = format!("before opset 28 fmod must be 1 for {dtype} operands");
        return Err(call.fail(reason));
    }
    call.step(if fmod { Op::FMOD } else { Op::MOD })
}

/// The result has the base's type. Operands of two types are computed in one that fits both.
pub fn pow(call: &Call<'_>) -> Result<Expr<usize>> {
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
pub fn gemm(call: &Call<'_>) -> Result<Expr<usize>> {
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

pub fn bit_shift(call: &Call<'_>) -> Result<Expr<usize>> {
    match call.text("direction")? {
        Some("LEFT") => call.step(Op::SHL),
        Some("RIGHT") => call.step(Op::SHR),
        Some(other) => Err(call.fail(format!("direction must be LEFT or RIGHT, not `{other}`"))),
        None => Err(call.fail("the attribute direction is missing")),
    }
}

/// Under rule Numpy, the slope is broadcast one way onto operand 0, aligned right.
pub fn prelu(call: &Call<'_>) -> Result<Expr<usize>> {
    let rule = match call.rule {
        Rule::Numpy => Rule::Unidirectional,
        other => other.clone(),
    };
    call.step(Op::PRELU).map(|x| x.with_rule(rule))
}

pub fn is_inf(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.x(0)?;
    let zero = || Expr::literal(0);
    Ok(
        match (
            call.flag("detect_negative", true)?,
            call.flag("detect_positive", true)?,
        ) {
            (true, true) => x.is_inf(),
            (true, false) => x.is_inf().logical_and(x.less(zero())),
            (false, true) => x.is_inf().logical_and(x.greater(zero())),
            (false, false) => x.less(&x),
        },
    )
}

pub fn clip(call: &Call<'_>) -> Result<Expr<usize>> {
    let x = call.operand(0)?;
    let old = call.opset.is_some_and(|o| o < 11);
    if old && call.operands.len() > 1 {
        return Err(call.fail("before opset 11 the bounds must be the attributes min and max"));
    }
    if !old && call.opset.is_some() && !call.attrs.is_empty() {
        return Err(call.fail("from opset 11 on the bounds must be operands 1 and 2"));
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

pub fn cast(call: &Call<'_>) -> Result<Expr<usize>> {
    Ok(call.x(0)?.cast(target(call)?))
}

pub fn bit_cast(call: &Call<'_>) -> Result<Expr<usize>> {
    Ok(call.x(0)?.bit_cast(target(call)?))
}

/// The element type that the attribute `to` names.
fn target(call: &Call<'_>) -> Result<DType> {
    Ok(match call.attrs.get("to") {
        Some(Attr::Str(name)) => name
            .parse()
            .map_err(|_| Error::unsupported(format!("{} to {name}", call.name)))?,
        _ => {
            let named = call.dtype_attr("to")?;
            named.ok_or_else(|| call.fail("the attribute `to` is missing"))?
        }
    })
}

pub fn cast_like(call: &Call<'_>) -> Result<Expr<usize>> {
    Ok(call.x(0)?.cast(call.operand(1)?.dtype))
}

pub fn expand(call: &Call<'_>) -> Result<Expr<usize>> {
    let target = call
        .places(1, "shape")?
        .ok_or_else(|| call.fail("the target shape is missing"))?;
    check_axes(target.len())?;
    Ok(call.x(0)?.expand(target))
}
