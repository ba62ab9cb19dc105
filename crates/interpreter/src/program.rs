//! A kernel: naga's IR of its text, and how its types lie in memory.

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, ArraySize, Block, Function, Handle, Module, Statement as S, TypeInner as T,
};

/// A kernel, ready to run.
#[derive(Debug)]
pub struct Program {
    pub(crate) module: Module,
    pub(crate) info: ModuleInfo,
    /// Whether each function branches, though it knows no memory but uniforms.
    pub(crate) branches: Vec<bool>,
    /// Invocations of a workgroup.
    pub threads: u32,
    pub(crate) size: [u32; 3],
}

impl Program {
    /// A WGSL text with values for its overrides.
    ///
    /// # Errors
    /// Those of naga, in words.
    pub fn new(text: &str, constants: &[(&str, f64)]) -> Result<Self, String> {
        let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
        let validate = |module: &Module| {
            Validator::new(ValidationFlags::all(), Capabilities::all())
                .validate(module)
                .map_err(|e| format!("{e:?}"))
        };
        let info = validate(&module)?;
        let constants = constants
            .iter()
            .map(|(name, value)| (name.to_string(), *value))
            .collect();
        let entry = Some((naga::ShaderStage::Compute, "main"));
        let (module, info) =
            naga::back::pipeline_constants::process_overrides(&module, &info, entry, &constants)
                .map_err(|e| e.to_string())?;
        let (module, info) = (module.into_owned(), info.into_owned());
        let size = module.entry_points[0].workgroup_size;
        let knows_memory = |function: Handle<Function>| {
            let globals = module.global_variables.iter();
            let mut others = globals.filter(|(_, g)| g.space != AddressSpace::Uniform);
            let mut arguments = module.functions[function].arguments.iter();
            others.any(|(g, _)| !info[function][g].is_empty())
                || arguments.any(|a| module.types[a.ty].inner.pointer_space().is_some())
        };
        let functions = module.functions.iter();
        let own = functions.map(|(f, of)| branches(&of.body) && !knows_memory(f));
        Ok(Self {
            branches: own.collect(),
            module,
            info,
            threads: size.iter().product(),
            size,
        })
    }

    /// How many invocations run at once where they need not be those of a warp: all of a workgroup if
    /// they share memory, else few, so that those without an element end early.
    pub fn together(&self) -> usize {
        let mut globals = self.module.global_variables.iter();
        match globals.any(|(_, g)| g.space == AddressSpace::WorkGroup) {
            true => self.threads as usize,
            false => 16,
        }
    }

    /// What a type is.
    pub(crate) fn inner(&self, ty: Handle<naga::Type>) -> &T {
        &self.module.types[ty].inner
    }

    /// Words that a value of this type has here.
    pub(crate) fn len(&self, inner: &T) -> usize {
        match inner {
            T::Scalar(_) | T::Atomic(_) | T::ValuePointer { size: None, .. } => 1,
            T::Vector { size, .. }
            | T::ValuePointer {
                size: Some(size), ..
            } => *size as usize,
            T::Matrix { columns, rows, .. } => *columns as usize * *rows as usize,
            T::Array {
                base,
                size: ArraySize::Constant(n),
                ..
            } => n.get() as usize * self.len(self.inner(*base)),
            T::Struct { members, .. } => members.iter().map(|m| self.len(self.inner(m.ty))).sum(),
            T::Pointer { base, .. } => self.len(self.inner(*base)),
            other => panic!("a value of type {other:?}"),
        }
    }

    /// Where in a buffer each of them lies, in bytes.
    pub(crate) fn places(&self, inner: &T, at: u32, out: &mut Vec<u32>) {
        let strided = |n: u32, stride: u32, base: &T, out: &mut Vec<u32>| {
            (0..n).for_each(|i| self.places(base, at + i * stride, out))
        };
        match *inner {
            T::Vector { size, scalar } => {
                strided(size as u32, scalar.width.into(), &T::Scalar(scalar), out)
            }
            T::Matrix {
                columns,
                rows,
                scalar,
            } => {
                let stride = rows as u32 * u32::from(scalar.width);
                strided(
                    columns as u32,
                    stride.next_power_of_two(),
                    &T::Vector { size: rows, scalar },
                    out,
                )
            }
            T::Array {
                base,
                size: ArraySize::Constant(n),
                stride,
            } => strided(n.get(), stride, self.inner(base), out),
            T::Struct { ref members, .. } => members
                .iter()
                .for_each(|m| self.places(self.inner(m.ty), at + m.offset, out)),
            _ => out.push(at),
        }
    }

    /// How far part `index` of a type lies from its start, in words here and in bytes of a buffer.
    pub(crate) fn part(&self, inner: &T, index: u64) -> [u64; 2] {
        match inner {
            T::Struct { members, .. } => {
                let before = &members[..index as usize];
                let words: usize = before.iter().map(|m| self.len(self.inner(m.ty))).sum();
                [words as u64, members[index as usize].offset.into()]
            }
            T::Array { base, stride, .. } => {
                let words = match index {
                    0 => 0,
                    _ => self.len(self.inner(*base)) as u64,
                };
                [
                    index.wrapping_mul(words),
                    index.wrapping_mul((*stride).into()),
                ]
            }
            T::Vector { scalar, .. } | T::ValuePointer { scalar, .. } => {
                [index, index * u64::from(scalar.width)]
            }
            T::Matrix { rows, scalar, .. } => {
                let rows = *rows as u64;
                let stride = (rows * u64::from(scalar.width)).next_power_of_two();
                [index * rows, index * stride]
            }
            other => panic!("a part of type {other:?}"),
        }
    }

    /// The type that a pointer points to.
    pub(crate) fn pointee<'a>(&'a self, pointer: &'a T) -> &'a T {
        match pointer {
            T::Pointer { base, .. } => self.inner(*base),
            other => other,
        }
    }
}

/// Whether a block branches by itself: functions that it calls answer for themselves.
fn branches(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        S::If { .. } | S::Loop { .. } => true,
        S::Block(inner) => branches(inner),
        _ => false,
    })
}
