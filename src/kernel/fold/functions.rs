//! The functions of a kernel that folds: the terms, the folds, and the steps on the
//! results.

use std::collections::BTreeSet;

use super::{FoldNest, Quad, beside};
use crate::dtype::{Class, DType};
use crate::kernel::barrier;
use crate::kernel::tail::{bits_type, list};
use crate::kernel::template::emit;
use crate::kernel::values::{Values, of_doubles};
use crate::op::{Folding, Operands, wgsl_type};
use crate::plan::{Arg, FoldStep};

impl FoldNest<'_> {
    /// The steps that repeat along a row and are read by a fold or by steps that do not repeat.
    pub(super) fn repeated_steps(&self) -> BTreeSet<usize> {
        let (key, is_full) = (self.key, |arg| self.stages.of(arg).0);
        let steps = key.steps.iter().enumerate();
        let full = steps.filter(|(j, _)| is_full(Arg::Step(*j)));
        let read = full.flat_map(|(_, step)| &step.args);
        let folded = key.folds.iter().map(|fold| &fold.arg);
        let result = self.schedule.full.then_some(&key.result);
        let mut found = BTreeSet::new();
        found.extend(
            read.chain(folded)
                .chain(result)
                .filter_map(|arg| match *arg {
                    Arg::Step(j) if !is_full(*arg) => Some(j),
                    _ => None,
                }),
        );
        found
    }

    /// The parameters of the function of a value. `stage`: how many folds come before it if it
    /// differs along a row, where values that repeat are parameters as they are.
    pub(super) fn parameters(&self, root: Arg, stage: Option<usize>) -> Vec<Arg> {
        self.collect(root, stage).0
    }

    /// The stage after which an invocation holds a step's values for all its quads, as it does for
    /// costly steps that are folded.
    pub(super) fn held_at(&self, j: usize) -> Option<usize> {
        let arg = Arg::Step(j);
        let folded = self.key.folds.iter().any(|fold| fold.arg == arg);
        let (full, stage) = self.stages.of(arg);
        if self.schedule.held == 0 || !folded || !full {
            return None;
        }
        let (_, steps) = self.collect(arg, Some(stage));
        let costly = steps.iter().any(|&j| self.key.steps[j].op.is_costly());
        costly.then_some(stage)
    }

    /// The parameters of a function of a value, and its steps in order. `stage`: how many folds
    /// come before a value that differs along a row; else it repeats along it.
    fn collect(&self, root: Arg, stage: Option<usize>) -> (Vec<Arg>, BTreeSet<usize>) {
        let full = stage.is_some();
        let is_held = |j: usize| {
            let held = stage.filter(|_| root != Arg::Step(j) && self.schedule.held > 0);
            held.is_some_and(|stage| self.held_at(j).is_some_and(|at| at < stage))
        };
        let (mut parameters, mut steps) = (Vec::new(), BTreeSet::new());
        let mut stack = vec![root];
        while let Some(arg) = stack.pop() {
            match arg {
                Arg::Step(j) if (!full || self.stages.of(arg).0) && !is_held(j) => {
                    if steps.insert(j) {
                        stack.extend(self.key.steps[j].args.iter().rev());
                    }
                }
                Arg::Scalar(_) => {}
                _ if parameters.contains(&arg) => {}
                _ => parameters.push(arg),
            }
        }
        (parameters, steps)
    }

    /// After how many folds the result is known, if it differs along rows.
    pub(super) fn result_stage(&self) -> Option<usize> {
        let full = self.schedule.full && self.stages.of(self.key.result).0;
        full.then(|| self.stages.count())
    }

    /// All functions.
    pub(super) fn functions(&self, out: &mut String) {
        for (k, fold) in self.key.folds.iter().enumerate() {
            self.fold(k, fold, out);
            if let Arg::Step(_) = fold.arg
                && self.stages.of(fold.arg).0
            {
                let stage = self.stages.of(fold.arg).1;
                self.function(&format!("term{k}"), fold.arg, Some(stage), out);
            }
        }
        for &j in &self.repeated {
            self.function(&format!("repeated{j}"), Arg::Step(j), None, out);
        }
        if !self.schedule.partial && matches!(self.key.result, Arg::Step(_)) {
            self.function("quad", self.key.result, self.result_stage(), out);
        }
    }

    /// A WGSL function from the storage bits of its parameters to those of a value.
    fn function(&self, name: &str, root: Arg, stage: Option<usize>, out: &mut String) {
        let (parameters, steps) = self.collect(root, stage);
        let mut values = Values::new(self.key);
        let parameters = list(parameters, |arg| values.given(arg));
        let of = bits_type(self.key.dtype(root));
        emit! { out, name, parameters, of; "fn {name}({parameters}) -> {of} {" }
        for j in steps {
            values.step(j, &self.key.steps[j], out);
        }
        let result = values.bits(root, out);
        emit! { out, result;
            "    return {result};"
            "}"
        }
    }

    /// `fn fold{k}` on values, and `fn neutral{k}`, the value that changes no other.
    fn fold(&self, k: usize, fold: &FoldStep, out: &mut String) {
        let of = wgsl_type(fold.dtype.class());
        let Some(form) = fold.op.row().form(fold.dtype) else {
            return;
        };
        let fused = barrier::fused_fold(self.key, fold);
        let mut made = match (fused, form.read) {
            (Some(fused), _) => fused.to_owned(),
            (None, Operands::Native) => of_doubles(
                self.key.soft,
                form.wgsl,
                fold.op.row(),
                &["a".into(), "b".into()],
            ),
            (None, _) => form.wgsl.to_owned(),
        };
        if fused.is_none() && barrier::is_opaque_fold(self.key, fold) {
            made = barrier::opaque("opaque", fold.dtype, &made);
        }
        emit! { out, k, of, made; "fn fold{k}(a: {of}, b: {of}) -> {of} { return {made}; }" }
        if fold.op == Folding::First {
            emit! { out, k, of;
                "fn later{k}(a: {of}, b: {of}) -> {of} {"
                "    return select_64(a, b, bitcast<vec4<i32>>(b.hi) > bitcast<vec4<i32>>(a.hi));"
                "}"
            }
        }
        let bits = fold.op.neutral(fold.dtype);
        let (low, high) = (bits as u32, (bits >> 32) as u32);
        let neutral = match fold.dtype.class() {
            // No compiler may know it: an infinity is no constant of WGSL.
            Class::F32 => format!("bitcast<vec4<f32>>(vec4<u32>(table.zero | {low}u))"),
            Class::I32 => format!("bitcast<vec4<i32>>(vec4<u32>({low}u))"),
            Class::U64 | Class::I64 | Class::F64 => {
                format!("Pair(vec4<u32>({low}u), vec4<u32>({high}u))")
            }
            Class::Bool | Class::U32 => format!("vec4<u32>({low}u)"),
        };
        emit! { out, k, of, neutral; "fn neutral{k}() -> {of} { return {neutral}; }" }
    }

    /// Declares the steps that repeat along rows and are known after `stage` stages.
    pub(super) fn repeated_at(&self, stage: usize, out: &mut String) {
        for &j in &self.repeated {
            let root = Arg::Step(j);
            if self.stages.of(root).1 != stage {
                continue;
            }
            for b in 0..self.schedule.beside {
                let arguments = self.arguments(&self.parameters(root, None), Quad::row(b));
                emit! { out, j, name = beside(b), arguments;
                    "    let s{j}_bits{name} = repeated{j}({arguments});"
                }
            }
        }
    }

    /// The arguments of a function for a quad.
    pub(super) fn arguments(&self, parameters: &[Arg], quad: Quad) -> String {
        list(parameters, |&arg| self.given(arg, quad))
    }

    /// The storage bits of a declared value, for a quad.
    pub(super) fn given(&self, arg: Arg, quad: Quad) -> String {
        let (name, row) = (quad.name(), beside(quad.b));
        match arg {
            Arg::Input(i) if self.stages.moves(i) && self.is_loaded_again(i) => self.load(i, quad),
            Arg::Input(i) if self.stages.moves(i) => format!("x{i}_{name}"),
            Arg::Input(i) => format!("x{i}_bits{row}"),
            Arg::Step(j) if self.stages.of(arg).0 => format!("v{j}_{name}"),
            Arg::Step(j) => format!("s{j}_bits{row}"),
            // What is scanned differs from one quad to the next.
            Arg::Fold(k) if self.stages.of(arg).0 => format!("f{k}_{name}"),
            Arg::Fold(k) => format!("f{k}_bits{row}"),
            Arg::Scalar(_) => Values::new(self.key).scalar_bits(arg),
            Arg::Position if self.is_along() => {
                let first = if self.is_in_quads() { "4u * " } else { "" };
                let lanes = self.lane_numbers();
                format!("(vec4<u32>(table.position + {first}q{name}) + {lanes})")
            }
            Arg::Position => format!("vec4<u32>(table.position + q{name})"),
        }
    }
}

/// The lanes of a value in another order.
pub(super) fn turned(dtype: DType, value: &str, lanes: &str) -> String {
    match wgsl_type(dtype.class()) {
        "Pair" => format!("Pair({value}.lo.{lanes}, {value}.hi.{lanes})"),
        _ => format!("{value}.{lanes}"),
    }
}
