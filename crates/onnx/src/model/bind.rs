//! Turns nodes into expressions, once the shapes of the inputs are known.
//!
//! Each node becomes expressions over slots of its own. Their types and shapes are inferred, so an
//! operand that does not fit is an error of that node; then the operands replace the slots. If a
//! shape, axes or indices must be known, the host computes the nodes that make them and reads the
//! inputs that these need; the result is valid for those elements alone.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use zerostride::{DType, Error, Expr, HostTensor, Limits, Options, Plan, Result, Shape, Slot};

use super::bound::{Bound, NodeInfo, Output, Source};
use super::fault::{at, refused, shown};
use super::file::Model;
use super::given::Given;
use super::loaded::{Loaded, Node, check, may_be, shown_extents};
use crate::call::{Call, Operand, Standard, check_axes};
use crate::elements::{filled, uniform};
use crate::name::Made;

/// The host computes a node of constants if no operand or result has more elements.
const FOLDED: usize = 4096;
/// The most elements that the host computes for a model. Beyond it, the device computes constants.
const MAX_COMPUTED: usize = 1 << 22;

/// A value: its type and shape, and its expression or elements.
#[derive(Clone, Debug)]
pub(super) struct Value {
    expr: Option<Expr<usize>>,
    dtype: DType,
    pub shape: Shape,
    pub known: Option<Arc<HostTensor>>,
}

/// The source of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Maker {
    Input(usize),
    Initializer(usize),
    Node(usize),
}

/// Reads an input's elements.
type Read<'a> = &'a dyn Fn(usize) -> Result<HostTensor>;

pub(super) struct Binder<'a> {
    pub model: &'a Loaded,
    options: &'a Options,
    pub read: Read<'a>,
    slots: Vec<Slot>,
    sources: Vec<Source>,
    names: Vec<String>,
    pub values: Vec<Option<Value>>,
    pub makers: Vec<Option<Maker>>,
    pub elements_read: BTreeMap<usize, Arc<HostTensor>>,
    nodes: Vec<NodeInfo>,
    /// Elements that the host may still compute.
    pub left: Cell<usize>,
}

impl Model {
    /// Binds the model to inputs. Their types and shapes are enough unless a shape depends on their
    /// elements. An input that is not given is as declared.
    ///
    /// ```no_run
    /// use zerostride::{DType, Options, Slot};
    /// use zerostride_onnx::{Given, Model};
    ///
    /// let model = Model::open("relu.onnx")?;
    /// let x = Given::Slot(Slot::new(DType::F32, [3])?);
    /// let bound = model.bind(&[("x", x)])?;
    /// println!("{}", bound.explain(&Options::default())?);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for an input that is missing, unknown or of another type or shape than
    /// declared, and for shapes that do not fit, with the node's name; [`Error::Unsupported`] if
    /// a shape depends on the elements of an input that is given without them.
    pub fn bind(&self, inputs: &[(&str, Given)]) -> Result<Bound> {
        let known = self.inputs();
        let slots = self.slots(inputs)?;
        let read = |input: usize| {
            let name = &known[input].name;
            match inputs.iter().find(|(given, _)| given == name) {
                Some((_, Given::Elements(host))) => Ok(host.clone()),
                _ => Err(Error::unsupported(format!(
                    "a shape depends on the elements of the input \"{}\", which are not given",
                    shown(name)
                ))),
            }
        };
        let options = Options::default().with_limits(Limits::WEBGPU.with_float64(true));
        self.bind_with(&slots, &options, &read)
    }

    /// [`bind`](Self::bind) with a function that reads the inputs on which shapes depend.
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
            left: Cell::new(MAX_COMPUTED),
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

/// Whether an output needs a node, for each node.
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

impl Binder<'_> {
    /// The inputs and initializers.
    fn leaves(&mut self, inputs: &[Option<Slot>]) -> Result<()> {
        let model = self.model;
        for (k, constant) in model.constants.iter().enumerate() {
            self.makers[constant.value] = Some(Maker::Initializer(k));
            self.values[constant.value] = Some(known(Arc::clone(&constant.elements)));
        }
        let mut named = HashMap::new();
        for (i, input) in model.inputs.iter().enumerate() {
            let Some(slot) = inputs.get(i).and_then(Option::as_ref) else {
                if input.is_optional {
                    continue;
                }
                let name = shown(&input.name);
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

    pub fn value(&self, value: usize) -> Result<&Value> {
        self.values[value]
            .as_ref()
            .ok_or_else(|| refused("a value is read before it is made".into()))
    }

    /// Adds the results of a node.
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
        is_known &= values
            .iter()
            .all(|v| v.shape.len().is_ok_and(|n| n <= FOLDED));
        if is_known && let Some(values) = self.computed(node, &exprs)? {
            return self.finish(node, values);
        }
        let mut operands = Vec::with_capacity(node.inputs.len());
        for value in &node.inputs {
            operands.push(match value {
                Some(value) => self.expr(*value)?,
                None => Expr::literal(0),
            });
        }
        // Columns of a plan are counted from 1, as nodes are listed.
        let exprs = Expr::substitute_at(&exprs, &operands, self.nodes.len() + 1)?;
        let values = values.into_iter().zip(exprs).map(|(value, expr)| Value {
            expr: Some(expr),
            ..value
        });
        let values = values.collect();
        self.finish(node, values)
    }

    /// The results of a node over slots of its own operands. The operator gets all known elements
    /// if `is_known`, else only those that it needs.
    pub fn made(&self, node: &Node, is_known: bool) -> Result<Made> {
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
                format!("{wanted} named, {} supported", exprs.len()),
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
        let value = |(dtype, shape): (DType, Shape)| {
            check_axes(shape.rank())?;
            Ok(Value {
                expr: None,
                dtype,
                shape,
                known: None,
            })
        };
        found.into_iter().map(value).collect()
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
            let reason = format!("{} named, {} supported", node.outputs.len(), values.len());
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

    /// The expression of a value. A constant of equal elements becomes a number, any other a slot.
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
                let (source, name) = match self.makers[value] {
                    Some(Maker::Initializer(k)) => {
                        let name = self.model.constants[k].name.clone();
                        (Source::Initializer(k), name)
                    }
                    _ => (Source::Folded(Arc::clone(&host)), "constant".into()),
                };
                let slot = Slot::new(host.dtype, shape)?;
                self.slot(slot, source, name)
            }
        };
        if let Some(value) = &mut self.values[value] {
            value.expr = Some(expr.clone());
        }
        Ok(expr)
    }

    /// The bound model, with its outputs.
    fn finished(mut self) -> Result<Bound> {
        let model = self.model;
        let (mut exprs, mut notes) = (Vec::new(), Vec::new());
        let mut outputs = Vec::with_capacity(model.outputs.len());
        for output in &model.outputs {
            let label = || format!("output \"{}\"", shown(&output.name));
            let value = self.value(output.value).map_err(|e| at(label(), e))?;
            if let Some((dtype, extents)) = &output.declared {
                if *dtype != value.dtype {
                    let reason = format!("it is declared as {dtype}, but is {}", value.dtype);
                    return Err(Error::argument(label(), reason));
                }
                if let Some(extents) = extents.as_ref().filter(|e| !may_be(e, &value.shape)) {
                    notes.push(format!(
                        "{} is declared as {}, but is {}",
                        label(),
                        shown_extents(extents),
                        value.shape
                    ));
                }
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
            notes,
        })
    }
}

/// A value whose elements are known.
pub(super) fn known(host: Arc<HostTensor>) -> Value {
    Value {
        expr: None,
        dtype: host.dtype,
        shape: host.layout.shape().clone(),
        known: Some(host),
    }
}
