//! Expressions as keys: expressions that one plan computes are equal.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use super::{Expr, Given, Kind, Literal};

/// The nodes of expressions, with numbered leaves and the kinds of given numbers: all that a plan
/// depends on, unless it depends on those numbers' values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ExprKey {
    nodes: Vec<NodeKey>,
    roots: Vec<usize>,
}

/// A node, and the places of its operands, which stand before it.
#[derive(Clone)]
struct NodeKey(Expr<usize>, Vec<usize>);

impl NodeKey {
    fn key(&self) -> (&Kind, Option<&usize>, &[usize]) {
        (self.0.kind(), self.0.as_leaf(), &self.1)
    }
}

impl PartialEq for NodeKey {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for NodeKey {}

impl Hash for NodeKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl ExprKey {
    pub fn new(roots: &[Expr<usize>]) -> Self {
        let mut places = HashMap::new();
        let mut nodes = Vec::new();
        for expr in Expr::post_order(roots) {
            let args = expr.args().iter().map(|arg| places[&arg.address()]);
            nodes.push(NodeKey(expr.clone(), args.collect()));
            places.insert(expr.address(), nodes.len() - 1);
        }
        let roots = roots.iter().map(|root| places[&root.address()]);
        Self {
            roots: roots.collect(),
            nodes,
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
}

impl<L> Expr<L> {
    /// The same expressions of leaves with these numbers; the numbers that are written in them, which
    /// are the second result, are given when they run.
    pub(crate) fn giving(
        roots: &[Self],
        leaf: &mut dyn FnMut(&L) -> usize,
    ) -> (Vec<Expr<usize>>, Vec<Literal>) {
        let mut places = HashMap::new();
        let mut leaf = |l: &L, origin| Ok(Expr::leaf_from(leaf(l), origin));
        let made = Self::rebuilt(roots, &mut leaf, &mut |kind| kind.giving(&mut places), None);
        let mut numbers = vec![Literal::Bool(false); places.len()];
        let kept = places.into_iter();
        kept.for_each(|(number, place)| numbers[place] = number);
        (made.expect("no leaf is refused"), numbers)
    }
}

impl Kind {
    /// The same node; a number that is written in it is given when it runs.
    fn giving(&self, places: &mut HashMap<Literal, usize>) -> Self {
        let number = match self {
            Self::Literal(number) => *number,
            Self::Given(given) => given.stand_in,
            other => return other.clone(),
        };
        // Equal ones are one, as they are one value of a kernel.
        let next = places.len();
        let index = *places.entry(number).or_insert(next);
        Self::Given(Given::new(index, number))
    }
}

/// Whether they stand for the same number of a run, of the same kind.
impl PartialEq for Given {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && discriminant(&self.stand_in) == discriminant(&other.stand_in)
    }
}

impl Eq for Given {}

impl Hash for Given {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.index, discriminant(&self.stand_in)).hash(state);
    }
}
