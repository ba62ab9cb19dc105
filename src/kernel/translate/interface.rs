//! The bindings of a module, and the place of each in every language.

use naga::{AddressSpace, ResourceBinding, StorageAccess};

use super::language::{Language, Place};
use crate::kernel::dispatch::Variable;

/// Numbers that a kernel's bindings stay below, far above those of any adapter.
const MOST: u32 = 128;

/// A buffer that a module binds in group 0.
pub(super) struct Buffer {
    pub number: u32,
    pub class: Class,
    /// How many of its kind, uniform or storage, come before it.
    pub nth: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Uniform,
    Read,
    ReadWrite,
}

/// The bindings and the entry point of a module.
pub(super) struct Interface {
    pub entry_point: String,
    /// By their numbers.
    pub buffers: Vec<Buffer>,
    /// If the module has immediate data, the first number behind those of the buffers.
    pub immediates: Option<u32>,
    /// Whether the module reads the numbers of workgroups.
    pub workgroups: bool,
}

impl Interface {
    pub fn new(module: &naga::Module) -> std::result::Result<Self, String> {
        let [entry] = module.entry_points.as_slice() else {
            return Err("a kernel must have one entry point".into());
        };
        let mut buffers = Vec::new();
        let mut immediates = false;
        for (_, variable) in module.global_variables.iter() {
            let class = match variable.space {
                AddressSpace::Uniform => Class::Uniform,
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    Class::ReadWrite
                }
                AddressSpace::Storage { .. } => Class::Read,
                AddressSpace::Immediate => {
                    immediates = true;
                    continue;
                }
                AddressSpace::Private | AddressSpace::WorkGroup => continue,
                _ => return Err("a kernel may only bind buffers".into()),
            };
            match variable.binding {
                Some(ResourceBinding { group: 0, binding }) if binding < MOST => {
                    buffers.push(Buffer {
                        number: binding,
                        class,
                        nth: 0,
                    });
                }
                _ => {
                    return Err(format!("a kernel must bind in group 0, below {MOST}"));
                }
            }
        }
        buffers.sort_unstable_by_key(|b| b.number);
        let mut counts = [0u8; 2];
        for buffer in &mut buffers {
            let count = &mut counts[usize::from(buffer.class == Class::Uniform)];
            buffer.nth = *count;
            *count = count.saturating_add(1);
        }
        let next = buffers.last().map_or(0, |b| b.number + 1);
        let asks = |a: &naga::FunctionArgument| {
            a.binding == Some(naga::Binding::BuiltIn(naga::BuiltIn::NumWorkGroups))
        };
        Ok(Self {
            entry_point: entry.name.clone(),
            buffers,
            immediates: immediates.then_some(next),
            workgroups: entry.function.arguments.iter().any(asks),
        })
    }

    /// Where a language binds a buffer.
    pub fn place(&self, language: Language, buffer: &Buffer) -> Place {
        let number = buffer.number;
        match (language, buffer.class) {
            (Language::Wgsl, _) => Place::Binding(number),
            (Language::Spirv, _) => Place::Descriptor(number),
            (Language::Hlsl, Class::Uniform) => register('b', number, 0),
            (Language::Hlsl, Class::Read) => register('t', number, 0),
            (Language::Hlsl, Class::ReadWrite) => register('u', number, 0),
            (Language::Msl, _) => Place::Buffer(number as u8),
            (Language::Glsl, Class::Uniform) => Place::UniformBlock(buffer.nth),
            (Language::Glsl, class) => Place::StorageBlock {
                binding: buffer.nth,
                writes: class == Class::ReadWrite,
            },
        }
    }

    /// The variables that a language binds beside the buffers, and their places.
    pub fn extras(&self, language: Language) -> Vec<(Variable, Place)> {
        let next = self.buffers.last().map_or(0, |b| b.number + 1) as u8;
        let immediates = match language {
            Language::Wgsl => Place::Immediate,
            Language::Spirv => Place::PushConstants,
            Language::Hlsl => register('b', 0, 1),
            Language::Msl => Place::Buffer(next),
            Language::Glsl => Place::UniformBlock(self.uniforms()),
        };
        let own = self.immediates.map(|_| (Variable::Immediates, immediates));
        let mut extras: Vec<_> = own.into_iter().collect();
        if language == Language::Hlsl && self.workgroups {
            extras.push((Variable::Workgroups, register('b', 1, 1)));
        }
        if language == Language::Msl && self.buffers.iter().any(|b| b.class != Class::Uniform) {
            let place = Place::Buffer(next + u8::from(self.immediates.is_some()));
            extras.push((Variable::BufferSizes, place));
        }
        extras
    }

    /// How many of the buffers are uniforms.
    pub fn uniforms(&self) -> u8 {
        let uniforms = self.buffers.iter().filter(|b| b.class == Class::Uniform);
        let counts = uniforms.map(|b| b.nth.saturating_add(1));
        counts.max().unwrap_or(0)
    }

    /// A backend's map of bindings.
    pub fn map<T>(
        &self,
        target: impl Fn(&Buffer) -> T,
    ) -> impl Iterator<Item = (ResourceBinding, T)> {
        self.buffers.iter().map(move |b| {
            let (group, binding) = (0, b.number);
            (ResourceBinding { group, binding }, target(b))
        })
    }
}

/// A register of HLSL.
fn register(class: char, number: u32, space: u8) -> Place {
    Place::Register {
        class,
        number,
        space,
    }
}
