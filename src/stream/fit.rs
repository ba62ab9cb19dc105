//! The search for windows that fit the memory of a run.

use super::bounds::{Bounds, LEAST, NoSchedule, set_aside};
use super::reads::{INTERMEDIATE_COPIES, InputReads, PAGE, Reads};
use super::schedule::Schedule;
use crate::error::Result;
use crate::layout::Layout;
use crate::plan::{Cut, Partition, Plan, Read, Window};

/// Inputs that together take up to this fraction of the memory stay on the device.
const SMALL: u64 = 16;
/// How many times a run may read its bytes before it is refused.
const REREADS: u64 = 16;
/// An input's layout forces small windows if there would be fewer by this factor without it.
const FORCES_SMALL_WINDOWS: usize = 4;
/// Copies of an input that stays, while it is uploaded.
const KEPT_COPIES: u64 = 3;

/// A search: which inputs stay on the device, and how large the windows of the others are.
pub(super) struct WindowSearch<'a> {
    partition: &'a Partition,
    memory: u64,
    reads: Reads,
    /// Bytes that are set aside for intermediate results.
    intermediate: u64,
}

impl<'a> WindowSearch<'a> {
    /// The schedule of a partition within these bounds.
    pub fn schedule(partition: &'a Partition, bounds: Bounds) -> Result<Schedule, NoSchedule> {
        if bounds.memory < LEAST {
            return Err(NoSchedule::Memory);
        }
        let whole = partition.whole(bounds.part)?;
        if whole.extents.contains(&0) {
            return Ok(Schedule::empty(partition));
        }
        if let Some(error) = partition.whole_value(bounds.memory / SMALL) {
            return Err(NoSchedule::Whole(error));
        }
        let mut fit = Self::new(partition, whole, bounds)?;
        fit.keep_small_inputs();
        fit.search()
    }

    fn new(partition: &'a Partition, whole: Window, bounds: Bounds) -> Result<Self> {
        let found = partition.reads()?;
        let input = |i: usize| {
            let slot = &partition.slots()[i];
            let size = slot.dtype.size() as u64;
            let own = found.iter().filter(|read| read.slot == i);
            InputReads {
                size,
                bytes: slot
                    .layout
                    .reach()
                    .map_or(0, |r| (r.end() + 1) as u64 * size),
                reads: own.cloned().collect(),
                is_kept: false,
            }
        };
        Ok(Self {
            partition,
            memory: bounds.memory,
            reads: Reads {
                inputs: (0..partition.slots().len()).map(input).collect(),
                whole,
                output_size: partition.dtype().size() as u64,
                budget: 0,
                largest_buffer: bounds.largest_buffer,
            },
            intermediate: 0,
        })
    }

    /// Small inputs stay, the smallest first.
    fn keep_small_inputs(&mut self) {
        let mut small = self.memory / SMALL / KEPT_COPIES;
        let mut order: Vec<&mut InputReads> = self.reads.inputs.iter_mut().collect();
        order.sort_by_key(|input| input.bytes);
        for input in order {
            input.is_kept = input.bytes <= small;
            small -= if input.is_kept { input.bytes } else { 0 };
        }
    }

    /// Each round either ends the search, keeps one more input, or sets more memory aside for
    /// intermediate results.
    fn search(mut self) -> Result<Schedule, NoSchedule> {
        loop {
            let kept = self.kept_bytes();
            let left = self.memory.saturating_sub(kept);
            self.reads.budget = left.saturating_sub(self.intermediate);
            let cut = self.reads.cut();
            if let Some(i) = self.forces_small_windows(cut) {
                self.keep(i)?;
                continue;
            }
            // One element and what it needs are too much.
            let Some(cut) = cut else {
                return Err(NoSchedule::Memory);
            };
            let plan = self.first_plan(cut)?;
            let needed = plan.intermediate_bytes() * INTERMEDIATE_COPIES;
            let aside = set_aside(&mut self.intermediate, needed, self.reads.budget);
            if aside.ok_or(NoSchedule::Memory)? {
                continue;
            }
            return Ok(self.scheduled(cut, plan));
        }
    }

    /// Bytes that inputs hold which stay.
    fn kept_bytes(&self) -> u64 {
        let kept = self.reads.inputs.iter().filter(|input| input.is_kept);
        kept.map(|input| input.bytes.saturating_mul(KEPT_COPIES))
            .sum()
    }

    /// The streamed input whose layout forces small windows, or reads over and over; if several do,
    /// the one without which windows would be fewest.
    fn forces_small_windows(&self, cut: Option<Cut>) -> Option<usize> {
        let is_awkward =
            cut.is_none_or(|cut| self.reads.streamed().any(|i| self.is_read_over(cut, i)));
        let worst = self
            .reads
            .streamed()
            .min_by_key(|&i| self.windows_without(i))?;
        let now = cut.map_or(usize::MAX, |cut| cut.len(&self.reads.whole.extents));
        let fewer = || {
            // Of several, none may help alone: then what counts is how few windows there would be
            // with all in the result's order.
            let best = self.windows_without(worst).min(self.windows_in_order());
            best <= now / FORCES_SMALL_WINDOWS
        };
        (is_awkward && fewer()).then_some(worst)
    }

    /// Whether all windows together read an input too often, against what there is to read and
    /// write in all. A read costs no less than a page does.
    fn is_read_over(&self, cut: Cut, i: usize) -> bool {
        let extents = &self.reads.whole.extents;
        let inputs: u64 = self.reads.inputs.iter().map(|input| input.bytes).sum();
        let total = inputs + self.reads.output(extents).unwrap_or(u64::MAX);
        let each = self.reads.input(i, &cut.largest(extents));
        let each = each.unwrap_or(u64::MAX).max(PAGE);
        each.saturating_mul(cut.len(extents) as u64) / total.max(PAGE) > REREADS
    }

    /// The number of windows if an input stayed.
    fn windows_without(&self, i: usize) -> usize {
        let mut others = self.reads.clone();
        others.inputs[i].is_kept = true;
        others.windows()
    }

    /// The number of windows if all inputs were in the result's order.
    fn windows_in_order(&self) -> usize {
        let Ok(plain) = Layout::contiguous(self.partition.shape()) else {
            return usize::MAX;
        };
        let mut others = self.reads.clone();
        for (slot, input) in others.inputs.iter_mut().enumerate() {
            input.reads = vec![Read {
                slot,
                layout: plain.clone(),
                span: 0,
                map: None,
            }];
        }
        others.windows()
    }

    /// Lets an input stay that cannot be streamed, if it is small enough after all.
    fn keep(&mut self, i: usize) -> Result<(), NoSchedule> {
        let left = (self.memory / 4 * 3).saturating_sub(self.kept_bytes());
        let input = &mut self.reads.inputs[i];
        let is_small = input.bytes <= self.reads.largest_buffer
            && input.bytes.saturating_mul(KEPT_COPIES) <= left;
        if !is_small {
            return Err(NoSchedule::Order {
                input: i,
                bytes: input.bytes,
            });
        }
        input.is_kept = true;
        Ok(())
    }

    /// Whether each input stays.
    fn kept(&self) -> Vec<bool> {
        let inputs = self.reads.inputs.iter();
        inputs.map(|input| input.is_kept).collect()
    }

    /// The plan of the first window.
    fn first_plan(&self, cut: Cut) -> Result<Plan> {
        let whole = &self.reads.whole;
        let first = Window {
            start: whole.start.clone(),
            extents: cut.largest(&whole.extents),
        };
        Ok(self.partition.part_of(&first, &self.kept())?.plan)
    }

    /// The windows of a cut.
    fn scheduled(&self, cut: Cut, plan: Plan) -> Schedule {
        let whole = &self.reads.whole;
        let extents = cut.largest(&whole.extents);
        let moved = |mut window: Window| {
            for (start, by) in window.start.iter_mut().zip(&whole.start) {
                *start += by;
            }
            window
        };
        let held = self.reads.held(&extents).unwrap_or(0);
        Schedule {
            kept: self.kept(),
            windows: cut.windows(&whole.extents).map(moved).collect(),
            elements: extents.iter().product(),
            bound: self.kept_bytes() + self.intermediate + held,
            plan: Some(plan),
            ..Schedule::empty(self.partition)
        }
    }
}
