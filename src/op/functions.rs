//! Functions of floats on the CPU that neither Rust nor libm has.

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
        // exp(x) alone may be subnormal if the product is not.
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

/// x if it is not negative, else alpha * (exp(x) - 1).
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
    // exp(z) alone may be subnormal if the product is not.
    if z < -700.0 {
        x * (z / 2.0).exp() * (z / 2.0).exp()
    } else {
        x * sigmoid_d(z)
    }
}

/// x * sigmoid(z), rounded once; 0 if sigmoid is.
pub(super) fn swish(x: f32, z: f32) -> f32 {
    if z == f32::NEG_INFINITY && !x.is_nan() && x != 0.0 {
        return 0f32.copysign(x);
    }
    (f64::from(x) / (1.0 + (-f64::from(z)).exp())) as f32
}
