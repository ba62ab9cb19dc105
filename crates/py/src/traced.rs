//! `Traced`: a function of arrays as a plan.

use std::sync::Arc;

use pyo3::prelude::*;
use zerostride::{Expr, Plan, Slot, Tensor};

use crate::context::{context, options};
use crate::errors::raised;
use crate::lazy::{Lazy, unplaced};
use crate::origin::{MOST_NODES, computed, leaves, trim};
use crate::part::{Formula, Leaf, Part, Step};

/// A traced function: its results over its array arguments, planned once.
#[pyclass(frozen, module = "zerostride._core")]
pub struct Traced {
    plan: Plan,
    /// The results over the slots of the plan, for gradients, unless they have too many nodes.
    formula: Option<Arc<Formula>>,
    /// The source of each slot of the plan: an argument, or an array that the function holds.
    sources: Vec<Source>,
}

enum Source {
    Argument(usize),
    Own(Arc<Leaf>),
}

#[pymethods]
impl Traced {
    /// `results` were built from `arguments`, which are placeholders.
    #[new]
    fn new(
        py: Python<'_>,
        arguments: Vec<PyRef<'_, Lazy>>,
        results: Vec<PyRef<'_, Lazy>>,
    ) -> PyResult<Self> {
        let context = context(py)?;
        let failed = |error| raised(py, unplaced(error), None);
        let exprs = |all: &[PyRef<'_, Lazy>]| {
            let exprs = all.iter().map(|x| x.expr());
            let exprs: zerostride::Result<Vec<_>> = exprs.collect();
            exprs.map_err(failed)
        };
        let (exprs, given) = (exprs(&results)?, exprs(&arguments)?);
        let (numbered, tensors) = Expr::numbered(&exprs);
        let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
        let plan = py
            .detach(|| context.plan(&numbered, &slots, &[], &options(&context)))
            .map_err(failed)?;
        let own: Vec<Arc<Leaf>> = results.iter().flat_map(|x| leaves(&x.part())).collect();
        let source = |tensor: Tensor| {
            let leaf = tensor.expr();
            if let Some(i) = given.iter().position(|a| a.contains(&leaf)) {
                return Source::Argument(i);
            }
            let known = own.iter().find(|own| own.is_of(&tensor));
            let new = || Arc::new(Leaf::new(Arc::new(tensor)));
            Source::Own(known.map_or_else(new, Arc::clone))
        };
        let sources = tensors.into_iter().map(source).collect();
        let is_short = Expr::node_count(&exprs) <= MOST_NODES;
        Ok(Self {
            plan,
            formula: is_short.then(|| Formula::new(numbered)),
            sources,
        })
    }

    /// Computes the results for settled arguments of the same element types and shapes.
    fn run(&self, py: Python<'_>, arguments: Vec<PyRef<'_, Lazy>>) -> PyResult<Vec<Lazy>> {
        let context = context(py)?;
        let mut operands = Vec::with_capacity(self.sources.len());
        for source in &self.sources {
            operands.push(match source {
                Source::Own(leaf) => Arc::clone(leaf),
                Source::Argument(i) => arguments[*i].leaf(py)?,
            });
        }
        let results = py
            .detach(|| {
                trim();
                let tensors: Vec<&Tensor> = operands.iter().map(|leaf| &*leaf.tensor).collect();
                context.run(&self.plan, &tensors)
            })
            .map_err(|error| raised(py, error, None))?;
        // Longer ones are kept as well, and forgotten at once: that they were made of these is known.
        let formula = self
            .formula
            .clone()
            .unwrap_or_else(|| Formula::new(Vec::new()));
        let parts = operands.into_iter().map(Part::Leaf).collect();
        let step = Arc::new(Step::new(formula, parts));
        let lazy = |(which, tensor)| {
            let part = Part::Step(Arc::clone(&step), which);
            Lazy::of_leaf(computed(tensor, part, self.formula.is_some()))
        };
        Ok(results.into_iter().enumerate().map(lazy).collect())
    }

    fn explain(&self) -> String {
        self.plan.to_string()
    }
}
