//! Rows that a pass goes through several times and loads once, and results that it puts together
//! before it writes them.

use super::pass::store;
use super::place::Axes;
use super::schedule::{Across, FOLDS_FOR_SOFTWARE, FoldSchedule};
use super::stages::folded_inputs;
use crate::plan::body::Body;
use crate::plan::operand::Destination;
use crate::plan::planner::Planner;
use crate::plan::schedule::Spread;
use crate::plan::slot::QUAD;
use crate::plan::store::{SHARED_STORES, Store};

impl Planner<'_> {
    /// Has invocations hold what they load of a row of so many elements, if their registers have
    /// room: those that share it as dealt, or more of them.
    pub(super) fn hold(&self, body: &Body, axes: &Axes, count: usize, schedule: &mut FoldSchedule) {
        let profile = self.limits().profile();
        let folded = folded_inputs(&body.steps, &body.folds);
        let walked: Vec<usize> = folded.into_iter().filter(|&i| axes.moves(i)).collect();
        let is_shared = |i: &&usize| axes.kept.strides[**i].iter().all(|&stride| stride == 0);
        let shared = || walked.iter().filter(is_shared);
        // A quad of 64-bit elements takes the room of two.
        let room = |i: &usize| body.inputs[*i].slot.dtype.size().div_ceil(4);
        let all: usize = walked.iter().map(room).sum();
        let own = all - shared().map(room).sum::<usize>();
        let again = shared().fold(0, |bits, i| bits | 1 << i);
        let mut dealt = *schedule;
        loop {
            let holding = dealt.holding(count);
            let quads = holding.held_quads();
            if quads * all.max(1) <= profile.held {
                *schedule = holding;
                return;
            }
            if own > 0 && quads * own <= profile.held {
                *schedule = FoldSchedule { again, ..holding };
                return;
            }
            let (width, more) = (self.limits().width(), 2 * dealt.threads);
            let is_most = dealt.across == Across::Kept || dealt.own == 1 || more > width;
            if !FOLDS_FOR_SOFTWARE || is_most {
                return;
            }
            (dealt.threads, dealt.own) = (more, dealt.own / 2);
            dealt.rows = profile.row_group.max(more).min(width) / more;
        }
    }

    /// Whether a workgroup puts the results of its rows, which share words, together in its memory,
    /// from which it writes whole words but for the first and the last. It has as many rows as there
    /// is room for.
    pub(super) fn stages_shared(
        &self,
        to: &Destination,
        axes: &Axes,
        schedule: &mut FoldSchedule,
        offset: u32,
    ) -> bool {
        let limits = self.limits();
        let may = SHARED_STORES
            && limits.profile().spread == Spread::Interleaved
            && schedule.across == Across::Reduced
            && store(to, schedule, axes, offset, 0) == Store::Shared { quads: true };
        // The other half is for the lanes.
        let room = limits.max_workgroup_storage as usize / 2;
        let row = 4 * QUAD * schedule.threads as usize * schedule.held_quads();
        let rows = std::iter::successors(Some(schedule.rows), |&rows| Some(rows / 2));
        let mut rows = rows.take_while(|&rows| rows > 0);
        match rows.find(|&rows| rows as usize * row <= room) {
            Some(rows) if may => {
                schedule.rows = rows;
                true
            }
            _ => false,
        }
    }
}
