//! naga's check of a kernel text, without a device.

use crate::error::{Error, Result};

/// Parses and validates a WGSL text with the capabilities every adapter has.
///
/// # Errors
/// [`Error::Kernel`] with naga's description.
pub fn validate(wgsl: &str) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| Error::Kernel { reason: e.emit_to_string(wgsl) })?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    match validator.validate(&module) {
        Ok(info) => Ok((module, info)),
        Err(e) => Err(Error::Kernel { reason: e.emit_to_string(wgsl) }),
    }
}
