//! The dispatches of a plan as data, for callers that run kernels without this crate's device.

use super::bindings::{Role, list};
use super::key::KernelKey;
use crate::plan::{Pass, Plan, Source, Target, Work};

/// One dispatch of a plan: its kernel, bindings and grid. Dispatches must run in the order of the
/// list, each after the writes of those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatch {
    /// The index of its source in [`Plan::kernels`].
    pub kernel: usize,
    /// Workgroups along x, y and z.
    pub grid: [u32; 3],
    /// Invocations of a workgroup along x, y and z.
    pub workgroup: [u32; 3],
    /// The contents of its bindings; the first is binding 0 of group 0 in WGSL.
    pub bindings: Vec<Resource>,
    /// The words of its immediate data: the expression's numbers if the plan's limits have room
    /// for them there, else none.
    pub immediates: Vec<u32>,
}

/// The contents of a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// A uniform with the words of the table: extents, divisors, strides and offsets.
    Table(Vec<u32>),
    /// A uniform with the words of the expression's numbers.
    Numbers(Vec<u32>),
    /// A range of bytes of a storage buffer.
    Buffer {
        /// Which buffer.
        buffer: PlanBuffer,
        /// The first byte.
        start: u64,
        /// How many bytes. They may reach beyond the last element to the end of its quad (4 words,
        /// or 4 larger elements), which the buffer must then hold.
        size: u64,
        /// Whether the kernel writes it.
        writes: bool,
    },
}

/// A buffer that a plan's dispatches bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanBuffer {
    /// The input of a slot.
    Input(usize),
    /// An output.
    Output(usize),
    /// An intermediate result that an earlier dispatch writes.
    Temporary(usize),
}

/// A variable that translated source binds: one of the WGSL, or one that its language needs too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// A binding of group 0.
    Binding(u32),
    /// The immediate data.
    Immediates,
    /// The workgroups along x, y and z: HLSL has no built-in value for them.
    Workgroups,
    /// The bytes of each storage buffer, in the order of their bindings: Metal's buffers do not
    /// know their size.
    BufferSizes,
}

impl Dispatch {
    fn new(kernel: usize, key: &KernelKey, pass: &Pass) -> Self {
        let resource = |role: Role| {
            let (buffer, range) = match role {
                Role::Table => return Some(Resource::Table(pass.table.clone())),
                Role::Scalars => return Some(Resource::Numbers(pass.scalar_words())),
                Role::Input { i, .. } => {
                    let buffer = match pass.inputs[i].source {
                        Source::Slot(slot) => PlanBuffer::Input(slot),
                        Source::Temporary(t) => PlanBuffer::Temporary(t),
                        Source::Numbers => return None,
                    };
                    (buffer, pass.inputs[i].range)
                }
                Role::Output { .. } => {
                    let buffer = match pass.output.target {
                        Target::Output(k) => PlanBuffer::Output(k),
                        Target::Temporary(t) => PlanBuffer::Temporary(t),
                    };
                    (buffer, pass.output.range)
                }
            };
            Some(Resource::Buffer {
                buffer,
                start: range.start,
                size: range.size,
                writes: matches!(role, Role::Output { .. }),
            })
        };
        Self {
            kernel,
            grid: pass.grid,
            workgroup: key.workgroup(),
            bindings: list(key).iter().filter_map(|b| resource(b.role)).collect(),
            immediates: if pass.immediate {
                pass.scalar_words()
            } else {
                Vec::new()
            },
        }
    }

    /// The dispatch of a pass by itself, and its source.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn of(pass: &Pass) -> (Self, String) {
        let key = KernelKey::new(pass, &[]);
        (Self::new(0, &key, pass), key.wgsl())
    }

    /// The words that a variable holds; `None` for a storage buffer, which holds elements.
    pub fn words(&self, variable: Variable) -> Option<Vec<u32>> {
        match variable {
            Variable::Binding(n) => match self.bindings.get(n as usize)? {
                Resource::Table(words) | Resource::Numbers(words) => Some(words.clone()),
                Resource::Buffer { .. } => None,
            },
            Variable::Immediates => Some(self.immediates.clone()),
            Variable::Workgroups => Some(self.grid.to_vec()),
            Variable::BufferSizes => {
                let size = |resource: &Resource| match resource {
                    Resource::Buffer { size, .. } => Some(u32::try_from(*size).unwrap_or(u32::MAX)),
                    _ => None,
                };
                Some(self.bindings.iter().filter_map(size).collect())
            }
        }
    }
}

impl KernelKey {
    /// Invocations of a workgroup along x, y and z.
    pub fn workgroup(&self) -> [u32; 3] {
        let [w, h] = self.work.workgroup();
        match self.work {
            Work::Map(_) => [w * h, 1, 1],
            Work::Fold(_) | Work::Own(_) => [w, h, 1],
        }
    }
}

impl Plan {
    /// The WGSL source of each kernel. Dispatches for several windows of one result share a
    /// kernel.
    pub fn kernels(&self) -> Vec<String> {
        self.keys().0.iter().map(KernelKey::wgsl).collect()
    }

    /// The dispatches, with their bindings and grids, in the order in which they must run.
    pub fn dispatches(&self) -> Vec<Dispatch> {
        let (keys, passes) = self.keys();
        passes
            .into_iter()
            .map(|(kernel, pass)| Dispatch::new(kernel, &keys[kernel], pass))
            .collect()
    }

    /// The key of each kernel, and each dispatch with the number of its own.
    fn keys(&self) -> (Vec<KernelKey>, Vec<(usize, &Pass)>) {
        let mut keys: Vec<(Option<usize>, KernelKey)> = Vec::new();
        let mut passes = Vec::new();
        for pass in self.passes.iter().filter(|p| !p.shape.is_empty()) {
            let entry = (pass.window.map(|w| w.group), KernelKey::new(pass, &[]));
            let known = keys.iter().position(|k| entry.0.is_some() && *k == entry);
            passes.push((known.unwrap_or(keys.len()), pass));
            if known.is_none() {
                keys.push(entry);
            }
        }
        (keys.into_iter().map(|(_, key)| key).collect(), passes)
    }
}
