//! A language with custom operators.

use super::parser::Parser;
use super::program::{Parsed, Program};
use super::{hints, names, only, read};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Op;

/// The expression language with custom operators: each is a function of its name, which takes
/// operands by place or by name.
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
    /// The language of [`parse`](super::parse), without custom operators.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operator to the language.
    ///
    /// # Errors
    /// [`Error::Argument`] for a name that the language, or another of its operators, already has,
    /// and for operands with the names of keywords of every call.
    pub fn with(mut self, op: Op) -> Result<Self> {
        let refuse = |reason: &str| Err(Error::argument(op.name(), reason));
        let name = op.name();
        if self.own.iter().any(|other| other.name() == name) {
            return refuse("the language has an operator of this name already");
        }
        let is_taken = hints::spelled(name).is_some()
            || names::keyword(name).is_some()
            || names::constant(name).is_some()
            || name.parse::<DType>().is_ok()
            || matches!(name, "np" | "numpy" | "T" | "mT");
        if is_taken {
            return refuse("the language already uses this name");
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

    /// The custom operators.
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
