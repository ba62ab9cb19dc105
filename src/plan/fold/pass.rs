//! One pass of a body that folds or scans.

use super::folding::{Folding, is_full};
use super::parts::Lanes;
use super::place::Axes;
use super::schedule::Across;
use super::way::Way;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::plan::body::Body;
use crate::plan::limits::Limits;
use crate::plan::mapped::{Candidates, Mapped, Work};
use crate::plan::operand::Destination;
use crate::plan::pass::Pass;
use crate::plan::planner::Planner;
use crate::plan::schedule::{Load, ScheduleName};
use crate::plan::slot::QUAD;

impl Planner<'_> {
    /// Along what the quads of a body's pass lie. `narrow`: its narrow result has an element for
    /// each of the space, and must be written in quads.
    pub(super) fn across(&self, body: &Body, narrow: bool) -> Result<Across> {
        if narrow {
            let inner = body.space.rank().saturating_sub(1);
            return Ok(match body.reduced.contains(&inner) {
                true => Across::Reduced,
                false => Across::Kept,
            });
        }
        let layouts: Vec<&Layout> = body.inputs.iter().map(|x| &x.slot.layout).collect();
        let sizes: Vec<usize> = body.inputs.iter().map(|x| x.slot.dtype.size()).collect();
        Ok(Axes::new(&body.space, &body.reduced, &layouts)?.across(&sizes))
    }

    /// The pass of a body that folds; `lanes`: it writes those of parts of rows.
    pub(super) fn fold_pass(
        &self,
        body: &Body,
        to: &Destination,
        lanes: Option<Lanes>,
    ) -> Result<Pass> {
        let across = match lanes {
            Some(lanes) => lanes.across,
            None => self.across(body, is_full(body, to) && in_quads(body, to))?,
        };
        self.folding_pass(Folding::new(
            self.limits(),
            (body, to),
            across,
            lanes,
            None,
        )?)
    }

    /// The pass of a body that scans rows in a way. The destination lies on the axes of its space.
    pub(super) fn scan_pass(&self, body: &Body, to: &Destination, way: Way) -> Result<Pass> {
        self.folding_pass(Folding::new(
            self.limits(),
            (body, to),
            way.across,
            None,
            Some(way),
        )?)
    }

    /// The place of the schedule that is wanted among those of these names, or else of the first.
    pub(super) fn wanted(&self, mut names: impl Iterator<Item = ScheduleName>) -> usize {
        let wanted = self.options.schedule;
        names.position(|name| Some(name) == wanted).unwrap_or(0)
    }

    /// A pass with the schedule that is wanted.
    fn folding_pass(&self, folding: Folding<'_>) -> Result<Pass> {
        let (limits, to) = (self.limits(), folding.to);
        let (body, axes, across) = (folding.rows.body, &folding.rows.axes, folding.rows.across);
        let candidates = folding.candidates();
        let chosen = candidates[self.wanted(candidates.iter().map(|c| c.name))];
        let schedule = chosen.schedule;
        let mut inputs = Vec::with_capacity(body.inputs.len());
        for (i, operand) in body.inputs.iter().enumerate() {
            let bound = operand.bind(limits)?;
            let size = operand.slot.dtype.size();
            let load = match schedule.apart && axes.moves(i) {
                true => Load::GATHER,
                false => axes.load(i, across, &bound, size, limits.profile()),
            };
            inputs.push(operand.input(&bound, axes.strides(i), load));
        }
        let (rows, beside) = (folding.dealt(&schedule), schedule.rows as usize);
        let (_, parts) = folding.each(&schedule);
        let groups = match across {
            Across::Reduced => rows.saturating_mul(parts).div_ceil(beside),
            Across::Kept => rows.div_ceil(beside).saturating_mul(parts),
        } as u64;
        let mapped = Mapped {
            inputs,
            output: to.output(&folding.bound, folding.store(&schedule)),
            extents: [&axes.kept.extents[..], &axes.reduced.extents].concat(),
            work: Work::Fold(schedule),
            candidates: Candidates::Fold(candidates),
            grid: grid(groups, limits)?,
            turns: chosen.turns,
        };
        let table = folding.table(&mapped, &schedule);
        Pass::new(mapped, table, folding.shape(), body.clone(), self.options)
    }
}

/// Whether a narrow result with an element for each of a body's space can be written in quads along
/// its innermost axis, or must be.
pub(super) fn in_quads(body: &Body, to: &Destination) -> bool {
    let inner = body.space.extents().last().copied().unwrap_or(1);
    to.slot.dtype.size() < 4 && inner.is_multiple_of(QUAD)
}

/// Workgroups along x, y and z.
pub(in crate::plan) fn grid(groups: u64, limits: &Limits) -> Result<[u32; 3]> {
    let max = u64::from(limits.max_workgroups.max(1));
    let y = groups.div_ceil(max);
    let z = y.div_ceil(max);
    let (x, y) = (groups.div_ceil(y), y.div_ceil(z));
    if z > max || groups > u64::from(u32::MAX) {
        let reason = format!("{groups} workgroups are more than the adapter has; split the arrays");
        return Err(Error::argument("grid", reason));
    }
    Ok([x as u32, y as u32, z as u32])
}
