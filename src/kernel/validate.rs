//! naga's check of a kernel text, without a device.

use naga::valid::Capabilities;

use crate::error::{Error, Result};

/// Parses and validates a WGSL text with the capabilities every adapter has.
///
/// # Errors
/// [`Error::Kernel`] with naga's description.
pub fn validate(wgsl: &str) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
    validate_with(wgsl, Capabilities::empty())
}

/// Parses and validates a WGSL text that may use what only some adapters have: 64-bit types and
/// immediate data.
///
/// # Errors
/// [`Error::Kernel`] with naga's description.
pub fn validate_native(wgsl: &str) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
    validate_with(wgsl, NATIVE)
}

/// What only some adapters have.
pub(super) const NATIVE: Capabilities = Capabilities::SHADER_INT64
    .union(Capabilities::FLOAT64)
    .union(Capabilities::IMMEDIATES);

fn validate_with(
    wgsl: &str,
    capabilities: Capabilities,
) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| Error::Kernel {
        reason: e.emit_to_string(wgsl),
    })?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    match validator.validate(&module) {
        Ok(info) => Ok((module, info)),
        Err(e) => Err(Error::Kernel {
            reason: e.emit_to_string(wgsl),
        }),
    }
}
