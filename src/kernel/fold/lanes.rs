//! Folds the lanes of a row: in registers, then through the workgroup's memory.

use super::functions::turned;
use super::{FoldNest, beside};
use crate::kernel::template::emit;
use crate::kernel::values::encode;
use crate::op::wgsl_type;
use crate::plan::ROW_LANES;

/// Lanes that one invocation folds at once of those in the workgroup's memory.
const FAN_IN: u32 = 8;

impl FoldNest<'_> {
    /// Declares the workgroup's memory: `width` values of each type that is folded.
    pub(super) fn memory(&self, width: u32, out: &mut String) {
        let mut types: Vec<&str> = Vec::new();
        for fold in &self.key.folds {
            let of = wgsl_type(fold.dtype.class());
            if !types.contains(&of) {
                types.push(of);
            }
        }
        for of in types {
            let (name, of) = (memory_name(of), self.kept_type(of));
            emit! { out, name, of, width;
                "var<workgroup> {name}: array<{of}, {width}>;"
            }
        }
    }

    /// Folds the lanes of the groups of a part in their order, a quad an invocation, through the workgroup's memory.
    pub(super) fn join_groups(&self, out: &mut String) {
        let (s, lanes) = (self.schedule, ROW_LANES as u32);
        for k in 0..self.key.folds.len() {
            let name = memory_name(wgsl_type(self.key.folds[k].dtype.class()));
            if k > 0 {
                emit! { out; "    workgroupBarrier();" }
            }
            emit! { out, k, lanes, shift = s.threads.trailing_zeros();
                "    let place{k} = (index >> {shift}u) * {lanes}u + thread;"
            }
            for own in 0..s.own {
                emit! { out, name, at = added(&format!("place{k}"), own * s.threads), lanes = Self::sum(k, s.levels, own, 0);
                    "    {name}[{at}] = {lanes};"
                }
            }
            emit! { out, k, name, lanes, groups = s.groups, sum = Self::sum(k, s.levels + 1, 0, 0);
                "    workgroupBarrier();"
                "    var {sum} = neutral{k}();"
                "    if index < {lanes}u {"
                "        for (var other = 0u; other < {groups}u; other++) {"
                "            {sum} = fold{k}({sum}, {name}[other * {lanes}u + index]);"
                "        }"
                "    }"
            }
        }
    }

    /// Folds the values of each invocation in a stage, and declares the results for the whole row.
    pub(super) fn fold_lanes(&self, stage: usize, out: &mut String) {
        let s = self.schedule;
        for k in self.stages.folds_at(stage) {
            self.fold_own(k, "    ", out);
            // The order folds the lanes that are farthest apart first: of those of an invocation,
            // neighbours last.
            let each = (0..s.beside).map(|b| Self::sum(k, s.levels, 0, b));
            let mut values: Vec<String> = each.collect();
            if s.apart {
                values = vec![self.fold_quad(k, &values[0], out)];
            }
            if s.threads > 1 {
                values = self.fold_threads(k, &values, s.threads, out);
            }
            if self.is_in_quads() {
                values = vec![self.fold_quad(k, &values[0], out)];
            }
            self.declare_results(k, &values, out);
        }
    }

    /// Declares the results of a fold, of each quad of columns.
    pub(super) fn declare_results(&self, k: usize, values: &[String], out: &mut String) {
        let dtype = self.key.folds[k].dtype;
        for (b, value) in (0..).zip(values) {
            emit! { out, k, name = beside(b), bits = encode(dtype, value);
                "    let f{k}_bits{name} = {bits};"
            }
        }
    }

    /// Folds the four lanes of a quad in halves; each of the four is the result.
    fn fold_quad(&self, k: usize, value: &str, out: &mut String) -> String {
        let dtype = self.key.folds[k].dtype;
        let halves = turned(dtype, value, "zwxy");
        emit! { out, k, value, halves; "    let h{k} = fold{k}({value}, {halves});" }
        let all = turned(dtype, &format!("h{k}"), "yyyy");
        let one = turned(dtype, &format!("h{k}"), "xxxx");
        emit! { out, k, one, all; "    let f{k} = fold{k}({one}, {all});" }
        format!("f{k}")
    }

    /// Folds the own lanes of an invocation in halves.
    pub(super) fn fold_own(&self, k: usize, indent: &str, out: &mut String) {
        let mut width = self.schedule.own;
        while width > 1 {
            width /= 2;
            for (own, b) in self.lanes().into_iter().filter(|(own, _)| *own < width) {
                let levels = self.schedule.levels;
                let [a, other] = [own, own + width].map(|m| Self::sum(k, levels, m, b));
                emit! { out, indent, k, a, other; "{indent}{a} = fold{k}({a}, {other});" }
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

    /// Folds the lanes of all invocations of a row, several at once; of each quad of columns those
    /// that the invocation has of it.
    fn fold_threads(
        &self,
        k: usize,
        sums: &[String],
        threads: u32,
        out: &mut String,
    ) -> Vec<String> {
        let of = wgsl_type(self.key.folds[k].dtype.class());
        let name = memory_name(of);
        let (first, apart) = self.places();
        // What an earlier fold left there was read by all.
        emit! { out; "    workgroupBarrier();" }
        // Where the lanes of each quad of columns begin.
        let begins = |b: u32| b * self.schedule.workgroup();
        for (b, sum) in (0..).zip(sums) {
            emit! { out, name, at = added("index", begins(b)), sum = self.kept(of, sum);
                "    {name}[{at}] = {sum};"
            }
        }
        emit! { out; "    workgroupBarrier();" }
        let mut width = threads;
        while width > 1 {
            let fan = FAN_IN.min(width);
            width /= fan;
            emit! { out, width; "    if thread < {width}u {" }
            for b in 0..self.schedule.beside {
                let row = beside(b);
                for n in 0..fan {
                    let at = begins(b) + n * width * apart;
                    let value = self.of_kept(of, &format!("{name}[index + {at}u]"));
                    emit! { out, k, n, row, value; "        var l{k}_{n}{row} = {value};" }
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
                let folded = self.kept(of, &format!("l{k}_0{row}"));
                emit! { out, name, at = added("index", begins(b)), folded;
                    "        {name}[{at}] = {folded};"
                }
            }
            emit! { out;
                "    }"
                "    workgroupBarrier();"
            }
        }
        let each = (0..self.schedule.beside).map(|b| {
            let total = format!("t{k}{}", beside(b));
            let at = added(&first, begins(b));
            let value = self.of_kept(of, &format!("{name}[{at}]"));
            emit! { out, total, value; "    let {total} = {value};" }
            total
        });
        each.collect()
    }

    /// The type of an invocation's value in the workgroup's memory: its four lanes, or one if they
    /// are folded before.
    fn kept_type(&self, of: &'static str) -> &'static str {
        match (self.schedule.apart, of) {
            (false, _) => of,
            (true, "vec4<f32>") => "f32",
            (true, "vec4<i32>") => "i32",
            (true, "vec4<u32>") => "u32",
            (true, _) => "vec2<u32>",
        }
    }

    /// A value as the workgroup's memory keeps it.
    fn kept(&self, of: &'static str, value: &str) -> String {
        match (self.schedule.apart, of) {
            (false, _) => value.to_owned(),
            (true, "Pair") => format!("vec2<u32>({value}.lo.x, {value}.hi.x)"),
            (true, _) => format!("{value}.x"),
        }
    }

    /// A value from the one that the workgroup's memory keeps.
    fn of_kept(&self, of: &'static str, kept: &str) -> String {
        match (self.schedule.apart, of) {
            (false, _) => kept.to_owned(),
            (true, "Pair") => format!("splat_pair({kept})"),
            (true, _) => format!("{of}({kept})"),
        }
    }
}

/// The index `by` places further.
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
