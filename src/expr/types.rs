//! The element types of the nodes of promoted expressions.

use std::collections::HashMap;

use super::product::product_dtype;
use super::reduce::Fold;
use super::{Expr, Graph, Kind, Promotion};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::Shape;

impl<L> Expr<L> {
    /// The type of this node on operands of these types; `leaf` gives that of an input.
    ///
    /// # Errors
    /// Those of the operator; [`Error::Argument`] for what promotion leaves nowhere.
    pub(super) fn dtype_on(
        &self,
        args: &[DType],
        leaf: &dyn Fn(&L) -> Result<DType>,
    ) -> Result<DType> {
        if let Some(input) = self.as_leaf() {
            return leaf(input);
        }
        match (self.kind(), args) {
            (Kind::Scalar(x), _) => Ok(x.dtype),
            (Kind::Step { op, to, .. }, args) => op.result(args, *to),
            (Kind::Count { dtype, .. }, _) => Ok(*dtype),
            (Kind::Position(_), _) => Ok(DType::U32),
            (Kind::Gathered(gathered), args) => Ok(gathered.dtype(args)),
            (Kind::Product, &[a, b]) => product_dtype([a, b]),
            (
                Kind::Fold {
                    fold: Fold::Extreme { .. },
                    ..
                },
                _,
            ) => Ok(DType::I64),
            (
                Kind::View(_)
                | Kind::Reshape(_)
                | Kind::Windows(_)
                | Kind::Detached
                | Kind::Like(_)
                | Kind::Fold { .. }
                | Kind::Scanned { .. },
                &[of, ..],
            ) => Ok(of),
            _ => Err(Error::argument("expression", "it was not promoted")),
        }
    }
}

impl Expr<usize> {
    /// Its type, as [`Promotion::F32`] has it, and its shape.
    pub(crate) fn type_and_shape(
        &self,
        slot: &dyn Fn(usize) -> Result<(DType, Shape)>,
    ) -> Result<(DType, Shape)> {
        let root = std::slice::from_ref(self);
        let typed = Self::promote_all(root, Promotion::F32, |&i| Ok(slot(i)?.0))?;
        let mut graph = Graph::new(&typed, slot)?;
        let root = graph.nodes.swap_remove(graph.roots[0]);
        Ok((root.dtype, root.shape))
    }
}

/// The type of each of these nodes by its address; operands stand before their users.
pub(super) fn dtypes<L>(
    order: &[&Expr<L>],
    leaf: &dyn Fn(&L) -> Result<DType>,
) -> Result<HashMap<usize, DType>> {
    let mut found: HashMap<usize, DType> = HashMap::with_capacity(order.len());
    for node in order {
        let args: Vec<DType> = node.args().iter().map(|a| found[&a.address()]).collect();
        found.insert(node.address(), node.dtype_on(&args, leaf)?);
    }
    Ok(found)
}
