//! The uniform table of a pass: a header with named words, and for each input and axis the words
//! that addresses are made of. The same names stand in the kernel's `struct Table`.

use super::magic::Magic;
use super::mapped::{Mapped, Work};
use super::rank::unrolled;
use super::schedule::{Along, Lanes, SIDE, Schedule};

/// Axes a table can hold. A pass has fewer than 2^31 elements, so fewer than 32 axes with extents
/// above 1.
const MAX_AXES: usize = 32;

macro_rules! header {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name {
            $($(#[$of])* pub $field: u32,)*
        }

        impl $name {
            /// The names of the words, in their order.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            pub fn words(self) -> Vec<u32> {
                vec![$(self.$field),*]
            }
        }
    };
}
pub(super) use header;

header! {
    /// The first words of an elementwise pass's table. A quad is four elements of the output, or
    /// two if the schedule has pairs.
    MapHeader {
        /// Elements of the output.
        elements,
        /// Quads of the output; the first begins `shift` elements before its first element.
        quads,
        /// Quads of a row, if rows are whole quads; staged tiles of a row.
        in_row,
        /// Rows, if they are whole quads; along the axis of columns, staged tiles.
        rows,
        /// Numbers of rows that invocations have, each for all rows that it owns: of sections, the
        /// rows from one to the next. Of staged tiles the rows of tiles.
        high,
        /// Quads from one of an invocation to the next one down.
        apart,
        /// Canonical axes.
        rank,
        /// Elements by which the store is shifted.
        shift,
        /// Of the first quad in the output's binding, in elements.
        output,
        /// Always 0, which no compiler knows: for optimisation barriers.
        zero,
    }
}

header! {
    /// The first words of the table of a pass that folds.
    FoldHeader {
        /// Rows, or quads of rows.
        rows,
        /// Elements of a row.
        count,
        /// Steps of a row.
        steps,
        /// Parts of a row that are reduced separately.
        parts,
        /// Steps of a part.
        each,
        /// The extent of the innermost kept axis.
        inner,
        /// Elements from one lane to the next where lanes are written.
        pitch,
        /// The first part that is folded.
        first,
        /// All parts of a row whose lanes lie together.
        all_parts,
        /// Where a row begins among all, in elements of it.
        position,
        /// Of the first element in the output's binding.
        output,
        /// Always 0, which no compiler knows: for optimisation barriers.
        zero,
    }
}

impl Work {
    /// The names of the first words of its table.
    pub fn header(&self) -> &'static [&'static str] {
        match self {
            Self::Map(_) => MapHeader::FIELDS,
            Self::Fold(_) => FoldHeader::FIELDS,
            Self::Own(own) => own.header,
        }
    }
}

/// Where things stand in a table, in rows of four words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableShape {
    /// Rows of a word for each input.
    pub fours: usize,
    /// The first row of offsets.
    pub offsets: usize,
    /// The first row of how far each input moves from one quad of an invocation to the next one
    /// down, if it owns such.
    pub steps: Option<usize>,
    /// The first row of axes, innermost axis first: a row `(extent, multiplier, shift, step)`, and
    /// the inputs' strides.
    pub axes: usize,
    /// Rows an axis takes.
    pub axis_rows: usize,
    /// Axes.
    pub rank: usize,
    /// All rows.
    pub rows: usize,
}

impl TableShape {
    /// The table of a kernel for `inputs` inputs and a canonical rank; `None` is any rank.
    pub fn new(work: &Work, inputs: usize, rank: Option<usize>) -> Self {
        let full = work.fold().is_some_and(|fold| fold.full);
        let fours = (inputs + usize::from(full)).div_ceil(4);
        let offsets = work.header().len().div_ceil(4);
        let has_steps = work.schedule().is_some_and(|s| s.down.is_some());
        let steps = has_steps.then_some(offsets + fours);
        let axes = steps.unwrap_or(offsets) + fours;
        let (axis_rows, rank) = (1 + fours, rank.unwrap_or(MAX_AXES));
        Self {
            fours,
            offsets,
            steps,
            axes,
            axis_rows,
            rank,
            rows: axes + axis_rows * rank,
        }
    }

    /// The first row of an axis, counted from the innermost.
    pub fn axis(&self, axis: usize) -> usize {
        self.axes + axis * self.axis_rows
    }
}

/// A table as it is filled.
pub(super) struct Table {
    shape: TableShape,
    pub words: Vec<u32>,
}

impl Table {
    pub fn new(pass: &Mapped, header: Vec<u32>) -> Self {
        let rank = match pass.work {
            // Its kernel is made for its axes.
            Work::Fold(_) => Some(pass.extents.len()),
            Work::Map(_) | Work::Own(_) => unrolled(pass.extents.len()),
        };
        let shape = TableShape::new(&pass.work, pass.inputs.len(), rank);
        let mut words = vec![0; shape.rows * 4];
        words[..header.len()].copy_from_slice(&header);
        for (i, input) in pass.inputs.iter().enumerate() {
            words[shape.offsets * 4 + i] = input.offset;
        }
        Self { shape, words }
    }

    /// Writes an axis: its extent, the constants of a division by `divisor`, its step and the
    /// inputs' strides as two's complement.
    pub fn axis(
        &mut self,
        axis: usize,
        extent: usize,
        division: Division,
        step: usize,
        strides: impl Iterator<Item = isize>,
    ) {
        let row = self.shape.axis(axis) * 4;
        let [multiplier, shift] = division.words();
        self.words[row..row + 4].copy_from_slice(&[extent as u32, multiplier, shift, step as u32]);
        for (word, stride) in self.words[row + 4..].iter_mut().zip(strides) {
            *word = stride as u32;
        }
    }
}

/// How a kernel divides by an extent.
pub(super) enum Division {
    /// By a multiplication; not by 0 or 1.
    Magic(usize),
    /// By a shift.
    Shift(usize),
    None,
}

impl Division {
    fn words(&self) -> [u32; 2] {
        match *self {
            Self::Magic(divisor) if divisor > 1 => {
                let magic = Magic::new(divisor as u32);
                [magic.multiplier, magic.shift]
            }
            Self::Shift(extent) => [0, extent.trailing_zeros()],
            Self::Magic(_) | Self::None => [0; 2],
        }
    }
}

/// A table of the axes as they are.
pub(super) fn with_axes(pass: &Mapped, header: Vec<u32>) -> Vec<u32> {
    let mut table = Table::new(pass, header);
    let rank = pass.extents.len();
    for (axis, &extent) in pass.extents.iter().rev().enumerate() {
        let strides = pass.inputs.iter().map(|x| x.strides[rank - 1 - axis]);
        table.axis(axis, extent, Division::None, 0, strides);
    }
    table.words
}

/// The first words of an elementwise pass.
fn map_header(pass: &Mapped, schedule: &Schedule) -> MapHeader {
    let extents = &pass.extents;
    let rank = extents.len();
    let len: usize = extents.iter().product();
    let inner = extents[rank - 1].max(1);
    let shift = pass.output.store.shift();
    let rows = schedule.lanes == Lanes::Rows;
    // Elements from one quad of an invocation to the next one down.
    let apart = match schedule.down.map(|down| down.along) {
        Some(Along::Axis(axis)) => extents[rank - axis as usize..].iter().product(),
        Some(_) => schedule.step(extents),
        None => 0,
    };
    MapHeader {
        elements: len as u32,
        quads: (len + shift as usize).div_ceil(schedule.unit()) as u32,
        in_row: match schedule.lanes {
            Lanes::Column => inner.div_ceil(SIDE),
            _ => inner / schedule.unit(),
        } as u32,
        rows: match schedule.column_axis() {
            Some(axis) => extents[rank - 1 - axis].div_ceil(SIDE),
            None if rows => len / inner,
            None => 0,
        } as u32,
        high: match rows || schedule.lanes == Lanes::Column {
            true => schedule.high(extents),
            false => 0,
        } as u32,
        apart: (apart / schedule.unit()) as u32,
        rank: rank as u32,
        shift,
        output: pass.output.offset - shift,
        zero: 0,
    }
}

/// The words of an elementwise pass.
pub(super) fn map_words(pass: &Mapped, schedule: &Schedule) -> Vec<u32> {
    let extents = &pass.extents;
    let rank = extents.len();
    let rows = schedule.lanes == Lanes::Rows;
    let mut table = Table::new(pass, map_header(pass, schedule).words());
    if let Some(steps) = table.shape.steps {
        for (i, input) in pass.inputs.iter().enumerate() {
            let step = schedule.down_stride(extents, &input.strides);
            table.words[steps * 4 + i] = step as u32;
        }
    }
    let mut beside = schedule.step_beside();
    let mut pitch = 1;
    let column = schedule.column_axis();
    for (axis, &extent) in extents.iter().rev().enumerate() {
        let strides = pass.inputs.iter().map(|x| x.strides[rank - 1 - axis]);
        if column.is_some() {
            let division = match axis {
                // Of tiles there may be one, and a multiplication does not divide by 1.
                _ if axis == 0 || Some(axis) == column => {
                    Division::Magic(2 * extent.div_ceil(SIDE))
                }
                _ => Division::Magic(extent),
            };
            table.axis(axis, extent, division, pitch, strides);
            pitch *= extent;
            continue;
        }
        // An axis has an index for all quads of an invocation along it.
        let own = schedule.owned_along(axis);
        let strides = strides.map(|stride| stride * own.cast_signed());
        let counted = extent / own;
        if rows && axis == 0 {
            // It counts the invocations of a row, and divides by twice as many, since a
            // multiplication does not divide by 1.
            let own = (extent / schedule.unit()).div_ceil(schedule.in_row() as usize);
            table.axis(axis, own, Division::Magic(2 * own), 1, strides);
        } else {
            let division = if schedule.powers_of_two {
                Division::Shift(counted)
            } else {
                Division::Magic(counted)
            };
            let step = if rows {
                own * pitch / schedule.unit()
            } else {
                beside % extent.max(1)
            };
            table.axis(axis, counted, division, step, strides);
        }
        beside /= extent.max(1);
        pitch *= extent;
    }
    table.words
}
