//! Plans of arrays that are made in the same way.

use std::collections::HashMap;
use std::sync::Arc;

use zerostride::{Context, Expr, Literal, Plan, Slot, Tensor};

use crate::context::{is_wide, options};
use crate::number::Number;
use crate::part::{Graph, Part, Step};
use crate::plans::{Made, Plans};

/// So many plans of arrays are kept.
const MOST_PLANS: usize = 256;

/// An operand of a step, or a result, in a plan's key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Word {
    Slot(usize),
    Number,
    Result(usize, usize),
}

/// What a plan of arrays depends on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    is_wide: bool,
    /// The formula of each step, and how many operands it has.
    formulas: Vec<(u64, usize)>,
    /// The operands of all steps, behind them the results.
    words: Vec<Word>,
    slots: Vec<Slot>,
    numbers: Vec<Number>,
}

/// Steps whose tensors and numbers are numbered.
struct Numbered<'a> {
    graph: Graph<'a>,
    /// The operands of all steps, behind them the results.
    words: Vec<Word>,
    tensors: Vec<&'a Tensor>,
    numbers: Vec<Literal>,
}

impl<'a> Numbered<'a> {
    /// `None` if a part is none of steps, tensors and numbers.
    fn new(roots: &'a [Part]) -> Option<Self> {
        let graph = Graph::new(roots);
        let (mut words, mut tensors, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut slots: HashMap<*const Tensor, usize> = HashMap::new();
        let operands = graph.steps.iter().flat_map(|step| &step.operands);
        for part in operands.chain(roots) {
            words.push(match part {
                Part::Leaf(leaf) => {
                    let slot = slots.entry(Arc::as_ptr(&leaf.tensor)).or_insert_with(|| {
                        tensors.push(&*leaf.tensor);
                        tensors.len() - 1
                    });
                    Word::Slot(*slot)
                }
                Part::Number(number) => {
                    numbers.push(*number);
                    Word::Number
                }
                Part::Step(step, which) => Word::Result(graph.places[&Arc::as_ptr(step)], *which),
                Part::Gradient(_) => return None,
            });
        }
        Some(Self {
            graph,
            words,
            tensors,
            numbers,
        })
    }

    fn key(&self, by_value: bool) -> Key {
        let formula = |step: &&Arc<Step>| (step.formula.number, step.operands.len());
        let number = |x: &Literal| Number::of(x, by_value);
        Key {
            is_wide: is_wide(),
            formulas: self.graph.steps.iter().map(formula).collect(),
            words: self.words.clone(),
            slots: self.tensors.iter().map(|t| t.slot()).collect(),
            numbers: self.numbers.iter().map(number).collect(),
        }
    }

    fn plan(&self, context: &Context) -> zerostride::Result<Plan> {
        let mut words = self.words.iter();
        let mut numbers = self.numbers.iter().enumerate();
        let mut made: Vec<Vec<Expr<usize>>> = Vec::with_capacity(self.graph.steps.len());
        let mut next = |made: &[Vec<Expr<usize>>]| match words.next()? {
            Word::Slot(slot) => Some(Expr::slot(*slot)),
            Word::Number => numbers.next().map(|(i, x)| Expr::given(i, *x)),
            Word::Result(step, which) => Some(made[*step][*which].clone()),
        };
        for step in &self.graph.steps {
            let operands: Vec<_> = step.operands.iter().map_while(|_| next(&made)).collect();
            made.push(Expr::substitute(&step.formula.exprs, &operands)?);
        }
        let results: Vec<_> = std::iter::from_fn(|| next(&made)).collect();
        let slots: Vec<Slot> = self.tensors.iter().map(|t| t.slot()).collect();
        context.plan(&results, &slots, &[], &options(context))
    }
}

/// Computes several by one plan, which is kept for others that are made in the same way.
pub fn compute(context: &Context, parts: &[Part]) -> zerostride::Result<Vec<Tensor>> {
    static PLANS: Plans<Key> = Plans::new(MOST_PLANS);
    let Some(numbered) = Numbered::new(parts) else {
        let exprs: Vec<_> = parts
            .iter()
            .map(Part::expr)
            .collect::<zerostride::Result<_>>()?;
        return context.eval_with(&exprs, &options(context));
    };
    let numbers = &numbered.numbers;
    let made = PLANS.get(
        numbers,
        |by_value| numbered.key(by_value),
        || numbered.plan(context).map(Made::from),
    )?;
    context.run_given(&made.plan, &numbered.tensors, numbers)
}
