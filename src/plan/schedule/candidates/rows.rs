//! Schedules of rows of whole quads.

use super::{DENSE, Shapes};
use crate::plan::schedule::{Along, Down, Lanes, Schedule, ScheduleName, Threads};

impl Shapes<'_> {
    pub(super) fn rows(&self) -> Vec<(ScheduleName, Schedule)> {
        let extents = &self.canonical.extents;
        let rank = extents.len();
        let in_row = (self.canonical.inner() / self.unit) as u32;
        let one = self.one(Lanes::Rows);
        let beside = in_row.next_power_of_two().min(4);
        let mut found = vec![(ScheduleName::One, one)];
        if beside > 1 {
            found.push((ScheduleName::Beside, Schedule { beside, ..one }));
        }
        let next = extents[rank - 2];
        // All rows of a few are down if an input has them beside one another in memory; else sections
        // do, whose kernel is that of many.
        let beside_in_memory =
            |s: &Vec<isize>| s[rank - 2] == 1 && s[rank - 1] == next.cast_signed();
        let may = rank > 2 || next <= 3 && self.canonical.strides.iter().any(beside_in_memory);
        let divides = |rows: &u32| may && next.is_multiple_of(*rows as usize);
        let counts: &[u32] = if in_row <= 2 {
            &[8, 4, 3, 2]
        } else {
            &[4, 3, 2]
        };
        if let Some(quads) = counts.iter().copied().find(divides) {
            let down = Some(Down {
                quads,
                along: Along::Axis(1),
                whole: next == quads as usize,
            });
            let one = Schedule { down, ..one };
            found.push((ScheduleName::Down, one));
            if beside > 1 && quads <= 4 && self.code <= DENSE {
                found.push((ScheduleName::Both, Schedule { beside, ..one }));
            }
        }
        found.extend(self.cross(one).map(|s| (ScheduleName::Cross, s)));
        let sections = self.sections(one, 4);
        found.extend(sections.map(|s| (ScheduleName::Sections, s)));
        for (_, schedule) in &mut found {
            schedule.threads = self.row_threads(schedule);
        }
        let shared = |s: &Vec<isize>| s[0] == 0 && s[rank - 1] != 0;
        if self.canonical.strides.iter().any(shared) {
            let rows_first = |&(name, s)| Some((name, self.rows_first(s)?));
            let more: Vec<_> = found.iter().filter_map(rows_first).collect();
            found.extend(more);
        }
        found.extend(self.tiles().map(|tiles| (ScheduleName::Tile, tiles)));
        found
    }

    /// A workgroup of a row if few of its invocations are left over.
    fn row_threads(&self, schedule: &Schedule) -> Threads {
        let (width, most) = (schedule.workgroup[0], self.limits.max_workgroups.max(1));
        let own = ((self.canonical.inner() / self.unit) as u32).div_ceil(schedule.in_row());
        let groups = own.div_ceil(width);
        let high = schedule.high(&self.canonical.extents);
        let fits = groups <= most && high.div_ceil(most as usize) <= most as usize;
        let idle = u64::from(groups * width - own) * 100;
        match fits && idle <= u64::from(self.profile.idle_percent) * u64::from(own) {
            true => Threads::RowPerWorkgroup,
            false => Threads::Numbered,
        }
    }

    /// The same with rows numbered first, if a machine forgets what is far away in a launch.
    fn rows_first(&self, mut schedule: Schedule) -> Option<Schedule> {
        let high = schedule.high(&self.canonical.extents);
        let may = self.profile.cache.is_finite()
            && schedule.threads == Threads::RowPerWorkgroup
            && high <= self.limits.max_workgroups as usize;
        schedule.threads = Threads::RowsFirst;
        may.then_some(schedule)
    }
}
