//! A body that folds or scans, and what its pass depends on beside its schedule.

use super::FoldSpace;
use super::parts::Lanes;
use super::place::Axes;
use super::schedule::{self, Across, FoldSchedule, FullSteps};
use super::way::Way;
use crate::error::Result;
use crate::expr::without;
use crate::layout::Layout;
use crate::op::{GROUP, LANES};
use crate::plan::binding::Bound;
use crate::plan::body::Body;
use crate::plan::canonical::Canonical;
use crate::plan::limits::Limits;
use crate::plan::operand::Destination;
use crate::plan::schedule::{FoldProfile, Spread};
use crate::plan::slot::QUAD;
use crate::plan::store::Store;
use crate::shape::Shape;

/// The rows of a body, and how they may be dealt.
pub(super) struct Rows<'a> {
    pub limits: &'a Limits,
    pub body: &'a Body,
    pub axes: Axes,
    pub space: FoldSpace,
    pub across: Across,
    /// The parts of each whose lanes are written.
    pub parts: Option<usize>,
    /// The machine's, with fewer quads of an invocation where steps are long.
    pub profile: FoldProfile,
}

impl<'a> Rows<'a> {
    /// `result`: where the result lies, if it has an element for each that is read.
    pub fn new(
        limits: &'a Limits,
        body: &'a Body,
        result: Option<&Layout>,
        across: Across,
        parts: Option<usize>,
    ) -> Result<Self> {
        let inputs = body.inputs.iter().map(|x| &x.slot.layout);
        let layouts: Vec<&Layout> = inputs.chain(result).collect();
        let axes = Axes::new(&body.space, &body.reduced, &layouts)?;
        let weight = body.weight(&axes.stages(body), limits);
        let profile = limits.profile();
        let quads = profile.copied / weight.max(1);
        Ok(Self {
            profile: profile.folds.with_quads(quads, limits.width()),
            space: FoldSpace::of(&body.space, &body.reduced),
            limits,
            body,
            axes,
            across,
            parts,
        })
    }

    /// How the rows are dealt by a profile.
    pub fn dealt(&self, profile: &FoldProfile) -> FoldSchedule {
        // All lanes are written, be there elements for them or not.
        let count = self.space.count.max(self.parts.map_or(0, |_| LANES));
        let quads = self.axes.rows(self.across);
        let alone = self.body.turns(self.limits) == 0;
        let beside = match alone {
            true => schedule::beside(self.across, quads, self.axes.kept.inner(), profile),
            false => 1,
        };
        let rows = quads / beside as usize;
        let units = match self.across {
            Across::Reduced => rows.saturating_mul(self.parts.unwrap_or(1)),
            Across::Kept => rows,
        };
        let width = self.limits.width();
        let dealt = schedule::deal(self.across, units, count, alone, width, profile);
        let schedule = FoldSchedule {
            beside,
            ..self.scheduled(dealt)
        };
        match self.body.folds.is_empty() {
            true => schedule.storing(),
            false => schedule,
        }
    }

    /// The schedule of rows that are dealt so, as invocations of a row, quads of each, and rows of a
    /// workgroup: one loop over steps that may end anywhere.
    fn scheduled(&self, dealt: FoldSchedule) -> FoldSchedule {
        let (axes, across) = (&self.axes, self.across);
        let along = match across {
            Across::Reduced => self.space.count,
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
}

/// A body that folds or scans, and what its pass depends on beside its schedule.
pub(super) struct Folding<'a> {
    pub rows: Rows<'a>,
    pub to: &'a Destination,
    /// The lanes of parts of rows that it writes.
    pub lanes: Option<Lanes>,
    /// How it scans, if it does.
    pub way: Option<Way>,
    /// Whether the result has an element for each that is read.
    pub full: bool,
    /// The result's binding.
    pub bound: Bound,
}

/// Steps of rows that begin anywhere which one warp does.
const SHORT: usize = 4;

impl<'a> Folding<'a> {
    /// `lanes`: it writes those of parts of rows; `way`: how it scans, if it does.
    pub fn new(
        limits: &'a Limits,
        (body, to): (&'a Body, &'a Destination),
        across: Across,
        lanes: Option<Lanes>,
        way: Option<Way>,
    ) -> Result<Self> {
        let full = way.is_some() || lanes.is_none() && is_full(body, to);
        let result = full.then_some(&to.slot.layout);
        Ok(Self {
            rows: Rows::new(limits, body, result, across, lanes.map(|lanes| lanes.parts))?,
            bound: to.bind(limits)?,
            to,
            lanes,
            way,
            full,
        })
    }

    /// Elements between the lanes of a part.
    pub fn pitch(&self) -> usize {
        self.lanes.map_or(0, |lanes| lanes.rows)
    }

    /// The elements of a part of a row, and how many parts it has.
    pub fn each(&self, schedule: &FoldSchedule) -> (usize, usize) {
        let count = self.rows.space.count;
        match self.lanes {
            Some(lanes) => (schedule::chunk(lanes.levels), lanes.parts),
            None if self.rows.body.folds.is_empty() => schedule.parts(count),
            None => (count, 1),
        }
    }

    /// Turns of loops that an invocation takes at most: in each stage, and where it writes an element for each that it read.
    pub fn turns(&self, schedule: &FoldSchedule) -> usize {
        let rows = &self.rows;
        let elements = self.each(schedule).0.min(rows.space.count) / schedule.groups as usize;
        let of_quad = rows.body.turns(rows.limits);
        if schedule.scan.is_some() {
            let quads = (schedule.own * schedule.beside) as usize;
            let groups = elements.div_ceil(schedule.step());
            let loops = match schedule.levels {
                0 => schedule.threads as usize,
                _ => groups + groups.div_ceil(GROUP - 1),
            };
            return loops + groups * quads * of_quad;
        }
        let stages = rows.axes.stages(rows.body).count();
        let stored = usize::from(schedule.full) * schedule.storing().turns(elements, of_quad);
        let groups = schedule.groups as usize;
        let joined = usize::from(groups > 1) * rows.body.folds.len() * groups;
        stages * schedule.turns(elements, of_quad) + stored + joined
    }

    /// Rows, or quads of columns that lie beside one another, which are dealt.
    pub fn dealt(&self, schedule: &FoldSchedule) -> usize {
        self.rows.axes.rows(schedule.across) / schedule.beside as usize
    }

    /// The shape of what it writes.
    pub fn shape(&self) -> Shape {
        let (body, rows) = (self.rows.body, self.rows.space.rows);
        match (self.lanes, body.scan) {
            (_, Some(scan)) if scan.total => without(&body.space, &body.reduced),
            (Some(lanes), _) if body.folds.len() > 1 => {
                Shape::from([body.folds.len(), rows, lanes.parts, LANES])
            }
            (Some(lanes), _) => Shape::from([rows, lanes.parts, LANES]),
            (None, _) => self.to.slot.layout.shape().clone(),
        }
    }

    /// A schedule that scans rows in a way.
    pub fn scanning(&self, way: Way) -> FoldSchedule {
        let rows = &self.rows;
        let dealt = way.deal(rows.space.count, rows.limits.width(), &rows.profile);
        self.fitting(FoldSchedule {
            full: true,
            levels: way.levels(rows.space.count),
            scan: rows.body.scan,
            ..rows.scheduled(dealt)
        })
    }

    /// A schedule that deals rows so; `holds`: whether invocations hold what they load of a row that they go through several
    /// times, if they have room.
    pub fn folding(&self, dealt: FoldSchedule, holds: bool) -> FoldSchedule {
        let (rows, to) = (&self.rows, self.to);
        let (axes, space, full) = (&rows.axes, &rows.space, self.full);
        let (machine, profile) = (rows.limits.profile(), &rows.profile);
        let mut schedule = FoldSchedule {
            stepped: profile.stepped && axes.reduced.extents.len() == 1,
            partial: self.lanes.is_some(),
            full,
            ..dealt
        };
        let (each, parts) = self.each(&schedule);
        schedule.parted = schedule.partial || parts > 1;
        let of_loops = each / schedule.groups as usize;
        let spread = machine.spread == Spread::Interleaved && schedule.across == Across::Reduced;
        let wide = self.store(&schedule) == Store::Wide;
        let by_element = full && spread && !wide && to.slot.dtype.size() >= 4;
        let warp = machine.warp as u32;
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
            _ => (profile.together / schedule.own).clamp(1, GROUP as u32),
        };
        let quads = schedule.together * schedule.own * schedule.beside;
        schedule.loaded = profile.together.min(quads);
        // All parts are made of such steps, the last one too.
        let part = each.min(space.count);
        let together = schedule.step() * schedule.together as usize;
        schedule.full_steps =
            match space.count.is_multiple_of(part) && part.is_multiple_of(together) {
                true => FullSteps::All,
                false if space.count < together => FullSteps::None,
                false => FullSteps::AllButLast,
            };
        let stages = axes.stages(rows.body).count();
        if holds && stages + usize::from(full) > 1 && !schedule.in_turn {
            self.hold(&mut schedule);
        }
        schedule.apart = by_element && schedule.threads > 1;
        schedule.staged = schedule.held > 0
            && space.trailing
            && to.slot.layout.is_contiguous()
            && match by_element {
                true => schedule.threads < warp,
                // Which share words, and are written as whole words but for the first and the last.
                false => full && spread && self.store(&schedule) == Store::Shared { quads: true },
            };
        if schedule.apart {
            schedule.ragged = !space.count.is_multiple_of(QUAD * schedule.threads as usize);
        }
        self.fitting(schedule)
    }

    /// How a result is written.
    pub fn store(&self, schedule: &FoldSchedule) -> Store {
        let (to, axes) = (self.to, &self.rows.axes);
        let aligned = (self.bound.offset as usize).is_multiple_of(QUAD);
        let (along, other) = axes.along(schedule.across);
        let fills_quads = along.inner().is_multiple_of(QUAD);
        let totals = schedule.scan.is_some_and(|scan| scan.total);
        let whole = match schedule.across {
            Across::Kept => fills_quads && self.pitch().is_multiple_of(QUAD),
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
}

/// Whether a result has an element for each that its body reads.
pub(super) fn is_full(body: &Body, to: &Destination) -> bool {
    to.slot.layout.len() != FoldSpace::of(&body.space, &body.reduced).rows
}
