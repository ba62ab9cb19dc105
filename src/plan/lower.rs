//! One pass of a graph as a list of inputs, numbers and steps.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::body::Body;
use super::fold::{FoldStep, Program, ScanStep};
use super::joined::{Piece, Test, held, pieces};
use super::operand::{Arg, Operand, Source, Step};
use super::slot::Slot;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Computed, Graph, GraphKind, Relaid, Scalar, SeenNode};
use crate::layout::Layout;
use crate::op::Op;
use crate::shape::Shape;
use crate::view::Map;

/// Where the values are that passes bind.
pub(super) struct Sources<'a> {
    /// The buffers of the inputs.
    pub slots: &'a [Slot],
    /// Where the inputs' elements lie in those, on the axes of the graph.
    pub layouts: &'a [Layout],
    /// The reshaped inputs, and windows of inputs, that are read where they lie, by their nodes.
    pub relaid: BTreeMap<usize, (usize, Layout)>,
    /// The temporary of each cut step.
    pub cuts: BTreeMap<usize, usize>,
    /// What is computed for each root of the graph.
    pub roots: Vec<usize>,
}

impl<'a> Sources<'a> {
    /// The inputs and what is read of them where they lie, without cuts.
    pub fn inputs(graph: &Graph, slots: &'a [Slot], layouts: &'a [Layout]) -> Self {
        let mut bound = Self {
            slots,
            layouts,
            relaid: BTreeMap::new(),
            cuts: BTreeMap::new(),
            roots: Vec::new(),
        };
        for (n, node) in graph.nodes.iter().enumerate() {
            let GraphKind::Relaid(how) = &node.kind else {
                continue;
            };
            let (arg, map) = &node.args[0];
            let (source, map) = graph.resolve(*arg, map.clone());
            if let Some((slot, layout)) = bound.input(graph, source, &map)
                && let Ok(layout) = how.layout(&layout, &node.shape)
            {
                bound.relaid.insert(n, (slot, layout));
            }
        }
        let before_reshape = |&root: &usize| bound.before_reshape(graph, root);
        bound.roots = graph.roots.iter().map(before_reshape).collect();
        // One that others need too is computed for them.
        let needed = graph.needed_by(&bound.roots);
        for (own, &root) in bound.roots.iter_mut().zip(&graph.roots) {
            if needed[graph.behind(root)] {
                *own = root;
            }
        }
        bound
    }

    /// What a root is a reshape of as a whole: its elements lie as the root's.
    fn before_reshape(&self, graph: &Graph, root: usize) -> usize {
        let (n, map) = graph.resolved(root);
        let node = &graph.nodes[n];
        let computed =
            node.kind == GraphKind::Relaid(Relaid::RowMajor) && !self.relaid.contains_key(&n);
        match computed && is_whole(&node.shape, &map) {
            true => node.args[0].0,
            false => root,
        }
    }

    /// The input that a node is, and its layout.
    pub fn whole(&self, graph: &Graph, node: usize) -> Option<(usize, Layout)> {
        match &graph.nodes[node].kind {
            GraphKind::Slot(slot) => Some((*slot, self.layouts[*slot].clone())),
            _ => self.relaid.get(&node).cloned(),
        }
    }

    /// The input that a node is, and its layout through a map.
    pub fn input(&self, graph: &Graph, node: usize, map: &Map) -> Option<(usize, Layout)> {
        let (slot, layout) = self.whole(graph, node)?;
        Some((slot, layout.through(map)))
    }

    /// The operand that a node is through a map: an input, or a cut step's temporary.
    pub fn operand(&self, graph: &Graph, n: usize, map: &Map) -> Result<Option<Operand>> {
        let node = &graph.nodes[n];
        if let Some(&t) = self.cuts.get(&n) {
            let slot = held(node)?;
            let reach = slot.layout.reach();
            return Ok(Some(Operand::seen(Source::Temporary(t), slot, reach, map)));
        }
        Ok(self.whole(graph, n).map(|(i, layout)| {
            let slot = self.slots[i].clone().with_layout(layout);
            // Of an input a part of a result has the elements that it reads alone.
            let held = self.slots[i].layout.reach();
            Operand::seen(Source::Slot(i), slot, held, map)
        }))
    }

    /// The two operands of a node that is computed apart.
    pub fn pair(&self, graph: &Graph, n: usize) -> Result<[Operand; 2]> {
        let operand = |k: usize| {
            let (arg, map) = &graph.nodes[n].args[k];
            let (source, map) = graph.resolve(*arg, map.clone());
            let found = self.operand(graph, source, &map)?;
            found.ok_or_else(|| Error::argument("plan", "an operand was given no buffer"))
        };
        Ok([operand(0)?, operand(1)?])
    }

    /// The node of a pass that computes nothing else which a root is as a whole.
    pub fn apart(&self, graph: &Graph, root: usize) -> Option<usize> {
        let (n, map) = graph.resolved(root);
        let node = &graph.nodes[n];
        let is_apart = matches!(node.kind.computed(), Computed::Apart | Computed::Piecewise);
        (is_apart && is_whole(&node.shape, &map)).then_some(n)
    }

    /// The nodes that have temporaries whatever the limits are, if anything but a root that is the
    /// whole of one needs them: what is computed apart or piece by piece, and computed values that
    /// are reshaped or seen through windows.
    pub fn own_passes(&self, graph: &Graph) -> Vec<usize> {
        let needed = graph.needed_by(&self.roots);
        let mut used = vec![false; graph.nodes.len()];
        for (node, _) in graph.nodes.iter().zip(&needed).filter(|(_, is)| **is) {
            if !matches!(node.kind, GraphKind::Alias) {
                let args = node.args.iter();
                args.for_each(|(arg, _)| used[graph.behind(*arg)] = true);
            }
        }
        // One that several roots are is computed for them once.
        let mut met = BTreeSet::new();
        for &root in &self.roots {
            let apart = self.apart(graph, root);
            used[graph.behind(root)] |= apart.is_none_or(|n| !met.insert(n));
        }
        let is_own = |n: &usize| match graph.nodes[*n].kind.computed() {
            Computed::Apart | Computed::Piecewise => used[*n],
            Computed::Relaid => used[*n] && !self.relaid.contains_key(n),
            _ => false,
        };
        (0..graph.nodes.len()).filter(is_own).collect()
    }
}

/// Whether a map sees all of a node of a shape as it is: its first elements alone are seen by the
/// same axes.
fn is_whole(shape: &Shape, map: &Map) -> bool {
    map.clone().normalised() == Map::identity(shape).normalised()
}

/// Lowers the pass of node `root`, or of a piece of it.
pub(super) fn lower(
    graph: &Graph,
    root: usize,
    sources: &Sources<'_>,
    piece: Option<SeenNode>,
) -> Result<Body> {
    let start = piece.unwrap_or_else(|| graph.resolved(root));
    lowered(graph, root, sources, start, None)
}

/// Lowers the pass of node `root`, which folds.
pub(super) fn lower_folds(
    graph: &Graph,
    root: usize,
    sources: &Sources<'_>,
    program: &Program,
) -> Result<Body> {
    let start = graph.resolve(root, program.start.clone());
    let body = lowered(graph, root, sources, start, Some(program))?;
    Ok(Body {
        space: program.shape.clone(),
        reduced: program.axes.clone(),
        ..body
    })
}

/// A pass as it is lowered.
struct Lowering<'a> {
    graph: &'a Graph,
    root: usize,
    sources: &'a Sources<'a>,
    program: Option<&'a Program>,
    body: Body,
    /// What is known of each node as it is seen.
    values: HashMap<SeenNode, Arg>,
}

/// A node as it is computed from its operands.
enum Made {
    Step(Op),
    /// A fold, or the scan that the pass is.
    Folded,
    /// Pieces, and whether one of them has each element.
    Placed(Vec<Piece>, bool),
}

fn lowered(
    graph: &Graph,
    root: usize,
    sources: &Sources<'_>,
    start: SeenNode,
    program: Option<&Program>,
) -> Result<Body> {
    let mut lowering = Lowering {
        graph,
        root,
        sources,
        program,
        body: Body::default(),
        values: HashMap::new(),
    };
    let mut stack = vec![(start.clone(), false)];
    while let Some((key, ready)) = stack.pop() {
        if lowering.values.contains_key(&key) {
            continue;
        }
        if let Some(value) = lowering.leaf(&key)? {
            lowering.values.insert(key, value);
            continue;
        }
        let Some((made, operands)) = lowering.made(&key)? else {
            continue;
        };
        if ready {
            let value = lowering.value(&key, made, &operands)?;
            lowering.values.insert(key, value);
        } else {
            stack.push((key, true));
            stack.extend(operands.into_iter().rev().map(|o| (o, false)));
        }
    }
    let mut body = lowering.body;
    body.result = lowering.values.get(&start).copied();
    Ok(body)
}

impl Lowering<'_> {
    /// A node that is bound, or is known without operands.
    fn leaf(&mut self, (n, map): &SeenNode) -> Result<Option<Arg>> {
        let node = &self.graph.nodes[*n];
        // A cut root is what the pass computes.
        let computed = *n == self.root && self.sources.cuts.contains_key(n);
        let bound = self.sources.operand(self.graph, *n, map)?;
        if let Some(operand) = bound.filter(|_| !computed) {
            return Ok(Some(self.input(operand)));
        }
        Ok(match &node.kind {
            GraphKind::Scalar(scalar) => Some(self.scalar(*scalar)),
            kind => match kind.numbered() {
                Some(_) if self.program.is_some() => Some(Arg::Position),
                Some(axes) => Some(self.input(Operand::numbers(&node.shape, axes, map)?)),
                None => None,
            },
        })
    }

    /// How a node is made, and of which operands.
    fn made(&self, (n, map): &SeenNode) -> Result<Option<(Made, Vec<SeenNode>)>> {
        let (graph, node) = (self.graph, &self.graph.nodes[*n]);
        let args = || node.args.iter();
        Ok(match &node.kind {
            GraphKind::Step(op) => {
                let seen = args().map(|(arg, inner)| graph.resolve(*arg, map.then(inner)));
                Some((Made::Step(*op), seen.collect()))
            }
            GraphKind::Placed(places) => {
                let (pieces, whole) = pieces(graph, *n, places, map)?;
                let seen = pieces.iter().map(|piece| piece.seen.clone()).collect();
                Some((Made::Placed(pieces, whole), seen))
            }
            kind if self.is_folded(*n, kind, map) => {
                // What is folded is seen as the whole space.
                let seen = args().map(|(arg, inner)| graph.resolve(*arg, inner.clone()));
                Some((Made::Folded, seen.collect()))
            }
            _ => None,
        })
    }

    /// Whether the pass folds a node that is seen so.
    fn is_folded(&self, n: usize, kind: &GraphKind, map: &Map) -> bool {
        self.program.is_some_and(|program| match kind {
            GraphKind::Reduce { .. } => program.dropped() == map.clone().normalised(),
            GraphKind::Scan { .. } => program.scan == Some(n),
            _ => false,
        })
    }

    /// Adds a node to the pass.
    fn value(&mut self, (n, _): &SeenNode, made: Made, operands: &[SeenNode]) -> Result<Arg> {
        let node = &self.graph.nodes[*n];
        let mut args: Vec<Arg> = operands.iter().map(|o| self.values[o]).collect();
        Ok(match made {
            Made::Step(op) => {
                let operand = self.graph.nodes[operands[operands.len() - 1].0].dtype;
                self.step(op, args, operand, node.dtype)
            }
            Made::Folded => {
                if let GraphKind::Scan { op, exclusive, .. } = node.kind {
                    self.body.scan = Some(ScanStep::new(op, node.dtype.is_float(), exclusive));
                }
                if let GraphKind::Reduce { op, .. } | GraphKind::Scan { op, .. } = node.kind {
                    self.body.folds.push(FoldStep {
                        op,
                        arg: args.remove(0),
                        dtype: node.dtype,
                    });
                }
                Arg::Fold(self.body.folds.len() - 1)
            }
            Made::Placed(pieces, whole) => {
                let last = args.pop_if(|_| whole);
                self.chosen(node.dtype, pieces, args, last)?
            }
        })
    }

    /// The element of the piece in whose place it lies, or that of the last, or 0.
    fn chosen(
        &mut self,
        dtype: DType,
        pieces: Vec<Piece>,
        args: Vec<Arg>,
        last: Option<Arg>,
    ) -> Result<Arg> {
        let mut rest = last;
        for (piece, own) in pieces.into_iter().zip(args).rev() {
            let otherwise = rest.unwrap_or_else(|| self.scalar(Scalar::of_bits(dtype, 0)));
            let inside = piece.tests.into_iter().map(|test| self.test(test));
            let inside: Vec<Arg> = inside.collect::<Result<_>>()?;
            let both = |a, b| self.step(Op::AND, vec![a, b], DType::Bool, DType::Bool);
            rest = Some(match inside.into_iter().reduce(both) {
                Some(inside) => self.step(Op::WHERE, vec![inside, own, otherwise], dtype, dtype),
                None => own,
            });
        }
        Ok(rest.unwrap_or_else(|| self.scalar(Scalar::of_bits(dtype, 0))))
    }

    /// Whether an element lies in a piece along an axis.
    fn test(&mut self, test: Test) -> Result<Arg> {
        if u32::try_from(test.extent).is_err() {
            let reason = format!(
                "an axis of {} elements is longer than a kernel counts: 2^32 - 1",
                test.extent
            );
            return Err(Error::argument("concatenate", reason));
        }
        let mut index = self.input(test.indices);
        // Below the first it wraps, and is no less than the count.
        if test.first > 0 {
            let first = self.scalar(Scalar::from(test.first as u32));
            index = self.step(Op::SUB, vec![index, first], DType::U32, DType::U32);
        }
        let count = self.scalar(Scalar::from(test.count as u32));
        Ok(self.step(Op::LESS, vec![index, count], DType::U32, DType::Bool))
    }

    fn step(&mut self, op: Op, args: Vec<Arg>, operand: DType, dtype: DType) -> Arg {
        self.body.steps.push(Step {
            op,
            args,
            operand,
            dtype,
        });
        Arg::Step(self.body.steps.len() - 1)
    }

    fn input(&mut self, operand: Operand) -> Arg {
        let inputs = &mut self.body.inputs;
        let is_it = |x: &Operand| {
            (x.source, x.within) == (operand.source, operand.within)
                && x.slot.layout == operand.slot.layout
        };
        Arg::Input(inputs.iter().position(is_it).unwrap_or_else(|| {
            inputs.push(operand.clone());
            inputs.len() - 1
        }))
    }

    fn scalar(&mut self, scalar: Scalar) -> Arg {
        let scalars = &mut self.body.scalars;
        let known = scalars.iter().position(|s| *s == scalar);
        Arg::Scalar(known.unwrap_or_else(|| {
            scalars.push(scalar);
            scalars.len() - 1
        }))
    }
}
