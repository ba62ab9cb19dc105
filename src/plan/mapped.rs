//! A pass with the decisions that its kernel and its bindings follow from.

use super::binding::Range;
use super::fold::FoldSchedule;
use super::operand::{Access, Source, Target};
use super::schedule::{Candidate, Load, Schedule};
use super::store::Store;
use crate::dtype::DType;
use crate::layout::Layout;

/// An input of a pass.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub source: Source,
    pub access: Access,
    pub dtype: DType,
    /// On the axes of the pass, before canonicalisation.
    pub layout: Layout,
    /// Along the canonical axes, in units of `per_word` elements.
    pub strides: Vec<isize>,
    pub load: Load,
    pub range: Range,
    /// Of the element at index 0, in such units from the binding's start.
    pub offset: u32,
    /// Elements per word if the pass works on words, else 1.
    pub per_word: u32,
}

/// The output of a pass.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub target: Target,
    pub dtype: DType,
    /// Of the elements that it writes.
    pub layout: Layout,
    pub store: Store,
    pub range: Range,
    /// Of its first element, in units of `per_word` elements from the binding's start.
    pub offset: u32,
    /// Elements per word if the pass works on words, else 1.
    pub per_word: u32,
    /// Of a matrix product, how its rows lie in the output.
    pub rows: Option<Rows>,
}

/// How the rows that a matrix product computes lie in its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// Elements from one row to the next.
    pub pitch: u32,
    /// Elements from one batch to the next.
    pub apart: u32,
    /// Layers of the grid that a batch takes.
    pub layers: u32,
    /// Whether the products are added to what is there.
    pub adds: bool,
}

/// What a pass does with its extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Work {
    /// It computes each element of its output from the inputs' elements of the same index.
    Map(Schedule),
    /// It multiplies two matrices: a workgroup computes a tile.
    Contract,
    /// It folds its elements along some axes.
    Fold(FoldSchedule),
    /// It takes elements of its first input at the positions that its second one is.
    Take,
}

impl Work {
    /// The schedule of an elementwise pass.
    pub fn schedule(&self) -> Option<&Schedule> {
        match self {
            Self::Map(schedule) => Some(schedule),
            Self::Contract | Self::Fold(_) | Self::Take => None,
        }
    }

    /// How a pass folds.
    pub fn fold(&self) -> Option<&FoldSchedule> {
        match self {
            Self::Fold(schedule) => Some(schedule),
            Self::Map(_) | Self::Contract | Self::Take => None,
        }
    }

    /// Invocations of a workgroup along x and y.
    pub fn workgroup(&self) -> [u32; 2] {
        match self {
            Self::Map(schedule) => schedule.workgroup,
            Self::Contract => [CONTRACT_SIDE; 2],
            Self::Fold(schedule) => [schedule.workgroup(), 1],
            Self::Take => [TAKE_WIDTH, 1],
        }
    }
}

/// Invocations of a matrix product's workgroup along each axis; each computes four rows of a quad.
pub(super) const CONTRACT_SIDE: u32 = 16;
/// Invocations of a workgroup that takes elements; each computes a quad.
pub(super) const TAKE_WIDTH: u32 = 64;

/// A pass with all that is decided of it.
pub(crate) struct Mapped {
    pub inputs: Vec<Input>,
    pub output: Output,
    /// Canonical extents, outermost first, the last in units of the output's.
    pub extents: Vec<usize>,
    pub work: Work,
    /// The schedules that it may have, the cheapest of which it has unless another was asked for.
    pub candidates: Vec<Candidate>,
    /// Workgroups along x, y, z.
    pub grid: [u32; 3],
    /// Turns of loops that an invocation takes at most.
    pub turns: usize,
}
