//! The nodes of expressions in order, and the same nodes on other leaves.

use std::collections::HashMap;

use super::{Expr, Kind, Origin};
use crate::error::{Error, Result};

impl<L> Expr<L> {
    /// The number of operators, views, numbers and inputs in these expressions; shared nodes count
    /// once.
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
        let mut leaf = |l: &L, origin| Ok(Expr::leaf_from(f(l)?, origin));
        Self::rebuilt(roots, &mut leaf, &mut Kind::clone, None)
    }

    /// The same graphs with what `leaf` makes of leaves, and `kind` of the other nodes, which are from
    /// where they were or all from elsewhere.
    pub(super) fn rebuilt<M>(
        roots: &[Self],
        leaf: &mut dyn FnMut(&L, Origin) -> Result<Expr<M>>,
        kind: &mut dyn FnMut(&Kind) -> Kind,
        from: Option<Origin>,
    ) -> Result<Vec<Expr<M>>> {
        let mut made: HashMap<usize, Expr<M>> = HashMap::new();
        for expr in Self::post_order(roots) {
            let args = expr.args().iter().map(|a| made[&a.address()].clone());
            let new = match expr.as_leaf() {
                Some(l) => leaf(l, expr.origin())?,
                None => {
                    let origin = from.unwrap_or(expr.origin());
                    Expr::node_from(kind(expr.kind()), args.collect(), origin)
                }
            };
            made.insert(expr.address(), new);
        }
        Ok(roots.iter().map(|r| made[&r.address()].clone()).collect())
    }
}

impl Expr<usize> {
    /// Replaces slot `i` of these graphs by `leaves[i]`: a formula over numbered slots becomes a
    /// part of a larger expression. Shared nodes stay shared.
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
        Self::substituted(exprs, leaves, None)
    }

    /// As [`substitute`](Self::substitute), with all nodes of the graphs at a column of some text,
    /// counted from 1, which [`Plan::columns`](crate::Plan::columns) and errors name.
    #[doc(hidden)]
    pub fn substitute_at<L>(
        exprs: &[Self],
        leaves: &[Expr<L>],
        column: usize,
    ) -> Result<Vec<Expr<L>>> {
        let called = None;
        Self::substituted(exprs, leaves, Some(Origin { column, called }))
    }

    fn substituted<L>(
        exprs: &[Self],
        leaves: &[Expr<L>],
        from: Option<Origin>,
    ) -> Result<Vec<Expr<L>>> {
        let mut leaf = |&slot: &usize, _| {
            leaves.get(slot).cloned().ok_or_else(|| {
                let given = leaves.len();
                let reason = format!("slot {slot} does not exist, {given} were given");
                Error::argument("substitute", reason)
            })
        };
        Self::rebuilt(exprs, &mut leaf, &mut Kind::clone, from)
    }
}
