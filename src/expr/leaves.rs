//! The nodes of expressions in order, and the same nodes on other leaves.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Expr, Kind, Node};
use crate::error::Result;

impl<L> Expr<L> {
    /// Every node below these roots once, operands before their users.
    pub(crate) fn post_order(roots: &[Self]) -> Vec<&Self> {
        let mut order = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut stack: Vec<(&Self, bool)> = roots.iter().rev().map(|r| (r, false)).collect();
        while let Some((expr, done)) = stack.pop() {
            if done {
                order.push(expr);
            } else if seen.insert(expr.address()) {
                stack.push((expr, true));
                stack.extend(expr.args().iter().rev().map(|a| (a, false)));
            }
        }
        order
    }

    /// The same graphs with every leaf replaced. Shared nodes stay shared, also between the roots.
    pub(crate) fn map_leaves<M>(
        roots: &[Self],
        mut f: impl FnMut(&L) -> Result<M>,
    ) -> Result<Vec<Expr<M>>> {
        let mut made: HashMap<usize, Expr<M>> = HashMap::new();
        for expr in Self::post_order(roots) {
            let args = expr
                .args()
                .iter()
                .map(|a| made[&a.address()].clone())
                .collect();
            let kind = match expr.kind() {
                Kind::Leaf(l) => Kind::Leaf(f(l)?),
                Kind::Literal(x) => Kind::Literal(*x),
                Kind::Scalar(x) => Kind::Scalar(*x),
                Kind::Step {
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
                Kind::View(view) => Kind::View(view.clone()),
                Kind::Reshape(extents) => Kind::Reshape(extents.clone()),
                Kind::Product => Kind::Product,
                Kind::Reduce {
                    reduction,
                    axes,
                    results,
                } => Kind::Reduce {
                    reduction: *reduction,
                    axes: axes.clone(),
                    results: *results,
                },
                Kind::Fold { fold, axes, name } => Kind::Fold {
                    fold: *fold,
                    axes: axes.clone(),
                    name,
                },
                Kind::Count { axes, ddof, dtype } => Kind::Count {
                    axes: axes.clone(),
                    ddof: *ddof,
                    dtype: *dtype,
                },
                Kind::Position(axes) => Kind::Position(axes.clone()),
                Kind::Scan {
                    scan,
                    along,
                    results,
                } => Kind::Scan {
                    scan: *scan,
                    along: *along,
                    results: *results,
                },
                Kind::Scanned { op, along, name } => Kind::Scanned {
                    op: *op,
                    along: *along,
                    name,
                },
                Kind::Like(like) => Kind::Like(like.clone()),
                Kind::Composed(composed) => Kind::Composed(*composed),
                Kind::Joined(join) => Kind::Joined(*join),
                Kind::Taken(axis) => Kind::Taken(*axis),
                Kind::Indices(axis) => Kind::Indices(*axis),
                Kind::Detached => Kind::Detached,
                Kind::Gradient(wanted) => Kind::Gradient(wanted.clone()),
            };
            made.insert(
                expr.address(),
                Expr(Arc::new(Node {
                    kind,
                    args,
                    column: expr.column(),
                })),
            );
        }
        Ok(roots.iter().map(|r| made[&r.address()].clone()).collect())
    }
}
