//! SPIR-V as wgpu 30 makes it at run time for Vulkan (`wgpu-hal/src/vulkan/{adapter,device}.rs`).

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ShaderStage};

use crate::driver::{Driver, Module};

/// A compiled text, and the invocations of its workgroup.
pub struct Written {
    pub module: Module,
    pub workgroup: u32,
}

/// Writes the kernel of a WGSL text with these pipeline constants.
///
/// # Errors
/// What naga says.
pub fn write(
    wgsl: &str,
    constants: &[(&'static str, f64)],
    driver: &Driver,
) -> Result<Written, String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| e.emit_to_string(wgsl))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|e| e.emit_to_string(wgsl))?;
    let constants = constants
        .iter()
        .map(|(name, value)| ((*name).to_string(), *value))
        .collect();
    let entry = (ShaderStage::Compute, "main");
    let (module, info) =
        naga::back::pipeline_constants::process_overrides(&module, &info, Some(entry), &constants)
            .map_err(|e| e.to_string())?;
    let pipeline = spv::PipelineOptions {
        shader_stage: entry.0,
        entry_point: entry.1.into(),
    };
    let spirv = spv::write_vec(&module, &info, &options(driver), Some(&pipeline))
        .map_err(|e| e.to_string())?;
    let mut bindings = Vec::new();
    let mut immediates = 0;
    for (_, variable) in module.global_variables.iter() {
        if variable.space == AddressSpace::Immediate {
            immediates = module.types[variable.ty].inner.size(module.to_ctx());
        }
        if let Some(at) = &variable.binding {
            bindings.push((at.binding, variable.space == AddressSpace::Uniform));
        }
    }
    let point = module.entry_points.iter().find(|p| p.name == "main");
    let workgroup = point
        .ok_or("there is no entry point `main`")?
        .workgroup_size
        .iter()
        .product();
    Ok(Written {
        module: Module {
            spirv,
            bindings,
            immediates,
        },
        workgroup,
    })
}

/// The options of wgpu's device with the features that the library asks for.
fn options(driver: &Driver) -> spv::Options<'static> {
    use spv::Capability as C;
    let mut capabilities = vec![
        C::Shader,
        C::Matrix,
        C::Sampled1D,
        C::Image1D,
        C::ImageQuery,
        C::DerivativeControl,
        C::StorageImageExtendedFormats,
        C::DotProductInputAllKHR,
        C::DotProductInput4x8BitKHR,
        C::DotProductInput4x8BitPackedKHR,
        C::DotProductKHR,
        C::Int8,
    ];
    capabilities.extend(driver.gpu.int64.then_some(C::Int64));
    capabilities.extend(driver.gpu.float64.then_some(C::Float64));
    let mut flags = spv::WriterFlags::FORCE_POINT_SIZE;
    flags.set(spv::WriterFlags::LABEL_VARYINGS, driver.labels_varyings);
    spv::Options {
        lang_version: driver.spirv,
        flags,
        capabilities: Some(capabilities.into_iter().collect()),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: match driver.is_robust {
                true => BoundsCheckPolicy::Unchecked,
                false => BoundsCheckPolicy::Restrict,
            },
            image_load: BoundsCheckPolicy::Unchecked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        // The library's pipelines ask for none.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: true,
        emit_int_div_checks: true,
        ..spv::Options::default()
    }
}
