//! A compiled kernel.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::gpu::Gpu;
use crate::error::{Error, Result};
use crate::kernel::{Binding, KernelKey, Role, binding_list};

/// Small dispatches of a kernel after which its calls wait for one another: the kernel that
/// computes several must be compiled first.
pub(super) const USES: u32 = 256;

/// A compiled kernel.
#[derive(Debug)]
pub(super) struct Pipeline {
    /// Unlike every other pipeline's of its context.
    pub number: u64,
    pub pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// What each binding is for.
    pub roles: Vec<Role>,
    /// Calls that a dispatch of it computes.
    pub calls: u32,
    group: Option<GroupKernel>,
}

/// The kernel that computes several calls of another at once, compiled when it is worth it.
#[derive(Debug)]
struct GroupKernel {
    key: KernelKey,
    /// Small dispatches of the other one so far.
    uses: AtomicU32,
    /// `None` if the device refuses it, so that each call stays by itself.
    made: OnceLock<Option<Arc<Pipeline>>>,
}

/// What a binding shows: bytes of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BufferRange {
    pub buffer: wgpu::Buffer,
    pub offset: u64,
    pub size: u64,
}

impl Pipeline {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// [`Error::Kernel`] if the device refuses it, [`Error::OutOfMemory`].
    ///
    /// `number` is unlike every other pipeline's of the context.
    pub fn compile(
        gpu: &Gpu,
        key: &KernelKey,
        number: u64,
        cache: Option<&wgpu::PipelineCache>,
    ) -> Result<Self> {
        let bindings = binding_list(key);
        let made = gpu.caught("create_compute_pipeline", || {
            create_pipeline(gpu, key, &bindings, cache)
        });
        let (layout, pipeline) = made.map_err(|error| match error {
            Error::Wgpu { reason, .. } => Error::Kernel { reason },
            other => other,
        })?;
        let max_storage_buffers = gpu.plan_limits.max_storage_buffers;
        let group = key.grouped(max_storage_buffers).filter(|_| key.calls == 1);
        Ok(Self {
            number,
            pipeline,
            layout,
            roles: bindings.iter().map(|b| b.role).collect(),
            calls: key.calls,
            group: group.map(|key| GroupKernel {
                key,
                uses: AtomicU32::new(0),
                made: OnceLock::new(),
            }),
        })
    }

    /// Counts a small dispatch. After many of them: the kernel that computes several calls at once,
    /// which `compile` makes.
    pub fn group_after_many_uses(
        &self,
        compile: impl FnOnce(&KernelKey) -> Result<Self>,
    ) -> Option<Arc<Self>> {
        let group = self.group.as_ref()?;
        if group.uses.load(Ordering::Relaxed) < USES {
            group.uses.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let made = || compile(&group.key).map(Arc::new).ok();
        group.made.get_or_init(made).clone()
    }

    /// A bind group of these buffers, one for each of its [roles](Self::roles).
    pub fn bind_group(&self, gpu: &Gpu, ranges: &[BufferRange]) -> Result<wgpu::BindGroup> {
        let entries: Vec<_> = (0..)
            .zip(ranges)
            .map(|(binding, range)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &range.buffer,
                    offset: range.offset,
                    size: std::num::NonZeroU64::new(range.size),
                }),
            })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        };
        gpu.caught("create_bind_group", || {
            gpu.device.create_bind_group(&descriptor)
        })
    }
}

/// To be called between error scopes.
fn create_pipeline(
    gpu: &Gpu,
    key: &KernelKey,
    bindings: &[Binding],
    cache: Option<&wgpu::PipelineCache>,
) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
    let device = &gpu.device;
    let module = gpu.shader_module("zerostride kernel", &key.wgsl());
    let entries: Vec<_> = bindings
        .iter()
        .map(|b| wgpu::BindGroupLayoutEntry {
            binding: b.number,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match b.role {
                    Role::Table | Role::Scalars => wgpu::BufferBindingType::Uniform,
                    Role::Input { .. } => wgpu::BufferBindingType::Storage { read_only: true },
                    Role::Output { .. } => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(b.min_size),
            },
            count: None,
        })
        .collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: if key.immediate {
            key.scalar_rows() as u32 * 16
        } else {
            0
        },
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("zerostride"),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache,
    });
    (layout, pipeline)
}
