//! The element types of the nodes of a promoted expression.

use std::collections::HashMap;

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::product::product_dtype;
use crate::expr::reduce::Fold;
use crate::expr::{Expr, Kind};

/// The type of each of these nodes by its address; operands stand before their users.
pub(super) fn dtypes<L>(
    order: &[&Expr<L>],
    dtype: &impl Fn(&L) -> Result<DType>,
) -> Result<HashMap<usize, DType>> {
    let mut found: HashMap<usize, DType> = HashMap::with_capacity(order.len());
    for node in order {
        let args: Vec<DType> = node.args().iter().map(|a| found[&a.address()]).collect();
        if let Some(leaf) = node.as_leaf() {
            found.insert(node.address(), dtype(leaf)?);
            continue;
        }
        let known = match (node.kind(), args.as_slice()) {
            (Kind::Scalar(x), _) => x.dtype,
            (Kind::Step { op, to, .. }, args) => op.result(args, *to)?,
            (Kind::Count { dtype, .. }, _) => *dtype,
            (Kind::Position(_), _) => DType::U32,
            (Kind::Gathered(gathered), args) => gathered.dtype(args),
            (Kind::Product, &[a, b]) => product_dtype([a, b])?,
            (Kind::Fold { fold, .. }, &[of]) => match fold {
                Fold::Row(_) => of,
                Fold::Extreme { .. } => DType::I64,
            },
            (
                Kind::View(_)
                | Kind::Reshape(_)
                | Kind::Detached
                | Kind::Like(_)
                | Kind::Scanned { .. },
                &[of, ..],
            ) => of,
            _ => {
                return Err(Error::argument(
                    "gradient",
                    "its expression was not promoted",
                ));
            }
        };
        found.insert(node.address(), known);
    }
    Ok(found)
}
