//! From nodes to expressions, once the shapes of the inputs are known.
//!
//! Each node becomes expressions over slots of its own, whose types and shapes are inferred, so that
//! what does not fit is an error of that node; then its operands take the slots' places. Where
//! elements must be known (a shape, axes, places) the nodes that make them are computed on the host;
//! the inputs among them are read, and the result holds for those elements alone.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use zerostride::message::{count, escape};
use zerostride::{
    DType, Error, Expr, HostTensor, Limits, Options, Plan, Result, Shape, Slot, reference,
};

use super::graph::Node;
use super::{Extent, InputInfo, Loaded, Model, at, refused};
use crate::call::{Call, Operand, Standard};
use crate::elements::{filled, uniform};
use crate::name::Made;

/// Elements that a node of constants alone may read or make to be computed on the host.
const FOLDED: usize = 4096;
/// Elements that must be known, at most.
const KNOWN: usize = 1 << 20;

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
    name: String,
    known: Option<Arc<HostTensor>>,
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
    slots: Vec<Slot>,
    sources: Vec<Source>,
    exprs: Vec<Expr<usize>>,
    outputs: Vec<Output>,
    /// The inputs on whose elements shapes depend.
    read: BTreeMap<usize, Arc<HostTensor>>,
    nodes: Vec<NodeInfo>,
    names: Vec<String>,
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

/// A value: its type and shape, and its expression or elements.
#[derive(Clone, Debug)]
struct Value {
    expr: Option<Expr<usize>>,
    dtype: DType,
    shape: Shape,
    known: Option<Arc<HostTensor>>,
}

/// What makes a value.
#[derive(Clone, Copy, Debug)]
enum Maker {
    Input(usize),
    Initializer(usize),
    Node(usize),
}

/// Reads an input's elements.
type Read<'a> = &'a dyn Fn(usize) -> Result<HostTensor>;

struct Binder<'a> {
    model: &'a Loaded,
    options: &'a Options,
    read: Read<'a>,
    slots: Vec<Slot>,
    sources: Vec<Source>,
    names: Vec<String>,
    values: Vec<Option<Value>>,
    makers: Vec<Option<Maker>>,
    elements_read: BTreeMap<usize, Arc<HostTensor>>,
    nodes: Vec<NodeInfo>,
}

impl Model {
    /// The model for inputs of these types and shapes; without any, of those that it declares.
    ///
    /// ```no_run
    /// use zerostride::{DType, Options, Slot};
    /// use zerostride_onnx::Model;
    ///
    /// let model = Model::open("relu.onnx")?;
    /// let bound = model.bind(&[("x", Slot::new(DType::F32, [3])?)])?;
    /// println!("{}", bound.explain(&Options::default())?);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for an input that is missing, unknown or of another type or shape than
    /// declared, and for shapes that do not fit, with the node's name; [`Error::Unsupported`] where
    /// a shape depends on the elements of an input.
    pub fn bind(&self, inputs: &[(&str, Slot)]) -> Result<Bound> {
        let known = self.inputs();
        let mut given: Vec<Option<Slot>> = vec![None; known.len()];
        for (name, slot) in inputs {
            let place = known.iter().position(|i| i.name == *name);
            let place = place
                .ok_or_else(|| refused(format!("it has no input \"{}\"", escape(name))))?;
            given[place] = Some(slot.clone());
        }
        for (input, slot) in known.iter().zip(&mut given) {
            let fixed = |e: &Extent| match e {
                Extent::Fixed(n) => Some(*n),
                _ => None,
            };
            let extents = input.extents.as_ref();
            let extents: Option<Vec<usize>> =
                extents.and_then(|all| all.iter().map(fixed).collect());
            if let (None, Some(extents), false) = (&slot, extents, input.is_optional) {
                *slot = Some(Slot::new(input.dtype, extents)?);
            }
        }
        let read = |input: usize| {
            Err(Error::unsupported(format!(
                "a shape depends on the elements of the input \"{}\"; run the model with it",
                escape(&known[input].name)
            )))
        };
        let options = Options::default().with_limits(Limits::WEBGPU.with_float64(true));
        self.bind_with(&given, &options, &read)
    }

    /// The same with what reads the inputs on whose elements shapes depend.
    pub(super) fn bind_with(
        &self,
        inputs: &[Option<Slot>],
        options: &Options,
        read: Read<'_>,
    ) -> Result<Bound> {
        let model = &*self.0;
        let mut binder = Binder {
            model,
            options,
            read,
            slots: Vec::new(),
            sources: Vec::new(),
            names: Vec::new(),
            values: vec![None; model.values],
            makers: vec![None; model.values],
            elements_read: BTreeMap::new(),
            nodes: Vec::new(),
        };
        binder.leaves(inputs)?;
        let needed = needed(model);
        for (n, node) in model.nodes.iter().enumerate() {
            for &value in node.outputs.iter().flatten() {
                binder.makers[value] = Some(Maker::Node(n));
            }
            if needed[n] {
                binder.node(node).map_err(|e| at(&node.label, e))?;
            }
        }
        binder.finished()
    }
}

/// Whether any output needs each node.
fn needed(model: &Loaded) -> Vec<bool> {
    let mut is_read = vec![false; model.values];
    for output in &model.outputs {
        is_read[output.value] = true;
    }
    let mut needed = vec![false; model.nodes.len()];
    for (n, node) in model.nodes.iter().enumerate().rev() {
        needed[n] = node.outputs.iter().flatten().any(|&value| is_read[value]);
        if needed[n] {
            for &value in node.inputs.iter().flatten() {
                is_read[value] = true;
            }
        }
    }
    needed
}

/// Refuses an input that is not as it is declared; names of extents get their numbers.
fn check<'a>(
    input: &'a InputInfo,
    slot: &Slot,
    named: &mut HashMap<&'a str, usize>,
) -> Result<()> {
    let (dtype, shape) = (slot.dtype, slot.layout.shape());
    let fail = |reason: String| {
        let label = format!("input \"{}\"", escape(&input.name));
        Err(Error::argument(label, reason))
    };
    if dtype != input.dtype {
        return fail(format!("it is declared as {}, not {dtype}", input.dtype));
    }
    let Some(declared) = &input.extents else {
        return Ok(());
    };
    let names: Vec<String> = declared.iter().map(Extent::to_string).collect();
    let is_declared = || format!("it is declared as [{}], not {shape}", names.join(", "));
    if declared.len() != shape.rank() {
        return fail(is_declared());
    }
    for (extent, &found) in declared.iter().zip(shape.extents()) {
        let expected = match extent {
            Extent::Fixed(n) => *n,
            Extent::Named(name) => *named.entry(name).or_insert(found),
            Extent::Any => found,
        };
        match (expected == found, extent) {
            (true, _) => {}
            (false, Extent::Named(name)) => {
                let name = escape(name);
                return fail(format!("{name} is {expected} already, not {found}"));
            }
            _ => return fail(is_declared()),
        }
    }
    Ok(())
}

impl Binder<'_> {
    /// The inputs and initializers.
    fn leaves(&mut self, inputs: &[Option<Slot>]) -> Result<()> {
        let model = self.model;
        for (k, (value, host)) in model.constants.iter().enumerate() {
            self.makers[*value] = Some(Maker::Initializer(k));
            self.values[*value] = Some(known(Arc::clone(host)));
        }
        let mut named = HashMap::new();
        for (i, input) in model.inputs.iter().enumerate() {
            let Some(slot) = inputs.get(i).and_then(Option::as_ref) else {
                if input.is_optional {
                    continue;
                }
                let name = escape(&input.name);
                return Err(refused(format!("the input \"{name}\" is not given")));
            };
            check(input, slot, &mut named)?;
            let expr = self.slot(slot.clone(), Source::Input(i), input.name.clone());
            self.makers[input.value] = Some(Maker::Input(i));
            self.values[input.value] = Some(Value {
                expr: Some(expr),
                dtype: slot.dtype,
                shape: slot.layout.shape().clone(),
                known: None,
            });
        }
        Ok(())
    }

    fn slot(&mut self, slot: Slot, source: Source, name: String) -> Expr<usize> {
        self.slots.push(slot);
        self.sources.push(source);
        self.names.push(name);
        Expr::slot(self.slots.len() - 1)
    }

    fn value(&self, value: usize) -> Result<&Value> {
        self.values[value]
            .as_ref()
            .ok_or_else(|| refused("a value is read before it is made".into()))
    }

    /// A node's results.
    fn node(&mut self, node: &Node) -> Result<()> {
        let mut is_known = true;
        for (i, value) in node.inputs.iter().enumerate() {
            let Some(value) = *value else { continue };
            if node.row.shape_operands().contains(&i) {
                self.known(value)?;
            }
            let found = self.value(value)?;
            is_known &= found.known.is_some() && found.shape.len()? <= FOLDED;
        }
        let made = self.made(node, is_known)?;
        let exprs = match made {
            Made::Known(host) => {
                let host = Arc::new(host);
                return self.finish(node, vec![known(host)]);
            }
            Made::Exprs(exprs) => exprs,
        };
        let values = self.inferred(node, &exprs)?;
        is_known &= values.iter().all(|v| v.shape.len().is_ok_and(|n| n <= FOLDED));
        if is_known {
            let values = self.computed(node, &exprs)?;
            return self.finish(node, values);
        }
        let mut operands = Vec::with_capacity(node.inputs.len());
        for value in &node.inputs {
            operands.push(match value {
                Some(value) => self.expr(*value)?,
                None => Expr::literal(0),
            });
        }
        let exprs = Expr::substitute(&exprs, &operands)?;
        let values = values.into_iter().zip(exprs).map(|(value, expr)| Value {
            expr: Some(expr),
            ..value
        });
        let values = values.collect();
        self.finish(node, values)
    }

    /// What a node makes, over slots of its own operands. All known elements are handed over if
    /// `is_known`, else those that must be.
    fn made(&self, node: &Node, is_known: bool) -> Result<Made> {
        let mut operands = Vec::with_capacity(node.inputs.len());
        for (i, value) in node.inputs.iter().enumerate() {
            let Some(value) = *value else {
                operands.push(None);
                continue;
            };
            let value = self.value(value)?;
            let operand = Operand::new(Expr::slot(i), value.dtype, value.shape.clone());
            let wanted = is_known || node.row.shape_operands().contains(&i);
            operands.push(Some(match value.known.as_ref().filter(|_| wanted) {
                Some(host) => operand.with_known(HostTensor::clone(host)),
                None => operand,
            }));
        }
        let call = Call::new(Standard::Onnx, node.row.name(), &operands)
            .opset(Some(node.opset))
            .attrs(&node.attrs)
            .results(node.outputs.len());
        crate::made(&call)
    }

    /// The types and shapes of the results that are asked for.
    fn inferred(&self, node: &Node, exprs: &[Expr<usize>]) -> Result<Vec<Value>> {
        let wanted = node.outputs.iter().rposition(Option::is_some);
        let wanted = wanted.map_or(0, |last| last + 1);
        if wanted > exprs.len() {
            return Err(Error::argument(
                "outputs",
                format!("{wanted} are named, it has {}", exprs.len()),
            ));
        }
        let mut slots = Vec::with_capacity(node.inputs.len());
        for value in &node.inputs {
            slots.push(match value {
                Some(value) => {
                    let value = self.value(*value)?;
                    Slot::new(value.dtype, value.shape.clone())?
                }
                None => Slot::new(DType::F32, [])?,
            });
        }
        let found = Plan::infer(&exprs[..wanted], &slots, self.options)?;
        let value = |(dtype, shape)| Value {
            expr: None,
            dtype,
            shape,
            known: None,
        };
        Ok(found.into_iter().map(value).collect())
    }

    /// The results of a node whose operands are known, computed on the host.
    fn computed(&self, node: &Node, exprs: &[Expr<usize>]) -> Result<Vec<Value>> {
        let mut tensors = Vec::with_capacity(node.inputs.len());
        for value in &node.inputs {
            let host = match value {
                Some(value) => self.value(*value)?.known.as_deref().cloned(),
                None => None,
            };
            tensors.push(match host {
                Some(host) => host,
                None => HostTensor::new(DType::F32, [0], Vec::new())?,
            });
        }
        let wanted = node.outputs.len().min(exprs.len());
        let compute =
            |expr: &Expr<usize>| reference::run(expr, &tensors).map(|host| known(Arc::new(host)));
        exprs[..wanted].iter().map(compute).collect()
    }

    /// Keeps a node's results.
    fn finish(&mut self, node: &Node, values: Vec<Value>) -> Result<()> {
        let named = node.outputs.iter().zip(&values);
        let named = named.filter(|(output, _)| output.is_some());
        self.nodes.push(NodeInfo {
            label: node.label.clone(),
            results: named
                .map(|(_, value)| (value.dtype, value.shape.clone()))
                .collect(),
            is_known: values.iter().all(|v| v.expr.is_none()),
        });
        if node.outputs.len() > values.len() {
            let reason = format!("{} are named, it has {}", node.outputs.len(), values.len());
            return Err(Error::argument("outputs", reason));
        }
        for (output, value) in node.outputs.iter().zip(values) {
            if let Some(output) = *output {
                value.shape.len()?;
                self.values[output] = Some(value);
            }
        }
        Ok(())
    }

    /// The expression of a value; a constant is a number, or a slot from here on.
    fn expr(&mut self, value: usize) -> Result<Expr<usize>> {
        let found = self.value(value)?;
        if let Some(expr) = &found.expr {
            return Ok(expr.clone());
        }
        let Some(host) = found.known.clone() else {
            return Err(refused("a value is neither computed nor known".into()));
        };
        let shape = found.shape.clone();
        let expr = match uniform(&host)? {
            Some(number) => filled(number, shape),
            None => {
                let source = match self.makers[value] {
                    Some(Maker::Initializer(k)) => Source::Initializer(k),
                    _ => Source::Folded(Arc::clone(&host)),
                };
                let slot = Slot::new(host.dtype, shape)?;
                self.slot(slot, source, format!("constant {value}"))
            }
        };
        if let Some(value) = &mut self.values[value] {
            value.expr = Some(expr.clone());
        }
        Ok(expr)
    }

    /// Makes a value's elements known: those of the nodes and inputs that it is made of too.
    fn known(&mut self, value: usize) -> Result<()> {
        let model = self.model;
        let mut stack = vec![value];
        while let Some(&top) = stack.last() {
            if self.value(top)?.known.is_some() {
                stack.pop();
                continue;
            }
            let host = match self.makers[top] {
                Some(Maker::Input(i)) => {
                    let host = Arc::new((self.read)(i)?);
                    self.elements_read.insert(i, Arc::clone(&host));
                    vec![(top, host)]
                }
                Some(Maker::Node(n)) => {
                    let node = &model.nodes[n];
                    let is_unknown = |v: &&usize| {
                        matches!(&self.values[**v], Some(value) if value.known.is_none())
                    };
                    let unknown: Vec<usize> = node
                        .inputs
                        .iter()
                        .flatten()
                        .filter(is_unknown)
                        .copied()
                        .collect();
                    if !unknown.is_empty() {
                        stack.extend(unknown);
                        continue;
                    }
                    self.of_known(node).map_err(|e| at(&node.label, e))?
                }
                _ => return Err(refused("a value is neither computed nor known".into())),
            };
            for (made, host) in host {
                if let Some(value) = &mut self.values[made] {
                    value.known = Some(host);
                }
            }
        }
        Ok(())
    }

    /// The elements of the results of a node whose operands are known.
    fn of_known(&self, node: &Node) -> Result<Vec<(usize, Arc<HostTensor>)>> {
        for value in node.inputs.iter().chain(&node.outputs).flatten() {
            let len = match &self.values[*value] {
                Some(value) => value.shape.len()?,
                None => 0,
            };
            if len > KNOWN {
                return Err(Error::unsupported(format!(
                    "a shape depends on more than {KNOWN} elements"
                )));
            }
        }
        let values = match self.made(node, true)? {
            Made::Known(host) => vec![known(Arc::new(host))],
            Made::Exprs(exprs) => self.computed(node, &exprs)?,
        };
        let made = node.outputs.iter().zip(values);
        Ok(made
            .filter_map(|(output, value)| Some(((*output)?, value.known?)))
            .collect())
    }

    /// The outputs, and what is computed for them.
    fn finished(mut self) -> Result<Bound> {
        let model = self.model;
        let mut exprs = Vec::new();
        let mut outputs = Vec::with_capacity(model.outputs.len());
        for output in &model.outputs {
            let label = || format!("output \"{}\"", escape(&output.name));
            let value = self.value(output.value).map_err(|e| at(label(), e))?;
            if let Some(declared) = output.dtype.filter(|d| *d != value.dtype) {
                let reason = format!("it is declared as {declared}, and is {}", value.dtype);
                return Err(Error::argument(label(), reason));
            }
            let known = match &value.expr {
                Some(_) => None,
                None => value.known.clone(),
            };
            if known.is_none() {
                exprs.push(self.expr(output.value)?);
            }
            outputs.push(Output {
                name: output.name.clone(),
                known,
            });
        }
        self.nodes.shrink_to_fit();
        Ok(Bound {
            slots: self.slots,
            sources: self.sources,
            exprs,
            outputs,
            read: self.elements_read,
            nodes: self.nodes,
            names: self.names,
        })
    }
}

/// A value whose elements are known.
fn known(host: Arc<HostTensor>) -> Value {
    Value {
        expr: None,
        dtype: host.dtype,
        shape: host.layout.shape().clone(),
        known: Some(host),
    }
}
