//! Translated kernels on wgpu alone: modules, buffers and dispatches of the test's own.

use std::collections::BTreeMap;

use zerostride::kernel::{Dispatch, Language, Place, PlanBuffer, Resource, Translation, Variable};
use zerostride::{HostTensor, Plan, wgpu};

use crate::common::{self, POISON};

/// The adapter of all tests, and a device of the test's own that takes texts as they are.
pub fn device() -> (wgpu::Backend, wgpu::Device, wgpu::Queue) {
    let adapter = common::adapter();
    let features = wgpu::Features::PASSTHROUGH_SHADERS | wgpu::Features::IMMEDIATES;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: features & adapter.features(),
        required_limits: adapter.limits(),
        ..Default::default()
    }))
    .expect("a device that takes texts as they are");
    (adapter.get_info().backend, device, queue)
}

/// The languages that wgpu hands to this backend with bindings as they stand in the text.
pub fn languages(backend: wgpu::Backend) -> Vec<Language> {
    match backend {
        wgpu::Backend::Vulkan => vec![Language::Wgsl, Language::Spirv],
        wgpu::Backend::Gl => vec![Language::Wgsl, Language::Glsl],
        _ => vec![Language::Wgsl],
    }
}

fn module(
    device: &wgpu::Device,
    language: Language,
    kernel: &Translation,
    size: [u32; 3],
) -> wgpu::ShaderModule {
    let text = || {
        std::str::from_utf8(&kernel.code)
            .expect("a text is UTF-8")
            .to_owned()
    };
    if language == Language::Wgsl {
        let source = wgpu::ShaderSource::Wgsl(text().into());
        return device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source,
        });
    }
    let words = || {
        kernel
            .code
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    };
    let entry = wgpu::PassthroughShaderEntryPoint {
        name: kernel.entry_point.as_str().into(),
        workgroup_size: (size[0], size[1], size[2]),
    };
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        entry_points: vec![entry].into(),
        spirv: (language == Language::Spirv).then(|| std::borrow::Cow::<[u32]>::Owned(words())),
        glsl: (language == Language::Glsl).then(|| text().into()),
        ..Default::default()
    };
    #[allow(
        unsafe_code,
        reason = "naga validated the text, and its bindings are those that the test makes"
    )]
    unsafe {
        device.create_shader_module_passthrough(descriptor)
    }
}

/// The number under which wgpu gives a binding this place. In OpenGL it counts uniform and storage
/// blocks apart.
fn number(place: Place) -> Option<u32> {
    match place {
        Place::Binding(n) | Place::Descriptor(n) => Some(n),
        Place::UniformBlock(n) => Some(u32::from(n)),
        Place::StorageBlock { binding, .. } => Some(100 + u32::from(binding)),
        Place::Immediate | Place::PushConstants => None,
        _ => {
            panic!("{place} is no place of a language that is run here")
        }
    }
}

/// Bytes in a buffer of the test's own.
fn buffer(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    let usage = usage | wgpu::BufferUsages::COPY_DST;
    let size = bytes.len() as u64;
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Records one dispatch.
fn record(
    (device, queue): (&wgpu::Device, &wgpu::Queue),
    encoder: &mut wgpu::CommandEncoder,
    (language, kernel): (Language, &Translation),
    dispatch: &Dispatch,
    buffers: &BTreeMap<String, wgpu::Buffer>,
) {
    let mut bound: Vec<(u32, wgpu::BufferBindingType, wgpu::Buffer, u64, u64)> = Vec::new();
    let mut immediates = Vec::new();
    for (variable, place) in &kernel.places {
        let resource = if let Variable::Binding(n) = variable {
            dispatch.bindings.get(*n as usize)
        } else {
            None
        };
        match (number(*place), resource) {
            (
                Some(number),
                Some(Resource::Buffer {
                    buffer,
                    start,
                    size,
                    writes,
                }),
            ) => {
                let ty = wgpu::BufferBindingType::Storage { read_only: !writes };
                bound.push((
                    number,
                    ty,
                    buffers[&format!("{buffer:?}")].clone(),
                    *start,
                    *size,
                ));
            }
            (Some(number), _) => {
                let bytes = bytes_of(&dispatch.words(*variable).expect("a uniform has words"));
                let uniform = buffer(device, queue, &bytes, wgpu::BufferUsages::UNIFORM);
                bound.push((
                    number,
                    wgpu::BufferBindingType::Uniform,
                    uniform,
                    0,
                    bytes.len() as u64,
                ));
            }
            (None, _) => {
                immediates = bytes_of(&dispatch.words(*variable).expect("immediate data has words"))
            }
        }
    }
    let entry = |(binding, ty, ..): &(u32, wgpu::BufferBindingType, wgpu::Buffer, u64, u64)| {
        wgpu::BindGroupLayoutEntry {
            binding: *binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: *ty,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }
    };
    let entries: Vec<_> = bound.iter().map(entry).collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    });
    let entries: Vec<_> = bound
        .iter()
        .map(|(binding, _, buffer, offset, size)| wgpu::BindGroupEntry {
            binding: *binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: *offset,
                size: std::num::NonZeroU64::new(*size),
            }),
        })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &entries,
    };
    let group = device.create_bind_group(&descriptor);
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: immediates.len() as u32,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&pipeline_layout),
        module: &module(device, language, kernel, dispatch.workgroup),
        entry_point: Some(&kernel.entry_point),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    if !immediates.is_empty() {
        pass.set_immediates(0, &immediates);
    }
    let [x, y, z] = dispatch.grid;
    pass.dispatch_workgroups(x, y, z);
}

/// Runs a plan of one output.
pub fn run(
    (device, queue): (&wgpu::Device, &wgpu::Queue),
    language: Language,
    plan: &Plan,
    inputs: &[HostTensor],
) -> HostTensor {
    let kernels: Vec<Translation> = plan
        .kernels()
        .iter()
        .map(|wgsl| language.translate(wgsl).expect("the kernel translates"))
        .collect();
    let dispatches = plan.dispatches();
    // Each buffer reaches to the end of what is bound of it.
    let mut sizes: BTreeMap<String, (PlanBuffer, u64)> = BTreeMap::new();
    for resource in dispatches.iter().flat_map(|d| &d.bindings) {
        if let Resource::Buffer {
            buffer,
            start,
            size,
            ..
        } = resource
        {
            let entry = sizes.entry(format!("{buffer:?}")).or_insert((*buffer, 0));
            entry.1 = entry.1.max(start + size);
        }
    }
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let buffers: BTreeMap<String, wgpu::Buffer> = sizes
        .iter()
        .map(|(name, (which, size))| {
            let mut bytes = if let PlanBuffer::Input(i) = which {
                inputs[*i].bytes.clone()
            } else {
                Vec::new()
            };
            bytes.resize(bytes.len().max(*size as usize).next_multiple_of(4), POISON);
            (name.clone(), buffer(device, queue, &bytes, usage))
        })
        .collect();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for dispatch in &dispatches {
        record(
            (device, queue),
            &mut encoder,
            (language, &kernels[dispatch.kernel]),
            dispatch,
            &buffers,
        );
    }
    let result = &buffers[&format!("{:?}", PlanBuffer::Output(0))];
    let staging = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: result.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    encoder.copy_buffer_to_buffer(result, 0, &staging, 0, result.size());
    queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |outcome| {
        outcome.expect("the staging buffer maps")
    });
    device
        .poll(wgpu::PollType::wait_indefinitely())
        .expect("the device answers");
    let mut bytes = staging
        .get_mapped_range(..)
        .expect("the staging buffer is mapped")
        .to_vec();
    let (dtype, shape) = plan.outputs().next().expect("a plan has an output");
    bytes.truncate(shape.extents().iter().product::<usize>() * dtype.size());
    HostTensor::new(dtype, shape.clone(), bytes).expect("the bytes are those of the result")
}
