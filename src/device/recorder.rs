//! Recorded work that is not submitted yet.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Dispatches after which a batch is submitted by itself.
const MAX_DISPATCHES: u32 = 256;
/// Bytes moved after which a batch is submitted by itself, so that the device is not idle for long.
const MAX_BYTES: u64 = 1 << 30;

/// The batch that is being recorded, and how many were submitted.
#[derive(Debug)]
pub(crate) struct Recorder {
    open: Mutex<Batch>,
    submitted: AtomicU64,
}

/// One command encoder with its open compute pass.
#[derive(Debug)]
pub(crate) struct Batch {
    // The pass must be ended before its encoder is used, so it stands first.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    /// The number of this batch, from 1.
    pub number: u64,
    dispatches: u32,
    bytes: u64,
}

impl Recorder {
    pub fn new() -> Self {
        let batch = Batch { pass: None, encoder: None, number: 1, dispatches: 0, bytes: 0 };
        Self { open: Mutex::new(batch), submitted: AtomicU64::new(0) }
    }

    pub fn lock(&self) -> MutexGuard<'_, Batch> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the last batch that was submitted.
    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Submits the batch, if anything was recorded. The caller holds the lock and surrounds it with error scopes.
    pub fn submit(&self, batch: &mut Batch, queue: &wgpu::Queue) {
        batch.pass = None;
        if let Some(encoder) = batch.encoder.take() {
            queue.submit([encoder.finish()]);
            self.submitted.store(batch.number, Ordering::Release);
            batch.number += 1;
            batch.dispatches = 0;
            batch.bytes = 0;
        }
    }
}

impl Batch {
    /// The open compute pass.
    pub fn pass(&mut self, device: &wgpu::Device) -> &mut wgpu::ComputePass<'static> {
        let encoder = self.encoder.get_or_insert_with(|| new_encoder(device));
        self.pass.get_or_insert_with(|| {
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime()
        })
    }

    /// The encoder, its compute pass ended.
    pub fn encoder(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| new_encoder(device))
    }

    /// Counts a dispatch; whether the batch should be submitted now.
    pub fn count(&mut self, bytes: u64) -> bool {
        self.dispatches += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.dispatches >= MAX_DISPATCHES || self.bytes >= MAX_BYTES
    }
}

fn new_encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("zerostride batch") })
}
