//! The context that a command line asks for.

#![allow(
    unsafe_code,
    reason = "the folder of compiled kernels is the user's own word"
)]

use zerostride::{Builder, Context};

/// Choices for a context: what the environment says, and then the command line.
pub fn builder(adapter: Option<&str>) -> Builder {
    let mut builder = Context::builder().from_env();
    if let Some(name) = adapter {
        builder = builder.adapter(name);
    }
    if let Some(folder) =
        std::env::var_os("ZEROSTRIDE_KERNEL_CACHE").filter(|folder| !folder.is_empty())
    {
        // SAFETY: whoever runs this program and names the folder vouches for it, as for the
        // program; the help says so.
        builder = unsafe { builder.kernel_cache(folder) };
    }
    builder
}
