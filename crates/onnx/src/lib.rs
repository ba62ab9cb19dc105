//! The operators of ONNX and OpenVINO by name, with their attributes, as expressions over the op
//! table's rows.
//!
//! A row here says what its standard accepts; [`build`] checks a call against it and gives the
//! expression. Nothing promotes: operand types must be what the standard asks for. Operators and
//! types that do not exist yet are [`Error::Unsupported`].

mod call;
mod onnx;
mod openvino;
mod quantize;
mod reduce;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

pub use call::{Call, Operand};

use zerostride::Expr;
use zerostride::Op;
use zerostride::{DType, DTypes};
use zerostride::{Error, Result};

/// Whose operator a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standard {
    /// ONNX, domain `ai.onnx`.
    Onnx,
    /// OpenVINO's operation sets.
    OpenVino,
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Onnx => "ONNX",
            Self::OpenVino => "OpenVINO",
        })
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Attr {
    /// A whole number; a flag is 0 or 1.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Str(String),
    /// Whole numbers.
    Ints(Vec<i64>),
}

/// Attributes by name.
pub type Attrs = BTreeMap<String, Attr>;

/// Which operands a row's element types are meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Typed {
    /// All of them, which are of one type.
    All,
    /// All but operand 0, which is a bool.
    Select,
    /// Operand 0.
    First,
}

/// How a row becomes an expression.
#[derive(Clone, Copy)]
enum Build {
    /// One step under the call's rule.
    Row(Op),
    /// Anything else.
    With(fn(&Call<'_>) -> Result<Expr<usize>>),
}

/// One row: an operator of a standard.
pub struct Name {
    standard: Standard,
    name: &'static str,
    /// The element types by operation set, the newest first; each entry holds from its set on.
    versions: &'static [(u32, DTypes)],
    /// The fewest and the most operands.
    arity: (usize, usize),
    attrs: &'static [(&'static str, &'static str)],
    typed: Typed,
    build: Build,
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.standard, self.name)
    }
}

impl Name {
    /// Whose operator it is.
    pub fn standard(&self) -> Standard {
        self.standard
    }

    /// The operator's type, as the standard spells it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The attributes, each with what it means.
    pub fn attributes(&self) -> &'static [(&'static str, &'static str)] {
        self.attrs
    }

    /// The oldest operation set that is known.
    pub fn since(&self) -> Option<u32> {
        self.versions.last().map(|(since, _)| *since)
    }

    /// A row whose operands are of one type and whose result is one step.
    const fn step(
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
            build: Build::Row(op),
        }
    }

    const fn attrs(mut self, attrs: &'static [(&'static str, &'static str)]) -> Self {
        self.attrs = attrs;
        self
    }

    const fn typed(mut self, typed: Typed) -> Self {
        self.typed = typed;
        self
    }

    const fn with(mut self, build: fn(&Call<'_>) -> Result<Expr<usize>>) -> Self {
        self.build = Build::With(build);
        self
    }

    /// The element types in an operation set; the newest if none is named.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a set older than the row knows.
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
                    "{} {name} of opset {opset}; opset {since} and newer are known",
                    self.standard
                ))
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
                format!("there is no attribute `{unknown}`; it has {known}"),
            ));
        }
        let (bools, typed) = match self.typed {
            Typed::All => (0, 0..found),
            Typed::Select => (1, 1..found),
            Typed::First => (0, 0..1),
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

/// All rows.
pub fn all() -> impl Iterator<Item = &'static Name> {
    onnx::TABLE.iter().chain(openvino::TABLE)
}

/// The row of a name.
pub fn named(standard: Standard, name: &str) -> Option<&'static Name> {
    all().find(|row| row.standard == standard && row.name == name)
}

/// The expression of an operator's call.
///
/// ```
/// use zerostride_onnx::{self as onnx, Attr, Attrs, Call, Operand, Standard};
/// use zerostride::{DType, Expr};
///
/// let operand = |slot, shape: [usize; 2]| Some(Operand::new(Expr::slot(slot), DType::F32, shape));
/// let operands = [operand(0, [2, 3]), operand(1, [4, 3])];
/// let attrs = Attrs::from([("transB".into(), Attr::Int(1))]);
/// let product = onnx::build(&Call::new(Standard::Onnx, "Gemm", &operands).attrs(&attrs))?;
/// # let _ = product;
/// # Ok::<(), zerostride::Error>(())
/// ```
///
/// # Errors
/// [`Error::Unsupported`] for a name, operation set or operand that is not known, [`Error::Arity`],
/// [`Error::DType`], [`Error::MixedDTypes`], [`Error::Axis`], [`Error::Argument`] for an attribute
/// or constant the standard does not allow. Shapes are aligned, and 64-bit types refused, when the
/// expression is planned or run.
pub fn build(call: &Call<'_>) -> Result<Expr<usize>> {
    let Some(row) = named(call.standard, call.name) else {
        let what = format!(
            "{} operator {}; it is not in the table of names",
            call.standard, call.name
        );
        return Err(Error::unsupported(what));
    };
    // Operands omitted at the end are as good as absent.
    let count = call
        .operands
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    let call = Call {
        operands: &call.operands[..count],
        ..*call
    };
    row.check(&call)?;
    match row.build {
        Build::Row(op) => call.step(op),
        Build::With(build) => build(&call),
    }
}
