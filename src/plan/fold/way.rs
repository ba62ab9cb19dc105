//! How rows are scanned: dealt to the invocations of a workgroup, or one invocation each.

use super::schedule::{Across, FoldSchedule, power};
use crate::op::GROUP;
use crate::plan::schedule::FoldProfile;
use crate::plan::slot::QUAD;

/// Elements that an invocation owns at most: a group of them, or one of each of four columns.
pub(super) const OWN: usize = GROUP;

/// How rows are scanned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub across: Across,
    /// Whether one invocation does a row, or a quad of them, however long it is.
    pub alone: bool,
}

impl Way {
    /// Invocations that share a row of so many elements, or a quad of rows; the quads that each of
    /// them owns; the rows or quads of them of a workgroup. Nothing else of the schedule is set.
    pub fn deal(&self, count: usize, width: u32, profile: &FoldProfile) -> FoldSchedule {
        let elements = count.min(OWN);
        let own = match self.across {
            Across::Reduced => power(elements.div_ceil(QUAD)),
            Across::Kept => power(elements),
        };
        let (threads, group) = match self.alone {
            true => (1, profile.alone_group),
            false => (power(count.div_ceil(OWN)).min(width), BESIDE),
        };
        // Whether rows are few or many, so that few kernels serve all shapes.
        FoldSchedule {
            threads,
            own,
            rows: group.min(width).div_ceil(threads),
            ..FoldSchedule::default()
        }
    }

    /// The loops over groups of an invocation that does a row alone; 0 of one group.
    pub fn levels(&self, count: usize) -> u32 {
        let groups = count.div_ceil(OWN);
        match self.alone && groups > 1 {
            false => 0,
            true if groups <= GROUP => 1,
            // Few kernels serve all lengths.
            true => {
                let holds = |level: &u32| (GROUP as u64).pow(*level) >= groups as u64;
                (2..16).step_by(2).find(holds).unwrap_or(2)
            }
        }
    }
}

/// Invocations of a workgroup that does rows, if they have so many elements.
const BESIDE: u32 = 128;
