//! What a pass needs whatever its buffers are: pipeline, uniform table, numbers.

use std::sync::Arc;

use super::cache::Cache;
use super::gpu::Gpu;
use super::kernels::Kernels;
use super::pipeline::{BufferRange, Pipeline};
use super::unlocked::Unlocked;
use crate::error::{Error, Result};
use crate::kernel::KernelKey;
use crate::plan::{Pass, PlanId, Source};

/// Uniform buffers kept.
const UNIFORMS: usize = 1024;
/// Passes of plans whose resources are kept.
const PASSES: usize = 1024;

/// A pass: its plan, its number there, and which inputs are the output's own elements.
type PassKey = (PlanId, usize, u64);

/// What a pass needs whatever its buffers are.
#[derive(Debug)]
pub(super) struct PassResources {
    pub pipeline: Arc<Pipeline>,
    pub table: BufferRange,
    pub scalars: Scalars,
}

/// Where the numbers of a pass are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scalars {
    None,
    Uniform(BufferRange),
    Immediate(Vec<u32>),
}

impl PassResources {
    /// Uniform bindings, which come before the inputs.
    pub fn uniforms(&self) -> usize {
        1 + usize::from(matches!(self.scalars, Scalars::Uniform(_)))
    }
}

/// The resources of passes, kept from one run to the next.
#[derive(Debug)]
pub(super) struct Passes {
    gpu: Arc<Gpu>,
    pub kernels: Arc<Kernels>,
    pub uniforms: Cache<Vec<u32>, wgpu::Buffer>,
    resources: Cache<PassKey, Arc<PassResources>>,
}

impl Passes {
    pub fn new(gpu: Arc<Gpu>, kernels: Arc<Kernels>) -> Self {
        Self {
            uniforms: Cache::of_device(UNIFORMS, gpu.turns),
            resources: Cache::of_device(PASSES, gpu.turns),
            gpu,
            kernels,
        }
    }

    /// The resources of a pass, the `number`th of its plan.
    pub fn get(
        &self,
        unlocked: &Unlocked,
        (plan, number): (PlanId, usize),
        pass: &Pass,
        in_place: &[bool],
    ) -> Result<Arc<PassResources>> {
        // Of the inputs that have buffers: those are few.
        let bound = pass.inputs.iter().zip(in_place);
        let bits = bound
            .filter(|(input, _)| input.source != Source::Numbers)
            .fold(0, |bits, (_, &same)| bits << 1 | u64::from(same));
        self.resources.get(&(plan, number, bits), || {
            let pipeline = self.kernels.get(&KernelKey::new(pass, in_place))?;
            let table = self.uniform(unlocked, &pass.table)?;
            let scalars = self.scalars(unlocked, pass, pass.scalar_words())?;
            Ok(Arc::new(PassResources {
                pipeline,
                table,
                scalars,
            }))
        })
    }

    /// Where these words of a pass's numbers are.
    pub fn scalars(&self, unlocked: &Unlocked, pass: &Pass, words: Vec<u32>) -> Result<Scalars> {
        Ok(match words.len() {
            0 => Scalars::None,
            _ if pass.immediate => Scalars::Immediate(words),
            _ => Scalars::Uniform(self.uniform(unlocked, &words)?),
        })
    }

    /// An immutable uniform buffer with these words, a multiple of four.
    fn uniform(&self, unlocked: &Unlocked, words: &Vec<u32>) -> Result<BufferRange> {
        let size = words.len() as u64 * 4;
        let buffer = self.uniforms.get(words, || {
            let create = || {
                let buffer = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size,
                    usage: wgpu::BufferUsages::UNIFORM,
                    mapped_at_creation: true,
                });
                let filled = buffer
                    .get_mapped_range_mut(..)
                    .map(|mut view| view.copy_from_slice(bytemuck::cast_slice(words)));
                buffer.unmap();
                filled.map(|()| buffer)
            };
            self.gpu
                .scoped(unlocked, "create_buffer", create)
                .map_err(|e| e.sized("a uniform table", size))?
                .map_err(|e| Error::wgpu("get_mapped_range_mut", e))
        })?;
        Ok(BufferRange {
            buffer,
            offset: 0,
            size,
        })
    }
}
