//! The names of operators, and what their standards accept.

use std::fmt;

use super::call::{Call, Standard};
use zerostride::message::shorten;
use zerostride::{DType, DTypes};
use zerostride::{Error, Expr, HostTensor, Op, Result};

/// The operands to which an operator's element types apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// All of them, which have one type.
    All,
    /// All but operand 0, which is a bool.
    Select,
    /// Operand 0.
    First,
    /// This number of the first ones, which have one type.
    Firsts(usize),
}

/// The element type of an operand to which the operator's element types do not apply.
#[derive(Clone, Copy, Debug)]
pub(super) enum Other {
    /// That of operand 0.
    Same,
    /// One of these.
    Of(DTypes),
}

/// How an operator becomes an expression.
#[derive(Clone, Copy)]
enum Build {
    /// One step under the call's rule.
    Row(Op),
    /// One result of any kind.
    With(fn(&Call<'_>) -> Result<Expr<usize>>),
    /// Several results; those at the end may be left out by a caller.
    Many(fn(&Call<'_>) -> Result<Vec<Expr<usize>>>),
    /// Elements that follow from shapes, attributes and known elements alone.
    Host(fn(&Call<'_>) -> Result<HostTensor>),
}

/// The results of a call.
pub(crate) enum Made {
    /// Expressions over the operands.
    Exprs(Vec<Expr<usize>>),
    /// Elements that are known.
    Known(HostTensor),
}

/// An operator of a standard, and what it accepts.
pub struct Name {
    standard: Standard,
    name: &'static str,
    /// The element types by operation set, the newest first; each entry is valid from its set on.
    pub(super) versions: &'static [(u32, DTypes)],
    /// The fewest and the most operands.
    arity: (usize, usize),
    attrs: &'static [(&'static str, &'static str)],
    typed: Typed,
    others: &'static [(usize, Other)],
    /// The operands whose elements must be known: shapes, axes, places.
    shapes: &'static [usize],
    build: Build,
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.standard, self.name)
    }
}

impl Name {
    /// The standard that defines the operator.
    pub fn standard(&self) -> Standard {
        self.standard
    }

    /// The name of the operator, as the standard spells it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The attributes, each with its meaning or its default.
    pub fn attributes(&self) -> &'static [(&'static str, &'static str)] {
        self.attrs
    }

    /// The oldest operation set that is supported.
    pub fn since(&self) -> Option<u32> {
        self.versions.last().map(|(since, _)| *since)
    }

    /// An operator whose operands have one type and whose result is one step.
    pub(super) const fn step(
        standard: Standard,
        name: &'static str,
        op: Op,
        arity: (usize, usize),
        versions: &'static [(u32, DTypes)],
    ) -> Self {
        Self {
            standard,
            name,
            versions,
            arity,
            attrs: &[],
            typed: Typed::All,
            others: &[],
            shapes: &[],
            build: Build::Row(op),
        }
    }

    pub(super) const fn attrs(mut self, attrs: &'static [(&'static str, &'static str)]) -> Self {
        self.attrs = attrs;
        self
    }

    pub(super) const fn typed(mut self, typed: Typed) -> Self {
        self.typed = typed;
        self
    }

    pub(super) const fn others(mut self, others: &'static [(usize, Other)]) -> Self {
        self.others = others;
        self
    }

    pub(super) const fn with(mut self, build: fn(&Call<'_>) -> Result<Expr<usize>>) -> Self {
        self.build = Build::With(build);
        self
    }

    pub(super) const fn many(mut self, build: fn(&Call<'_>) -> Result<Vec<Expr<usize>>>) -> Self {
        self.build = Build::Many(build);
        self
    }

    pub(super) const fn host(mut self, build: fn(&Call<'_>) -> Result<HostTensor>) -> Self {
        self.build = Build::Host(build);
        self
    }

    pub(super) const fn shapes(mut self, operands: &'static [usize]) -> Self {
        self.shapes = operands;
        self
    }

    /// The operands whose elements must be known, since the result's shape or the places of its
    /// elements depend on them.
    pub fn shape_operands(&self) -> &'static [usize] {
        self.shapes
    }

    /// The element types that the operator accepts in an operation set, by default the newest.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a set older than [`since`](Self::since).
    pub fn dtypes(&self, opset: Option<u32>) -> Result<DTypes> {
        let fits = |(since, _): &&(u32, DTypes)| opset.is_none_or(|o| o >= *since);
        self.versions
            .iter()
            .find(fits)
            .map(|(_, set)| *set)
            .ok_or_else(|| {
                let (since, name) = (self.versions[self.versions.len() - 1].0, self.name);
                let opset = opset.unwrap_or_default();
                Error::unsupported(format!(
                    "{} {name} of opset {opset}; opset {since} and newer are supported",
                    self.standard
                ))
            })
    }

    /// Checks a call, and returns its results.
    pub(super) fn made(&self, call: &Call<'_>) -> Result<Made> {
        self.check(call)?;
        Ok(match self.build {
            Build::Row(op) => Made::Exprs(vec![call.step(op)?]),
            Build::With(build) => Made::Exprs(vec![build(call)?]),
            Build::Many(build) => Made::Exprs(build(call)?),
            Build::Host(build) => Made::Known(build(call)?),
        })
    }

    /// Checks the number and types of the operands and the names of the attributes.
    fn check(&self, call: &Call<'_>) -> Result<()> {
        let set = self.dtypes(call.opset)?;
        let (fewest, most) = self.arity;
        let found = call.operands.len();
        if found < fewest || found > most {
            let expected = match (fewest, most) {
                (n, usize::MAX) => format!("{n} or more"),
                (n, m) if n == m => n.to_string(),
                (n, m) => format!("{n} to {m}"),
            };
            return Err(Error::Arity {
                op: self.name.into(),
                expected,
                found,
            });
        }
        if let Some(unknown) = call
            .attrs
            .keys()
            .find(|k| !self.attrs.iter().any(|(name, _)| name == k))
        {
            let known: Vec<_> = self.attrs.iter().map(|(name, _)| *name).collect();
            let known = if known.is_empty() {
                "no attributes".into()
            } else {
                known.join(", ")
            };
            return Err(Error::argument(
                self.name,
                format!(
                    "unknown attribute `{}`; it has {known}",
                    shorten(unknown, 100)
                ),
            ));
        }
        let (bools, typed) = match self.typed {
            Typed::All => (0, 0..found),
            Typed::Select => (1, 1..found),
            Typed::First => (0, 0..found.min(1)),
            Typed::Firsts(count) => (0, 0..found.min(count)),
        };
        for (i, operand) in call.operands.iter().enumerate() {
            let Some(operand) = operand else { continue };
            let accepts = if i < bools { DTypes::BOOL } else { set };
            if (i < bools || typed.contains(&i)) && !accepts.contains(operand.dtype) {
                let (op, dtype, accepts) = (self.name.into(), operand.dtype, accepts.to_string());
                return Err(Error::DType {
                    op,
                    operand: i,
                    dtype,
                    accepts,
                });
            }
        }
        for &(operand, other) in self.others {
            let Some(x) = call.optional(operand) else {
                continue;
            };
            let first = call.operand(0)?.dtype;
            let (op, dtype) = (self.name.into(), x.dtype);
            match other {
                Other::Same if dtype != first => {
                    let dtypes = vec![first, dtype];
                    return Err(Error::MixedDTypes { op, dtypes });
                }
                Other::Of(set) if !set.contains(dtype) => {
                    let accepts = set.to_string();
                    return Err(Error::DType {
                        op,
                        operand,
                        dtype,
                        accepts,
                    });
                }
                _ => {}
            }
        }
        let dtypes: Vec<DType> = call.operands[typed]
            .iter()
            .flatten()
            .map(|o| o.dtype)
            .collect();
        match dtypes.iter().all(|d| *d == dtypes[0]) {
            true => Ok(()),
            false => Err(Error::MixedDTypes {
                op: self.name.into(),
                dtypes,
            }),
        }
    }
}
