//! A language with operators of the user's own.

use super::parser::Parser;
use super::program::{Parsed, Program};
use super::{hints, names, only, read};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Op;

/// The text language with operators beside those of the table: each is a function by its name, with
/// its operands by place or by name.
///
/// ```
/// use zerostride::{CustomOp, Rule, text};
///
/// let mix = CustomOp::new("lerp", ["a", "b", "t"])
///     .form("mix(a, b, t)", |[a, b, t]: [f32; 3]| a * (1.0 - t) + b * t)
///     .build()?;
/// let language = text::Language::new().with(mix)?;
/// let parsed = language.parse("lerp(x, y, t=0.5).sum()")?;
/// let expr = parsed.bind(&["x", "y"], &Rule::Numpy)?;
/// // Without it there is no such function.
/// assert!(text::parse("lerp(x, y, t=0.5)").is_err());
/// # Ok::<(), zerostride::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Language {
    own: Vec<Op>,
}

impl Language {
    /// The language as [`parse`](super::parse) has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The language with one operator more.
    ///
    /// # Errors
    /// [`Error::Argument`] for a name that means something in the language already, or that another
    /// operator of it has, and for operands named as the keywords of every call are.
    pub fn with(mut self, op: Op) -> Result<Self> {
        let refuse = |reason: &str| Err(Error::argument(op.name(), reason));
        let name = op.name();
        if self.own.iter().any(|other| other.name() == name) {
            return refuse("the language has an operator of this name already");
        }
        let is_taken = hints::callable().any(|f| f == name)
            || names::keyword(name).is_some()
            || names::constant(name).is_some()
            || name.parse::<DType>().is_ok()
            || matches!(name, "np" | "numpy" | "T" | "mT");
        if is_taken {
            return refuse("the name means something in the language already");
        }
        let is_word = |operand: &&str| names::keyword(operand).is_some();
        if let Some(operand) = op
            .operands()
            .iter()
            .find(|operand| matches!(**operand, "axis" | "rule") || is_word(operand))
        {
            return refuse(&format!(
                "{operand} cannot be the name of an operand in a text"
            ));
        }
        self.own.push(op);
        Ok(self)
    }

    /// The operators beside those of the table.
    pub fn operators(&self) -> &[Op] {
        &self.own
    }

    /// Parses the text of an expression; see [`parse`](super::parse).
    ///
    /// # Errors
    /// Those of [`parse`](super::parse).
    pub fn parse(&self, source: &str) -> Result<Parsed> {
        only(read(source, &self.own, None)?)
    }

    /// Parses a text of one result or several; see [`parse_all`](super::parse_all).
    ///
    /// # Errors
    /// Those of [`parse_all`](super::parse_all).
    pub fn parse_all(&self, source: &str) -> Result<Program> {
        read(source, &self.own, None).map(|(program, _)| program)
    }
}

impl Parser {
    /// The operator of a function name.
    pub fn function(&self, name: &str) -> Option<Op> {
        let own = self.own.iter().copied().find(|op| op.name() == name);
        own.or_else(|| names::function(name))
    }

    /// The hint behind an unknown function.
    pub fn function_hint(&self, name: &str) -> String {
        hints::function_hint(name, &self.own)
    }
}
