//! The columns of the op table.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::facts::Facts;
use super::{Op, Value};
use crate::dtype::{Class, DTypes};

/// How many operands an operator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arity {
    /// Exactly this many.
    Exactly(usize),
    /// One or more, folded from the left.
    Variadic,
}

/// Which element types an operator takes and returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
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
pub(crate) struct Fold {
    /// The binary operator that joins the next operand.
    pub step: Op,
    /// Applied to the folded value and the number of operands.
    pub finish: Option<Op>,
}

/// The representation of a form's operands, and of its result if it has their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Values of the compute class.
    Values,
    /// The bits of floats, widened to f32: no arithmetic touches a NaN or a subnormal.
    FloatBits,
    /// `vec4<f64>`, which the adapter must support; the result is too.
    Native,
    /// Storage bits, zero-extended; a condition of a select is still a bool.
    Storage,
}

/// A form for one element on the CPU: a function of the table, or a custom operator's closure.
pub(crate) type OnCpu = dyn Fn(&[Value]) -> Value + Send + Sync + UnwindSafe + RefUnwindSafe;

/// An operator on one class of values.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// The representation of the operands.
    pub read: Operands,
    /// A WGSL expression on `vec4`s in the names of the operands.
    pub wgsl: &'static str,
    /// The expression under `Accuracy::Fast`, if it differs.
    pub fast: Option<&'static str>,
    /// The expression on words of several narrow elements' storage bits; `HIGH` is the top bit of
    /// each element.
    pub packed: Option<&'static str>,
    /// The functions that the expression needs beside those of `shaders/`: a custom operator's,
    /// whose names occur in no other kernel source.
    pub functions: &'static str,
    /// The form for one element on the CPU.
    pub cpu: &'static OnCpu,
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.wgsl)
    }
}

/// One row of the op table, or a custom operator.
#[derive(Debug)]
pub(crate) struct Row {
    /// Name of the method and in the expression language.
    pub name: &'static str,
    /// What it computes, for the docs.
    pub doc: &'static str,
    /// Names of the operands.
    pub operands: &'static [&'static str],
    /// The defaults of the last operands.
    pub defaults: &'static [f64],
    /// How many operands it takes.
    pub arity: Arity,
    /// Element types.
    pub types: Types,
    /// Its further properties.
    pub facts: Facts,
    /// For a variadic operator, the fold.
    pub fold: Option<Fold>,
    /// The forms by class of value.
    pub forms: &'static [(Class, Form)],
}
