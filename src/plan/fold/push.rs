//! The passes of a program: one, or those that fold parts of rows and one that goes on with their
//! lanes.

use super::place::Axes;
use super::ranges::{greatest_common_divisor, halves, moved};
use super::schedule::{self, Across, FoldSchedule};
use super::table::{FoldCounts, words};
use super::{FoldSpace, Stages};
use crate::error::{Error, Result};
use crate::expr::without;
use crate::layout::Layout;
use crate::op::{GROUP, LANES};
#[cfg(feature = "stream")]
use crate::plan::Plan;
use crate::plan::binding::Bound;
use crate::plan::body::Body;
use crate::plan::limits::Limits;
#[cfg(feature = "stream")]
use crate::plan::lower::lower_folds;
use crate::plan::mapped::{Input, Mapped, Output, Work};
use crate::plan::operand::{Destination, Operand, Source, Target};
use crate::plan::pass::Pass;
use crate::plan::planner::Planner;
use crate::plan::slot::{QUAD, Room, Slot};
use crate::plan::store::Store;
use crate::shape::Shape;

/// The lanes of parts of rows, in a temporary: where a pass writes its own.
#[derive(Clone, Copy)]
struct Lanes {
    levels: u32,
    across: Across,
    /// The first part among all of a row, and how many there are.
    first: usize,
    of: usize,
    /// The first row among all, and how many there are.
    row: usize,
    rows: usize,
}

impl Planner<'_> {
    /// Adds the passes of a body that folds.
    pub fn push_folds(&mut self, body: &Body, to: &Destination) -> Result<()> {
        if to.slot.layout.is_empty() {
            return Ok(());
        }
        let space = FoldSpace::of(&body.space, &body.reduced);
        let single = body.folds.len() == 1 && to.slot.layout.len() == space.rows;
        let profile = self.limits().profile();
        let levels = schedule::split(space.rows, space.count, profile).filter(|_| single);
        if let Some(levels) = levels {
            return self.push_parts(body, to, levels);
        }
        let long = space.rows.saturating_mul(space.count) > self.limits().elements(body.is_dense());
        let whole = match long {
            true => Err(too_large(to, self.limits())),
            false => self.fold_pass(body, to, None),
        };
        match whole {
            Ok(pass) => {
                self.passes.push(pass);
                Ok(())
            }
            Err(Error::TooLarge { .. }) => self.push_fold_windows(body, to),
            Err(error) => Err(error),
        }
    }

    /// Adds the passes of fewer rows each, or of parts of rows.
    fn push_fold_windows(&mut self, body: &Body, to: &Destination) -> Result<()> {
        let extents = body.space.extents();
        let kept = (0..extents.len()).filter(|axis| !body.reduced.contains(axis));
        let space = FoldSpace::of(&body.space, &body.reduced);
        let full = to.slot.layout.len() != space.rows;
        let Some(axis) = kept
            .clone()
            .find(|&axis| extents[axis] > 1)
            .filter(|_| !full)
        else {
            // One row.
            let levels = (1..8)
                .rev()
                .find(|&levels| schedule::chunk(levels) < space.count);
            return match levels.filter(|_| !full && body.folds.len() == 1) {
                Some(levels) => self.push_parts(body, to, levels),
                None => Err(too_large(to, self.limits())),
            };
        };
        let place = kept.clone().take_while(|&a| a < axis).count();
        for (start, count) in halves(extents[axis], 1) {
            let part = body.along(axis, start, count)?;
            let layout = moved(&to.slot.layout, place, start, count)?;
            let part_of = Destination {
                target: to.target,
                slot: Slot {
                    room: match start + count == extents[axis] {
                        true => to.slot.room,
                        false => Room::Bytes(to.slot.bytes()),
                    },
                    ..to.slot.clone().with_layout(layout)
                },
            };
            self.push_folds(&part, &part_of)?;
        }
        Ok(())
    }

    /// Adds passes that fold parts of rows, and those that go on with their lanes.
    fn push_parts(&mut self, body: &Body, to: &Destination, levels: u32) -> Result<()> {
        let fold = body.folds[0];
        let space = FoldSpace::of(&body.space, &body.reduced);
        let parts = space.count.div_ceil(schedule::chunk(levels));
        let lanes = parts * LANES;
        let kept = without(&body.space, &body.reduced);
        let t = self.temporary(fold.dtype, space.rows.saturating_mul(lanes));
        let across = self.across(body)?;
        let written = Lanes {
            levels,
            across,
            first: 0,
            of: parts,
            row: 0,
            rows: space.rows,
        };
        self.push_lanes(&body.before_fold(), Target::Temporary(t), written)?;
        let rank = kept.rank();
        let mut extents = kept.extents().to_vec();
        let mut strides: Vec<isize> = kept.row_major();
        extents.push(lanes);
        match across {
            Across::Kept => strides.push(space.rows.cast_signed()),
            Across::Reduced => {
                strides.iter_mut().for_each(|s| *s *= lanes.cast_signed());
                strides.push(1);
            }
        }
        let slot = Slot::new(fold.dtype, [space.rows * lanes])?;
        let layout = Layout::new(extents.clone(), strides, 0)?;
        let mut rest = body.behind_fold(Operand {
            source: Source::Temporary(t),
            slot: slot.with_layout(layout),
        });
        rest.space = extents.into();
        rest.reduced = vec![rank];
        // What is read beside the folded values repeats along the lanes.
        for operand in &mut rest.inputs[1..] {
            let layout = &operand.slot.layout;
            let own = (0..body.space.rank()).filter(|axis| !body.reduced.contains(axis));
            let mut strides: Vec<isize> = own.map(|axis| layout.strides()[axis]).collect();
            strides.push(0);
            operand.slot.layout = Layout::new(rest.space.clone(), strides, layout.offset())?;
        }
        self.push_folds(&rest, to)
    }

    /// The plan of the lanes of the only root, a reduction: of each chunk of its elements that is
    /// folded to so many levels. Its output has two axes, rows and lanes, in the order that
    /// `across` says.
    #[cfg(feature = "stream")]
    pub fn plan_lanes(mut self, levels: u32, across: Option<Across>) -> Result<(Plan, Across)> {
        let root = self.graph.roots[0];
        let program = self.programs.get(&root);
        let program = program.ok_or_else(|| Error::argument("plan", "it is no reduction"))?;
        let body = lower_folds(self.graph, root, &self.sources, program)?.before_fold();
        let across = match across {
            Some(across) => across,
            None => self.across(&body)?,
        };
        let space = FoldSpace::of(&body.space, &body.reduced);
        let parts = space.count.div_ceil(schedule::chunk(levels));
        let (rows, lanes) = (space.rows, parts * LANES);
        let shape = match across {
            Across::Reduced => [rows, lanes],
            Across::Kept => [lanes, rows],
        };
        let output = Slot::new(body.folds[0].dtype, shape)?;
        let written = Lanes {
            levels,
            across,
            first: 0,
            of: parts,
            row: 0,
            rows,
        };
        self.push_lanes(&body, Target::Output(0), written)?;
        Ok((self.finished(vec![output]), across))
    }

    /// Adds the passes that write the lanes of all parts: of fewer rows, or of fewer parts, if they
    /// do not fit.
    fn push_lanes(&mut self, body: &Body, target: Target, lanes: Lanes) -> Result<()> {
        let space = FoldSpace::of(&body.space, &body.reduced);
        let own = lanes.of * LANES;
        let (extents, first) = match lanes.across {
            Across::Reduced => (vec![space.rows, own], lanes.row * own),
            Across::Kept => (vec![own, space.rows], lanes.row),
        };
        let pitch = match lanes.across {
            Across::Reduced => own,
            Across::Kept => lanes.rows,
        };
        let layout = Layout::new(extents, vec![pitch.cast_signed(), 1], first)?;
        let to = Destination {
            target,
            slot: Slot::new(body.folds[0].dtype, [lanes.rows * own])?.with_layout(layout),
        };
        let long = space.rows.saturating_mul(space.count) > self.limits().elements(body.is_dense());
        let whole = match long {
            true => Err(too_large(&to, self.limits())),
            false => self.fold_pass(body, &to, Some(lanes)),
        };
        match whole {
            Ok(pass) => {
                self.passes.push(pass);
                return Ok(());
            }
            Err(Error::TooLarge { .. }) => {}
            Err(error) => return Err(error),
        }
        let extents = body.space.extents();
        let long = |axis: &usize| extents[*axis] > 1;
        let mut kept = (0..extents.len()).filter(|axis| !body.reduced.contains(axis));
        if let Some(axis) = kept.find(long) {
            let within = space.rows / extents[axis];
            for (start, count) in halves(extents[axis], 1) {
                let part = body.along(axis, start, count)?;
                let row = lanes.row + start * within;
                self.push_lanes(&part, target, Lanes { row, ..lanes })?;
            }
            return Ok(());
        }
        // Parts begin where an index of the outermost reduced axis does.
        let chunk = schedule::chunk(lanes.levels);
        let Some(&axis) = body.reduced.iter().find(|axis| long(axis)) else {
            return Err(too_large(&to, self.limits()));
        };
        let within = space.count / extents[axis];
        let unit = chunk / greatest_common_divisor(chunk, within);
        if unit >= extents[axis] {
            return Err(too_large(&to, self.limits()));
        }
        for (start, count) in halves(extents[axis], unit) {
            let part = body.along(axis, start, count)?;
            let first = lanes.first + start * within / chunk;
            self.push_lanes(&part, target, Lanes { first, ..lanes })?;
        }
        Ok(())
    }

    /// Along what the quads of a body's pass lie.
    fn across(&self, body: &Body) -> Result<Across> {
        let layouts: Vec<&Layout> = body.inputs.iter().map(|x| &x.slot.layout).collect();
        let sizes: Vec<usize> = body.inputs.iter().map(|x| x.slot.dtype.size()).collect();
        Ok(Axes::new(&body.space, &body.reduced, &layouts)?.across(&sizes))
    }

    /// The pass of a body that folds; `lanes`: it writes those of parts of rows.
    fn fold_pass(&self, body: &Body, to: &Destination, lanes: Option<Lanes>) -> Result<Pass> {
        let limits = self.limits();
        let space = FoldSpace::of(&body.space, &body.reduced);
        let full = lanes.is_none() && to.slot.layout.len() != space.rows;
        let across = match lanes {
            Some(lanes) => lanes.across,
            None => self.across(body)?,
        };
        let mut layouts: Vec<&Layout> = body.inputs.iter().map(|x| &x.slot.layout).collect();
        if full {
            layouts.push(&to.slot.layout);
        }
        let axes = Axes::new(&body.space, &body.reduced, &layouts)?;
        let rows = axes.rows(across);
        let profile = limits.profile();
        // All lanes are written, be there elements for them or not.
        let dealt = lanes.map_or(space.count, |_| space.count.max(LANES));
        let (threads, own, beside) = schedule::deal(across, rows, dealt, limits.width(), profile);
        let inner = match across {
            Across::Reduced => axes.reduced.inner(),
            Across::Kept => axes.kept.inner(),
        };
        let each = lanes.map_or(space.count, |lanes| schedule::chunk(lanes.levels));
        let mut schedule = FoldSchedule {
            across,
            threads,
            own,
            rows: beside,
            levels: 1,
            together: 1,
            held: 0,
            partial: lanes.is_some(),
            full,
            ragged: !match across {
                Across::Reduced => space.count,
                Across::Kept => inner,
            }
            .is_multiple_of(QUAD),
            kept: axes.kept.extents.len() as u32,
            reduced: axes.reduced.extents.len() as u32,
        };
        let steps = each.min(space.count).div_ceil(schedule.step());
        // Few kernels serve all lengths.
        while GROUP.pow(schedule.levels) < steps {
            schedule.levels += 2;
        }
        schedule.together = match steps {
            0..4 => 1,
            _ => (profile.folded_together / own).clamp(1, GROUP as u32),
        };
        let moving: Vec<bool> = (0..body.inputs.len()).map(|i| axes.moves(i)).collect();
        let walked = moving.iter().filter(|moves| **moves).count();
        let stages = Stages::new(moving, &body.steps, &body.folds).count();
        let steps = steps.next_power_of_two();
        let quads = steps * own as usize * walked;
        if stages + usize::from(full) > 1 && steps <= GROUP && quads <= profile.held {
            schedule.held = steps as u32;
        }
        let mut inputs = Vec::with_capacity(body.inputs.len());
        for (i, operand) in body.inputs.iter().enumerate() {
            let bound = operand.bind(limits)?;
            let size = operand.slot.dtype.size();
            let strides = [&axes.kept, &axes.reduced].map(|of| &of.strides[i]);
            inputs.push(Input {
                source: operand.source,
                dtype: operand.slot.dtype,
                layout: operand.slot.layout.clone(),
                strides: strides.into_iter().flatten().copied().collect(),
                load: axes.load(i, across, &bound, size),
                range: bound.range,
                offset: bound.offset,
                per_word: 1,
            });
        }
        let Bound { range, offset, .. } = to.bind(limits)?;
        let output = Output {
            target: to.target,
            dtype: to.slot.dtype,
            store: store(
                to,
                &schedule,
                &axes,
                offset,
                lanes.map_or(0, |lanes| lanes.rows),
            ),
            range,
            offset,
            per_word: 1,
            rows: None,
        };
        let counts = FoldCounts {
            rows,
            count: space.count,
            parts: space.count.div_ceil(each),
            each,
            pitch: lanes.map_or(0, |lanes| lanes.rows),
            first: lanes.map_or(0, |lanes| lanes.first),
            of: lanes.map_or(1, |lanes| lanes.of),
            position: lanes.map_or(0, |lanes| lanes.first * each),
            strides: full.then(|| {
                let last = body.inputs.len();
                let own = [&axes.kept, &axes.reduced].map(|of| &of.strides[last]);
                own.into_iter().flatten().copied().collect()
            }),
        };
        let groups = rows.div_ceil(beside as usize) as u64 * counts.parts as u64;
        let extents = [&axes.kept, &axes.reduced].map(|of| &of.extents);
        let mapped = Mapped {
            inputs,
            output,
            extents: extents.into_iter().flatten().copied().collect(),
            work: Work::Fold(schedule),
            candidates: Vec::new(),
            grid: folded_grid(groups, limits)?,
        };
        let table = words(&mapped, &schedule, &counts);
        let shape = match lanes {
            Some(_) => Shape::from([space.rows, counts.parts, LANES]),
            None => to.slot.layout.shape().clone(),
        };
        Pass::folding(mapped, table, shape, body.clone(), self.options)
    }
}

/// Whether a result is written in whole quads.
fn store(
    to: &Destination,
    schedule: &FoldSchedule,
    axes: &Axes,
    offset: u32,
    pitch: usize,
) -> Store {
    let aligned = (offset as usize).is_multiple_of(QUAD);
    let whole = match (schedule.partial, schedule.full, schedule.across) {
        (true, _, Across::Reduced) => true,
        (true, _, Across::Kept) => {
            axes.kept.inner().is_multiple_of(QUAD) && pitch.is_multiple_of(QUAD)
        }
        (false, false, Across::Reduced) => false,
        (false, _, Across::Kept) => axes.kept.inner().is_multiple_of(QUAD),
        (false, true, Across::Reduced) => axes.reduced.inner().is_multiple_of(QUAD),
    };
    let unit = |of: &crate::plan::canonical::Canonical| {
        of.strides
            .last()
            .and_then(|s| s.last())
            .is_none_or(|&s| s == 1)
    };
    // Each row begins with a quad.
    let begins = |of: &crate::plan::canonical::Canonical, inner: usize| {
        let strides = of.strides.last().map_or(&[][..], |s| &s[..s.len() - inner]);
        strides
            .iter()
            .all(|s| s.unsigned_abs().is_multiple_of(QUAD))
    };
    let quads = match schedule.across {
        Across::Reduced => begins(&axes.reduced, 1) && begins(&axes.kept, 0),
        Across::Kept => begins(&axes.kept, 1) && begins(&axes.reduced, 0),
    };
    let unit = !schedule.full
        || match schedule.across {
            Across::Reduced => unit(&axes.reduced),
            Across::Kept => unit(&axes.kept),
        };
    let room = match to.slot.room {
        Room::Padding => true,
        Room::Bytes(_) => to.slot.layout.len().is_multiple_of(QUAD),
    };
    match aligned && whole && unit && room && (quads || !schedule.full) {
        true => Store::Wide,
        false => Store::Words { shift: 0 },
    }
}

/// Workgroups along x, y and z.
fn folded_grid(groups: u64, limits: &Limits) -> Result<[u32; 3]> {
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

fn too_large(to: &Destination, limits: &Limits) -> Error {
    Error::TooLarge {
        operand: to.target.name_in_errors(),
        bytes: to.slot.bytes(),
        limit: limits.max_binding,
    }
}
