//! Runs WGSL kernels as naga reads them, without a GPU: all invocations of a workgroup, or of a warp,
//! at once. Every access to memory is reported. With [`Memory`] it also follows which elements of the
//! buffers each word was computed of.
//!
//! Data is taken as 0: no address and no branch of these kernels depends on it, but on the words of
//! uniforms and on what the caller gives buffers to hold.

mod access;
mod arith;
mod expression;
mod functions;
mod invocations;
mod memory;
mod program;
mod sources;

#[cfg(test)]
mod tests;

pub use invocations::{Access, Uniforms};
pub use memory::{Buffer, Memory};
pub use program::Program;
pub use sources::Source;
