//! Kernels in the shading languages of wgpu's backends, by naga, without a device.

use std::fmt;
use std::str::FromStr;

use naga::valid::ModuleInfo;

use crate::error::{Error, Result};

/// A language a kernel can be shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL, the text that is compiled.
    Wgsl,
    /// SPIR-V 1.3 words (Vulkan).
    Spirv,
    /// HLSL, shader model 6.0 (Direct3D 12).
    Hlsl,
    /// Metal shading language 2.4.
    Msl,
    /// GLSL ES 3.10 (OpenGL ES).
    Glsl,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 5] = [Self::Wgsl, Self::Spirv, Self::Hlsl, Self::Msl, Self::Glsl];

    /// The name as the command spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Spirv => "spirv",
            Self::Hlsl => "hlsl",
            Self::Msl => "msl",
            Self::Glsl => "glsl",
        }
    }

    /// A WGSL text in this language, as bytes: text, or little-endian SPIR-V words.
    ///
    /// # Errors
    /// [`Error::Kernel`] where naga refuses or cannot express it.
    pub fn translate(self, wgsl: &str) -> Result<Vec<u8>> {
        let (module, info) = super::validate_native(wgsl)?;
        match self {
            Self::Wgsl => Ok(wgsl.as_bytes().to_vec()),
            Self::Spirv => spirv(&module, &info),
            Self::Hlsl => hlsl(&module, &info),
            Self::Msl if has_f64(&module) => Err(refused(self, "Metal has no 64-bit floats")),
            Self::Msl => msl(&module, &info),
            Self::Glsl => glsl(&module, &info),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|l| l.name() == s).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::argument("language", format!("`{s}` is not one of {names}"))
        })
    }
}

/// Whether a kernel computes with 64-bit floats.
fn has_f64(module: &naga::Module) -> bool {
    let scalar = |inner: &naga::TypeInner| inner.scalar();
    module.types.iter().any(|(_, ty)| scalar(&ty.inner) == Some(naga::Scalar::F64))
}

fn refused(language: Language, error: impl fmt::Display) -> Error {
    Error::Kernel { reason: format!("{language}: {error}") }
}

fn spirv(module: &naga::Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
    let words = naga::back::spv::write_vec(module, info, &options, None).map_err(|e| refused(Language::Spirv, e))?;
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn hlsl(module: &naga::Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = naga::back::hlsl::Options {
        shader_model: naga::back::hlsl::ShaderModel::V6_0,
        fake_missing_bindings: true,
        // naga makes up every other register, and panics where this one is missing.
        immediates_target: Some(naga::back::hlsl::BindTarget { space: 1, ..Default::default() }),
        ..Default::default()
    };
    let pipeline = naga::back::hlsl::PipelineOptions::default();
    let mut text = String::new();
    naga::back::hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(module, info, None)
        .map_err(|e| refused(Language::Hlsl, e))?;
    Ok(text.into_bytes())
}

fn msl(module: &naga::Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = naga::back::msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..Default::default() };
    let pipeline = naga::back::msl::PipelineOptions::default();
    let (text, _) =
        naga::back::msl::write_string(module, info, &options, &pipeline).map_err(|e| refused(Language::Msl, e))?;
    Ok(text.into_bytes())
}

fn glsl(module: &naga::Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = naga::back::glsl::Options { version: naga::back::glsl::Version::new_gles(310), ..Default::default() };
    let pipeline = naga::back::glsl::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: "main".into(),
        multiview: None,
    };
    let mut text = String::new();
    let policies = naga::proc::BoundsCheckPolicies::default();
    naga::back::glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
        .and_then(|mut writer| writer.write())
        .map_err(|e| refused(Language::Glsl, e))?;
    Ok(text.into_bytes())
}
