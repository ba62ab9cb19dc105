//! What of an adapter's float arithmetic decides the text of a pass.

use super::limits::Limits;
use super::operand::Step;
use crate::dtype::{Class, DType};

/// Which of an adapter's ways with floats a pass makes use of: what it has no use for is false, so
/// that a pass without floats has one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Floats {
    /// Floats are compared as such, since the adapter keeps subnormal numbers.
    pub subnormals: bool,
    /// Halves are converted by the adapter's own instructions.
    pub halves: bool,
    /// So is a NaN that arithmetic made.
    pub half_nans: bool,
}

impl Floats {
    /// Of a pass with these steps, or without steps a matrix product of elements of type `product`.
    pub fn new(limits: &Limits, steps: &[Step], product: Option<DType>) -> Self {
        let any = |is: &dyn Fn(&Step) -> bool| steps.iter().any(is);
        let f16 = |s: &Step| s.operand == DType::F16 || s.dtype == DType::F16;
        let halves = limits.halves && (product == Some(DType::F16) || any(&f16));
        Self {
            subnormals: limits.subnormals && any(&|s| s.operand.class() == Class::F32),
            halves,
            half_nans: halves && limits.half_nans,
        }
    }
}
