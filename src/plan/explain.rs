//! A plan as text: shapes aligned as in the NumPy manual, strides with their zeros, access, mapping
//! and grid.

mod folds;
mod schedules;

use std::collections::HashSet;
use std::fmt;

use super::Plan;
use super::mapped::Work;
use super::operand::{Access, Arg, Source, Step, Target};
use super::pass::Pass;
use super::schedule::{Along, LaneLoad, Lanes, Load, Per, Schedule, Threads};
use super::store::Store;
use super::windowed::{Place, Role};
use super::words::on_whole_words;
use crate::dtype::DType;
use crate::message::{count, escape};
use crate::shape::Shape;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(&[], f)
    }
}

/// A plan as text, with names for its inputs.
struct Named<'a>(&'a Plan, &'a [&'a str]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show(self.1, f)
    }
}

impl Plan {
    /// The plan as text. `names` are those of the inputs; one without is shown by its number.
    pub fn explain<'a>(&'a self, names: &'a [&'a str]) -> impl fmt::Display + 'a {
        Named(self, names)
    }

    fn show(&self, names: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plan: {}", count(self.pass_count(), "pass"))?;
        if !self.temporaries.is_empty() {
            let bytes = count(self.intermediate_bytes(), "byte");
            write!(f, ", {bytes} of intermediate results")?;
        }
        writeln!(f, ", {} moved", count(self.bytes_moved(), "byte"))?;
        let passes = self.passes.iter().filter(|p| !p.shape.is_empty());
        let mut shown = HashSet::new();
        for (n, pass) in passes.enumerate() {
            match pass.window {
                None => writeln!(f, "pass {n}:")?,
                Some(place) => {
                    // The others of a group that compute the same differ in where operands lie, and in
                    // their lengths.
                    let dtypes: Vec<DType> = pass.inputs.iter().map(|x| x.dtype).collect();
                    if !shown.insert((place.group, place.role, dtypes, &pass.steps)) {
                        continue;
                    }
                    self.show_window(n, place, pass, f)?;
                }
            }
            pass.show(names, f)?;
        }
        if self.pass_count() == 0 {
            writeln!(f, "nothing is dispatched: the result has no elements")?;
        }
        Ok(())
    }

    /// The heading of a pass of a window of a result.
    fn show_window(
        &self,
        n: usize,
        place: Place,
        pass: &Pass,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let group = &self.groups[place.group];
        let does = match place.role {
            Role::Compute => "",
            Role::Gather => ", gathering an input for it",
            Role::Move => ", moving it to where it begins",
        };
        let elements = |of: &Shape| -> usize { of.extents().iter().product() };
        let (first, last) = (place.first, place.first + elements(&pass.shape));
        let end = match place.role {
            Role::Gather => String::new(),
            _ if pass.work.multiplies() => format!(": {} of {}", pass.shape, group.shape),
            _ => format!(": elements {first} to {last}"),
        };
        writeln!(
            f,
            "pass {n}, window {} of {} of {} ({}){does}{end}",
            place.number + 1,
            group.windows,
            group.shape,
            count(elements(&group.shape), "element")
        )
    }
}

impl Source {
    /// The input's name, or its number.
    fn named(self, names: &[&str]) -> String {
        match self {
            Self::Slot(i) => names
                .get(i)
                .map_or_else(|| format!("input {i}"), |n| escape(n).into_owned()),
            Self::Temporary(t) => format!("temporary {t}"),
            Self::Numbers => "numbers".into(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(k) => write!(f, "output {k}"),
            Self::Temporary(t) => write!(f, "temporary {t}"),
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hoisted = match self.per {
            Per::Quad => "",
            _ if self.lanes == LaneLoad::Splat => "",
            Per::Row | Per::Column | Per::Invocation => "hoisted ",
        };
        let lanes = match self.lanes {
            LaneLoad::Vector { misaligned: 1.. } => "misaligned",
            LaneLoad::Vector { .. } if self.linear => "linear",
            LaneLoad::Vector { .. } => "vector",
            LaneLoad::Unaligned => "unaligned",
            LaneLoad::Splat => "splat",
            LaneLoad::Straddling => "straddling",
            LaneLoad::Periodic(_) => "periodic",
            LaneLoad::Transposed => "transposed",
            LaneLoad::Interleaved => "interleaved",
            LaneLoad::Gather => "gather",
            LaneLoad::Staged => "staged",
        };
        write!(f, "{hoisted}{lanes}")
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Own(own) => own.name,
            Self::Fold(_) => "fold",
            Self::Map(schedule) => match schedule.lanes {
                Lanes::Line => "flat",
                Lanes::Rows if schedule.is_tiled() => "tile",
                Lanes::Rows => "rows",
                Lanes::Straddling(_) => "general",
                Lanes::Column => "staged",
            },
        })
    }
}

impl Pass {
    /// The inputs and the output, a line each.
    fn show_operands(&self, names: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A table with one line an operand: extents aligned from the right, broadcast axes shown by
        // their stride 0.
        let mut rows: Vec<[String; 5]> = Vec::new();
        for input in &self.inputs {
            rows.push([
                input.source.named(names),
                input.dtype.to_string(),
                aligned(&shown(input.layout.shape(), input.layout.strides())),
                aligned(input.layout.strides()),
                match input.access {
                    Access::Numbers => "no buffer".into(),
                    Access::Plain | Access::Kept => format!(
                        "{}, {} from {}{}",
                        input.load,
                        count(input.range.size, "byte"),
                        input.range.start,
                        ["", ", kept within"][usize::from(input.access == Access::Kept)]
                    ),
                },
            ]);
        }
        let store = match self.output.store {
            Store::Wide => {
                let unit = self.work.schedule().map_or("quad", Schedule::unit_name);
                format!("whole {unit}s")
            }
            Store::Words { shift: 0 } => "word by word".into(),
            Store::Shared { .. } => "into words that rows share".into(),
            Store::Words { shift } => format!("word by word, shifted by {shift}"),
        };
        let strides = self.shape.row_major();
        rows.push([
            self.output.target.to_string(),
            self.output.dtype.to_string(),
            aligned(self.shape.extents()),
            aligned(&strides),
            store,
        ]);
        let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
        let widths: [usize; 4] = std::array::from_fn(width);
        // A width of the formatter's ends at 65,535 columns, which a shape of many axes takes.
        let spaces = |row: &[String; 5], c: usize| " ".repeat(widths[c] - row[c].chars().count());
        for row in &rows {
            let ([name, dtype, shape, strides, access], [a, b, c, d]) =
                (row, [0, 1, 2, 3].map(|c| spaces(row, c)));
            writeln!(
                f,
                "  {name}{a}  {dtype}{b}  shape {c}{shape}  strides {d}{strides}  {access}"
            )?;
        }
        Ok(())
    }

    fn show(&self, names: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show_operands(names, f)?;
        for (k, scalar) in self.scalars.iter().enumerate() {
            let place = ["in a uniform", "immediate data"][usize::from(self.immediate)];
            writeln!(f, "  number {k}: {scalar}, {place}")?;
        }
        self.show_steps(names, f)?;
        if self.steps.iter().any(Step::is_wide) {
            let path = ["pairs of words", "the adapter's own"][usize::from(self.native)];
            let doubles = ["", ", f64 computed by integers"][usize::from(self.soft)];
            writeln!(f, "  64-bit elements as {path}{doubles}")?;
        }
        if self.output.per_word > 1 {
            let how = match on_whole_words(&self.steps, self.output.per_word) {
                true => "at a time",
                false => "loaded at a time",
            };
            writeln!(f, "  {} elements a word {how}", self.output.per_word)?;
        }
        if let Work::Fold(schedule) = &self.work {
            self.show_fold(schedule, f)?;
            return self.show_candidates(f);
        }
        let ([x, y, z], [w, h]) = (self.grid, self.work.workgroup());
        let schedule = self.work.schedule();
        writeln!(
            f,
            "  mapping {} over {:?}, {} an invocation{}, workgroup {w} x {h}{}, grid {x} x {y} x {z}",
            self.work,
            self.extents,
            count(
                self.work.quads(),
                schedule.map_or("quad", Schedule::unit_name)
            ),
            match schedule.and_then(|s| s.down).map(|down| down.along) {
                None | Some(Along::Axis(_)) => "",
                Some(Along::Sections) => ", strided along the outermost axis",
                Some(Along::Blocks) => ", blocked along the outermost axis",
            },
            match schedule.map(|s| s.threads) {
                Some(Threads::RowPerWorkgroup) => " of one row",
                Some(Threads::RowsFirst) => " of one row, rows first",
                Some(Threads::Numbered | Threads::Tiles) | None => "",
            },
        )?;
        self.show_candidates(f)
    }

    fn named(&self, arg: Arg, names: &[&str]) -> String {
        match arg {
            Arg::Input(i) => self.inputs[i].source.named(names),
            Arg::Scalar(k) => self.scalars[k].to_string(),
            Arg::Step(j) => format!("step {j}"),
            Arg::Fold(_) if self.work.multiplies() => "the product".into(),
            Arg::Fold(_) if self.work.fold().is_some_and(|s| s.scan.is_some()) => "the scan".into(),
            Arg::Fold(k) => format!("fold {k}"),
            Arg::Position => "the position".into(),
        }
    }
}

/// The extents an operand really has: 1 if it is broadcast.
fn shown(shape: &Shape, strides: &[isize]) -> Vec<usize> {
    let seen = |(&e, &s): (&usize, &isize)| if s == 0 && e > 1 { 1 } else { e };
    shape.extents().iter().zip(strides).map(seen).collect()
}

fn aligned<T: ToString>(items: &[T]) -> String {
    let items = items.iter().map(|x| format!("{:>4}", x.to_string()));
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::expr::Expr;
    use crate::plan::{Options, Slot};

    #[test]
    fn inputs_are_shown_by_their_names() {
        let slots = [
            Slot::new(DType::F32, [2, 3]).unwrap(),
            Slot::new(DType::F32, [3]).unwrap(),
        ];
        let plan = Plan::new(
            &Expr::slot(0).add(Expr::slot(1)),
            &slots,
            &Options::default(),
        )
        .unwrap();
        let text = plan.explain(&["x", "row"]).to_string();
        assert!(
            text.contains("  row       f32  shape [   1,   3]  strides [   0,   1]"),
            "{text}"
        );
        assert!(
            text.contains("add(x, row)") && !text.contains("input "),
            "{text}"
        );
        assert!(plan.explain(&["x"]).to_string().contains("add(x, input 1)"));
        assert_eq!(plan.explain(&[]).to_string(), plan.to_string());
    }

    #[test]
    fn any_number_of_axes_is_shown() {
        let slots = [Slot::new(DType::F32, vec![1; 30_000]).unwrap()];
        let plan = Plan::new(
            &Expr::slot(0).add(Expr::slot(0)),
            &slots,
            &Options::default(),
        )
        .unwrap();
        let text = plan.explain(&["x"]).to_string();
        assert!(
            text.lines()
                .any(|l| l.starts_with("  x ") && l.chars().count() > 2 * 30_000 * 5),
            "{}",
            text.len()
        );
        assert_eq!(plan.to_string().matches("shape [").count(), 2);
    }

    #[test]
    fn names_and_numbers_are_fit_to_be_read() {
        let slots = [Slot::new(DType::U8, []).unwrap()];
        let plan = Plan::new(&Expr::slot(0).cast(DType::I8), &slots, &Options::default()).unwrap();
        let text = plan.explain(&["\u{1b}[31m\u{202e}"]).to_string();
        assert!(
            text.contains("  \\u{1b}[31m\\u{202e}  ") && !text.contains(['\u{1b}', '\u{202e}']),
            "{text}"
        );
        assert!(!text.contains(" 1 bytes"), "{text}");
    }
}
