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
mod probe;
mod read;
mod recorder;
mod submission;

pub use adapter::{AdapterSummary, Builder, Software, adapters};
pub(crate) use buffer::Buffer;
pub use context::Context;
#[cfg(feature = "stream")]
pub(crate) use read::Pending as PendingRead;
