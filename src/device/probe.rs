//! What an adapter does that no limit or feature says, found out by small dispatches.

use std::sync::Arc;

use futures_intrusive::channel::shared::oneshot_channel;
use parking_lot::Mutex;

use super::gpu::Gpu;
use super::poller::Answer;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};
use crate::kernel::Probe;
use crate::plan::Arithmetic;

/// What a device does with f32; `None` if it gives no answer. Submits one dispatch, a second if the first does not say all,
/// and waits for them. `halves`: whether the device takes shaders that convert halves.
pub(super) async fn ask(
    gpu: &Gpu,
    unlocked: &Unlocked,
    halves: bool,
) -> Result<Option<Arithmetic>> {
    let Some(first) = run(gpu, unlocked, &Probe::first(halves)).await? else {
        return Ok(None);
    };
    let Some((found, more)) = Arithmetic::from_first_probe(&first) else {
        return Ok(None);
    };
    if !more {
        return Ok(Some(found));
    }
    let second = run(gpu, unlocked, &Probe::second()).await?;
    let known = second.and_then(|second| found.with_second_probe(&first, &second));
    Ok(Some(known.unwrap_or(found)))
}

/// The same with what it does with doubles, and whether it rounds each single operation on them once: integers compute them
/// otherwise.
#[cfg(not(target_family = "wasm"))]
pub(super) async fn ask_doubles(
    gpu: &Gpu,
    unlocked: &Unlocked,
    singles: Option<Arithmetic>,
) -> (Option<Arithmetic>, bool) {
    let Some(found) = singles.filter(|_| gpu.plan_limits.float64) else {
        return (singles, false);
    };
    // A device that refuses it is not trusted: naga writes doubles for Vulkan alone.
    let answer = run(gpu, unlocked, &Probe::doubles()).await.unwrap_or(None);
    match answer.and_then(|bytes| found.with_doubles(&bytes)) {
        Some((found, rounds)) => (Some(found), rounds),
        None => (singles, false),
    }
}

/// The bytes that a probe wrote; `None` if the device gives no answer.
async fn run(gpu: &Gpu, unlocked: &Unlocked, probe: &Probe) -> Result<Option<Vec<u8>>> {
    let queue = &gpu.queue;
    let (staging, index) =
        gpu.caught("the probe of its arithmetic", || submit(gpu, queue, probe))?;
    let submission = gpu.waiter.submission(queue, index);
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
    #[cfg(not(target_family = "wasm"))]
    if !gpu.waiter.wait(unlocked, &submission) {
        drop(kept.lock().take());
    }
    #[cfg(target_family = "wasm")]
    let _ = (unlocked, submission, kept);
    let outcome = mapped.receive().await;
    #[cfg(target_family = "wasm")]
    if let Some(error) = gpu.error_scopes.first().await {
        return Err(error);
    }
    match outcome {
        Some(Ok(())) => {}
        Some(Err(error)) => return Err(Error::wgpu("map_async", error)),
        None => return Ok(None),
    }
    let view = staging
        .get_mapped_range(..)
        .map_err(|e| Error::wgpu("map_async", e))?;
    Ok(Some(view.to_vec()))
}

/// Submits the kernel; its results are copied to the buffer that is given back.
fn submit(gpu: &Gpu, queue: &wgpu::Queue, probe: &Probe) -> (wgpu::Buffer, wgpu::SubmissionIndex) {
    let device = &gpu.device;
    let given: &[u8] = bytemuck::cast_slice(&probe.given);
    let size = probe.found as u64;
    let input = gpu.create_buffer(
        given.len() as u64,
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
    );
    let found = gpu.create_buffer(
        size,
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    );
    let staging = gpu.create_buffer(
        size,
        wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
    );
    queue.write_buffer(&input, 0, given);
    let module = gpu.shader_module("zerostride probe", &probe.text);
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
    pass.dispatch_workgroups(probe.groups, 1, 1);
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
    if let Some(known) = gpu.flushes.get() {
        return Ok(*known);
    }
    let answer = run(gpu, unlocked, &Probe::first(false)).await;
    let found = answer.and_then(|bytes| {
        let found = bytes.and_then(|bytes| Arithmetic::from_first_probe(&bytes));
        found.ok_or_else(|| Error::wgpu("the probe of its arithmetic", "the device gave up on it"))
    });
    let (found, _) = found.map_err(|e| gpu.lost_or(unlocked, e))?;
    Ok(*gpu.flushes.get_or_init(|| !found.subnormals))
}
