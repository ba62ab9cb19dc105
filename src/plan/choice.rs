//! The choice of a pass's schedule, of the load of each input, and of the store.

use super::binding::Bound;
use super::canonical::Canonical;
use super::limits::Limits;
use super::mapped::{Input, Mapped, Output, Work};
use super::operand::{Destination, Operand};
use super::schedule::{
    Along, Down, LaneLoad, Lanes, Load, Reach, Schedule, Spread, Threads, grid, load,
};
use super::slot::{QUAD, Room, elements_a_word};
use super::store::Store;
use super::table::unrolled;
use super::{rows, unroll};
use crate::error::Result;
use crate::layout::Layout;

/// What the choice depends on.
pub(super) struct Choice<'a> {
    pub canonical: Canonical,
    bounds: Vec<Bound>,
    /// Bytes an element of each input.
    sizes: Vec<usize>,
    /// Bytes of the widest element, the output's among them.
    widest: usize,
    /// The axis that tiles go along beside the innermost, if they may.
    along: Option<usize>,
    /// Whether steps cost much more than loads.
    pub dense: bool,
    pub limits: &'a Limits,
}

/// Maps a pass; `None` if the output begins inside a word and the pass has more than one axis,
/// so that the elements must be computed elsewhere and moved. `dense`: its steps cost much more
/// than its loads.
pub(super) fn map(
    operands: &[Operand],
    to: &Destination,
    dense: bool,
    limits: &Limits,
) -> Result<Option<Mapped>> {
    let choice = Choice::new(operands, to, dense, limits)?;
    let output = output(to, limits)?;
    let shift = output.store.shift();
    if shift > 0 && choice.canonical.extents.len() > 1 {
        return Ok(None);
    }
    let schedule = choice.schedule();
    let inputs = choice.inputs(operands, &schedule, shift > 0);
    // A loop over the axes divides.
    let powers_of_two = unrolled(choice.canonical.extents.len()).is_some()
        && splits(&schedule, &inputs, &choice.canonical.extents).all(usize::is_power_of_two);
    let numbers_rows = schedule.lanes == Lanes::Rows && schedule.threads == Threads::Numbered;
    let schedule = Schedule {
        powers_of_two,
        wide_division: limits.int64 && (!powers_of_two || numbers_rows),
        ..schedule
    };
    let grid = grid(&choice.canonical, &schedule, shift as usize, limits)?;
    Ok(Some(Mapped {
        inputs,
        output,
        extents: choice.canonical.extents,
        work: Work::Map(schedule),
        grid,
    }))
}

/// The binding and store of an output.
fn output(to: &Destination, limits: &Limits) -> Result<Output> {
    let Bound { range, offset, .. } = to.bind(limits)?;
    let slot = &to.slot;
    let aligned = (offset as usize).is_multiple_of(QUAD);
    let wide = aligned
        && match slot.room {
            Room::Padding => true,
            Room::Bytes(_) => slot.layout.len().is_multiple_of(QUAD),
        };
    let store = if wide {
        Store::Wide
    } else {
        Store::Words {
            shift: offset % elements_a_word(slot.dtype),
        }
    };
    Ok(Output {
        target: to.target,
        dtype: slot.dtype,
        store,
        range,
        offset,
        per_word: 1,
        rows: None,
    })
}

impl<'a> Choice<'a> {
    fn new(
        operands: &[Operand],
        to: &Destination,
        dense: bool,
        limits: &'a Limits,
    ) -> Result<Self> {
        let shape = to.slot.layout.shape();
        let layouts: Vec<&Layout> = operands.iter().map(|x| &x.slot.layout).collect();
        let canonical = if shape.is_empty() {
            Canonical {
                extents: vec![0],
                strides: vec![vec![0]; operands.len()],
            }
        } else {
            Canonical::new(shape, &layouts)
        };
        // Costly steps would be inlined once for each row of a tile; a row of tiles is not folded.
        let narrow = canonical.inner() / QUAD <= limits.max_workgroups as usize;
        let along = along(&canonical).filter(|_| !dense && narrow);
        let bounds = operands.iter().map(|x| x.bind(limits));
        let sizes: Vec<usize> = operands.iter().map(|x| x.slot.dtype.size()).collect();
        let own = to.slot.dtype.size();
        Ok(Self {
            bounds: bounds.collect::<Result<_>>()?,
            widest: sizes.iter().copied().fold(own, usize::max),
            canonical,
            sizes,
            along,
            dense,
            limits,
        })
    }

    /// The inputs under a schedule; all that move are gathered if the store is `shifted`.
    fn inputs(&self, operands: &[Operand], schedule: &Schedule, shifted: bool) -> Vec<Input> {
        let input = |(i, operand): (usize, &Operand)| {
            let strides = self.canonical.strides[i].clone();
            let Bound { range, offset, .. } = self.bounds[i];
            Input {
                source: operand.source,
                dtype: operand.slot.dtype,
                layout: operand.slot.layout.clone(),
                load: if shifted && strides.iter().any(|&s| s != 0) {
                    Load::GATHER
                } else {
                    self.load(i, schedule)
                },
                strides,
                range,
                offset,
                per_word: 1,
            }
        };
        operands.iter().enumerate().map(input).collect()
    }

    /// The load of input `i` under a schedule.
    pub fn load(&self, i: usize, schedule: &Schedule) -> Load {
        let Bound { offset, whole, .. } = self.bounds[i];
        let reach = Reach {
            strides: &self.canonical.strides[i],
            row_major: self.canonical.is_row_major(i),
            size: self.sizes[i],
            offset,
            whole,
        };
        load(schedule, &self.canonical.extents, reach)
    }

    /// Inputs with their strides and loads under a schedule.
    pub fn loads(&self, schedule: &Schedule) -> Vec<(&[isize], Load)> {
        let strides = self.canonical.strides.iter().enumerate();
        strides
            .map(|(i, s)| (s.as_slice(), self.load(i, schedule)))
            .collect()
    }

    /// A schedule of one quad an invocation.
    fn simple(&self, lanes: Lanes) -> Schedule {
        Schedule {
            lanes,
            beside: 1,
            down: None,
            spread: Spread::of(self.limits),
            // A CPU has few registers for what is loaded from many places.
            together: match lanes {
                Lanes::Straddling(_) if self.limits.software => 1,
                _ => 4,
            },
            threads: Threads::Numbered,
            workgroup: [self.limits.width(), 1],
            powers_of_two: false,
            wide_division: false,
        }
    }

    /// Four quads above one another along an axis, if tiles fit.
    fn tiles(&self) -> Option<Schedule> {
        let axis = self.canonical.extents.len() - 1 - self.along?;
        let width = self.limits.width();
        // Neighbours along both axes, so that what is loaded along the one and stored along the
        // other is near.
        let across = if self.limits.software { 4 } else { 8 };
        Some(Schedule {
            down: Some(Down {
                quads: 4,
                along: Along::Axis(axis as u32),
                whole: self.canonical.extents[self.canonical.extents.len() - 1 - axis] == QUAD,
            }),
            together: if self.limits.software { 1 } else { 4 },
            threads: Threads::Tiles,
            workgroup: [across.min(width), (width / across).max(1)],
            ..self.simple(Lanes::Rows)
        })
    }

    fn schedule(&self) -> Schedule {
        let whole = self.canonical.inner().is_multiple_of(QUAD);
        let transposed = |tiles: &Schedule| {
            let loads = self.loads(tiles);
            loads.iter().any(|(_, l)| l.lanes == LaneLoad::Transposed)
        };
        let straddling = self.simple(Lanes::Straddling(if self.canonical.inner() == 2 {
            3
        } else {
            2
        }));
        match self.canonical.extents.len() {
            1 => Schedule {
                beside: self.quads(),
                ..self.simple(Lanes::Line)
            },
            _ if !whole => self.straddling(straddling),
            _ => match self.tiles().filter(transposed) {
                // Tiles pay only if an input can be loaded along them.
                Some(tiles) => tiles,
                None => {
                    let blocks = self.quads();
                    let loads = self.loads(&straddling);
                    let gathers = |i: usize| loads[i].1.lanes == LaneLoad::Gather;
                    if blocks > 1
                        && unroll::blocks_pay(&self.canonical, blocks, self.limits, gathers)
                    {
                        self.straddling(straddling)
                    } else {
                        let rows = self.simple(Lanes::Rows);
                        let loads = self.loads(&rows);
                        rows::schedule(&self.canonical, self.dense, self.limits, &loads, rows)
                    }
                }
            },
        }
    }

    /// Quads that an invocation owns in lines and in quads that straddle.
    fn quads(&self) -> u32 {
        match () {
            // The compiler inlines a quad's steps once for each quad.
            () if self.dense => 1,
            () if self.widest > 4 => 2,
            () => 4,
        }
    }

    fn straddling(&self, one: Schedule) -> Schedule {
        let (extents, quads) = (&self.canonical.extents, self.quads());
        let along = if quads > 1 {
            unroll::choose(&self.loads(&one), extents, quads, self.limits)
        } else {
            None
        };
        let down = along.map(|along| Down {
            quads,
            along,
            whole: false,
        });
        match along {
            Some(Along::Blocks) => Schedule {
                down,
                threads: Threads::Tiles,
                workgroup: unroll::workgroup(extents, self.limits),
                ..one
            },
            Some(_) => Schedule { down, ..one },
            // A loop over the axes does not keep the coordinates that a neighbour is found by.
            None if unrolled(extents.len()).is_none() => one,
            None => Schedule {
                beside: quads,
                ..one
            },
        }
    }
}

/// The axis that some input is contiguous along, if that is not the innermost and tiles of four
/// by four fit.
fn along(canonical: &Canonical) -> Option<usize> {
    let rank = canonical.extents.len();
    // One tile along an axis between others would be a division by 1, which magic division has no
    // words for.
    let fits = |axis: &usize| {
        let extent = canonical.extents[*axis];
        extent.is_multiple_of(QUAD) && (extent > QUAD || *axis == 0)
    };
    let transposed = |strides: &Vec<isize>| match strides.split_last() {
        Some((inner, outer)) if !matches!(inner, 0 | 1) => {
            outer.iter().position(|&s| s == 1).filter(fits)
        }
        _ => None,
    };
    unrolled(rank)?;
    // The table holds the stride of four rows, of which the kernel takes a quarter.
    let small = |axis: &usize| {
        canonical
            .strides
            .iter()
            .all(|s| s[*axis].unsigned_abs() < 1 << 29)
    };
    canonical.strides.iter().find_map(transposed).filter(small)
}

/// The extents along which coordinates are split off, none if they are not: not along the
/// innermost axis in rows and tiles, which know it, and not along the outermost, which is what is
/// left. They end with the outermost axis that an input moves along.
fn splits(schedule: &Schedule, inputs: &[Input], extents: &[usize]) -> impl Iterator<Item = usize> {
    let rank = extents.len();
    let schedule = *schedule;
    let moves = |axis: usize| {
        inputs
            .iter()
            .any(|x| x.load.by_coordinates(&schedule) && x.strides[axis] != 0)
    };
    let tiled = schedule.tiled_axis();
    let top = match (schedule.lanes, tiled) {
        (Lanes::Line, _) | (_, Some(_)) => 0,
        _ => (0..rank).find(|&axis| moves(axis)).unwrap_or(rank),
    };
    // What is numbered last is what is left.
    let last = usize::from(tiled.is_none_or(|axis| axis + 1 != rank));
    let inner = usize::from(schedule.lanes == Lanes::Rows);
    let own = move |axis: usize| match schedule.down {
        Some(Down {
            quads,
            along: Along::Axis(of),
            ..
        }) if rank - 1 - axis == of as usize => quads as usize,
        _ => 1,
    };
    let split = top.max(last)..rank.saturating_sub(inner);
    split.map(move |axis| extents[axis] / own(axis))
}
