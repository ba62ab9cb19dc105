//! How a result is cut so that what a run holds stays within its memory.

use std::fmt;

use super::fit::{Bounds, LEAST, Refused};
use super::phase::Phase;
use super::phases::Phases;
use super::shared::Shared;
use crate::error::{Error, Result};
use crate::message::count;
use crate::plan::{Partition, Plan, Window};

/// Of how much memory is enough the least is found within so many parts of it, and in whole KiB.
const PARTS: u64 = 64;
/// More memory than any machine has.
const MOST: u64 = 1 << 50;

/// What a run computes, one after the other: reductions piece by piece, then the result in windows.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The reductions that are computed before the result. Each is one more input of those after
    /// it, and of the result.
    pub(super) phases: Vec<Phase>,
    /// What the windows are of.
    pub(super) partition: Partition,
    /// Which inputs stay on the device as a whole.
    pub(super) kept: Vec<bool>,
    pub(super) windows: Vec<Window>,
    /// Elements of the largest window.
    pub(super) elements: usize,
    /// Bytes that the run may hold at a time.
    pub(super) bound: u64,
    /// The first window's.
    pub(super) plan: Option<Plan>,
    /// What a part computes instead of windows: its share of the last of the reductions.
    pub(super) shared: Option<Shared>,
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
        if let Some(Shared { part, of, .. }) = &self.shared {
            return write!(
                f,
                "streamed: part {} of {of} of the elements that {shape} is folded from, at most {} held",
                part + 1,
                count(bound, "byte")
            );
        }
        write!(
            f,
            "streamed: {shape} in {} of at most {}, ",
            count(n, "window"),
            count(elements, "element")
        )?;
        let inputs = count(self.kept.len(), "input");
        write!(
            f,
            "{kept} of {inputs} kept on the device, at most {} held",
            count(bound, "byte")
        )
    }
}

/// The least memory that is enough, or little more, found by trying from one that is not; `None`
/// if none is.
fn least(too_little: u64, is_enough: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (too_little, too_little.max(LEAST / 2).next_multiple_of(1024));
    while low == high || !is_enough(high) {
        low = high;
        high = high.checked_mul(2).filter(|&memory| memory <= MOST)?;
    }
    loop {
        let middle = (low + (high - low) / 2).next_multiple_of(1024);
        if high - low <= high / PARTS || middle >= high {
            return Some(high);
        }
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

impl Schedule {
    pub(super) fn new(partition: &Partition, names: &[String], bounds: Bounds) -> Result<Self> {
        let Bounds {
            memory,
            largest_buffer: largest,
            ..
        } = bounds;
        let fit = |memory| Self::fit(partition, Bounds { memory, ..bounds });
        let refused = match fit(memory) {
            Ok(schedule) => return Ok(schedule),
            Err(Refused::Other(error) | Refused::Whole(error)) => return Err(error),
            Err(refused) => refused,
        };
        let enough = least(memory, |memory| fit(memory).is_ok());
        let given = count(memory, "byte");
        let reason = match (refused, enough) {
            (Refused::Order { input, bytes }, enough) if input < names.len() => {
                let advice = match enough {
                    Some(n) => {
                        format!(
                            ", or allow {n} bytes of memory instead of {memory}, so that it can stay on the device"
                        )
                    }
                    None => String::new(),
                };
                format!(
                    "{} cannot be streamed: each window of the result needs much or all of its {}, as of the operand of \
                     a scan or a matrix product, of slices that lie far apart, or of an array in another order than the \
                     result's: store such a one in C order of the axes it has in the result \
                     (numpy.ascontiguousarray){advice}",
                    names[input],
                    count(bytes, "byte")
                )
            }
            (Refused::Reduction { name, column }, Some(enough)) => {
                let reason = format!(
                    "a memory of {given} does not suffice for {name}; allow {enough} or more"
                );
                return Err(Error::argument("stream", reason).at(column));
            }
            (_, Some(enough)) => {
                format!("a memory of {given} does not suffice; allow {enough} or more")
            }
            (_, None) => format!(
                "a memory of {given} does not suffice, and none would: some input needs a larger buffer than the device \
                 has, {largest} bytes; compute on smaller arrays"
            ),
        };
        Err(Error::argument("stream", reason))
    }

    /// The reductions that need to be computed before, and the windows of the result; a part of a
    /// reduction, if that is what parts share.
    fn fit(partition: &Partition, bounds: Bounds) -> Result<Self, Refused> {
        let shared = match bounds.part {
            Some(part) => Shared::new(partition, part)?,
            None => None,
        };
        let mut phases = Phases::new(partition, bounds);
        if let Some(shared) = shared {
            phases.up_to(&shared)?;
            let empty = Self::empty(&phases.partition);
            return Ok(Self {
                bound: phases.most,
                phases: phases.found,
                shared: Some(shared),
                ..empty
            });
        }
        let schedule = phases.before_windows()?;
        Ok(Self {
            bound: phases.most.max(phases.results + schedule.bound),
            phases: phases.found,
            ..schedule
        })
    }

    /// That of a result without elements.
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

    /// The plan of the largest window, or nearly; `None` if the result has no elements.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The schedule as text, with the plans of a piece of each reduction and of a window. `names` are
    /// those of the inputs.
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

    /// Bytes that the run holds at most; see the [module's text](crate::stream).
    pub fn bound(&self) -> u64 {
        self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_memory_is_found_by_trying() {
        for needed in [1, LEAST, 17_000, 100_000, 123_456_789, 1 << 40] {
            for given in [0, 1, 5000, needed / 3, needed - 1] {
                let found = least(given, |memory| memory >= needed).unwrap();
                let near = needed.max(given) / PARTS * 2 + 2048;
                assert!(
                    found >= needed && found - needed <= near.max(LEAST),
                    "{given} of {needed}: {found}"
                );
            }
        }
        assert_eq!(least(1000, |_| false), None);
    }
}
