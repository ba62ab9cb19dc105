//! Which intermediate results share a buffer.

use super::Plan;
use super::operand::{Source, Target, Temporary};
use super::windowed::{Place, Role};

impl Plan {
    /// Lets temporaries of one type and length share a buffer if one is read for the last time
    /// before the other is written.
    pub(super) fn share_temporaries(&mut self) {
        let mut last: Vec<Option<usize>> = vec![None; self.temporaries.len()];
        for (p, pass) in self.passes.iter().enumerate() {
            pass.reads().for_each(|t| last[t] = Some(p));
        }
        let mut buffers: Vec<Temporary> = Vec::new();
        let mut free: Vec<usize> = Vec::new();
        let mut place: Vec<Option<usize>> = vec![None; self.temporaries.len()];
        for (p, pass) in self.passes.iter_mut().enumerate() {
            let read: Vec<usize> = pass.reads().collect();
            // No pass writes one that has no elements.
            for &t in &read {
                place[t].get_or_insert_with(|| {
                    buffers.push(self.temporaries[t].clone());
                    buffers.len() - 1
                });
            }
            // One that is written window by window keeps the buffer of its first.
            if let Target::Temporary(t) = &mut pass.output.target {
                let wanted = &self.temporaries[*t];
                *t = *place[*t].get_or_insert_with(|| {
                    let found = free
                        .iter()
                        .position(|&b| buffers[b] == *wanted)
                        .map(|i| free.swap_remove(i));
                    found.unwrap_or_else(|| {
                        buffers.push(wanted.clone());
                        buffers.len() - 1
                    })
                });
            }
            let place = |t: usize| place[t].unwrap_or(t);
            for input in &mut pass.inputs {
                if let Source::Temporary(t) = &mut input.source {
                    *t = place(*t);
                }
            }
            let is_first = |of: &Place| of.number == 0 && of.role == Role::Compute;
            if let Some(window) = pass.window.filter(is_first)
                && let Target::Temporary(t) = &mut self.groups[window.group].target
            {
                *t = place(*t);
            }
            for t in read {
                if last[t] == Some(p) && !free.contains(&place(t)) {
                    free.push(place(t));
                }
            }
        }
        self.temporaries = buffers;
    }

    /// Bytes of the buffers that hold intermediate results; those whose lifetimes do not meet share one.
    pub fn intermediate_bytes(&self) -> u64 {
        let bytes = |t: &Temporary| t.len as u64 * t.dtype.size() as u64;
        self.temporaries.iter().map(bytes).sum()
    }
}
