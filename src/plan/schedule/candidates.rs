//! The schedules that a pass may have: which there are, and nothing of which is best.

use super::load::is_staged;
use super::policy::Profile;
use super::{
    Along, Down, Lanes, OWN, SIDE, Schedule, ScheduleName, Spread, Threads, block, section,
};
use crate::plan::canonical::Canonical;
use crate::plan::limits::Limits;
use crate::plan::rank::unrolled;
use crate::plan::slot::{PAIR, QUAD};

/// What candidates depend on.
pub(in crate::plan) struct Shapes<'a> {
    pub canonical: &'a Canonical,
    /// Bytes of an element of each input, and of the output.
    pub sizes: &'a [usize],
    pub own: usize,
    /// Elements that an invocation loads and stores at a time.
    pub unit: usize,
    /// Whether steps cost much more than loads: a compiler inlines them once for each quad.
    pub dense: bool,
    pub limits: &'a Limits,
    pub profile: &'a Profile,
}

/// The schedules that a pass may have, with their names. There is at least one.
pub(in crate::plan) fn candidates(shapes: &Shapes<'_>) -> Vec<(ScheduleName, Schedule)> {
    let extents = &shapes.canonical.extents;
    let mut found = match extents.len() {
        1 => shapes.line(),
        // Rows of whole words are mapped as such.
        _ if shapes.unit > QUAD => shapes.straddling(false),
        _ if shapes.canonical.inner().is_multiple_of(shapes.unit) => {
            [shapes.rows(), shapes.straddling(true)].concat()
        }
        _ => shapes.straddling(false),
    };
    found.extend(shapes.staged().map(|s| (ScheduleName::Staged, s)));
    found.retain(|(_, schedule)| shapes.grid_fits(schedule));
    if found.is_empty() {
        found.push((ScheduleName::One, shapes.one(shapes.lanes())));
    }
    found
}

/// The elements that an invocation may load and store at a time: four, and where a machine wants so
/// many bytes of them, as many as these are; more than four in rows that are at least as long.
pub(in crate::plan) fn units(
    sizes: &[usize],
    own: usize,
    extents: &[usize],
    profile: &Profile,
) -> impl Iterator<Item = usize> + use<> {
    let wanted = profile.unit.map(|bytes| bytes / own);
    let inner = extents.last().copied().unwrap_or(1);
    let in_words = extents.len() > 1 && sizes.iter().all(|&size| size == own);
    let may = move |&unit: &usize| match unit {
        ..QUAD => unit >= PAIR,
        QUAD => false,
        _ => in_words && inner >= unit,
    };
    wanted.filter(may).into_iter().chain([QUAD])
}

impl Shapes<'_> {
    fn lanes(&self) -> Lanes {
        let inner = self.canonical.inner();
        match self.canonical.extents.len() {
            1 => Lanes::Line,
            _ if inner.is_multiple_of(self.unit) => Lanes::Rows,
            _ => Lanes::Straddling(if inner == 2 { 3 } else { 2 }),
        }
    }

    /// A schedule of one quad an invocation.
    fn one(&self, lanes: Lanes) -> Schedule {
        Schedule {
            lanes,
            unit: self.unit as u32,
            beside: 1,
            down: None,
            spread: self.profile.spread,
            together: match lanes {
                Lanes::Straddling(_) => self.profile.together_scattered,
                _ => self.profile.together,
            },
            threads: Threads::Numbered,
            workgroup: [self.limits.width(), 1],
            powers_of_two: false,
            wide_division: false,
        }
    }

    /// Quads that an invocation owns in lines and in quads that straddle.
    fn quads(&self) -> u32 {
        match () {
            // Of pairs two are computed together.
            () if self.dense => QUAD.div_ceil(self.unit) as u32,
            () if self.unit == PAIR => 4,
            () if self.sizes.iter().any(|&size| size > 4) || self.own > 4 => 2,
            () => 4,
        }
    }

    fn line(&self) -> Vec<(ScheduleName, Schedule)> {
        let one = self.one(Lanes::Line);
        let beside = |beside| Schedule { beside, ..one };
        [4, 2, 1]
            .into_iter()
            .filter(|&quads| quads <= self.quads())
            .map(|quads| match quads {
                1 => (ScheduleName::One, one),
                _ => (ScheduleName::Beside, beside(quads)),
            })
            .collect()
    }

    fn rows(&self) -> Vec<(ScheduleName, Schedule)> {
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
            found.push((ScheduleName::Down, Schedule { down, ..one }));
            if beside > 1 && quads <= 4 && !self.dense {
                found.push((
                    ScheduleName::Both,
                    Schedule {
                        beside,
                        down,
                        ..one
                    },
                ));
            }
        }
        found.extend(self.cross(one).map(|s| (ScheduleName::Cross, s)));
        if let Some(down) = self.sections(4) {
            let down = Some(down);
            found.push((ScheduleName::Sections, Schedule { down, ..one }));
        }
        for (_, schedule) in &mut found {
            schedule.threads = self.row_threads(schedule);
        }
        let shared = |s: &Vec<isize>| s[0] == 0 && s[rank - 1] != 0;
        if self.canonical.strides.iter().any(shared) {
            let rows_first = found
                .iter()
                .filter_map(|&(name, s)| self.rows_first(name, s));
            found = found.iter().copied().chain(rows_first).collect();
        }
        found.extend(self.tiles().map(|tiles| (ScheduleName::Tile, tiles)));
        found
    }

    /// Neighbours along two outer axes, of which some input moves along each and not along the
    /// other: a quad that is loaded serves all along the other axis.
    fn cross(&self, one: Schedule) -> Option<Schedule> {
        let (extents, strides) = (&self.canonical.extents, &self.canonical.strides);
        let rank = extents.len();
        unrolled(rank).filter(|_| !self.dense)?;
        let (most, extent) = (self.profile.crossed, |axis: usize| extents[rank - 1 - axis]);
        let divides = |axis: usize| {
            let mut counts = [4, 2].into_iter().filter(|&quads| quads <= most);
            counts.find(|&quads| extent(axis).is_multiple_of(quads as usize))
        };
        let alone = |along: usize, across: usize| {
            let moves = |s: &Vec<isize>, axis: usize| s[rank - 1 - axis] != 0;
            let mut inputs = strides.iter();
            inputs.any(|s| moves(s, along) && !moves(s, across))
        };
        // The table holds the stride of all quads along an axis.
        let small = |axis: usize| {
            let stride = |s: &Vec<isize>| s[rank - 1 - axis].unsigned_abs();
            strides.iter().all(|s| stride(s) < 1 << 29)
        };
        let pairs = (1..rank).flat_map(|near| (near + 1..rank).map(move |far| [near, far]));
        let fits = |&[near, far]: &[usize; 2]| alone(near, far) && alone(far, near);
        let counted = |axes: [usize; 2]| {
            let [beside, down] = axes.map(|axis| divides(axis).filter(|_| small(axis)));
            Some((axes, beside?, down?))
        };
        // Of pairs that are as good the nearest.
        let found = pairs.filter(fits).filter_map(counted);
        let ([near, far], beside, quads) =
            found.rev().max_by_key(|(_, beside, down)| beside * down)?;
        Some(Schedule {
            beside,
            down: Some(Down {
                quads,
                along: Along::Axis(far as u32),
                whole: extent(far) == quads as usize,
            }),
            spread: Spread::Axis {
                axis: near as u32,
                whole: extent(near) == beside as usize,
            },
            together: beside * quads,
            ..one
        })
    }

    /// Sections of the outermost axis, if at least half of their indices are there.
    fn sections(&self, quads: u32) -> Option<Down> {
        let extents = &self.canonical.extents;
        let fits = section(extents, quads, self.unit) * quads as usize <= 2 * extents[0];
        fits.then_some(Down {
            quads,
            along: Along::Sections,
            whole: false,
        })
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
    fn rows_first(
        &self,
        name: ScheduleName,
        schedule: Schedule,
    ) -> Option<(ScheduleName, Schedule)> {
        let high = schedule.high(&self.canonical.extents);
        let may = self.profile.cache.is_finite()
            && schedule.threads == Threads::RowPerWorkgroup
            && high <= self.limits.max_workgroups as usize;
        let threads = Threads::RowsFirst;
        may.then_some((
            name,
            Schedule {
                threads,
                ..schedule
            },
        ))
    }

    /// Four quads above one another along an axis that an input is contiguous along, or two pairs,
    /// and two beside them.
    fn tiles(&self) -> Option<Schedule> {
        let (extents, strides) = (&self.canonical.extents, &self.canonical.strides);
        let rank = extents.len();
        let fits = |axis: &usize| extents[*axis].is_multiple_of(self.unit);
        let transposed = |strides: &Vec<isize>| match strides.split_last() {
            Some((inner, outer)) if !matches!(inner, 0 | 1) => {
                outer.iter().position(|&s| s == 1).filter(fits)
            }
            _ => None,
        };
        unrolled(rank).filter(|_| !self.dense)?;
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
    fn staged(&self) -> Option<Schedule> {
        let (extents, strides) = (&self.canonical.extents, &self.canonical.strides);
        let rank = extents.len();
        // Narrow elements would be stored in parts of words.
        let can = self.profile.stages
            && self.unit == QUAD
            && !self.dense
            && self.own >= 4
            && self.limits.width() as usize == SIDE * SIDE / OWN;
        unrolled(rank).filter(|_| can)?;
        let along = |axis: &usize| strides.iter().any(|s| is_staged(s, *axis));
        let axis = (1..rank).find(along)?;
        let staged = || {
            let inputs = strides.iter().zip(self.sizes);
            inputs
                .filter(|(s, _)| is_staged(s, axis))
                .map(|(_, size)| *size)
        };
        let tiles: [bool; 2] = [
            staged().any(|size| size <= 4),
            staged().any(|size| size > 4),
        ];
        let words: usize = tiles
            .into_iter()
            .zip([1, 2])
            .map(|(has, words)| usize::from(has) * words)
            .sum();
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

    /// Schedules of quads that may straddle; `aligned`: of rows of whole quads, for which only
    /// blocks have a use.
    fn straddling(&self, aligned: bool) -> Vec<(ScheduleName, Schedule)> {
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
            let down = self.sections(quads);
            found.extend(down.map(|down| {
                let down = Some(down);
                (ScheduleName::Sections, Schedule { down, ..one })
            }));
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

    /// Whether a row of tiles or a block is not longer than a grid is wide: those are not folded.
    fn grid_fits(&self, schedule: &Schedule) -> bool {
        let extents = &self.canonical.extents;
        let quads = match (schedule.threads, schedule.has_blocks()) {
            _ if schedule.lanes == Lanes::Column => return true,
            (Threads::Tiles, true) => schedule.step(extents) / self.unit,
            (Threads::Tiles, false) => {
                (self.canonical.inner() / self.unit).div_ceil(schedule.beside as usize)
            }
            _ => return true,
        };
        quads.div_ceil(schedule.workgroup[0] as usize) <= self.limits.max_workgroups as usize
    }
}
