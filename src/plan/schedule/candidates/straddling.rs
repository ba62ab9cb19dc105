//! Schedules of quads that may straddle rows.

use super::Shapes;
use crate::plan::rank::unrolled;
use crate::plan::schedule::{Along, Down, Lanes, Schedule, ScheduleName, Threads, block};

impl Shapes<'_> {
    /// Schedules of quads that may straddle; `aligned`: of rows of whole quads, for which only
    /// blocks have a use.
    pub(super) fn straddling(&self, aligned: bool) -> Vec<(ScheduleName, Schedule)> {
        let extents = &self.canonical.extents;
        let lanes = match self.lanes() {
            Lanes::Straddling(rows) => Lanes::Straddling(rows),
            _ => Lanes::Straddling(2),
        };
        let (one, quads) = (self.one(lanes), self.quads());
        let mut found = Vec::new();
        let across = |s: &Vec<isize>| matches!(s[0], -1 | 1) && !matches!(s[s.len() - 1], -1..=1);
        if quads > 1 && self.canonical.strides.iter().any(across) {
            found.extend(self.blocks(one, quads).map(|s| (ScheduleName::Blocks, s)));
        }
        if aligned {
            return found;
        }
        found.push((ScheduleName::One, one));
        if quads > 1 {
            // A loop over the axes does not keep the coordinates that a neighbour is found by.
            if unrolled(extents.len()).is_some() {
                let beside = Schedule {
                    beside: quads,
                    ..one
                };
                found.push((ScheduleName::Beside, beside));
            }
            let sections = self.sections(one, quads);
            found.extend(sections.map(|s| (ScheduleName::Sections, s)));
        }
        found
    }

    /// Blocks of the outermost axis, if there are enough for a workgroup's invocations that lie
    /// over one another.
    fn blocks(&self, one: Schedule, quads: u32) -> Option<Schedule> {
        let extents = &self.canonical.extents;
        let deep = self.profile.block_depth;
        let width = self.limits.width();
        let over = ((deep / block(extents, self.unit)) as u32).clamp(1, width);
        let workgroup = [width / over, over];
        let fits = extents[0] >= deep * quads as usize;
        fits.then_some(Schedule {
            down: Some(Down {
                quads,
                along: Along::Blocks,
                whole: false,
            }),
            threads: Threads::Tiles,
            workgroup,
            ..one
        })
    }
}
