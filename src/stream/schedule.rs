//! How a result is cut so that what a run holds stays within its memory.

use std::fmt;

use super::fit::{Bounds, Fit, LEAST, Refused};
use crate::error::{Error, Result};
use crate::message::count;
use crate::plan::{Partition, Plan, Window};
use crate::shape::Shape;

/// Of how much memory is enough the least is found within so many parts of it, and in whole KiB.
const PARTS: u64 = 64;
/// More memory than any machine has.
const MOST: u64 = 1 << 50;
/// The windows of a run.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Which inputs stay on the device as a whole.
    pub(super) kept: Vec<bool>,
    pub(super) windows: Vec<Window>,
    /// Elements of the largest window.
    pub(super) elements: usize,
    pub(super) shape: Shape,
    /// Bytes that the run may hold at a time.
    pub(super) bound: u64,
    /// The first window's.
    pub(super) plan: Option<Plan>,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, elements, shape, bound) =
            (self.windows.len(), self.elements, &self.shape, self.bound);
        let kept = self.kept.iter().filter(|k| **k).count();
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
        let fit = |memory| Fit::schedule(partition, Bounds { memory, ..bounds });
        let refused = match fit(memory) {
            Ok(schedule) => return Ok(schedule),
            Err(Refused::Other(error)) => return Err(error),
            Err(refused) => refused,
        };
        let enough = least(memory, |memory| fit(memory).is_ok());
        let given = count(memory, "byte");
        let reason = match (refused, enough) {
            (Refused::Order { input, bytes }, enough) => {
                let advice = match enough {
                    Some(n) => {
                        format!(
                            ", or allow {n} bytes of memory instead of {memory}, so that it can stay on the device"
                        )
                    }
                    None => String::new(),
                };
                format!(
                    "{} cannot be streamed: its elements lie in another order than the result's, so that nearly all of its \
                     {} would be read for every window. Store it in C order of the axes it has in the result \
                     (numpy.ascontiguousarray){advice}",
                    names[input],
                    count(bytes, "byte")
                )
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

    /// That of a result without elements.
    pub(super) fn empty(shape: Shape, inputs: usize) -> Self {
        Self {
            kept: vec![false; inputs],
            windows: Vec::new(),
            elements: 0,
            shape,
            bound: 0,
            plan: None,
        }
    }

    /// The plan of the largest window, or nearly; `None` if the result has no elements.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The number of windows.
    pub fn windows(&self) -> usize {
        self.windows.len()
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
