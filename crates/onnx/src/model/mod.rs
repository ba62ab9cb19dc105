//! Models from ONNX files, whose nodes run on the device.
//!
//! [`Model::load`] reads a file ([`file`]) and resolves its names ([`graph`]). [`Model::bind`]
//! gives symbolic extents their numbers and makes one expression for each output ([`bind`]). A
//! [`Session`] plans those expressions together and runs them. Shapes, and values that depend on
//! shapes and constants alone, are known on the host before anything runs.

mod attribute;
mod bind;
mod bound;
mod external;
mod fault;
mod file;
mod given;
mod graph;
mod known;
mod loaded;
pub mod proto;
mod session;
mod tensor;

pub use bound::{Bound, NodeInfo};
pub use file::{Model, read_tensor};
pub use given::Given;
pub use known::MAX_KNOWN;
pub use loaded::{Extent, InputInfo, MAX_NODES};
pub use session::Session;
