//! The nodes of expressions in order, and the same nodes on other leaves.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Expr, Kind, Node};
use crate::error::{Error, Result};

impl<L> Expr<L> {
    /// How many operators, views, numbers and inputs these expressions are made of; what they share
    /// counts once.
    ///
    /// ```
    /// # use zerostride::Expr;
    /// let x = Expr::slot(0);
    /// let square = &x * &x;
    /// assert_eq!(Expr::node_count(&[&square * &square, square]), 3);
    /// ```
    #[doc(hidden)]
    pub fn node_count(exprs: &[Self]) -> usize {
        Self::post_order(exprs).len()
    }

    /// Every node below these roots once, operands before their users.
    pub(crate) fn post_order(roots: &[Self]) -> Vec<&Self> {
        Self::post_order_by(roots, Self::args)
    }

    /// The same of nodes that are reached through these of their operands.
    pub(crate) fn post_order_by<'a>(
        roots: &'a [Self],
        operands: impl Fn(&'a Self) -> &'a [Self],
    ) -> Vec<&'a Self> {
        let mut order = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut stack: Vec<(&Self, bool)> = roots.iter().rev().map(|r| (r, false)).collect();
        while let Some((expr, done)) = stack.pop() {
            if done {
                order.push(expr);
            } else if seen.insert(expr.address()) {
                stack.push((expr, true));
                stack.extend(operands(expr).iter().rev().map(|a| (a, false)));
            }
        }
        order
    }

    /// The same graphs with every leaf replaced. Shared nodes stay shared, also between the roots.
    pub(crate) fn map_leaves<M>(
        roots: &[Self],
        mut f: impl FnMut(&L) -> Result<M>,
    ) -> Result<Vec<Expr<M>>> {
        Self::map_kinds(roots, &mut |kind| kind.on(&mut f))
    }

    /// The same graphs of nodes that `f` makes of theirs.
    pub(super) fn map_kinds<M>(
        roots: &[Self],
        f: &mut dyn FnMut(&Kind<L>) -> Result<Kind<M>>,
    ) -> Result<Vec<Expr<M>>> {
        let mut made: HashMap<usize, Expr<M>> = HashMap::new();
        for expr in Self::post_order(roots) {
            let args = expr.args().iter();
            let node = Node {
                kind: f(expr.kind())?,
                args: args.map(|a| made[&a.address()].clone()).collect(),
                origin: expr.origin(),
            };
            made.insert(expr.address(), Expr(Arc::new(node)));
        }
        Ok(roots.iter().map(|r| made[&r.address()].clone()).collect())
    }
}

impl Expr<usize> {
    /// The same graphs with `leaves[i]` in the place of slot `i`: how a formula over numbered slots
    /// becomes a part of a larger expression. What the graphs share stays shared.
    ///
    /// ```
    /// use zerostride::{DType, Expr, Options, Plan, Rule, Slot, text};
    ///
    /// let formula = text::parse("(x - m) / 2")?.bind(&["x", "m"], &Rule::Numpy)?;
    /// let y = Expr::slot(0).sqrt();
    /// let centred = Expr::substitute(&[formula], &[y.clone(), y.mean(0)])?;
    /// let slots = [Slot::new(DType::F32, [8, 3])?];
    /// assert_eq!(Plan::infer(&centred, &slots, &Options::default())?, [(DType::F32, [8, 3].into())]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for a slot beyond the leaves.
    pub fn substitute<L>(exprs: &[Self], leaves: &[Expr<L>]) -> Result<Vec<Expr<L>>> {
        let mut made: HashMap<usize, Expr<L>> = HashMap::new();
        for expr in Self::post_order(exprs) {
            let new = match expr.kind() {
                Kind::Leaf(slot) => leaves.get(*slot).cloned().ok_or_else(|| {
                    let given = leaves.len();
                    let reason = format!("slot {slot} is not there, {given} were given");
                    Error::argument("substitute", reason)
                })?,
                kind => Expr(Arc::new(Node {
                    kind: kind
                        .on(&mut |_| Err(Error::argument("substitute", "a leaf has no parts")))?,
                    args: expr
                        .args()
                        .iter()
                        .map(|a| made[&a.address()].clone())
                        .collect(),
                    origin: expr.origin(),
                })),
            };
            made.insert(expr.address(), new);
        }
        Ok(exprs.iter().map(|e| made[&e.address()].clone()).collect())
    }
}

impl<L> Kind<L> {
    /// The same node on another leaf.
    pub(super) fn on<M>(&self, f: &mut dyn FnMut(&L) -> Result<M>) -> Result<Kind<M>> {
        Ok(match self {
            Self::Leaf(l) => Kind::Leaf(f(l)?),
            Self::Literal(x) => Kind::Literal(*x),
            Self::Given(x) => Kind::Given(x.clone()),
            Self::Scalar(x) => Kind::Scalar(*x),
            Self::Step {
                op,
                rule,
                to,
                promotes,
            } => Kind::Step {
                op: *op,
                rule: rule.clone(),
                to: *to,
                promotes: *promotes,
            },
            Self::View(view) => Kind::View(view.clone()),
            Self::Reshape(extents) => Kind::Reshape(extents.clone()),
            Self::Product => Kind::Product,
            Self::Reduce {
                reduction,
                axes,
                results,
            } => Kind::Reduce {
                reduction: *reduction,
                axes: axes.clone(),
                results: *results,
            },
            Self::Fold { fold, axes } => Kind::Fold {
                fold: *fold,
                axes: axes.clone(),
            },
            Self::Count { axes, ddof, dtype } => Kind::Count {
                axes: axes.clone(),
                ddof: *ddof,
                dtype: *dtype,
            },
            Self::Position(axes) => Kind::Position(axes.clone()),
            Self::Scan {
                scan,
                along,
                results,
            } => Kind::Scan {
                scan: *scan,
                along: *along,
                results: *results,
            },
            Self::Scanned { op, along } => Kind::Scanned {
                op: *op,
                along: *along,
            },
            Self::Like(like) => Kind::Like(like.clone()),
            Self::Composed(composed) => Kind::Composed(*composed),
            Self::Gathered(gathered) => Kind::Gathered(*gathered),
            Self::Detached => Kind::Detached,
            Self::Gradient(wanted) => Kind::Gradient(wanted.clone()),
        })
    }
}
