//! The context that a command line asks for.

#![allow(
    unsafe_code,
    reason = "the folder of compiled kernels is the user's own word"
)]

use zerostride::{Builder, Context};

/// Choices for a context: what the environment says, and then the command line.
pub fn builder(adapter: Option<&str>) -> Builder {
    // SAFETY: whoever runs this program and names the folder vouches for it, as for the program;
    // the help says so.
    let builder = unsafe { Context::builder().from_env().kernel_cache_from_env() };
    match adapter {
        Some(name) => builder.adapter(name),
        None => builder,
    }
}
