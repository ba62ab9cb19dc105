//! The context that a command line asks for.

#![allow(
    unsafe_code,
    reason = "the folder of compiled kernels is the user's own word"
)]

use zerostride::{Builder, Context};

use crate::{failure, interrupt};

/// Choices for a context: what the environment says, and then the command line.
pub fn builder(adapter: Option<&str>) -> Builder {
    let float64 = std::env::var("ZEROSTRIDE_FLOAT64").unwrap_or_default();
    if !["", "0", "1", "integers"].contains(&&*float64) {
        failure::warn("ZEROSTRIDE_FLOAT64 must be 0, 1 or integers; another value changes nothing");
    }
    // SAFETY: whoever runs this program and names the folder vouches for it, as for the program;
    // the help says so.
    let builder = unsafe { Context::builder().from_env().kernel_cache_from_env() };
    match adapter {
        Some(name) => builder.adapter(name),
        None => builder,
    }
}

/// Keeps the compiled kernels if a folder is named for them. The result is there all the same
/// if that fails.
pub fn keep_kernels(context: &Context) {
    if context.kernel_cache_file().is_none() {
        return;
    }
    if let Err(error) = interrupt::catch().and_then(|()| context.save_kernels()) {
        failure::warn(&format!(
            "compiled kernels are not kept where ZEROSTRIDE_KERNEL_CACHE says: {error}"
        ));
    }
}
