//! `Plan`: everything that is decided before a device is touched.
//!
//! An expression over slots of known type and layout becomes passes. Each pass is one dispatch,
//! with its canonical axes, the load of each input, the mapping from invocations to elements, the
//! grid and the words of its uniform table. A plan prints itself and needs no GPU.
//!
//! ```
//! use zerostride::{DType, Expr, Limits, Options, Plan, Slot};
//!
//! // A row of 3 is added to each row of a [2, 3] array.
//! let slots = [Slot::new(DType::F32, [2, 3])?, Slot::new(DType::F32, [3])?];
//! let sum = Expr::slot(0).add(&Expr::slot(1));
//! let plan = Plan::new(&sum, &slots, &Options::default().with_limits(Limits::WEBGPU))?;
//! assert_eq!(plan.pass_count(), 1);
//! assert_eq!(plan.bytes_moved(), 4 * (6 + 3 + 6));
//! println!("{}", plan.explain(&["a", "row"]));
//! # Ok::<(), zerostride::Error>(())
//! ```

mod arithmetic;
#[cfg(any(test, fuzzing))]
mod audit;
mod batches;
mod binding;
mod block;
mod body;
mod boxes;
mod canonical;
mod checks;
mod choice;
mod columns;
#[cfg(feature = "files")]
mod cover;
mod cut;
mod donation;
mod epilogue;
mod explain;
#[cfg(feature = "files")]
mod file_box;
mod fit;
mod fold;
mod given;
mod infer;
mod joined;
mod limits;
mod lower;
mod magic;
mod mapped;
mod merges;
#[cfg(feature = "files")]
mod needs;
mod operand;
mod options;
mod ordered;
mod partition;
mod pass;
#[cfg(feature = "files")]
mod pieces;
mod planner;
mod product;
mod rank;
mod reads;
mod schedule;
mod slot;
mod steps;
mod store;
#[cfg(feature = "files")]
mod streamed;
mod table;
mod take;
mod temporaries;
mod window;
mod windowed;
mod words;

pub use arithmetic::{Arithmetic, FloatFact};
#[cfg(any(test, fuzzing))]
pub use audit::Trial;
#[cfg(feature = "files")]
pub(crate) use boxes::{Cut, Window};
#[cfg(feature = "files")]
pub(crate) use file_box::FileBox;
pub(crate) use fold::{
    Across, Begin, FoldSchedule, FoldStep, FullSteps, ROW_LANES, STORED_TOGETHER, ScanStep, Stages,
};
pub use limits::Limits;
#[cfg(test)]
pub(crate) use limits::MAX_INDICES;
pub(crate) use mapped::{Input, OwnWork, Work};
pub(crate) use merges::Merges;
pub(crate) use operand::{Access, Arg, Source, Step, Target};
pub use options::{Accuracy, Options};
pub use partition::{Part, Partition};
pub(crate) use pass::Pass;
#[cfg(feature = "files")]
pub(crate) use pieces::{Pieces, chunk};
pub(crate) use product::{CONTRACT, slab_pitch};
pub(crate) use rank::{MAX_UNROLLED, unrolled};
#[cfg(feature = "files")]
pub(crate) use reads::Read;
pub use schedule::ScheduleName;
pub(crate) use schedule::{Along, LaneLoad, Lanes, Load, OWN, SIDE, Schedule, Spread, Threads};
pub(crate) use slot::QUAD;
pub use slot::{Room, Slot};
pub use steps::{StepInfo, StepOperand, StepValue, StepWork};
pub(crate) use store::Store;
pub(crate) use table::TableShape;
pub(crate) use take::{SEARCH_RIGHT, TAKE};
pub(crate) use words::{on_whole_words, word_type};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::dtype::DType;
use crate::expr::{Given, Graph};
use crate::layout::Layout;
use crate::shape::Shape;
use operand::Temporary;
use windowed::Group;

/// Tells plans apart, so that what a device keeps for one is found without looking at all of it.
/// Clones share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PlanId(u64);

impl PlanId {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// An expression, ready to be encoded as often as wanted with buffers of the same types and
/// layouts.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) id: PlanId,
    pub(crate) slots: Vec<Slot>,
    pub(crate) outputs: Vec<Slot>,
    pub(crate) temporaries: Vec<Temporary>,
    pub(crate) passes: Vec<Pass>,
    /// The results that are computed window by window.
    groups: Vec<Group>,
    /// For each pass the nodes that it leads to.
    computed: Vec<[usize; 2]>,
    /// The nodes that passes of their own compute.
    cuts: Vec<usize>,
    /// What the passes compute.
    graph: Arc<Graph>,
    /// Where the elements of its inputs lie.
    layouts: Vec<Layout>,
    /// The numbers that it is run with.
    given: Vec<Given>,
    /// The limits it was made for.
    pub(crate) limits: Limits,
}

impl Plan {
    /// Type and shape of each output.
    pub fn outputs(&self) -> impl Iterator<Item = (DType, &Shape)> {
        self.outputs.iter().map(|s| (s.dtype, s.layout.shape()))
    }

    /// Whether any pass may have a schedule. Those that may have it if
    /// [`Options::with_schedule`] names it.
    pub fn may_have(&self, schedule: ScheduleName) -> bool {
        let mut passes = self.passes.iter();
        passes.any(|pass| pass.candidates.have(schedule))
    }

    /// The number of dispatches.
    pub fn pass_count(&self) -> usize {
        self.passes.iter().filter(|p| !p.shape.is_empty()).count()
    }

    /// Bytes that the passes read and write. Each pass counts the elements that it reads of each
    /// input, and those of its output, once.
    pub fn bytes_moved(&self) -> u64 {
        self.passes.iter().map(Pass::bytes_moved).sum()
    }
}

#[cfg(test)]
mod tests;
