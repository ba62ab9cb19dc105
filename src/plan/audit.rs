//! A plan against the laws it was made by: its bindings, grids and memory against its limits, and its
//! kernels, run by an interpreter, against the layouts of its passes. For tests and fuzzing; too slow
//! for anything else.

#[cfg(test)]
mod follow;
mod wanted;

pub use wanted::Trial;

use super::Plan;
use super::mapped::{Input, Work};
use super::operand::{Access, Source, Target};
use super::pass::Pass;
use super::schedule::{LaneLoad, SIDE};
use super::slot::{Room, Slot};
use crate::kernel::Dispatch;

/// Elements of a pass up to which it is interpreted.
const MOST: usize = 1 << 13;
/// Elements of a pass, times its steps, beyond which not all of its invocations are.
const MOST_OF_A_PASS: usize = 1 << 13;
/// The same of all passes, beyond which not every pass is interpreted.
const MOST_IN_ALL: usize = 1 << 13;

impl Plan {
    /// Whether every binding, grid and element of this plan is as its limits and layouts say.
    ///
    /// # Errors
    /// What is not, and in which pass.
    #[cfg(test)]
    pub(crate) fn audit(&self) -> Result<(), String> {
        self.audit_with(&follow::follow)
    }

    /// The same, where the kernels are run by a function that says whether elements flow as they
    /// should.
    ///
    /// # Errors
    /// Those of the function, and what keeps to no limit.
    #[doc(hidden)]
    pub fn audit_with(
        &self,
        follow: &dyn Fn(&Trial<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        let passes: Vec<&Pass> = self.passes.iter().filter(|p| !p.shape.is_empty()).collect();
        for (n, pass) in passes.iter().enumerate() {
            self.bindings(pass)
                .and_then(|()| self.grid(pass))
                .map_err(|reason| format!("pass {n}: {reason}\n{self}"))?;
        }
        let numbered = passes.into_iter().enumerate();
        let small: Vec<_> = numbered.filter(|(_, p)| p.interpreted() <= MOST).collect();
        let all: usize = small.iter().map(|(_, p)| p.cost()).sum();
        // Windows of one result are much alike.
        let each = all.div_ceil(MOST_IN_ALL).max(1);
        for (k, (n, pass)) in small.iter().enumerate() {
            if k % each > 0 && k + 1 < small.len() {
                continue;
            }
            let (dispatch, text) = Dispatch::of(pass);
            let share = pass.cost().div_ceil(MOST_OF_A_PASS);
            follow(&Trial::new(pass, &dispatch, &text, share))
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
        let bound = pass.inputs.iter().filter(|x| x.access != Access::Numbers);
        let bound = bound.count();
        if bound + 1 > limits.max_storage_buffers as usize {
            return Err(format!("{bound} inputs"));
        }
        Ok(())
    }

    /// The grid and the memory of a workgroup keep to the limits, and the table counts all elements.
    fn grid(&self, pass: &Pass) -> Result<(), String> {
        let (turns, most) = (pass.turns, self.limits.profile().turns);
        if turns > most {
            return Err(format!(
                "{turns} turns of an invocation, of which there may be {most}"
            ));
        }
        let [w, h] = pass.work.workgroup();
        let limits = &self.limits;
        let small = pass
            .grid
            .iter()
            .all(|&n| n > 0 && n <= limits.max_workgroups)
            && w * h <= limits.max_invocations
            && (pass.work.schedule().is_some() || h <= limits.max_workgroup_height);
        let elements = pass.extents.iter().product::<usize>();
        if matches!(pass.work, Work::Map(_)) && pass.table[0] as usize != elements {
            return Err(format!(
                "the table has {} elements of {elements}",
                pass.table[0]
            ));
        }
        let memory = pass.workgroup_bytes();
        if memory > limits.max_workgroup_storage as usize {
            return Err(format!("a workgroup's memory of {memory} bytes"));
        }
        match small {
            true => Ok(()),
            false => Err(format!("grid {:?} of workgroups {w} x {h}", pass.grid)),
        }
    }
}

impl Pass {
    /// How many elements invocations go through.
    fn interpreted(&self) -> usize {
        let all: usize = self.extents.iter().product();
        match self.work {
            // Of a matrix product each is little work.
            _ if self.work.multiplies() => all / 8,
            Work::Own(_) => self.shape.extents().iter().product(),
            Work::Map(_) | Work::Fold(_) => all,
        }
    }

    /// How much it takes to interpret it.
    fn cost(&self) -> usize {
        let [w, h] = self.work.workgroup();
        let [x, y, z] = self.grid;
        let invocations: u64 = [w, h, x, y, z].map(u64::from).iter().product();
        let each = 1 + self.steps.len() + self.folds.len();
        each * match self.work {
            // All of a workgroup go to its end.
            Work::Fold(_) => self.interpreted().max(invocations as usize),
            Work::Map(_) | Work::Own(_) => self.interpreted(),
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
}

#[cfg(test)]
mod tests;
