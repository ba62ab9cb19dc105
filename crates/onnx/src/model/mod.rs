//! Models of ONNX files, every node on the device.
//!
//! [`Model::load`] reads a file and resolves its names ([`graph`]); [`Model::bind`] gives its symbolic
//! extents their numbers and makes one expression of each output ([`bind`]); a [`Session`] plans those
//! expressions together and runs them. Shapes, and what is computed of shapes and constants alone, are
//! known on the host before anything runs.

mod attribute;
mod bind;
mod external;
mod graph;
pub mod proto;
mod session;
mod tensor;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use prost::Message as _;
use zerostride::{Context, DType, Error, HostTensor, Result};

use crate::dtypes;
pub use bind::{Bound, NodeInfo};
use external::Folder;
use graph::Node;
use proto::{ModelProto, ValueInfoProto};
pub use session::Session;

/// Nodes that a model has at most, with those of its functions wherever these are called.
pub const MAX_NODES: usize = 1 << 20;

/// A model that was read and checked as far as it can be without the shapes of its inputs.
#[derive(Clone, Debug)]
pub struct Model(Arc<Loaded>);

/// What a model is made of. Values are numbered.
#[derive(Debug)]
struct Loaded {
    inputs: Vec<InputInfo>,
    outputs: Vec<OutputInfo>,
    /// The initializers, each with its value.
    constants: Vec<(usize, Arc<HostTensor>)>,
    nodes: Vec<Node>,
    /// How many values the nodes and inputs make.
    values: usize,
}

/// An input of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputInfo {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its extents, if its rank is known.
    pub extents: Option<Vec<Extent>>,
    /// Whether an initializer of the same name stands for it where it is not given.
    pub is_optional: bool,
    value: usize,
}

/// An extent of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// A number.
    Fixed(usize),
    /// A name, which stands for one number wherever it is.
    Named(String),
    /// Any number.
    Any,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Named(name) => f.write_str(&zerostride::message::escape(name)),
            Self::Any => f.write_str("?"),
        }
    }
}

/// An output of a model.
#[derive(Clone, Debug)]
struct OutputInfo {
    name: String,
    /// The type that is declared.
    dtype: Option<DType>,
    value: usize,
}

impl Model {
    /// Reads a model whose initializers are all in it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an operator or type that is not computed, with the node's name;
    /// [`Error::Argument`] for a model that is broken: truncated, with cycles, names that nothing
    /// makes or that stand for two values, more than [`MAX_NODES`] nodes, or elements that do not
    /// fit their shape.
    pub fn load(bytes: &[u8]) -> Result<Self> {
        Self::decoded(bytes, None)
    }

    /// Reads a model's file. Initializers may be in files of the same folder or of folders in it.
    ///
    /// # Errors
    /// Those of [`load`](Self::load) and [`Error::Io`]; [`Error::Argument`] for a location outside
    /// the folder, also behind a link, and for a file that is too short.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::Io {
            path: path.into(),
            source: Arc::new(e),
        })?;
        Self::decoded(&bytes, Some(&Folder::of(path)?))
    }

    fn decoded(bytes: &[u8], folder: Option<&Folder>) -> Result<Self> {
        let model = ModelProto::decode(bytes)
            .map_err(|e| refused(format!("the file is no ONNX model, or ends early: {e}")))?;
        Ok(Self(Arc::new(graph::loaded(&model, folder)?)))
    }

    /// The inputs, in the model's order.
    pub fn inputs(&self) -> &[InputInfo] {
        &self.0.inputs
    }

    /// The names of the outputs, in the model's order.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.0.outputs.iter().map(|o| &*o.name)
    }

    /// How many nodes it has, those of functions counted wherever these are called.
    pub fn node_count(&self) -> usize {
        self.0.nodes.len()
    }

    /// What runs it on a context.
    ///
    /// ```no_run
    /// use zerostride::Context;
    /// use zerostride_onnx::Model;
    ///
    /// let context = Context::request_blocking()?;
    /// let x = context.tensor(&[1.0f32, -2.0, 3.0], [3])?;
    /// let mut session = Model::open("relu.onnx")?.session(&context);
    /// let outputs = session.run(&[("x", &x)])?;
    /// println!("{}", outputs[0].1.to_host_blocking()?);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    pub fn session(&self, context: &Context) -> Session {
        Session::new(self.clone(), context.clone())
    }
}

/// The elements of a file that holds one tensor, as ONNX's tests have their inputs and outputs.
///
/// # Errors
/// [`Error::Argument`] for what is no tensor, [`Error::Unsupported`] for a type that is not computed
/// with.
pub fn read_tensor(bytes: &[u8]) -> Result<HostTensor> {
    let tensor = proto::TensorProto::decode(bytes)
        .map_err(|e| Error::argument("tensor", format!("the file is none, or ends early: {e}")))?;
    tensor::host(&tensor, None)
}

impl InputInfo {
    /// An input as it is declared.
    fn new(info: &ValueInfoProto, value: usize, is_optional: bool) -> Result<Self> {
        let named = |e: Error| at(format!("input \"{}\"", info.name), e);
        let declared = declared(info).map_err(named)?;
        let Some((dtype, extents)) = declared else {
            return Err(named(refused("its type is missing".into())));
        };
        Ok(Self {
            name: info.name.clone(),
            dtype,
            extents,
            is_optional,
            value,
        })
    }
}

/// The element type and extents of a declared tensor; `None` if nothing is declared.
fn declared(info: &ValueInfoProto) -> Result<Option<(DType, Option<Vec<Extent>>)>> {
    let Some(declared) = &info.r#type else {
        return Ok(None);
    };
    let other = [
        (declared.sequence_type.is_some(), "sequences"),
        (declared.map_type.is_some(), "maps"),
        (declared.sparse_tensor_type.is_some(), "sparse tensors"),
        (declared.optional_type.is_some(), "optional types"),
    ];
    if let Some((_, what)) = other.iter().find(|(is_there, _)| *is_there) {
        return Err(Error::unsupported(*what));
    }
    let Some(tensor) = &declared.tensor_type else {
        return Ok(None);
    };
    let extent = |dim: &proto::DimensionProto| match (dim.dim_value, &dim.dim_param) {
        (Some(n), _) => usize::try_from(n)
            .map(Extent::Fixed)
            .map_err(|_| refused(format!("an extent is 0 or more, not {n}"))),
        (None, Some(name)) if !name.is_empty() => Ok(Extent::Named(name.clone())),
        _ => Ok(Extent::Any),
    };
    let extents = match &tensor.shape {
        Some(shape) => Some(shape.dim.iter().map(extent).collect::<Result<Vec<_>>>()?),
        None => None,
    };
    Ok(Some((dtypes::known(tensor.elem_type.into())?, extents)))
}

/// An error of a model as a whole.
fn refused(reason: String) -> Error {
    Error::argument("model", reason)
}

/// An error of a node, input or initializer, by its label.
fn at(label: impl fmt::Display, error: Error) -> Error {
    match error {
        Error::Unsupported { what } => Error::unsupported(format!("{label}: {what}")),
        // The device's own errors are no fault of a node.
        Error::DeviceLost { .. } | Error::OutOfMemory { .. } | Error::Io { .. } => error,
        other => Error::argument(label.to_string(), other.to_string()),
    }
}
