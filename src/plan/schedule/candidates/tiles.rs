//! Schedules of inputs that are contiguous along another axis: tiles in registers, and tiles in a
//! workgroup's memory.

use super::{DENSE, Shapes};
use crate::plan::rank::unrolled;
use crate::plan::schedule::load::is_staged;
use crate::plan::schedule::{Along, Down, Lanes, OWN, SIDE, Schedule, Spread, Threads};
use crate::plan::slot::QUAD;

impl Shapes<'_> {
    /// Four quads above one another along an axis that an input is contiguous along, or two pairs,
    /// and two beside them.
    pub(super) fn tiles(&self) -> Option<Schedule> {
        let (extents, strides) = (&self.canonical.extents, &self.canonical.strides);
        let rank = extents.len();
        let fits = |axis: &usize| extents[*axis].is_multiple_of(self.unit);
        let transposed = |strides: &Vec<isize>| match strides.split_last() {
            Some((inner, outer)) if !matches!(inner, 0 | 1) => {
                outer.iter().position(|&s| s == 1).filter(fits)
            }
            _ => None,
        };
        unrolled(rank).filter(|_| self.code <= DENSE)?;
        // The table holds the stride of four rows.
        let small = |axis: &usize| strides.iter().all(|s| s[*axis].unsigned_abs() < 1 << 29);
        let axis = strides.iter().find_map(transposed).filter(small)?;
        let width = self.limits.width();
        let across = self.profile.tile_width.min(width);
        let in_row = self.canonical.inner() / self.unit;
        Some(Schedule {
            beside: in_row.min(QUAD / self.unit) as u32,
            down: Some(Down {
                quads: self.unit as u32,
                along: Along::Axis((rank - 1 - axis) as u32),
                whole: extents[axis] == self.unit,
            }),
            together: self.profile.together_scattered,
            threads: Threads::Tiles,
            workgroup: [across, (width / across).max(1)],
            ..self.one(Lanes::Rows)
        })
    }

    /// Tiles that a workgroup loads along the axis that an input is contiguous along, and stores
    /// along the innermost.
    pub(super) fn staged(&self) -> Option<Schedule> {
        let (extents, strides) = (&self.canonical.extents, &self.canonical.strides);
        let rank = extents.len();
        // Narrow elements would be stored in parts of words.
        let can = self.profile.stages
            && self.unit == QUAD
            && self.code <= DENSE
            && self.own >= 4
            && self.limits.width() as usize == SIDE * SIDE / OWN;
        unrolled(rank).filter(|_| can)?;
        let along = |axis: &usize| strides.iter().any(|s| is_staged(s, *axis));
        let axis = (1..rank).find(along)?;
        let has_tile = |is_wide: bool| {
            let mut inputs = strides.iter().zip(self.sizes);
            inputs.any(|(s, size)| is_staged(s, axis) && (*size > 4) == is_wide)
        };
        let words = usize::from(has_tile(false)) + 2 * usize::from(has_tile(true));
        let fits = words * 4 * SIDE * SIDE <= self.limits.max_workgroup_storage as usize;
        fits.then_some(Schedule {
            down: Some(Down {
                quads: (OWN / QUAD) as u32,
                along: Along::Axis(axis as u32),
                whole: false,
            }),
            spread: Spread::Interleaved,
            threads: Threads::Tiles,
            workgroup: [SIDE as u32, (SIDE / OWN) as u32],
            ..self.one(Lanes::Column)
        })
    }
}
