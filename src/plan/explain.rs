//! A plan as text: shapes aligned as in the NumPy manual, strides with their zeros, access, mapping and grid.

use std::fmt;

use super::{Access, Arg, MappingKind, Pass, Plan, Room, Source, Store, Target};
use crate::shape::Shape;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "es" });
        write!(f, "plan: {}", count(self.passes(), "pass"))?;
        if !self.temporaries.is_empty() {
            let bytes: usize = self.temporaries.iter().map(|t| t.len * t.dtype.size()).sum();
            write!(f, ", {} bytes of intermediate results", bytes)?;
        }
        writeln!(f, ", {} bytes moved", self.bytes_moved())?;
        for (n, pass) in self.passes.iter().enumerate() {
            writeln!(f, "pass {n}:")?;
            write!(f, "{pass}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slot(i) => write!(f, "input {i}"),
            Self::Temporary(t) => write!(f, "between {t}"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(k) => write!(f, "output {k}"),
            Self::Temporary(t) => write!(f, "between {t}"),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Linear => "linear",
            Self::Vector => "vector",
            Self::Splat => "splat",
            Self::Gather => "gather",
        })
    }
}

impl fmt::Display for MappingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Flat => "flat",
            Self::Rows => "rows",
            Self::General => "general",
        })
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A table with one line an operand: extents aligned from the right, broadcast axes shown by their stride 0.
        let mut rows: Vec<[String; 5]> = Vec::new();
        for input in &self.inputs {
            rows.push([
                input.source.to_string(),
                input.dtype.to_string(),
                aligned(&shown(input.layout.shape(), input.layout.strides())),
                aligned(input.layout.strides()),
                format!("{}, {} bytes from {}", input.access, input.range.size, input.range.start),
            ]);
        }
        let store = match self.output.store {
            Store::Wide => "whole quads".to_string(),
            Store::Words { shift: 0 } => "word by word".into(),
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
        for [name, dtype, shape, strides, access] in &rows {
            let [a, b, c, d] = widths;
            writeln!(f, "  {name:a$}  {dtype:b$}  shape {shape:>c$}  strides {strides:>d$}  {access}")?;
        }
        for (k, scalar) in self.scalars.iter().enumerate() {
            writeln!(f, "  number {k}: {scalar}")?;
        }
        for (j, step) in self.steps.iter().enumerate() {
            let args: Vec<_> = step.args.iter().map(|a| self.named(*a)).collect();
            writeln!(f, "  step {j}: {} = {}({})", step.dtype, step.op, args.join(", "))?;
        }
        let [x, y, z] = self.grid;
        let [w, h] = self.mapping.workgroup;
        writeln!(
            f,
            "  mapping {} over {:?}, {} quads an invocation, workgroup {w} x {h}, grid {x} x {y} x {z}",
            self.mapping.kind, self.extents, self.mapping.quads
        )
    }
}

impl Pass {
    fn named(&self, arg: Arg) -> String {
        match arg {
            Arg::Input(i) => self.inputs[i].source.to_string(),
            Arg::Scalar(k) => self.scalars[k].to_string(),
            Arg::Step(j) => format!("step {j}"),
        }
    }
}

/// The extents an operand really has: 1 where it is broadcast.
fn shown(shape: &Shape, strides: &[isize]) -> Vec<usize> {
    shape.extents().iter().zip(strides).map(|(&e, &s)| if s == 0 && e > 1 { 1 } else { e }).collect()
}

fn aligned<T: ToString>(items: &[T]) -> String {
    let items: Vec<_> = items.iter().map(|x| format!("{:>4}", x.to_string())).collect();
    format!("[{}]", items.join(","))
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quads => f.write_str("whole quads"),
            Self::Bytes(n) => write!(f, "{n} bytes"),
        }
    }
}
