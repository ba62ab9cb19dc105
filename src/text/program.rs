//! Parsed texts.

use super::ast::{Ast, TextNode};
use crate::dtype::DType;
use crate::op::Op;
use crate::rule::Rule;
use crate::shape::Shape;

/// A parsed expression; its names are not bound yet.
#[derive(Clone, Debug)]
pub struct Parsed(pub(super) Program);

/// A parsed text of one result or several; its names are not bound yet.
#[derive(Clone, Debug)]
pub struct Program {
    /// Operands before their users.
    pub(super) nodes: Vec<TextNode>,
    /// The nodes of the results.
    pub(super) roots: Vec<usize>,
    pub(super) names: Vec<String>,
    /// Set if the text asks for shapes that are not known.
    pub(super) asking: Option<Asking>,
}

/// The inputs of a text, and the rule of steps that name none.
pub(super) struct Known {
    pub names: Vec<String>,
    pub types: Vec<(DType, Shape)>,
    pub rule: Rule,
}

/// A text that asks for shapes which are not known.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    pub source: String,
    pub own: Vec<Op>,
    /// Where it asks first.
    pub column: usize,
}

impl Parsed {
    /// The names of the inputs in order of first appearance, without constants.
    pub fn names(&self) -> &[String] {
        self.0.names()
    }

    /// Whether the name occurs as an operand: an input or a constant.
    pub fn uses(&self, name: &str) -> bool {
        self.0.uses(name)
    }

    /// The same, as a text that might have several results.
    pub(crate) fn program(&self) -> &Program {
        &self.0
    }
}

impl Program {
    /// The number of results.
    pub fn results(&self) -> usize {
        self.roots.len()
    }

    /// The names of the inputs in order of first appearance, without constants.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the name occurs as an operand: an input or a constant.
    pub fn uses(&self, name: &str) -> bool {
        self.used().any(|n| n == name)
    }

    pub(super) fn used(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|n| match &n.ast {
            Ast::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }
}
