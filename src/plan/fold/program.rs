//! Which reductions of a graph are computed in one pass, with what is before and behind them.
//!
//! A program is the part of a graph that one pass folds: all its reductions run along the same axes
//! of one space, and what is read between them moves along that space or repeats along those axes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::FoldSpace;
use super::walked::Program;
use crate::expr::{Computed, Graph, GraphKind, SeenNode};
use crate::plan::limits::{Limits, MAX_STEPS};
use crate::plan::ordered::ordered;
use crate::view::{AxisMap, Map};

/// A value is small beside a space of so many times its elements at least.
const SMALL: usize = 2;

/// What is found below the root of a program.
#[derive(Default)]
struct Below {
    /// What is computed by earlier passes: reductions that are not folded here, values that are joined.
    apart: BTreeSet<usize>,
    fused: BTreeSet<usize>,
    /// Inputs, each as often as it is seen in another way.
    inputs: usize,
    steps: usize,
    /// Turns of their loops for a quad.
    turns: usize,
    /// The longest chain of reductions, one upon the other.
    stages: usize,
}

/// The programs of a graph and the nodes that they are made for.
pub(in crate::plan) struct Programs<'a> {
    pub graph: &'a Graph,
    /// What is computed for the roots of the graph.
    pub roots: &'a [usize],
    pub limits: &'a Limits,
    pub max_inputs: usize,
    pub made: BTreeMap<usize, Program>,
    /// The nodes that were decided of.
    seen: HashSet<usize>,
    /// Whether a reduction is at or below each node.
    after: Vec<bool>,
}

/// Whether a fold is at or below each node, without a node with a buffer between.
pub(in crate::plan) fn after_folds(graph: &Graph) -> Vec<bool> {
    let mut after: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        after.push(match node.kind.computed() {
            Computed::Folded => true,
            Computed::Apart | Computed::Relaid | Computed::Piecewise => false,
            _ => node.args.iter().any(|(arg, _)| after[*arg]),
        });
    }
    after
}

impl<'a> Programs<'a> {
    pub fn new(
        graph: &'a Graph,
        roots: &'a [usize],
        limits: &'a Limits,
        max_inputs: usize,
    ) -> Self {
        Self {
            graph,
            roots,
            limits,
            max_inputs,
            made: BTreeMap::new(),
            seen: HashSet::new(),
            after: after_folds(graph),
        }
    }

    /// Makes a program for each of these roots that has reductions below it, adding the nodes that
    /// need a pass of their own. What one program cuts may be a part of another, which is made anew.
    pub fn settle(&mut self, cut: &mut BTreeSet<usize>) {
        loop {
            let roots = self.roots.iter().chain(cut.iter());
            let mut open: Vec<usize> = roots
                .map(|&root| self.computed(root))
                .filter(|root| !self.seen.contains(root))
                .collect();
            if open.is_empty() {
                for (&root, program) in &self.made {
                    let below = self.below(root, program, cut);
                    if below.fused != program.fused || !self.fits(program, &below) {
                        open.push(root);
                    }
                }
            }
            if open.is_empty() {
                return;
            }
            for root in open {
                self.seen.insert(root);
                self.made.remove(&root);
                if self.after[root] {
                    self.decide(root, cut);
                }
            }
        }
    }

    /// The node that a pass for a root computes.
    fn computed(&self, root: usize) -> usize {
        match self.graph.nodes[root].kind.computed() {
            Computed::Relaid => self.graph.nodes[root].args[0].0,
            _ => root,
        }
    }

    fn is_fold(&self, n: usize) -> bool {
        self.graph.nodes[n].kind.computed() == Computed::Folded
    }

    fn decide(&mut self, root: usize, cut: &mut BTreeSet<usize>) {
        let whole = Map::identity(&self.graph.nodes[root].shape).normalised();
        let found = self.found(root, whole.clone(), cut);
        if found.is_empty() {
            return;
        }
        let mut options: Vec<Program> = Vec::new();
        for (n, map) in &found {
            let option = Program::of(self.graph, *n, map, &self.graph.nodes[root].shape);
            options.extend(option.filter(|o| !options.contains(o)));
        }
        // What is scanned is written as a whole, so that steps behind it cost nothing there.
        let rank = |o: &Program| {
            let len = o.shape.len().unwrap_or(usize::MAX);
            (o.scan.is_none(), std::cmp::Reverse(len))
        };
        let options = ordered(options, |a, b| rank(a) < rank(b));
        for program in &options {
            let below = self.below(root, program, cut);
            if self.fits(program, &below) {
                cut.extend(below.apart.iter().filter(|n| **n != root));
                let program = Program {
                    fused: below.fused,
                    ..program.clone()
                };
                self.made.insert(root, program);
                return;
            }
        }
        // What repeats along the reduced axes comes first, by passes of its own.
        let mut parts = BTreeSet::new();
        for program in &options {
            self.repeated(root, program, cut, &mut parts);
        }
        if parts.is_empty() {
            parts.extend(found.iter().map(|(n, _)| *n).filter(|n| *n != root));
        }
        if parts.is_empty() {
            // What is folded has too many inputs or steps.
            let node = &self.graph.nodes[self.graph.resolve(root, whole.clone()).0];
            parts.extend(
                node.args
                    .iter()
                    .map(|(arg, map)| self.graph.resolve(*arg, map.clone()).0),
            );
        }
        let new = parts.iter().filter(|n| !cut.contains(n)).count();
        cut.extend(parts);
        if new > 0 {
            self.decide(root, cut);
        }
    }

    /// The reductions that are reached from a root, seen so, without another between.
    fn found(&self, root: usize, start: Map, cut: &BTreeSet<usize>) -> Vec<SeenNode> {
        let mut found = Vec::new();
        self.walk(root, start, root, cut, &mut |n, map| {
            let is_apart = n != root && cut.contains(&n);
            let found_one = !is_apart && self.is_fold(n);
            if found_one {
                found.push((n, map.clone()));
            }
            !found_one
        });
        found
    }

    /// Visits what a root is computed of, each node once for each way in which it is seen. `into`:
    /// whether what a node is made of is visited too.
    fn walk(
        &self,
        from: usize,
        map: Map,
        root: usize,
        cut: &BTreeSet<usize>,
        into: &mut dyn FnMut(usize, &Map) -> bool,
    ) {
        let mut seen: HashSet<SeenNode> = HashSet::new();
        let mut stack = vec![(from, map)];
        while let Some((n, map)) = stack.pop() {
            let (n, map) = self.graph.resolve(n, map);
            let map = map.normalised();
            if !seen.insert((n, map.clone())) || !into(n, &map) || n != root && cut.contains(&n) {
                continue;
            }
            let node = &self.graph.nodes[n];
            if matches!(node.kind, GraphKind::Step(_)) {
                let args = node.args.iter();
                stack.extend(args.map(|(arg, inner)| (*arg, map.then(inner))));
            }
        }
    }

    /// What a program would hold.
    fn below(&self, root: usize, program: &Program, cut: &BTreeSet<usize>) -> Below {
        let mut below = Below::default();
        let mut open = vec![(root, program.start.clone(), 0)];
        let mut inputs: HashSet<SeenNode> = HashSet::new();
        while let Some((from, start, depth)) = open.pop() {
            below.stages = below.stages.max(depth);
            self.walk(from, start, root, cut, &mut |n, map| {
                let node = &self.graph.nodes[n];
                if n != root && cut.contains(&n) {
                    inputs.insert((n, map.clone()));
                    return false;
                }
                let computed = node.kind.computed();
                let is_fused = match (&node.kind, node.kind.numbered()) {
                    (GraphKind::Step(_), _) => {
                        if n == root || !self.is_row_value(n, map, program, cut) {
                            below.steps += self.limits.weight_of(self.graph, n);
                            below.turns += self.graph.turns(n, self.limits.native64());
                            return true;
                        }
                        false
                    }
                    (_, Some(axes)) => program.numbers(&node.shape, axes, map),
                    _ => computed == Computed::Known,
                };
                if program.folds(self.graph, n, map) {
                    // Deeper again if it is below another.
                    below.fused.insert(n);
                    let (arg, whole) = node.args[0].clone();
                    open.push((arg, whole.normalised(), depth + 1));
                } else if !is_fused {
                    inputs.insert((n, map.clone()));
                    // The others have buffers.
                    if let Computed::Known | Computed::Fused | Computed::Folded = computed {
                        below.apart.insert(n);
                    }
                }
                false
            });
            if below.steps > MAX_STEPS {
                break;
            }
        }
        below.inputs = inputs.len();
        below
    }

    /// Whether a step that is seen so is made of reductions that the program does not fold, and is no
    /// larger than they are: it is computed with them, by their pass.
    fn is_row_value(&self, n: usize, map: &Map, program: &Program, cut: &BTreeSet<usize>) -> bool {
        let len = |n: usize| self.graph.nodes[n].shape.len().unwrap_or(usize::MAX);
        let space = program.shape.len().unwrap_or(usize::MAX);
        if !self.after[n] || len(n).saturating_mul(SMALL) > space {
            return false;
        }
        let found = self.found(n, map.clone(), cut);
        !found
            .iter()
            .any(|(n, map)| program.folds(self.graph, *n, map))
            && found.iter().any(|(other, _)| len(*other) == len(n))
    }

    /// Whether a program is one pass.
    fn fits(&self, program: &Program, below: &Below) -> bool {
        // What comes before the chunks of a scan is an input too.
        let inputs = below.inputs + usize::from(program.scan.is_some());
        if inputs > self.max_inputs
            || below.steps > MAX_STEPS
            || below.turns > self.limits.folded_turns()
            || below.fused.is_empty()
        {
            return false;
        }
        // Folds that are computed apart are inputs of what comes behind them.
        let folds = below.fused.len();
        if folds > 1 && !program.is_full() && inputs + folds > self.max_inputs {
            return false;
        }
        if let Some(scan) = program.scan {
            // One that is seen in another way too is written first.
            return !below.apart.contains(&scan);
        }
        let space = FoldSpace::of(&program.shape, &program.axes);
        // Which parts of rows may fold, in as many passes as one of them.
        let mut dtypes = below.fused.iter().map(|&n| self.graph.nodes[n].dtype);
        let first = dtypes.next();
        let at_once = below.stages == 1 && dtypes.all(|dtype| Some(dtype) == first);
        let in_parts = at_once && !program.is_full();
        in_parts || space.is_one_pass(below.stages, program.is_full(), below.turns, self.limits)
    }

    /// Adds the nodes below a root that are made of reductions and repeat along the folded axes.
    fn repeated(
        &self,
        root: usize,
        program: &Program,
        cut: &BTreeSet<usize>,
        parts: &mut BTreeSet<usize>,
    ) {
        let repeats = |map: &Map| {
            let moves = |axis: &AxisMap| axis.from.is_some_and(|from| program.axes.contains(&from));
            !map.axes.iter().any(moves)
        };
        let mut open = vec![(root, program.start.clone())];
        while let Some((from, start)) = open.pop() {
            let is_row = from == root && !program.is_full();
            self.walk(from, start, root, cut, &mut |n, map| {
                let is_part = self.after[n] && n != root && !cut.contains(&n) && !is_row;
                if is_part && repeats(map) {
                    parts.insert(n);
                    return false;
                }
                if program.folds(self.graph, n, map) && is_row {
                    let (arg, whole) = self.graph.nodes[n].args[0].clone();
                    open.push((arg, whole.normalised()));
                    return false;
                }
                true
            });
        }
    }
}
