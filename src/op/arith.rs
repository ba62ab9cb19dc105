//! Rows: arithmetic, bitwise operators, selection.

/// The list. A row is `NAME method "text" (operands) Types(set) [flags] { forms }`; the last
/// operands may have a default, `x = 1.0`; a form is a class letter, a WGSL expression on `vec4`s,
/// and the same on one element. Flags: `leaves` (the result may leave its element type and is
/// wrapped or rounded), `heavy` (costs much more than a load), `second` (operand 1 is the target of
/// one-way rules).
macro_rules! arith_ops {
    ($each:ident) => {
        $each! {
            /// Sum of two operands. Integers wrap.
            ADD add "add" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "a + b" packed "packed_add(a, b, HIGH)" = a.wrapping_add(b);
                i "a + b" packed "packed_add(a, b, HIGH)" = a.wrapping_add(b);
                f "a + b" = a + b;
                p "add_64(a, b)" = a.wrapping_add(b);
                q "add_64(a, b)" = a.wrapping_add(b);
                n "a + b" = a + b;
            }
            /// Difference. Integers wrap.
            SUB sub "sub" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "a - b" packed "packed_sub(a, b, HIGH)" = a.wrapping_sub(b);
                i "a - b" packed "packed_sub(a, b, HIGH)" = a.wrapping_sub(b);
                f "a - b" = a - b;
                p "sub_64(a, b)" = a.wrapping_sub(b);
                q "sub_64(a, b)" = a.wrapping_sub(b);
                n "a - b" = a - b;
            }
            /// Product. Integers wrap.
            MUL mul "mul" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "a * b" = a.wrapping_mul(b);
                i "a * b" = a.wrapping_mul(b);
                f "a * b" = a * b;
                p "mul_64(a, b)" = a.wrapping_mul(b);
                q "mul_64(a, b)" = a.wrapping_mul(b);
                n "a * b" = a * b;
            }
            /// Quotient. Integers truncate towards zero, and give 0 where the divisor is 0.
            DIV div "div" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "select(a / b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_div(b).unwrap_or(0);
                i "select(a / b, vec4<i32>(0i), b == vec4<i32>(0i))" = if b == 0 { 0 } else { a.wrapping_div(b) };
                f "a / b" = a / b;
                p "div_u64(a, b)" = a.checked_div(b).unwrap_or(0);
                q "div_i64(a, b)" = if b == 0 { 0 } else { a.wrapping_div(b) };
                n "a / b" = a / b;
            }
            /// Quotient rounded down to a whole number. Integers give 0 where the divisor is 0.
            FLOOR_DIV floor_div "floor_div" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "select(a / b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_div(b).unwrap_or(0);
                i "floor_div_i(a, b)" = floor_div_i(a, b);
                f "floor_div_f(a, b)" = floor_div_f(a, b);
                p "div_u64(a, b)" = a.checked_div(b).unwrap_or(0);
                q "floor_div_i64(a, b)" = floor_div_i(a, b);
                n "double_floor_div(a, b)" = floor_div_d(a, b);
            }
            /// Remainder with the sign of the divisor (ONNX Mod with fmod=0). Integers give 0 where
            /// the divisor is 0.
            MOD floor_mod "mod" (a, b) Same(DTypes::NUMERIC) [leaves heavy] {
                u "select(a % b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_rem(b).unwrap_or(0);
                i "floor_mod_i(a, b)" = floor_mod_i(a, b);
                f "floor_mod_f(a, b)" = floor_mod_f(a, b);
                p "rem_u64(a, b)" = a.checked_rem(b).unwrap_or(0);
                q "floor_mod_i64(a, b)" = floor_mod_i(a, b);
                n "double_floor_mod(a, b)" = floor_mod_d(a, b);
            }
            /// Remainder with the sign of the dividend (C's `fmod`, ONNX Mod with fmod=1). Integers
            /// give 0 where the divisor is 0.
            FMOD fmod "fmod" (a, b) Same(DTypes::NUMERIC) [leaves heavy] {
                u "select(a % b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_rem(b).unwrap_or(0);
                i "rem_i(a, b)" = if b == 0 { 0 } else { a.wrapping_rem(b) };
                f "precise_fmod(a, b)" = a % b;
                p "rem_u64(a, b)" = a.checked_rem(b).unwrap_or(0);
                q "rem_i64(a, b)" = if b == 0 { 0 } else { a.wrapping_rem(b) };
                n "double_fmod(a, b)" = a % b;
            }
            /// Power. 0 to the power 0 is 1; a negative float base to a whole exponent is a real
            /// number; integers wrap, and a negative integer exponent truncates the quotient (so 2
            /// to the power -1 is 0).
            POW pow "pow" (a, b) Same(DTypes::NUMERIC) [leaves heavy] {
                u "pow_u(a, b)" = a.wrapping_pow(b);
                i "pow_i(a, b)" = pow_i(a, b);
                f "precise_pow(a, b)" fast "pow(a, b)" = (f64::from(a)).powf(f64::from(b)) as f32;
                p "pow_u64(a, b)" = pow_u64(a, b);
                q "pow_i64(a, b)" = pow_i(a, b);
                n "double_pow(a, b)" = a.powf(b);
            }
            /// The larger of two operands; NaN if either is NaN.
            MAXIMUM maximum "maximum" (a, b) Same(DTypes::NUMERIC) [] {
                u "max(a, b)" packed "packed_max(a, b, HIGH)" = a.max(b);
                i "max(a, b)" packed "packed_max(a ^ HIGH, b ^ HIGH, HIGH) ^ HIGH" = a.max(b);
                f "select(b, a, less_f(b, a) | is_nan_f(a))" = if a > b || a.is_nan() { a } else { b };
                p "select_64(b, a, less_u64(b, a))" = a.max(b);
                q "select_64(b, a, less_i64(b, a))" = a.max(b);
                d "max_f64(a, b)" = if a > b || a.is_nan() { a } else { b };
            }
            /// The smaller of two operands; NaN if either is NaN.
            MINIMUM minimum "minimum" (a, b) Same(DTypes::NUMERIC) [] {
                u "min(a, b)" packed "packed_min(a, b, HIGH)" = a.min(b);
                i "min(a, b)" packed "packed_min(a ^ HIGH, b ^ HIGH, HIGH) ^ HIGH" = a.min(b);
                f "select(b, a, less_f(a, b) | is_nan_f(a))" = if a < b || a.is_nan() { a } else { b };
                p "select_64(b, a, less_u64(a, b))" = a.min(b);
                q "select_64(b, a, less_i64(a, b))" = a.min(b);
                d "min_f64(a, b)" = if a < b || a.is_nan() { a } else { b };
            }
            /// `x` kept between `lo` and `hi`; where `lo` is above `hi`, `hi`. A NaN stays one.
            CLIP clip "clip" (x, lo, hi) Same(DTypes::NUMERIC) [] {
                u "min(max(x, lo), hi)" packed "packed_min(packed_max(x, lo, HIGH), hi, HIGH)" = x.max(lo).min(hi);
                i "min(max(x, lo), hi)" packed "packed_min(packed_max(x ^ HIGH, lo ^ HIGH, HIGH), hi ^ HIGH, HIGH) ^ HIGH" = x.max(lo).min(hi);
                f "clip_f(x, lo, hi)" = clip_f(x, lo, hi);
                p "clip_u64(x, lo, hi)" = x.max(lo).min(hi);
                q "clip_i64(x, lo, hi)" = x.max(lo).min(hi);
                d "clip_f64(x, lo, hi)" = clip_f(x, lo, hi);
            }
            /// `a` where the condition is true, else `b`. Any element type, bits unchanged. Under
            /// PDPD the result has the shape of `a`.
            WHERE select_by "where" (c, a, b) Select(DTypes::ANY) [second] {
                any "select(b, a, c)" packed "packed_select(b, a, packed_truth(c, HIGH), HIGH)" = if c != 0 { a } else { b };
            }
            /// The operand itself, bits unchanged.
            IDENTITY identity "identity" (x) Same(DTypes::ANY) [] {
                any "x" packed "x" = x;
            }
            /// `x`, multiplied by `slope` where it is negative. `x` is the target of one-way rules.
            PRELU prelu "prelu" (x, slope) Same(DTypes::NUMERIC) [leaves] {
                u "x" = { let _ = slope; x };
                i "select(x, slope * x, x < vec4<i32>(0i))" = if x < 0 { slope.wrapping_mul(x) } else { x };
                f "select(x, slope * x, below_zero_f(x))" = if x < 0.0 { slope * x } else { x };
                p "x" = { let _ = slope; x };
                q "select_64(x, mul_64(slope, x), negative_64(x))" = if x < 0 { slope.wrapping_mul(x) } else { x };
                n "select(x, slope * x, x < vec4<f64>(0.0lf))" = if x < 0.0 { slope * x } else { x };
            }
            /// The operand with the opposite sign; integers wrap; of floats the sign bit alone
            /// changes.
            NEG neg "neg" (x) Same(DTypes::NUMERIC) [leaves] {
                u "vec4<u32>(0u) - x" packed "packed_sub(vec4<u32>(0u), x, HIGH)" = x.wrapping_neg();
                i "-x" packed "packed_sub(vec4<u32>(0u), x, HIGH)" = x.wrapping_neg();
                x "x ^ vec4<u32>(0x80000000u)" packed "x ^ HIGH" = x ^ 0x8000_0000;
                p "neg_64(x)" = x.wrapping_neg();
                q "neg_64(x)" = x.wrapping_neg();
                d "neg_f64(x)" = -x;
            }
            /// Absolute value; the lowest signed integer wraps to itself; of floats the sign bit
            /// alone changes.
            ABS abs "abs" (x) Same(DTypes::NUMERIC) [leaves] {
                u "x" packed "x" = x;
                i "abs(x)" packed "packed_abs(x, HIGH)" = x.wrapping_abs();
                x "x & vec4<u32>(0x7fffffffu)" packed "x & ~HIGH" = x & 0x7fff_ffff;
                p "x" = x;
                q "abs_64(x)" = x.wrapping_abs();
                d "magnitude_f64(x)" = x.abs();
            }
            /// Bitwise and.
            BIT_AND bit_and "bit_and" (a, b) Same(DTypes::INTS) [] {
                u "a & b" packed "a & b" = a & b;
                i "a & b" packed "a & b" = a & b;
                p "and_64(a, b)" = a & b;
                q "and_64(a, b)" = a & b;
            }
            /// Bitwise or.
            BIT_OR bit_or "bit_or" (a, b) Same(DTypes::INTS) [] {
                u "a | b" packed "a | b" = a | b;
                i "a | b" packed "a | b" = a | b;
                p "or_64(a, b)" = a | b;
                q "or_64(a, b)" = a | b;
            }
            /// Bitwise exclusive or.
            BIT_XOR bit_xor "bit_xor" (a, b) Same(DTypes::INTS) [] {
                u "a ^ b" packed "a ^ b" = a ^ b;
                i "a ^ b" packed "a ^ b" = a ^ b;
                p "xor_64(a, b)" = a ^ b;
                q "xor_64(a, b)" = a ^ b;
            }
            /// All bits inverted.
            BIT_NOT bit_not "bit_not" (x) Same(DTypes::INTS) [leaves] {
                u "~x" packed "~x" = !x;
                i "~x" packed "~x" = !x;
                p "not_64(x)" = !x;
                q "not_64(x)" = !x;
            }
            /// The bits moved up by `b`, zeros from below. 0 where `b` is negative or not less than
            /// the width of the type.
            SHL shl "shl" (a, b) Same(DTypes::INTS) [leaves] {
                u "shl_u(a, b)" = a.checked_shl(b).unwrap_or(0);
                i "shl_i(a, b)" = a.checked_shl(b.cast_unsigned()).unwrap_or(0);
                p "shl_64(a, b)" = a.checked_shl(wide_amount(b)).unwrap_or(0);
                q "shl_64(a, b)" = a.checked_shl(wide_amount(b.cast_unsigned())).unwrap_or(0);
            }
            /// The bits moved down by `b`; of signed integers the sign is repeated. Where `b` is
            /// negative or not less than the width of the type: -1 of a negative number, else 0.
            SHR shr "shr" (a, b) Same(DTypes::INTS) [] {
                u "shr_u(a, b)" = a.checked_shr(b).unwrap_or(0);
                i "shr_i(a, b)" = a >> b.cast_unsigned().min(31);
                p "shr_u64(a, b)" = a.checked_shr(wide_amount(b)).unwrap_or(0);
                q "shr_i64(a, b)" = a >> wide_amount(b.cast_unsigned()).min(63);
            }
        }
    };
}
pub(crate) use arith_ops;

/// The variadic rows: each folds a binary row from the left over one or more operands.
macro_rules! fold_ops {
    ($each:ident) => {
        $each! {
            /// Sum of all operands, element by element (not along an axis).
            SUM sum_of "sum" Same(DTypes::NUMERIC) = ADD, None;
            /// Mean of all operands, element by element: their sum divided by their number.
            MEAN mean_of "mean" Same(DTypes::FLOATS) = ADD, Some(Op(&DIV));
            /// The largest of all operands, element by element; NaN if any is NaN.
            MAX max_of "max" Same(DTypes::NUMERIC) = MAXIMUM, None;
            /// The smallest of all operands, element by element; NaN if any is NaN.
            MIN min_of "min" Same(DTypes::NUMERIC) = MINIMUM, None;
        }
    };
}
pub(crate) use fold_ops;

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

/// Integer division rounded down; 0 where the divisor is 0.
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

/// Integer remainder with the divisor's sign; 0 where the divisor is 0.
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

/// An amount to shift a 64-bit integer by, as one that `checked_shl` refuses where it is too large.
pub(super) fn wide_amount(by: u64) -> u32 {
    u32::try_from(by).unwrap_or(u32::MAX)
}

/// Float remainder with the divisor's sign, exact; a zero has the divisor's sign.
pub(super) fn floor_mod_f(a: f32, b: f32) -> f32 {
    let r = a % b;
    if r == 0.0 {
        return 0f32.copysign(b);
    }
    if (r < 0.0) != (b < 0.0) { r + b } else { r }
}

/// [`floor_mod_f`] of doubles.
pub(super) fn floor_mod_d(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r == 0.0 {
        return 0f64.copysign(b);
    }
    if (r < 0.0) != (b < 0.0) { r + b } else { r }
}

/// [`floor_div_f`] of doubles: the quotient of what the exact remainder leaves, which is whole but
/// for rounding.
pub(super) fn floor_div_d(a: f64, b: f64) -> f64 {
    if b == 0.0 || a.is_nan() || b.is_nan() {
        return a / b;
    }
    let r = a % b;
    let down = (a - r) / b
        - if r != 0.0 && (r < 0.0) != (b < 0.0) {
            1.0
        } else {
            0.0
        };
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

/// `x` kept between two bounds, the upper applied last; NaN stays NaN.
pub(super) fn clip_f<T: Copy + PartialOrd>(x: T, lo: T, hi: T) -> T {
    let is_nan = |v: T| v.partial_cmp(&v).is_none();
    let low = if x > lo || is_nan(x) { x } else { lo };
    if low < hi || is_nan(low) { low } else { hi }
}
