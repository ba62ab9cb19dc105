//! What a pass makes of its rows: a fold of each, or a scan.

use crate::dtype::DType;
use crate::op::Folding;
use crate::plan::operand::Arg;

/// A value of a pass folded along its reduced axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FoldStep {
    pub op: Folding,
    pub arg: Arg,
    /// The type of the elements and of the result: of 32 or 64 bits.
    pub dtype: DType,
}

/// What all results of a row begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Begin {
    Nothing,
    /// A 0 of a float type, with which no sum is -0.
    Zero,
    /// This input, which repeats along a row.
    Input(usize),
}

/// How the elements of rows are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScanStep {
    pub begin: Begin,
    /// Whether a result is without its own element.
    pub exclusive: bool,
    /// Whether each row's total is written, not a result for each element.
    pub total: bool,
}

impl ScanStep {
    /// One of all elements of a row.
    pub fn new(op: Folding, is_float: bool, exclusive: bool) -> Self {
        let begin = match op == Folding::Sum && is_float && exclusive {
            true => Begin::Zero,
            false => Begin::Nothing,
        };
        Self {
            begin,
            exclusive,
            total: false,
        }
    }
}
