//! Gradients by the reverse mode.
//!
//! A gradient is a node like any other while an expression is built. Promotion, which knows every
//! element type, expands it to steps and folds; work that depends on shapes stays in nodes such as
//! [`Like`](super::like::Like), which the typed graph resolves.

mod flow;
mod local;
mod reverse;

pub(super) use reverse::Gradients;

use std::sync::Arc;

use super::{Expr, Kind};
use crate::error::Error;

/// Which gradient a node is. Its operands are the expression, the gradient of its elements if that
/// is given, and the nodes of the variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    /// The index of the group.
    pub which: usize,
    /// For each variable in order, its number of nodes among the last operands.
    groups: Arc<[usize]>,
    /// Whether operand 1 is the gradient of the expression's elements.
    is_given: bool,
    /// Why the gradient by this variable is an error.
    refused: Option<Refused>,
}

/// What keeps an expression from being differentiated by a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Refused {
    /// The expression does not contain it.
    Absent,
    /// Its gradient flows to an input that is no variable but shares, or may share, its elements.
    View,
}

impl Refused {
    fn error(self, variable: usize) -> Error {
        let reason = match self {
            Self::Absent => format!(
                "the expression does not contain variable {variable}; differentiate by its inputs, or by clones of \
                 its parts"
            ),
            Self::View => format!(
                "an input of the expression may be a view of variable {variable}, and its gradient would be left out; \
                 make the view in the expression, as in `x.expr().transpose()`, or differentiate by the input too"
            ),
        };
        Error::argument("gradient", reason)
    }
}

/// The relation of two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kin {
    /// They are one variable.
    Same,
    /// They are two variables that have elements in common.
    Overlapping,
    Apart,
}

#[cfg(feature = "complete")]
impl<L: PartialEq> Expr<L> {
    /// The gradients of the sum of this expression's elements with respect to each of `wrt`, in
    /// that variable's shape and element type.
    ///
    /// `wrt` must be inputs or parts of this expression. Equal inputs are one variable. A part is
    /// one node: pass a clone of the part that the expression contains. Where nothing flows to a
    /// variable, the gradient is 0. Gradients may be differentiated again.
    ///
    /// - Nothing flows through integers and bool, [`detach`](Self::detach), or functions that are
    ///   constant between jumps, as `floor` and `sign`.
    /// - Operands and elements that tie for the largest or smallest share equally, as in PyTorch and
    ///   JAX; so do `clip`'s operands on a bound. Beside a NaN all share. `abs` and `relu` have
    ///   slope 0 at 0. An operator with two branches has the slope of the branch that it takes.
    /// - In a product with one 0, only that element gets a gradient; otherwise an element gets the
    ///   product divided by it. The same holds for each product of `cumprod`: no element after the
    ///   first 0 gets a gradient. The gradient of a root of 0, as the deviation of equal elements,
    ///   is infinite or NaN.
    /// - f16 and bf16 are differentiated in f32; each step's gradient is rounded once.
    ///
    /// ```
    /// use zerostride::{DType, Expr, HostTensor, reference};
    ///
    /// let [x, w] = [Expr::slot(0), Expr::slot(1)];
    /// let loss = (&x * &w).sum(..);
    /// let by_w = loss.gradient(&[x, w]).swap_remove(1);
    /// // The sum over what w was broadcast along.
    /// let f64s = |shape: [usize; 2], values: &[f64]| {
    ///     let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    ///     HostTensor::new(DType::F64, shape, bytes)
    /// };
    /// let inputs = [f64s([2, 2], &[1.0, 2.0, 3.0, 4.0])?, f64s([1, 2], &[0.5, 0.5])?];
    /// assert_eq!(reference::run(&by_w, &inputs)?, f64s([1, 2], &[4.0, 6.0])?);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression is planned or run: [`Error::Argument`](crate::Error::Argument) for one of
    /// `wrt` that this expression does not contain, [`Error::DType`](crate::Error::DType) if the
    /// expression, or one of `wrt`, is no float, [`Error::Unsupported`](crate::Error::Unsupported)
    /// for an operator without a derivative on the way, such as a bit cast between floats.
    pub fn gradient(&self, wrt: impl IntoIterator<Item: Into<Self>>) -> Vec<Self> {
        self.gradients(None, &Self::operands(wrt), equal)
    }

    /// As [`gradient`](Self::gradient), with each element of this expression weighted by
    /// `gradient`, which is broadcast to it: the product of a vector with the Jacobian.
    ///
    /// # Errors
    /// Those of [`gradient`](Self::gradient); and [`Error::Extents`](crate::Error::Extents) or
    /// [`Error::Rank`](crate::Error::Rank) for a gradient of another shape.
    pub fn pullback(
        &self,
        gradient: impl Into<Self>,
        wrt: impl IntoIterator<Item: Into<Self>>,
    ) -> Vec<Self> {
        self.gradients(Some(&gradient.into()), &Self::operands(wrt), equal)
    }
}

#[cfg(feature = "complete")]
fn equal<L: PartialEq>(a: &L, b: &L) -> Kin {
    if a == b { Kin::Same } else { Kin::Apart }
}

#[cfg_attr(
    not(feature = "complete"),
    allow(dead_code, reason = "nothing asks for gradients")
)]
impl<L> Expr<L> {
    /// The gradients, given which inputs are the same.
    pub(crate) fn gradients(
        &self,
        given: Option<&Self>,
        wrt: &[Self],
        kin: impl Fn(&L, &L) -> Kin,
    ) -> Vec<Self> {
        let root = std::slice::from_ref(self);
        let all = Self::post_order(root);
        // A gradient lacks no part of what it does not flow through.
        let passed = Self::post_order_by(root, flow::passing);
        let kin = |a: &Self, b: &Self| match (a.as_leaf(), b.as_leaf()) {
            (Some(a), Some(b)) => kin(a, b),
            _ if a.address() == b.address() => Kin::Same,
            _ => Kin::Apart,
        };
        let mut args = vec![self.clone()];
        args.extend(given.cloned());
        let mut groups = Vec::with_capacity(wrt.len());
        for x in wrt {
            let before = args.len();
            args.push(x.clone());
            let others = all.iter().filter(|node| node.address() != x.address());
            let same = others.filter(|node| kin(node, x) == Kin::Same);
            args.extend(same.map(|&node| node.clone()));
            groups.push(args.len() - before);
        }
        let is_variable = |node: &Self| wrt.iter().any(|x| kin(node, x) == Kin::Same);
        let refused = |x: &Self| {
            let hides = |node: &&Self| kin(node, x) == Kin::Overlapping && !is_variable(node);
            if passed.iter().any(hides) {
                Some(Refused::View)
            } else {
                let contains = all.iter().any(|node| kin(node, x) == Kin::Same);
                (!contains).then_some(Refused::Absent)
            }
        };
        let groups: Arc<[usize]> = groups.into();
        let wanted = |which: usize| Wanted {
            which,
            groups: Arc::clone(&groups),
            is_given: given.is_some(),
            refused: refused(&wrt[which]),
        };
        (0..wrt.len())
            .map(|which| Self::node(Kind::Gradient(wanted(which)), args.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests;
