//! How many workgroups a pass takes, and how many if they are narrow.

use super::{Along, Down, Lanes, SIDE, Schedule, Spread, Threads};
use crate::error::{Error, Result};
use crate::plan::canonical::Canonical;
use crate::plan::limits::Limits;

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
            let step = (schedule.step(&canonical.extents) / schedule.unit()) as u64;
            let quads = (len + shift).div_ceil(schedule.unit()) as u64;
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
        Lanes::Column => {
            let high = schedule.high(&canonical.extents);
            fold((canonical.inner().div_ceil(SIDE) * high) as u64)
        }
        Lanes::Rows => {
            let in_row = (canonical.inner() / schedule.unit()) as u64;
            let rows = schedule.high(&canonical.extents) as u64;
            let across = in_row.div_ceil(u64::from(schedule.in_row()));
            match schedule.threads {
                Threads::Numbered => fold((across * rows).div_ceil(wx)),
                Threads::RowsFirst => (rows, across.div_ceil(wx)),
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
    /// Invocations over one another: those of all rows or tiles, of which each owns several; of
    /// staged tiles, their rows.
    pub fn high(&self, extents: &[usize]) -> usize {
        let inner = extents.last().copied().unwrap_or(1);
        if let Some(axis) = self.column_axis() {
            let own = extents[extents.len() - 1 - axis];
            extents.iter().product::<usize>() / inner / own * own.div_ceil(SIDE)
        } else if self.splits_outermost() {
            self.step(extents) / inner
        } else {
            let rows = self.rows() * self.beside / self.in_row();
            (extents.iter().product::<usize>() / inner).div_ceil(rows as usize)
        }
    }

    /// The same with workgroups of few invocations if neighbours own neighbouring quads: a CPU
    /// pays for all lanes of a workgroup, used or not, and a call of few elements needs few.
    pub fn narrow(self) -> Self {
        let [w, h] = self.workgroup;
        let workgroup = match (self.spread, self.threads) {
            (Spread::Interleaved | Spread::Axis { .. }, _) => self.workgroup,
            (_, Threads::Tiles) => [w, (NARROW / w).clamp(1, h)],
            _ => [(w * h).min(NARROW), 1],
        };
        Self { workgroup, ..self }
    }
}
