//! Models from bytes and files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use prost::Message as _;
use zerostride::{Error, HostTensor, Result};

use super::external::Folder;
use super::fault::refused;
use super::graph;
use super::loaded::{InputInfo, Loaded};
use super::proto::{ModelProto, TensorProto};
use super::tensor;

/// The most bytes of a file, which is the limit of protocol buffers.
const MOST_BYTES: u64 = 1 << 31;

/// A model that is read, and checked as far as possible without the shapes of its inputs.
#[derive(Clone, Debug)]
pub struct Model(pub(super) Arc<Loaded>);

impl Model {
    /// Reads a model that contains all its initializers.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an operator or type that is not supported, with the node's name;
    /// [`Error::Argument`] for a model that is truncated or has cycles, names without a value or
    /// with two, more than [`MAX_NODES`](crate::MAX_NODES) nodes, or elements that do not fit their
    /// shape.
    pub fn load(bytes: &[u8]) -> Result<Self> {
        Self::decoded(bytes, None)
    }

    /// Reads a model from a file. Initializers may be in files of the same folder or below it.
    ///
    /// # Errors
    /// Those of [`load`](Self::load) and [`Error::Io`]; [`Error::Argument`] for a location outside
    /// the folder, also behind a link, and for a file that is too short.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|f| f.take(MOST_BYTES + 1).read_to_end(&mut bytes));
        read.map_err(|e| Error::Io {
            path: path.into(),
            source: Arc::new(e),
        })?;
        Self::decoded(&bytes, Some(&Folder::of(path)?))
    }

    fn decoded(bytes: &[u8], folder: Option<&Folder>) -> Result<Self> {
        if bytes.len() as u64 > MOST_BYTES {
            let reason = "a file has at most 2 GiB; put larger initializers in files beside it";
            return Err(refused(reason.into()));
        }
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

    /// The number of nodes. Those of a function count once for each of its calls.
    pub fn node_count(&self) -> usize {
        self.0.nodes.len()
    }
}

/// Reads a file of one tensor, the form that ONNX's tests have for inputs and outputs.
///
/// # Errors
/// [`Error::Argument`] if the bytes are not a tensor, [`Error::Unsupported`] for an element type
/// that is not supported.
pub fn read_tensor(bytes: &[u8]) -> Result<HostTensor> {
    let tensor = TensorProto::decode(bytes)
        .map_err(|e| Error::argument("tensor", format!("it is no tensor, or ends early: {e}")))?;
    tensor::host(&tensor, None)
}
