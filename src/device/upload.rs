//! Uploads that are not small: through staging buffers that are kept and used in turn, so that the host writes one while the
//! device copies another, and no memory is allocated for each.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::allocator::Allocator;
use super::buffer::Buffer;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};

/// Bytes from which on an upload is staged here. For a smaller one wgpu allocates what it needs.
pub(super) const STAGED: usize = 1 << 20;
/// Bytes of a staging buffer.
const PART: usize = 4 << 20;
/// How many staging buffers are kept.
const KEPT: usize = 4;

/// Submits copies of these bytes to the beginning of a buffer, behind all recorded work.
pub(super) fn upload(
    allocator: &Allocator,
    unlocked: &mut Unlocked,
    bytes: &[u8],
    to: &Buffer,
) -> Result<()> {
    let queue = &allocator.queue;
    for (n, part) in bytes.chunks(PART).enumerate() {
        let staging = written(allocator, unlocked, part)?;
        let size = part.len().next_multiple_of(4) as u64;
        let mut batch = queue.open(unlocked);
        batch.flush_calls()?;
        batch
            .encoder()
            .copy_buffer_to_buffer(&staging, 0, &to.raw, (n * PART) as u64, size);
        batch.mark_used(to);
        drop(batch);
        queue.submit(unlocked)?;
        keep(allocator, staging);
    }
    Ok(())
}

/// A staging buffer that begins with these bytes and is not mapped.
fn written(allocator: &Allocator, unlocked: &mut Unlocked, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let gpu = &allocator.gpu;
    let mut kept = allocator.memory.uploads.lock();
    let oldest = (kept.len() >= KEPT).then(|| kept.pop_front()).flatten();
    drop(kept);
    let staging = match oldest {
        Some((staging, submission)) => {
            if let Some(submission) = submission {
                gpu.waiter.wait(unlocked, &submission);
            }
            staging
        }
        None => {
            let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
            let what = "the staging memory of an upload";
            allocator.create(unlocked, what, PART as u64, usage)?
        }
    };
    let mut view = mapped(allocator, unlocked, &staging)?;
    view.slice(..bytes.len()).copy_from_slice(bytes);
    drop(view);
    let turn = gpu.turns.call();
    staging.unmap();
    drop(turn);
    Ok(staging)
}

/// Keeps a staging buffer for what is uploaded after its last submission.
fn keep(allocator: &Allocator, staging: wgpu::Buffer) {
    let mut kept = allocator.memory.uploads.lock();
    kept.push_back((staging, allocator.queue.history.last_submission()));
    // Where several threads upload.
    let excess = (kept.len() > KEPT).then(|| kept.pop_front()).flatten();
    drop(kept);
    let _turn = excess.is_some().then(|| allocator.gpu.turns.call());
    drop(excess);
}

/// The bytes of a staging buffer that no work uses. Another thread's poll may take the callback, so that the buffer is asked
/// too.
fn mapped(
    allocator: &Allocator,
    unlocked: &Unlocked,
    staging: &wgpu::Buffer,
) -> Result<wgpu::BufferViewMut> {
    let gpu = &allocator.gpu;
    let refused = |reason: String| gpu.lost_soon_or(unlocked, Error::wgpu("map_async", reason));
    let outcome = Arc::new(OnceLock::new());
    let answer = Arc::clone(&outcome);
    gpu.scoped(unlocked, "map_async", || {
        staging.map_async(wgpu::MapMode::Write, .., move |outcome| {
            // It is called once.
            let _ = answer.set(outcome);
        });
    })?;
    let mut pause = Duration::from_micros(20);
    loop {
        let is_polled = gpu.waiter.poll(unlocked);
        match (outcome.get(), staging.get_mapped_range_mut(..)) {
            (Some(Err(error)), _) => return Err(refused(error.to_string())),
            (_, Ok(view)) => return Ok(view),
            (_, Err(error)) if !is_polled => return Err(refused(error.to_string())),
            _ => {}
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(2));
    }
}
