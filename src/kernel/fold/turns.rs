//! Rows that one invocation folds alone: the lanes of each of those that would share it in turn.
//!
//! The order folds lanes in halves, neighbours last. If those whose numbers differ in the highest bit
//! come one after the other, then what two turns have is folded at once, as are two such pairs, and
//! one value of each size waits for its other half.

use super::{FoldNest, beside};
use crate::kernel::template::emit;

impl FoldNest<'_> {
    /// The loops of a stage for each of those whose work this invocation does, and the results.
    pub(super) fn turns(&self, stage: usize, from: &str, to: &str, out: &mut String) {
        let s = self.schedule;
        let indent = "        ";
        let bits = s.threads.trailing_zeros();
        let folds = || self.stages.folds_at(stage).filter(|_| !s.partial);
        for k in folds() {
            for name in (0..s.beside).map(beside) {
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
        if s.partial {
            self.store_lanes(indent, out);
        }
        for k in folds() {
            self.fold_own(k, indent, out);
            for b in 0..s.beside {
                emit! { out, k, name = beside(b), sum = Self::sum(k, s.levels, 0, b);
                    "        t{k}{name} = {sum};"
                }
            }
        }
        for half in 0..bits {
            let inner = "    ".repeat(half as usize + 3);
            let outer = &inner[4..];
            if folds().next().is_none() {
                break;
            }
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
        if folds().next().is_some() {
            for half in (0..bits).rev() {
                let outer = "    ".repeat(half as usize + 2);
                emit! { out, outer; "{outer}}" }
            }
        }
        emit! { out; "    }" }
        for k in folds() {
            let each = (0..s.beside).map(|b| format!("t{k}{}", beside(b)));
            self.declare_results(k, &each.collect::<Vec<_>>(), out);
        }
    }

    /// The folds of a stage, of each quad of columns.
    fn each(&self, stage: usize) -> impl Iterator<Item = (usize, String)> {
        let quads = self.schedule.beside;
        let folds = self.stages.folds_at(stage);
        folds.flat_map(move |k| (0..quads).map(move |b| (k, beside(b))))
    }
}
