//! Rows: functions of one float, and rounding.

/// The list; see [`super::arith`] for the notation.
macro_rules! math_ops {
    ($each:ident) => {
        $each! {
            /// Square root; NaN below 0.
            SQRT sqrt "sqrt" (x) Same(DTypes::FLOATS) [leaves] {
                f "sqrt(x)" = x.sqrt();
            }
            /// e to the power `x`.
            EXP exp "exp" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_exp(x)" fast "exp(x)" = f64::from(x).exp() as f32;
            }
            /// Natural logarithm; NaN below 0, negative infinity at 0.
            LOG log "log" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_log(x)" fast "log(x)" = f64::from(x).ln() as f32;
            }
            /// Hyperbolic tangent.
            TANH tanh "tanh" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_tanh(x)" fast "tanh(x)" = f64::from(x).tanh() as f32;
            }
            /// 1 / (1 + exp(-x)).
            SIGMOID sigmoid "sigmoid" (x) Same(DTypes::FLOATS) [leaves heavy] {
                f "precise_sigmoid(x)" fast "vec4<f32>(1.0) / (vec4<f32>(1.0) + exp(-x))" = sigmoid(x);
            }
            /// `x` where it is positive, else 0; a NaN stays one.
            RELU relu "relu" (x) Same(DTypes::FLOATS.or(DTypes::SIGNED_INTS)) [] {
                i "max(x, vec4<i32>(0i))" = x.max(0);
                f "select(x, vec4<f32>(0.0), x <= vec4<f32>(0.0))" = if x <= 0.0 { 0.0 } else { x };
                q "select_64(x, small_64(0u), negative_64(x))" = x.max(0);
                d "relu_f64(x)" = if x <= 0.0 { 0.0 } else { x };
            }
            /// 1 / x.
            RECIPROCAL reciprocal "reciprocal" (x) Same(DTypes::FLOATS) [leaves] {
                f "vec4<f32>(1.0) / x" = 1.0 / x;
            }
            /// The whole number below.
            FLOOR floor "floor" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, floor(x))" = x.floor();
            }
            /// The whole number above.
            CEIL ceil "ceil" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, ceil(x))" = x.ceil();
            }
            /// The nearest whole number, halves to even.
            ROUND round "round" (x) Same(DTypes::FLOATS) [] {
                f "round_keeps(x, round(x))" = x.round_ties_even();
            }
            /// -1, 0 or 1 by the operand's sign; NaN stays NaN.
            SIGN sign "sign" (x) Same(DTypes::NUMERIC) [] {
                u "min(x, vec4<u32>(1u))" = x.min(1);
                i "sign(x)" = x.signum();
                f "sign_f(x)" = if x.is_nan() || x == 0.0 { x } else { x.signum() };
                p "Pair(one_where(!zero_64(x)), vec4<u32>(0u))" = x.min(1);
                q "sign_i64(x)" = x.signum();
                d "sign_f64(x)" = if x.is_nan() || x == 0.0 { x } else { x.signum() };
            }
        }
    };
}
pub(crate) use math_ops;

/// The logistic function, rounded once.
pub(super) fn sigmoid(x: f32) -> f32 {
    (1.0 / (1.0 + (-f64::from(x)).exp())) as f32
}
