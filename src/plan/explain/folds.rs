//! What a pass that folds computes, and how.

use std::fmt;

use super::Pass;
use crate::message::count;
use crate::op::LANES;
use crate::plan::fold::{FoldCandidate, in_order};
use crate::plan::{Across, Arg, Begin, FoldSchedule, FoldStep, ScanStep, Stages, Target};

impl Pass {
    /// The steps and folds in the order they are computed, each as a line.
    pub(super) fn show_steps(&self, names: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for made in in_order(&self.steps, &self.folds) {
            match made {
                Arg::Fold(_) if self.work.multiplies() => {}
                Arg::Fold(k) => {
                    let fold = &self.folds[k];
                    let (arg, name) = (self.named(fold.arg, names), fold.op.name());
                    let schedule = self.work.fold();
                    if let Some(scan) = schedule.and_then(|schedule| schedule.scan) {
                        self.show_scan(fold, &scan, &arg, names, f)?;
                        continue;
                    }
                    writeln!(
                        f,
                        "  fold {k}: {} = {name} of {arg} along axes {:?}",
                        fold.dtype, self.reduced
                    )?;
                }
                Arg::Step(j) => {
                    let step = &self.steps[j];
                    let args: Vec<_> = step.args.iter().map(|a| self.named(*a, names)).collect();
                    writeln!(
                        f,
                        "  step {j}: {} = {}({})",
                        step.dtype,
                        step.op,
                        args.join(", ")
                    )?;
                }
                Arg::Input(_) | Arg::Scalar(_) | Arg::Position => {}
            }
        }
        Ok(())
    }

    /// What a pass scans.
    fn show_scan(
        &self,
        fold: &FoldStep,
        scan: &ScanStep,
        arg: &str,
        names: &[&str],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let (dtype, name) = (fold.dtype, fold.op.name());
        let what = match (scan.total, scan.exclusive) {
            (true, _) => "of all elements",
            (false, true) => "of those before each element",
            (false, false) => "up to each element",
        };
        write!(
            f,
            "  the scan: {dtype} = {name} of {arg} along axes {:?}, {what}",
            self.reduced
        )?;
        match scan.begin {
            Begin::Nothing => writeln!(f),
            Begin::Zero => writeln!(f, ", from 0 on"),
            Begin::Input(i) => {
                let before = self.named(Arg::Input(i), names);
                writeln!(f, ", behind {before}")
            }
        }
    }

    /// How rows are dealt to invocations.
    pub(super) fn show_fold(&self, s: &FoldSchedule, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kept, reduced) = self.extents.split_at(s.kept as usize);
        let of = match s.across {
            Across::Reduced if s.apart => "elements along the reduced axes",
            Across::Reduced => "quads along the reduced axes",
            Across::Kept => "quads along the innermost kept axis",
        };
        let [x, y, z] = self.grid;
        let work = if s.scan.is_some() { "scan" } else { "fold" };
        writeln!(
            f,
            "  mapping {work} of {reduced:?} for each of {kept:?}, {of}: {}, grid {x} x {y} x {z}, {} an invocation",
            dealing(s),
            count(self.turns, "turn"),
        )?;
        let moves = self.inputs.iter().map(|x| x.load.is_for_each_quad());
        if let Some(scan) = s.scan {
            return match scan.total {
                true => writeln!(
                    f,
                    "  rows are scanned in chunks: first their totals, then what comes before each, then the chunks"
                ),
                false => Ok(()),
            };
        }
        let stages = Stages::new(moves.collect(), &self.steps, &self.folds, false).count();
        if s.partial {
            let parts = self.shape.extents()[self.shape.rank() - 2];
            let why = match self.output.target {
                Target::Temporary(_) => "rows are too few to keep the machine busy: ",
                Target::Output(_) => "",
            };
            writeln!(
                f,
                "  {why}{} of each leave their {LANES} lanes to what comes next",
                count(parts, "part")
            )?;
        } else if s.held > 0 {
            let quads = count(s.held_quads(), "quad");
            let again = match s.again {
                0 => "",
                _ => "; what all rows share is read again",
            };
            writeln!(
                f,
                "  one dispatch reads each row once: an invocation holds {quads} of it{again}"
            )?;
        } else if stages + usize::from(s.full) > 1 {
            writeln!(
                f,
                "  one dispatch goes through each row {} times, from memory the first time",
                stages + usize::from(s.full)
            )?;
        }
        if s.staged {
            writeln!(
                f,
                "  the results of a workgroup's rows are put together in its memory, and written as neighbours"
            )?;
        }
        Ok(())
    }

    /// The schedules that a pass which folds may have, the profile's own first, with what they take.
    pub(super) fn show_folds(
        &self,
        all: &[FoldCandidate],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let Some(chosen) = self.work.fold() else {
            return Ok(());
        };
        let reduced = &self.extents[chosen.kept as usize..];
        let elements = reduced.iter().product::<usize>() as f64;
        writeln!(f, "  schedules, the profile's choice first:")?;
        for FoldCandidate {
            name,
            schedule: s,
            turns,
        } in all
        {
            let mark = if s == chosen { "*" } else { " " };
            let mut parts = vec![dealing(s), count(*turns, "turn")];
            let bytes = s.lane_bytes(&self.folds) + s.result_bytes(self.output.dtype);
            if bytes > 0 {
                parts.push(format!("{} of a workgroup's memory", count(bytes, "byte")));
            }
            if s.held > 0 {
                parts.push(format!("{} held", count(s.held_quads(), "quad")));
            }
            let steps = (elements / s.step() as f64).ceil() * s.step() as f64;
            let idle = (1.0 - elements / steps) * 100.0;
            if idle >= 0.5 {
                parts.push(format!("idle {idle:.0} %"));
            }
            writeln!(f, "  {mark} {:<8} {}", name.to_string(), parts.join(", "))?;
        }
        Ok(())
    }
}

/// How rows are dealt to invocations.
fn dealing(s: &FoldSchedule) -> String {
    let rows = match s.across {
        Across::Reduced => "row",
        Across::Kept => "quad of columns",
    };
    let own = if s.scan.is_some() { "quad" } else { "lane" };
    let own = match s.beside {
        1 => count(s.own as usize, own),
        quads => format!("{} of {quads} quads", count(s.own as usize, own)),
    };
    let own = match s.groups {
        1 => own,
        groups => format!("{own} of each of {groups} groups"),
    };
    let together = match s.across {
        Across::Reduced => count(s.rows as usize, rows),
        Across::Kept => format!("{} of columns", count((s.rows * s.beside) as usize, "quad")),
    };
    format!(
        "{} a {rows}, {own} {}, {together} a workgroup",
        count((s.sharing() * s.groups) as usize, "invocation"),
        if s.in_turn { "at a time" } else { "each" },
    )
}
