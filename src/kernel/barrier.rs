//! Optimisation barriers: what keeps a compiler from treating floats as real numbers.
//!
//! Some drivers reassociate sums, cancel equal terms and merge roundings if naga says nothing of
//! it: Mesa makes 0 of `x - x`, be it infinite or NaN, x of `1 / (1 / x)`, undoes `(x + 1e8) -
//! 1e8`, and rounds a product and a sum once. So a value goes through an integer operation with a
//! word of the table that is 0, which no compiler can know.
//!
//! Results and operands go through different operations. An `or` is the same however often it is
//! applied, so an operand that went through the one of its step's result again would be that
//! result, and two names of one value would cancel as before. An exclusive or would undo the `or`
//! if a compiler knows the value: of 0 it would make a known 0 again. A sum does neither.
//! Whether two operands are one value is not asked: a driver compares values, not names.

use super::key::KernelKey;
use super::template::emit;
use crate::dtype::{Class, DType};
use crate::op::{Algebra, Operands};
use crate::plan::{Arg, Step};

/// The functions, for the tail of a kernel.
pub(super) fn functions(key: &KernelKey, out: &mut String) {
    let zero = "vec4<u32>(table.zero)";
    for (suffix, operation) in [("", "|"), ("_operand", "+")] {
        emit! { out, suffix, operation, zero;
            "fn opaque{suffix}(v: vec4<f32>) -> vec4<f32> {"
            "    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) {operation} {zero});"
            "}"
        }
        if key
            .steps
            .iter()
            .any(|s| s.op.needs_f64(s.operand) || s.dtype == DType::F64)
        {
            emit! { out, suffix, operation, zero;
                "fn opaque{suffix}_64(v: Pair) -> Pair {"
                "    return Pair(v.lo {operation} {zero}, v.hi);"
                "}"
            }
        }
    }
}

/// A float that a compiler must take as it is.
pub(super) fn opaque(dtype: DType, value: &str) -> String {
    if dtype.class() == Class::F64 {
        format!("opaque_64({value})")
    } else {
        format!("opaque({value})")
    }
}

/// The storage bits of a float that a compiler must take as they are.
pub(super) fn opaque_bits(dtype: DType, bits: &str) -> String {
    if dtype.class() == Class::F64 {
        format!("opaque_64({bits})")
    } else {
        format!("({bits} | vec4<u32>(table.zero))")
    }
}

/// A float operand that a compiler must not find to be another operand of its step.
pub(super) fn opaque_operand(dtype: DType, operand: &str) -> String {
    if dtype.class() == Class::F64 {
        format!("opaque_operand_64({operand})")
    } else {
        format!("opaque_operand({operand})")
    }
}

/// Whether a step makes a float of computed integers: a compiler may know it, as it knows `y ^ y`,
/// and then takes 0 times infinity for 0.
pub(super) fn is_float_of_integers(step: &Step) -> bool {
    step.dtype.is_float() && !step.operand.is_float() && matches!(step.args[0], Arg::Step(_))
}

/// Whether the operands of a step may cancel each other if they are one value: in all arithmetic
/// on several floats but products, and in sums only if something was negated.
pub(super) fn operand_may_cancel(key: &KernelKey, step: &Step) -> bool {
    let negates = |s: &Step| s.op.facts().algebra == Algebra::Negation && s.operand.is_float();
    let cancels = match step.op.facts().algebra {
        Algebra::Product => false,
        Algebra::Sum => key.steps.iter().any(negates),
        Algebra::Difference | Algebra::Negation | Algebra::Other => step.op.facts().renormalize,
    };
    cancels && step.operand.is_float() && step.args.len() > 1
}

/// Whether a compiler may merge step `j`, which rounds, with a step that reads it. Halves are
/// rounded by integers. A product is distributed over a sum only if a factor is known to be 1 or
/// the like, and numbers are uniforms here.
pub(super) fn result_may_merge(key: &KernelKey, j: usize) -> bool {
    let step = &key.steps[j];
    let read = step.op.form(step.operand).map(|form| form.read);
    let rounds = read == Some(Operands::Native)
        || step.dtype == DType::F32 && read == Some(Operands::Values);
    let sum = step.op.is_sum();
    let merges = |s: &Step| {
        s.args.contains(&Arg::Step(j)) && !(sum && s.op.facts().algebra == Algebra::Product)
    };
    step.op.facts().renormalize && rounds && key.steps.iter().any(merges)
}
