//! How a result is cut so that what a run holds stays within its memory.

use std::fmt;

use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::message::count;
use crate::plan::{Cut, Partition, Plan, Window};
use crate::shape::Shape;

/// Bytes of inputs and output of a window beyond which larger ones gain nothing.
const LARGEST_WINDOW: u64 = 128 << 20;
/// Inputs up to this fraction of the memory stay, taken together.
const SMALL: u64 = 16;
/// Times a run may read its bytes over before it is refused.
const REREADS: u64 = 16;
/// An input is in the way where windows without it are fewer by this factor.
const IN_THE_WAY: usize = 4;
/// Bytes of memory that a run needs at least.
const LEAST: u64 = 16 << 10;
/// Bytes that a read costs at least.
const PAGE: u64 = 4096;
/// Copies of a window's inputs at a time: for each of two windows what was read, wgpu's staging
/// memory, the device's buffer.
const INPUT_COPIES: u64 = 6;
/// Copies of a window's output: for each of two windows the device's buffer and what it is read
/// back through.
const OUTPUT_COPIES: u64 = 4;
/// Copies of a window's intermediate results.
const BETWEEN_COPIES: u64 = 2;
/// Copies of an input that stays, while it is uploaded.
const KEPT_COPIES: u64 = 3;
/// Of how much memory is enough the least is found within so many parts of it, and in whole KiB.
const PARTS: u64 = 64;
/// More memory than any machine has.
const MOST: u64 = 1 << 50;
/// Buffers are allocated in few sizes, up to an eighth larger, and drivers keep some of what was
/// freed (measured on lavapipe): 4/3 in all.
const ROUNDED: (u64, u64) = (4, 3);

/// The windows of a run.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Which inputs stay on the device as a whole.
    pub(super) kept: Vec<bool>,
    pub(super) windows: Vec<Window>,
    /// Elements of the largest window.
    elements: usize,
    shape: Shape,
    /// Bytes that the run may hold at a time.
    bound: u64,
    /// The first window's.
    plan: Option<Plan>,
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

/// The inputs' reads, and what of memory they may take.
#[derive(Clone)]
struct Reads<'a> {
    /// For each input its element size and the layouts it is read through.
    layouts: Vec<(u64, Vec<&'a Layout>)>,
    kept: Vec<bool>,
    /// The extents of what is computed, and where it begins.
    extents: &'a [usize],
    start: &'a [usize],
    output: u64,
    budget: u64,
    largest: u64,
}

impl Reads<'_> {
    /// Bytes of an input that a window reads, wherever it lies.
    fn input(&self, i: usize, window: &[usize]) -> Option<u64> {
        let (size, layouts) = &self.layouts[i];
        let mut most = 0u64;
        for a in layouts {
            for b in layouts {
                // From the lowest position through `a` to the highest through `b`; both move with
                // the window's start.
                let mut span = b.offset() as i128 - a.offset() as i128;
                for (axis, &extent) in window.iter().enumerate() {
                    let (low, high) = (a.strides()[axis] as i128, b.strides()[axis] as i128);
                    let inside = extent.saturating_sub(1) as i128;
                    span += inside * (high.max(0) - low.min(0));
                    span += self.start[axis] as i128 * (high - low);
                    span += ((self.extents[axis] - extent) as i128 * (high - low)).max(0);
                }
                most = most.max(u64::try_from(span + 1).ok()?.checked_mul(*size)?);
            }
        }
        Some(most)
    }

    /// Bytes of all inputs that a window reads, without those that stay.
    fn inputs(&self, window: &[usize]) -> Option<u64> {
        let streamed = (0..self.layouts.len()).filter(|&i| !self.kept[i]);
        streamed
            .map(|i| self.input(i, window))
            .try_fold(0u64, |n, bytes| n.checked_add(bytes?))
    }

    fn output(&self, window: &[usize]) -> Option<u64> {
        window
            .iter()
            .try_fold(self.output, |n, &e| n.checked_mul(e as u64))
    }

    /// Bytes that are held for two windows.
    fn held(&self, window: &[usize]) -> Option<u64> {
        let inputs = self.inputs(window)?.checked_mul(INPUT_COPIES)?;
        let output = self.output(window)?.checked_mul(OUTPUT_COPIES)?;
        Some(inputs.checked_add(output)?.checked_mul(ROUNDED.0)? / ROUNDED.1)
    }

    fn fits(&self, window: &[usize]) -> bool {
        let each = (0..self.layouts.len())
            .filter(|&i| !self.kept[i])
            .filter_map(|i| self.input(i, window));
        let largest = each.chain(self.output(window)).max().unwrap_or(0);
        let moved = self
            .inputs(window)
            .zip(self.output(window))
            .is_some_and(|(i, o)| i + o <= LARGEST_WINDOW);
        moved
            && largest <= self.largest
            && self.held(window).is_some_and(|held| held <= self.budget)
    }
}

/// Why there is no schedule.
enum Refused {
    /// The elements of this input, so many bytes, lie in another order than the result's.
    Order {
        input: usize,
        bytes: u64,
    },
    /// The memory does not suffice, whatever the inputs' order.
    Memory,
    Other(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// The least memory that is enough, or little more, found by trying from one that is not; `None`
/// where none is.
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
    pub(super) fn new(
        partition: &Partition,
        names: &[String],
        memory: u64,
        part: Option<(usize, usize)>,
        largest: u64,
    ) -> Result<Self> {
        let fit = |memory| Self::fit(partition, names.len(), memory, part, largest);
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

    fn fit(
        partition: &Partition,
        inputs: usize,
        memory: u64,
        part: Option<(usize, usize)>,
        largest: u64,
    ) -> Result<Self, Refused> {
        if memory < LEAST {
            return Err(Refused::Memory);
        }
        let whole = partition.whole(part)?;
        let shape = partition.shape().clone();
        let mut kept = vec![false; inputs];
        if whole.extents.contains(&0) {
            return Ok(Self {
                kept,
                windows: Vec::new(),
                elements: 0,
                shape,
                bound: 0,
                plan: None,
            });
        }
        let found = partition.reads()?;
        let sizes: Vec<u64> = partition
            .slots()
            .iter()
            .map(|s| s.dtype.size() as u64)
            .collect();
        let bytes: Vec<u64> = (partition.slots().iter())
            .map(|s| {
                s.layout
                    .reach()
                    .map_or(0, |r| (r.end() + 1) as u64 * s.dtype.size() as u64)
            })
            .collect();
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by_key(|&i| bytes[i]);
        let mut small = memory / SMALL / KEPT_COPIES;
        for &i in &order {
            kept[i] = bytes[i] <= small;
            small -= if kept[i] { bytes[i] } else { 0 };
        }
        let plain = Layout::contiguous(&shape)?;
        let mut between = 0;
        loop {
            let held: u64 = (0..kept.len())
                .filter(|&i| kept[i])
                .map(|i| bytes[i].saturating_mul(KEPT_COPIES))
                .sum();
            let reads = Reads {
                layouts: (0..kept.len())
                    .map(|i| {
                        (
                            sizes[i],
                            found
                                .iter()
                                .filter(|(slot, _)| *slot == i)
                                .map(|(_, l)| l)
                                .collect(),
                        )
                    })
                    .collect(),
                kept: kept.clone(),
                extents: &whole.extents,
                start: &whole.start,
                output: partition.dtype().size() as u64,
                budget: memory.saturating_sub(held).saturating_sub(between),
                largest,
            };
            let cut = Cut::new(&whole.extents, &|window| reads.fits(window));
            // What would be read in all, against what there is. A read costs no less than a page
            // does.
            let total =
                bytes.iter().sum::<u64>() + reads.output(&whole.extents).unwrap_or(u64::MAX);
            let again = |cut: &Cut, i: usize| {
                let each = reads
                    .input(i, &cut.largest(&whole.extents))
                    .unwrap_or(u64::MAX)
                    .max(PAGE);
                each.saturating_mul(cut.len(&whole.extents) as u64) / total.max(PAGE) > REREADS
            };
            // The input without which windows would be fewest is the one that is in the way.
            let without = |i: &usize| {
                let mut others = Reads {
                    kept: kept.clone(),
                    layouts: reads.layouts.clone(),
                    ..reads
                };
                others.kept[*i] = true;
                let cut = Cut::new(&whole.extents, &|window| others.fits(window));
                cut.map_or(usize::MAX, |c| c.len(&whole.extents))
            };
            let streamed = || (0..kept.len()).filter(|&i| !kept[i]);
            let is_awkward = cut
                .as_ref()
                .is_none_or(|cut| streamed().any(|i| again(cut, i)));
            let now = cut.as_ref().map_or(usize::MAX, |c| c.len(&whole.extents));
            // Of several, none may help alone: then what counts is how few windows there would be
            // with all in the result's order.
            let in_order = || {
                let layouts = sizes.iter().map(|&size| (size, vec![&plain])).collect();
                let others = Reads {
                    layouts,
                    kept: kept.clone(),
                    ..reads
                };
                let cut = Cut::new(&whole.extents, &|window| others.fits(window));
                cut.map_or(usize::MAX, |c| c.len(&whole.extents))
            };
            let fewer = |i: &usize| without(i).min(in_order()) <= now / IN_THE_WAY;
            let awkward = streamed()
                .min_by_key(without)
                .filter(|i| is_awkward && fewer(i));
            if let Some(i) = awkward {
                // It may be small enough to stay after all.
                if bytes[i] <= largest
                    && bytes[i].saturating_mul(KEPT_COPIES) <= (memory / 4 * 3).saturating_sub(held)
                {
                    kept[i] = true;
                    continue;
                }
                return Err(Refused::Order {
                    input: i,
                    bytes: bytes[i],
                });
            }
            // One element and what it needs are too much.
            let Some(cut) = cut else {
                return Err(Refused::Memory);
            };
            let extents = cut.largest(&whole.extents);
            let first = Window {
                start: whole.start.clone(),
                extents: extents.clone(),
            };
            let plan = partition.part_of(&first, &kept)?.plan;
            let needed = plan.between_bytes() * BETWEEN_COPIES;
            if needed > between {
                // Intermediate results of smaller windows are smaller.
                between = if needed > reads.budget / 2 {
                    between + reads.budget / 2
                } else {
                    needed
                };
                if reads.budget < 4096 {
                    return Err(Refused::Memory);
                }
                continue;
            }
            let moved = |mut window: Window| {
                window
                    .start
                    .iter_mut()
                    .zip(&whole.start)
                    .for_each(|(start, by)| *start += by);
                window
            };
            let bound = held + between + reads.held(&extents).unwrap_or(0);
            let windows = cut.windows(&whole.extents).map(moved).collect();
            return Ok(Self {
                kept,
                windows,
                elements: extents.iter().product(),
                shape,
                bound,
                plan: Some(plan),
            });
        }
    }

    /// The plan of the largest window, or nearly; `None` where the result has no elements.
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
