//! How a result is cut so that the run stays within its memory.

use std::fmt;

use super::phase::Phase;
use super::shared::SharedReduction;
use crate::message::count;
use crate::plan::{Partition, Plan, Window};

/// What a run computes, one after the other: reductions piece by piece, then the result in windows.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The reductions that are computed before the result. Each is one more input of those after
    /// it, and of the result.
    pub(super) phases: Vec<Phase>,
    /// The expression whose result the windows cut.
    pub(super) partition: Partition,
    /// Which inputs stay on the device as a whole.
    pub(super) kept: Vec<bool>,
    pub(super) windows: Vec<Window>,
    /// Elements of the largest window.
    pub(super) elements: usize,
    /// Bytes that the run may hold at a time.
    pub(super) bound: u64,
    /// The first window's plan.
    pub(super) plan: Option<Plan>,
    /// A part's share of the last reduction, computed instead of windows.
    pub(super) shared: Option<SharedReduction>,
}

/// A schedule as text, with the plans of its first pieces and window.
struct Explained<'a>(&'a Schedule, Vec<String>);

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(schedule, names) = self;
        for (k, phase) in schedule.phases.iter().enumerate() {
            writeln!(f, "reduction {k}: {phase}")?;
            let name = |i: &Option<usize>| i.map_or("positions", |i| names[i].as_str());
            let own: Vec<&str> = phase.pieces.inputs.iter().map(name).collect();
            write!(f, "of a piece, {}", phase.plan.explain(&own))?;
        }
        schedule.show_windows(f)?;
        writeln!(f)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match &schedule.plan {
            Some(plan) => write!(f, "of a window, {}", plan.explain(&names)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, phase) in self.phases.iter().enumerate() {
            writeln!(f, "reduction {k}: {phase}")?;
        }
        self.show_windows(f)
    }
}

impl Schedule {
    fn show_windows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, elements, bound) = (self.windows.len(), self.elements, self.bound);
        let shape = self.partition.shape();
        let kept = self.kept.iter().filter(|k| **k).count();
        if let Some(SharedReduction { part, of, .. }) = &self.shared {
            return write!(
                f,
                "streamed: part {} of {of} of the elements that {shape} is reduced from, at most {} in memory",
                part + 1,
                count(bound, "byte")
            );
        }
        write!(
            f,
            "streamed: {shape} in {} of at most {}, {kept} of {} kept on the device, at most {} in memory",
            count(n, "window"),
            count(elements, "element"),
            count(self.kept.len(), "input"),
            count(bound, "byte")
        )
    }

    /// The schedule of a result without elements.
    pub(super) fn empty(partition: &Partition) -> Self {
        Self {
            phases: Vec::new(),
            partition: partition.clone(),
            kept: vec![false; partition.slots().len()],
            windows: Vec::new(),
            elements: 0,
            bound: 0,
            plan: None,
            shared: None,
        }
    }

    /// The plan of the largest window, or nearly the largest; `None` if the result has no elements.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The schedule as text, with the plans of a piece of each reduction and of a window. `names`
    /// are the inputs' names.
    pub fn explain(&self, names: &[&str]) -> impl fmt::Display + '_ {
        let own = self.phases.len() - usize::from(self.shared.is_some());
        let inputs = self.kept.len() - own;
        let input = |i: usize| names.get(i).map_or_else(|| format!("{i}"), |n| (*n).into());
        let own = (0..inputs).map(input);
        let before = (0..self.phases.len()).map(|k| format!("reduction {k}"));
        Explained(self, own.chain(before).collect())
    }

    /// The number of windows of the result.
    pub fn windows(&self) -> usize {
        self.windows.len()
    }

    /// The number of pieces of reductions that are computed before the result.
    pub fn pieces(&self) -> usize {
        self.phases.iter().map(Phase::len).sum()
    }

    /// The most bytes that the run holds; see the [module's documentation](crate::stream).
    pub fn bound(&self) -> u64 {
        self.bound
    }
}
