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
        self.steps.len() > 32 || self.steps.iter().any(|s| s.op.is_costly())
    }
}

/// Where the values are that passes bind.
pub(crate) struct Bound<'a> {
    /// The layouts of the inputs.
    pub slots: &'a [Layout],
    /// The reshaped inputs that are read where they lie, by their nodes.
    pub reshaped: BTreeMap<usize, (usize, Layout)>,
    /// The temporary of each cut step.
    pub cuts: BTreeMap<usize, usize>,
}

impl<'a> Bound<'a> {
    /// The inputs and what is reshaped of them, without cuts.
    pub fn inputs(graph: &Graph, slots: &'a [Layout]) -> Self {
        let mut bound = Self {
            slots,
            reshaped: BTreeMap::new(),
            cuts: BTreeMap::new(),
        };
        for (n, node) in graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| matches!(node.kind, GraphKind::Reshape))
        {
            let (arg, map) = &node.args[0];
            let (source, map) = resolve(graph, *arg, map.clone());
            if let Some((slot, layout)) = bound.input(graph, source, &map)
                && let Ok(layout) = layout.reshape(&node.shape)
            {
                bound.reshaped.insert(n, (slot, layout));
            }
        }
        bound
    }

    /// The input that a node is, and its layout through a map.
    pub fn input(&self, graph: &Graph, node: usize, map: &Map) -> Option<(usize, Layout)> {
        match &graph.nodes[node].kind {
            GraphKind::Slot(slot) => Some((*slot, self.slots[*slot].through(map))),
            _ => self
                .reshaped
                .get(&node)
                .map(|(slot, layout)| (*slot, layout.through(map))),
        }
    }

    /// The steps that have passes of their own whatever the limits are: products and reshaped
    /// values that are computed, where a root needs them.
    pub fn apart(&self, graph: &Graph) -> Vec<usize> {
        let mut needed = vec![false; graph.nodes.len()];
        graph.roots.iter().for_each(|&root| needed[root] = true);
        for (n, node) in graph.nodes.iter().enumerate().rev() {
            if needed[n] {
                node.args.iter().for_each(|(arg, _)| needed[*arg] = true);
            }
        }
        let is_apart = |n: &usize| match graph.nodes[*n].kind {
            GraphKind::Product => needed[*n],
            GraphKind::Reshape => needed[*n] && !self.reshaped.contains_key(n),
            _ => false,
        };
        (0..graph.nodes.len()).filter(is_apart).collect()
    }
}

/// Lowers the pass of node `root`.
pub(crate) fn lower(graph: &Graph, root: usize, places: &Bound<'_>) -> Result<Body> {
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
        let bound = match places.cuts.get(n) {
            Some(&temporary) if *n != root => Some((
                Source::Temporary(temporary),
                Layout::contiguous(&node.shape)?.through(map),
            )),
            _ => places
                .input(graph, *n, map)
                .map(|(slot, layout)| (Source::Slot(slot), layout)),
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
                let scalar = Scalar {
                    dtype: node.dtype,
                    bits: *bits,
                };
                let k = body
                    .scalars
                    .iter()
                    .position(|s| *s == scalar)
                    .unwrap_or_else(|| {
                        body.scalars.push(scalar);
                        body.scalars.len() - 1
                    });
                values.insert(key, Arg::Scalar(k));
                continue;
            }
            GraphKind::Step(op) => *op,
            GraphKind::Slot(_) | GraphKind::Alias | GraphKind::Product | GraphKind::Reshape => {
                continue;
            }
        };
        let operands: Vec<(usize, Map)> = node
            .args
            .iter()
            .map(|(a, inner)| resolve(graph, *a, map.then(inner)))
            .collect();
        if ready {
            let args = operands.iter().map(|o| values[o]).collect();
            let operand = graph.nodes[operands[operands.len() - 1].0].dtype;
            values.insert(key, Arg::Step(body.steps.len()));
            body.steps.push(Step {
                op,
                args,
                operand,
                dtype: node.dtype,
            });
        } else {
            stack.push((key, true));
            stack.extend(operands.into_iter().rev().map(|o| (o, false)));
        }
    }
    body.result = values.get(&start).copied();
    Ok(body)
}
