//! The parsed text: nodes in one list, operands before their users.

use crate::dtype::DType;
use crate::expr::{Axes, Literal, Reduction};
use crate::op::Op;
use crate::rule::Rule;
use crate::view::View;

/// What a node is; operands are positions in the list.
#[derive(Clone, Debug)]
pub(super) enum Ast {
    /// An input, or a constant no input shadows.
    Name(String),
    /// A number.
    Number(Literal),
    /// An operator, with the rule the call names.
    Step {
        op: Op,
        args: Vec<usize>,
        rule: Option<Rule>,
    },
    /// Another element type.
    Cast(usize, DType),
    /// The bits as another element type.
    BitCast(usize, DType),
    /// A view.
    View(usize, View),
    /// The same elements in row-major order under other extents, of which one may be -1.
    Reshape(usize, Vec<isize>),
    /// A reduction along axes.
    Reduce {
        of: usize,
        reduction: Reduction,
        axes: Axes,
    },
    /// A rule of one operand.
    Broadcast(usize, Rule),
}

/// A node and the column it is reported at, counted in characters from 1.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub ast: Ast,
    pub column: usize,
}
