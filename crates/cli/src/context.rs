//! The context that a command line asks for.

#![allow(
    unsafe_code,
    reason = "the folder of compiled kernels is the user's own word"
)]

use zerostride::{Builder, Context, message};

use crate::{failure, interrupt};

/// A context builder with the choices of the environment, then those of the command line.
pub fn builder(adapter: Option<&str>) -> Builder {
    let float64 = std::env::var("ZEROSTRIDE_FLOAT64").unwrap_or_default();
    if !["", "0", "1", "integers"].contains(&&*float64) {
        failure::warn("ZEROSTRIDE_FLOAT64 must be 0, 1 or integers; other values are ignored");
    }
    // SAFETY: whoever runs this program and names the folder vouches for it, as for the program;
    // the help says so.
    let builder = unsafe { Context::builder().from_env().kernel_cache_from_env() };
    match adapter {
        Some(name) => builder.adapter(name),
        None => builder,
    }
}

/// Saves the compiled kernels if a folder is named for them. A failure is only a warning.
pub fn keep_kernels(context: &Context) {
    if context.kernel_cache_file().is_none() {
        return;
    }
    if let Err(error) = interrupt::catch().and_then(|()| context.save_kernels()) {
        failure::warn(&format!(
            "the compiled kernels were not saved to ZEROSTRIDE_KERNEL_CACHE: {error}"
        ));
    }
}

/// A context's adapter, and how its compiler treats floats.
pub fn adapter(context: &Context) -> (String, String) {
    let info = context.adapter_info();
    let adapter = format!("{} ({:?})", info.name, info.backend);
    (adapter, context.limits().describe_floats().join(", "))
}

/// The same as --explain prints it.
pub fn described(adapter: &str, floats: &str) -> String {
    format!("adapter: {}\nfloats: {floats}\n", message::escape(adapter))
}
