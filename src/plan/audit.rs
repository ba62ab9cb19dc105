//! A plan against the laws it was made by: what each invocation of each pass would touch, computed
//! from the words of the uniform table as the kernels compute it, element by element. For tests and
//! fuzzing; too slow for anything else.

mod addresses;
mod columns;
mod folds;
mod product;

use super::Plan;
use super::mapped::{Input, Work};
use super::operand::{Access, Source, Target};
use super::pass::Pass;
use super::product::CONTRACT;
use super::rank::unrolled;
use super::schedule::{Along, LaneLoad, Lanes, Owned, SIDE, Schedule, Spread, Threads};
use super::slot::{QUAD, Room, Slot};
use super::store::Store;
use super::table::{FoldHeader, MapHeader, TableShape};

/// Elements of a pass up to which each is followed.
const MOST: usize = 1 << 14;
/// Elements of all passes, times their inputs, beyond which not every pass is followed.
const MOST_IN_ALL: usize = 1 << 19;

impl Plan {
    /// Whether every binding, grid and element of this plan is as its limits and layouts say.
    ///
    /// # Errors
    /// What is not, and in which pass.
    #[doc(hidden)]
    pub fn audit(&self) -> Result<(), String> {
        let passes = || self.passes.iter().filter(|p| !p.shape.is_empty());
        let all: usize = passes().map(Pass::followed).sum();
        // Windows of one result are much alike.
        let each = all.div_ceil(MOST_IN_ALL).max(1);
        for (n, pass) in passes().enumerate() {
            self.bindings(pass)
                .and_then(|()| self.grid(pass))
                .and_then(|()| {
                    if n % each == 0 {
                        pass.elements()
                    } else {
                        Ok(())
                    }
                })
                .map_err(|reason| format!("pass {n}: {reason}\n{self}"))?;
        }
        Ok(())
    }

    /// Every binding lies in its buffer and keeps to the limits.
    fn bindings(&self, pass: &Pass) -> Result<(), String> {
        let limits = &self.limits;
        let temporary = |t: usize| {
            (
                Room::Padding,
                self.temporaries[t].len * self.temporaries[t].dtype.size(),
            )
        };
        let slot = |s: &Slot| (s.room, s.quad_bytes() as usize);
        let inputs = pass.inputs.iter().filter_map(|input| match input.source {
            Source::Slot(i) => Some((input.range, slot(&self.slots[i]))),
            Source::Temporary(t) => Some((input.range, temporary(t))),
            Source::Numbers => None,
        });
        let output = match pass.output.target {
            Target::Output(k) => slot(&self.outputs[k]),
            Target::Temporary(t) => temporary(t),
        };
        for (range, (room, quads)) in inputs.chain([(pass.output.range, output)]) {
            let bytes = match room {
                Room::Bytes(bytes) => bytes,
                Room::Padding => quads.next_multiple_of(32) as u64,
            };
            let fits = range.start + range.size <= bytes
                && range.size > 0
                && range.size <= limits.max_binding;
            let aligned = range
                .start
                .is_multiple_of(u64::from(limits.offset_alignment))
                && range.size % 4 == 0;
            if !fits || !aligned {
                return Err(format!("binding {range:?} of a buffer of {bytes} bytes"));
            }
        }
        if pass.inputs.len() + 1 > limits.max_storage_buffers as usize {
            return Err(format!("{} inputs", pass.inputs.len()));
        }
        Ok(())
    }

    /// The grid keeps to the limits and has an invocation for every quad.
    fn grid(&self, pass: &Pass) -> Result<(), String> {
        let (turns, most) = (pass.turns, self.limits.profile().turns);
        if turns > most {
            return Err(format!(
                "{turns} turns of an invocation, of which there may be {most}"
            ));
        }
        let [x, y, z] = pass.grid.map(u64::from);
        let [w, h] = pass.work.workgroup().map(u64::from);
        let limits = &self.limits;
        let small = [x, y, z]
            .iter()
            .all(|&n| n > 0 && n <= u64::from(limits.max_workgroups))
            && w * h <= u64::from(limits.max_invocations)
            && (pass.work.schedule().is_some() || h <= u64::from(limits.max_workgroup_height));
        let memory = pass.workgroup_bytes();
        if memory > limits.max_workgroup_storage as usize {
            return Err(format!("a workgroup's memory of {memory} bytes"));
        }
        let Work::Map(schedule) = pass.work else {
            return match small {
                true => Ok(()),
                false => Err(format!("grid {:?} of workgroups {w} x {h}", pass.grid)),
            };
        };
        let header = pass.header();
        let [quads, high, apart] = [header.quads, header.high, header.apart].map(u64::from);
        let (beside, each) = (u64::from(schedule.beside), u64::from(schedule.rows()));
        let covers = |[w, h]: [u64; 2], [x, y, z]: [u64; 3]| match schedule.lanes {
            Lanes::Line | Lanes::Straddling(_) => match schedule.down.map(|d| d.along) {
                None | Some(Along::Axis(_)) => x * y * z * w * beside >= quads,
                // An invocation of the first section has a quad there.
                Some(Along::Sections) => {
                    x * y * z * w >= apart && apart * each >= quads && apart <= quads
                }
                Some(Along::Blocks) => x * w >= apart && y * z * h * each * apart >= quads,
            },
            Lanes::Column => {
                let tiles = u64::from(header.in_row) * high;
                x * y * z >= tiles && tiles * (SIDE * SIDE) as u64 >= u64::from(header.elements)
            }
            Lanes::Rows => {
                let in_row = u64::from(header.in_row);
                let across = in_row.div_ceil(u64::from(schedule.in_row()));
                let rows = each * beside / u64::from(schedule.in_row());
                let covers = match schedule.threads {
                    Threads::Numbered => x * y * z * w >= across * high,
                    Threads::RowsFirst => x >= high && y * z * w >= across,
                    _ => x * w >= across && y * z * h >= high,
                };
                let whole = match schedule.splits_outermost() {
                    true => high * rows * in_row >= quads && apart == high * in_row,
                    false => high * rows * in_row == quads,
                };
                let counts = u64::from(pass.table[pass.table_shape().axis(0) * 4]) == across;
                covers && whole && counts && high <= u64::from(header.rows)
            }
        };
        let narrow = schedule.narrow().workgroup.map(u64::from);
        let narrow_covers = pass
            .narrow_grid()
            .is_none_or(|[x, y]| covers(narrow, [x.into(), y.into(), 1]));
        if small && covers([w, h], [x, y, z]) && narrow_covers {
            Ok(())
        } else {
            Err(format!("grid {:?} of workgroups {w} x {h}", pass.grid))
        }
    }
}

impl Pass {
    /// Elements that an invocation loads and stores at a time.
    fn unit(&self) -> usize {
        self.work.schedule().map_or(QUAD, Schedule::unit)
    }

    /// What the table says of how much the pass writes, in units.
    fn units(&self) -> usize {
        match self.work {
            Work::Map(_) => self.header().elements as usize,
            Work::Own(_) => self.extents[..self.extents.len() - 1].iter().product(),
            Work::Fold(_) => self.extents.iter().product(),
        }
    }

    /// Bytes of a workgroup's memory: its lanes and results if it folds, else its tiles.
    fn workgroup_bytes(&self) -> usize {
        if let Work::Fold(schedule) = &self.work {
            return schedule.lane_bytes(&self.folds) + schedule.result_bytes(self.output.dtype);
        }
        let is_staged = |x: &&Input| x.load.lanes == LaneLoad::Staged;
        let staged = self.inputs.iter().filter(is_staged);
        let mut widths: Vec<usize> = staged.map(|x| x.dtype.size().max(4)).collect();
        widths.sort_unstable();
        widths.dedup();
        widths.iter().sum::<usize>() * SIDE * SIDE
    }

    /// Elements of its inputs that [`elements`](Self::elements) follows.
    fn followed(&self) -> usize {
        let len = self.units();
        if len > MOST {
            0
        } else {
            len * self.counted() as usize * self.inputs.len()
        }
    }

    /// Every element that is read is the one that the layout names, and none lies outside its
    /// binding.
    fn elements(&self) -> Result<(), String> {
        match self.work {
            Work::Own(own) if *own == CONTRACT => return self.audit_product(),
            Work::Own(_) => return self.audit_take(),
            Work::Map(_) | Work::Fold(_) => {}
        }
        if let Work::Fold(schedule) = &self.work {
            return self.audit_fold(schedule);
        }
        // In units: words if the pass works on words, else elements.
        let len = self.units();
        let (per_word, unit) = (self.counted() as usize, self.unit());
        if len
            != self
                .shape
                .extents()
                .iter()
                .product::<usize>()
                .div_ceil(per_word)
        {
            return Err(format!("the table has {len} units of {per_word} elements"));
        }
        if len > MOST {
            return Ok(());
        }
        if let Some(axis) = self.work.schedule().and_then(Schedule::column_axis) {
            return self.audit_columns(axis);
        }
        // What is kept within its binding is read beyond its layout too.
        let plain = self
            .inputs
            .iter()
            .enumerate()
            .filter(|(_, x)| x.access == Access::Plain);
        for (i, input) in plain {
            let own = match per_word {
                1 => 1,
                _ => input.per_word as usize,
            };
            let size = input.dtype.size() * own;
            let fits = |element: usize, count: usize| {
                (element + count) * size <= input.range.size as usize
            };
            let origin = input.range.start as usize / size;
            let elements: Vec<usize> = input.layout.offsets().collect();
            // A word is read by its first element, or all of it is one element.
            let step = usize::from(own > 1);
            let straight =
                |word: &[usize]| (0..).zip(word).all(|(k, &at)| at == word[0] + k * step);
            if !elements
                .chunks(per_word)
                .all(|word| straight(word) && word[0] % own == 0)
            {
                return Err(format!("input {i}: elements of a word lie in several"));
            }
            let positions: Vec<usize> = elements
                .iter()
                .step_by(per_word)
                .map(|at| at / own)
                .collect();
            for (q, quad) in positions.chunks(unit).enumerate() {
                if self.output.store.shift() > 0 {
                    continue;
                }
                let addresses = self.addresses(i, input, q);
                let inside = match input.load.lanes {
                    LaneLoad::Vector { misaligned: 0 } => fits(addresses[0], unit),
                    // The quad after it is clamped to the binding.
                    LaneLoad::Vector { .. } => fits(addresses[0] / unit * unit, unit),
                    LaneLoad::Transposed | LaneLoad::Interleaved => {
                        addresses.iter().all(|&at| fits(at / unit * unit, unit))
                    }
                    _ => addresses.iter().take(quad.len()).all(|&at| fits(at, 1)),
                };
                let right = quad
                    .iter()
                    .zip(&addresses)
                    .all(|(&wanted, &found)| wanted == found + origin);
                if !inside || !right {
                    return Err(format!(
                        "input {i} ({}): quad {q} is {addresses:?} and {origin}, not {quad:?}",
                        input.load
                    ));
                }
            }
            if self.output.store.shift() > 0 {
                // Shifted quads straddle: each element is gathered by its own number.
                let stride = self.word(self.table_shape().axis(0) + 1, i);
                let at = |n: usize| {
                    self.offset(i).wrapping_add((n as u32).wrapping_mul(stride)) as usize
                };
                let right =
                    |(n, &wanted): (usize, &usize)| at(n) + origin == wanted && fits(at(n), 1);
                if !positions.iter().enumerate().all(right) {
                    return Err(format!(
                        "input {i} ({}) is not gathered as its layout says",
                        input.load
                    ));
                }
            }
        }
        self.written(len)
    }

    /// Every quad or element that is written lies in the output's binding.
    fn written(&self, len: usize) -> Result<(), String> {
        let size = self.output.dtype.size() * self.counted() as usize;
        let bound = self.output.range.size as usize;
        let (first, unit) = (self.output.offset as usize, self.unit());
        let end = match self.output.store {
            Store::Wide if !first.is_multiple_of(unit) => {
                return Err("a wide store begins inside a quad".into());
            }
            Store::Wide => first + len.next_multiple_of(unit),
            Store::Words { .. } | Store::Shared { .. } => first + len,
        };
        if end * size <= bound {
            Ok(())
        } else {
            Err(format!("the store ends at element {end}"))
        }
    }
}

#[cfg(test)]
mod tests;
