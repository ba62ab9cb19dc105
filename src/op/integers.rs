//! Division, powers and shifts of integers on the CPU, as the rows define them.

/// The signed integers that integer helpers are written for once.
pub(super) trait Signed: Copy + PartialOrd + Default {
    const ONE: Self;
    fn div(self, by: Self) -> Self;
    fn rem(self, by: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn is_odd(self) -> bool;
    /// Power by squaring for an exponent that is not negative; wraps.
    fn power(self, exponent: Self) -> Self;
}

macro_rules! signed {
    ($($t:ty),+) => {
        $(impl Signed for $t {
            const ONE: Self = 1;

            fn div(self, by: Self) -> Self {
                self.wrapping_div(by)
            }

            fn rem(self, by: Self) -> Self {
                self.wrapping_rem(by)
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            fn is_odd(self) -> bool {
                self & 1 == 1
            }

            fn power(self, exponent: Self) -> Self {
                pow_u64(self as u64, exponent as u64) as Self
            }
        })+
    };
}

signed!(i32, i64);

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

/// Integer division rounded down; 0 if the divisor is 0.
pub(super) fn floor_div_i<T: Signed>(a: T, b: T) -> T {
    let zero = T::default();
    if b == zero {
        return zero;
    }
    let q = a.div(b);
    if a.rem(b) != zero && (a < zero) != (b < zero) {
        q.minus(T::ONE)
    } else {
        q
    }
}

/// Integer remainder with the divisor's sign; 0 if the divisor is 0.
pub(super) fn floor_mod_i<T: Signed>(a: T, b: T) -> T {
    let zero = T::default();
    if b == zero {
        return zero;
    }
    let r = a.rem(b);
    if r != zero && (r < zero) != (b < zero) {
        r.plus(b)
    } else {
        r
    }
}

/// An amount to shift a 64-bit integer by, as one that `checked_shl` refuses if it is too large.
pub(super) fn wide_amount(by: u64) -> u32 {
    u32::try_from(by).unwrap_or(u32::MAX)
}

/// Integer power; a negative exponent gives the truncated quotient.
pub(super) fn pow_i<T: Signed>(a: T, b: T) -> T {
    let zero = T::default();
    if b >= zero {
        return a.power(b);
    }
    if a == T::ONE || (a.plus(T::ONE) == zero && !b.is_odd()) {
        T::ONE
    } else if a.plus(T::ONE) == zero {
        a
    } else {
        zero
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
