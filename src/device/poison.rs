//! A mode for tests: each buffer is filled with a pattern before it is handed out, so that elements which no kernel
//! wrote, and reads beyond the elements, change results.

use super::buffer::Buffer;
use super::gpu::Gpu;
use super::queue::Queue;
use super::unlocked::Unlocked;
use crate::error::Result;

/// Bytes of the buffer that the pattern is copied from.
const CHUNK: u64 = 1 << 20;
/// NaN in every type of floats, the largest unsigned integer, and -1.
const BYTE: u8 = 0xff;

/// The buffer that the pattern is copied from.
#[derive(Debug)]
pub(super) struct Poison {
    pattern: wgpu::Buffer,
}

impl Poison {
    pub fn new(gpu: &Gpu) -> Self {
        let _turn = gpu.turns.call();
        let pattern = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("zerostride poison"),
            size: CHUNK,
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue
            .write_buffer(&pattern, 0, &vec![BYTE; CHUNK as usize]);
        Self { pattern }
    }

    /// Fills a buffer: behind the work of the open batch if that uses it, else at once, since an upload or an encoder
    /// of the caller's may write to it before the open batch is submitted.
    pub fn fill(
        &self,
        gpu: &Gpu,
        queue: &Queue,
        unlocked: &mut Unlocked,
        buffer: &Buffer,
    ) -> Result<()> {
        let mut batch = queue.open(unlocked);
        if queue.history.is_pending(buffer) {
            batch.flush_calls()?;
            self.copy_to(batch.encoder(), buffer);
            batch.mark_used(buffer);
            return Ok(());
        }
        drop(batch);
        gpu.scoped(unlocked, "submit", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            self.copy_to(&mut encoder, buffer);
            gpu.queue.submit([encoder.finish()]);
        })
    }

    fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, buffer: &Buffer) {
        for start in (0..buffer.bytes).step_by(CHUNK as usize) {
            let size = CHUNK.min(buffer.bytes - start);
            encoder.copy_buffer_to_buffer(&self.pattern, 0, &buffer.raw, start, size);
        }
    }
}
