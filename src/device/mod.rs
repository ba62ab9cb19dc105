//! The device: adapters, the context, and what a context is made of.
//!
//! Each file uses those of the lines above it alone:
//!
//! ```text
//! unlocked                                  the token that shows that no lock is held
//! turns                                     of threads, at OpenGL and at opening devices
//! submission   loss   adapter   cache   error_scopes
//! gpu                                       device, queue, error scopes, loss
//! poller   pipeline_cache   pipeline   pool
//! probe   kernels   memory   plans         compiled kernels; freed buffers, bind groups; kept plans
//! buffer   pass_resources
//! bytes   dispatch   operands   history     aliases; what became of batches
//! pending_calls                             small calls that wait for others
//! batch
//! queue                                     the open batch, submissions in order
//! poison                                    a pattern in buffers that are handed out, for tests
//! allocator
//! upload                                    staging buffers in turn
//! record   transfer                         plans to batches; uploads and reads
//! context
//! builder
//! ```

mod adapter;
mod allocator;
mod batch;
mod buffer;
mod builder;
mod bytes;
mod cache;
mod context;
mod dispatch;
mod error_scopes;
mod gpu;
mod history;
mod kernels;
#[cfg(test)]
mod layers;
mod loss;
mod memory;
mod operands;
mod pass_resources;
mod pending_calls;
mod pipeline;
mod pipeline_cache;
mod plans;
mod poison;
mod poller;
mod pool;
mod probe;
mod queue;
mod record;
mod submission;
#[cfg(all(test, feature = "noop"))]
mod tests;
mod transfer;
mod turns;
mod unlocked;
#[cfg(not(target_family = "wasm"))]
mod upload;

pub use adapter::{AdapterSummary, adapters};
pub(crate) use buffer::Buffer;
pub use builder::{Builder, Software};
pub(crate) use bytes::Bytes;
pub use context::Context;
pub(crate) use operands::Operands;
#[cfg(not(target_family = "wasm"))]
pub(crate) use transfer::PendingRead;
