//! `Expr`: an elementwise expression as a shared graph, generic over its leaf.
//!
//! With numbered slots as leaves (`Expr<usize>`) it is the input of a [`Plan`](crate::plan::Plan);
//! with tensors as leaves it is a lazy array. Building never fails: types, shapes and rules are
//! checked when the expression is planned or run.

mod adjoint;
mod call;
mod common;
mod compare;
mod composed;
mod create;
mod expand;
mod extremes;
mod fold;
mod fold_nodes;
mod gathered;
mod graph;
mod join;
mod key;
mod kind;
mod leaves;
mod like;
mod like_nodes;
#[cfg(feature = "files")]
mod merge;
mod methods;
mod narrowed;
mod origin;
#[cfg(feature = "files")]
mod pieces;
mod product;
mod product_nodes;
mod promote;
mod reduce;
mod restrict;
mod rounded;
mod scalar;
mod scan;
mod search;
mod show;
mod sort;
mod step;
mod take;
mod tens;
mod types;
mod windows;

#[cfg(feature = "complete")]
pub(crate) use adjoint::Kin;
pub(crate) use adjoint::Wanted;
pub(crate) use call::Call;
pub use common::Promotion;
pub(crate) use composed::Composed;
pub(crate) use fold::fold;
pub(crate) use fold_nodes::without;
pub(crate) use gathered::Gathered;
pub(crate) use graph::{Graph, GraphNode, SeenNode};
pub(crate) use join::Join;
pub(crate) use key::ExprKey;
pub(crate) use kind::{Computed, GraphKind, Relaid, Seen};
pub(crate) use like::Like;
pub(crate) use methods::operators;
pub(crate) use origin::Origin;
#[cfg(test)]
pub(crate) use product::FACTORS;
pub use product::Gemm;
pub(crate) use product_nodes::TILE;
pub use reduce::{Axes, Reduction};
pub(crate) use reduce::{Fold, Results, reductions};
pub use rounded::Rounded;
pub(crate) use scalar::{Given, Number};
pub use scalar::{Literal, Scalar};
pub use scan::{Along, Scan};

use std::collections::HashMap;
use std::sync::Arc;

use crate::dtype::DType;
use crate::op::{Folding, Op};
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::{Indices, View};

/// An elementwise expression. Clones share their nodes.
#[must_use = "an expression computes nothing by itself: eval it, read it or plan it"]
pub struct Expr<L>(Arc<Node<L>>);

/// One node: its kind and its operands.
pub(crate) struct Node<L> {
    pub kind: Kind,
    /// The input, if the node is a leaf.
    pub leaf: Option<L>,
    pub args: Vec<Expr<L>>,
    pub origin: Origin,
}

/// The kind of a node.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// An input, which the node holds.
    Leaf,
    /// A number whose type follows its surroundings, as a Python number's does.
    Literal(Literal),
    /// A number whose value is known when a plan runs.
    Given(Given),
    /// A number of an element type.
    Scalar(Scalar),
    /// An operator on the operands. If it `promotes`, promotion brings them to a common type, see
    /// [`Expr::promoted`]; a cast that `promotes` was inserted by promotion.
    Step {
        op: Op,
        rule: Rule,
        to: Option<DType>,
        promotes: bool,
    },
    /// A view of the one operand.
    View(View),
    /// The one operand's elements in row-major order under other extents, of which one may be -1.
    Reshape(Vec<isize>),
    /// Windows of the one operand: for each pair of an axis and a length, the elements from each
    /// index of the axis on, along a new last axis.
    Windows(Vec<(isize, usize)>),
    /// The matrix product of the two operands.
    Product,
    /// A reduction of the one operand, which promotion expands to folds and steps.
    Reduce {
        reduction: Reduction,
        axes: Axes,
        results: Results,
    },
    /// The one operand's elements folded along axes.
    Fold { fold: Fold, axes: Axes },
    /// The number of the one operand's elements along axes, less `ddof` but not below 0.
    Count {
        axes: Axes,
        ddof: usize,
        dtype: DType,
    },
    /// The index of each of the one operand's elements along axes, in row-major order of these
    /// axes, as u32. The other axes have extent 1.
    Position(Axes),
    /// A scan of the one operand, which promotion expands to a scan by a row and casts.
    Scan {
        scan: Scan,
        along: Along,
        results: Results,
    },
    /// The one operand's elements scanned along an axis.
    Scanned { op: Folding, along: Along },
    /// Operand 0 brought to a shape by the others.
    Like(Like),
    /// A function that promotion expands to steps when the operands' types are known.
    Composed(Composed),
    /// Elements of the operands in other places, or the indices of places.
    Gathered(Gathered),
    /// A call of a function on the operands, which planning replaces by its expression.
    Call(Call),
    /// The one operand, through which no gradient flows.
    Detached,
    /// The gradient of operand 0, which promotion expands to steps, folds and the like.
    Gradient(Wanted),
}

impl<L> Clone for Expr<L> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<L> Drop for Node<L> {
    /// Takes long chains apart without recursion.
    fn drop(&mut self) {
        let mut stack = std::mem::take(&mut self.args);
        while let Some(expr) = stack.pop() {
            if let Some(mut node) = Arc::into_inner(expr.0) {
                stack.append(&mut node.args);
            }
        }
    }
}

impl<L> Expr<L> {
    pub(crate) fn node(kind: Kind, args: Vec<Self>) -> Self {
        Self::node_from(kind, args, Origin::default())
    }

    fn of_parts(kind: Kind, leaf: Option<L>, args: Vec<Self>, origin: Origin) -> Self {
        Self(Arc::new(Node {
            kind,
            leaf,
            args,
            origin,
        }))
    }

    /// A node that is not a leaf, from this origin.
    fn node_from(kind: Kind, args: Vec<Self>, origin: Origin) -> Self {
        Self::of_parts(kind, None, args, origin)
    }

    /// An input from this origin.
    fn leaf_from(leaf: L, origin: Origin) -> Self {
        Self::of_parts(Kind::Leaf, Some(leaf), Vec::new(), origin)
    }

    /// An input.
    pub fn leaf(leaf: L) -> Self {
        Self::leaf_from(leaf, Origin::default())
    }

    /// A number of an element type.
    pub fn scalar(value: impl Into<Scalar>) -> Self {
        Self::node(Kind::Scalar(value.into()), Vec::new())
    }

    /// A number whose type follows its surroundings.
    pub fn literal(value: impl Into<Literal>) -> Self {
        Self::node(Kind::Literal(value.into()), Vec::new())
    }

    /// A number whose type follows its surroundings and whose value is given whenever a plan runs,
    /// as number `index` of [`Context::run_given`](crate::Context::run_given). A plan is made with
    /// `stand_in`; [`Plan::is_for`](crate::Plan::is_for) tells for which other values it holds.
    ///
    /// ```
    /// # use zerostride::{Context, Expr, Literal};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 3.0], [3])?;
    /// let scaled = Expr::slot(0) * Expr::given(0, 2.0);
    /// let plan = context.plan(&[scaled], &[x.slot()], &[], &context.options())?;
    /// for k in [0.5, 4.0] {
    ///     let k = [Literal::Float(k)];
    ///     assert!(plan.is_for(&k));
    ///     let scaled = context.run_given(&plan, &[&x], &k)?;
    ///     println!("{:?}", scaled[0].read_blocking::<f32>()?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn given(index: usize, stand_in: impl Into<Literal>) -> Self {
        Self::node(Kind::Given(Given::new(index, stand_in.into())), Vec::new())
    }

    /// An operator on operands whose types must already fit, under [`Rule::Numpy`].
    pub fn step(op: Op, args: impl Into<Vec<Self>>) -> Self {
        Self::made(op, Rule::Numpy, None, false, args.into())
    }

    /// An operator that promotes its operands as NumPy does, under [`Rule::Numpy`].
    pub fn promoting(op: Op, args: impl Into<Vec<Self>>) -> Self {
        Self::made(op, Rule::Numpy, None, true, args.into())
    }

    /// Any step.
    fn made(op: Op, rule: Rule, to: Option<DType>, promotes: bool, args: Vec<Self>) -> Self {
        let kind = Kind::Step {
            op,
            rule,
            to,
            promotes,
        };
        Self::node(kind, args)
    }

    /// Casts this expression to another element type.
    pub fn cast(&self, to: DType) -> Self {
        Self::made(Op::CAST, Rule::Numpy, Some(to), false, vec![self.clone()])
    }

    /// This expression, of one type, as another.
    fn cast_from(&self, from: DType, to: DType) -> Self {
        match from == to {
            true => self.clone(),
            false => self.cast(to),
        }
    }

    /// Reinterprets this expression's bits as another element type of the same size.
    pub fn bit_cast(&self, to: DType) -> Self {
        let args = vec![self.clone()];
        Self::made(Op::BIT_CAST, Rule::Numpy, Some(to), false, args)
    }

    /// A view of this expression, without a copy.
    pub fn view(&self, view: View) -> Self {
        Self::node(Kind::View(view), vec![self.clone()])
    }

    /// Reshapes the elements in row-major order. One extent may be -1, which follows from the
    /// others.
    ///
    /// An input is read in place if its strides allow; a separate pass computes any other value
    /// first.
    pub fn reshape(&self, extents: impl Into<Vec<isize>>) -> Self {
        Self::node(Kind::Reshape(extents.into()), vec![self.clone()])
    }

    /// All windows along axes, as NumPy's `sliding_window_view`. Each pair of an axis and a length
    /// adds a last axis of this length, along which a window's elements lie. The axis itself is
    /// shortened to one index for each window.
    ///
    /// An input is read in place, without a copy; a separate pass computes any other value once,
    /// first.
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, reference};
    ///
    /// let x = HostTensor::new(DType::U8, [4], vec![1, 2, 3, 4])?;
    /// let pairs = Expr::slot(0).windows([(0, 2)]);
    /// assert_eq!(reference::run(&pairs, &[x])?.bytes, [1, 2, 2, 3, 3, 4]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Axis`](crate::Error::Axis);
    /// [`Error::View`](crate::Error::View) for a window that is longer than its axis.
    pub fn windows(&self, windows: impl Into<Vec<(isize, usize)>>) -> Self {
        Self::node(Kind::Windows(windows.into()), vec![self.clone()])
    }

    /// Basic indexing by numbers, ranges or [`Index`](crate::Index), as in `x.slice((.., 1..3))`; see
    /// [`Indices`].
    pub fn slice(&self, items: impl Indices) -> Self {
        self.view(View::Slice(items.indices()))
    }

    /// All axes in reverse order.
    pub fn transpose(&self) -> Self {
        self.view(View::Transpose)
    }

    /// Broadcasts this expression by a rule of one operand ([`Rule::To`], [`Rule::Bidirectional`],
    /// [`Rule::Explicit`]).
    pub fn broadcast(&self, rule: Rule) -> Self {
        Self::step(Op::IDENTITY, [self.clone()]).with_rule(rule)
    }

    /// ONNX Expand: broadcasts with a target shape; the result may be larger than the target.
    pub fn expand(&self, target: impl Into<Shape>) -> Self {
        self.broadcast(Rule::Bidirectional {
            target: target.into(),
        })
    }

    /// Puts the outermost step, or sum to a shape, under another rule. A leaf, scalar or view has
    /// no rule and is returned unchanged.
    pub fn with_rule(&self, rule: Rule) -> Self {
        let mut kind = self.0.kind.clone();
        match &mut kind {
            Kind::Like(Like::SumTo { rule: own, .. }) | Kind::Step { rule: own, .. } => *own = rule,
            _ => return self.clone(),
        }
        Self::node_from(kind, self.0.args.clone(), self.0.origin)
    }

    /// The same node with other operands and another origin.
    fn on(&self, args: Vec<Self>, origin: Origin) -> Self
    where
        L: Clone,
    {
        Self::of_parts(self.0.kind.clone(), self.0.leaf.clone(), args, origin)
    }

    /// Gives this origin to every node above these operands.
    pub(crate) fn made_of(&self, operands: &[&Self], origin: Origin) -> Self
    where
        L: Clone,
    {
        let own = operands.iter().map(|x| (x.address(), (*x).clone()));
        let mut made: HashMap<usize, Self> = own.collect();
        let mut stack = vec![(self, false)];
        while let Some((expr, is_ready)) = stack.pop() {
            if made.contains_key(&expr.address()) {
                continue;
            }
            if is_ready {
                let args = expr.args().iter().map(|a| made[&a.address()].clone());
                made.insert(expr.address(), expr.on(args.collect(), origin));
            } else {
                stack.push((expr, true));
                stack.extend(expr.args().iter().map(|a| (a, false)));
            }
        }
        made[&self.address()].clone()
    }

    /// The number, if this is a literal. Reading a number that is given when a plan runs ties the
    /// plan to its value; [`as_number`](Self::as_number) does not read it.
    pub(crate) fn as_literal(&self) -> Option<Literal> {
        match &self.0.kind {
            Kind::Literal(x) => Some(*x),
            Kind::Given(x) => Some(x.look()),
            _ => None,
        }
    }

    /// The number, if this is a literal, to be given a type.
    pub(crate) fn as_number(&self) -> Option<Number> {
        let (literal, given) = match &self.0.kind {
            Kind::Literal(x) => (*x, None),
            Kind::Given(x) => (x.stand_in, Some(x.index)),
            _ => return None,
        };
        Some(Number { literal, given })
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// The input, if this is one.
    pub(crate) fn as_leaf(&self) -> Option<&L> {
        self.0.leaf.as_ref()
    }

    pub(crate) fn args(&self) -> &[Self] {
        &self.0.args
    }

    pub(crate) fn origin(&self) -> Origin {
        self.0.origin
    }

    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl Expr<usize> {
    /// The input with this number.
    pub fn slot(i: usize) -> Self {
        Self::leaf(i)
    }
}

#[cfg(test)]
mod tests;
