//! The lanes of a row folded: in registers, then through the workgroup's memory.

use super::functions::turned;
use super::{FoldNest, beside};
use crate::kernel::template::emit;
use crate::kernel::values::encode;
use crate::op::wgsl_type;

/// Lanes that one invocation folds at once of those in the workgroup's memory.
const FAN_IN: u32 = 8;

impl FoldNest<'_> {
    /// The workgroup's memory, for each type that is folded.
    pub(super) fn memory(&self, out: &mut String) {
        let mut types: Vec<&str> = Vec::new();
        for fold in &self.key.folds {
            let of = wgsl_type(fold.dtype.class());
            if !types.contains(&of) {
                types.push(of);
            }
        }
        for of in types {
            emit! { out, name = memory_name(of), of, width = self.schedule.workgroup() * self.schedule.beside;
                "var<workgroup> {name}: array<{of}, {width}>;"
            }
        }
    }

    /// Folds what each invocation has of a stage, and declares the results for all of a row.
    pub(super) fn fold_lanes(&self, stage: usize, out: &mut String) {
        let s = self.schedule;
        for k in self.stages.folds_at(stage) {
            self.fold_own(k, out);
            if s.threads > 1 {
                self.fold_threads(k, s.threads, out);
            }
            for b in 0..s.beside {
                let value = match s.threads {
                    1 => Self::sum(k, s.levels, 0, b),
                    _ => format!("t{k}{}", beside(b)),
                };
                let dtype = self.key.folds[k].dtype;
                let value = match self.is_along() {
                    false => value,
                    true => {
                        let halves = turned(dtype, &value, "zwxy");
                        emit! { out, k, value, halves; "    let h{k} = fold{k}({value}, {halves});" }
                        let all = turned(dtype, &format!("h{k}"), "yyyy");
                        let one = turned(dtype, &format!("h{k}"), "xxxx");
                        emit! { out, k, one, all; "    let f{k} = fold{k}({one}, {all});" }
                        format!("f{k}")
                    }
                };
                emit! { out, k, name = beside(b), bits = encode(dtype, &value);
                    "    let f{k}_bits{name} = {bits};"
                }
            }
        }
    }

    /// Folds the own lanes of an invocation in halves.
    fn fold_own(&self, k: usize, out: &mut String) {
        let mut width = self.schedule.own;
        while width > 1 {
            width /= 2;
            for (own, b) in self.lanes().filter(|(own, _)| *own < width) {
                let [a, other] =
                    [own, own + width].map(|m| Self::sum(k, self.schedule.levels, m, b));
                emit! { out, k, a, other; "    {a} = fold{k}({a}, {other});" }
            }
        }
    }

    /// Where the first invocation of a row is in its workgroup, and how far from one to the next.
    pub(super) fn places(&self) -> (String, u32) {
        match (self.is_along(), self.schedule.rows) {
            (true, _) => ("index - thread".into(), 1),
            (false, rows) => (format!("(index & {}u)", rows - 1), rows),
        }
    }

    /// Folds the lanes of all invocations of a row, several at once.
    fn fold_threads(&self, k: usize, threads: u32, out: &mut String) {
        let s = self.schedule;
        let name = memory_name(wgsl_type(self.key.folds[k].dtype.class()));
        let (first, apart) = self.places();
        // Where the lanes of other columns of an invocation begin.
        let columns = |b: u32| b * s.workgroup();
        // What an earlier fold left there was read by all.
        emit! { out; "    workgroupBarrier();" }
        for b in 0..s.beside {
            let sum = Self::sum(k, s.levels, 0, b);
            emit! { out, name, sum, at = added("index", columns(b)); "    {name}[{at}] = {sum};" }
        }
        emit! { out; "    workgroupBarrier();" }
        let mut width = threads;
        while width > 1 {
            let fan = FAN_IN.min(width);
            width /= fan;
            emit! { out, width; "    if thread < {width}u {" }
            for b in 0..s.beside {
                let row = beside(b);
                for n in 0..fan {
                    emit! { out, k, n, row, name, at = columns(b) + n * width * apart;
                        "        var l{k}_{n}{row} = {name}[index + {at}u];"
                    }
                }
                let mut half = fan;
                while half > 1 {
                    half /= 2;
                    for n in 0..half {
                        emit! { out, k, n, row, other = n + half;
                            "        l{k}_{n}{row} = fold{k}(l{k}_{n}{row}, l{k}_{other}{row});"
                        }
                    }
                }
                emit! { out, name, k, row, at = added("index", columns(b)); "        {name}[{at}] = l{k}_0{row};" }
            }
            emit! { out;
                "    }"
                "    workgroupBarrier();"
            }
        }
        for b in 0..s.beside {
            emit! { out, k, row = beside(b), name, at = added(&first, columns(b)); "    let t{k}{row} = {name}[{at}];" }
        }
    }
}

/// An index so many places further.
pub(super) fn added(index: &str, by: u32) -> String {
    match by {
        0 => index.to_owned(),
        by => format!("{index} + {by}u"),
    }
}

pub(super) fn memory_name(of: &str) -> &'static str {
    match of {
        "vec4<f32>" => "shared_floats",
        "vec4<i32>" => "shared_ints",
        "vec4<u32>" => "shared_words",
        _ => "shared_pairs",
    }
}
