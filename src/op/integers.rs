//! Division, powers and shifts of integers on the CPU, as the rows define them.

/// Unsigned power by squaring; wraps. Its low bits are those of the power of the low bits.
pub(super) fn pow_u64(mut base: u64, mut exponent: u64) -> u64 {
    let mut power = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    power
}

/// The shift of a 64-bit integer as a u32, which `checked_shl` refuses if it is too large.
pub(super) fn wide_amount(by: u64) -> u32 {
    u32::try_from(by).unwrap_or(u32::MAX)
}

/// Signed power; wraps. A negative exponent gives the truncated quotient.
pub(super) fn pow_i(a: i64, b: i64) -> i64 {
    match (a, u64::try_from(b)) {
        (_, Ok(b)) => pow_u64(a.cast_unsigned(), b).cast_signed(),
        (1, Err(_)) => 1,
        (-1, Err(_)) => 1 - 2 * (b & 1),
        (_, Err(_)) => 0,
    }
}

/// Whole numbers divided and rounded down, as Python does; `None` for a divisor of 0.
pub(super) fn whole_floor_div(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    let is_above = a % b != 0 && (a < 0) != (b < 0);
    Some(if is_above { quotient - 1 } else { quotient })
}

/// The remainder of [`whole_floor_div`], with the divisor's sign.
pub(super) fn whole_floor_mod(a: i128, b: i128) -> Option<i128> {
    let rest = a.checked_rem(b)?;
    let has_other_sign = rest != 0 && (rest < 0) != (b < 0);
    Some(if has_other_sign { rest + b } else { rest })
}
