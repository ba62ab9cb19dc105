//! Division, remainders and bounds of floats on the CPU, as the rows define them.

/// [`floor_mod_d`] of singles, whose sum is rounded the same by way of a double.
pub(super) fn floor_mod_f(a: f32, b: f32) -> f32 {
    floor_mod_d(a.into(), b.into()) as f32
}

/// Float remainder with the divisor's sign, exact; a zero has the divisor's sign.
pub(super) fn floor_mod_d(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r == 0.0 {
        return 0f64.copysign(b);
    }
    if (r < 0.0) != (b < 0.0) { r + b } else { r }
}

/// [`floor_div_f`] of doubles: divides what the exact remainder leaves, so that only rounding keeps
/// the quotient from being whole.
pub(super) fn floor_div_d(a: f64, b: f64) -> f64 {
    if b == 0.0 || a.is_nan() || b.is_nan() {
        return a / b;
    }
    let r = a % b;
    let is_above = r != 0.0 && (r < 0.0) != (b < 0.0);
    let down = (a - r) / b - if is_above { 1.0 } else { 0.0 };
    let whole = if down - down.floor() > 0.5 {
        down.floor() + 1.0
    } else {
        down.floor()
    };
    if down == 0.0 {
        0f64.copysign(a / b)
    } else {
        whole
    }
}

/// Python's float floor division. An infinite dividend gives NaN, as NumPy has it; a zero has the
/// quotient's sign.
pub(super) fn floor_div_f(a: f32, b: f32) -> f32 {
    if b == 0.0 || a.is_nan() || b.is_nan() {
        return a / b;
    }
    if a.is_infinite() {
        return f32::NAN;
    }
    let down = (f64::from(a) / f64::from(b)).floor() as f32;
    if b.is_infinite() && a != 0.0 && (a < 0.0) != (b < 0.0) {
        return -1.0;
    }
    if down == 0.0 {
        0f32.copysign(a / b)
    } else {
        down
    }
}

/// `x` kept between two bounds, the upper applied last; NaN stays NaN.
pub(super) fn clip_f<T: Copy + PartialOrd>(x: T, lo: T, hi: T) -> T {
    let is_nan = |v: T| v.partial_cmp(&v).is_none();
    let low = if x > lo || is_nan(x) { x } else { lo };
    if low < hi || is_nan(low) { low } else { hi }
}
