//! Optimisation barriers, which keep a compiler from treating floats as real numbers.
//!
//! Some drivers reassociate sums, cancel equal terms and merge roundings unless naga forbids it:
//! Mesa turns `x - x` into 0, even of an infinity or NaN, and `1 / (1 / x)` into x, undoes
//! `(x + 1e8) - 1e8`, and rounds a product and a sum once. So a value goes through an integer
//! operation with a word of the table that is 0, which no compiler can know.
//!
//! Results and operands go through different operations. To repeat an `or` changes nothing, so an
//! operand that went through its result's `or` again would be the same value, and two names of one
//! value would cancel as before. An exclusive or would undo the `or` if a compiler knows the value:
//! it would turn 0 into a known 0 again. A sum does neither. No code asks whether two operands are
//! one value: a driver compares values, not names.
//!
//! If the probe finds that a compiler does none of this for a float type, its arithmetic has no
//! barriers; if it only rounds a product and a sum once, barriers are between the two. If `fma`
//! rounds once, sums and products use it instead at no cost: compilers do not take it apart.

use super::key::KernelKey;
use super::template::emit;
use crate::dtype::{Class, DType};
use crate::op::{Algebra, Folding, Operands};
use crate::plan::{Arg, FoldStep, Merges, Step};

/// The functions, for the tail of a kernel.
pub(super) fn functions(key: &KernelKey, out: &mut String) {
    let doubles = computes_f64(key) && merges(key, DType::F64).any();
    if !key.floats.singles.any() && !doubles {
        return;
    }
    let zero = "vec4<u32>(table.zero)";
    for (suffix, operation) in [("", "|"), ("_operand", "+")] {
        emit! { out, suffix, operation, zero;
            "fn opaque{suffix}(v: vec4<f32>) -> vec4<f32> {"
            "    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) {operation} {zero});"
            "}"
        }
        if doubles {
            emit! { out, suffix, operation, zero;
                "fn opaque{suffix}_64(v: Pair) -> Pair {"
                "    return Pair(v.lo {operation} {zero}, v.hi);"
                "}"
            }
        }
    }
}

/// Whether doubles are computed with.
fn computes_f64(key: &KernelKey) -> bool {
    let mut steps = key.steps.iter();
    let folds = key.folds.iter().any(|f| f.dtype == DType::F64);
    folds || steps.any(|s| s.op.needs_f64(s.operand) || s.dtype == DType::F64)
}

/// How the compiler rewrites floats of this type.
fn merges(key: &KernelKey, dtype: DType) -> Merges {
    match dtype {
        // No compiler rewrites integers.
        DType::F64 if key.soft => Merges::NONE,
        DType::F64 => key.floats.doubles,
        _ => key.floats.singles,
    }
}

/// The form of each step that is written by `fma`: a sum with a product by 1, a product with a sum
/// with -0, each rounded once. No compiler knows the 1 and the -0. Such a step needs no barrier
/// before another one or a product, and a step that adds its result must have such a form too,
/// since compilers move plain sums into an `fma` before them.
pub(super) fn fused_forms(key: &KernelKey) -> Vec<Option<&'static str>> {
    let mut forms = vec![None; key.steps.len()];
    if !key.floats.fused {
        return forms;
    }
    for (j, step) in key.steps.iter().enumerate() {
        let is_fused = |arg: &Arg| match *arg {
            Arg::Step(k) => forms[k].is_some(),
            Arg::Fold(k) => fused_fold(key, &key.folds[k]).is_some(),
            Arg::Input(_) | Arg::Scalar(_) | Arg::Position => false,
        };
        let adds = step.op.is_sum() && step.args.iter().any(is_fused);
        if step.operand.class() == Class::F32
            && (adds || operand_may_cancel(key, step) || result_may_merge(key, j))
        {
            forms[j] = match step.op.facts().algebra {
                Algebra::Sum => Some("fma(a, float_one(), b)"),
                Algebra::Difference => Some("fma(a, float_one(), -b)"),
                Algebra::Product => Some("fma(a, b, float_minus_zero())"),
                Algebra::Negation | Algebra::Other => None,
            };
        }
    }
    forms
}

/// The form of a fold that is written by `fma`, since its term is.
pub(super) fn fused_fold(key: &KernelKey, fold: &FoldStep) -> Option<&'static str> {
    let computed = matches!(fold.arg, Arg::Step(_));
    let added = || fold.op == Folding::Prod && key.steps.iter().any(|s| adds(key, s, fold));
    let merges = key.floats.singles;
    let careful = merges.reassociates || merges.contracts && (computed || added());
    if !key.floats.fused || !careful || fold.dtype != DType::F32 {
        return None;
    }
    match fold.op {
        Folding::Sum => Some("fma(a, float_one(), b)"),
        Folding::Prod => Some("fma(a, b, float_minus_zero())"),
        Folding::Max | Folding::Min | Folding::First | Folding::Or | Folding::And => None,
    }
}

/// Whether the result of a fold goes through a barrier: a compiler may change the order of sums, and
/// may leave a product unrounded that is added.
pub(super) fn is_opaque_fold(key: &KernelKey, fold: &FoldStep) -> bool {
    let merges = merges(key, fold.dtype);
    let added = || key.steps.iter().any(|s| adds(key, s, fold));
    let is_merged = match fold.op {
        Folding::Sum => merges.reassociates,
        Folding::Prod => merges.reassociates || merges.contracts && added(),
        Folding::Max | Folding::Min | Folding::First | Folding::Or | Folding::And => false,
    };
    is_merged && fold.dtype.is_float()
}

/// Whether a step adds the result of a fold.
fn adds(key: &KernelKey, step: &Step, fold: &FoldStep) -> bool {
    let is_it = |arg: &Arg| matches!(*arg, Arg::Fold(k) if key.folds[k] == *fold);
    step.op.is_sum() && step.args.iter().any(is_it)
}

/// Whether the result of step `j` goes through a barrier. `fused`: it is written by `fma`.
pub(super) fn is_opaque(key: &KernelKey, j: usize, fused: bool) -> bool {
    let leaves = |s: &Step| s.args.contains(&Arg::Step(j)) && !s.op.facts().algebra.is_arithmetic();
    result_may_merge(key, j) && (!fused || key.steps.iter().any(leaves))
}

/// A float that a compiler cannot rewrite: `opaque(value)`, or `opaque_operand(value)` if the compiler
/// must not recognise it as another operand of the same step.
pub(super) fn opaque(through: &str, dtype: DType, value: &str) -> String {
    let wide = if dtype == DType::F64 { "_64" } else { "" };
    format!("{through}{wide}({value})")
}

/// The storage bits of a matrix product's sum, which a compiler may merge with the steps on it.
pub(super) fn opaque_sum(key: &KernelKey, sum: &FoldStep, bits: &str) -> String {
    match sum.dtype.is_float() && merges(key, sum.dtype).any() {
        true => opaque_bits(sum.dtype, bits),
        false => bits.to_owned(),
    }
}

/// The storage bits of a float that a compiler must take as they are.
pub(super) fn opaque_bits(dtype: DType, bits: &str) -> String {
    match dtype {
        DType::F64 => format!("opaque_64({bits})"),
        _ => format!("({bits} | vec4<u32>(table.zero))"),
    }
}

/// Whether the bits of step `j` go through a barrier: a compiler that takes floats for real numbers leaves out two
/// conversions that undo each other, and with them the rounding to a half. Integer code it leaves alone.
pub(super) fn is_opaque_half(key: &KernelKey, j: usize) -> bool {
    let of_folds = key.folds.iter().map(|fold| &fold.arg);
    let mut read = key.steps.iter().flat_map(|s| &s.args).chain(of_folds);
    let rounds = key.steps[j].dtype == DType::F16 && key.floats.halves && key.floats.singles.any();
    rounds && read.any(|arg| *arg == Arg::Step(j))
}

/// Whether a step makes a float of computed integers: a compiler may know it, as it knows `y ^ y`,
/// and then takes 0 times infinity for 0.
pub(super) fn is_float_of_integers(key: &KernelKey, step: &Step) -> bool {
    merges(key, step.dtype).reassociates
        && step.dtype.is_float()
        && !step.operand.is_float()
        && matches!(step.args[0], Arg::Step(_))
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
    let reassociates = merges(key, step.operand).reassociates;
    cancels && reassociates && step.operand.is_float() && step.args.len() > 1
}

/// Whether a compiler may merge step `j`, which rounds, with a step or a fold that reads it. Halves
/// are bits between two steps. A sum of equal terms is a product by a constant, which is moved to any
/// other factor.
fn result_may_merge(key: &KernelKey, j: usize) -> bool {
    let step = &key.steps[j];
    let read = step.op.form(step.operand).map(|form| form.read);
    let rounds = read == Some(Operands::Native) && step.dtype.is_float()
        || step.dtype == DType::F32 && read == Some(Operands::Values);
    let is_product = |s: &Step| s.op.facts().algebra == Algebra::Product;
    let Merges {
        reassociates,
        contracts,
    } = merges(key, step.dtype);
    // Only what is a product, as quotients and roots may be, and only if it is added.
    let contracts = contracts && !step.op.is_sum();
    let merges = |s: &Step| {
        let added = contracts && !is_product(s) && !s.op.is_test();
        s.args.contains(&Arg::Step(j)) && (reassociates || added)
    };
    let folds = |fold: &FoldStep| {
        let merged = match fold.op {
            Folding::Sum => reassociates || contracts,
            Folding::Prod => reassociates,
            _ => false,
        };
        merged && fold.arg == Arg::Step(j) && fold.dtype.is_float()
    };
    let merged = key.steps.iter().any(merges) || key.folds.iter().any(folds);
    step.op.facts().renormalize && rounds && merged
}
