//! The uniform table of a pass that folds.

use super::schedule::{Across, FoldSchedule};
use crate::plan::mapped::Mapped;
use crate::plan::slot::QUAD;
use crate::plan::table::{Division, FoldHeader, Table};

/// What a table says beside the axes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldCounts {
    pub rows: usize,
    pub count: usize,
    pub parts: usize,
    /// Elements of a part.
    pub each: usize,
    pub pitch: usize,
    pub first: usize,
    pub of: usize,
    pub position: usize,
    /// The output's strides along kept and reduced axes, if it has an element for each.
    pub strides: Option<Vec<isize>>,
}

/// The words of a mapped pass.
pub(crate) fn words(pass: &Mapped, schedule: &FoldSchedule, counts: &FoldCounts) -> Vec<u32> {
    let kept = schedule.kept as usize;
    let (own, reduced) = pass.extents.split_at(kept);
    let inner = own.last().copied().unwrap_or(1);
    let header = FoldHeader {
        rows: counts.rows as u32,
        count: counts.count as u32,
        steps: counts.count.div_ceil(schedule.step()) as u32,
        parts: counts.parts as u32,
        each: counts.each.div_ceil(schedule.step()) as u32,
        inner: inner as u32,
        pitch: counts.pitch as u32,
        first: counts.first as u32,
        all_parts: counts.of as u32,
        position: counts.position as u32,
        output: pass.output.offset,
        zero: 0,
    };
    let mut table = Table::new(pass, header.words());
    for (n, &extent) in own.iter().rev().enumerate() {
        let counted = match (n, schedule.across) {
            (0, Across::Kept) => extent.div_ceil(QUAD * schedule.beside as usize),
            _ => extent,
        };
        let strides = strides(pass, counts, kept - 1 - n);
        let divisor = match (n, schedule.across) {
            // A multiplication does not divide by 1.
            (0, Across::Kept) => 2 * counted,
            _ => counted,
        };
        table.axis(n, counted, Division::Magic(divisor), 0, strides);
    }
    for (n, &extent) in reduced.iter().rev().enumerate() {
        let strides = strides(pass, counts, pass.extents.len() - 1 - n);
        table.axis(kept + n, extent, Division::Magic(extent), 0, strides);
    }
    table.words
}

/// Each input's stride along an axis, and the output's.
fn strides(pass: &Mapped, counts: &FoldCounts, axis: usize) -> impl Iterator<Item = isize> {
    let inputs = pass.inputs.iter().map(move |x| x.strides[axis]);
    let output = counts.strides.iter().map(move |strides| strides[axis]);
    inputs.chain(output)
}
