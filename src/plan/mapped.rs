//! A pass with the decisions that its kernel and its bindings follow from.

use super::binding::{Bound, Range};
use super::fold::{FoldCandidate, FoldSchedule};
use super::operand::{Access, Destination, Operand, Source, Target};
use super::schedule::{Candidate, Load, Schedule, ScheduleName};
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

impl Operand {
    /// The input of a pass that it is, bound so.
    pub fn input(&self, bound: &Bound, strides: Vec<isize>, load: Load) -> Input {
        Input {
            source: self.source,
            access: self.access(),
            dtype: self.slot.dtype,
            layout: self.placed(),
            strides,
            load,
            range: bound.range,
            offset: bound.offset,
            per_word: 1,
        }
    }
}

impl Destination {
    /// The output of a pass that it is, bound so.
    pub fn output(&self, bound: &Bound, store: Store) -> Output {
        Output {
            target: self.target,
            dtype: self.slot.dtype,
            layout: self.slot.layout.clone(),
            store,
            range: bound.range,
            offset: bound.offset,
            per_word: 1,
        }
    }
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
}

/// What a pass does with its extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Work {
    /// It computes each element of its output from the inputs' elements of the same index.
    Map(Schedule),
    /// It folds its elements along some axes.
    Fold(FoldSchedule),
    /// What a shader of its own makes of two inputs, and steps on what a product makes.
    Own(&'static OwnWork),
}

/// What a shader is for that walks the axes of a pass as they are.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct OwnWork {
    /// What plans call it.
    pub name: &'static str,
    /// The first words of its table.
    pub header: &'static [&'static str],
    /// Invocations of a workgroup along x and y.
    pub workgroup: [u32; 2],
    /// Quads of an invocation.
    pub quads: u32,
    /// Whether it multiplies and adds elements.
    pub multiplies: bool,
}

impl Work {
    /// The schedule of an elementwise pass.
    pub fn schedule(&self) -> Option<&Schedule> {
        match self {
            Self::Map(schedule) => Some(schedule),
            Self::Fold(_) | Self::Own(_) => None,
        }
    }

    /// How a pass folds.
    pub fn fold(&self) -> Option<&FoldSchedule> {
        match self {
            Self::Fold(schedule) => Some(schedule),
            Self::Map(_) | Self::Own(_) => None,
        }
    }

    /// Quads of an invocation, or units of a schedule.
    pub fn quads(&self) -> u32 {
        match self {
            Self::Map(schedule) => schedule.beside * schedule.rows(),
            Self::Own(own) => own.quads,
            Self::Fold(_) => 1,
        }
    }

    /// Whether it multiplies matrices.
    pub fn multiplies(&self) -> bool {
        matches!(self, Self::Own(own) if own.multiplies)
    }

    /// Invocations of a workgroup along x and y.
    pub fn workgroup(&self) -> [u32; 2] {
        match self {
            Self::Map(schedule) => schedule.workgroup,
            Self::Fold(schedule) => [schedule.workgroup(), 1],
            Self::Own(own) => own.workgroup,
        }
    }
}

/// The schedules that a pass may have.
#[derive(Clone, Debug)]
pub(crate) enum Candidates {
    /// The cheapest is taken unless another is wanted.
    Map(Vec<Candidate>),
    /// The first is taken unless another is wanted.
    Fold(Vec<FoldCandidate>),
}

impl Candidates {
    pub const NONE: Self = Self::Map(Vec::new());

    pub fn have(&self, name: ScheduleName) -> bool {
        match self {
            Self::Map(all) => all.iter().any(|c| c.name == name),
            Self::Fold(all) => all.iter().any(|c| c.name == name),
        }
    }
}

/// A pass with all that is decided of it.
pub(crate) struct Mapped {
    pub inputs: Vec<Input>,
    pub output: Output,
    /// Canonical extents, outermost first, the last in units of the output's.
    pub extents: Vec<usize>,
    pub work: Work,
    pub candidates: Candidates,
    /// Workgroups along x, y, z.
    pub grid: [u32; 3],
    /// Turns of loops that an invocation takes at most.
    pub turns: usize,
}
