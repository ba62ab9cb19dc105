//! What a lazy array is made of: formulas on operands. They are counted and compared as they were
//! applied, so that arrays that are made in the same way share a plan; expressions are made of them
//! where somebody asks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use zerostride::{Context, Expr, Literal, Plan, Slot, Tensor};

use crate::context::{is_wide, options};
use crate::number::Number;
use crate::origin::{self, Leaf};
use crate::plans::{Made, Plans};

/// So many plans of arrays are kept.
const MOST_PLANS: usize = 256;

/// A formula in the text language, parsed. No other one has its number.
pub struct Formula {
    pub number: u64,
    pub text: String,
    /// Its results, of numbered slots.
    pub exprs: Vec<Expr<usize>>,
}

/// A formula on operands.
pub struct Step {
    pub number: u64,
    pub formula: Arc<Formula>,
    pub operands: Vec<Part>,
    exprs: OnceLock<Vec<Expr<Tensor>>>,
    /// Bytes of what is below it, each as often as it stands there.
    bytes: usize,
}

/// An operand of a step, or what an array is.
#[derive(Clone)]
pub enum Part {
    Leaf(Arc<Leaf>),
    Number(Literal),
    /// One of a step's results.
    Step(Arc<Step>, usize),
    /// What was made in another way, as a gradient, of tensors of so many bytes.
    Expr(Expr<Tensor>, usize),
}

impl Formula {
    pub fn new(text: &str, exprs: Vec<Expr<usize>>) -> Arc<Self> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            text: text.to_owned(),
            exprs,
        })
    }
}

impl Step {
    pub fn new(formula: Arc<Formula>, operands: Vec<Part>) -> Self {
        Self {
            number: origin::number(),
            bytes: operands
                .iter()
                .map(Part::bytes)
                .fold(0, usize::saturating_add),
            formula,
            operands,
            exprs: OnceLock::new(),
        }
    }

    /// Its results as expressions; those of the steps below are made.
    pub fn exprs(&self) -> zerostride::Result<&[Expr<Tensor>]> {
        if self.exprs.get().is_none() {
            let operands: Vec<_> = self
                .operands
                .iter()
                .map(Part::expr)
                .collect::<zerostride::Result<_>>()?;
            let made = Expr::substitute(&self.formula.exprs, &operands)?;
            // Another thread's are as good.
            let _ = self.exprs.set(made);
        }
        Ok(self.exprs.get().map_or(&[], Vec::as_slice))
    }
}

impl Drop for Step {
    /// Takes long chains apart without recursion.
    fn drop(&mut self) {
        let mut parts = std::mem::take(&mut self.operands);
        while let Some(part) = parts.pop() {
            if let Part::Step(step, _) = part
                && let Some(mut step) = Arc::into_inner(step)
            {
                parts.append(&mut step.operands);
            }
        }
    }
}

impl Part {
    /// Bytes of what it is made of, each as often as it stands there.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.bytes(),
            Self::Step(step, _) => step.bytes,
            Self::Expr(_, bytes) => *bytes,
            Self::Number(_) => 0,
        }
    }

    /// The expression of tensors. Of the same step it is the same node.
    pub fn expr(&self) -> zerostride::Result<Expr<Tensor>> {
        Ok(match self {
            Self::Leaf(leaf) => leaf.tensor.expr(),
            Self::Number(number) => Expr::literal(*number),
            Self::Expr(expr, _) => expr.clone(),
            Self::Step(step, which) => {
                if step.exprs.get().is_none() {
                    for below in Graph::new([self]).steps {
                        below.exprs()?;
                    }
                }
                step.exprs()?[*which].clone()
            }
        })
    }
}

/// What arrays are made of, in order: operands before their users.
pub struct Graph<'a> {
    pub steps: Vec<&'a Arc<Step>>,
    places: HashMap<*const Step, usize>,
}

impl<'a> Graph<'a> {
    pub fn new(roots: impl IntoIterator<Item = &'a Part>) -> Self {
        let mut graph = Self {
            steps: Vec::new(),
            places: HashMap::new(),
        };
        for root in roots {
            let mut stack = vec![(root, false)];
            while let Some((part, is_ready)) = stack.pop() {
                let Part::Step(step, _) = part else { continue };
                if graph.places.contains_key(&Arc::as_ptr(step)) {
                    continue;
                }
                if is_ready {
                    graph.places.insert(Arc::as_ptr(step), graph.steps.len());
                    graph.steps.push(step);
                } else {
                    stack.push((part, true));
                    stack.extend(step.operands.iter().rev().map(|x| (x, false)));
                }
            }
        }
        graph
    }
}

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
                Part::Expr(..) => return None,
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
