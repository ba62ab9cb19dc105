//! The parsed text: nodes in one list, operands before their users.

use crate::dtype::DType;
use crate::expr::{Along, Axes, Composed, Expr, Join, Literal, Reduction, Results, Scan};
use crate::op::Op;
use crate::rule::Rule;
use crate::shape::Shape;
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
        results: Results,
    },
    /// A scan along an axis.
    Scan { of: usize, scan: Scan, along: Along },
    /// A rule of one operand.
    Broadcast(usize, Rule),
    /// What promotion makes of its operands when their types are known.
    Composed(Composed, Vec<usize>),
    /// An operand in every place of a shape, of a type if one is named.
    Filled(usize, Shape, Option<DType>),
    /// How the number of each column of an operand compares with that of the row and a number.
    Beside(usize, isize, Op),
    /// An array made of numbers alone.
    Made(Expr<usize>),
    /// Elements of an operand at the indices that another is, along an axis.
    Taken([usize; 2], isize),
    /// Arrays joined to one.
    Joined(Join, Vec<usize>),
    /// Several values, of which no operator takes more than one.
    Tuple(Vec<usize>),
    /// Values that are an array where one is needed.
    List(Vec<usize>),
}

impl Ast {
    /// The nodes that it is made of.
    pub fn operands(&self) -> Vec<usize> {
        match self {
            Self::Name(_) | Self::Number(_) | Self::Made(_) => Vec::new(),
            Self::Step { args, .. }
            | Self::Composed(_, args)
            | Self::Joined(_, args)
            | Self::Tuple(args)
            | Self::List(args) => args.clone(),
            Self::Taken(args, _) => args.to_vec(),
            Self::Cast(x, _)
            | Self::BitCast(x, _)
            | Self::View(x, _)
            | Self::Reshape(x, _)
            | Self::Reduce { of: x, .. }
            | Self::Scan { of: x, .. }
            | Self::Broadcast(x, _)
            | Self::Filled(x, ..)
            | Self::Beside(x, ..) => vec![*x],
        }
    }

    /// The same, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Name(_) | Self::Number(_) | Self::Made(_) => Vec::new(),
            Self::Step { args, .. }
            | Self::Composed(_, args)
            | Self::Joined(_, args)
            | Self::Tuple(args)
            | Self::List(args) => args.iter_mut().collect(),
            Self::Taken(args, _) => args.iter_mut().collect(),
            Self::Cast(x, _)
            | Self::BitCast(x, _)
            | Self::View(x, _)
            | Self::Reshape(x, _)
            | Self::Reduce { of: x, .. }
            | Self::Scan { of: x, .. }
            | Self::Broadcast(x, _)
            | Self::Filled(x, ..)
            | Self::Beside(x, ..) => vec![x],
        }
    }
}

/// A node and the column it is reported at, counted in characters from 1.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub ast: Ast,
    pub column: usize,
    /// The function whose call stands at the column, if one does.
    pub called: Option<&'static str>,
}
