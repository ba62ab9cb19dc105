//! Rows: comparisons and logic.

/// The list; see [`super::arith`] for the notation.
macro_rules! compare_ops {
    ($each:ident) => {
        $each! {
            /// Whether the operands are equal. NaN equals nothing, -0 equals 0.
            EQUAL equal "equal" (a, b) Test(DTypes::ANY)
            [comparison(Ties, |order| order == Some(Equal))] {
                bool: "a == b" packed "packed_bool(packed_truth(a, HIGH) ^ packed_truth(b, HIGH) ^ HIGH, HIGH)" = a == b;
                u32: "a == b" packed "packed_bool(packed_truth(a ^ b, HIGH) ^ HIGH, HIGH)" = a == b;
                i32: "a == b" packed "packed_bool(packed_truth(a ^ b, HIGH) ^ HIGH, HIGH)" = a == b;
                f32: "equal_f(a, b)" = a == b;
                u64: "equal_64(a, b)" = a == b;
                i64: "equal_64(a, b)" = a == b;
                f64: "equal_f64(a, b)" = a == b;
            }
            /// Whether the operands differ; true if either is NaN.
            NOT_EQUAL not_equal "not_equal" (a, b) Test(DTypes::ANY)
            [comparison(Ties, |order| order != Some(Equal))] {
                bool: "a != b" packed "packed_bool(packed_truth(a, HIGH) ^ packed_truth(b, HIGH), HIGH)" = a != b;
                u32: "a != b" packed "packed_bool(packed_truth(a ^ b, HIGH), HIGH)" = a != b;
                i32: "a != b" packed "packed_bool(packed_truth(a ^ b, HIGH), HIGH)" = a != b;
                f32: "!equal_f(a, b)" = a != b;
                u64: "!equal_64(a, b)" = a != b;
                i64: "!equal_64(a, b)" = a != b;
                f64: "!equal_f64(a, b)" = a != b;
            }
            /// Whether `a` is less than `b`; false if either is NaN.
            LESS less "less" (a, b) Test(DTypes::NUMERIC)
            [comparison(Ordered, |order| matches!(order, Some(Less)))] {
                u32: "a < b" packed "packed_bool(packed_less(a, b, HIGH), HIGH)" = a < b;
                i32: "a < b" packed "packed_bool(packed_less(a ^ HIGH, b ^ HIGH, HIGH), HIGH)" = a < b;
                f32: "less_f(a, b)" = a < b;
                u64: "less_u64(a, b)" = a < b;
                i64: "less_i64(a, b)" = a < b;
                f64: "less_f64(a, b)" = a < b;
            }
            /// Whether `a` is less than or equal to `b`; false if either is NaN.
            LESS_OR_EQUAL less_equal "less_equal" (a, b) Test(DTypes::NUMERIC)
            [comparison(Ordered, |order| matches!(order, Some(Less | Equal)))] {
                u32: "a <= b" packed "packed_bool(packed_less(b, a, HIGH) ^ HIGH, HIGH)" = a <= b;
                i32: "a <= b" packed "packed_bool(packed_less(b ^ HIGH, a ^ HIGH, HIGH) ^ HIGH, HIGH)" = a <= b;
                f32: "less_equal_f(a, b)" = a <= b;
                u64: "!less_u64(b, a)" = a <= b;
                i64: "!less_i64(b, a)" = a <= b;
                f64: "!less_f64(b, a) & !is_nan_f64(a) & !is_nan_f64(b)" = a <= b;
            }
            /// Whether `a` is greater than `b`; false if either is NaN.
            GREATER greater "greater" (a, b) Test(DTypes::NUMERIC)
            [comparison(Ordered, |order| matches!(order, Some(Greater)))] {
                u32: "a > b" packed "packed_bool(packed_less(b, a, HIGH), HIGH)" = a > b;
                i32: "a > b" packed "packed_bool(packed_less(b ^ HIGH, a ^ HIGH, HIGH), HIGH)" = a > b;
                f32: "less_f(b, a)" = a > b;
                u64: "less_u64(b, a)" = a > b;
                i64: "less_i64(b, a)" = a > b;
                f64: "less_f64(b, a)" = a > b;
            }
            /// Whether `a` is greater than or equal to `b`; false if either is NaN.
            GREATER_OR_EQUAL greater_equal "greater_equal" (a, b) Test(DTypes::NUMERIC)
            [comparison(Ordered, |order| matches!(order, Some(Greater | Equal)))] {
                u32: "a >= b" packed "packed_bool(packed_less(a, b, HIGH) ^ HIGH, HIGH)" = a >= b;
                i32: "a >= b" packed "packed_bool(packed_less(a ^ HIGH, b ^ HIGH, HIGH) ^ HIGH, HIGH)" = a >= b;
                f32: "less_equal_f(b, a)" = a >= b;
                u64: "!less_u64(a, b)" = a >= b;
                i64: "!less_i64(a, b)" = a >= b;
                f64: "!less_f64(a, b) & !is_nan_f64(a) & !is_nan_f64(b)" = a >= b;
            }
            /// Logical and.
            AND logical_and "logical_and" (a, b) Same(DTypes::BOOL) [logic()] {
                bool: "a & b" packed "packed_bool(packed_truth(a, HIGH) & packed_truth(b, HIGH), HIGH)" = a & b;
            }
            /// Logical or.
            OR logical_or "logical_or" (a, b) Same(DTypes::BOOL) [logic()] {
                bool: "a | b" packed "packed_bool(packed_truth(a | b, HIGH), HIGH)" = a | b;
            }
            /// Logical exclusive or.
            XOR logical_xor "logical_xor" (a, b) Same(DTypes::BOOL) [logic()] {
                bool: "a != b" packed "packed_bool(packed_truth(a, HIGH) ^ packed_truth(b, HIGH), HIGH)" = a != b;
            }
            /// Logical not.
            NOT logical_not "logical_not" (x) Same(DTypes::BOOL) [logic()] {
                bool: "!x" packed "packed_bool(packed_truth(x, HIGH) ^ HIGH, HIGH)" = !x;
            }
            /// Whether the operand is NaN.
            IS_NAN is_nan "isnan" (x) Test(DTypes::FLOATS) [float_test()] {
                float_bits: "(x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u)" = x & 0x7fff_ffff > 0x7f80_0000;
                f64: "is_nan_f64(x)" = x.is_nan();
            }
            /// Whether the operand is infinite.
            IS_INF is_inf "isinf" (x) Test(DTypes::FLOATS) [float_test()] {
                float_bits: "(x & vec4<u32>(0x7fffffffu)) == vec4<u32>(0x7f800000u)" = x & 0x7fff_ffff == 0x7f80_0000;
                f64: "is_inf_f64(x)" = x.is_infinite();
            }
        }
    };
}
pub(crate) use compare_ops;
