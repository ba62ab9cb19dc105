//! How many workgroups a pass takes, and how many if they are narrow.

use super::{Along, Down, Lanes, Schedule, Spread, Threads};
use crate::error::{Error, Result};
use crate::plan::canonical::Canonical;
use crate::plan::limits::Limits;
use crate::plan::pass::Pass;
use crate::plan::slot::QUAD;

/// Workgroups along x, y and z, folded if one of them exceeds the adapter's limit.
pub(in crate::plan) fn grid(
    canonical: &Canonical,
    schedule: &Schedule,
    shift: usize,
    limits: &Limits,
) -> Result<[u32; 3]> {
    let len = canonical.len();
    if len == 0 {
        return Ok([0; 3]);
    }
    let max = u64::from(limits.max_workgroups.max(1));
    let fold = |groups: u64| {
        let y = groups.div_ceil(max);
        (groups.div_ceil(y), y)
    };
    let [wx, wy] = schedule.workgroup.map(u64::from);
    let (x, rest) = match schedule.lanes {
        Lanes::Line | Lanes::Straddling(_) => {
            let step = (schedule.step(&canonical.extents) / QUAD) as u64;
            let quads = (len + shift).div_ceil(QUAD) as u64;
            match schedule.down {
                None => fold(quads.div_ceil(wx * u64::from(schedule.beside))),
                Some(Down {
                    quads: own,
                    along: Along::Blocks,
                    ..
                }) => {
                    let blocks = quads.div_ceil(step * u64::from(own));
                    (step.div_ceil(wx), blocks.div_ceil(wy))
                }
                Some(_) => fold(step.div_ceil(wx)),
            }
        }
        Lanes::Rows => {
            let in_row = (canonical.inner() / QUAD) as u64;
            let rows = schedule.high(&canonical.extents) as u64;
            let across = in_row.div_ceil(u64::from(schedule.beside));
            match schedule.threads {
                Threads::Numbered => fold((across * rows).div_ceil(wx)),
                _ => (across.div_ceil(wx), rows.div_ceil(wy)),
            }
        }
    };
    let (y, z) = fold(rest);
    if x > max || y > max || z > max {
        let reason = format!(
            "{len} elements need {x} x {y} x {z} workgroups, the adapter has {max} along each axis; split the arrays"
        );
        return Err(Error::argument("grid", reason));
    }
    Ok([x as u32, y as u32, z as u32])
}

/// Invocations of a narrow workgroup.
const NARROW: u32 = 32;

impl Schedule {
    /// Invocations over one another: those of all rows or tiles, of which each owns several.
    pub fn high(&self, extents: &[usize]) -> usize {
        let inner = extents.last().copied().unwrap_or(1);
        if self.splits_outermost() {
            self.step(extents) / inner
        } else {
            (extents.iter().product::<usize>() / inner).div_ceil(self.rows() as usize)
        }
    }

    /// The same with workgroups of few invocations if neighbours own neighbouring quads: a CPU
    /// pays for all lanes of a workgroup, used or not, and a call of few elements needs few.
    pub fn narrow(self) -> Self {
        let [w, h] = self.workgroup;
        let workgroup = match (self.spread, self.threads) {
            (Spread::Interleaved, _) => self.workgroup,
            (_, Threads::Tiles) => [w, (NARROW / w).clamp(1, h)],
            _ => [(w * h).min(NARROW), 1],
        };
        Self { workgroup, ..self }
    }
}

impl Pass {
    /// Workgroups along x and y if they are [narrow](Schedule::narrow); `None` if a grid of
    /// two axes does not do.
    pub fn narrow_grid(&self) -> Option<[u32; 2]> {
        let schedule = self.work.schedule()?.narrow();
        let [w, h] = schedule.workgroup;
        if schedule.spread == Spread::Interleaved {
            return (self.grid[2] == 1).then_some([self.grid[0], self.grid[1]]);
        }
        let (beside, own) = (schedule.beside, schedule.rows());
        let inner = self.extents.last().copied().unwrap_or(1);
        let len: usize = self.extents.iter().product();
        let apart = (schedule.step(&self.extents) / QUAD) as u32;
        let quads = (len + self.output.store.shift() as usize).div_ceil(QUAD) as u32;
        Some(match (schedule.lanes, schedule.threads) {
            (Lanes::Rows, threads) => {
                let across = ((inner / QUAD) as u32).div_ceil(beside);
                let high = schedule.high(&self.extents) as u32;
                match threads {
                    Threads::Tiles => [across.div_ceil(w), high.div_ceil(h)],
                    Threads::RowPerWorkgroup => [across.div_ceil(w), high],
                    Threads::Numbered => [(across * high).div_ceil(w), 1],
                }
            }
            (_, Threads::Tiles) => [apart.div_ceil(w), quads.div_ceil(apart * own).div_ceil(h)],
            (_, _) if schedule.splits_outermost() => [apart.div_ceil(w), 1],
            (_, _) => [quads.div_ceil(w * beside), 1],
        })
    }
}
