//! The text of a kernel that folds: `fn main` with its loops, and the functions it calls.
//!
//! For each stage the rows' elements are gone through in steps: every invocation folds one quad for
//! each lane it owns (or each quad of lanes). Groups of steps are loops one in the other. Then the
//! lanes are folded: those of one invocation in registers, those of all through the workgroup's
//! memory.

mod elements;
mod functions;
mod lanes;
mod result;

use std::collections::BTreeSet;

use super::barrier;
use super::key::KernelKey;
use super::tail::Tail;
use super::template::emit;
use super::values::decode;
use crate::op::{GROUP, wgsl_type};
use crate::plan::{Across, Arg, FoldSchedule, Stages, Store, TableShape};

/// A kernel that folds, as it is printed.
pub(super) struct FoldNest<'a> {
    pub tail: Tail<'a>,
    pub key: &'a KernelKey,
    pub schedule: &'a FoldSchedule,
    stages: Stages,
    /// The steps that repeat along a row and that what differs along it reads.
    repeated: BTreeSet<usize>,
}

impl<'a> FoldNest<'a> {
    pub fn new(key: &'a KernelKey, schedule: &'a FoldSchedule) -> Self {
        let moves = key.inputs.iter().map(|x| x.load.is_for_each_quad());
        let stages = Stages::new(moves.collect(), &key.steps, &key.folds);
        let table = TableShape::new(&key.work, key.inputs.len(), key.rank);
        let mut nest = Self {
            tail: Tail { key, table },
            key,
            schedule,
            stages,
            repeated: BTreeSet::new(),
        };
        nest.repeated = nest.repeated_steps();
        nest
    }

    /// The body and the tail.
    pub fn text(&self) -> (String, String) {
        let (mut body, mut tail) = (String::new(), String::new());
        self.main(&mut body);
        let out = &mut tail;
        self.tail.bindings(out);
        barrier::functions(self.key, out);
        for i in 0..self.key.inputs.len() {
            self.tail.getter(i, out);
            self.along(i, out);
        }
        if self.schedule.full {
            self.along(self.key.inputs.len(), out);
        }
        self.functions(out);
        if self.key.store == Store::Wide {
            self.tail.store(out);
        }
        (body, tail)
    }

    fn main(&self, out: &mut String) {
        let s = self.schedule;
        if s.threads > 1 && !s.partial {
            self.memory(out);
        }
        emit! { out, width = s.workgroup();
            "@compute @workgroup_size({width})"
            "fn main("
            "    @builtin(workgroup_id) group: vec3<u32>,"
            "    @builtin(num_workgroups) groups: vec3<u32>,"
            "    @builtin(local_invocation_index) index: u32,"
            ") {"
            "    let number = (group.z * groups.y + group.y) * groups.x + group.x;"
        }
        let (block, from, to) = match s.partial {
            true => {
                emit! { out;
                    "    let block = number / table.parts;"
                    "    let part = number - block * table.parts;"
                    "    let first = part * table.each;"
                    "    let end = min(first + table.each, table.steps);"
                }
                ("block", "first", "end")
            }
            false => ("number", "0u", "table.steps"),
        };
        let (rows, threads) = (s.rows, s.threads);
        match threads {
            1 => emit! { out, block, rows; "    let row = {block} * {rows}u + index;" },
            _ => emit! { out, block, rows, shift = threads.trailing_zeros(), mask = threads - 1;
                "    let row = {block} * {rows}u + (index >> {shift}u);"
                "    let thread = index & {mask}u;"
            },
        }
        emit! { out; "    let inside = row < table.rows;" }
        self.place(out);
        self.repeated_at(0, out);
        let count = self.stages.count();
        self.hold(out);
        for stage in 0..count {
            self.stage(stage, from, to, out);
            if s.partial {
                self.store_lanes(out);
            } else {
                self.fold_lanes(stage, out);
                self.repeated_at(stage + 1, out);
            }
        }
        if s.full {
            self.store_all(out);
        } else if !s.partial {
            self.store_row(out);
        }
        emit! { out; "}" }
    }

    /// The name of what a fold has of an own lane after so many levels.
    fn sum(k: usize, level: u32, own: u32) -> String {
        format!("a{k}_{level}_{own}")
    }

    /// The loops of a stage.
    fn stage(&self, stage: usize, from: &str, to: &str, out: &mut String) {
        if self.schedule.held == 0 {
            return self.level(stage, self.schedule.levels, from, to, "    ", out);
        }
        self.sums(stage, 1, "    ", out);
        for (u, m) in self.held() {
            for k in self.stages.folds_at(stage) {
                self.term(k, u, m, "    ", out);
            }
        }
    }

    /// The quads that an invocation holds, as step and own lane.
    fn held(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let own = self.schedule.own;
        (0..self.schedule.held).flat_map(move |u| (0..own).map(move |m| (u, m)))
    }

    /// Loads all quads that the invocation holds.
    fn hold(&self, out: &mut String) {
        let moving = (0..self.key.inputs.len()).filter(|&i| self.stages.moves(i));
        let inputs = moving.collect();
        for (u, m) in self.held() {
            self.element(u, m, "table.steps", &inputs, "    ", out);
        }
    }

    /// Declares what the folds of a stage begin with.
    fn sums(&self, stage: usize, level: u32, indent: &str, out: &mut String) {
        for k in self.stages.folds_at(stage) {
            for own in 0..self.schedule.own {
                emit! { out, indent, name = Self::sum(k, level, own), k;
                    "{indent}var {name} = neutral{k}();"
                }
            }
        }
    }

    fn level(
        &self,
        stage: usize,
        level: u32,
        from: &str,
        to: &str,
        indent: &str,
        out: &mut String,
    ) {
        self.sums(stage, level, indent, out);
        if level == 1 {
            return self.steps(stage, from, to, indent, out);
        }
        let by = GROUP.pow(level - 1);
        let (s, e) = (format!("s{level}"), format!("e{level}"));
        emit! { out, indent, s, from, to, by, e;
            "{indent}for (var {s} = {from}; {s} < {to}; {s} += {by}u) {"
            "{indent}    let {e} = min({s} + {by}u, {to});"
        }
        let inner = format!("{indent}    ");
        self.level(stage, level - 1, &s, &e, &inner, out);
        for k in self.stages.folds_at(stage) {
            for own in 0..self.schedule.own {
                let [outer, part] = [level, level - 1].map(|l| Self::sum(k, l, own));
                emit! { out, inner, k, outer, part; "{inner}{outer} = fold{k}({outer}, {part});" }
            }
        }
        emit! { out, indent; "{indent}}" }
    }

    /// The innermost loop: of several steps all loads come before the first fold.
    fn steps(&self, stage: usize, from: &str, to: &str, indent: &str, out: &mut String) {
        let s = self.schedule;
        emit! { out, indent, from, to, by = s.together;
            "{indent}for (var s = {from}; s < {to}; s += {by}u) {"
        }
        let inner = format!("{indent}    ");
        let each = || (0..s.together).flat_map(|u| (0..s.own).map(move |m| (u, m)));
        let folds: Vec<usize> = self.stages.folds_at(stage).collect();
        for (u, m) in each() {
            let inputs = self.inputs_of(folds.iter().map(|&k| self.key.folds[k].arg));
            self.element(u, m, to, &inputs, &inner, out);
        }
        for (u, m) in each() {
            for &k in &folds {
                self.term(k, u, m, &inner, out);
            }
        }
        emit! { out, indent; "{indent}}" }
    }

    /// Folds the term of a quad into an own lane.
    fn term(&self, k: usize, u: u32, m: u32, indent: &str, out: &mut String) {
        let fold = &self.key.folds[k];
        let arg = match fold.arg {
            Arg::Step(j) if self.stages.of(fold.arg).0 => {
                let parameters = self.full_parameters(fold.arg, self.stages.of(fold.arg).1);
                let made = format!("term{k}({})", self.arguments(&parameters, u, m));
                match self.held_at(j) {
                    None => made,
                    Some(_) => {
                        let first = self.key.folds.iter().position(|f| f.arg == fold.arg);
                        if first == Some(k) {
                            emit! { out, indent, j, u, m, made; "{indent}let v{j}_{u}_{m} = {made};" }
                        }
                        format!("v{j}_{u}_{m}")
                    }
                }
            }
            arg => self.given(arg, u, m),
        };
        let value = decode(fold.dtype, &arg);
        let select = match wgsl_type(fold.dtype.class()) {
            "Pair" => "select_64",
            _ => "select",
        };
        emit! { out, indent, select, k, value, u, m, sum = Self::sum(k, 1, m);
            "{indent}{sum} = fold{k}({sum}, {select}(neutral{k}(), {value}, own{u}_{m}));"
        }
    }

    /// Whether quads lie along rows.
    fn is_along(&self) -> bool {
        self.schedule.across == Across::Reduced
    }
}
