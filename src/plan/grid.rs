//! How many workgroups a pass takes, and how many if they are narrow.

use super::canonical::Canonical;
use super::limits::Limits;
use super::mapping::{Kind, Mapping, Spread, Unroll};
use super::pass::Pass;
use super::slot::QUAD;
use crate::error::{Error, Result};

/// Workgroups along x, y and z, folded if one of them exceeds the adapter's limit.
pub(super) fn grid(
    canonical: &Canonical,
    mapping: &Mapping,
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
    let [wx, wy] = mapping.workgroup.map(u64::from);
    let (x, y, z) = match mapping.kind {
        Kind::Flat | Kind::General | Kind::Product => {
            let step = (mapping.step(&canonical.extents) / QUAD) as u64;
            let own = u64::from(mapping.quads);
            let quads = (len + shift).div_ceil(QUAD) as u64;
            let (x, rest) = match mapping.unroll {
                Unroll::Adjacent => fold(quads.div_ceil(wx * own)),
                Unroll::Strided => fold(step.div_ceil(wx)),
                Unroll::Blocked => (step.div_ceil(wx), quads.div_ceil(step * own).div_ceil(wy)),
            };
            let (y, z) = fold(rest);
            (x, y, z)
        }
        Kind::Rows | Kind::Tile => {
            let in_row = (canonical.inner() / QUAD) as u64;
            let rows = mapping.down(&canonical.extents) as u64;
            let across = in_row.div_ceil(u64::from(mapping.quads));
            let (x, rest) = match mapping.kind {
                Kind::Rows if !mapping.uniform_rows => fold((across * rows).div_ceil(wx)),
                _ => (across.div_ceil(wx), rows.div_ceil(wy)),
            };
            let (y, z) = fold(rest);
            (x, y, z)
        }
    };
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

impl Mapping {
    /// Invocations over one another: those of all rows or tiles, of which each owns several.
    pub fn down(&self, extents: &[usize]) -> usize {
        let inner = extents.last().copied().unwrap_or(1);
        match self.unroll {
            Unroll::Adjacent => {
                (extents.iter().product::<usize>() / inner).div_ceil(self.rows as usize)
            }
            _ => self.step(extents) / inner,
        }
    }

    /// The same with workgroups of few invocations if neighbours own neighbouring quads: a CPU
    /// pays for all lanes of a workgroup, used or not, and a call of few elements needs few.
    pub fn narrow(self) -> Self {
        let [w, h] = self.workgroup;
        let workgroup = match (self.spread, self.kind) {
            (Spread::Interleaved, _) | (_, Kind::Product) => self.workgroup,
            (_, Kind::Tile) => [w, (NARROW / w).clamp(1, h)],
            _ if self.unroll == Unroll::Blocked => [w, (NARROW / w).clamp(1, h)],
            (_, Kind::Flat | Kind::Rows | Kind::General) => [(w * h).min(NARROW), 1],
        };
        Self { workgroup, ..self }
    }
}

impl Pass {
    /// Workgroups along x and y if they are [narrow](Mapping::narrow); `None` if a grid of
    /// two axes does not do.
    pub fn narrow_grid(&self) -> Option<[u32; 2]> {
        let [across, down] = [self.table[1], self.table[2]];
        let Mapping {
            kind,
            workgroup: [w, h],
            quads,
            rows,
            spread,
            uniform_rows,
            unroll,
            ..
        } = self.mapping.narrow();
        match (spread, kind) {
            (_, Kind::Product) => None,
            (Spread::Interleaved, _) => (self.grid[2] == 1).then_some([self.grid[0], self.grid[1]]),
            (_, Kind::Flat | Kind::General) => match unroll {
                Unroll::Adjacent => Some([across.div_ceil(w * quads), 1]),
                Unroll::Strided => Some([down.div_ceil(w), 1]),
                Unroll::Blocked => {
                    Some([down.div_ceil(w), across.div_ceil(down * quads).div_ceil(h)])
                }
            },
            (_, Kind::Tile) => Some([across.div_ceil(w), down.div_ceil(h)]),
            (_, Kind::Rows) => {
                let across = across.div_ceil(quads);
                let rows = if unroll == Unroll::Adjacent {
                    down.div_ceil(rows)
                } else {
                    self.table[6]
                };
                Some(if uniform_rows {
                    [across.div_ceil(w), rows]
                } else {
                    [(across * rows).div_ceil(w), 1]
                })
            }
        }
    }
}
