//! Models for inputs of known shapes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use zerostride::message::count;
use zerostride::{DType, Error, Expr, HostTensor, Options, Plan, Result, Shape, Slot};

use super::fault::at;

/// Where the elements of a slot come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// This input.
    Input(usize),
    /// This initializer.
    Initializer(usize),
    /// Elements that were computed from constants.
    Folded(Arc<HostTensor>),
}

/// A node of a bound model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeInfo {
    /// Its name and operator.
    pub label: String,
    /// The types and shapes of the results that are asked for.
    pub results: Vec<(DType, Shape)>,
    /// Whether its results are known on the host, as they depend on shapes and constants alone.
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
    /// The elements of the inputs on which shapes depend.
    pub(super) read: BTreeMap<usize, Arc<HostTensor>>,
    pub(super) nodes: Vec<NodeInfo>,
    pub(super) names: Vec<String>,
    pub(super) notes: Vec<String>,
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

    /// Notes on outputs whose shapes differ from the declared ones, which is not an error.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The plan of all outputs together.
    ///
    /// # Errors
    /// Those of [`Plan::many`], with the node's name where it is known.
    pub fn plan(&self, options: &Options) -> Result<Plan> {
        Plan::many(&self.exprs, &self.slots, &[], options).map_err(|e| self.named(e))
    }

    /// An error of a plan with the name of its node.
    pub(super) fn named(&self, error: Error) -> Error {
        match error {
            Error::At { column, source } => match self.nodes.get(column.wrapping_sub(1)) {
                Some(node) => at(&node.label, *source),
                None => *source,
            },
            other => other,
        }
    }

    /// Lists the nodes, each with the passes that compute it, and then the passes. Several passes
    /// contain a node that moves elements or is computed again.
    ///
    /// # Errors
    /// Those of [`plan`](Self::plan).
    pub fn explain(&self, options: &Options) -> Result<String> {
        let plan = self.plan(options)?;
        let mut passes = vec![Vec::new(); self.nodes.len()];
        for (pass, columns) in plan.columns().into_iter().enumerate() {
            for column in columns {
                passes[column - 1].push(pass);
            }
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let (list, memory) = (self.list(&passes), self.memory(&plan)?);
        let plan = match self.exprs.is_empty() {
            true => "nothing is dispatched: all outputs are known on the host\n".into(),
            false => plan.explain(&names).to_string(),
        };
        Ok(format!("{list}{memory}{plan}"))
    }

    /// The device memory that a run needs at its peak.
    fn memory(&self, plan: &Plan) -> Result<String> {
        let size = |dtype: DType, shape: &Shape| -> Result<u64> {
            Ok((shape.len()? as u64).saturating_mul(dtype.size() as u64))
        };
        let (mut inputs, mut constants, mut outputs) = (0u64, 0u64, 0u64);
        for (source, slot) in self.sources.iter().zip(&self.slots) {
            let bytes = size(slot.dtype, slot.layout.shape())?;
            let sum = match source {
                Source::Input(_) => &mut inputs,
                _ => &mut constants,
            };
            *sum = sum.saturating_add(bytes);
        }
        for (dtype, shape) in plan.outputs() {
            outputs = outputs.saturating_add(size(dtype, shape)?);
        }
        for host in self.outputs.iter().filter_map(Output::known) {
            outputs = outputs.saturating_add(host.bytes.len() as u64);
        }
        let parts = [inputs, constants, outputs, plan.intermediate_bytes()];
        let peak = parts
            .iter()
            .fold(0u64, |sum, &bytes| sum.saturating_add(bytes));
        let [inputs, constants, outputs, between] = parts;
        Ok(format!(
            "memory: {} at the peak: {inputs} of inputs, {constants} of constants, {outputs} of outputs, \
             {between} of intermediate results\n",
            count(peak, "byte"),
        ))
    }

    /// The nodes, each with these passes.
    fn list(&self, passes: &[Vec<usize>]) -> String {
        let known = self.nodes.iter().filter(|n| n.is_known).count();
        let mut text = format!(
            "model: {}, {known} computed on the host from shapes and constants\n",
            count(self.nodes.len(), "node")
        );
        for (n, node) in self.nodes.iter().enumerate() {
            let each = node.results.iter();
            let results: Vec<String> = each
                .map(|(dtype, shape)| format!("{dtype}{shape}"))
                .collect();
            let within = match passes.get(n).map(Vec::as_slice) {
                _ if node.is_known => ", known".into(),
                None | Some([]) => String::new(),
                Some([one]) => format!(", pass {one}"),
                Some(several) => format!(", passes {}", runs(several)),
            };
            text.push_str(&format!("{}: {}{within}\n", node.label, results.join(", ")));
        }
        text
    }
}

/// Lists numbers in order, with neighbours as a range.
fn runs(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let shown = runs.map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        run => run.iter().map(usize::to_string).collect(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.list(&[]))
    }
}
