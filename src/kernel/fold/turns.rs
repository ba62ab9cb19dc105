//! Rows that one invocation folds alone, in turns: one for each invocation that would share it.
//!
//! The order folds lanes in halves, neighbours last. Turns come in the order of their numbers with
//! reversed bits, so that two turns that differ in the highest bit of their lanes are neighbours:
//! their values are folded at once, as are those of two such pairs, and one value of each size
//! waits for its other half.

use super::{FoldNest, beside};
use crate::kernel::template::emit;

impl FoldNest<'_> {
    /// The loops of a stage for each invocation whose work this one does, and the results.
    pub(super) fn turns(&self, stage: usize, from: &str, to: &str, out: &mut String) {
        let s = self.schedule;
        let indent = "        ";
        let bits = s.threads.trailing_zeros();
        if !s.partial {
            for (k, name) in self.each(stage) {
                emit! { out, k, name; "    var t{k}{name} = neutral{k}();" }
                for half in 0..bits {
                    emit! { out, k, half, name; "    var half{k}_{half}{name} = t{k}{name};" }
                }
            }
        }
        emit! { out, threads = s.threads, shift = 32 - bits;
            "    for (var turn = 0u; turn < {threads}u; turn++) {"
            "        let thread = reverseBits(turn) >> {shift}u;"
        }
        self.stage(stage, from, to, indent, out);
        match s.partial {
            true => self.store_lanes(indent, out),
            false => self.join_turns(stage, bits, indent, out),
        }
        emit! { out; "    }" }
        if s.partial {
            return;
        }
        for k in self.stages.folds_at(stage) {
            let each = (0..s.beside).map(|b| format!("t{k}{}", beside(b)));
            self.declare_results(k, &each.collect::<Vec<_>>(), out);
        }
    }

    /// Folds a turn's value with the one that waits for it, or lets it wait.
    fn join_turns(&self, stage: usize, bits: u32, indent: &str, out: &mut String) {
        for k in self.stages.folds_at(stage) {
            self.fold_own(k, indent, out);
            for b in 0..self.schedule.beside {
                emit! { out, indent, k, name = beside(b), sum = Self::sum(k, self.schedule.levels, 0, b);
                    "{indent}t{k}{name} = {sum};"
                }
            }
        }
        let deeper = |half: u32| format!("{indent}{}", "    ".repeat(half as usize));
        for half in 0..bits {
            let (outer, inner) = (deeper(half), deeper(half + 1));
            emit! { out, outer, bit = 1 << half; "{outer}if (turn & {bit}u) == 0u {" }
            for (k, name) in self.each(stage) {
                emit! { out, inner, k, half, name; "{inner}half{k}_{half}{name} = t{k}{name};" }
            }
            emit! { out, outer; "{outer}} else {" }
            for (k, name) in self.each(stage) {
                emit! { out, inner, k, half, name;
                    "{inner}t{k}{name} = fold{k}(half{k}_{half}{name}, t{k}{name});"
                }
            }
        }
        for half in (0..bits).rev() {
            emit! { out, outer = deeper(half); "{outer}}" }
        }
    }

    /// The folds of a stage, of each quad of columns.
    fn each(&self, stage: usize) -> impl Iterator<Item = (usize, String)> {
        let quads = self.schedule.beside;
        let folds = self.stages.folds_at(stage);
        folds.flat_map(move |k| (0..quads).map(move |b| (k, beside(b))))
    }
}
