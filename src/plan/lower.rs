//! One pass of a graph as a list of inputs, numbers and steps.

use std::collections::{BTreeMap, HashMap};

use super::body::Body;
use super::fold::{FoldStep, Program, ScanStep};
use super::operand::{Arg, Operand, Source, Step};
use super::slot::Slot;
use crate::error::Result;
use crate::expr::{Graph, GraphKind};
use crate::layout::Layout;
use crate::view::Map;

/// Where the values are that passes bind.
pub(super) struct Sources<'a> {
    /// The buffers of the inputs.
    pub slots: &'a [Slot],
    /// Where the inputs' elements lie in those, on the axes of the graph.
    pub layouts: &'a [Layout],
    /// The reshaped inputs that are read where they lie, by their nodes.
    pub reshaped: BTreeMap<usize, (usize, Layout)>,
    /// The temporary of each cut step.
    pub cuts: BTreeMap<usize, usize>,
}

impl<'a> Sources<'a> {
    /// The inputs and what is reshaped of them, without cuts.
    pub fn inputs(graph: &Graph, slots: &'a [Slot], layouts: &'a [Layout]) -> Self {
        let mut bound = Self {
            slots,
            layouts,
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
            let (source, map) = graph.resolve(*arg, map.clone());
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
            GraphKind::Slot(slot) => Some((*slot, self.layouts[*slot].through(map))),
            _ => self
                .reshaped
                .get(&node)
                .map(|(slot, layout)| (*slot, layout.through(map))),
        }
    }

    /// The operand that a node is through a map: an input, or a cut step's temporary.
    pub fn operand(&self, graph: &Graph, n: usize, map: &Map) -> Result<Option<Operand>> {
        let node = &graph.nodes[n];
        if let Some(&t) = self.cuts.get(&n) {
            let slot = Slot::new(node.dtype, node.shape.clone())?;
            let layout = slot.layout.through(map);
            return Ok(Some(Operand {
                source: Source::Temporary(t),
                slot: slot.with_layout(layout),
            }));
        }
        Ok(self.input(graph, n, map).map(|(i, layout)| Operand {
            source: Source::Slot(i),
            slot: Slot {
                dtype: node.dtype,
                layout,
                room: self.slots[i].room,
            },
        }))
    }

    /// The steps that have passes of their own whatever the limits are: products and reshaped
    /// values that are computed, if a root needs them.
    pub fn own_passes(&self, graph: &Graph) -> Vec<usize> {
        let needed = graph.needed_by(&graph.roots);
        let is_own = |n: &usize| match graph.nodes[*n].kind {
            GraphKind::Product
            | GraphKind::Placed(_)
            | GraphKind::Taken { .. }
            | GraphKind::Numbers => needed[*n],
            GraphKind::Reshape => needed[*n] && !self.reshaped.contains_key(n),
            _ => false,
        };
        (0..graph.nodes.len()).filter(is_own).collect()
    }
}

/// Lowers the pass of node `root`.
pub(super) fn lower(graph: &Graph, root: usize, sources: &Sources<'_>) -> Result<Body> {
    let start = Map::identity(&graph.nodes[root].shape);
    lowered(graph, root, sources, start, None)
}

/// Lowers the pass of node `root`, which folds.
pub(super) fn lower_folds(
    graph: &Graph,
    root: usize,
    sources: &Sources<'_>,
    program: &Program,
) -> Result<Body> {
    let body = lowered(graph, root, sources, program.start.clone(), Some(program))?;
    Ok(Body {
        space: program.shape.clone(),
        reduced: program.axes.clone(),
        ..body
    })
}

fn lowered(
    graph: &Graph,
    root: usize,
    sources: &Sources<'_>,
    start: Map,
    program: Option<&Program>,
) -> Result<Body> {
    let dropped = program.map(Program::dropped);
    let mut body = Body::default();
    let mut values: HashMap<(usize, Map), Arg> = HashMap::new();
    let mut inputs: HashMap<(Source, Layout), usize> = HashMap::new();
    let start = graph.resolve(root, start);
    let mut stack = vec![(start.clone(), false)];
    while let Some((key, ready)) = stack.pop() {
        if values.contains_key(&key) {
            continue;
        }
        let (n, map) = &key;
        let node = &graph.nodes[*n];
        // A cut root is what the pass computes.
        let computed = *n == root && sources.cuts.contains_key(n);
        if let Some(operand) = sources.operand(graph, *n, map)?.filter(|_| !computed) {
            let next = body.inputs.len();
            let at = (operand.source, operand.slot.layout.clone());
            let i = *inputs.entry(at).or_insert(next);
            if i == next {
                body.inputs.push(operand);
            }
            values.insert(key, Arg::Input(i));
            continue;
        }
        let op = match &node.kind {
            GraphKind::Scalar(scalar) => {
                let k = body
                    .scalars
                    .iter()
                    .position(|s| s == scalar)
                    .unwrap_or_else(|| {
                        body.scalars.push(*scalar);
                        body.scalars.len() - 1
                    });
                values.insert(key, Arg::Scalar(k));
                continue;
            }
            GraphKind::Step(op) => Some(*op),
            GraphKind::Reduce { .. } if dropped.as_ref() == Some(&map.clone().normalised()) => None,
            GraphKind::Scan { .. } if program.is_some_and(|p| p.scan == Some(*n)) => None,
            GraphKind::Position { .. } if program.is_some() => {
                values.insert(key, Arg::Position);
                continue;
            }
            GraphKind::Slot(_)
            | GraphKind::Alias
            | GraphKind::Product
            | GraphKind::Reduce { .. }
            | GraphKind::Scan { .. }
            | GraphKind::Position { .. }
            | GraphKind::Placed(_)
            | GraphKind::Taken { .. }
            | GraphKind::Numbers
            | GraphKind::Reshape => {
                continue;
            }
        };
        let seen = |(a, inner): &(usize, Map)| match op {
            Some(_) => graph.resolve(*a, map.then(inner)),
            // What is folded is seen as the whole space.
            None => graph.resolve(*a, inner.clone()),
        };
        let operands: Vec<(usize, Map)> = node.args.iter().map(seen).collect();
        if ready {
            let GraphKind::Step(op) = node.kind else {
                if let GraphKind::Scan { op, exclusive, .. } = node.kind {
                    body.scan = Some(ScanStep::new(op, node.dtype.is_float(), exclusive));
                }
                if let GraphKind::Reduce { op, .. } | GraphKind::Scan { op, .. } = node.kind {
                    values.insert(key, Arg::Fold(body.folds.len()));
                    body.folds.push(FoldStep {
                        op,
                        arg: values[&operands[0]],
                        dtype: node.dtype,
                    });
                }
                continue;
            };
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
