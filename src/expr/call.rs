//! Calls of functions that become expressions when the shapes of their operands are known.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Expr, Kind};
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::Shape;

/// A call of a function of the expression language.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Its text; the operands are `x0`, `x1` and so on.
    pub source: Arc<str>,
    pub make: Make,
}

/// Makes the expression of a text over slots, for operands of these types and shapes.
type Make = fn(&str, &[(DType, Shape)]) -> Result<Expr<usize>>;

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Call {}

impl Hash for Call {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

impl Expr<usize> {
    /// The same graphs with the expression of each call in its place. `slot` gives the type and shape
    /// of an input.
    ///
    /// # Errors
    /// Those of the calls, and of [`Graph::new`](super::Graph::new) for their operands.
    pub(crate) fn without_calls(
        roots: &[Self],
        slot: &dyn Fn(usize) -> Result<(DType, Shape)>,
    ) -> Result<Vec<Self>> {
        let order = Self::post_order(roots);
        if !order
            .iter()
            .any(|node| matches!(node.kind(), Kind::Call(_)))
        {
            return Ok(roots.to_vec());
        }
        let mut made: HashMap<usize, Self> = HashMap::new();
        for node in order {
            let args = node.args().iter().map(|arg| made[&arg.address()].clone());
            let args: Vec<Self> = args.collect();
            let new = match node.kind() {
                Kind::Call(call) => {
                    let operands = args.iter().map(|arg| arg.type_and_shape(slot));
                    let operands = operands.collect::<Result<Vec<_>>>()?;
                    let function = (call.make)(&call.source, &operands)?;
                    Self::substitute(&[function], &args)?.swap_remove(0)
                }
                _ if args.is_empty() => node.clone(),
                _ => node.on(args, node.origin()),
            };
            made.insert(node.address(), new);
        }
        Ok(roots.iter().map(|r| made[&r.address()].clone()).collect())
    }
}
