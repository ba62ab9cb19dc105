//! New buffers, from the pool or the device.

use std::sync::Arc;

use super::buffer::Buffer;
use super::gpu::Gpu;
use super::memory::Memory;
use super::poison::Poison;
use super::pool::{FirstUse, Pool};
use super::queue::Queue;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};

/// Makes buffers. If memory does not suffice, it gives back what is kept and tries once more.
#[derive(Debug)]
pub(super) struct Allocator {
    pub gpu: Arc<Gpu>,
    pub memory: Arc<Memory>,
    pub queue: Queue,
    pub poison: Option<Poison>,
}

impl Allocator {
    /// A buffer for this many bytes of elements, in whole quads of the widest type.
    pub fn allocate(
        &self,
        unlocked: &mut Unlocked,
        bytes: u64,
        first_use: FirstUse,
    ) -> Result<Buffer> {
        let limit = self.gpu.max_buffer_size / 32 * 32;
        let needed = bytes.checked_next_multiple_of(32).unwrap_or(u64::MAX);
        if needed > limit {
            return Err(Error::BufferTooLarge {
                what: "a tensor".into(),
                bytes: needed,
                limit,
            });
        }
        let size = Pool::size(needed).min(limit);
        let submitted = self.queue.history.submitted_up_to();
        let buffer = match self.memory.pool.take(size, first_use, submitted) {
            Some(free) => Buffer::reused(free, bytes, &self.memory),
            None => {
                let usage = wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST;
                let raw = self.create(unlocked, "a buffer", size, usage)?;
                Buffer::own(raw, bytes, &self.memory)
            }
        };
        if let Some(poison) = &self.poison {
            poison.fill(&self.gpu, &self.queue, unlocked, &buffer)?;
        }
        Ok(buffer)
    }

    /// A new wgpu buffer. `what` serves for errors.
    pub fn create(
        &self,
        unlocked: &mut Unlocked,
        what: &str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let create = |unlocked: &Unlocked| {
            let create = || self.gpu.create_buffer(size, usage);
            self.gpu.scoped(unlocked, "create_buffer", create)
        };
        match create(unlocked) {
            Err(Error::OutOfMemory { .. }) => {
                self.gpu.check(unlocked)?;
                self.queue.submit(unlocked)?;
                #[cfg(not(target_family = "wasm"))]
                let uploaded = self.memory.last_upload();
                #[cfg(target_family = "wasm")]
                let uploaded = None;
                self.memory.clear();
                let recorded = self.queue.history.last_submission();
                for last in recorded.into_iter().chain(uploaded) {
                    self.gpu.waiter.wait(unlocked, &last);
                }
                create(unlocked).map_err(|e| e.sized(what, size))
            }
            other => other,
        }
    }
}
