//! Elements that are known on the host, and values that the host computes from them, for shapes.

use std::sync::Arc;

use zerostride::{DType, Error, Expr, HostTensor, Result, reference};

use super::bind::{Binder, Maker, Value, known};
use super::fault::{at, refused};
use super::loaded::Node;
use crate::name::Made;

/// The most elements of an array on which a shape may depend.
pub const MAX_KNOWN: usize = 4096;

/// The most elements that the host computes for a node.
const MAX_OF_NODE: usize = 1 << 18;

impl Binder<'_> {
    /// The results of a node whose operands are known, computed on the host; `None` if that is too much.
    pub fn computed(&self, node: &Node, exprs: &[Expr<usize>]) -> Result<Option<Vec<Value>>> {
        let mut tensors = Vec::with_capacity(node.inputs.len());
        for value in &node.inputs {
            let host = match value {
                Some(value) => self.value(*value)?.known.as_deref().cloned(),
                None => None,
            };
            tensors.push(match host {
                Some(host) => host,
                None => HostTensor::new(DType::F32, [0], Vec::new())?,
            });
        }
        let exprs = &exprs[..node.outputs.len().min(exprs.len())];
        let mut elements = 0usize;
        for expr in exprs {
            elements = elements.saturating_add(reference::elements(expr, &tensors)?);
        }
        let left = self.left.get();
        if elements > left.min(MAX_OF_NODE) {
            return Ok(None);
        }
        self.left.set(left - elements);
        let compute =
            |expr: &Expr<usize>| reference::run(expr, &tensors).map(|host| known(Arc::new(host)));
        exprs.iter().map(compute).collect::<Result<_>>().map(Some)
    }

    /// Makes a value's elements known, and those of the nodes and inputs that it depends on.
    pub fn known(&mut self, value: usize) -> Result<()> {
        let model = self.model;
        let mut stack = vec![value];
        while let Some(&top) = stack.last() {
            let found = self.value(top)?;
            if found.shape.len()? > MAX_KNOWN {
                return Err(Error::unsupported(format!(
                    "a shape depends on more than {MAX_KNOWN} elements"
                )));
            }
            if found.known.is_some() {
                stack.pop();
                continue;
            }
            let host = match self.makers[top] {
                Some(Maker::Input(i)) => {
                    let host = Arc::new((self.read)(i)?);
                    self.elements_read.insert(i, Arc::clone(&host));
                    vec![(top, host)]
                }
                Some(Maker::Node(n)) => {
                    let node = &model.nodes[n];
                    let is_unknown = |v: &&usize| matches!(&self.values[**v], Some(value) if value.known.is_none());
                    let unknown: Vec<usize> = node
                        .inputs
                        .iter()
                        .flatten()
                        .filter(is_unknown)
                        .copied()
                        .collect();
                    if !unknown.is_empty() {
                        stack.extend(unknown);
                        continue;
                    }
                    self.of_known(node).map_err(|e| at(&node.label, e))?
                }
                _ => return Err(refused("a value is neither computed nor known".into())),
            };
            for (made, host) in host {
                if let Some(value) = &mut self.values[made] {
                    value.known = Some(host);
                }
            }
        }
        Ok(())
    }

    /// The elements of the results of a node whose operands are known.
    fn of_known(&self, node: &Node) -> Result<Vec<(usize, Arc<HostTensor>)>> {
        let values = match self.made(node, true)? {
            Made::Known(host) => vec![known(Arc::new(host))],
            Made::Exprs(exprs) => self.computed(node, &exprs)?.ok_or_else(|| {
                Error::unsupported("a shape depends on more elements than the host computes")
            })?,
        };
        let made = node.outputs.iter().zip(values);
        Ok(made
            .filter_map(|(output, value)| Some(((*output)?, value.known?)))
            .collect())
    }
}
