//! What an adapter does that no limit or feature says, found out by one small dispatch.

use std::sync::Arc;

use futures_intrusive::channel::shared::oneshot_channel;
use parking_lot::Mutex;

use super::gpu::{Found, Gpu};
use super::poller::Answer;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};
use crate::kernel::{PROBE_GROUPS, probe};

/// Counts that the kernel writes.
const COUNTS: usize = 4;

/// What the kernel is given, in the order of its structure: two rows of numbers, what they make,
/// and ones.
const SMALL: [f32; 4] = [
    f32::from_bits(1),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    -f32::from_bits(7),
];
/// The last is 0.
const OTHER: [f32; 4] = [1.0, 1.0, 0.5, 0.0];

fn given() -> [[u32; 4]; 7] {
    let each = |of: &dyn Fn(f32, f32) -> u32| [0, 1, 2, 3].map(|i| of(SMALL[i], OTHER[i]));
    [
        SMALL.map(f32::to_bits),
        OTHER.map(f32::to_bits),
        each(&|a, b| (a * b).to_bits()),
        each(&|a, b| u32::from(a < b)),
        each(&|a, _| u32::from(a == 0.0)),
        each(&|a, b| (a - b).floor().to_bits()),
        [1f32.to_bits(); 4],
    ]
}

/// What the counts say.
fn found([subnormals, halves, half_nans, ..]: [u32; COUNTS]) -> Found {
    let all = PROBE_GROUPS * 64;
    Found {
        subnormals: subnormals == 1,
        halves: halves == all,
        half_nans: halves == all && half_nans == all,
    }
}

/// What a device does with floats; `None` if it gives no answer. Submits one dispatch and waits for
/// it. `halves`: whether the device takes shaders that convert halves.
pub(super) async fn ask(gpu: &Gpu, unlocked: &Unlocked, halves: bool) -> Result<Option<Found>> {
    let queue = gpu.queue();
    let (staging, index) = gpu.caught("the probe of its arithmetic", || {
        submit(gpu.device(), queue, halves)
    })?;
    let submission = gpu.waiter().submission(queue, index);
    let (send, mapped) = oneshot_channel();
    let answer: Answer = Arc::new(Mutex::new(Some(send)));
    let kept = Arc::clone(&answer);
    staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
        let send = answer.lock().take();
        if let Some(send) = send {
            // Nobody listens if the request was dropped.
            let _ = send.send(outcome);
        }
    });
    // A browser polls by itself.
    if cfg!(not(target_family = "wasm")) && !gpu.wait(unlocked, &submission) {
        drop(kept.lock().take());
    }
    let failed = |reason: String| Error::Wgpu {
        what: "map_async",
        reason,
    };
    match mapped.receive().await {
        Some(Ok(())) => {}
        Some(Err(error)) => return Err(failed(error.to_string())),
        None => return Ok(None),
    }
    let view = staging
        .get_mapped_range(..)
        .map_err(|e| failed(e.to_string()))?;
    let mut counts = [0u32; COUNTS];
    bytemuck::bytes_of_mut(&mut counts).copy_from_slice(&view);
    Ok(Some(found(counts)))
}

/// Submits the kernel; its results are copied to the buffer that is given back.
fn submit(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    halves: bool,
) -> (wgpu::Buffer, wgpu::SubmissionIndex) {
    let buffer = |size: u64, usage: wgpu::BufferUsages| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let given = given();
    let given: &[u8] = bytemuck::cast_slice(&given);
    let size = (COUNTS * size_of::<u32>()) as u64;
    let input = buffer(
        given.len() as u64,
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
    );
    let found = buffer(
        size,
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    );
    let staging = buffer(
        size,
        wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
    );
    queue.write_buffer(&input, 0, given);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("zerostride probe"),
        source: wgpu::ShaderSource::Wgsl(probe(halves).into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("zerostride probe"),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[entry(0, &input), entry(1, &found)],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
        label: Some("zerostride probe"),
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bind_group, &[]);
    pass.dispatch_workgroups(PROBE_GROUPS, 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&found, 0, &staging, 0, size);
    let index = queue.submit([encoder.finish()]);
    (staging, index)
}

/// A whole buffer as a binding.
fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    }
}

/// Whether f32 arithmetic of a device takes subnormal numbers for 0; asked once.
pub(super) async fn flushes_subnormals(gpu: &Gpu, unlocked: &Unlocked) -> Result<bool> {
    if let Some(known) = gpu.flushes_subnormals() {
        return Ok(known);
    }
    let found = ask(gpu, unlocked, false).await.and_then(|answer| {
        answer.ok_or_else(|| Error::Wgpu {
            what: "the probe of its arithmetic",
            reason: "the device gave up on it".into(),
        })
    });
    let found = found.map_err(|e| gpu.lost_or(unlocked, e))?;
    Ok(gpu.set_flushes_subnormals(!found.subnormals))
}
