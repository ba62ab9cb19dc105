//! Uploads that are not small: through staging buffers that are kept, so that the host writes one while the device copies
//! another, and no memory is allocated for each.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::allocator::Allocator;
use super::buffer::Buffer;
use super::gpu::Gpu;
use super::memory::{Staged, UPLOAD_PART};
use super::submission::Submission;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};

/// Bytes from which on an upload is staged here. For a smaller one wgpu allocates what it needs.
pub(super) const STAGED: usize = 1 << 20;
/// How many staging buffers may wait for the device at a time, which may have much to do before it copies them.
const MOST: usize = 64;

/// Copies bytes to the beginning of a buffer that no recorded work uses, before all work that is not submitted yet.
pub(super) fn upload(
    allocator: &Allocator,
    unlocked: &mut Unlocked,
    bytes: &[u8],
    to: &Buffer,
) -> Result<()> {
    let gpu = &allocator.gpu;
    for (n, part) in (0..).zip(bytes.chunks(UPLOAD_PART as usize)) {
        let staging = free(allocator, unlocked)?;
        let mut view = mapped(gpu, unlocked, &staging)?;
        view.slice(..part.len()).copy_from_slice(part);
        drop(view);
        let size = part.len().next_multiple_of(4) as u64;
        let index = gpu.scoped(unlocked, "submit", || {
            staging.buffer.unmap();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&staging.buffer, 0, &to.raw, n * UPLOAD_PART, size);
            gpu.queue.submit([encoder.finish()])
        })?;
        let submission = gpu.waiter.submission(&gpu.queue, index);
        let kept = mapping(gpu, unlocked, staging.buffer, Some(submission))?;
        allocator.memory.put_upload(Some(kept));
    }
    Ok(())
}

/// A staging buffer that is mapped, or will be as soon as the device has done what was submitted.
fn free(allocator: &Allocator, unlocked: &mut Unlocked) -> Result<Staged> {
    let Allocator { gpu, memory, .. } = allocator;
    let kept = memory.uploads.lock();
    let is_in_flight = !kept.is_empty() && !kept.iter().any(Staged::is_over);
    drop(kept);
    if is_in_flight {
        gpu.waiter.poll(unlocked);
    }
    let mut kept = memory.uploads.lock();
    let over = kept.iter().position(Staged::is_over);
    let oldest = (kept.len() >= MOST).then_some(0);
    let taken = over.or(oldest).map(|place| kept.remove(place));
    drop(kept);
    if let Some(staging) = taken {
        if let (false, Some(submission)) = (staging.is_over(), &staging.submission) {
            gpu.waiter.wait(unlocked, submission);
        }
        return Ok(staging);
    }
    let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
    let what = "the staging memory of an upload";
    let buffer = allocator.create(unlocked, what, UPLOAD_PART, usage)?;
    mapping(gpu, unlocked, buffer, None)
}

/// A staging buffer that the host may write after a submission.
fn mapping(
    gpu: &Gpu,
    unlocked: &Unlocked,
    buffer: wgpu::Buffer,
    submission: Option<Submission>,
) -> Result<Staged> {
    let answered = Arc::new(OnceLock::new());
    let answer = Arc::clone(&answered);
    gpu.scoped(unlocked, "map_async", || {
        buffer.map_async(wgpu::MapMode::Write, .., move |outcome| {
            // It is called once, if at all.
            let _ = answer.set(outcome.is_ok());
        });
    })?;
    if answered.get() == Some(&false) {
        let error = Error::wgpu("map_async", "the device refused it");
        return Err(gpu.lost_or(unlocked, error));
    }
    Ok(Staged {
        buffer,
        answered,
        submission,
    })
}

/// The bytes of a staging buffer. Another thread's poll may have taken the callback, and be held up by another one, so that
/// the buffer itself is asked.
fn mapped(gpu: &Gpu, unlocked: &Unlocked, staging: &Staged) -> Result<wgpu::BufferViewMut> {
    let mut pause = Duration::from_micros(20);
    loop {
        let is_last = staging.is_over() || !gpu.waiter.poll(unlocked);
        match staging.buffer.get_mapped_range_mut(..) {
            Ok(view) => return Ok(view),
            Err(error) if is_last => {
                let error = Error::wgpu("map_async", error.to_string());
                return Err(gpu.lost_soon_or(unlocked, error));
            }
            Err(_) => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(Duration::from_millis(2));
    }
}
