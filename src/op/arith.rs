//! Rows: arithmetic, bitwise operators, selection.

/// The list. A row is `NAME method "text" (operands) Types(set) [flags] { forms }`; a form is a class letter, a WGSL
/// expression on `vec4`s, and the same on one element. Flags: `leaves` (the result may leave its element type and is
/// wrapped or rounded), `heavy` (costs much more than a load), `second` (operand 1 is the target of one-way rules).
macro_rules! arith_ops {
    ($each:ident) => {
        $each! {
            /// Sum of two operands. Integers wrap.
            ADD add "add" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "a + b" = a.wrapping_add(b);
                i "a + b" = a.wrapping_add(b);
                f "a + b" = a + b;
            }
            /// Difference. Integers wrap.
            SUB sub "sub" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "a - b" = a.wrapping_sub(b);
                i "a - b" = a.wrapping_sub(b);
                f "a - b" = a - b;
            }
            /// Product. Integers wrap.
            MUL mul "mul" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "a * b" = a.wrapping_mul(b);
                i "a * b" = a.wrapping_mul(b);
                f "a * b" = a * b;
            }
            /// Quotient. Integers truncate towards zero, and give 0 where the divisor is 0.
            DIV div "div" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "select(a / b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_div(b).unwrap_or(0);
                i "select(a / b, vec4<i32>(0i), b == vec4<i32>(0i))" = if b == 0 { 0 } else { a.wrapping_div(b) };
                f "a / b" = a / b;
            }
            /// Quotient rounded down to a whole number. Integers give 0 where the divisor is 0.
            FLOOR_DIV floor_div "floor_div" (a, b) Same(DTypes::NUMERIC) [leaves] {
                u "select(a / b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_div(b).unwrap_or(0);
                i "floor_div_i(a, b)" = floor_div_i(a, b);
                f "floor_div_f(a, b)" = floor_div_f(a, b);
            }
            /// Remainder with the sign of the divisor (ONNX Mod with fmod=0). Integers give 0 where the divisor is 0.
            MOD floor_mod "mod" (a, b) Same(DTypes::NUMERIC) [leaves heavy] {
                u "select(a % b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_rem(b).unwrap_or(0);
                i "floor_mod_i(a, b)" = floor_mod_i(a, b);
                f "floor_mod_f(a, b)" = floor_mod_f(a, b);
            }
            /// Remainder with the sign of the dividend (C's `fmod`, ONNX Mod with fmod=1). Integers give 0 where the divisor
            /// is 0.
            FMOD fmod "fmod" (a, b) Same(DTypes::NUMERIC) [leaves heavy] {
                u "select(a % b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_rem(b).unwrap_or(0);
                i "select(a % b, vec4<i32>(0i), b == vec4<i32>(0i))" = if b == 0 { 0 } else { a.wrapping_rem(b) };
                f "precise_fmod(a, b)" = a % b;
            }
            /// Power. 0 to the power 0 is 1; a negative float base to a whole exponent is a real number; integers wrap, and a
            /// negative integer exponent truncates the quotient (so 2 to the power -1 is 0).
            POW pow "pow" (a, b) Same(DTypes::NUMERIC) [leaves heavy] {
                u "pow_u(a, b)" = a.wrapping_pow(b);
                i "pow_i(a, b)" = pow_i(a, b);
                f "precise_pow(a, b)" fast "pow(a, b)" = (f64::from(a)).powf(f64::from(b)) as f32;
            }
            /// The larger of two operands; NaN if either is NaN.
            MAXIMUM maximum "maximum" (a, b) Same(DTypes::NUMERIC) [] {
                u "max(a, b)" = a.max(b);
                i "max(a, b)" = a.max(b);
                f "select(b, a, (a > b) | is_nan_f(a))" = if a > b || a.is_nan() { a } else { b };
            }
            /// The smaller of two operands; NaN if either is NaN.
            MINIMUM minimum "minimum" (a, b) Same(DTypes::NUMERIC) [] {
                u "min(a, b)" = a.min(b);
                i "min(a, b)" = a.min(b);
                f "select(b, a, (a < b) | is_nan_f(a))" = if a < b || a.is_nan() { a } else { b };
            }
            /// `x` kept between `lo` and `hi`; where `lo` is above `hi`, `hi`. A NaN stays one.
            CLIP clip "clip" (x, lo, hi) Same(DTypes::NUMERIC) [] {
                u "min(max(x, lo), hi)" = x.max(lo).min(hi);
                i "min(max(x, lo), hi)" = x.max(lo).min(hi);
                f "clip_f(x, lo, hi)" = clip_f(x, lo, hi);
            }
            /// `a` where the condition is true, else `b`. Any element type, bits unchanged. Under PDPD the result has the
            /// shape of `a`.
            WHERE select_by "where" (c, a, b) Select(DTypes::ANY) [second] {
                any "select(b, a, c)" = if c != 0 { a } else { b };
            }
            /// The operand itself, bits unchanged.
            IDENTITY identity "identity" (x) Same(DTypes::ANY) [] {
                any "x" = x;
            }
            /// `x`, multiplied by `slope` where it is negative. `x` is the target of one-way rules.
            PRELU prelu "prelu" (x, slope) Same(DTypes::NUMERIC) [leaves] {
                u "x" = { let _ = slope; x };
                i "select(x, slope * x, x < vec4<i32>(0i))" = if x < 0 { slope.wrapping_mul(x) } else { x };
                f "select(x, slope * x, x < vec4<f32>(0.0))" = if x < 0.0 { slope * x } else { x };
            }
            /// The operand with the opposite sign; integers wrap; of floats the sign bit alone changes.
            NEG neg "neg" (x) Same(DTypes::NUMERIC) [leaves] {
                u "vec4<u32>(0u) - x" = x.wrapping_neg();
                i "-x" = x.wrapping_neg();
                x "x ^ vec4<u32>(0x80000000u)" = x ^ 0x8000_0000;
            }
            /// Absolute value; the lowest signed integer wraps to itself; of floats the sign bit alone changes.
            ABS abs "abs" (x) Same(DTypes::NUMERIC) [leaves] {
                u "x" = x;
                i "abs(x)" = x.wrapping_abs();
                x "x & vec4<u32>(0x7fffffffu)" = x & 0x7fff_ffff;
            }
            /// Bitwise and.
            BIT_AND bit_and "bit_and" (a, b) Same(DTypes::INTS) [] {
                u "a & b" = a & b;
                i "a & b" = a & b;
            }
            /// Bitwise or.
            BIT_OR bit_or "bit_or" (a, b) Same(DTypes::INTS) [] {
                u "a | b" = a | b;
                i "a | b" = a | b;
            }
            /// Bitwise exclusive or.
            BIT_XOR bit_xor "bit_xor" (a, b) Same(DTypes::INTS) [] {
                u "a ^ b" = a ^ b;
                i "a ^ b" = a ^ b;
            }
            /// All bits inverted.
            BIT_NOT bit_not "bit_not" (x) Same(DTypes::INTS) [leaves] {
                u "~x" = !x;
                i "~x" = !x;
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

/// Integer division rounded down; 0 where the divisor is 0.
pub(super) fn floor_div_i(a: i32, b: i32) -> i32 {
    if b == 0 {
        return 0;
    }
    let q = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

/// Integer remainder with the divisor's sign; 0 where the divisor is 0.
pub(super) fn floor_mod_i(a: i32, b: i32) -> i32 {
    if b == 0 {
        return 0;
    }
    let r = a.wrapping_rem(b);
    if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
}

/// Float remainder with the divisor's sign, exact; a zero has the divisor's sign.
pub(super) fn floor_mod_f(a: f32, b: f32) -> f32 {
    let r = a % b;
    if r == 0.0 {
        return 0f32.copysign(b);
    }
    if (r < 0.0) != (b < 0.0) { r + b } else { r }
}

/// Python's float floor division: the whole number nearest to (a - floor_mod(a, b)) / b.
pub(super) fn floor_div_f(a: f32, b: f32) -> f32 {
    if b == 0.0 || a.is_nan() || b.is_nan() || a.is_infinite() {
        return a / b;
    }
    if b.is_infinite() {
        return if a != 0.0 && (a < 0.0) != (b < 0.0) { -1.0 } else { 0.0 };
    }
    (f64::from(a) / f64::from(b)).floor() as f32
}

/// Integer power; a negative exponent gives the truncated quotient.
pub(super) fn pow_i(a: i32, b: i32) -> i32 {
    if b >= 0 {
        return a.wrapping_pow(b.unsigned_abs());
    }
    match a {
        1 => 1,
        -1 => 1 - 2 * (b & 1),
        _ => 0,
    }
}

/// `x` kept between two bounds, the upper applied last; NaN stays NaN.
pub(super) fn clip_f(x: f32, lo: f32, hi: f32) -> f32 {
    let low = if x > lo || x.is_nan() { x } else { lo };
    if low < hi || low.is_nan() { low } else { hi }
}
