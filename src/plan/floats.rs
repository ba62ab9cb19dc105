//! What of an adapter's float arithmetic decides the text of a pass.

use super::fold::FoldStep;
use super::limits::Limits;
use super::merges::Merges;
use super::operand::Step;
use crate::dtype::{Class, DType};
use crate::op::Folding;

/// Which of an adapter's ways with floats a pass makes use of. What it has no use for is as on an
/// adapter that nothing is known of, so that a pass without floats has one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Floats {
    /// Floats are compared as such, since the adapter keeps subnormal numbers.
    pub subnormals: bool,
    /// Halves are converted by the adapter's own instructions.
    pub halves: bool,
    /// So is a NaN that arithmetic made.
    pub half_nans: bool,
    /// What the compiler makes of f32, as which narrower types are computed too.
    pub singles: Merges,
    /// The same of f64.
    pub doubles: Merges,
    /// `fma` rounds once.
    pub fused: bool,
    /// Quotients are rounded once.
    pub quotients: bool,
}

impl Default for Floats {
    fn default() -> Self {
        Self {
            subnormals: false,
            halves: false,
            half_nans: false,
            singles: Merges::UNKNOWN,
            doubles: Merges::UNKNOWN,
            fused: false,
            quotients: false,
        }
    }
}

impl Floats {
    /// Of a pass with these steps, or without steps a matrix product of elements of type `product`.
    pub fn new(
        limits: &Limits,
        steps: &[Step],
        folds: &[FoldStep],
        product: Option<DType>,
    ) -> Self {
        let any = |is: &dyn Fn(&Step) -> bool| steps.iter().any(is);
        let computes = any(&|s| s.operand.class() == Class::F32);
        let compares = |fold: &FoldStep| {
            let orders = matches!(fold.op, Folding::Max | Folding::Min);
            orders && fold.dtype == DType::F32
        };
        let f16 = |s: &Step| s.operand == DType::F16 || s.dtype == DType::F16;
        let halves = limits.halves && (product == Some(DType::F16) || any(&f16));
        let adds = |fold: &FoldStep| matches!(fold.op, Folding::Sum | Folding::Prod);
        let folds_floats = folds.iter().any(|f| adds(f) && f.dtype.is_float());
        let folds_f32 = folds.iter().any(|f| adds(f) && f.dtype == DType::F32);
        let floats = folds_floats || any(&|s| s.operand.is_float() || s.dtype.is_float());
        let f64 = |s: &Step| s.dtype == DType::F64 || s.op.needs_f64(s.operand);
        let doubles = any(&f64) || folds.iter().any(|f| f.dtype == DType::F64);
        let known = |merges: Merges, is: bool| if is { merges } else { Merges::UNKNOWN };
        Self {
            subnormals: limits.subnormals && (computes || folds.iter().any(compares)),
            halves,
            half_nans: halves && limits.half_nans,
            singles: known(limits.singles(), floats),
            doubles: known(limits.doubles(), doubles),
            fused: limits.fused && (computes || folds_f32 && limits.reassociates),
            quotients: limits.quotients && computes,
        }
    }
}
