//! Folds that no pass holds together: each alone, or of rows that are moved together first.

use super::walked::dropped;
use crate::error::Result;
use crate::expr::without;
use crate::plan::body::Body;
use crate::plan::fit::binds;
use crate::plan::operand::{Arg, Destination, Operand, Source, Target};
use crate::plan::planner::Planner;
use crate::plan::slot::Slot;
use crate::shape::Shape;
use crate::view::View;

impl Planner<'_> {
    /// Adds the passes of each fold of a body, and one of what is computed of them.
    pub(super) fn push_each_fold(&mut self, body: &Body, to: &Destination) -> Result<()> {
        let kept = without(&body.space, &body.reduced);
        let mut done: Vec<Operand> = Vec::with_capacity(body.folds.len());
        for (k, fold) in body.folds.iter().enumerate() {
            let slot = Slot::new(fold.dtype, kept.clone())?;
            let t = self.temporary(fold.dtype, slot.layout.len());
            let there = Destination::new(Target::Temporary(t), slot.clone());
            self.push_folds(&body.fold_alone(k, &done), &there)?;
            let layout = slot.layout.through(&dropped(&body.space, &body.reduced));
            done.push(Operand::new(Source::Temporary(t), slot.with_layout(layout)));
        }
        let mut rest = body.behind_folds(&done);
        if to.slot.layout.shape() != &body.space {
            rest.on_rows(0, body, kept);
        }
        match counts_positions(&rest) {
            true => Err(to.too_large(self.limits())),
            false => self.push(&rest, to),
        }
    }

    /// Adds the passes of a body with one fold, of which one row alone reaches more than a binding
    /// holds: what is folded of some rows is written row by row, and folded there.
    pub(super) fn push_moved_rows(
        &mut self,
        body: &Body,
        axis: usize,
        to: &Destination,
    ) -> Result<()> {
        let rank = body.space.rank();
        let kept: Vec<usize> = (0..rank).filter(|a| !body.reduced.contains(a)).collect();
        let order = [&kept[..], &body.reduced].concat();
        let place = kept.iter().take_while(|&&a| a < axis).count();
        let (fold, extent) = (body.folds[0], body.space.extents()[axis]);
        let within = body.space.len()? / extent;
        let holds = |count: &usize| {
            let len = count.checked_mul(within);
            len.is_some_and(|len| binds(len, fold.dtype.size(), self.limits()))
        };
        let count = std::iter::successors(Some(extent), |&n| (n > 1).then(|| n.div_ceil(2)))
            .find(holds)
            .unwrap_or(1);
        let t = self.temporary(fold.dtype, count * within);
        for start in (0..extent).step_by(count) {
            let count = count.min(extent - start);
            let part = body.along(axis, start, count)?;
            let there = to.along(place, start, count)?;
            let permute = View::Permute(order.clone());
            let mut moving = part.folded().with_layouts(|layout| layout.view(&permute))?;
            let extents: Vec<usize> = order.iter().map(|&a| part.space.extents()[a]).collect();
            let shape = Shape::from(extents);
            moving.space = shape.clone();
            let slot = Slot::new(fold.dtype, shape.clone())?;
            let rows = Destination::new(Target::Temporary(t), slot.clone());
            if counts_positions(&moving) {
                return Err(to.too_large(self.limits()));
            }
            self.push(&moving, &rows)?;
            let mut rest = part.behind_lanes(vec![Operand::new(Source::Temporary(t), slot)]);
            rest.on_rows(1, body, shape);
            rest.reduced = (kept.len()..rank).collect();
            self.push_folds(&rest, &there)?;
        }
        Ok(())
    }
}

/// Whether a body numbers the elements of its rows, which passes that fold alone do.
fn counts_positions(body: &Body) -> bool {
    let of_steps = body.steps.iter().flat_map(|step| &step.args);
    let mut args = of_steps.chain(&body.result);
    args.any(|arg| *arg == Arg::Position)
}
