//! The contents of lazy arrays: formulas on operands. They are counted and compared as they were
//! applied, so that arrays that are computed in the same way share a plan. Expressions are built
//! from them on demand.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use zerostride::{Expr, Literal, Tensor};

/// A parsed formula in the expression language, with a unique number.
pub struct Formula {
    pub number: u64,
    /// Its results, over numbered slots.
    pub exprs: Vec<Expr<usize>>,
}

/// A formula on operands.
pub struct Step {
    pub number: u64,
    pub formula: Arc<Formula>,
    pub operands: Vec<Part>,
    exprs: OnceLock<Vec<Expr<Tensor>>>,
    /// Bytes of the arrays below it, each as often as it occurs.
    bytes: usize,
}

/// An operand of a step, or the contents of an array.
#[derive(Clone)]
pub enum Part {
    Leaf(Arc<Leaf>),
    Number(Literal),
    /// One of a step's results.
    Step(Arc<Step>, usize),
    /// A result of `gradient`.
    Gradient(Arc<Gradient>),
}

/// A result of `gradient`.
pub struct Gradient {
    pub expr: Expr<Tensor>,
    /// Bytes of its tensors.
    pub bytes: usize,
    /// Those among its tensors that were computed.
    pub computed: Vec<Arc<Leaf>>,
}

impl Formula {
    pub fn new(exprs: Vec<Expr<usize>>) -> Arc<Self> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            exprs,
        })
    }
}

impl Step {
    pub fn new(formula: Arc<Formula>, operands: Vec<Part>) -> Self {
        Self {
            number: number(),
            bytes: operands
                .iter()
                .map(Part::bytes)
                .fold(0, usize::saturating_add),
            formula,
            operands,
            exprs: OnceLock::new(),
        }
    }

    /// Its results as expressions, built from those of the operands.
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
    /// Drops long chains without recursion.
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
    /// Bytes of the arrays in it, each as often as it occurs.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Leaf(leaf) => leaf.bytes(),
            Self::Step(step, _) => step.bytes,
            Self::Gradient(gradient) => gradient.bytes,
            Self::Number(_) => 0,
        }
    }

    /// The expression over tensors. The same step gives the same node.
    pub fn expr(&self) -> zerostride::Result<Expr<Tensor>> {
        Ok(match self {
            Self::Leaf(leaf) => leaf.tensor.expr(),
            Self::Number(number) => Expr::literal(*number),
            Self::Gradient(gradient) => gradient.expr.clone(),
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

/// The steps of arrays in order: operands before their users.
pub struct Graph<'a> {
    pub steps: Vec<&'a Arc<Step>>,
    pub places: HashMap<*const Step, usize>,
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

/// The next number of a leaf or step, in the order in which they are made.
pub fn number() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// An array's elements on the device.
pub struct Leaf {
    pub tensor: Arc<Tensor>,
    pub number: u64,
    origin: Mutex<Origin>,
}

/// Bytes of a tensor's elements.
pub fn bytes_of(tensor: &Tensor) -> usize {
    let len = tensor.shape().extents().iter().product::<usize>();
    len * tensor.dtype().size()
}

/// The origin of elements.
#[derive(Clone)]
pub enum Origin {
    /// The host, or an operation through which gradients do not go.
    None,
    Made(Part),
    Forgotten(Forgotten),
}

/// The rest of an origin that was forgotten.
#[derive(Clone)]
pub struct Forgotten {
    /// The number of the step, and the index of the result.
    pub step: Option<(u64, usize)>,
    pub ancestors: Ancestors,
}

/// The arrays from which one was computed, as far as they still exist; `None` if not known.
pub type Ancestors = Option<Arc<[Weak<Leaf>]>>;

impl Leaf {
    pub fn new(tensor: Arc<Tensor>) -> Self {
        Self {
            tensor,
            number: number(),
            origin: Mutex::new(Origin::None),
        }
    }

    pub fn bytes(&self) -> usize {
        bytes_of(&self.tensor)
    }

    /// Whether the elements are those of a tensor.
    pub fn is_of(&self, tensor: &Tensor) -> bool {
        self.tensor.expr().contains(&tensor.expr())
    }

    pub fn origin(&self) -> Origin {
        self.locked().clone()
    }

    pub fn locked(&self) -> MutexGuard<'_, Origin> {
        self.origin.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
