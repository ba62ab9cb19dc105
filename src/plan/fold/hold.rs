//! Rows that a pass goes through several times and loads once, results that it puts together before
//! it writes them, and the memory that a workgroup has for both.

use super::folding::Folding;
use super::schedule::{Across, FoldSchedule};
use super::stages::folded_inputs;

impl Folding<'_> {
    /// Has invocations hold what they load of a row of so many elements, if their registers have
    /// room: those that share it as dealt, or more of them.
    pub fn hold(&self, schedule: &mut FoldSchedule) {
        let (body, axes, profile) = (self.rows.body, &self.rows.axes, &self.rows.profile);
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
            let holding = dealt.holding(self.rows.space.count);
            let quads = holding.held_quads();
            if quads * all.max(1) <= profile.held {
                *schedule = holding;
                return;
            }
            if own > 0 && quads * own <= profile.held {
                *schedule = FoldSchedule { again, ..holding };
                return;
            }
            let (width, more) = (self.rows.limits.width(), 2 * dealt.threads);
            let is_most = dealt.across == Across::Kept || dealt.own == 1 || more > width;
            if is_most {
                return;
            }
            (dealt.threads, dealt.own) = (more, dealt.own / 2);
            dealt.rows = profile.row_group.max(more).min(width) / more;
        }
    }

    /// The schedule with as many rows of a workgroup as its memory has room for. Results are put
    /// together where they take no more than half of it.
    pub fn fitting(&self, schedule: FoldSchedule) -> FoldSchedule {
        let room = self.rows.limits.max_workgroup_storage as usize;
        let (folds, output) = (&self.rows.body.folds, self.to.slot.dtype);
        let mut fitting = schedule;
        loop {
            let results = fitting.result_bytes(output);
            if 2 * results <= room && results + fitting.lane_bytes(folds) <= room {
                return fitting;
            }
            match (fitting.rows, fitting.staged) {
                (2.., _) => fitting.rows /= 2,
                (_, true) => (fitting.rows, fitting.staged) = (schedule.rows, false),
                (_, false) => return schedule,
            }
        }
    }
}
