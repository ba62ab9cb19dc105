//! The uniform table of a pass that folds.

use super::folding::Folding;
use super::schedule::{Across, FoldSchedule};
use crate::plan::mapped::Mapped;
use crate::plan::slot::QUAD;
use crate::plan::table::{Division, FoldHeader, Table};

impl Folding<'_> {
    /// The words of a mapped pass.
    pub fn table(&self, pass: &Mapped, schedule: &FoldSchedule) -> Vec<u32> {
        let (each, parts) = self.each(schedule);
        let (rows, lanes, step) = (&self.rows, self.lanes, schedule.step());
        let kept = schedule.kept as usize;
        let (own, reduced) = pass.extents.split_at(kept);
        let header = FoldHeader {
            rows: self.dealt(schedule) as u32,
            count: rows.space.count as u32,
            steps: rows.space.count.div_ceil(step) as u32,
            parts: parts as u32,
            each: each.div_ceil(step) as u32,
            inner: own.last().copied().unwrap_or(1) as u32,
            pitch: self.pitch() as u32,
            first: lanes.map_or(0, |lanes| lanes.begin) as u32,
            all_parts: lanes.map_or(1, |lanes| lanes.of) as u32,
            position: lanes.map_or(0, |lanes| (lanes.first - lanes.begin) * each) as u32,
            output: pass.output.offset,
            zero: 0,
        };
        // The output's, if it has an element for each that is read.
        let output = self.full.then(|| rows.axes.strides(pass.inputs.len()));
        let strides = |axis: usize| {
            let inputs = pass.inputs.iter().map(move |x| x.strides[axis]);
            inputs.chain(output.iter().map(move |strides| strides[axis]))
        };
        let mut table = Table::new(pass, header.words());
        for (n, &extent) in own.iter().rev().enumerate() {
            let (counted, divisor) = match (n, schedule.across) {
                // A multiplication does not divide by 1.
                (0, Across::Kept) => {
                    let counted = extent.div_ceil(QUAD * schedule.beside as usize);
                    (counted, 2 * counted)
                }
                _ => (extent, extent),
            };
            let strides = strides(kept - 1 - n);
            table.axis(n, counted, Division::Magic(divisor), 0, strides);
        }
        for (n, &extent) in reduced.iter().rev().enumerate() {
            let strides = strides(pass.extents.len() - 1 - n);
            table.axis(kept + n, extent, Division::Magic(extent), 0, strides);
        }
        table.words
    }
}
