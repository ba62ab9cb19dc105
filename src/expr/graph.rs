//! The typed graph: an expression with every type and shape known and every rule resolved to index
//! maps.

use std::collections::HashMap;

use super::kind::{GraphKind, Relaid};
use super::{Expr, Kind, Literal, Origin, Scalar};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::{Arity, Native64, Op};
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::Map;

/// A node: its operands with the maps from this node's indices to theirs.
#[derive(Clone, Debug)]
pub(crate) struct GraphNode {
    pub kind: GraphKind,
    pub dtype: DType,
    pub shape: Shape,
    pub args: Vec<SeenNode>,
    pub origin: Origin,
}

impl GraphNode {
    /// A node without an origin in a text.
    pub fn new(kind: GraphKind, dtype: DType, shape: Shape, args: Vec<SeenNode>) -> Self {
        Self {
            kind,
            dtype,
            shape,
            args,
            origin: Origin::default(),
        }
    }

    /// The shape of the elements that a buffer of its own has: windows share theirs.
    pub fn held_shape(&self) -> &Shape {
        match (&self.kind, self.args.first()) {
            (GraphKind::Relaid(Relaid::Windows(_)), Some((_, map))) => &map.shape,
            _ => &self.shape,
        }
    }
}

/// Nodes in topological order: operands before their users.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<GraphNode>,
    /// The node of each root.
    pub roots: Vec<usize>,
    /// Along which axes the first nodes are one element, as far as a fold asked for it.
    pub repeats: Vec<Vec<bool>>,
    /// The nodes by their keys, if equal nodes are made once.
    pub(crate) known: Option<HashMap<NodeKey, usize>>,
}

/// A node, and the map from the indices that it is seen at to its own.
pub(crate) type SeenNode = (usize, Map);

/// What makes two nodes the same.
pub(crate) type NodeKey = (GraphKind, DType, Shape, Vec<SeenNode>);

impl Graph {
    /// Types and aligns promoted expressions. `slot` gives the type and shape of an input.
    ///
    /// # Errors
    /// Those of the op table, the rules and the views, at the step's column if it has one.
    pub fn new(
        roots: &[Expr<usize>],
        slot: impl Fn(usize) -> Result<(DType, Shape)>,
    ) -> Result<Self> {
        Self::of(roots, &slot)
    }

    /// Compiled once, whatever knows the slots.
    fn of(roots: &[Expr<usize>], slot: &dyn Fn(usize) -> Result<(DType, Shape)>) -> Result<Self> {
        let order = Expr::post_order(roots);
        // What a reduction and its surroundings share is computed together, and a gradient has some
        // of it twice.
        let shares = |expr: &&Expr<usize>| match expr.kind() {
            Kind::Fold { .. } | Kind::Scanned { .. } | Kind::Like(_) => true,
            Kind::Gathered(gathered) => gathered.sources(expr.args()).is_empty(),
            _ => false,
        };
        let mut graph = Self {
            known: order.iter().any(shares).then(HashMap::new),
            ..Self::default()
        };
        let mut made: HashMap<usize, usize> = HashMap::new();
        // A slot is one node, however many leaves name it.
        let mut slots: HashMap<usize, usize> = HashMap::new();
        for expr in order {
            let args: Vec<usize> = expr.args().iter().map(|a| made[&a.address()]).collect();
            let first = graph.nodes.len();
            let node = match expr.kind() {
                Kind::Leaf => match expr.as_leaf().map(|i| (*i, slots.get(i))) {
                    Some((_, Some(&node))) => Ok(node),
                    Some((i, None)) => slot(i).map(|(dtype, shape)| {
                        let node = graph.push(GraphKind::Slot(i), dtype, shape, Vec::new());
                        slots.insert(i, node);
                        node
                    }),
                    None => Err(not_promoted("expression")),
                },
                Kind::Scalar(x) => Ok(graph.number(*x)),
                Kind::Literal(x) => Err(not_typed(*x)),
                Kind::Given(x) => Err(not_typed(x.stand_in)),
                Kind::View(view) => {
                    let map = view.map(&graph.nodes[args[0]].shape);
                    map.map(|map| graph.alias(args[0], map))
                }
                Kind::Reshape(extents) => graph.reshape(args[0], extents),
                Kind::Windows(windows) => graph.windows(args[0], windows),
                Kind::Step { op, rule, to, .. } => graph.step(*op, rule, *to, &args),
                Kind::Product => graph.product(args[0], args[1]),
                Kind::Fold { fold, axes } => graph.fold(args[0], *fold, axes),
                Kind::Count { axes, ddof, dtype } => graph.count(args[0], axes, *ddof, *dtype),
                Kind::Position(axes) => graph.position(args[0], axes),
                Kind::Scanned { op, along } => graph.scan(args[0], *op, *along),
                Kind::Like(like) => graph.like(like, &args),
                Kind::Gathered(gathered) => graph.gathered(*gathered, &args),
                Kind::Detached => Ok(args[0]),
                Kind::Composed(_) | Kind::Call(_) => Err(not_promoted("expression")),
                Kind::Reduce { reduction, .. } => Err(not_promoted(reduction.name())),
                Kind::Scan { scan, .. } => Err(not_promoted(scan.name())),
                Kind::Gradient(_) => Err(not_promoted("gradient")),
            };
            let origin = expr.origin();
            let node = node.map_err(|e| origin.of(e))?;
            graph.nodes[first..]
                .iter_mut()
                .for_each(|n| n.origin = origin);
            made.insert(expr.address(), node);
        }
        graph.roots = roots.iter().map(|r| made[&r.address()]).collect();
        graph.prune();
        Ok(graph)
    }

    /// Drops the nodes that no root needs, of which shapes alone were asked for.
    fn prune(&mut self) {
        let needed = self.needed_by(&self.roots);
        if needed.iter().all(|&is| is) {
            return;
        }
        let mut left = 0..;
        let place = |is: &bool| is.then(|| left.next()).flatten().unwrap_or_default();
        let places: Vec<usize> = needed.iter().map(place).collect();
        let mut is_needed = needed.into_iter();
        self.nodes.retain(|_| is_needed.next().unwrap_or_default());
        let args = self.nodes.iter_mut().flat_map(|node| &mut node.args);
        args.for_each(|(arg, _)| *arg = places[*arg]);
        self.roots.iter_mut().for_each(|root| *root = places[*root]);
        self.known = None;
    }

    /// Whether each node is one of these or computed into one.
    pub fn needed_by(&self, roots: &[usize]) -> Vec<bool> {
        self.needed_into(roots, |_| true)
    }

    /// The same into nodes for which this holds.
    pub(super) fn needed_into(
        &self,
        roots: &[usize],
        into: impl Fn(&GraphNode) -> bool,
    ) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        roots.iter().for_each(|&root| needed[root] = true);
        for (n, node) in self.nodes.iter().enumerate().rev() {
            if needed[n] && into(node) {
                node.args.iter().for_each(|(arg, _)| needed[*arg] = true);
            }
        }
        needed
    }

    /// These nodes and roots.
    pub(super) fn of_nodes(nodes: Vec<GraphNode>, roots: Vec<usize>) -> Self {
        Self {
            nodes,
            roots,
            ..Self::default()
        }
    }

    /// The nodes and roots alone, to be kept.
    pub fn kept(&self) -> Self {
        Self::of_nodes(self.nodes.clone(), self.roots.clone())
    }

    /// Turns of a step's loops for a quad, at most.
    pub fn turns(&self, node: usize, native: Native64) -> usize {
        self.operator(node)
            .map_or(0, |(op, operand, _)| op.turns(operand, native))
    }

    /// The operator of a step, and the types of its operands and its result.
    pub fn operator(&self, node: usize) -> Option<(Op, DType, DType)> {
        let node = &self.nodes[node];
        match (&node.kind, node.args.last()) {
            (GraphKind::Step(op), Some((arg, _))) => {
                Some((*op, self.nodes[*arg].dtype, node.dtype))
            }
            _ => None,
        }
    }

    /// Refuses custom operators' own WGSL on f64 if shaders have no 64-bit floats.
    ///
    /// # Errors
    /// [`Error::Unsupported`] at the step's column if it has one.
    pub fn check_f64(&self, exists: bool) -> Result<()> {
        for node in self.nodes.iter().filter(|_| !exists) {
            if let (GraphKind::Step(op), Some((arg, _))) = (&node.kind, node.args.last())
                && op.has_own_f64(self.nodes[*arg].dtype)
            {
                let what = format!(
                    "{op} of f64: a custom operator's WGSL needs 64-bit floats, which the adapter's shaders do not have; cast to f32 first"
                );
                return Err(node.origin.of(Error::unsupported(what)));
            }
        }
        Ok(())
    }

    /// The slot, number or step behind a node's aliases.
    pub fn behind(&self, mut node: usize) -> usize {
        while matches!(self.nodes[node].kind, GraphKind::Alias) {
            node = self.nodes[node].args[0].0;
        }
        node
    }

    /// Follows aliases to the slot, number or step behind a node, composing maps.
    pub fn resolve(&self, mut node: usize, mut map: Map) -> SeenNode {
        while matches!(self.nodes[node].kind, GraphKind::Alias) {
            let (source, inner) = &self.nodes[node].args[0];
            map = map.then(inner);
            node = *source;
        }
        (node, map)
    }

    /// The slot, number or step behind a node, and the map that leads from all of the node to it.
    pub fn resolved(&self, node: usize) -> SeenNode {
        self.resolve(node, Map::identity(&self.nodes[node].shape))
    }

    /// A node through a map.
    pub(super) fn alias(&mut self, of: usize, map: Map) -> usize {
        let (dtype, shape) = (self.nodes[of].dtype, map.shape.clone());
        self.push(GraphKind::Alias, dtype, shape, vec![(of, map.normalised())])
    }

    pub(super) fn push(
        &mut self,
        kind: GraphKind,
        dtype: DType,
        shape: Shape,
        args: Vec<SeenNode>,
    ) -> usize {
        if let Some(known) = &mut self.known {
            let key = (kind.clone(), dtype, shape.clone(), args.clone());
            if let Some(&node) = known.get(&key) {
                return node;
            }
            known.insert(key, self.nodes.len());
        }
        self.nodes.push(GraphNode::new(kind, dtype, shape, args));
        self.nodes.len() - 1
    }

    pub(super) fn reshape(&mut self, arg: usize, extents: &[isize]) -> Result<usize> {
        let shape = reshaped(&self.nodes[arg].shape, extents)?;
        // A reshape of a reshape is one of what that is a reshape of.
        let (mut arg, mut at) = (arg, arg);
        loop {
            let node = &self.nodes[at];
            match (&node.kind, node.args.first()) {
                (GraphKind::Alias, Some((of, map)))
                    if *map == Map::identity(&self.nodes[*of].shape).normalised() =>
                {
                    at = *of
                }
                (GraphKind::Relaid(Relaid::RowMajor), Some((of, _))) => (arg, at) = (*of, *of),
                _ => break,
            }
        }
        Ok(match shape == self.nodes[arg].shape {
            true => self.alias(arg, Map::identity(&shape)),
            false => self.relaid(arg, Relaid::RowMajor, shape),
        })
    }

    /// The elements of a node in its buffer under another shape.
    pub(super) fn relaid(&mut self, arg: usize, how: Relaid, shape: Shape) -> usize {
        let (dtype, source) = self.parts(arg);
        let whole = self.alias(arg, Map::identity(&source));
        let args = vec![self.whole_of(whole)];
        let made = self.push(GraphKind::Relaid(how), dtype, shape.clone(), args);
        self.alias(made, Map::identity(&shape))
    }

    fn step(&mut self, op: Op, rule: &Rule, to: Option<DType>, args: &[usize]) -> Result<usize> {
        let dtypes: Vec<DType> = args.iter().map(|&a| self.nodes[a].dtype).collect();
        let moves = op == Op::IDENTITY || to.is_some_and(|to| dtypes.first() == Some(&to));
        let dtype = op.result(&dtypes, to)?;
        let shapes: Vec<&Shape> = args.iter().map(|&a| &self.nodes[a].shape).collect();
        let alignment = rule.align_onto(op.name(), &shapes, op.facts().target)?;
        let maps: Vec<Map> = shapes
            .iter()
            .enumerate()
            .map(|(i, s)| alignment.map(i, s).normalised())
            .collect();
        let shape = alignment.shape;
        let mut operands: Vec<SeenNode> = args.iter().copied().zip(maps).collect();
        if moves {
            return Ok(self.push(GraphKind::Alias, dtype, shape, operands));
        }
        let Some(fold) = op.fold() else {
            debug_assert!(matches!(op.arity(), Arity::Exactly(_)));
            return Ok(self.push(GraphKind::Step(op), dtype, shape, operands));
        };
        // A fold from the left: the intermediate values live on the axes of the result.
        let whole = Map::identity(&shape).normalised();
        let count = operands.len();
        let mut rest = operands.drain(..);
        let Some((first, map)) = rest.next() else {
            return Err(Error::argument(op.name(), "it needs an operand"));
        };
        let mut folded = self.push(GraphKind::Alias, dtype, shape.clone(), vec![(first, map)]);
        for operand in rest {
            let args = vec![(folded, whole.clone()), operand];
            folded = self.push(GraphKind::Step(fold.step), dtype, shape.clone(), args);
        }
        if let Some(finish) = fold.finish {
            let number = self.number(Scalar::of(dtype, count as f64));
            let nowhere = Map::new(shape.clone(), Vec::new());
            let args = vec![(folded, whole), (number, nowhere)];
            folded = self.push(GraphKind::Step(finish), dtype, shape, args);
        }
        Ok(folded)
    }
}

fn not_typed(number: Literal) -> Error {
    let reason = format!("the number {number} was not given a type");
    Error::argument("expression", reason)
}

fn not_promoted(op: &str) -> Error {
    Error::argument(op, "its expression was not promoted")
}

/// The shape of a reshape, with the extent for -1.
fn reshaped(source: &Shape, extents: &[isize]) -> Result<Shape> {
    let fail = |reason: String| Error::View {
        view: "reshape",
        shape: source.clone(),
        reason,
    };
    let len = source.len()?;
    let known = extents.iter().filter(|&&e| e != -1);
    let known: Vec<usize> = known.map(|e| e.unsigned_abs()).collect();
    let known = Shape::from(known);
    let open = extents.len() - known.rank();
    if extents.iter().any(|&e| e < -1) || open > 1 {
        return Err(fail(format!(
            "in {extents:?} extents must be 0 or more; one may be -1, inferred from the others"
        )));
    }
    let count = known.len()?;
    let rest = match open {
        0 if count == len => 1,
        1 if count > 0 && len % count == 0 => len / count,
        _ => {
            let reason = format!("{len} elements cannot be reshaped to extents {extents:?}");
            return Err(fail(reason));
        }
    };
    let extent = |&e: &isize| if e == -1 { rest } else { e.unsigned_abs() };
    Ok(extents.iter().map(extent).collect::<Vec<_>>().into())
}
