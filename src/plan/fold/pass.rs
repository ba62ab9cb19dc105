//! One pass of a body that folds or scans.

use super::FoldSpace;
use super::folding::Folding;
use super::parts::Lanes;
use super::place::Axes;
use super::schedule::{self, Across, FoldCandidate, FoldSchedule, FullSteps};
use super::table::{FoldCounts, words};
use super::way::Way;
use crate::error::{Error, Result};
use crate::expr::without;
use crate::layout::Layout;
use crate::op::{GROUP, LANES};
use crate::plan::body::Body;
use crate::plan::canonical::Canonical;
use crate::plan::limits::Limits;
use crate::plan::mapped::{Candidates, Mapped, Work};
use crate::plan::operand::Destination;
use crate::plan::pass::Pass;
use crate::plan::planner::Planner;
use crate::plan::schedule::{Load, Profile, ScheduleName, Spread};
use crate::plan::slot::QUAD;
use crate::plan::store::Store;
use crate::shape::Shape;

/// Steps of rows that begin anywhere which one warp does.
const SHORT: usize = 4;

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
        let space = FoldSpace::of(&body.space, &body.reduced);
        let full = lanes.is_none() && to.slot.layout.len() != space.rows;
        let across = match lanes {
            Some(lanes) => lanes.across,
            None => self.across(body, full && in_quads(body, to))?,
        };
        let axes = &axes(body, full.then_some(&to.slot.layout))?;
        let folding = Folding {
            profile: self.deals(body, axes),
            offset: to.bind(self.limits())?.offset,
            body,
            axes,
            to,
            lanes,
            space,
            across,
            full,
        };
        let candidates = self.fold_candidates(&folding);
        let chosen = candidates[self.wanted(candidates.iter().map(|c| c.name))];
        let (each, parts) = folding.each(&chosen.schedule);
        let counts = FoldCounts {
            rows: axes.rows(across) / chosen.schedule.beside as usize,
            count: space.count,
            parts,
            each,
            pitch: folding.pitch(),
            first: lanes.map_or(0, |lanes| lanes.begin),
            of: lanes.map_or(1, |lanes| lanes.of),
            position: lanes.map_or(0, |lanes| (lanes.first - lanes.begin) * each),
            strides: None,
        };
        let shape = match lanes {
            Some(_) if body.folds.len() > 1 => {
                Shape::from([body.folds.len(), space.rows, parts, LANES])
            }
            Some(_) => Shape::from([space.rows, parts, LANES]),
            None => to.slot.layout.shape().clone(),
        };
        self.folding_pass((body, to), (chosen, candidates), axes, counts, shape)
    }

    /// A schedule that deals rows so; `holds`: whether invocations hold what they load of a row that they go through several
    /// times, if they have room.
    pub(super) fn fold_schedule(
        &self,
        folding: &Folding<'_>,
        dealt: FoldSchedule,
        holds: bool,
    ) -> FoldSchedule {
        let (body, to, axes) = (folding.body, folding.to, folding.axes);
        let (space, full, profile) = (folding.space, folding.full, &folding.profile);
        let mut schedule = FoldSchedule {
            stepped: profile.fold_stepped && axes.reduced.extents.len() == 1,
            partial: folding.lanes.is_some(),
            full,
            ..dealt
        };
        let (each, parts) = folding.each(&schedule);
        schedule.parted = schedule.partial || parts > 1;
        let of_loops = each / schedule.groups as usize;
        let by_element = full
            && to.slot.dtype.size() >= 4
            && schedule.across == Across::Reduced
            && profile.spread == Spread::Interleaved
            && store(to, &schedule, axes, folding.offset, folding.pitch()) != Store::Wide;
        let warp = profile.warp as u32;
        if by_element && schedule.threads > warp && space.count <= SHORT * schedule.step() {
            // Fewer invocations idle at the end of a row, and fewer leave what they fold to others.
            schedule.own *= schedule.threads / warp;
            schedule.rows *= schedule.threads / warp;
            schedule.threads = warp;
        }
        let steps = of_loops.min(space.count).div_ceil(schedule.step());
        // Few kernels serve all lengths.
        while GROUP.pow(schedule.levels) < steps {
            schedule.levels += 2;
        }
        schedule.together = match steps {
            0..4 => 1,
            _ => (profile.folded_together / schedule.own).clamp(1, GROUP as u32),
        };
        let quads = schedule.together * schedule.own * schedule.beside;
        schedule.loaded = profile.folded_together.min(quads);
        // All parts are made of such steps, the last one too.
        let part = each.min(space.count);
        let together = schedule.step() * schedule.together as usize;
        schedule.full_steps =
            match space.count.is_multiple_of(part) && part.is_multiple_of(together) {
                true => FullSteps::All,
                false if space.count < together => FullSteps::None,
                false => FullSteps::AllButLast,
            };
        let stages = axes.stages(body).count();
        if holds && stages + usize::from(full) > 1 && !schedule.in_turn {
            self.hold((body, axes), profile, space.count, &mut schedule);
        }
        schedule.apart = by_element && schedule.threads > 1;
        schedule.staged = schedule.held > 0
            && space.trailing
            && to.slot.layout.is_contiguous()
            && match by_element {
                true => schedule.threads < warp,
                false => full && self.stages_shared(to, axes, &schedule, folding.offset),
            };
        if schedule.apart {
            schedule.ragged = !space.count.is_multiple_of(QUAD * schedule.threads as usize);
        }
        self.fitting(schedule, &body.folds, to.slot.dtype)
    }

    /// The place of the schedule that is wanted among those of these names, or else of the first.
    pub(super) fn wanted(&self, mut names: impl Iterator<Item = ScheduleName>) -> usize {
        let wanted = self.options.schedule;
        names.position(|name| Some(name) == wanted).unwrap_or(0)
    }

    /// The profile by which a body's rows are dealt: the machine's, with fewer quads of an invocation
    /// where steps are long.
    pub(super) fn deals(&self, body: &Body, axes: &Axes) -> Profile {
        let limits = self.limits();
        let weight = body.weight(&axes.stages(body), limits);
        let profile = limits.profile();
        profile.with_quads(profile.copied / weight.max(1), limits.width())
    }

    /// How a body's rows are dealt that are folded as a whole, or in so many parts.
    pub(super) fn dealt(
        &self,
        (body, axes): (&Body, &Axes),
        profile: &Profile,
        across: Across,
        parts: Option<usize>,
    ) -> FoldSchedule {
        let width = self.limits().width();
        let space = FoldSpace::of(&body.space, &body.reduced);
        // All lanes are written, be there elements for them or not.
        let count = parts.map_or(space.count, |_| space.count.max(LANES));
        let quads = axes.rows(across);
        let alone = body.turns(self.limits()) == 0;
        let beside = match alone {
            true => schedule::beside(across, quads, axes.kept.inner(), profile),
            false => 1,
        };
        let rows = quads / beside as usize;
        let units = match across {
            Across::Reduced => rows.saturating_mul(parts.unwrap_or(1)),
            Across::Kept => rows,
        };
        let dealt = schedule::deal(across, units, count, alone, width, profile);
        let schedule = FoldSchedule {
            beside,
            ..scheduled(axes, across, space.count, dealt)
        };
        match body.folds.is_empty() {
            true => schedule.storing(),
            false => schedule,
        }
    }

    /// The pass of a body that scans rows in a way. The destination lies on the axes of its space.
    pub(super) fn scan_pass(&self, body: &Body, to: &Destination, way: Way) -> Result<Pass> {
        let space = FoldSpace::of(&body.space, &body.reduced);
        let axes = axes(body, Some(&to.slot.layout))?;
        let candidates = self.scan_candidates((body, &axes), to, way);
        let counts = FoldCounts {
            rows: axes.rows(way.across),
            count: space.count,
            parts: 1,
            each: space.count,
            of: 1,
            ..FoldCounts::default()
        };
        let shape = match body.scan.is_some_and(|scan| scan.total) {
            true => without(&body.space, &body.reduced),
            false => body.space.clone(),
        };
        self.folding_pass(
            (body, to),
            (candidates[0], candidates),
            &axes,
            counts,
            shape,
        )
    }

    /// How a body's rows are scanned in a way.
    pub(super) fn scan_schedule(
        &self,
        (body, axes): (&Body, &Axes),
        to: &Destination,
        way: Way,
    ) -> FoldSchedule {
        let count = FoldSpace::of(&body.space, &body.reduced).count;
        let (width, profile) = (self.limits().width(), self.limits().profile());
        let dealt = way.deal(count, width, profile);
        let schedule = FoldSchedule {
            full: true,
            levels: way.levels(count),
            scan: body.scan,
            ..scheduled(axes, way.across, count, dealt)
        };
        self.fitting(schedule, &body.folds, to.slot.dtype)
    }

    /// A pass with one of these schedules.
    fn folding_pass(
        &self,
        (body, to): (&Body, &Destination),
        (chosen, candidates): (FoldCandidate, Vec<FoldCandidate>),
        axes: &Axes,
        counts: FoldCounts,
        shape: Shape,
    ) -> Result<Pass> {
        let limits = self.limits();
        let FoldCandidate {
            schedule, turns, ..
        } = chosen;
        let mut inputs = Vec::with_capacity(body.inputs.len());
        for (i, operand) in body.inputs.iter().enumerate() {
            let bound = operand.bind(limits)?;
            let size = operand.slot.dtype.size();
            let load = match schedule.apart && axes.moves(i) {
                true => Load::GATHER,
                false => axes.load(i, schedule.across, &bound, size, limits.profile()),
            };
            inputs.push(operand.input(&bound, axes.strides(i), load));
        }
        let bound = to.bind(limits)?;
        let output = to.output(
            &bound,
            store(to, &schedule, axes, bound.offset, counts.pitch),
        );
        let counts = FoldCounts {
            strides: schedule.full.then(|| axes.strides(body.inputs.len())),
            ..counts
        };
        let beside = schedule.rows as usize;
        let groups = match schedule.across {
            Across::Reduced => counts.rows.saturating_mul(counts.parts).div_ceil(beside),
            Across::Kept => counts.rows.div_ceil(beside).saturating_mul(counts.parts),
        } as u64;
        let mapped = Mapped {
            inputs,
            output,
            extents: [&axes.kept.extents[..], &axes.reduced.extents].concat(),
            work: Work::Fold(schedule),
            candidates: Candidates::Fold(candidates),
            grid: grid(groups, limits)?,
            turns,
        };
        let table = words(&mapped, &schedule, &counts);
        Pass::new(mapped, table, shape, body.clone(), self.options)
    }
}

/// The schedule of rows that are dealt so, as invocations of a row, quads of each, and rows of a
/// workgroup: one loop over steps that may end anywhere.
fn scheduled(axes: &Axes, across: Across, count: usize, dealt: FoldSchedule) -> FoldSchedule {
    let along = match across {
        Across::Reduced => count,
        Across::Kept => axes.kept.inner(),
    };
    FoldSchedule {
        across,
        groups: 1,
        beside: 1,
        levels: 1,
        together: 1,
        loaded: 1,
        ragged: !along.is_multiple_of(QUAD),
        kept: axes.kept.extents.len() as u32,
        reduced: axes.reduced.extents.len() as u32,
        ..dealt
    }
}

/// The axes of a body, and of its result if that has an element for each.
pub(super) fn axes(body: &Body, result: Option<&Layout>) -> Result<Axes> {
    let inputs = body.inputs.iter().map(|x| &x.slot.layout);
    let layouts: Vec<&Layout> = inputs.chain(result).collect();
    Axes::new(&body.space, &body.reduced, &layouts)
}

/// How a result is written.
pub(super) fn store(
    to: &Destination,
    schedule: &FoldSchedule,
    axes: &Axes,
    offset: u32,
    pitch: usize,
) -> Store {
    let aligned = (offset as usize).is_multiple_of(QUAD);
    let (along, other) = axes.along(schedule.across);
    let fills_quads = along.inner().is_multiple_of(QUAD);
    let totals = schedule.scan.is_some_and(|scan| scan.total);
    let whole = match schedule.across {
        Across::Kept => fills_quads && pitch.is_multiple_of(QUAD),
        Across::Reduced if totals => false,
        Across::Reduced => schedule.partial || schedule.full && fills_quads,
    };
    let stride = along.strides.last().and_then(|of| of.last());
    let unit = !schedule.full || stride.is_none_or(|&stride| stride == 1);
    // Each row begins with a quad.
    let begins = |of: &Canonical, inner: usize| {
        let strides = of.strides.last().map_or(&[][..], |s| &s[..s.len() - inner]);
        strides
            .iter()
            .all(|s| s.unsigned_abs().is_multiple_of(QUAD))
    };
    let quads = begins(along, 1) && begins(other, 0);
    let room = to.slot.holds_units(QUAD);
    if aligned && whole && unit && room && (quads || !schedule.full) {
        return Store::Wide;
    }
    if to.slot.dtype.size() < 4 {
        let one_axis = schedule.across == Across::Kept || axes.reduced.extents.len() == 1;
        let quads = !schedule.full || unit && one_axis;
        return Store::Shared { quads };
    }
    Store::Words { shift: 0 }
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
