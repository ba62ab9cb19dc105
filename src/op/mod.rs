//! The op table: one row an operator.
//!
//! The rows stand in `arith`, `compare` and `math`, each a list that is handed to a macro: `rows`
//! makes the table of it, and the modules of `Expr` and `Tensor` make their methods of it. To add
//! an operator is to add a row and, where WGSL lacks the function, a helper in `shaders/`.

mod arith;
mod cast;
mod compare;
mod facts;
mod floats;
mod functions;
mod integers;
mod math;
mod rows;
mod value;

pub(crate) use arith::{arith_ops, fold_ops};
pub(crate) use cast::{cast_cpu, cast_wgsl};
pub(crate) use compare::compare_ops;
pub use facts::Curve;
pub(crate) use facts::{Algebra, Facts, Numbers, Promote};
pub(crate) use math::math_ops;
pub use rows::Op;
pub use value::Value;
pub(crate) use value::wgsl_type;

use crate::dtype::{Class, DType, DTypes};
use crate::error::{Error, Result};

/// How many operands an operator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly this many.
    Exactly(usize),
    /// One or more, folded from the left.
    Variadic,
}

/// Which element types an operator takes and returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// All operands and the result have one type of the set.
    Same(DTypes),
    /// All operands have one type of the set, the result is bool.
    Test(DTypes),
    /// Operand 0 is bool, the others and the result have one type of the set.
    Select(DTypes),
    /// Any operand; the result's type is the step's parameter.
    Cast,
    /// As a cast, to a type of the same size.
    BitCast,
}

/// How a variadic operator is built from a binary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The binary operator that joins the next operand.
    pub step: Op,
    /// Applied to the folded value and the number of operands.
    pub finish: Option<Op>,
}

/// What a form's operands, and its result where it has their type, are held as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Values of the compute class.
    Values,
    /// The bits of floats, widened to f32: no arithmetic touches a NaN or a subnormal.
    FloatBits,
    /// `vec4<f64>`, which the adapter must have; so is the result.
    Native,
    /// Storage bits, zero-extended; a condition of a select is still a bool.
    Storage,
}

/// An operator on one class of values.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// What the operands are held as.
    pub read: Operands,
    /// A WGSL expression on `vec4`s in the names of the operands.
    pub wgsl: &'static str,
    /// The expression under `Accuracy::Fast`, where it differs.
    pub fast: Option<&'static str>,
    /// The expression on the storage bits of several narrow elements a word, `HIGH` being the top
    /// bit of each.
    pub packed: Option<&'static str>,
    /// The same on one element on the CPU.
    pub cpu: fn(&[Value]) -> Value,
}

/// One row of the op table.
#[derive(Debug)]
pub struct Row {
    /// Name of the method and in the text language.
    pub name: &'static str,
    /// What it computes, for the docs.
    pub doc: &'static str,
    /// Names of the operands.
    pub operands: &'static [&'static str],
    /// What the last operands are where they are left out.
    pub defaults: &'static [f64],
    /// How many operands it takes.
    pub arity: Arity,
    /// Element types.
    pub types: Types,
    /// What else is true of it.
    pub(crate) facts: Facts,
    /// For a variadic operator, the fold.
    pub fold: Option<Fold>,
    /// The operator by class of value.
    pub forms: &'static [(Class, Form)],
}

impl Row {
    /// The element types of the data operands: all but the condition of a select.
    pub fn accepts(&self) -> DTypes {
        match self.types {
            Types::Same(set) | Types::Test(set) | Types::Select(set) => set,
            Types::Cast | Types::BitCast => DTypes::ANY,
        }
    }

    /// Whether the result's element type is the step's parameter.
    pub fn takes_dtype(&self) -> bool {
        matches!(self.types, Types::Cast | Types::BitCast)
    }

    /// Whether operands of this type need an adapter with 64-bit floats in shaders.
    pub fn needs_f64(&self, dtype: DType) -> bool {
        self.form(dtype)
            .is_some_and(|form| form.read == Operands::Native)
    }

    /// Whether subnormal operands and results of f32 and bf16 stay what they are on every adapter:
    /// the operator compares, selects, moves or rounds to whole numbers, and computes nothing.
    pub fn keeps_subnormals(&self) -> bool {
        !self.facts.renormalize
            || self
                .forms
                .iter()
                .any(|(_, form)| form.read == Operands::FloatBits)
    }

    /// The form for operands of this type.
    pub fn form(&self, dtype: DType) -> Option<&Form> {
        self.forms
            .iter()
            .find(|(class, _)| *class == dtype.class())
            .map(|(_, form)| form)
    }

    /// Checks operand types and gives the result's type. `to` is the parameter of a cast.
    ///
    /// # Errors
    /// [`Error::Arity`], [`Error::DType`], [`Error::MixedDTypes`], [`Error::Argument`] for a bit
    /// cast to another size.
    pub fn result(&self, dtypes: &[DType], to: Option<DType>) -> Result<DType> {
        let fits = match self.arity {
            Arity::Exactly(n) => dtypes.len() == n,
            Arity::Variadic => !dtypes.is_empty(),
        };
        if !fits {
            let expected = match self.arity {
                Arity::Exactly(n) => n.to_string(),
                Arity::Variadic => "1 or more".into(),
            };
            return Err(Error::Arity {
                op: self.name.into(),
                expected,
                found: dtypes.len(),
            });
        }
        let (skip, set, result) = match self.types {
            Types::Same(set) => (0, set, None),
            Types::Test(set) => (0, set, Some(DType::Bool)),
            Types::Select(set) => (1, set, None),
            Types::Cast | Types::BitCast => (0, DTypes::ANY, to),
        };
        let refuse = |operand: usize, set: DTypes| Error::DType {
            op: self.name.into(),
            operand,
            dtype: dtypes[operand],
            accepts: set.to_string(),
        };
        if skip == 1 && dtypes[0] != DType::Bool {
            return Err(refuse(0, DTypes::BOOL));
        }
        let data = &dtypes[skip..];
        if let Some(i) = data.iter().position(|&d| !set.contains(d)) {
            return Err(refuse(skip + i, set));
        }
        if data.iter().any(|d| *d != data[0]) {
            return Err(Error::MixedDTypes {
                op: self.name.into(),
                dtypes: dtypes.to_vec(),
            });
        }
        let result = result.unwrap_or(data[0]);
        if self.types == Types::BitCast && result.size() != data[0].size() {
            let reason = format!(
                "{} has {} bytes, {result} has {}",
                data[0],
                data[0].size(),
                result.size()
            );
            return Err(Error::argument(self.name, reason));
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_form_for_every_type_it_takes() {
        for op in Op::all() {
            assert!(op.defaults.len() < op.operands.len(), "{}", op.name);
            for dtype in op.accepts().iter() {
                assert!(
                    op.fold.is_some() || op.takes_dtype() || op.form(dtype).is_some(),
                    "{} {dtype}",
                    op.name
                );
            }
            assert!(!op.doc.trim().is_empty(), "{}", op.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Op::all().map(|o| o.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn types_are_checked_with_the_operand_named() {
        let err = Op::ADD.result(&[DType::F32, DType::I32], None).unwrap_err();
        assert_eq!(
            err.to_string(),
            "add: operands have the types f32 and i32, which must be equal; cast them first"
        );
        let err = Op::WHERE
            .result(&[DType::F32, DType::I32, DType::I32], None)
            .unwrap_err();
        assert!(
            err.to_string().starts_with("where: operand 0 is f32"),
            "{err}"
        );
        assert!(matches!(
            Op::ADD.result(&[DType::F32], None),
            Err(Error::Arity { .. })
        ));
        let err = Op::BIT_CAST
            .result(&[DType::F64], Some(DType::F32))
            .unwrap_err();
        assert_eq!(err.to_string(), "bit_cast: f64 has 8 bytes, f32 has 4");
    }
}
