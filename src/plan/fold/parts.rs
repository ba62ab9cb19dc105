//! Parts of rows: passes that leave their lanes, and one that goes on with them.

use super::FoldSpace;
use super::ranges::{greatest_common_divisor, halves};
use super::schedule::{self, Across};
use crate::error::Result;
use crate::expr::without;
use crate::layout::Layout;
use crate::op::LANES;
#[cfg(feature = "files")]
use crate::plan::Plan;
use crate::plan::body::Body;
use crate::plan::limits::MAX_LEN;
#[cfg(feature = "files")]
use crate::plan::lower::lower_folds;
use crate::plan::operand::{Destination, Operand, Source, Target};
use crate::plan::planner::Planner;
use crate::plan::slot::Slot;

/// The lanes of parts of rows, in a temporary: where a pass writes its own.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub levels: u32,
    pub across: Across,
    /// The first part among all of a row, and how many there are.
    pub first: usize,
    pub of: usize,
    /// The parts that are written, and the first of them among those of the body's rows.
    pub parts: usize,
    pub begin: usize,
    /// The first row among all, and how many there are.
    pub row: usize,
    pub rows: usize,
}

impl Lanes {
    /// Those of all parts of all rows.
    fn whole(levels: u32, across: Across, parts: usize, rows: usize) -> Self {
        Self {
            levels,
            across,
            first: 0,
            of: parts,
            parts,
            begin: 0,
            row: 0,
            rows,
        }
    }
}

impl Planner<'_> {
    /// Adds passes that fold parts of rows, and those that go on with their lanes.
    pub(super) fn push_parts(&mut self, body: &Body, to: &Destination, levels: u32) -> Result<()> {
        let body = &body.with_joined_axes();
        let (dtype, folds) = (body.folds[0].dtype, body.folds.len());
        let space = FoldSpace::of(&body.space, &body.reduced);
        let parts = space.count.div_ceil(schedule::chunk(levels));
        let lanes = parts * LANES;
        let kept = without(&body.space, &body.reduced);
        let each = space.rows.saturating_mul(lanes);
        let t = self.temporary(dtype, each.saturating_mul(folds));
        let across = self.across(body, false)?;
        let written = Lanes::whole(levels, across, parts, space.rows);
        self.push_lanes(&body.before_folds(), Target::Temporary(t), written)?;
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
        let slot = Slot::new(dtype, [folds * each])?;
        let of_fold = |k: usize| -> Result<Operand> {
            let layout = Layout::new(extents.clone(), strides.clone(), k * each)?;
            Ok(Operand::new(
                Source::Temporary(t),
                slot.clone().with_layout(layout),
            ))
        };
        let mut rest = body.behind_lanes((0..folds).map(of_fold).collect::<Result<_>>()?);
        rest.on_rows(folds, body, extents.into());
        rest.reduced = vec![rank];
        self.push_folds(&rest, to)
    }

    /// The plan of the lanes of the only root, a reduction: of each chunk of its elements that is
    /// folded to so many levels. Its output has two axes, rows and lanes, in the order that
    /// `across` says.
    #[cfg(feature = "files")]
    pub fn plan_lanes(mut self, levels: u32, across: Option<Across>) -> Result<(Plan, Across)> {
        let root = self.graph.roots[0];
        let program = self.programs.get(&root);
        let program = program.ok_or_else(|| crate::Error::argument("plan", "no reduction"))?;
        let body = lower_folds(self.graph, root, &self.sources, program)?.before_folds();
        let across = match across {
            Some(across) => across,
            None => self.across(&body, false)?,
        };
        let space = FoldSpace::of(&body.space, &body.reduced);
        let parts = space.count.div_ceil(schedule::chunk(levels));
        let (rows, lanes) = (space.rows, parts * LANES);
        let shape = match across {
            Across::Reduced => [rows, lanes],
            Across::Kept => [lanes, rows],
        };
        let output = Slot::new(body.folds[0].dtype, shape)?;
        let written = Lanes::whole(levels, across, parts, rows);
        self.push_lanes(&body, Target::Output(0), written)?;
        Ok((self.finished(vec![output]), across))
    }

    /// Adds the passes that write the lanes of parts: of fewer rows, or of fewer parts, if they do not
    /// fit.
    fn push_lanes(&mut self, body: &Body, target: Target, lanes: Lanes) -> Result<()> {
        let space = FoldSpace::of(&body.space, &body.reduced);
        let (own, written) = (lanes.of * LANES, lanes.parts * LANES);
        let at = lanes.first * LANES;
        let (extents, first, pitch) = match lanes.across {
            Across::Reduced => ([space.rows, written], lanes.row * own + at, own),
            Across::Kept => (
                [written, space.rows],
                lanes.row + at * lanes.rows,
                lanes.rows,
            ),
        };
        // The lanes of a fold lie behind those of the one before it.
        let (dtype, folds) = (body.folds[0].dtype, body.folds.len());
        let extents = [&[folds][..], &extents].concat();
        let strides = [lanes.rows * own, pitch, 1].map(usize::cast_signed);
        let layout = Layout::new(extents, strides.to_vec(), first)?;
        let to = Destination::new(
            target,
            Slot::new(dtype, [folds * lanes.rows * own])?.with_layout(layout),
        );
        let chunk = schedule::chunk(lanes.levels);
        let count = space.count.min(lanes.parts.saturating_mul(chunk));
        let len = space.rows.saturating_mul(count);
        if self.push_short(body, len, |p| p.fold_pass(body, &to, Some(lanes)))? {
            return Ok(());
        }
        let extents = body.space.extents();
        let long = |axis: &usize| extents[*axis] > 1;
        let mut kept = (0..extents.len()).filter(|axis| !body.reduced.contains(axis));
        // Parts begin where an index of the outermost reduced axis does.
        let of_reduced = body.reduced.iter().find(|axis| long(axis)).map(|&axis| {
            let within = space.count / extents[axis];
            let unit = chunk / greatest_common_divisor(chunk, within);
            (axis, within, unit)
        });
        let shorter = of_reduced.filter(|&(axis, _, unit)| unit < extents[axis]);
        // Fewer rows are no help where one alone reaches too far.
        if let Some(axis) = kept.find(long)
            && (shorter.is_none() || self.reaches(&body.along(axis, 0, 1)?))
        {
            let within = space.rows / extents[axis];
            for (start, count) in halves(extents[axis], 1) {
                let part = body.along(axis, start, count)?;
                let row = lanes.row + start * within;
                self.push_lanes(&part, target, Lanes { row, ..lanes })?;
            }
            return Ok(());
        }
        let Some((axis, within, unit)) =
            shorter.filter(|_| lanes.parts == space.count.div_ceil(chunk))
        else {
            // Some parts of rows that bindings hold as they are.
            if lanes.parts < 2 || space.count >= MAX_LEN {
                return Err(self.too_long(body, &to));
            }
            for (start, parts) in halves(lanes.parts, 1) {
                let (first, begin) = (lanes.first + start, lanes.begin + start);
                let some = Lanes {
                    first,
                    begin,
                    parts,
                    ..lanes
                };
                self.push_lanes(body, target, some)?;
            }
            return Ok(());
        };
        for (start, count) in halves(extents[axis], unit) {
            let part = body.along(axis, start, count)?;
            let some = Lanes {
                first: lanes.first + start * within / chunk,
                parts: (count * within).div_ceil(chunk),
                ..lanes
            };
            self.push_lanes(&part, target, some)?;
        }
        Ok(())
    }
}
