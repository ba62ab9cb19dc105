//! Rows: arithmetic, bitwise operators, selection.

/// The list. A row is `NAME method "text" (operands) Types(set) [facts] { forms }`. The last
/// operands may have a default, `x = 1.0`. The facts are a [`Facts`](super::facts::Facts), for
/// families of operators made by a function of that module. A form is a class, a WGSL expression on
/// `vec4`s, and the same on one element.
macro_rules! arith_ops {
    ($each:ident) => {
        $each! {
            /// Sum of two operands. Integers wrap.
            ADD add "add" (a, b) Same(DTypes::NUMERIC) [Facts {
                algebra: Sum, renormalize: true,
                ..exact(Monotone, Bools(Op::OR), Two(i128::checked_add), Binary(|g, _, _| [g.clone(), g.clone()]))
            }] {
                u32: "a + b" packed "packed_add(a, b, HIGH)" = a.wrapping_add(b);
                i32: "a + b" packed "packed_add(a, b, HIGH)" = a.wrapping_add(b);
                f32: "a + b" = a + b;
                u64: "add_64(a, b)" = a.wrapping_add(b);
                i64: "add_64(a, b)" = a.wrapping_add(b);
                native: "double_add(a, b)" = a + b;
            }
            /// Difference. Integers wrap.
            SUB sub "sub" (a, b) Same(DTypes::NUMERIC) [Facts {
                algebra: Difference, renormalize: true,
                ..exact(Monotone, Refuse, Two(i128::checked_sub), Binary(|g, _, _| [g.clone(), -g]))
            }] {
                u32: "a - b" packed "packed_sub(a, b, HIGH)" = a.wrapping_sub(b);
                i32: "a - b" packed "packed_sub(a, b, HIGH)" = a.wrapping_sub(b);
                f32: "a - b" = a - b;
                u64: "sub_64(a, b)" = a.wrapping_sub(b);
                i64: "sub_64(a, b)" = a.wrapping_sub(b);
                native: "double_sub(a, b)" = a - b;
            }
            /// Product. Integers wrap.
            MUL mul "mul" (a, b) Same(DTypes::NUMERIC) [Facts {
                accuracy: Fusable, algebra: Product, renormalize: true,
                ..exact(Monotone, Bools(Op::AND), Two(i128::checked_mul), Binary(|g, [a, b], _| [g * b, g * a]))
            }] {
                u32: "a * b" = a.wrapping_mul(b);
                i32: "a * b" = a.wrapping_mul(b);
                f32: "a * b" = a * b;
                u64: "mul_64(a, b)" = a.wrapping_mul(b);
                i64: "mul_64(a, b)" = a.wrapping_mul(b);
                native: "double_mul(a, b)" = a * b;
            }
            /// Quotient, for floats rounded once to the nearest; for integers a float, as in NumPy.
            /// Without promotion, as in `Tensor::div`, integers truncate towards zero and give 0 if the
            /// divisor is 0.
            DIV div "div" (a, b) Same(DTypes::NUMERIC) [Facts {
                turns: &[(Class::U64, [64, 0]), (Class::I64, [64, 0])], renormalize: true,
                ..exact(Pole(1), TrueDivision, AsFloats, Binary(|g, [_, b], r| [g / b, -(g * r / b)]))
            }] {
                u32: "select(a / b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_div(b).unwrap_or(0);
                i32: "select(a / b, vec4<i32>(0i), b == vec4<i32>(0i))" = if b == 0 { 0 } else { a.wrapping_div(b) };
                f32: "rounded_div(a, b)" fast "a / b" = a / b;
                u64: "div_u64(a, b)" = a.checked_div(b).unwrap_or(0);
                i64: "div_i64(a, b)" = if b == 0 { 0 } else { a.wrapping_div(b) };
                native: "double_div(a, b)" = a / b;
            }
            /// Quotient of floats, rounded once to the nearest at every accuracy. Means and variances use
            /// it.
            ROUNDED_DIV rounded_div "rounded_div" (a, b) Same(DTypes::FLOATS)
            [function(Exact, Pole(1), Cheap, Binary(|g, [_, b], r| [g / b, -(g * r / b)]))] {
                f32: "rounded_div(a, b)" = a / b;
                native: "double_div(a, b)" = a / b;
            }
            /// Quotient rounded down to a whole number. Integers give 0 if the divisor is 0.
            FLOOR_DIV floor_div "floor_div" (a, b) Same(DTypes::NUMERIC) [Facts {
                accuracy: Ulps(2), turns: &[(Class::F32, [15, 15]), (Class::F64, [43, 43]), (Class::U64, [64, 0]), (Class::I64, [64, 0])], renormalize: true,
                ..exact(Pole(1), BoolsAs(DType::I8), Two(whole_floor_div), Flat)
            }] {
                u32: "select(a / b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_div(b).unwrap_or(0);
                i32: "floor_div_i(a, b)" = whole_floor_div(a.into(), b.into()).unwrap_or(0) as i32;
                f32: "floor_div_f(a, b)" = floor_div_f(a, b);
                u64: "div_u64(a, b)" = a.checked_div(b).unwrap_or(0);
                i64: "floor_div_i64(a, b)" = whole_floor_div(a.into(), b.into()).unwrap_or(0) as i64;
                native: "double_floor_div(a, b)" = floor_div_d(a, b);
            }
            /// Remainder with the sign of the divisor (ONNX Mod with fmod=0). Integers give 0 if
            /// the divisor is 0.
            MOD rem_floor "mod" (a, b) Same(DTypes::NUMERIC) [Facts {
                cost: Costly, turns: &[(Class::F32, [15, 15]), (Class::F64, [43, 43]), (Class::U64, [64, 0]), (Class::I64, [64, 0])], renormalize: true,
                ..exact(Jumps, BoolsAs(DType::I8), Two(whole_floor_mod),
                    Binary(|g, [a, b], _| [g.clone(), -(g * a.floor_div(b))]))
            }] {
                u32: "select(a % b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_rem(b).unwrap_or(0);
                i32: "floor_mod_i(a, b)" = whole_floor_mod(a.into(), b.into()).unwrap_or(0) as i32;
                f32: "floor_mod_f(a, b)" = floor_mod_f(a, b);
                u64: "rem_u64(a, b)" = a.checked_rem(b).unwrap_or(0);
                i64: "floor_mod_i64(a, b)" = whole_floor_mod(a.into(), b.into()).unwrap_or(0) as i64;
                native: "double_floor_mod(a, b)" = floor_mod_d(a, b);
            }
            /// Remainder with the sign of the dividend (C's `fmod`, ONNX Mod with fmod=1). Integers
            /// give 0 if the divisor is 0.
            FMOD fmod "fmod" (a, b) Same(DTypes::NUMERIC) [Facts {
                cost: Costly, turns: &[(Class::F32, [15, 15]), (Class::F64, [43, 43]), (Class::U64, [64, 0]), (Class::I64, [64, 0])], renormalize: true,
                ..exact(Jumps, BoolsAs(DType::I8), Two(i128::checked_rem),
                    Binary(|g, [a, b], _| [g.clone(), -(g * (a / b).trunc())]))
            }] {
                u32: "select(a % b, vec4<u32>(0u), b == vec4<u32>(0u))" = a.checked_rem(b).unwrap_or(0);
                i32: "rem_i(a, b)" = if b == 0 { 0 } else { a.wrapping_rem(b) };
                f32: "precise_fmod(a, b)" = a % b;
                u64: "rem_u64(a, b)" = a.checked_rem(b).unwrap_or(0);
                i64: "rem_i64(a, b)" = if b == 0 { 0 } else { a.wrapping_rem(b) };
                native: "double_fmod(a, b)" = a % b;
            }
            /// Power. 0 to the power 0 is 1; a negative float base to a whole exponent is a real
            /// number; integers wrap, and a negative integer exponent truncates the quotient (so 2
            /// to the power -1 is 0).
            POW pow "pow" (a, b) Same(DTypes::NUMERIC) [Facts {
                accuracy: Function, curve: Pole(0), algebra: Other, promotion: BoolsAs(DType::I8),
                numbers: Two(|a, b| a.checked_pow(u32::try_from(b).ok()?)),
                cost: Costly, turns: &[(Class::U32, [32, 32]), (Class::I32, [32, 32]), (Class::U64, [64, 64]), (Class::I64, [64, 64])], renormalize: true, target: 0,
                derivative: Binary(|g, [a, b], r| [
                    (g * b * a.pow(b - 1.0)).unless(&b.is(0.0)),
                    (g * r * a.log()).unless(&a.is(0.0).and(&Term::NOTHING.up_to(b))),
                ]),
            }] {
                u32: "pow_u(a, b)" = a.wrapping_pow(b);
                i32: "pow_i(a, b)" = pow_i(a.into(), b.into()) as i32;
                f32: "precise_pow(a, b)" fast "pow(a, b)" = (f64::from(a)).powf(f64::from(b)) as f32;
                u64: "pow_u64(a, b)" = pow_u64(a, b);
                i64: "pow_i64(a, b)" = pow_i(a, b);
                native: "double_pow(a, b)" = if a == 1.0 || b == 0.0 { 1.0 } else { a.powf(b) };
            }
            /// The larger of two operands; NaN if either is NaN.
            MAXIMUM maximum "maximum" (a, b) Same(DTypes::NUMERIC)
            [exact(Ordered, Bools(Op::OR), Two(|a, b| Some(a.max(b))),
                Binary(|g, [a, b], _| halves(g, &a.below(b), &b.below(a))))] {
                u32: "max(a, b)" packed "packed_max(a, b, HIGH)" = a.max(b);
                i32: "max(a, b)" packed "packed_max(a ^ HIGH, b ^ HIGH, HIGH) ^ HIGH" = a.max(b);
                f32: "select(b, a, less_f(b, a) | is_nan_f(a))" = if a > b || a.is_nan() { a } else { b };
                u64: "select_64(b, a, less_u64(b, a))" = a.max(b);
                i64: "select_64(b, a, less_i64(b, a))" = a.max(b);
                f64: "max_f64(a, b)" = if a > b || a.is_nan() { a } else { b };
            }
            /// The smaller of two operands; NaN if either is NaN.
            MINIMUM minimum "minimum" (a, b) Same(DTypes::NUMERIC)
            [exact(Ordered, Bools(Op::AND), Two(|a, b| Some(a.min(b))),
                Binary(|g, [a, b], _| halves(g, &b.below(a), &a.below(b))))] {
                u32: "min(a, b)" packed "packed_min(a, b, HIGH)" = a.min(b);
                i32: "min(a, b)" packed "packed_min(a ^ HIGH, b ^ HIGH, HIGH) ^ HIGH" = a.min(b);
                f32: "select(b, a, less_f(a, b) | is_nan_f(a))" = if a < b || a.is_nan() { a } else { b };
                u64: "select_64(b, a, less_u64(a, b))" = a.min(b);
                i64: "select_64(b, a, less_i64(a, b))" = a.min(b);
                f64: "min_f64(a, b)" = if a < b || a.is_nan() { a } else { b };
            }
            /// `x` limited to the range from `lo` to `hi`; `hi` if `lo` is above it. NaN stays NaN.
            CLIP clip "clip" (x, lo, hi) Same(DTypes::NUMERIC)
            [exact(Ordered, Refuse, Three(|x, lo, hi| Some(x.max(lo).min(hi))), Ternary(slopes::clip))] {
                u32: "min(max(x, lo), hi)" packed "packed_min(packed_max(x, lo, HIGH), hi, HIGH)" = x.max(lo).min(hi);
                i32: "min(max(x, lo), hi)" packed "packed_min(packed_max(x ^ HIGH, lo ^ HIGH, HIGH), hi ^ HIGH, HIGH) ^ HIGH" = x.max(lo).min(hi);
                f32: "clip_f(x, lo, hi)" = clip_f(x, lo, hi);
                u64: "clip_u64(x, lo, hi)" = x.max(lo).min(hi);
                i64: "clip_i64(x, lo, hi)" = x.max(lo).min(hi);
                f64: "clip_f64(x, lo, hi)" = clip_f(x, lo, hi);
            }
            /// `a` if the condition is true, else `b`. Any element type, bits unchanged. Under
            /// PDPD the result has the shape of `a`.
            WHERE where_ "where" (c, a, b) Select(DTypes::ANY) [Facts {
                target: 1,
                ..exact(Monotone, Refuse, Choice,
                    Ternary(|g, [c, _, _], _| [Term::NOTHING, g.only_if(c), g.unless(c)]))
            }] {
                any: "select(b, a, c)" packed "packed_select(b, a, packed_truth(c, HIGH), HIGH)" = if c != 0 { a } else { b };
            }
            /// The operand itself, bits unchanged.
            IDENTITY identity "identity" (x) Same(DTypes::ANY)
            [exact(Monotone, Refuse, One(Some), Unary(|g, _, _| g.clone()))] {
                any: "x" packed "x" = x;
            }
            /// `x`, multiplied by `slope` if it is negative. `x` is the target of one-way rules.
            PRELU prelu "prelu" (x, slope) Same(DTypes::NUMERIC) [Facts {
                accuracy: Fusable, renormalize: true,
                ..exact(Monotone, Refuse, Two(|x, slope| if x < 0 { x.checked_mul(slope) } else { Some(x) }),
                    Binary(|g, [x, slope], _| [
                        x.below(0.0).choose(g * slope, g),
                        (g * x).only_if(&x.below(0.0)),
                    ]))
            }] {
                u32: "x" = { let _ = slope; x };
                i32: "select(x, slope * x, x < vec4<i32>(0i))" = if x < 0 { slope.wrapping_mul(x) } else { x };
                f32: "select(x, slope * x, below_zero_f(x))" = if x < 0.0 { slope * x } else { x };
                u64: "x" = { let _ = slope; x };
                i64: "select_64(x, mul_64(slope, x), negative_64(x))" = if x < 0 { slope.wrapping_mul(x) } else { x };
                native: "double_leaky(x, slope)" = if x < 0.0 { slope * x } else { x };
            }
            /// The operand with the opposite sign; integers wrap; for floats only the sign bit
            /// changes.
            NEG neg "neg" (x) Same(DTypes::NUMERIC) [Facts {
                algebra: Negation, renormalize: true,
                ..exact(Monotone, Refuse, One(i128::checked_neg), Unary(|g, _, _| -g))
            }] {
                u32: "vec4<u32>(0u) - x" packed "packed_sub(vec4<u32>(0u), x, HIGH)" = x.wrapping_neg();
                i32: "-x" packed "packed_sub(vec4<u32>(0u), x, HIGH)" = x.wrapping_neg();
                float_bits: "x ^ vec4<u32>(0x80000000u)" packed "x ^ HIGH" = x ^ 0x8000_0000;
                u64: "neg_64(x)" = x.wrapping_neg();
                i64: "neg_64(x)" = x.wrapping_neg();
                f64: "neg_f64(x)" = -x;
            }
            /// Absolute value; the lowest signed integer wraps to itself; for floats only the sign
            /// bit changes.
            ABS abs "abs" (x) Same(DTypes::NUMERIC) [Facts {
                renormalize: true,
                ..exact(Monotone, Bools(Op::IDENTITY), One(i128::checked_abs), Unary(|g, x, _| g * x.sign()))
            }] {
                u32: "x" packed "x" = x;
                i32: "abs(x)" packed "packed_abs(x, HIGH)" = x.wrapping_abs();
                float_bits: "x & vec4<u32>(0x7fffffffu)" packed "x & ~HIGH" = x & 0x7fff_ffff;
                u64: "x" = x;
                i64: "abs_64(x)" = x.wrapping_abs();
                f64: "magnitude_f64(x)" = x.abs();
            }
            /// Bitwise and.
            BIT_AND bit_and "bit_and" (a, b) Same(DTypes::INTS)
            [bits(Op::AND, Two(|a, b| Some(a & b)))] {
                u32: "a & b" packed "a & b" = a & b;
                i32: "a & b" packed "a & b" = a & b;
                u64: "and_64(a, b)" = a & b;
                i64: "and_64(a, b)" = a & b;
            }
            /// Bitwise or.
            BIT_OR bit_or "bit_or" (a, b) Same(DTypes::INTS)
            [bits(Op::OR, Two(|a, b| Some(a | b)))] {
                u32: "a | b" packed "a | b" = a | b;
                i32: "a | b" packed "a | b" = a | b;
                u64: "or_64(a, b)" = a | b;
                i64: "or_64(a, b)" = a | b;
            }
            /// Bitwise exclusive or.
            BIT_XOR bit_xor "bit_xor" (a, b) Same(DTypes::INTS)
            [bits(Op::XOR, Two(|a, b| Some(a ^ b)))] {
                u32: "a ^ b" packed "a ^ b" = a ^ b;
                i32: "a ^ b" packed "a ^ b" = a ^ b;
                u64: "xor_64(a, b)" = a ^ b;
                i64: "xor_64(a, b)" = a ^ b;
            }
            /// All bits inverted.
            BIT_NOT bit_not "bit_not" (x) Same(DTypes::INTS) [Facts {
                renormalize: true,
                ..exact(Jumps, Bools(Op::NOT), One(|x| Some(!x)), OF_INTEGERS)
            }] {
                u32: "~x" packed "~x" = !x;
                i32: "~x" packed "~x" = !x;
                u64: "not_64(x)" = !x;
                i64: "not_64(x)" = !x;
            }
            /// `a` shifted left by `b` bits; 0 if `b` is negative or not less than the width of the
            /// type.
            SHL shl "shl" (a, b) Same(DTypes::INTS) [Facts {
                renormalize: true,
                ..exact(Monotone, BoolsAs(DType::I8),
                    Two(|a, b| a.checked_mul(1 << u32::try_from(b).ok().filter(|&b| b < 127)?)), OF_INTEGERS)
            }] {
                u32: "shl_u(a, b)" = a.checked_shl(b).unwrap_or(0);
                i32: "shl_i(a, b)" = a.checked_shl(b.cast_unsigned()).unwrap_or(0);
                u64: "shl_64(a, b)" = a.checked_shl(wide_amount(b)).unwrap_or(0);
                i64: "shl_64(a, b)" = a.checked_shl(wide_amount(b.cast_unsigned())).unwrap_or(0);
            }
            /// `a` shifted right by `b` bits; signed integers keep their sign. If `b` is negative
            /// or not less than the width of the type, -1 for a negative number, else 0.
            SHR shr "shr" (a, b) Same(DTypes::INTS)
            [exact(Monotone, BoolsAs(DType::I8), Two(|a, b| (b >= 0).then(|| a >> b.min(127))), OF_INTEGERS)] {
                u32: "shr_u(a, b)" = a.checked_shr(b).unwrap_or(0);
                i32: "shr_i(a, b)" = a >> b.cast_unsigned().min(31);
                u64: "shr_u64(a, b)" = a.checked_shr(wide_amount(b)).unwrap_or(0);
                i64: "shr_i64(a, b)" = a >> wide_amount(b.cast_unsigned()).min(63);
            }
        }
    };
}
pub(crate) use arith_ops;

/// Rows that other operators are lowered to, which have no name anywhere else.
macro_rules! inner_ops {
    ($each:ident) => {
        $each! {
            /// The low 32 bits of `a` above those of `b`.
            CONCAT_WORDS concat_words "concat_words" (a, b) Same(DTypes::of(&[DType::U64]))
            [exact(Jumps, Refuse, Never, OF_INTEGERS)] {
                u64: "Pair(b.lo, a.lo)" = a << 32 | b & u64::from(u32::MAX);
            }
        }
    };
}
pub(crate) use inner_ops;

/// The variadic rows: each folds a binary row from the left over one or more operands.
macro_rules! fold_ops {
    ($each:ident) => {
        $each! {
            /// Sum of all operands, element by element (not along an axis).
            ADD_N add_n "add_n" Same(DTypes::NUMERIC)
            [Refuse, Variadic(|g, x, _| vec![g.clone(); x.len()])] = ADD, None;
            /// Mean of all operands, element by element: their sum divided by their number.
            MEAN_N mean_n "mean_n" Same(DTypes::FLOATS)
            [ToFloats, Variadic(|g, x, _| vec![g / x.len() as f64; x.len()])] = ADD, Some(Op(&DIV));
            /// The largest of all operands, element by element; NaN if any is NaN.
            MAX_N max_n "max_n" Same(DTypes::NUMERIC)
            [Refuse, Variadic(|g, x, r| shares(g, x, |x| x.below(r)))] = MAXIMUM, None;
            /// The smallest of all operands, element by element; NaN if any is NaN.
            MIN_N min_n "min_n" Same(DTypes::NUMERIC)
            [Refuse, Variadic(|g, x, r| shares(g, x, |x| r.below(x)))] = MINIMUM, None;
        }
    };
}
pub(crate) use fold_ops;
