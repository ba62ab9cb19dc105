//! Models for inputs of known shapes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use zerostride::message::count;
use zerostride::{DType, Expr, HostTensor, Options, Plan, Result, Shape, Slot};

/// Where the elements of a slot come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// This input.
    Input(usize),
    /// This initializer.
    Initializer(usize),
    /// Elements that were computed of constants.
    Folded(Arc<HostTensor>),
}

/// A node as it was bound.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeInfo {
    /// Its name and operator.
    pub label: String,
    /// The types and shapes of the results that are asked for.
    pub results: Vec<(DType, Shape)>,
    /// Whether its results are known on the host: what is computed of shapes and constants alone.
    pub is_known: bool,
}

/// An output of a bound model.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) name: String,
    pub(super) known: Option<Arc<HostTensor>>,
}

impl Output {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn known(&self) -> Option<&HostTensor> {
        self.known.as_deref()
    }
}

/// A model for inputs of known shapes: one expression for each output that is computed.
#[derive(Debug)]
pub struct Bound {
    pub(super) slots: Vec<Slot>,
    pub(super) sources: Vec<Source>,
    pub(super) exprs: Vec<Expr<usize>>,
    pub(super) outputs: Vec<Output>,
    /// The inputs on whose elements shapes depend.
    pub(super) read: BTreeMap<usize, Arc<HostTensor>>,
    pub(super) nodes: Vec<NodeInfo>,
    pub(super) names: Vec<String>,
}

impl Bound {
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub(super) fn exprs(&self) -> &[Expr<usize>] {
        &self.exprs
    }

    pub(super) fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    pub(super) fn read(&self) -> impl Iterator<Item = (usize, &Arc<HostTensor>)> {
        self.read.iter().map(|(&input, elements)| (input, elements))
    }

    /// The nodes that the outputs need, in the model's order.
    pub fn nodes(&self) -> &[NodeInfo] {
        &self.nodes
    }

    /// The plan of all outputs together.
    ///
    /// # Errors
    /// Those of [`Plan::many`].
    pub fn plan(&self, options: &Options) -> Result<Plan> {
        Plan::many(&self.exprs, &self.slots, &[], options)
    }

    /// The nodes and the passes that compute them.
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan).
    pub fn explain(&self, options: &Options) -> Result<String> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let plan = self.plan(options)?;
        Ok(format!("{self}{}", plan.explain(&names)))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.nodes.iter().filter(|n| n.is_known).count();
        writeln!(
            f,
            "model: {}, {known} of shapes and constants known on the host",
            count(self.nodes.len(), "node")
        )?;
        for node in &self.nodes {
            let results: Vec<String> = node
                .results
                .iter()
                .map(|(dtype, shape)| format!("{dtype}{shape}"))
                .collect();
            let host = if node.is_known { ", known" } else { "" };
            writeln!(f, "{}: {}{host}", node.label, results.join(", "))?;
        }
        Ok(())
    }
}
