//! Expressions as keys: those that one plan computes are equal.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use super::{Expr, Given, Kind, Literal};

/// The nodes of expressions, of numbered leaves and with numbers of a kind: what a plan depends on,
/// unless it depends on the values of the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExprKey {
    /// Each with the places of its operands, which stand before it.
    nodes: Vec<(Kind<usize>, Vec<usize>)>,
    roots: Vec<usize>,
}

impl ExprKey {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
}

impl<L> Expr<L> {
    /// The key of expressions whose leaves have these numbers, and the values of its numbers.
    pub(crate) fn key<'a>(
        roots: &'a [Self],
        mut leaf: impl FnMut(&'a L) -> usize,
    ) -> (ExprKey, Vec<Literal>) {
        let (mut numbers, mut nodes) = (Vec::new(), Vec::new());
        let mut places = HashMap::new();
        for expr in Self::post_order(roots) {
            let kind = expr.kind().on(|l| Ok(leaf(l)));
            let kind = kind.expect("no leaf is refused").giving(&mut numbers);
            let args = expr.args().iter().map(|arg| places[&arg.address()]);
            nodes.push((kind, args.collect()));
            places.insert(expr.address(), nodes.len() - 1);
        }
        let roots = roots.iter().map(|root| places[&root.address()]);
        let key = ExprKey {
            roots: roots.collect(),
            nodes,
        };
        (key, numbers)
    }

    /// The same expressions of numbered leaves, with the numbers of their key given when they run.
    pub(crate) fn giving(roots: &[Self], mut leaf: impl FnMut(&L) -> usize) -> Vec<Expr<usize>> {
        let mut numbers = Vec::new();
        let made = Self::map_kinds(roots, |kind| {
            Ok(kind.on(|l| Ok(leaf(l)))?.giving(&mut numbers))
        });
        made.expect("no leaf is refused")
    }
}

impl<L> Kind<L> {
    /// The same node; a number that is written in it is given when it runs.
    fn giving(self, numbers: &mut Vec<Literal>) -> Self {
        let number = match self {
            Self::Literal(number) => number,
            Self::Given(given) => given.stand_in,
            other => return other,
        };
        // Equal ones are one, as they are one value of a kernel.
        let known = numbers.iter().position(|x| *x == number);
        let index = known.unwrap_or_else(|| {
            numbers.push(number);
            numbers.len() - 1
        });
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
