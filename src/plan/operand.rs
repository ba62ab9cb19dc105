//! What passes read and write: buffers, steps and the operands of both.

use super::slot::Slot;
use crate::dtype::DType;
use crate::op::Op;

/// Where a binding's bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Source {
    Slot(usize),
    Temporary(usize),
}

impl Source {
    /// What errors call it.
    pub fn name_in_errors(self) -> String {
        match self {
            Self::Slot(s) => format!("input {s}"),
            Self::Temporary(_) => "an intermediate result".into(),
        }
    }
}

/// Where a pass writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Output(usize),
    Temporary(usize),
}

impl Target {
    /// What errors call it.
    pub fn name_in_errors(self) -> String {
        match self {
            Self::Output(k) => format!("output {k}"),
            Self::Temporary(_) => "an intermediate result".into(),
        }
    }
}

/// An input of a pass before it is mapped: its buffer, and where its elements lie in it on the axes
/// of the pass.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub source: Source,
    pub slot: Slot,
}

/// The output of a pass before it is mapped.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub target: Target,
    pub slot: Slot,
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arg {
    Input(usize),
    Scalar(usize),
    Step(usize),
    /// The folded value of this number.
    Fold(usize),
    /// The number of an element along the reduced axes, as u32.
    Position,
}

/// One operator of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub op: Op,
    pub args: Vec<Arg>,
    /// The type of its data operands.
    pub operand: DType,
    /// The type of its result.
    pub dtype: DType,
}

impl Step {
    /// Whether it computes with 64-bit elements.
    pub(super) fn is_wide(&self) -> bool {
        self.operand.size() == 8 || self.dtype.size() == 8
    }
}

/// A buffer for results of passes that later passes read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Temporary {
    pub dtype: DType,
    pub len: usize,
}
