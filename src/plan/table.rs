//! The words of a pass's uniform table: extents, divisors, strides and offsets.
//!
//! Row 0 is `(elements, quads, rows, shift)`. `quads` are those in all (flat, general), those in a
//! row (rows), or of a matrix product the elements from one row of the output to the next. Mapping
//! general unrolled along the outermost axis has for `rows` the quads from one of an invocation to
//! its next. `shift` is that of the store. Row 1 is `(axes, output offset, adds, 0)`. `adds` is 1
//! if a matrix product is added to what is there; in mapping rows it is the rows from one of an
//! invocation to its next, 1 for adjacent ones. The last word is a run-time zero for the
//! optimisation barriers of kernels.
//!
//! Then come the inputs' offsets, four a row, and for each axis, innermost first, `(extent,
//! multiplier, shift, digit)` and the inputs' strides, four a row. Strides are two's complement. If
//! all extents that coordinates are split off for are powers of two, the shift is that of the
//! extent itself. The digits are those of the step from one quad of an invocation to its next, in
//! elements, in the mixed radix of the extents; mapping rows reads the outermost alone (unrolled
//! along the outermost axis), and all others are 0 then. Its innermost extent is the number of
//! invocations that a row has, and multiplier and shift divide by twice that.

use super::magic::Magic;
use super::mapped::{Mapped, Work};
use super::schedule::{Lanes, Schedule};
use super::slot::QUAD;

/// Canonical ranks up to this are unrolled in the kernel; above, it loops.
pub(crate) const MAX_UNROLLED: usize = 8;
/// Axes a table can hold. A pass has fewer than 2^31 elements, so fewer than 32 axes with extents
/// above 1.
const MAX_AXES: usize = 32;

/// Where things stand in a table, in rows of four words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableShape {
    /// The first row of offsets.
    pub offsets: usize,
    /// The first row of axes.
    pub axes: usize,
    /// Rows an axis takes.
    pub axis_rows: usize,
    /// All rows.
    pub rows: usize,
}

impl TableShape {
    /// The table of a kernel for `inputs` inputs and a canonical rank; `None` is any rank.
    pub fn new(inputs: usize, rank: Option<usize>) -> Self {
        let fours = inputs.div_ceil(4);
        let (offsets, axis_rows) = (2, 1 + fours);
        let axes = offsets + fours;
        Self {
            offsets,
            axes,
            axis_rows,
            rows: axes + axis_rows * rank.unwrap_or(MAX_AXES),
        }
    }
}

/// The rank a kernel is unrolled for, or `None` for the kernel of any rank.
pub(crate) fn unrolled(rank: usize) -> Option<usize> {
    (rank <= MAX_UNROLLED).then_some(rank)
}

/// The words of a mapped pass.
pub(crate) fn words(pass: &Mapped) -> Vec<u32> {
    let rank = pass.extents.len();
    let shape = TableShape::new(pass.inputs.len(), unrolled(rank));
    let mut words = vec![0u32; shape.rows * 4];
    let schedule = pass.work.schedule();
    let is = |of: fn(&Schedule) -> bool| schedule.is_some_and(of);
    let len: usize = match schedule {
        None => pass.extents[..2].iter().product(),
        Some(_) => pass.extents.iter().product(),
    };
    let inner = pass.extents.last().copied().unwrap_or(1).max(1);
    let shift = pass.output.store.shift();
    let rows = is(|s| s.lanes == Lanes::Rows);
    let tiled = schedule.and_then(Schedule::tiled_axis);
    let splits_outermost = is(Schedule::splits_outermost);
    let mut step = schedule.map_or(0, |s| s.step(&pass.extents));
    words[0] = len as u32;
    words[1] = match pass.work {
        Work::Contract => pass.output.rows.map_or(0, |rows| rows.pitch),
        Work::Map(_) if rows => (inner / QUAD) as u32,
        Work::Map(_) => (len + shift as usize).div_ceil(QUAD) as u32,
    };
    words[2] = if splits_outermost && !rows {
        step / QUAD
    } else {
        len / inner / if tiled.is_some() { QUAD } else { 1 }
    } as u32;
    words[3] = shift;
    words[4] = rank as u32;
    words[5] = pass.output.offset - shift;
    words[6] = match &pass.output.rows {
        Some(rows) => rows.adds.into(),
        None if splits_outermost => (step / inner) as u32,
        None => 1,
    };
    for (i, input) in pass.inputs.iter().enumerate() {
        words[shape.offsets * 4 + i] = input.offset;
    }
    for (a, &extent) in pass.extents.iter().rev().enumerate() {
        let row = (shape.axes + a * shape.axis_rows) * 4;
        let is_outermost = a + 1 == rank;
        words[row + 3] = (if is_outermost {
            step
        } else {
            step % extent.max(1)
        }) as u32;
        step /= extent.max(1);
        // The other axis of tiles is walked four by four.
        let four = if tiled == Some(a) { QUAD } else { 1 };
        // No coordinate is split off along the innermost axis of rows: it counts the invocations of
        // a row, twice over, since a multiplication does not divide by 1.
        let counts = rows && tiled.is_none() && a == 0;
        let extent = if counts {
            (extent / QUAD).div_ceil(schedule.map_or(1, |s| s.beside as usize))
        } else {
            extent / four
        };
        let divisor = if counts { 2 * extent } else { extent };
        words[row] = extent as u32;
        if is(|s| s.powers_of_two) && !counts {
            words[row + 2] = extent.trailing_zeros();
        } else if divisor > 1 {
            let magic = Magic::new(divisor as u32);
            words[row + 1] = magic.multiplier;
            words[row + 2] = magic.shift;
        }
        for (i, input) in pass.inputs.iter().enumerate() {
            words[row + 4 + i] = (input.strides[rank - 1 - a] * four.cast_signed()) as u32;
        }
    }
    words
}
