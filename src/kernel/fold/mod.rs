//! The source of a reduction kernel: `fn main` with its loops, and the functions it calls.
//!
//! Each stage goes through the rows' elements in steps: every invocation folds one quad for each
//! lane it owns (or each quad of lanes). Groups of steps are nested loops. Then the lanes are
//! folded: those of one invocation in registers, those of all through the workgroup's
//! memory.
//!
//! In a kernel that scans, each invocation loads the elements that it owns, a group or a part of
//! the only group, and joins their prefixes with the total before the group.

mod elements;
mod functions;
mod lanes;
mod quad;
mod result;
mod scan;
mod turns;
mod walk;

use std::collections::BTreeSet;

use quad::{Quad, Steps, beside};

use super::barrier;
use super::key::KernelKey;
use super::tail::Tail;
use super::template::emit;
use super::values::decode;
use crate::op::{Folding, GROUP, wgsl_type};
use crate::plan::{Across, Arg, FoldSchedule, ROW_LANES, Stages, Store};

/// The printer of a kernel that folds.
pub(super) struct FoldNest<'a> {
    pub tail: Tail<'a>,
    pub key: &'a KernelKey,
    pub schedule: &'a FoldSchedule,
    stages: Stages,
    /// The steps that repeat along a row and are read by values that differ along it.
    repeated: BTreeSet<usize>,
}

impl<'a> FoldNest<'a> {
    pub fn new(key: &'a KernelKey, schedule: &'a FoldSchedule) -> Self {
        let moves = key.inputs.iter().map(|x| x.load.is_for_each_quad());
        let scans = schedule.scan.is_some();
        let stages = Stages::new(moves.collect(), &key.steps, &key.folds, scans);
        let mut nest = Self {
            tail: Tail::new(key),
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
        } else if self.key.store.is_shared() {
            self.tail.shared_store(out);
        }
        (body, tail)
    }

    fn main(&self, out: &mut String) {
        let s = self.schedule;
        if s.sharing() > 1 && !s.partial {
            self.memory(s.workgroup() * s.beside, out);
        }
        if s.groups > 1 {
            self.memory(s.groups * ROW_LANES as u32, out);
        }
        if s.staged {
            self.staged_memory(out);
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
        let (from, to) = self.row(out);
        self.place(out);
        self.repeated_at(0, out);
        if let Some(scan) = &s.scan {
            self.scan(scan, out);
            emit! { out; "}" }
            return;
        }
        let count = self.stages.count();
        self.hold(out);
        for stage in 0..count {
            if s.in_turn {
                self.turns(stage, from, to, out);
            } else {
                self.stage(stage, from, to, "    ", out);
                if s.groups > 1 {
                    self.join_groups(out);
                }
                if s.partial {
                    self.store_lanes("    ", out);
                } else {
                    self.fold_lanes(stage, out);
                }
            }
            if !s.partial {
                self.repeated_at(stage + 1, out);
            }
        }
        if s.full {
            self.store_all(from, to, out);
        } else if !s.partial {
            self.store_row(out);
        }
        emit! { out; "}" }
    }

    /// Declares an invocation's row, and returns the first step that it goes through and the end.
    fn row(&self, out: &mut String) -> (&'static str, &'static str) {
        let s = self.schedule;
        let (rows, threads) = (s.rows, s.sharing());
        let (group, thread) = match (threads, self.is_along()) {
            _ if s.groups > 1 => ("0u".to_owned(), Some(format!("index & {}u", threads - 1))),
            (1, _) => ("index".to_owned(), None),
            (_, true) => (
                format!("(index >> {}u)", threads.trailing_zeros()),
                Some(format!("index & {}u", threads - 1)),
            ),
            // Neighbouring invocations have neighbouring columns.
            (_, false) => (
                format!("(index & {}u)", rows - 1),
                Some(format!("index >> {}u", rows.trailing_zeros())),
            ),
        };
        match (s.parted, self.is_along()) {
            (false, _) => emit! { out, rows, group; "    let row = number * {rows}u + {group};" },
            // Parts of one row are neighbours, as rows are.
            (true, true) => emit! { out, rows, group;
                "    let unit = number * {rows}u + {group};"
                "    let row = unit / table.parts;"
                "    let part = unit - row * table.parts;"
            },
            (true, false) => emit! { out, rows, group;
                "    let block = number / table.parts;"
                "    let part = number - block * table.parts;"
                "    let row = block * {rows}u + {group};"
            },
        }
        if let Some(thread) = thread {
            emit! { out, thread; "    let thread = {thread};" }
        }
        let (from, to) = match s.parted {
            true => {
                let (own, each) = match s.groups {
                    1 => (String::new(), "table.each".to_owned()),
                    groups => (
                        format!(
                            " + (index >> {}u) * (table.each / {groups}u)",
                            threads.trailing_zeros()
                        ),
                        format!("table.each / {groups}u"),
                    ),
                };
                emit! { out, own, each;
                    "    let first = (table.first + part) * table.each{own};"
                    "    let end = min(first + {each}, table.steps);"
                }
                ("first", "end")
            }
            false => ("0u", "table.steps"),
        };
        emit! { out; "    let inside = row < table.rows;" }
        if s.staged {
            emit! { out, group; "    let staged_row = {group} * table.count;" }
        }
        (from, to)
    }

    /// The name of a fold's value of an own lane after `level` levels.
    fn sum(k: usize, level: u32, own: u32, b: u32) -> String {
        format!("a{k}_{level}_{own}{}", beside(b))
    }

    /// The own lanes of an invocation, of each of its quads of columns.
    fn lanes(&self) -> Vec<(u32, u32)> {
        let quads = Quad::all(Steps::Full, 1, self.schedule.own, self.schedule.beside);
        quads.into_iter().map(|quad| (quad.m, quad.b)).collect()
    }

    /// The loops of a stage.
    fn stage(&self, stage: usize, from: &str, to: &str, indent: &str, out: &mut String) {
        if self.schedule.held == 0 {
            return self.level(stage, self.schedule.levels, from, to, indent, out);
        }
        let levels = self.schedule.levels;
        self.sums(stage, 1, "    ", out);
        if levels > 1 {
            self.sums(stage, levels, "    ", out);
        }
        for quad in self.held() {
            for k in self.stages.folds_at(stage) {
                self.term(k, quad, "    ", out);
            }
            // Groups are few enough to be one of groups.
            let next = quad.u + 1;
            let ends = next.is_multiple_of(GROUP as u32) || !self.is_held(next, quad.m);
            if levels > 1 && ends {
                for k in self.stages.folds_at(stage) {
                    let [outer, part] =
                        [levels, 1].map(|level| Self::sum(k, level, quad.m, quad.b));
                    emit! { out, k, outer, part;
                        "    {outer} = fold{k}({outer}, {part});"
                        "    {part} = neutral{k}();"
                    }
                }
            }
        }
    }

    /// The quads that an invocation holds.
    fn held(&self) -> Vec<Quad> {
        let s = self.schedule;
        let mut all = Quad::all(Steps::Held, s.held, s.own, s.beside);
        all.retain(|quad| self.is_held(quad.u, quad.m));
        all
    }

    /// Whether an invocation holds quad `m` of a step.
    fn is_held(&self, step: u32, m: u32) -> bool {
        let s = self.schedule;
        step + 1 < s.held || step + 1 == s.held && m < s.held_last
    }

    /// The inputs of the values that are folded.
    fn folded(&self) -> BTreeSet<usize> {
        self.inputs_of(self.key.folds.iter().map(|fold| fold.arg))
    }

    /// Whether an input is loaded again for each value that needs it, not held.
    fn is_loaded_again(&self, i: usize) -> bool {
        self.schedule.again >> i & 1 == 1
    }

    /// The inputs that only the result needs.
    fn behind(&self) -> BTreeSet<usize> {
        let (mut inputs, folded) = (self.inputs_of([self.key.result].into_iter()), self.folded());
        inputs.retain(|i| !folded.contains(i));
        inputs
    }

    /// Loads all quads of folded values that the invocation holds.
    fn hold(&self, out: &mut String) {
        let mut inputs = self.folded();
        inputs.retain(|&i| !self.is_loaded_again(i));
        for quad in self.held() {
            self.element(quad, &inputs, None, "    ", out);
        }
    }

    /// Declares the initial values of a stage's folds.
    fn sums(&self, stage: usize, level: u32, indent: &str, out: &mut String) {
        for k in self.stages.folds_at(stage) {
            for (own, b) in self.lanes() {
                emit! { out, indent, name = Self::sum(k, level, own, b), k;
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
            for (own, b) in self.lanes() {
                let [outer, part] = [level, level - 1].map(|l| Self::sum(k, l, own, b));
                emit! { out, inner, k, outer, part; "{inner}{outer} = fold{k}({outer}, {part});" }
            }
        }
        emit! { out, indent; "{indent}}" }
    }

    /// Folds the term of a quad into its lane.
    fn term(&self, k: usize, quad: Quad, indent: &str, out: &mut String) {
        let term = self.term_of(k, quad, indent, out);
        let by = match self.key.folds[k].op {
            Folding::First => "later",
            _ => "fold",
        };
        emit! { out, indent, k, by, term, sum = Self::sum(k, 1, quad.m, quad.b);
            "{indent}{sum} = {by}{k}({sum}, {term});"
        }
    }

    /// The term of a quad, neutral where the row has no elements.
    fn term_of(&self, k: usize, quad: Quad, indent: &str, out: &mut String) -> String {
        let fold = &self.key.folds[k];
        let name = quad.name();
        let arg = match fold.arg {
            Arg::Step(j) if self.stages.of(fold.arg).0 => {
                let parameters = self.parameters(fold.arg, Some(self.stages.of(fold.arg).1));
                let made = format!("term{k}({})", self.arguments(&parameters, quad));
                match self.held_at(j) {
                    None => made,
                    Some(_) => {
                        let first = self.key.folds.iter().position(|f| f.arg == fold.arg);
                        if first == Some(k) {
                            emit! { out, indent, j, name, made; "{indent}let v{j}_{name} = {made};" }
                        }
                        format!("v{j}_{name}")
                    }
                }
            }
            arg => self.given(arg, quad),
        };
        let value = decode(fold.dtype, &arg);
        let select = match wgsl_type(fold.dtype.class()) {
            "Pair" => "select_64",
            _ => "select",
        };
        match self.is_masked(quad) {
            true => format!("{select}(neutral{k}(), {value}, own{name})"),
            false => value,
        }
    }

    /// Whether quads lie along rows.
    fn is_along(&self) -> bool {
        self.schedule.across == Across::Reduced
    }
}
