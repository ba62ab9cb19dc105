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

/// Bytes of a file, as many as a message of protocol buffers may have.
const MOST_BYTES: u64 = 1 << 31;

/// A model that was read and checked as far as it can be without the shapes of its inputs.
#[derive(Clone, Debug)]
pub struct Model(pub(super) Arc<Loaded>);

impl Model {
    /// Reads a model whose initializers are all in it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an operator or type that is not computed, with the node's name;
    /// [`Error::Argument`] for a model that is broken: truncated, with cycles, names that nothing
    /// makes or that stand for two values, more than [`MAX_NODES`](crate::MAX_NODES) nodes, or elements that do not
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
            let reason = "a file has at most 2 GiB; larger initializers are in files beside it";
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

    /// How many nodes it has, those of functions counted wherever these are called.
    pub fn node_count(&self) -> usize {
        self.0.nodes.len()
    }
}

/// The elements of a file that holds one tensor, as ONNX's tests have their inputs and outputs.
///
/// # Errors
/// [`Error::Argument`] for what is no tensor, [`Error::Unsupported`] for a type that is not computed
/// with.
pub fn read_tensor(bytes: &[u8]) -> Result<HostTensor> {
    let tensor = TensorProto::decode(bytes)
        .map_err(|e| Error::argument("tensor", format!("the file is none, or ends early: {e}")))?;
    tensor::host(&tensor, None)
}
