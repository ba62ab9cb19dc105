//! Rows: functions of one float, and rounding.

/// The list; see [`super::arith`] for the notation.
macro_rules! math_ops {
    ($each:ident) => {
        $each! {
            /// Square root; NaN below 0.
            SQRT sqrt "sqrt" (x) Same(DTypes::FLOATS) [leaves] {
                f "precise_sqrt(x)" fast "sqrt(x)" = x.sqrt();
                n "sqrt(x)" = x.sqrt();
            }
            /// e to the power `x`.
            EXP exp "exp" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_exp(x)" fast "exp(x)" = f64::from(x).exp() as f32;
                n "double_exp(x)" = x.exp();
            }
            /// Natural logarithm; NaN below 0, negative infinity at 0.
            LOG log "log" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_log(x)" fast "log(x)" = f64::from(x).ln() as f32;
                n "double_log(x)" = x.ln();
            }
            /// Hyperbolic tangent.
            TANH tanh "tanh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_tanh(x)" fast "tanh(x)" = f64::from(x).tanh() as f32;
                n "double_tanh(x)" = x.tanh();
            }
            /// 1 / (1 + exp(-x)).
            SIGMOID sigmoid "sigmoid" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_sigmoid(x)" fast "vec4<f32>(1.0) / (vec4<f32>(1.0) + exp(-x))" = sigmoid(x);
                n "double_sigmoid(x)" = sigmoid_d(x);
            }
            /// `x` where it is positive, else 0; a NaN stays one.
            RELU relu "relu" (x) Same(DTypes::FLOATS.or(DTypes::SIGNED_INTS)) [] {
                i "max(x, vec4<i32>(0i))" = x.max(0);
                f "relu_f(x)" = if x <= 0.0 { 0.0 } else { x };
                q "select_64(x, small_64(0u), negative_64(x))" = x.max(0);
                d "relu_f64(x)" = if x <= 0.0 { 0.0 } else { x };
            }
            /// 1 / x.
            RECIPROCAL reciprocal "reciprocal" (x) Same(DTypes::FLOATS) [leaves] {
                f "vec4<f32>(1.0) / x" = 1.0 / x;
                n "vec4<f64>(1.0lf) / x" = 1.0 / x;
            }
            /// The whole number below.
            FLOOR floor "floor" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, floor_f(x))" = x.floor();
                n "double_floor(x)" = x.floor();
            }
            /// The whole number above.
            CEIL ceil "ceil" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, ceil_f(x))" = x.ceil();
                n "double_ceil(x)" = x.ceil();
            }
            /// The nearest whole number, halves to even.
            ROUND round "round" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, round(x))" = x.round_ties_even();
                n "double_round(x)" = x.round_ties_even();
            }
            /// -1, 0 or 1 by the operand's sign, 0 of both zeros; NaN stays NaN.
            SIGN sign "sign" (x) Same(DTypes::NUMERIC) [] {
                u "min(x, vec4<u32>(1u))" = x.min(1);
                i "sign(x)" = x.signum();
                f "sign_f(x)" = sign(x.into()) as f32;
                p "Pair(one_where(!zero_64(x)), vec4<u32>(0u))" = x.min(1);
                q "sign_i64(x)" = x.signum();
                d "sign_f64(x)" = sign(x);
            }
            /// 2 to the power `x`.
            EXP2 exp2 "exp2" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_exp2(x)" fast "exp2(x)" = f64::from(x).exp2() as f32;
                n "double_exp2(x)" = x.exp2();
            }
            /// exp(x) - 1, accurate near 0.
            EXPM1 expm1 "expm1" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_expm1(x)" = f64::from(x).exp_m1() as f32;
                n "double_expm1(x)" = x.exp_m1();
            }
            /// Logarithm to base 2.
            LOG2 log2 "log2" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_log2(x)" fast "log2(x)" = f64::from(x).log2() as f32;
                n "double_log2(x)" = x.log2();
            }
            /// Logarithm to base 10.
            LOG10 log10 "log10" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_log10(x)" = f64::from(x).log10() as f32;
                n "double_log10(x)" = x.log10();
            }
            /// log(1 + x), accurate near 0.
            LOG1P log1p "log1p" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_log1p(x)" = f64::from(x).ln_1p() as f32;
                n "double_log1p(x)" = x.ln_1p();
            }
            /// Sine of an angle in radians.
            SIN sin "sin" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_sin(x)" fast "sin(x)" = f64::from(x).sin() as f32;
                n "double_sin(x)" = libm::sin(x);
            }
            /// Cosine of an angle in radians.
            COS cos "cos" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_cos(x)" fast "cos(x)" = f64::from(x).cos() as f32;
                n "double_cos(x)" = libm::cos(x);
            }
            /// Tangent of an angle in radians.
            TAN tan "tan" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_tan(x)" fast "tan(x)" = f64::from(x).tan() as f32;
                n "double_tan(x)" = libm::tan(x);
            }
            /// Inverse sine; NaN outside -1 to 1.
            ASIN asin "asin" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_asin(x)" fast "asin(x)" = f64::from(x).asin() as f32;
                n "double_asin(x)" = x.asin();
            }
            /// Inverse cosine; NaN outside -1 to 1.
            ACOS acos "acos" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_acos(x)" fast "acos(x)" = f64::from(x).acos() as f32;
                n "double_acos(x)" = x.acos();
            }
            /// Inverse tangent.
            ATAN atan "atan" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_atan(x)" fast "atan(x)" = f64::from(x).atan() as f32;
                n "double_atan(x)" = x.atan();
            }
            /// Hyperbolic sine.
            SINH sinh "sinh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_sinh(x)" fast "sinh(x)" = f64::from(x).sinh() as f32;
                n "double_sinh(x)" = x.sinh();
            }
            /// Hyperbolic cosine.
            COSH cosh "cosh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_cosh(x)" fast "cosh(x)" = f64::from(x).cosh() as f32;
                n "double_cosh(x)" = x.cosh();
            }
            /// Inverse hyperbolic sine.
            ASINH asinh "asinh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_asinh(x)" fast "asinh(x)" = f64::from(x).asinh() as f32;
                n "double_asinh(x)" = libm::asinh(x);
            }
            /// Inverse hyperbolic cosine; NaN below 1.
            ACOSH acosh "acosh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_acosh(x)" fast "acosh(x)" = f64::from(x).acosh() as f32;
                n "double_acosh(x)" = if x < 1.0 { f64::NAN } else { libm::acosh(x) };
            }
            /// Inverse hyperbolic tangent; NaN outside -1 to 1.
            ATANH atanh "atanh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_atanh(x)" fast "atanh(x)" = f64::from(x).atanh() as f32;
                n "double_atanh(x)" = libm::atanh(x);
            }
            /// The error function.
            ERF erf "erf" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_erf(x)" = libm::erf(f64::from(x)) as f32;
                n "double_erf(x)" = libm::erf(x);
            }
            /// log(1 + exp(x)).
            SOFTPLUS softplus "softplus" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_softplus(x)" = softplus(f64::from(x)) as f32;
                n "double_softplus(x)" = softplus(x);
            }
            /// x times the normal distribution function of x.
            GELU gelu "gelu" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_gelu(x)" = gelu(f64::from(x)) as f32;
                n "double_gelu(x)" = gelu(x);
            }
            /// x times the normal distribution function of x, by ONNX's approximation with tanh.
            GELU_TANH gelu_tanh "gelu_tanh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_gelu_tanh(x)" = gelu_tanh(f64::from(x)) as f32;
                n "double_gelu_tanh(x)" = gelu_tanh(x);
            }
            /// x * tanh(softplus(x)).
            MISH mish "mish" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_mish(x)" = mish(f64::from(x)) as f32;
                n "double_mish(x)" = mish(x);
            }
            /// x / (1 + |x|).
            SOFTSIGN softsign "softsign" (x) Same(DTypes::FLOATS) [leaves] {
                f "softsign_f(x)" = softsign(f64::from(x)) as f32;
                n "double_softsign(x)" = softsign(x);
            }
            /// x * max(0, min(1, x / 6 + 0.5)).
            HARD_SWISH hard_swish "hard_swish" (x) Same(DTypes::FLOATS) [leaves] {
                f "hard_swish_f(x)" = hard_swish(f64::from(x)) as f32;
                n "double_hard_swish(x)" = hard_swish(x);
            }
            /// max(0, min(1, alpha * x + beta)).
            HARD_SIGMOID hard_sigmoid "hard_sigmoid" (x, alpha = 0.2, beta = 0.5) Same(DTypes::FLOATS) [leaves] {
                f "clip_f(alpha * x + beta, vec4<f32>(0.0), vec4<f32>(1.0))" = clip_f(alpha * x + beta, 0.0, 1.0);
                n "double_hard_sigmoid(x, alpha, beta)" = clip_f(alpha * x + beta, 0.0, 1.0);
            }
            /// x where it is not negative, else alpha * x.
            LEAKY_RELU leaky_relu "leaky_relu" (x, alpha = 0.01) Same(DTypes::FLOATS) [leaves] {
                f "select(x, alpha * x, below_zero_f(x))" = if x < 0.0 { alpha * x } else { x };
                n "select(x, alpha * x, x < vec4<f64>(0.0lf))" = if x < 0.0 { alpha * x } else { x };
            }
            /// x above alpha, else 0; a NaN stays one.
            THRESHOLDED_RELU thresholded_relu "thresholded_relu" (x, alpha = 1.0) Same(DTypes::FLOATS) [] {
                f "select(vec4<f32>(0.0), x, less_f(alpha, x) | is_nan_f(x))" = if x > alpha || x.is_nan() { x } else { 0.0 };
                n "double_threshold(x, alpha)" = if x > alpha || x.is_nan() { x } else { 0.0 };
            }
            /// x where it is not negative, else alpha * (exp(x) - 1).
            ELU elu "elu" (x, alpha = 1.0) Same(DTypes::FLOATS) [leaves heavy] {
                f "select(x, alpha * precise_expm1(x), below_zero_f(x))" = elu(x, alpha);
                n "select(x, alpha * double_expm1(x), x < vec4<f64>(0.0lf))" = elu_d(x, alpha);
            }
            /// gamma * x where x is not negative, else gamma * alpha * (exp(x) - 1).
            SELU selu "selu" (x, alpha = 1.673_263_192_176_818_8, gamma = 1.050_701_022_148_132_3) Same(DTypes::FLOATS) [leaves heavy] {
                f "gamma * select(x, alpha * precise_expm1(x), below_zero_f(x))" = gamma * elu(x, alpha);
                n "gamma * select(x, alpha * double_expm1(x), x < vec4<f64>(0.0lf))" = gamma * elu_d(x, alpha);
            }
            /// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
            CELU celu "celu" (x, alpha = 1.0) Same(DTypes::FLOATS) [leaves heavy] {
                f "select(x, alpha * precise_expm1(x / alpha), below_zero_f(x))" = if x < 0.0 { alpha * (f64::from(x / alpha).exp_m1() as f32) } else { x };
                n "select(x, alpha * double_expm1(x / alpha), x < vec4<f64>(0.0lf))" = if x < 0.0 { alpha * (x / alpha).exp_m1() } else { x };
            }
            /// x * sigmoid(alpha * x).
            SWISH swish "swish" (x, alpha = 1.0) Same(DTypes::FLOATS) [leaves heavy] {
                f "swish_f(x, alpha * x)" = swish(x, alpha * x);
                n "double_swish(x, alpha * x)" = swish_d(x, alpha * x);
            }
            /// The whole number nearer to 0.
            TRUNC trunc "trunc" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, trunc(x))" = x.trunc();
                n "double_trunc(x)" = x.trunc();
            }
            /// The nearest whole number, halves away from 0.
            ROUND_AWAY round_away "round_away" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, round_away_f(x))" = x.round();
                n "double_round_away(x)" = x.round();
            }
        }
    };
}
pub(crate) use math_ops;

/// -1, 0 or 1; NaN stays NaN.
pub(super) fn sign(x: f64) -> f64 {
    match x {
        _ if x.is_nan() => x,
        _ if x == 0.0 => 0.0,
        _ => x.signum(),
    }
}

/// The logistic function, rounded once.
pub(super) fn sigmoid(x: f32) -> f32 {
    (1.0 / (1.0 + (-f64::from(x)).exp())) as f32
}

/// The logistic function of a double.
pub(super) fn sigmoid_d(x: f64) -> f64 {
    if x < 0.0 {
        x.exp() / (1.0 + x.exp())
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

/// log(1 + exp(x)), from the side that does not overflow.
pub(super) fn softplus(x: f64) -> f64 {
    if x.is_nan() {
        x
    } else {
        x.max(0.0) + (-x.abs()).exp().ln_1p()
    }
}

/// x times the normal distribution function of x; accurate in the far tail.
pub(super) fn gelu(x: f64) -> f64 {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
    if x < -40.0 {
        return -0.0;
    }
    if x < -36.0 {
        // -exp(-x^2 / 2) / sqrt(2 pi) (1 - 1/x^2 + 3/x^4 - 15/x^6 ...); the last product alone may
        // be subnormal.
        let square = x * x;
        let lost = x.mul_add(x, -square);
        let series = (1..9)
            .rev()
            .fold(1.0, |sum, n| 1.0 - f64::from(2 * n - 1) / square * sum);
        let half = (-square / 4.0).exp();
        return -(half * series * (1.0 - lost / 2.0) * (FRAC_1_SQRT_2 * FRAC_2_SQRT_PI / 2.0))
            * half;
    }
    // The rounding of the argument matters in the tail: erfc there has a slope of twice its
    // argument.
    let t = -x * FRAC_1_SQRT_2;
    let lost = (-x).mul_add(FRAC_1_SQRT_2, -t) + x * 4.833_646_656_726_457e-17;
    let slope = -FRAC_2_SQRT_PI * (-t * t).exp();
    let correction = if lost.is_finite() { slope * lost } else { 0.0 };
    0.5 * x * (libm::erfc(t) + correction)
}

/// ONNX's approximation of gelu: x * sigmoid(2 u) with u = sqrt(2 / pi) * (x + 0.044715 x^3).
pub(super) fn gelu_tanh(x: f64) -> f64 {
    // -2 u = x (A + B x^2) with A and B in two parts each: in the tail the rounding of u would be
    // all that is seen.
    const A: (f64, f64) = (-1.595_769_121_605_730_8, 9.969_308_809_110_92e-17);
    const B: (f64, f64) = (-0.071_354_816_272_600_25, 6.175_149_918_155_315e-19);
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    let product = |a: f64, b: f64| (a * b, a.mul_add(b, -(a * b)));
    let (square, below) = product(x, x);
    let (cubic, lost) = product(B.0, square);
    let sum = A.0 + cubic;
    let (large, small) = if cubic.abs() > A.0.abs() {
        (cubic, A.0)
    } else {
        (A.0, cubic)
    };
    let rest = (small - (sum - large)) + lost + B.0 * below + B.1 * square + A.1;
    let (z, lost) = product(x, sum);
    let low = lost + x * rest;
    if !low.is_finite() || z <= -40.0 {
        return if z > 0.0 { -0.0 } else { x };
    }
    // Beyond the range of exp, 1 counts for nothing beside it.
    let half = (-z / 2.0).exp();
    if z > 700.0 {
        x * half * (1.0 - low) * half
    } else {
        x / (1.0 + z.exp() * (1.0 + low))
    }
}

/// x * tanh(log(1 + exp(x))).
pub(super) fn mish(x: f64) -> f64 {
    match x {
        _ if x == f64::NEG_INFINITY => -0.0,
        // exp(x) alone may be subnormal where the product is not.
        _ if x < -700.0 => x * (x / 2.0).exp() * (x / 2.0).exp(),
        _ => x * softplus(x).tanh(),
    }
}

/// x / (1 + |x|).
pub(super) fn softsign(x: f64) -> f64 {
    if x.is_infinite() {
        x.signum()
    } else {
        x / (1.0 + x.abs())
    }
}

/// x * max(0, min(1, x / 6 + 0.5)).
pub(super) fn hard_swish(x: f64) -> f64 {
    match x {
        _ if x >= 3.0 => x,
        _ if x <= -3.0 => -0.0,
        _ => x * (x + 3.0) / 6.0,
    }
}

/// x where it is not negative, else alpha * (exp(x) - 1).
pub(super) fn elu(x: f32, alpha: f32) -> f32 {
    if x < 0.0 {
        alpha * (f64::from(x).exp_m1() as f32)
    } else {
        x
    }
}

/// [`elu`] of a double.
pub(super) fn elu_d(x: f64, alpha: f64) -> f64 {
    if x < 0.0 { alpha * x.exp_m1() } else { x }
}

/// [`swish`] of a double.
pub(super) fn swish_d(x: f64, z: f64) -> f64 {
    if z == f64::NEG_INFINITY && !x.is_nan() && x != 0.0 {
        return 0f64.copysign(x);
    }
    // exp(z) alone may be subnormal where the product is not.
    if z < -700.0 {
        x * (z / 2.0).exp() * (z / 2.0).exp()
    } else {
        x * sigmoid_d(z)
    }
}

/// x * sigmoid(z), rounded once; 0 where sigmoid is.
pub(super) fn swish(x: f32, z: f32) -> f32 {
    if z == f32::NEG_INFINITY && !x.is_nan() && x != 0.0 {
        return 0f32.copysign(x);
    }
    (f64::from(x) / (1.0 + (-f64::from(z)).exp())) as f32
}
