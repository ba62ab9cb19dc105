//! naga's check of kernel source, without a device.

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::error::{Error, Result};

/// Capabilities that only some adapters have.
pub(super) const NATIVE: Capabilities = Capabilities::SHADER_INT64
    .union(Capabilities::FLOAT64)
    .union(Capabilities::IMMEDIATES)
    .union(Capabilities::SHADER_FLOAT16_IN_FLOAT32);

/// Parses and validates WGSL source with the capabilities that every adapter has.
///
/// # Errors
/// [`Error::Kernel`] with naga's description.
#[doc(hidden)]
pub fn validate(wgsl: &str) -> Result<()> {
    module(wgsl, Capabilities::empty()).map(drop)
}

/// Parses and validates WGSL source that may use features of only some adapters: 64-bit types,
/// immediate data and conversions of two halves at once.
///
/// # Errors
/// [`Error::Kernel`] with naga's description.
#[doc(hidden)]
pub fn validate_native(wgsl: &str) -> Result<()> {
    module(wgsl, NATIVE).map(drop)
}

/// The valid module of WGSL source.
pub(super) fn module(wgsl: &str, capabilities: Capabilities) -> Result<(Module, ModuleInfo)> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| Error::Kernel {
        reason: e.emit_to_string(wgsl),
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    match validator.validate(&module) {
        Ok(info) => Ok((module, info)),
        Err(e) => Err(Error::Kernel {
            reason: e.emit_to_string(wgsl),
        }),
    }
}
