//! Values brought to a shape that only the graph knows: another node's shape, or the shape that a
//! rule or a view makes of it. These are the adjoints of broadcasts, views and folds.

use super::{Axes, Expr, Join, Kind};
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::View;

/// How operand 0 of a node is brought to a shape. Of the other operands only the shapes count, but
/// of a product's factors the elements too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Like {
    /// Operand 0 in the place of one of the others that a rule aligns, broadcast to the result.
    Broadcast(AlignedOperand),
    /// The adjoint: operand 0, of the result's shape, summed along the axes that were broadcast for
    /// one of the others.
    Sum(AlignedOperand),
    /// Operand 0 summed to this shape, along the axes that a broadcast from it would repeat.
    SumTo {
        /// The shape.
        shape: Shape,
        /// The rule.
        rule: Rule,
    },
    /// Operand 0, a view of operand 1, put at its place in operand 1; 0 elsewhere.
    Unview(View),
    /// Operand 0 under the extents of operand 1.
    Reshape,
    /// The elements of operand 0, windows of operand 1, added at their places in operand 1.
    Unwindow(Vec<(isize, usize)>),
    /// Operand 0, of operand 1's shape reduced along these axes, repeated along them.
    Spread(Axes),
    /// The part of operand 0, of the shape of the others joined, at the place of one of these.
    Unjoin(Join, usize),
    /// The adjoint of a matrix product of the others: the gradient of one of them, given operand 0.
    Factor(usize),
}

/// One of the operands that a rule aligns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AlignedOperand {
    /// The rule.
    pub rule: Rule,
    /// The target operand under rules that broadcast one way.
    pub target: usize,
    /// Which of the operands.
    pub position: usize,
}

/// Whether a rule broadcasts one operand, to a shape of its own.
pub(super) fn is_of_one_operand(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::Bidirectional { .. } | Rule::To { .. } | Rule::Explicit { .. }
    )
}

impl Like {
    /// Whether elements may be added.
    pub fn adds(&self) -> bool {
        matches!(self, Self::Sum(_) | Self::SumTo { .. })
    }
}

impl<L> Expr<L> {
    /// Sums this expression to a shape, along the axes that a broadcast from the shape to this
    /// expression's would repeat: the adjoint of that broadcast. The element type stays; f16 and
    /// bf16 are added in f32 and rounded once, integers wrap.
    ///
    /// The rule is [`Rule::Numpy`]; [`with_rule`](Self::with_rule) sets another. If a rule has a
    /// target operand, this expression is the target.
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, Rule, reference};
    ///
    /// let x = [HostTensor::new(DType::U8, [2, 3], vec![1, 2, 3, 4, 5, 6])?];
    /// let rows = Expr::slot(0).sum_to([3]);
    /// assert_eq!(reference::run(&rows, &x)?.bytes, [5, 7, 9]);
    /// let columns = Expr::slot(0).sum_to([2]).with_rule(Rule::Pdpd { axis: 0 });
    /// assert_eq!(reference::run(&columns, &x)?.bytes, [6, 15]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: those of the rule; [`Error::Argument`] for a shape
    /// that does not broadcast to this expression's, or a bool.
    ///
    /// [`Error::Argument`]: crate::Error::Argument
    pub fn sum_to(&self, shape: impl Into<Shape>) -> Self {
        let like = Like::SumTo {
            shape: shape.into(),
            rule: Rule::Numpy,
        };
        Self::node(Kind::Like(like), vec![self.clone()])
    }

    /// The same values, through which no gradient flows: [`gradient`](Self::gradient) treats them
    /// as constants.
    pub fn detach(&self) -> Self {
        Self::node(Kind::Detached, vec![self.clone()])
    }

    /// This expression brought to a shape by others.
    pub(super) fn like<'a>(&self, like: Like, others: impl IntoIterator<Item = &'a Self>) -> Self
    where
        L: 'a,
    {
        let mut args = vec![self.clone()];
        args.extend(others.into_iter().cloned());
        Self::node(Kind::Like(like), args)
    }

    /// This expression broadcast one way to the shape of another.
    pub(super) fn onto(&self, other: &Self) -> Self {
        self.onto_by(Rule::Unidirectional, other)
    }

    /// This expression broadcast by a rule to the shape that it makes of another and this one's.
    pub(super) fn onto_by(&self, rule: Rule, other: &Self) -> Self {
        let place = AlignedOperand {
            rule,
            target: 0,
            position: 1,
        };
        self.like(Like::Broadcast(place), [other, self])
    }
}
