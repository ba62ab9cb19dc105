//! The device: context, pipelines, buffers, recording and read-back.

mod adapter;
mod buffer;
mod cache;
mod context;
mod dispatch;
mod group;
mod kept;
mod pipeline;
mod poller;
mod prepared;
mod read;
mod recorder;

pub use adapter::{AdapterSummary, Builder, Software, adapters};
pub(crate) use buffer::Buffer;
pub use context::Context;
#[cfg(feature = "npy")]
pub(crate) use read::Pending as PendingRead;
