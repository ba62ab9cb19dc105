//! The element types of the nodes of promoted expressions.

use std::collections::HashMap;

use super::product::product_dtype;
use super::reduce::Fold;
use super::{Expr, Kind};
use crate::dtype::DType;
use crate::error::{Error, Result};

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
