//! Pipelines by kernel key.

use crate::error::{Error, Result};
use crate::kernel::{KernelKey, Role, binding_list};

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    pub roles: Vec<Role>,
}

/// Compiles a kernel. Errors come from the creation calls' own scopes, on this thread.
pub(crate) fn compile(device: &wgpu::Device, key: &KernelKey) -> Result<Pipeline> {
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
        immediate_size: 0,
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
    Ok(Pipeline { pipeline, layout, roles: bindings.iter().map(|b| b.role).collect() })
}
