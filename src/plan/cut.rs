//! Which steps of a graph get a pass of their own.
//!
//! A whole expression is one pass unless its bindings run out, it has more than [`MAX_STEPS`]
//! steps, or a costly part of it has far fewer elements than what it is broadcast to, so that
//! computing it once pays.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::fold::{Program, Programs, after_folds};
use super::joined::pieces;
use super::limits::{Limits, MAX_INDICES, MAX_STEPS};
use super::lower::Sources;
use crate::error::Result;
use crate::expr::{Computed, Graph, GraphKind, GraphNode, SeenNode};
use crate::shape::Shape;
use crate::view::Map;

/// A costly operand is computed once if it has at most this fraction of the result's elements...
const HOIST_FACTOR: usize = 8;
/// ...and the result has at least this many.
const HOIST_LEN: usize = 1 << 16;

/// What a node's kernel would hold if the node were the root of a pass.
#[derive(Clone, Default)]
struct Cone {
    /// Steps, as (node, map to this node).
    steps: Rc<Vec<(u32, u32)>>,
    /// Bindings, as (node of the slot or cut step, map to this node).
    inputs: Rc<Vec<(u32, u32)>>,
    /// Whether a step costs much more than a load.
    heavy: bool,
}

/// Maps by number, with their compositions.
#[derive(Default)]
struct Maps {
    list: Vec<Map>,
    ids: HashMap<Map, u32>,
    composed: HashMap<(u32, u32), u32>,
}

impl Maps {
    fn id(&mut self, map: Map) -> u32 {
        *self.ids.entry(map).or_insert_with_key(|map| {
            self.list.push(map.clone());
            self.list.len() as u32 - 1
        })
    }

    fn then(&mut self, outer: u32, inner: u32) -> u32 {
        if let Some(&id) = self.composed.get(&(outer, inner)) {
            return id;
        }
        let map = self.list[outer as usize].then(&self.list[inner as usize]);
        let id = self.id(map);
        self.composed.insert((outer, inner), id);
        id
    }

    /// The pairs seen through one more map.
    fn through(&mut self, map: u32, pairs: &Rc<Vec<(u32, u32)>>) -> Rc<Vec<(u32, u32)>> {
        let mut moved: Vec<_> = pairs.iter().map(|&(n, m)| (n, self.then(map, m))).collect();
        if moved == **pairs {
            return Rc::clone(pairs);
        }
        moved.sort_unstable();
        moved.dedup();
        Rc::new(moved)
    }
}

/// The nodes that get passes of their own, and what the passes that fold compute, by their roots.
pub(crate) struct Cuts {
    /// The roots of the graph are not among them.
    pub nodes: BTreeSet<usize>,
    pub programs: BTreeMap<usize, Program>,
}

/// The steps that get a pass of their own, the roots not among them.
///
/// A cut changes the cones of all users of the step, also of those that were looked at before it
/// was made; so the nodes are gone through until no cut is added. Those of `apart` are there from
/// the start.
pub(crate) fn cuts(
    graph: &Graph,
    sources: &Sources<'_>,
    max_inputs: usize,
    limits: &Limits,
    apart: &[usize],
) -> Result<Cuts> {
    let mut maps = Maps::default();
    let own = sources.own_passes(graph);
    let mut cut = BTreeSet::new();
    cut.extend(apart.iter().chain(&own));
    let roots = sources.roots.iter();
    let alone = roots.filter_map(|&root| sources.apart(graph, root));
    for n in own.iter().copied().chain(alone) {
        let args = graph.nodes[n].args.iter();
        for source in args.map(|(arg, _)| graph.behind(*arg)) {
            let is_needed = match graph.nodes[n].kind.computed() {
                Computed::Apart => sources.whole(graph, source).is_none(),
                _ => graph.nodes[source].kind.computed() == Computed::Folded,
            };
            if is_needed {
                cut.insert(source);
            }
        }
    }
    // What is folded is written before it is placed.
    let after = after_folds(graph);
    for node in &graph.nodes {
        if matches!(node.kind, GraphKind::Placed(_)) {
            let pieces = node.args.iter().filter(|(arg, _)| after[*arg]);
            cut.extend(pieces.map(|(arg, _)| graph.behind(*arg)));
        }
    }
    let mut programs = Programs::new(graph, &sources.roots, limits, max_inputs);
    loop {
        programs.settle(&mut cut);
        let before = cut.len();
        let mapped = mapped(graph, &sources.roots, &cut, &programs);
        add_cuts(graph, max_inputs, limits, &mut maps, &mapped, &mut cut)?;
        if cut.len() == before {
            return Ok(Cuts {
                nodes: cut,
                programs: programs.made,
            });
        }
    }
}

/// The nodes that passes without folds compute.
fn mapped(
    graph: &Graph,
    roots: &[usize],
    cut: &BTreeSet<usize>,
    programs: &Programs<'_>,
) -> Vec<bool> {
    let mut mapped = vec![programs.made.is_empty(); graph.nodes.len()];
    let mut stack: Vec<usize> = roots.iter().chain(cut).copied().collect();
    while let Some(n) = stack.pop() {
        if programs.made.contains_key(&n) || std::mem::replace(&mut mapped[n], true) {
            continue;
        }
        let args = graph.nodes[n].args.iter().map(|(arg, _)| *arg);
        stack.extend(args.filter(|arg| !cut.contains(arg)));
    }
    mapped
}

/// The pieces of a node that is written piece by piece of which passes would compute an element
/// several times.
fn costly_pieces(graph: &Graph, node: &GraphNode, cones: &[Cone]) -> Vec<usize> {
    let GraphKind::Placed(places) = &node.kind else {
        return Vec::new();
    };
    let len = |shape: &Shape| shape.len().unwrap_or(usize::MAX);
    let mut met = BTreeSet::new();
    let sources = node.args.iter().map(|(arg, _)| graph.behind(*arg));
    let costly = sources.zip(places).filter(|&(n, place)| {
        cones[n].heavy && (!met.insert(n) || len(&graph.nodes[n].shape) < len(&place.shape))
    });
    costly.map(|(n, _)| n).collect()
}

/// Goes through all nodes once, adding the cuts that their cones need.
fn add_cuts(
    graph: &Graph,
    max_inputs: usize,
    limits: &Limits,
    maps: &mut Maps,
    mapped: &[bool],
    cut: &mut BTreeSet<usize>,
) -> Result<()> {
    let mut cones: Vec<Cone> = Vec::with_capacity(graph.nodes.len());
    // Of each node: the indices that its kernel works with.
    let mut indices: Vec<usize> = vec![0; graph.nodes.len()];
    let loops = (0..graph.nodes.len()).any(|n| graph.turns(n, limits.native64()) > 0);
    for (n, node) in graph.nodes.iter().enumerate() {
        let own = maps.id(Map::identity(&node.shape));
        let seen = match &node.kind {
            kind if !mapped[n] || kind.has_buffer() => {
                cut.extend(costly_pieces(graph, node, &cones));
                cones.push(Cone {
                    inputs: Rc::new(vec![(n as u32, own)]),
                    ..Cone::default()
                });
                continue;
            }
            GraphKind::Step(_) => {
                let args = node.args.iter();
                args.map(|(arg, map)| graph.resolve(*arg, map.clone()))
                    .collect()
            }
            GraphKind::Placed(places) => {
                let whole = Map::identity(&node.shape);
                let (pieces, _) = pieces(graph, n, places, &whole)?;
                indices[n] = pieces.iter().map(|piece| piece.tests.len()).sum();
                let seen: Vec<SeenNode> = pieces.into_iter().map(|p| p.seen).collect();
                // It is computed for elements of other pieces too.
                let args = seen.iter().map(|(arg, _)| *arg);
                cut.extend(args.filter(|&arg| cones[arg].heavy));
                seen
            }
            GraphKind::Numbers => {
                indices[n] = 1;
                Vec::new()
            }
            _ => {
                cones.push(Cone::default());
                continue;
            }
        };
        let len = node.shape.len()?;
        let mut args: Vec<(usize, u32)> = Vec::new();
        for (source, map) in seen {
            let pair = (source, maps.id(map));
            if !args.contains(&pair) {
                args.push(pair);
            }
        }
        for &(arg, _) in &args {
            let small = graph.nodes[arg].shape.len()?.saturating_mul(HOIST_FACTOR) <= len;
            if cones[arg].heavy && small && len >= HOIST_LEN {
                cut.insert(arg);
            }
        }
        let cone = loop {
            let mut steps = vec![(n as u32, own)];
            let mut inputs = Vec::new();
            let mut heavy = matches!(node.kind, GraphKind::Step(op) if op.is_costly());
            for &(arg, map) in &args {
                if cut.contains(&arg) {
                    inputs.push((arg as u32, map));
                    continue;
                }
                let cone = cones[arg].clone();
                steps.extend_from_slice(&maps.through(map, &cone.steps));
                inputs.extend_from_slice(&maps.through(map, &cone.inputs));
                heavy |= cone.heavy;
            }
            for list in [&mut steps, &mut inputs] {
                list.sort_unstable();
                list.dedup();
            }
            let size = |(a, _): &&(usize, u32)| (cones[*a].inputs.len(), cones[*a].steps.len());
            let is_open = |(a, _): &&(usize, u32)| !cut.contains(a) && !cones[*a].steps.is_empty();
            let open = args.iter().filter(is_open);
            let sum = |of: &dyn Fn(usize) -> usize| -> usize {
                steps.iter().map(|(n, _)| of(*n as usize)).sum()
            };
            let too_long = sum(&|n| limits.weight_of(graph, n)) > MAX_STEPS
                || sum(&|n| indices[n]) > MAX_INDICES
                || loops && limits.step_turns() < sum(&|n| graph.turns(n, limits.native64()));
            if (inputs.len() > max_inputs || too_long)
                && let Some((arg, _)) = open.max_by_key(size)
            {
                cut.insert(*arg);
                continue;
            }
            break Cone {
                steps: Rc::new(steps),
                inputs: Rc::new(inputs),
                heavy,
            };
        };
        cones.push(cone);
    }
    Ok(())
}
