//! The languages, and the places where their source binds variables.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// A language a kernel can be shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL, the source that wgpu compiles.
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

/// The place where source binds a variable; displayed as the source writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A binding of group 0 of WGSL.
    Binding(u32),
    /// The immediate data of WGSL.
    Immediate,
    /// A binding of descriptor set 0 of SPIR-V.
    Descriptor(u32),
    /// The push constants of SPIR-V, from byte 0.
    PushConstants,
    /// A register of HLSL: `b` for constants, `t` for buffers read, `u` for buffers written.
    Register {
        /// The letter.
        class: char,
        /// The number.
        number: u32,
        /// The register space.
        space: u8,
    },
    /// An index into Metal's table of buffers.
    Buffer(u8),
    /// A binding point for uniform blocks of GLSL.
    UniformBlock(u8),
    /// A binding point for storage blocks of GLSL; uniform blocks are numbered separately.
    StorageBlock {
        /// The binding point.
        binding: u8,
        /// Whether the block is written.
        writes: bool,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binding(n) => write!(f, "@group(0) @binding({n})"),
            Self::Immediate => write!(f, "var<immediate>"),
            Self::Descriptor(n) => write!(f, "set 0, binding {n}"),
            Self::PushConstants => write!(f, "push constants"),
            Self::Register {
                class,
                number,
                space: 0,
            } => write!(f, "register({class}{number})"),
            Self::Register {
                class,
                number,
                space,
            } => write!(f, "register({class}{number}, space{space})"),
            Self::Buffer(n) => write!(f, "[[buffer({n})]]"),
            Self::UniformBlock(n) => write!(f, "layout(std140, binding = {n}) uniform"),
            Self::StorageBlock { binding, writes } => {
                let access = if *writes { "" } else { "readonly " };
                write!(f, "layout(std430, binding = {binding}) {access}buffer")
            }
        }
    }
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
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self> {
        let named = Self::ALL.into_iter().find(|l| l.name() == s);
        named.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::argument("language", format!("`{s}` is not one of {names}"))
        })
    }
}
