//! `Traced`: a function of arrays as a plan.

use std::sync::Arc;

use pyo3::prelude::*;
use zerostride::{Expr, Plan, Slot, Tensor};

use crate::context::{context, options};
use crate::errors::raised;
use crate::lazy::{Lazy, unplaced};

/// A function that was traced: its results over its array arguments, planned once.
#[pyclass(frozen, module = "zerostride._core")]
pub struct Traced {
    plan: Plan,
    /// For each slot of the plan an argument, or an array that the function had.
    tensors: Vec<Source>,
}

enum Source {
    Argument(usize),
    Own(Arc<Tensor>),
}

#[pymethods]
impl Traced {
    /// `results` were made of `arguments`, which are stand-ins.
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
        let source = |tensor: Tensor| {
            let leaf = tensor.expr();
            let argument = given.iter().position(|a| a.contains(&leaf));
            argument.map_or(Source::Own(Arc::new(tensor)), Source::Argument)
        };
        let tensors = tensors.into_iter().map(source).collect();
        Ok(Self { plan, tensors })
    }

    /// The results for arguments of the same element types and shapes, which are settled.
    fn run(&self, py: Python<'_>, arguments: Vec<PyRef<'_, Lazy>>) -> PyResult<Vec<Lazy>> {
        let context = context(py)?;
        let mut tensors = Vec::with_capacity(self.tensors.len());
        for source in &self.tensors {
            tensors.push(match source {
                Source::Own(tensor) => Arc::clone(tensor),
                Source::Argument(i) => arguments[*i].tensor(py)?,
            });
        }
        let results = py
            .detach(|| {
                context.run(
                    &self.plan,
                    &tensors.iter().map(|t| &**t).collect::<Vec<_>>(),
                )
            })
            .map_err(|error| raised(py, error, None))?;
        Ok(results.into_iter().map(Lazy::ready).collect())
    }

    fn explain(&self) -> String {
        self.plan.to_string()
    }
}
