//! Recorded work that is not submitted yet.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::buffer::Buffer;
use super::context::Context;
use super::group::Waiting;
use crate::error::{Error, Result};

/// Dispatches after which a batch is submitted by itself.
const MAX_DISPATCHES: u32 = 256;
/// Bytes moved after which a batch is submitted by itself, so that the device is not idle for long.
const MAX_BYTES: u64 = 1 << 30;

/// Batches that may be submitted and not finished: where the device is slower than the host, the host waits, so that what
/// wgpu keeps for them stays bounded.
const MAX_IN_FLIGHT: usize = 32;

/// The batch that is being recorded, and what became of the others.
#[derive(Debug)]
pub(crate) struct Recorder {
    open: Mutex<Batch>,
    /// Held while a batch is handed to the queue, so that batches keep their order. Recording goes on meanwhile: wgpu may
    /// run callbacks of the caller inside `submit`.
    order: Mutex<()>,
    submitted: AtomicU64,
    /// The last submissions, oldest first.
    in_flight: Mutex<VecDeque<wgpu::SubmissionIndex>>,
    /// Batches that were refused, with the reason. Each was an error of the call that submitted it.
    refused: Mutex<BTreeMap<u64, String>>,
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
    /// Calls that wait for others of their kind; they are recorded before anything else is.
    pub(super) waiting: Option<Waiting>,
}

impl Recorder {
    pub fn new() -> Self {
        let batch = Batch { pass: None, encoder: None, number: 1, dispatches: 0, bytes: 0, waiting: None };
        Self {
            open: Mutex::new(batch),
            order: Mutex::default(),
            submitted: AtomicU64::new(0),
            in_flight: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, Batch> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the last batch that was submitted.
    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Says that the results of a batch are not what they should be.
    pub fn refuse(&self, number: u64, error: &Error) {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).entry(number).or_insert_with(|| error.to_string());
    }

    /// The last submission.
    #[cfg(feature = "npy")]
    pub fn last_submission(&self) -> Option<wgpu::SubmissionIndex> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner).back().cloned()
    }

    /// Whether the work that wrote these buffers was submitted or still may be.
    ///
    /// # Errors
    /// [`Error::Wgpu`] where their batch was refused, so that they hold something else.
    pub fn check<'a>(&self, mut buffers: impl Iterator<Item = &'a Buffer>) -> Result<()> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.is_empty() {
            return Ok(());
        }
        let batches = |b: &Buffer| {
            let last = b.written.load(Ordering::Relaxed);
            b.begun.load(Ordering::Relaxed).min(last)..=last
        };
        let reason = buffers.find_map(|b| refused.range(batches(b)).next().map(|(_, reason)| reason));
        match reason {
            None => Ok(()),
            Some(reason) => {
                Err(Error::Wgpu { what: "submit of the work that writes an operand", reason: reason.clone() })
            }
        }
    }

    /// The first batch that may spoil a result of these inputs, which batch `number` computes: one that writes an input and
    /// was not settled when the inputs were checked. `settled` is the last one that was.
    pub fn begin<'a>(&self, mut inputs: impl Iterator<Item = &'a Buffer>, settled: u64, number: u64) -> u64 {
        let pending = inputs.any(|b| b.written.load(Ordering::Relaxed) > settled);
        if pending { number.min(settled + 1) } else { number }
    }
}

impl Context {
    /// Submits the batch, if anything was recorded. No lock of the recorder may be held.
    pub(super) fn submit(&self) -> Result<()> {
        let order = self.0.recorder.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.submit_in_order(&order)?;
        drop(order);
        self.wait_for_room();
        Ok(())
    }

    /// Submits the batch unless another one is being submitted: then it stays open a little longer.
    pub(super) fn submit_if_free(&self) -> Result<()> {
        match self.0.recorder.order.try_lock() {
            Ok(order) => self.submit_in_order(&order)?,
            Err(TryLockError::Poisoned(order)) => self.submit_in_order(&order.into_inner())?,
            Err(TryLockError::WouldBlock) => return Ok(()),
        }
        self.wait_for_room();
        Ok(())
    }

    /// Waits until few batches are in flight. No lock is held meanwhile: polling may run callbacks of the caller.
    fn wait_for_room(&self) {
        loop {
            let mut in_flight = self.0.recorder.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
            if in_flight.len() <= MAX_IN_FLIGHT {
                return;
            }
            let oldest = in_flight.pop_front();
            drop(in_flight);
            // Of a lost device the next call reports.
            let _ = self.0.device.poll(wgpu::PollType::Wait { submission_index: oldest, timeout: None });
        }
    }

    fn submit_in_order(&self, _order: &MutexGuard<'_, ()>) -> Result<()> {
        let recorder = &self.0.recorder;
        let mut batch = recorder.lock();
        let closed = self.close(&mut batch);
        let taken = batch.take();
        drop(batch);
        let Some((number, encoder)) = taken else { return closed };
        let outcome = self.scoped("submit", || self.0.queue.submit([encoder.finish()]));
        match &outcome {
            Ok(index) => {
                recorder.in_flight.lock().unwrap_or_else(PoisonError::into_inner).push_back(index.clone());
            }
            Err(error) => recorder.refuse(number, error),
        }
        recorder.submitted.store(number, Ordering::Release);
        outcome.and(closed)
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

    /// What was recorded, with the batch's number; an empty one is open then.
    fn take(&mut self) -> Option<(u64, wgpu::CommandEncoder)> {
        self.pass = None;
        let encoder = self.encoder.take()?;
        let number = self.number;
        self.number += 1;
        self.dispatches = 0;
        self.bytes = 0;
        Some((number, encoder))
    }
}

fn new_encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("zerostride batch") })
}

#[cfg(all(test, feature = "noop"))]
mod tests {
    use super::*;

    #[test]
    fn results_of_a_batch_that_is_refused_later_are_refused_too() {
        let (device, _queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let written = |batches: [u64; 2]| {
            let usage = wgpu::BufferUsages::STORAGE;
            let descriptor = wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
            let buffer = Buffer::foreign(device.create_buffer(&descriptor));
            buffer.begun.store(batches[0], Ordering::Relaxed);
            buffer.written.store(batches[1], Ordering::Relaxed);
            buffer
        };
        let recorder = Recorder::new();
        // Batches up to 3 are settled, 4 is being submitted, 5 is open.
        let [old, pending] = [written([1, 3]), written([4, 4])];
        let first = |inputs: &[&Buffer]| recorder.begin(inputs.iter().copied(), 3, 5);
        let [of_old, of_pending] = [first(&[&old]), first(&[&old, &pending])].map(|begun| written([begun, 5]));
        recorder.refused.lock().unwrap().insert(4, "a reason".into());
        assert!(recorder.check([&old, &of_old].into_iter()).is_ok());
        for spoiled in [&pending, &of_pending] {
            let error = recorder.check(std::iter::once(spoiled)).unwrap_err().to_string();
            assert!(error.contains("a reason"), "{error}");
        }
    }
}
