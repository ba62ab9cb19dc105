//! Rows: functions of floats, and rounding.

/// The list; see [`super::arith`] for the notation.
macro_rules! math_ops {
    ($each:ident) => {
        $each! {
            /// Square root; NaN below 0.
            SQRT sqrt "sqrt" (x) Same(DTypes::FLOATS)
            [function(Ulps(5), Monotone, Cheap, Unary(|g, _, r| 0.5 * g / r))] {
                f32: "precise_sqrt(x)" fast "sqrt(x)" = x.sqrt();
                native: "double_sqrt(x)" = x.sqrt();
            }
            /// e to the power `x`.
            EXP exp "exp" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, _, r| g * r))] {
                f32: "precise_exp(x)" fast "exp(x)" = f64::from(x).exp() as f32;
                native: "double_exp(x)" = x.exp();
            }
            /// Natural logarithm; NaN below 0, negative infinity at 0.
            LOG log "log" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / x))] {
                f32: "precise_log(x)" fast "log(x)" = f64::from(x).ln() as f32;
                native: "double_log(x)" = x.ln();
            }
            /// Hyperbolic tangent.
            TANH tanh "tanh" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, _, r| g * (1.0 - r.square())))] {
                f32: "precise_tanh(x)" fast "tanh(x)" = f64::from(x).tanh() as f32;
                native: "double_tanh(x)" = x.tanh();
            }
            /// 1 / (1 + exp(-x)).
            SIGMOID sigmoid "sigmoid" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, _, r| g * (r * (1.0 - r))))] {
                f32: "precise_sigmoid(x)" fast "vec4<f32>(1.0) / (vec4<f32>(1.0) + exp(-x))" = sigmoid(x);
                native: "double_sigmoid(x)" = sigmoid_d(x);
            }
            /// `x` if it is positive, else 0; NaN stays NaN.
            RELU relu "relu" (x) Same(DTypes::FLOATS.or(DTypes::SIGNED_INTS))
            [exact(Monotone, Refuse, One(|x| Some(x.max(0))), Unary(|g, x, _| g.unless(&x.up_to(0.0))))] {
                i32: "max(x, vec4<i32>(0i))" = x.max(0);
                f32: "relu_f(x)" = if x <= 0.0 { 0.0 } else { x };
                i64: "select_64(x, small_64(0u), negative_64(x))" = x.max(0);
                f64: "relu_f64(x)" = if x <= 0.0 { 0.0 } else { x };
            }
            /// 1 / x, rounded once to the nearest.
            RECIPROCAL reciprocal "reciprocal" (x) Same(DTypes::FLOATS)
            [function(Exact, Pole(0), Cheap, Unary(|g, _, r| -(g * r.square())))] {
                f32: "rounded_div(vec4<f32>(1.0), x)" fast "vec4<f32>(1.0) / x" = 1.0 / x;
                native: "double_reciprocal(x)" = 1.0 / x;
            }
            /// Rounded down to a whole number.
            FLOOR floor "floor" (x) Same(DTypes::FLOATS) [rounding(Unchanged, One(Some))] {
                f32: "round_keeps(x, floor_f(x))" = x.floor();
                native: "double_floor(x)" = x.floor();
            }
            /// Rounded up to a whole number.
            CEIL ceil "ceil" (x) Same(DTypes::FLOATS) [rounding(Unchanged, One(Some))] {
                f32: "round_keeps(x, ceil_f(x))" = x.ceil();
                native: "double_ceil(x)" = x.ceil();
            }
            /// The nearest whole number, halves to even.
            ROUND round "round" (x) Same(DTypes::FLOATS) [rounding(Unchanged, One(Some))] {
                f32: "round_keeps(x, round(x))" = x.round_ties_even();
                native: "double_round(x)" = x.round_ties_even();
            }
            /// -1, 0 or 1 by the operand's sign, 0 for both zeros; NaN stays NaN.
            SIGN sign "sign" (x) Same(DTypes::NUMERIC)
            [exact(Monotone, Refuse, One(|x| Some(x.signum())), Flat)] {
                u32: "min(x, vec4<u32>(1u))" = x.min(1);
                i32: "sign(x)" = x.signum();
                f32: "sign_f(x)" = sign(x.into()) as f32;
                u64: "Pair(one_where(!zero_64(x)), vec4<u32>(0u))" = x.min(1);
                i64: "sign_i64(x)" = x.signum();
                f64: "sign_f64(x)" = sign(x);
            }
            /// 2 to the power `x`.
            EXP2 exp2 "exp2" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, _, r| g * (r * LN_2)))] {
                f32: "precise_exp2(x)" fast "exp2(x)" = f64::from(x).exp2() as f32;
                native: "double_exp2(x)" = x.exp2();
            }
            /// exp(x) - 1, accurate near 0.
            EXPM1 expm1 "expm1" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, _, r| g * (r + 1.0)))] {
                f32: "precise_expm1(x)" = f64::from(x).exp_m1() as f32;
                native: "double_expm1(x)" = x.exp_m1();
            }
            /// Logarithm to base 2.
            LOG2 log2 "log2" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / (x * LN_2)))] {
                f32: "precise_log2(x)" fast "log2(x)" = f64::from(x).log2() as f32;
                native: "double_log2(x)" = x.log2();
            }
            /// Logarithm to base 10.
            LOG10 log10 "log10" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / (x * LN_10)))] {
                f32: "precise_log10(x)" = f64::from(x).log10() as f32;
                native: "double_log10(x)" = x.log10();
            }
            /// log(1 + x), accurate near 0.
            LOG1P log1p "log1p" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / (x + 1.0)))] {
                f32: "precise_log1p(x)" = f64::from(x).ln_1p() as f32;
                native: "double_log1p(x)" = x.ln_1p();
            }
            /// Sine of an angle in radians.
            SIN sin "sin" (x) Same(DTypes::FLOATS)
            [function(Function, Periodic, Costliest, Unary(|g, x, _| g * x.cos()))] {
                f32: "precise_sin(x)" fast "sin(x)" = f64::from(x).sin() as f32;
                native: "double_sin(x)" = libm::sin(x);
            }
            /// Cosine of an angle in radians.
            COS cos "cos" (x) Same(DTypes::FLOATS)
            [function(Function, Periodic, Costliest, Unary(|g, x, _| -(g * x.sin())))] {
                f32: "precise_cos(x)" fast "cos(x)" = f64::from(x).cos() as f32;
                native: "double_cos(x)" = libm::cos(x);
            }
            /// Tangent of an angle in radians.
            TAN tan "tan" (x) Same(DTypes::FLOATS)
            [function(Function, Jumps, Costliest, Unary(|g, _, r| g * (1.0 + r.square())))] {
                f32: "precise_tan(x)" fast "tan(x)" = f64::from(x).tan() as f32;
                native: "double_tan(x)" = libm::tan(x);
            }
            /// Inverse sine; NaN outside -1 to 1.
            ASIN asin "asin" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / ((1.0 - x) * (1.0 + x)).sqrt()))] {
                f32: "precise_asin(x)" fast "asin(x)" = f64::from(x).asin() as f32;
                native: "double_asin(x)" = x.asin();
            }
            /// Inverse cosine; NaN outside -1 to 1.
            ACOS acos "acos" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| -(g / ((1.0 - x) * (1.0 + x)).sqrt())))] {
                f32: "precise_acos(x)" fast "acos(x)" = f64::from(x).acos() as f32;
                native: "double_acos(x)" = x.acos();
            }
            /// Inverse tangent.
            ATAN atan "atan" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / (1.0 + x.square())))] {
                f32: "precise_atan(x)" fast "atan(x)" = f64::from(x).atan() as f32;
                native: "double_atan(x)" = x.atan();
            }
            /// The angle of the point (x, y), from -pi to pi.
            ATAN2 atan2 "atan2" (y, x) Same(DTypes::FLOATS)
            [function(Function, Jumps, Costly, Binary(|g, [y, x], _| {
                let size = x.square() + y.square();
                [g * x / &size, -(g * y / size)]
            }))] {
                f32: "precise_atan2(y, x)" fast "atan2(y, x)" = f64::from(y).atan2(f64::from(x)) as f32;
                native: "double_atan2(y, x)" = y.atan2(x);
            }
            /// Square root of the sum of two squares, without intermediate overflow.
            HYPOT hypot "hypot" (a, b) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Binary(|g, [a, b], r| [
                (g * a / r).unless(&r.is(0.0)),
                (g * b / r).unless(&r.is(0.0)),
            ]))] {
                f32: "precise_hypot(a, b)" = f64::from(a).hypot(f64::from(b)) as f32;
                native: "double_hypot(a, b)" = a.hypot(b);
            }
            /// Cube root, also of negative numbers.
            CBRT cbrt "cbrt" (x) Same(DTypes::FLOATS)
            [Facts {
                turns: &[(Class::F64, [4, 4])],
                ..function(Function, Monotone, Costly, Unary(|g, _, r| g / (3.0 * r.square())))
            }] {
                f32: "precise_cbrt(x)" = f64::from(x).cbrt() as f32;
                native: "double_cbrt(x)" = x.cbrt();
            }
            /// Hyperbolic sine.
            SINH sinh "sinh" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g * x.cosh()))] {
                f32: "precise_sinh(x)" fast "sinh(x)" = f64::from(x).sinh() as f32;
                native: "double_sinh(x)" = x.sinh();
            }
            /// Hyperbolic cosine.
            COSH cosh "cosh" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g * x.sinh()))] {
                f32: "precise_cosh(x)" fast "cosh(x)" = f64::from(x).cosh() as f32;
                native: "double_cosh(x)" = x.cosh();
            }
            /// Inverse hyperbolic sine.
            ASINH asinh "asinh" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / (1.0 + x.square()).sqrt()))] {
                f32: "precise_asinh(x)" fast "asinh(x)" = f64::from(x).asinh() as f32;
                native: "double_asinh(x)" = libm::asinh(x);
            }
            /// Inverse hyperbolic cosine; NaN below 1.
            ACOSH acosh "acosh" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / ((x - 1.0).sqrt() * (x + 1.0).sqrt())))] {
                f32: "precise_acosh(x)" fast "acosh(x)" = f64::from(x).acosh() as f32;
                native: "double_acosh(x)" = if x < 1.0 { f64::NAN } else { libm::acosh(x) };
            }
            /// Inverse hyperbolic tangent; NaN outside -1 to 1.
            ATANH atanh "atanh" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g / ((1.0 - x) * (1.0 + x))))] {
                f32: "precise_atanh(x)" fast "atanh(x)" = f64::from(x).atanh() as f32;
                native: "double_atanh(x)" = libm::atanh(x);
            }
            /// The error function.
            ERF erf "erf" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g * (FRAC_2_SQRT_PI * (-x.square()).exp())))] {
                f32: "precise_erf(x)" = libm::erf(f64::from(x)) as f32;
                native: "double_erf(x)" = libm::erf(x);
            }
            /// log(1 + exp(x)).
            SOFTPLUS softplus "softplus" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Unary(|g, x, _| g * x.sigmoid()))] {
                f32: "precise_softplus(x)" = softplus(f64::from(x)) as f32;
                native: "double_softplus(x)" = softplus(x);
            }
            /// x times the normal distribution function of x.
            GELU gelu "gelu" (x) Same(DTypes::FLOATS)
            [function(Function, Dips, Costly, Unary(|g, x, _| g * slopes::gelu(x)))] {
                f32: "precise_gelu(x)" = gelu(f64::from(x)) as f32;
                native: "double_gelu(x)" = gelu(x);
            }
            /// x times the normal distribution function of x, by ONNX's approximation with tanh.
            GELU_TANH gelu_tanh "gelu_tanh" (x) Same(DTypes::FLOATS)
            [function(Function, Dips, Costly, Unary(|g, x, _| g * slopes::gelu_tanh(x)))] {
                f32: "precise_gelu_tanh(x)" = gelu_tanh(f64::from(x)) as f32;
                native: "double_gelu_tanh(x)" = gelu_tanh(x);
            }
            /// x * tanh(softplus(x)).
            MISH mish "mish" (x) Same(DTypes::FLOATS)
            [function(Function, Dips, Costly, Unary(|g, x, _| g * slopes::mish(x)))] {
                f32: "precise_mish(x)" = mish(f64::from(x)) as f32;
                native: "double_mish(x)" = mish(x);
            }
            /// x / (1 + |x|).
            SOFTSIGN softsign "softsign" (x) Same(DTypes::FLOATS)
            [function(Function, Monotone, Cheap, Unary(|g, x, _| g / (1.0 + x.abs()) / (1.0 + x.abs())))] {
                f32: "softsign_f(x)" = softsign(f64::from(x)) as f32;
                native: "double_softsign(x)" = softsign(x);
            }
            /// x * max(0, min(1, x / 6 + 0.5)).
            HARD_SWISH hard_swish "hard_swish" (x) Same(DTypes::FLOATS)
            [function(Function, Dips, Cheap, Unary(|g, x, _| {
                let inner = g * (2.0 * x + 3.0) / 6.0;
                x.up_to(-3.0).choose(0.0, x.below(3.0).choose(inner, g))
            }))] {
                f32: "hard_swish_f(x)" = hard_swish(f64::from(x)) as f32;
                native: "double_hard_swish(x)" = hard_swish(x);
            }
            /// max(0, min(1, alpha * x + beta)).
            HARD_SIGMOID hard_sigmoid "hard_sigmoid" (x, alpha = 0.2, beta = 0.5) Same(DTypes::FLOATS)
            [function(Function, Monotone, Cheap, Ternary(|g, [x, alpha, beta], _| {
                let line = alpha * x + beta;
                let inner = &Term::NOTHING.below(&line).and(&line.below(1.0));
                [(g * alpha).only_if(inner), (g * x).only_if(inner), g.only_if(inner)]
            }))] {
                f32: "hard_sigmoid_f(x, alpha, beta)" = clip_f(alpha * x + beta, 0.0, 1.0);
                native: "double_hard_sigmoid(x, alpha, beta)" = clip_f(alpha * x + beta, 0.0, 1.0);
            }
            /// x if it is not negative, else alpha * x.
            LEAKY_RELU leaky_relu "leaky_relu" (x, alpha = 0.01) Same(DTypes::FLOATS)
            [function(Function, Monotone, Cheap, Binary(|g, [x, alpha], _| [
                x.below(0.0).choose(g * alpha, g),
                (g * x).only_if(&x.below(0.0)),
            ]))] {
                f32: "select(x, alpha * x, below_zero_f(x))" = if x < 0.0 { alpha * x } else { x };
                native: "double_leaky(x, alpha)" = if x < 0.0 { alpha * x } else { x };
            }
            /// x if it is above alpha, else 0; NaN stays NaN.
            THRESHOLDED_RELU thresholded_relu "thresholded_relu" (x, alpha = 1.0) Same(DTypes::FLOATS) [Facts {
                renormalize: false,
                ..function(Function, Monotone, Cheap,
                    Binary(|g, [x, alpha], _| [g.unless(&x.up_to(alpha)), Term::NOTHING]))
            }] {
                f32: "select(vec4<f32>(0.0), x, less_f(alpha, x) | is_nan_f(x))" = if x > alpha || x.is_nan() { x } else { 0.0 };
                native: "double_threshold(x, alpha)" = if x > alpha || x.is_nan() { x } else { 0.0 };
            }
            /// x if it is not negative, else alpha * (exp(x) - 1).
            ELU elu "elu" (x, alpha = 1.0) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Binary(|g, [x, alpha], _| [
                x.below(0.0).choose(g * alpha * x.exp(), g),
                (g * x.expm1()).only_if(&x.below(0.0)),
            ]))] {
                f32: "select(x, alpha * precise_expm1(x), below_zero_f(x))" = elu(x, alpha);
                native: "double_elu(x, alpha)" = elu_d(x, alpha);
            }
            /// gamma * x if x is not negative, else gamma * alpha * (exp(x) - 1).
            SELU selu "selu" (x, alpha = 1.673_263_192_176_818_8, gamma = 1.050_701_022_148_132_3) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Ternary(|g, [x, alpha, gamma], _| [
                g * gamma * x.below(0.0).choose(alpha * x.exp(), 1.0),
                (g * gamma * x.expm1()).only_if(&x.below(0.0)),
                g * x.below(0.0).choose(alpha * x.expm1(), x),
            ]))] {
                f32: "gamma * select(x, alpha * precise_expm1(x), below_zero_f(x))" = gamma * elu(x, alpha);
                native: "double_selu(x, alpha, gamma)" = gamma * elu_d(x, alpha);
            }
            /// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
            CELU celu "celu" (x, alpha = 1.0) Same(DTypes::FLOATS)
            [function(Function, Monotone, Costly, Binary(|g, [x, alpha], _| {
                let z = x / alpha;
                [
                    x.below(0.0).choose(g * z.exp(), g),
                    (g * (z.expm1() - &z * z.exp())).only_if(&x.below(0.0)),
                ]
            }))] {
                f32: "select(x, alpha * precise_expm1(x / alpha), below_zero_f(x))" = if x < 0.0 { alpha * (f64::from(x / alpha).exp_m1() as f32) } else { x };
                native: "double_celu(x, alpha)" = if x < 0.0 { alpha * (x / alpha).exp_m1() } else { x };
            }
            /// x * sigmoid(alpha * x).
            SWISH swish "swish" (x, alpha = 1.0) Same(DTypes::FLOATS)
            [function(Function, Dips, Costly, Binary(|g, [x, alpha], _| slopes::swish(g, x, alpha)))] {
                f32: "swish_f(x, alpha * x)" = swish(x, alpha * x);
                native: "double_silu(x, alpha)" = swish_d(x, alpha * x);
            }
            /// Rounded towards 0 to a whole number.
            TRUNC trunc "trunc" (x) Same(DTypes::FLOATS) [rounding(Unchanged, One(Some))] {
                f32: "round_keeps(x, trunc(x))" = x.trunc();
                native: "double_trunc(x)" = x.trunc();
            }
            /// The nearest whole number, halves away from 0.
            ROUND_AWAY round_away "round_away" (x) Same(DTypes::FLOATS)
            [rounding(ToFloats, AsFloats)] {
                f32: "round_keeps(x, round_away_f(x))" = x.round();
                native: "double_round_away(x)" = x.round();
            }
        }
    };
}
pub(crate) use math_ops;
