//! Turns messages into nodes over numbered values: resolves names, and replaces functions by nodes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use zerostride::{Error, Result};

use super::attribute::{self, Given};
use super::external::Folder;
use super::fault::{at, refused, shown};
use super::loaded::{Constant, InputInfo, Loaded, MAX_NODES, Node, OutputInfo, declared};
use super::proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto};
use super::tensor;
use crate::call::Attr;
use crate::{Standard, named, refused as refused_name};

/// The deepest nesting of functions.
const DEEPEST: usize = 32;
/// The most bytes of attributes. Those of a function count once for each of its calls.
const MAX_ATTRIBUTES: usize = 1 << 30;
/// The newest operation set that is supported.
const NEWEST: i64 = 28;

/// The names of a function's domain, of the function and of its overload.
type Key<'a> = (&'a str, &'a str, &'a str);

/// Values by name; `None` for an input of a function that its call leaves out.
type Scope<'a> = HashMap<&'a str, Option<usize>>;

/// The context of nodes: the model's graph, or a call of a function.
struct Place<'a> {
    given: Given<'a>,
    opsets: HashMap<&'a str, i64>,
    /// The label of the call around it; empty for the model's graph.
    prefix: String,
}

struct Lowering<'a> {
    functions: HashMap<Key<'a>, &'a FunctionProto>,
    folder: Option<&'a Folder>,
    nodes: Vec<Node>,
    values: usize,
    /// Nodes and calls so far.
    counted: usize,
    attribute_bytes: usize,
    /// The functions that are being called.
    active: Vec<Key<'a>>,
}

/// Resolves the names of a model.
pub(super) fn loaded(model: &ModelProto, folder: Option<&Folder>) -> Result<Loaded> {
    let graph = model
        .graph
        .as_ref()
        .ok_or_else(|| refused("the file has no graph".into()))?;
    if model.ir_version < 1 {
        let reason = format!("its ir_version must be 1 or more, not {}", model.ir_version);
        return Err(refused(reason));
    }
    if graph.output.is_empty() {
        return Err(refused("its graph has no outputs".into()));
    }
    let mut lowering = Lowering {
        functions: functions(model)?,
        folder,
        nodes: Vec::new(),
        values: 0,
        counted: 0,
        attribute_bytes: 0,
        active: Vec::new(),
    };
    let mut scope = Scope::new();
    let (inputs, constants) = lowering.leaves(graph, &mut scope)?;
    let place = Place {
        given: Given::new(),
        opsets: opsets(&model.opset_import),
        prefix: String::new(),
    };
    lowering.body(&graph.node, &mut scope, &place)?;
    let mut outputs = Vec::with_capacity(graph.output.len());
    let mut seen = HashSet::new();
    for info in &graph.output {
        let label = format!("output \"{}\"", shown(&info.name));
        if !seen.insert(&*info.name) {
            return Err(refused(format!("the {label} is given twice")));
        }
        let declared = declared(info).map_err(|e| at(&label, e))?;
        let value = scope.get(&*info.name).copied().flatten();
        outputs.push(OutputInfo {
            name: info.name.clone(),
            declared,
            value: value.ok_or_else(|| refused(format!("nothing makes the {label}")))?,
        });
    }
    Ok(Loaded {
        inputs,
        outputs,
        constants,
        nodes: lowering.nodes,
        values: lowering.values,
    })
}

fn opsets(imports: &[super::proto::OperatorSetIdProto]) -> HashMap<&str, i64> {
    let normal = |i: &'_ super::proto::OperatorSetIdProto| i.version;
    imports
        .iter()
        .map(|i| (domain(&i.domain), normal(i)))
        .collect()
}

/// The name of a domain, which is empty for `ai.onnx`.
fn domain(name: &str) -> &str {
    match name {
        "ai.onnx" => "",
        other => other,
    }
}

fn functions(model: &ModelProto) -> Result<HashMap<Key<'_>, &FunctionProto>> {
    let mut found = HashMap::new();
    for function in &model.functions {
        let key = (
            domain(&function.domain),
            &*function.name,
            &*function.overload,
        );
        if found.insert(key, function).is_some() {
            let reason = format!("the function {} appears twice", shown(&function.name));
            return Err(refused(reason));
        }
    }
    Ok(found)
}

/// The inputs and initializers of a graph.
type Leaves = (Vec<InputInfo>, Vec<Constant>);

impl<'a> Lowering<'a> {
    /// A new value.
    fn value(&mut self) -> usize {
        self.values += 1;
        self.values - 1
    }

    fn leaves(&mut self, graph: &'a GraphProto, scope: &mut Scope<'a>) -> Result<Leaves> {
        if let Some(sparse) = graph.sparse_initializer.first() {
            let name = sparse.values.as_ref().map_or("", |v| &v.name);
            let what = format!("initializer \"{}\": sparse tensors", shown(name));
            return Err(Error::unsupported(what));
        }
        let names: HashSet<&str> = graph.initializer.iter().map(|t| &*t.name).collect();
        let mut inputs = Vec::with_capacity(graph.input.len());
        for info in &graph.input {
            let value = self.value();
            let is_optional = names.contains(&*info.name);
            inputs.push(InputInfo::new(info, value, is_optional)?);
            if info.name.is_empty() || scope.insert(&info.name, Some(value)).is_some() {
                let reason = format!(
                    "the name of the input \"{}\" is empty or given twice",
                    shown(&info.name)
                );
                return Err(refused(reason));
            }
        }
        let mut constants = Vec::with_capacity(graph.initializer.len());
        let mut seen = HashSet::new();
        for initializer in &graph.initializer {
            let label = format!("initializer \"{}\"", shown(&initializer.name));
            if initializer.name.is_empty() || !seen.insert(&*initializer.name) {
                return Err(refused(format!(
                    "the name of the {label} is empty or given twice"
                )));
            }
            let value = match scope.get(&*initializer.name) {
                Some(&Some(input)) => input,
                _ => self.value(),
            };
            scope.insert(&initializer.name, Some(value));
            let host = tensor::host(initializer, self.folder).map_err(|e| at(label, e))?;
            constants.push(Constant {
                name: initializer.name.clone(),
                value,
                elements: Arc::new(host),
            });
        }
        Ok((inputs, constants))
    }

    /// Adds nodes one after another.
    fn body(
        &mut self,
        nodes: &'a [NodeProto],
        scope: &mut Scope<'a>,
        place: &Place<'a>,
    ) -> Result<()> {
        for (n, node) in nodes.iter().enumerate() {
            self.counted += 1;
            if self.counted > MAX_NODES {
                return Err(refused(format!(
                    "it has more than {MAX_NODES} nodes, counting each call of a function"
                )));
            }
            let label = label(node, n, &place.prefix);
            let mut inputs = Vec::with_capacity(node.input.len());
            for name in &node.input {
                inputs.push(match (&**name, scope.get(&**name)) {
                    ("", _) => None,
                    (_, Some(&value)) => value,
                    (name, None) => return Err(at(&label, missing(name, nodes, n, &place.prefix))),
                });
            }
            let key = (domain(&node.domain), &*node.op_type, &*node.overload);
            let outputs = match self.functions.get(&key) {
                Some(&function) => self.call(key, function, node, &inputs, place, &label)?,
                None => self
                    .operator(node, &label, inputs, place)
                    .map_err(|e| at(&label, e))?,
            };
            for (name, value) in node.output.iter().zip(outputs) {
                if !name.is_empty() && scope.insert(name, value).is_some() {
                    let reason = format!("\"{}\" is made twice", shown(name));
                    return Err(at(&label, Error::argument("output", reason)));
                }
            }
        }
        Ok(())
    }

    /// Adds a call of an operator, and returns its values.
    fn operator(
        &mut self,
        node: &'a NodeProto,
        label: &str,
        inputs: Vec<Option<usize>>,
        place: &Place<'a>,
    ) -> Result<Vec<Option<usize>>> {
        let domain = domain(&node.domain);
        let operator = shown(&node.op_type);
        if !domain.is_empty() {
            return Err(Error::unsupported(format!(
                "the operator {operator} of the domain {}",
                shown(domain)
            )));
        }
        let Some(row) = named(Standard::Onnx, &node.op_type) else {
            let why = refused_name(Standard::Onnx, &node.op_type);
            return Err(Error::unsupported(format!(
                "the operator {operator} of the domain ai.onnx, {why}"
            )));
        };
        let opset = match place.opsets.get(domain) {
            Some(&version @ 1..=NEWEST) => version as u32,
            Some(other) => {
                return Err(Error::unsupported(format!(
                    "opset {other}; 1 to {NEWEST} are supported"
                )));
            }
            None => {
                return Err(Error::argument(
                    "opset",
                    "the model imports no version of the domain ai.onnx",
                ));
            }
        };
        row.dtypes(Some(opset))?;
        let attrs = attribute::all(node, &place.given, self.folder)?;
        for attr in attrs.values() {
            self.attribute_bytes = self.attribute_bytes.saturating_add(bytes_of(attr));
        }
        if self.attribute_bytes > MAX_ATTRIBUTES {
            return Err(Error::argument(
                "attributes",
                format!("they hold more than {MAX_ATTRIBUTES} bytes"),
            ));
        }
        let outputs: Vec<Option<usize>> = node
            .output
            .iter()
            .map(|name| (!name.is_empty()).then(|| self.value()))
            .collect();
        self.nodes.push(Node {
            label: label.to_owned(),
            row,
            opset,
            attrs,
            inputs,
            outputs: outputs.clone(),
        });
        Ok(outputs)
    }

    /// Adds a call of a function, and returns the values of its outputs.
    fn call(
        &mut self,
        key: Key<'a>,
        function: &'a FunctionProto,
        node: &'a NodeProto,
        inputs: &[Option<usize>],
        place: &Place<'a>,
        label: &str,
    ) -> Result<Vec<Option<usize>>> {
        let fail = |reason: String| at(label, Error::argument("function", reason));
        if self.active.contains(&key) {
            return Err(fail("it calls itself".into()));
        }
        if self.active.len() == DEEPEST {
            return Err(fail(format!("it is nested in {DEEPEST} others")));
        }
        if inputs.len() > function.input.len() || node.output.len() > function.output.len() {
            return Err(fail(format!(
                "it has {} inputs and {} outputs, but the call names {} and {}",
                function.input.len(),
                function.output.len(),
                inputs.len(),
                node.output.len()
            )));
        }
        let mut scope = Scope::new();
        for (i, name) in function.input.iter().enumerate() {
            if scope
                .insert(name, inputs.get(i).copied().flatten())
                .is_some()
            {
                return Err(fail(format!("it has the input \"{}\" twice", shown(name))));
            }
        }
        let own = Place {
            given: given(function, node, &place.given).map_err(fail)?,
            opsets: opsets(&function.opset_import),
            prefix: label.to_owned(),
        };
        self.active.push(key);
        self.body(&function.node, &mut scope, &own)?;
        self.active.pop();
        let output = |name: &String| match scope.get(&**name) {
            Some(&value) => Ok(value),
            None => Err(fail(format!(
                "nothing makes its output \"{}\"",
                shown(name)
            ))),
        };
        function
            .output
            .iter()
            .take(node.output.len())
            .map(output)
            .collect()
    }
}

/// The attributes of a function in a call.
fn given<'a>(
    function: &'a FunctionProto,
    node: &'a NodeProto,
    outer: &Given<'a>,
) -> Result<Given<'a>, String> {
    let defaults = function.attribute_proto.iter();
    let mut found: Given<'a> = defaults.map(|a| (&*a.name, a)).collect();
    for attribute in &node.attribute {
        let is_known = function.attribute.contains(&attribute.name)
            || function
                .attribute_proto
                .iter()
                .any(|a: &AttributeProto| a.name == attribute.name);
        if !is_known {
            return Err(format!("it has no attribute {}", shown(&attribute.name)));
        }
        if let Some(value) = attribute::resolved(attribute, outer) {
            found.insert(&attribute.name, value);
        }
    }
    Ok(found)
}

/// Bytes that an attribute's value takes.
fn bytes_of(attr: &Attr) -> usize {
    match attr {
        Attr::Int(_) | Attr::Float(_) => 8,
        Attr::Str(text) => text.len(),
        Attr::Ints(all) => 8 * all.len(),
        Attr::Floats(all) => 8 * all.len(),
        Attr::Strs(all) => all.iter().map(|text| text.len() + 24).sum(),
        Attr::Tensor(tensor) => tensor.bytes.len(),
    }
}

/// The label of a node. The labels of the calls around it are shortened to 100 characters.
fn label(node: &NodeProto, n: usize, prefix: &str) -> String {
    let prefix = match prefix {
        "" => String::new(),
        call => format!("{}, ", shown(call)),
    };
    let operator = shown(&node.op_type);
    match &*node.name {
        "" => format!("{prefix}node {n} ({operator})"),
        name => format!("{prefix}node \"{}\" ({operator})", shown(name)),
    }
}

/// Why a name has no value: no node makes it, or this node or a later one does.
fn missing(name: &str, nodes: &[NodeProto], n: usize, prefix: &str) -> Error {
    let mut later = nodes.iter().enumerate().skip(n);
    let maker = later.find(|(_, node)| node.output.iter().any(|o| o == name));
    let name = shown(name);
    Error::argument(
        "input",
        match maker {
            Some((n, maker)) => format!(
                "\"{name}\" is made by {}, which does not come before this node; nodes must be in \
                 an order in which they can be computed, without cycles",
                label(maker, n, prefix)
            ),
            None => format!("\"{name}\" is neither an input nor made by a node"),
        },
    )
}
