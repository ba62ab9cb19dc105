//! How many workgroups a pass takes, and how many if they are narrow.

use super::{Along, Lanes, SIDE, Schedule, Spread, Threads};
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
    let [x, y] = schedule.workgroups(&canonical.extents, shift);
    let is_numbered = schedule.threads == Threads::Numbered || schedule.lanes == Lanes::Column;
    let (x, rest) = if is_numbered { fold(x) } else { (x, y) };
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
    /// Workgroups along x and y, before any are folded.
    pub fn workgroups(&self, extents: &[usize], shift: usize) -> [u64; 2] {
        let [wx, wy] = self.workgroup.map(u64::from);
        let inner = extents.last().copied().unwrap_or(1);
        let high = || self.high(extents) as u64;
        match self.lanes {
            Lanes::Line | Lanes::Straddling(_) => {
                let len: usize = extents.iter().product();
                let step = (self.step(extents) / self.unit()) as u64;
                let quads = (len + shift).div_ceil(self.unit()) as u64;
                match self.down.map(|down| down.along) {
                    None => [quads.div_ceil(wx * u64::from(self.beside)), 1],
                    Some(Along::Blocks) => {
                        let blocks = quads.div_ceil(step * u64::from(self.rows()));
                        [step.div_ceil(wx), blocks.div_ceil(wy)]
                    }
                    Some(_) => [step.div_ceil(wx), 1],
                }
            }
            Lanes::Column => [inner.div_ceil(SIDE) as u64 * high(), 1],
            Lanes::Rows => {
                let in_row = (inner / self.unit()) as u64;
                let across = in_row.div_ceil(u64::from(self.in_row()));
                match self.threads {
                    Threads::Numbered => [(across * high()).div_ceil(wx), 1],
                    Threads::RowsFirst => [high(), across.div_ceil(wx)],
                    _ => [across.div_ceil(wx), high().div_ceil(wy)],
                }
            }
        }
    }

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
