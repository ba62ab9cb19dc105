//! The parsed text: nodes in one list, operands before their users.

use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Along, Axes, Composed, Expr, Gathered, Join, Literal, Reduction, Results, Scan};
use crate::op::Op;
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::View;

/// The kind of a node; operands are positions in the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// A cast to an element type.
    Cast(usize, DType),
    /// The bits reinterpreted as an element type.
    BitCast(usize, DType),
    /// A view.
    View(usize, View),
    /// The same elements in row-major order under other extents, of which one may be -1.
    Reshape(usize, Vec<isize>),
    /// Windows of these lengths along these axes, as axes after the operand's.
    Windows(usize, Vec<(isize, usize)>),
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
    /// A function that promotion expands to steps when the operands' types are known.
    Composed(Composed, Vec<usize>),
    /// An operand broadcast to a shape, of a type if one is named.
    Filled(usize, Shape, Option<DType>),
    /// Compares each column's index of an operand with its row's index plus a number.
    Beside(usize, isize, Op),
    /// An array made of numbers alone.
    Made(Made),
    /// Arrays joined to one, elements that are looked up.
    Gathered(Gathered, Vec<usize>),
    /// Several values, of which no operator takes more than one.
    Tuple(Vec<usize>),
    /// A list, which becomes an array where one is needed.
    List(Vec<usize>),
}

/// An array made of numbers alone, of an element type if one is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Made {
    /// Rows and columns, 1 on a diagonal.
    Eye([usize; 2], isize, Option<DType>),
    /// The numbers from one to below another by a step.
    Arange([Literal; 3], Option<DType>),
    /// This many numbers from one to another, including the last if the flag is set.
    Linspace([Literal; 2], usize, bool, Option<DType>),
}

impl Made {
    /// # Errors
    /// Those of [`Expr::arange_of`].
    pub fn expr(&self) -> Result<Expr<usize>> {
        match *self {
            Self::Eye(extents, k, dtype) => Ok(Expr::eye_of(extents, k, dtype)),
            Self::Arange([start, stop, step], dtype) => Expr::arange_of(start, stop, step, dtype),
            Self::Linspace([start, stop], count, ends, dtype) => {
                Ok(Expr::evenly(start, stop, count, ends, dtype))
            }
        }
    }
}

impl Ast {
    pub fn joined(join: Join, args: Vec<usize>) -> Self {
        Self::Gathered(Gathered::Joined(join), args)
    }

    /// The nodes that it is made of.
    pub fn operands(&self) -> Vec<usize> {
        self.clone()
            .operands_mut()
            .into_iter()
            .map(|x| *x)
            .collect()
    }

    /// The same, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Name(_) | Self::Number(_) | Self::Made(_) => Vec::new(),
            Self::Step { args, .. }
            | Self::Composed(_, args)
            | Self::Gathered(_, args)
            | Self::Tuple(args)
            | Self::List(args) => args.iter_mut().collect(),
            Self::Cast(x, _)
            | Self::BitCast(x, _)
            | Self::View(x, _)
            | Self::Reshape(x, _)
            | Self::Windows(x, _)
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
pub(super) struct TextNode {
    pub ast: Ast,
    pub column: usize,
    /// The function whose call stands at the column, if one does.
    pub called: Option<&'static str>,
}
