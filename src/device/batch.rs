//! A batch: recorded work that is submitted as one command buffer.

use super::gpu::Gpu;
use super::pending_calls::PendingCalls;

/// Dispatches after which a batch is submitted by itself.
const MAX_DISPATCHES: u32 = 256;
/// Bytes moved after which a batch is submitted by itself, so that the device is not idle for long.
const MAX_BYTES: u64 = 1 << 30;

/// One command encoder with its open compute pass.
#[derive(Debug, Default)]
pub(super) struct Batch {
    // The pass must be ended before its encoder is used, so it stands first.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    /// From 1.
    pub number: u64,
    dispatches: u32,
    bytes: u64,
    /// They are recorded before anything else is.
    pub pending: Option<PendingCalls>,
}

impl Batch {
    /// The first batch.
    pub fn first() -> Self {
        Self {
            number: 1,
            ..Self::default()
        }
    }

    /// The open compute pass.
    pub fn pass(&mut self, gpu: &Gpu) -> &mut wgpu::ComputePass<'static> {
        let encoder = self.encoder.get_or_insert_with(|| new_encoder(gpu));
        self.pass.get_or_insert_with(|| {
            encoder
                .begin_compute_pass(&wgpu::ComputePassDescriptor::default())
                .forget_lifetime()
        })
    }

    /// The encoder, its compute pass ended.
    pub fn encoder(&mut self, gpu: &Gpu) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| new_encoder(gpu))
    }

    /// Counts a dispatch; whether the batch should be submitted now.
    pub fn count(&mut self, bytes: u64) -> bool {
        self.dispatches += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.dispatches >= MAX_DISPATCHES || self.bytes >= MAX_BYTES
    }

    /// What was recorded, with the batch's number; an empty one is open then. `uploaded`: there is
    /// something to submit in any case.
    pub fn take(&mut self, uploaded: bool) -> Option<(u64, Option<wgpu::CommandEncoder>)> {
        self.pass = None;
        let encoder = self.encoder.take();
        if encoder.is_none() && !uploaded {
            return None;
        }
        let number = self.number;
        self.number += 1;
        self.dispatches = 0;
        self.bytes = 0;
        Some((number, encoder))
    }
}

fn new_encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor {
            label: Some("zerostride batch"),
        })
}
