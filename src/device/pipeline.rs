//! Pipelines by kernel key.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::context::Context;
use crate::error::{Error, Result};
use crate::kernel::{KernelKey, Role, binding_list};

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// Unlike every other pipeline's of its context.
    pub number: u64,
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    pub roles: Vec<Role>,
}

impl Context {
    /// Compiles a kernel. Errors come from the creation calls' own scopes, on this thread.
    pub(super) fn compile(&self, key: &KernelKey) -> Result<Pipeline> {
        let number = self.0.compiled.fetch_add(1, Ordering::Relaxed);
        let started = Instant::now();
        let made = create(&self.0.device, key, number);
        let nanos = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.0.compiling.fetch_add(nanos, Ordering::Relaxed);
        made
    }
}

fn create(device: &wgpu::Device, key: &KernelKey, number: u64) -> Result<Pipeline> {
    let text = key.wgsl();
    let bindings = binding_list(key);
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("zerostride kernel"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let entries: Vec<_> = bindings
        .iter()
        .map(|b| wgpu::BindGroupLayoutEntry {
            binding: b.number,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match b.role {
                    Role::Table | Role::Scalars => wgpu::BufferBindingType::Uniform,
                    Role::Input(_) => wgpu::BufferBindingType::Storage { read_only: true },
                    Role::Output => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(b.min_size),
            },
            count: None,
        })
        .collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: if key.immediate { key.scalar_rows() as u32 * 16 } else { 0 },
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
        cache: None,
    });
    let errors = [pollster::block_on(internal.pop()), pollster::block_on(scope.pop())];
    if let Some(error) = errors.into_iter().flatten().next() {
        return Err(Error::Kernel { reason: error.to_string() });
    }
    Ok(Pipeline { number, pipeline, layout, roles: bindings.iter().map(|b| b.role).collect() })
}
