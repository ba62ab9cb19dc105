//! The search for a schedule within the memory, and for the least memory that would be enough.

use super::bounds::{Bounds, LEAST, NoSchedule};
use super::phases::Phases;
use super::schedule::Schedule;
use super::shared::SharedReduction;
use crate::error::{Error, Result};
use crate::message::count;
use crate::plan::Partition;

/// The least memory that is enough is found within one of this many parts of it, in whole KiB.
const PARTS: u64 = 64;
/// More memory than any machine has.
const MOST: u64 = 1 << 50;

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
    /// The schedule of a run within these bounds.
    pub(super) fn new(partition: &Partition, names: &[String], bounds: Bounds) -> Result<Self> {
        let (memory, largest) = (bounds.memory, bounds.largest_buffer);
        let fit = |memory| Self::fit(partition, Bounds { memory, ..bounds });
        let refused = match fit(memory) {
            Ok(schedule) => return Ok(schedule),
            Err(NoSchedule::Other(error) | NoSchedule::Whole(error)) => return Err(error),
            Err(refused) => refused,
        };
        let enough = least(memory, |memory| fit(memory).is_ok());
        let given = count(memory, "byte");
        let reason = match (refused, enough) {
            (NoSchedule::Order { input, bytes }, enough) if input < names.len() => {
                let advice = enough.map(|n| {
                    format!(
                        ", or allow {n} bytes of memory instead of {memory}, so that it can stay on the device"
                    )
                });
                let advice = advice.unwrap_or_default();
                format!(
                    "{} cannot be streamed: each window of the result needs much or all of its {}, as with a scan, a \
                     matrix product, joined arrays, slices that lie far apart, or an array in another order than the result's; \
                     store an array of another order in C order of the axes that it has in the result \
                     (numpy.ascontiguousarray){advice}",
                    names[input],
                    count(bytes, "byte")
                )
            }
            (NoSchedule::Reduction { name, column }, Some(enough)) => {
                let reason = format!(
                    "a memory of {given} does not suffice for {name}; allow {enough} or more"
                );
                return Err(Error::argument("stream", reason).at(column));
            }
            (_, Some(enough)) => {
                format!("a memory of {given} does not suffice; allow {enough} or more")
            }
            (_, None) => format!(
                "a memory of {given} does not suffice, and none would: an input needs a buffer of more than {largest} \
                 bytes, the device's largest; compute on smaller arrays"
            ),
        };
        Err(Error::argument("stream", reason))
    }

    /// Finds the reductions to compute first, and the windows of the result, or a part of a
    /// reduction that parts share.
    fn fit(partition: &Partition, bounds: Bounds) -> Result<Self, NoSchedule> {
        let shared = match bounds.part {
            Some(part) => SharedReduction::new(partition, part)?,
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
