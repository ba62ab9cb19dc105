//! Translates kernels to the shading languages of wgpu's backends, by naga and without a device:
//! into source, and the place where it binds each variable.

mod interface;
mod language;

use std::collections::HashMap;
use std::fmt;

use naga::valid::ModuleInfo;
use naga::{AddressSpace, ResourceBinding};

use super::dispatch::Variable;
use super::validate::{NATIVE, module};
use crate::error::{Error, Result};
use interface::{Buffer, Class, Interface};
pub use language::{Language, Place};

/// A kernel translated to a language.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Translation {
    /// The source, or little-endian SPIR-V words.
    pub code: Vec<u8>,
    /// The name of its entry point.
    pub entry_point: String,
    /// Its variables and their places; the bindings of the WGSL come first, in their order.
    pub places: Vec<(Variable, Place)>,
}

impl Language {
    /// Translates a kernel of [`Plan::kernels`](crate::Plan::kernels) to this language. Binding n
    /// of its group 0 becomes
    /// - in SPIR-V, binding n of descriptor set 0;
    /// - in HLSL, register n of space 0: `b` for a uniform, `t` for an input, `u` for the output;
    ///   space 1 has the immediate data at b0 and, at b1, the three numbers of workgroups; both may
    ///   be root constants;
    /// - in MSL, buffer n; the immediate data and the sizes of the storage buffers follow the last
    ///   buffer;
    /// - in GLSL, the next binding point of its kind, uniform or storage; immediate data is the
    ///   last uniform block.
    ///
    /// # Errors
    /// [`Error::Kernel`] if naga refuses the kernel or cannot translate it, or if it binds anything
    /// but buffers of group 0, or more buffers than Metal supports.
    pub fn translate(self, wgsl: &str) -> Result<Translation> {
        let (mut module, mut info) = module(wgsl, NATIVE)?;
        let interface = Interface::new(&module).map_err(|reason| self.refused(reason))?;
        let named = |code: Vec<u8>| (code, interface.entry_point.clone());
        let (code, entry_point) = match self {
            Self::Wgsl => named(wgsl.as_bytes().to_vec()),
            Self::Spirv => named(spirv(&module, &info, &interface)?),
            // It would convert the value: DXC takes some of these texts and they compute something
            // else.
            Self::Hlsl if has_f64(&module) => {
                return Err(self.refused("naga cannot bit-cast 64-bit floats"));
            }
            Self::Hlsl => hlsl(&module, &info, &interface)?,
            Self::Msl if has_f64(&module) => return Err(self.refused("Metal has no 64-bit floats")),
            Self::Msl => {
                info = variables_by_binding(&mut module)?;
                msl(&module, &info, &interface)?
            }
            Self::Glsl => {
                if let Some(next) = interface.immediates {
                    info = uniform_immediates(&mut module, next)?;
                }
                named(glsl(&module, &info, &interface)?)
            }
        };
        let place = |b: &Buffer| (Variable::Binding(b.number), interface.place(self, b));
        let mut places: Vec<_> = interface.buffers.iter().map(place).collect();
        places.extend(interface.extras(self));
        Ok(Translation {
            code,
            entry_point,
            places,
        })
    }

    fn refused(self, error: impl fmt::Display) -> Error {
        Error::Kernel {
            reason: format!("{self}: {error}"),
        }
    }
}

/// The buffers of Metal's table.
const METAL_BUFFERS: u8 = 31;

/// Whether a kernel computes with 64-bit floats.
fn has_f64(module: &naga::Module) -> bool {
    let mut scalars = module.types.iter().map(|(_, ty)| ty.inner.scalar());
    scalars.any(|scalar| scalar == Some(naga::Scalar::F64))
}

/// wgpu's own policy: an index out of range is moved into the range.
const CHECKED: naga::proc::BoundsCheckPolicies = naga::proc::BoundsCheckPolicies {
    index: naga::proc::BoundsCheckPolicy::Restrict,
    buffer: naga::proc::BoundsCheckPolicy::Restrict,
    image_load: naga::proc::BoundsCheckPolicy::Unchecked,
    binding_array: naga::proc::BoundsCheckPolicy::Unchecked,
};

fn spirv(module: &naga::Module, info: &ModuleInfo, interface: &Interface) -> Result<Vec<u8>> {
    use naga::back::spv;
    let target = |b: &Buffer| spv::BindingInfo {
        descriptor_set: 0,
        binding: b.number,
        binding_array_size: None,
    };
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        fake_missing_bindings: false,
        binding_map: interface.map(target).collect(),
        bounds_check_policies: CHECKED,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..Default::default()
    };
    let words =
        spv::write_vec(module, info, &options, None).map_err(|e| Language::Spirv.refused(e))?;
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn hlsl(
    module: &naga::Module,
    info: &ModuleInfo,
    interface: &Interface,
) -> Result<(Vec<u8>, String)> {
    use naga::back::hlsl;
    let target = |register, space| hlsl::BindTarget {
        register,
        space,
        restrict_indexing: true,
        ..Default::default()
    };
    let mut text = String::new();
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        binding_map: interface.map(|b| target(b.number, 0)).collect(),
        fake_missing_bindings: false,
        special_constants_binding: interface.workgroups.then(|| target(1, 1)),
        immediates_target: Some(target(0, 1)),
        zero_initialize_workgroup_memory: false,
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions::default();
    let mut made = hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(module, info, None)
        .map_err(|e| Language::Hlsl.refused(e))?;
    // A kernel has one.
    let name = made.entry_point_names.swap_remove(0);
    let name = name.map_err(|e| Language::Hlsl.refused(e))?;
    Ok((text.into_bytes(), name))
}

fn msl(
    module: &naga::Module,
    info: &ModuleInfo,
    interface: &Interface,
) -> Result<(Vec<u8>, String)> {
    use naga::back::msl;
    let extras = interface.extras(Language::Msl);
    let [immediates_buffer, sizes_buffer] =
        [Variable::Immediates, Variable::BufferSizes].map(|wanted| {
            match extras.iter().find(|(variable, _)| *variable == wanted) {
                Some((_, Place::Buffer(n))) => Some(*n),
                _ => None,
            }
        });
    let target = |b: &Buffer| msl::BindTarget {
        buffer: Some(b.number as u8),
        mutable: b.class == Class::ReadWrite,
        ..Default::default()
    };
    let places = interface.buffers.last().map_or(0, |b| b.number as u8 + 1)
        + u8::from(immediates_buffer.is_some())
        + u8::from(sizes_buffer.is_some());
    if places > METAL_BUFFERS {
        let reason = format!(
            "Metal supports {METAL_BUFFERS} buffers, the kernel needs {places}; plan with at most 28 storage buffers"
        );
        return Err(Language::Msl.refused(reason));
    }
    let resources = msl::EntryPointResources {
        resources: interface.map(target).collect(),
        immediates_buffer,
        sizes_buffer,
    };
    let options = msl::Options {
        lang_version: (2, 4),
        per_entry_point_map: [(interface.entry_point.clone(), resources)].into(),
        fake_missing_bindings: false,
        bounds_check_policies: CHECKED,
        zero_initialize_workgroup_memory: false,
        ..Default::default()
    };
    let pipeline = msl::PipelineOptions::default();
    let (text, mut made) = msl::write_string(module, info, &options, &pipeline)
        .map_err(|e| Language::Msl.refused(e))?;
    let name = made.entry_point_names.swap_remove(0);
    let name = name.map_err(|e| Language::Msl.refused(e))?;
    Ok((text.into_bytes(), name))
}

/// Makes the immediate data a uniform buffer, since GLSL has none.
fn uniform_immediates(module: &mut naga::Module, binding: u32) -> Result<ModuleInfo> {
    let all = module.global_variables.iter_mut();
    for (_, variable) in all.filter(|(_, v)| v.space == AddressSpace::Immediate) {
        variable.space = AddressSpace::Uniform;
        variable.binding = Some(ResourceBinding { group: 0, binding });
    }
    validated(module, Language::Glsl)
}

/// Sorts variables by their bindings, the order of Metal's table of buffer sizes: naga orders them as functions
/// name them.
fn variables_by_binding(module: &mut naga::Module) -> Result<ModuleInfo> {
    let named = std::mem::take(&mut module.global_variables);
    let mut all: Vec<_> = named.iter().collect();
    all.sort_by_key(|(_, variable)| variable.binding.map(|b| b.binding));
    let append = |(old, variable): (_, &naga::GlobalVariable)| {
        let span = naga::Span::UNDEFINED;
        (old, module.global_variables.append(variable.clone(), span))
    };
    let places: HashMap<_, _> = all.into_iter().map(append).collect();
    let entries = module.entry_points.iter_mut().map(|e| &mut e.function);
    let functions = entries.chain(module.functions.iter_mut().map(|(_, f)| f));
    for (_, expression) in functions.flat_map(|f| f.expressions.iter_mut()) {
        if let naga::Expression::GlobalVariable(variable) = expression {
            *variable = places[variable];
        }
    }
    validated(module, Language::Msl)
}

fn validated(module: &naga::Module, language: Language) -> Result<ModuleInfo> {
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), NATIVE);
    validator
        .validate(module)
        .map_err(|e| language.refused(e.into_inner()))
}

fn glsl(module: &naga::Module, info: &ModuleInfo, interface: &Interface) -> Result<Vec<u8>> {
    use naga::back::glsl;
    let immediates = interface
        .immediates
        .map(|binding| (ResourceBinding { group: 0, binding }, interface.uniforms()));
    let options = glsl::Options {
        version: glsl::Version::new_gles(310),
        binding_map: interface.map(|b| b.nth).chain(immediates).collect(),
        zero_initialize_workgroup_memory: false,
        ..Default::default()
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: interface.entry_point.clone(),
        multiview: None,
    };
    let mut text = String::new();
    // naga has no checks of its own there; contexts with robust buffer access do.
    let policies = naga::proc::BoundsCheckPolicies::default();
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
        .and_then(|mut writer| writer.write())
        .map_err(|e| Language::Glsl.refused(e))?;
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests;
