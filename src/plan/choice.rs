//! The choice of a pass's schedule, of the load of each input, and of the store.

use super::binding::Bound;
use super::canonical::Canonical;
use super::limits::Limits;
use super::mapped::{Candidates, Input, Mapped, Output, Work};
use super::operand::{Access, Destination, Operand};
use super::rank::unrolled;
use super::schedule::{
    Candidate, LONG, LaneLoad, Lanes, Load, Moved, Reach, Schedule, ScheduleName, Shapes, Threads,
    candidates, features, grid, load, units,
};
use super::slot::{QUAD, elements_a_word};
use super::store::Store;
use crate::error::Result;
use crate::layout::Layout;

/// What the choice depends on.
struct Choice<'a> {
    canonical: Canonical,
    bounds: Vec<Bound>,
    /// The same if more than four elements are loaded at a time, and these fit.
    words: Option<Vec<Bound>>,
    to: &'a Destination,
    /// Bytes an element of each input.
    sizes: Vec<usize>,
    /// How the elements of each input are reached.
    access: Vec<Access>,
    /// Bytes an element of the output.
    own: usize,
    code: &'a dyn Fn(u32) -> usize,
    limits: &'a Limits,
}

/// Maps a pass; `None` if the output begins inside a word and the pass has more than one axis,
/// so that the elements must be computed elsewhere and moved. `code`: how many sums its steps
/// are as long as if it works on words of so many elements. `wanted`: the schedule that it has
/// if it may.
pub(super) fn map(
    operands: &[Operand],
    to: &Destination,
    code: &dyn Fn(u32) -> usize,
    wanted: Option<ScheduleName>,
    limits: &Limits,
) -> Result<Option<Mapped>> {
    let choice = Choice::new(operands, to, code, limits)?;
    let candidates = choice.candidates();
    let schedule = chosen(&candidates, wanted).schedule;
    let output = output(to, &schedule, limits)?;
    let shift = output.store.shift();
    if shift > 0 && choice.canonical.extents.len() > 1 {
        return Ok(None);
    }
    let inputs = choice.inputs(operands, &schedule, shift > 0);
    // A loop over the axes divides.
    let powers_of_two = schedule.lanes != Lanes::Column
        && unrolled(choice.canonical.extents.len()).is_some()
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
        candidates: Candidates::Map(candidates),
        grid,
        turns: 0,
    }))
}

/// The binding and store of an output.
fn output(to: &Destination, schedule: &Schedule, limits: &Limits) -> Result<Output> {
    let bound = to.bind_units(schedule.unit().max(QUAD), limits)?;
    let slot = &to.slot;
    let aligned = (bound.offset as usize).is_multiple_of(schedule.unit());
    let wide = aligned && slot.holds_units(schedule.unit());
    let store = match schedule.lanes {
        // Columns are stored element by element.
        Lanes::Column => Store::Words { shift: 0 },
        _ if wide => Store::Wide,
        _ => Store::Words {
            shift: bound.offset % elements_a_word(slot.dtype),
        },
    };
    Ok(Output {
        per_word: schedule.per_word(),
        ..to.output(&bound, store)
    })
}

impl<'a> Choice<'a> {
    fn new(
        operands: &[Operand],
        to: &'a Destination,
        code: &'a dyn Fn(u32) -> usize,
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
        let bounds = |unit| operands.iter().map(move |x| x.bind_units(unit, limits));
        let own = to.slot.dtype.size();
        let wanted = limits.profile().unit.map_or(QUAD, |bytes| bytes / own);
        Ok(Self {
            bounds: bounds(QUAD).collect::<Result<_>>()?,
            words: match wanted > QUAD {
                true => bounds(wanted).collect::<Result<_>>().ok(),
                false => None,
            },
            to,
            canonical,
            sizes: operands.iter().map(|x| x.slot.dtype.size()).collect(),
            access: operands.iter().map(Operand::access).collect(),
            own,
            code,
            limits,
        })
    }

    /// The inputs under a schedule; all that move are gathered if the store is `shifted`.
    fn inputs(&self, operands: &[Operand], schedule: &Schedule, shifted: bool) -> Vec<Input> {
        let input = |(i, operand): (usize, &Operand)| {
            let strides = self.canonical.strides[i].clone();
            let load = if shifted && strides.iter().any(|&s| s != 0) {
                Load::GATHER
            } else {
                self.load(i, schedule)
            };
            Input {
                // One element fills all of a word.
                per_word: match load.lanes {
                    LaneLoad::Splat => 1,
                    _ => schedule.per_word(),
                },
                ..operand.input(self.bound(i, schedule), strides, load)
            }
        };
        operands.iter().enumerate().map(input).collect()
    }

    /// The binding of input `i` under a schedule.
    fn bound(&self, i: usize, schedule: &Schedule) -> &Bound {
        let words = self.words.as_ref().filter(|_| schedule.unit() > QUAD);
        &words.unwrap_or(&self.bounds)[i]
    }

    /// Whether a pass may have a schedule: one of words needs an output of whole words, and inputs
    /// whose words are in one piece, or in one for each row. Tiles are of what has plain addresses.
    fn may(&self, schedule: &Schedule) -> bool {
        if schedule.lanes == Lanes::Column && self.access.iter().any(|a| *a != Access::Plain) {
            return false;
        }
        let in_pieces = |i| self.load(i, schedule).lanes == LaneLoad::Gather;
        schedule.unit() <= QUAD
            || self.words.is_some()
                && output(self.to, schedule, self.limits).is_ok_and(|x| x.store == Store::Wide)
                && !(0..self.bounds.len()).any(in_pieces)
    }

    /// The load of input `i` under a schedule.
    fn load(&self, i: usize, schedule: &Schedule) -> Load {
        let Bound { offset, whole, .. } = *self.bound(i, schedule);
        let size = self.sizes[i];
        let reach = Reach {
            strides: &self.canonical.strides[i],
            row_major: self.canonical.is_row_major(i),
            size,
            offset,
            whole,
            joins: size <= self.limits.profile().joined,
        };
        let load = load(schedule, &self.canonical.extents, reach);
        match (self.access[i], load.lanes) {
            (Access::Plain, _) => load,
            // A quad that holds any of its elements lies within the binding.
            (Access::Kept, LaneLoad::Vector { .. } | LaneLoad::Splat) => load,
            (Access::Kept | Access::Numbers, _) => Load {
                per: load.per,
                ..Load::GATHER
            },
        }
    }

    /// The schedules that it may have, each with its cost.
    fn candidates(&self) -> Vec<Candidate> {
        let profile = self.limits.profile();
        let shapes = |unit| Shapes {
            canonical: &self.canonical,
            sizes: &self.sizes,
            own: self.own,
            unit,
            code: (self.code)((unit / QUAD).max(1) as u32),
            limits: self.limits,
            profile,
        };
        let mut long = self.canonical.extents.clone();
        long[0] = long[0].max(LONG);
        let measured = |(name, schedule): (ScheduleName, Schedule)| {
            // A staged tile is as high as it is, however short its axis.
            let extents = match schedule.lanes {
                Lanes::Column => &self.canonical.extents,
                _ => &long,
            };
            let operands: Vec<Moved<'_>> = (0..self.bounds.len())
                .filter(|&i| self.access[i] != Access::Numbers)
                .map(|i| Moved {
                    strides: &self.canonical.strides[i],
                    load: self.load(i, &schedule),
                    size: self.sizes[i],
                })
                .collect();
            let (features, used) = features(&schedule, extents, &operands, self.own, profile);
            let cost = profile.cost(&features, used);
            Candidate {
                name,
                schedule,
                features,
                used,
                cost,
            }
        };
        units(&self.sizes, self.own, &self.canonical.extents, profile)
            .flat_map(|unit| candidates(&shapes(unit)))
            .filter(|(_, schedule)| self.may(schedule))
            .map(measured)
            .collect()
    }
}

/// Costs that differ by less are the same: no model is that good.
const SAME: f64 = 1.01;

/// The candidate that is wanted, or else the cheapest; of those that cost the same, the one of
/// fewest quads above four, and then of fewest steps.
fn chosen(candidates: &[Candidate], wanted: Option<ScheduleName>) -> &Candidate {
    let is_wanted = |c: &&Candidate| Some(c.name) == wanted;
    let mut among: Vec<&Candidate> = candidates.iter().collect();
    if among.iter().any(is_wanted) {
        among.retain(is_wanted);
    }
    let least = among
        .iter()
        .map(|c| c.cost.time)
        .fold(f64::INFINITY, f64::min);
    let many = |c: &Candidate| (c.schedule.beside * c.schedule.rows()).max(4);
    among
        .into_iter()
        .filter(|c| c.cost.time <= least * SAME)
        .min_by(|a, b| {
            let quads = many(a).cmp(&many(b));
            quads.then(a.features[1].total_cmp(&b.features[1]))
        })
        .unwrap_or(&candidates[0])
}

/// The extents along which coordinates are split off, none if they are not: not along the
/// innermost axis in rows and tiles, which know it, and not along the outermost, which is what is
/// left. They end with the outermost axis that an input moves along.
fn splits(schedule: &Schedule, inputs: &[Input], extents: &[usize]) -> impl Iterator<Item = usize> {
    let rank = extents.len();
    let schedule = *schedule;
    let moved = |x: &Input, axis| x.load.by_coordinates(&schedule) && x.strides[axis] != 0;
    let moves = |axis: usize| inputs.iter().any(|x| moved(x, axis));
    let tiled = schedule.tiled_axis();
    let top = match schedule.lanes {
        _ if tiled.is_some() || schedule.skips_rows() => 0,
        Lanes::Line => 0,
        _ => (0..rank).find(|&axis| moves(axis)).unwrap_or(rank),
    };
    // What is numbered last is what is left.
    let last = usize::from(tiled.is_none_or(|axis| axis + 1 != rank));
    let inner = usize::from(schedule.lanes == Lanes::Rows);
    let split = top.max(last)..rank.saturating_sub(inner);
    split.map(move |axis| extents[axis] / schedule.owned_along(rank - 1 - axis))
}
