//! One pass of a graph as a list of inputs, numbers and steps.

use std::collections::{BTreeMap, HashMap};

use super::cut::resolve;
use super::{Arg, Source, Step};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Graph, GraphKind, Scalar};
use crate::layout::Layout;
use crate::view::Map;

/// What a pass computes, before it is known how it is mapped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// Bindings: where they come from, their type, and their layout on the axes of the pass.
    pub inputs: Vec<(Source, DType, Layout)>,
    pub scalars: Vec<Scalar>,
    pub steps: Vec<Step>,
    /// The value that is stored.
    pub result: Option<Arg>,
}

impl Body {
    /// Whether its steps cost much more than its loads.
    pub fn is_dense(&self) -> bool {
        self.steps.len() > 32 || self.steps.iter().any(|s| s.op.heavy)
    }
}

/// Lowers the pass of node `root`. `slots` are the layouts of the inputs, `cuts` the temporary of each cut step.
pub(crate) fn lower(graph: &Graph, root: usize, slots: &[Layout], cuts: &BTreeMap<usize, usize>) -> Result<Body> {
    let mut body = Body::default();
    let mut values: HashMap<(usize, Map), Arg> = HashMap::new();
    let mut inputs: HashMap<(Source, Layout), usize> = HashMap::new();
    let start = resolve(graph, root, Map::identity(&graph.nodes[root].shape));
    let mut stack = vec![(start.clone(), false)];
    while let Some((key, ready)) = stack.pop() {
        if values.contains_key(&key) {
            continue;
        }
        let (n, map) = &key;
        let node = &graph.nodes[*n];
        let bound = match (&node.kind, cuts.get(n)) {
            (_, Some(&temporary)) if *n != root => {
                Some((Source::Temporary(temporary), Layout::contiguous(&node.shape)?.through(map)))
            }
            (GraphKind::Slot(slot), _) => Some((Source::Slot(*slot), slots[*slot].through(map))),
            _ => None,
        };
        if let Some((source, layout)) = bound {
            let next = body.inputs.len();
            let i = *inputs.entry((source, layout.clone())).or_insert(next);
            if i == next {
                body.inputs.push((source, node.dtype, layout));
            }
            values.insert(key, Arg::Input(i));
            continue;
        }
        let op = match &node.kind {
            GraphKind::Scalar(bits) => {
                let scalar = Scalar { dtype: node.dtype, bits: *bits };
                let k = body.scalars.iter().position(|s| *s == scalar).unwrap_or_else(|| {
                    body.scalars.push(scalar);
                    body.scalars.len() - 1
                });
                values.insert(key, Arg::Scalar(k));
                continue;
            }
            GraphKind::Step(op) => *op,
            GraphKind::Slot(_) | GraphKind::Alias | GraphKind::Product => continue,
        };
        let operands: Vec<(usize, Map)> =
            node.args.iter().map(|(a, inner)| resolve(graph, *a, map.then(inner))).collect();
        if ready {
            let args = operands.iter().map(|o| values[o]).collect();
            let operand = graph.nodes[operands[operands.len() - 1].0].dtype;
            values.insert(key, Arg::Step(body.steps.len()));
            body.steps.push(Step { op, args, operand, dtype: node.dtype });
        } else {
            stack.push((key, true));
            stack.extend(operands.into_iter().rev().map(|o| (o, false)));
        }
    }
    body.result = values.get(&start).copied();
    Ok(body)
}
