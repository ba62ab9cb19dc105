//! Recorded work that is not submitted yet.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use parking_lot::{ReentrantMutex, ReentrantMutexGuard};

use super::buffer::Buffer;
use super::context::Context;
use super::group::Waiting;
use super::submission::Submission;
use crate::error::{Error, Result};

/// Dispatches after which a batch is submitted by itself.
const MAX_DISPATCHES: u32 = 256;
/// Bytes moved after which a batch is submitted by itself, so that the device is not idle for long.
const MAX_BYTES: u64 = 1 << 30;

/// Uploads, and bytes of them, after which a batch is submitted by itself: wgpu keeps staging
/// memory for each, with some 2 KiB of its own, until something is submitted.
const MAX_UPLOADS: u64 = 1024;
const MAX_STAGED: u64 = 256 << 20;

/// Batches that may be submitted and not finished: where the device is slower than the host, the
/// host waits, so that what wgpu keeps for them stays bounded.
const MAX_IN_FLIGHT: usize = 32;

/// The batch that is being recorded, and what became of the others.
#[derive(Debug)]
pub(crate) struct Recorder {
    open: Mutex<Batch>,
    /// Held while a batch is handed to the queue, so that batches keep their order. Recording goes
    /// on meanwhile. wgpu may run callbacks of the caller inside `submit`, after it handed the
    /// batch over, so that one of them may submit the next batch on the same thread.
    order: ReentrantMutex<()>,
    submitted: AtomicU64,
    /// The last submissions with the numbers of their batches, oldest first.
    in_flight: Mutex<VecDeque<(u64, Submission)>>,
    /// What was uploaded since the last submission.
    staged: Mutex<Staged>,
    /// Buffers that the caller may hold, with the last batch that uses them, whichever tensors name
    /// them. Those of batches that were submitted are gone.
    shared: Mutex<HashMap<wgpu::Buffer, u64>>,
    /// Batches that were refused, with the reason. Each was an error of the call that submitted it.
    refused: Mutex<BTreeMap<u64, String>>,
}

/// Uploads that wgpu keeps staging memory for.
#[derive(Debug, Default)]
struct Staged {
    uploads: u64,
    bytes: u64,
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
        let batch = Batch {
            pass: None,
            encoder: None,
            number: 1,
            dispatches: 0,
            bytes: 0,
            waiting: None,
        };
        Self {
            open: Mutex::new(batch),
            order: ReentrantMutex::new(()),
            submitted: AtomicU64::new(0),
            in_flight: Mutex::default(),
            staged: Mutex::default(),
            shared: Mutex::default(),
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
        self.refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(number)
            .or_insert_with(|| error.to_string());
    }

    /// The last submission.
    pub fn last_submission(&self) -> Option<Submission> {
        let in_flight = self
            .in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        in_flight.back().map(|(_, submission)| submission.clone())
    }

    /// Counts an upload; whether the batch should be submitted now.
    pub fn stage(&self, bytes: u64) -> bool {
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.uploads += 1;
        staged.bytes = staged.bytes.saturating_add(bytes);
        staged.uploads >= MAX_UPLOADS || staged.bytes >= MAX_STAGED
    }

    /// Forgets what was uploaded since the last submission; whether there was anything.
    fn take_staged(&self) -> bool {
        std::mem::take(&mut *self.staged.lock().unwrap_or_else(PoisonError::into_inner)).uploads > 0
    }

    /// Says that a batch, which is locked, uses a buffer.
    pub fn used(&self, buffer: &Buffer, batch: u64) {
        buffer.last_batch.fetch_max(batch, Ordering::Relaxed);
        if buffer.is_shared() {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let last = shared.entry(buffer.raw.clone()).or_insert(batch);
            *last = batch.max(*last);
        }
    }

    /// Whether work that uses a buffer, through this or another tensor on it, is recorded and not
    /// submitted.
    pub fn is_pending(&self, buffer: &Buffer) -> bool {
        let submitted = self.submitted();
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        buffer.last_batch.load(Ordering::Relaxed) > submitted
            || shared
                .get(&buffer.raw)
                .is_some_and(|&last| last > submitted)
    }

    /// Says that a batch was handed to the queue, or refused.
    fn settle(&self, number: u64) {
        // A callback inside its submit may have submitted the next one.
        self.submitted.fetch_max(number, Ordering::Release);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let settled: Vec<_> = shared.extract_if(|_, last| *last <= number).collect();
        // The last handle of a buffer may run a callback of the caller's.
        drop(shared);
        drop(settled);
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
        let reason =
            buffers.find_map(|b| refused.range(batches(b)).next().map(|(_, reason)| reason));
        match reason {
            None => Ok(()),
            Some(reason) => Err(Error::Wgpu {
                what: "submit of the work that writes an operand",
                reason: reason.clone(),
            }),
        }
    }

    /// The first batch that may spoil a result of these inputs, which batch `number` computes: one
    /// that writes an input and was not settled when the inputs were checked. `settled` is the last
    /// one that was.
    pub fn begin<'a>(
        &self,
        mut inputs: impl Iterator<Item = &'a Buffer>,
        settled: u64,
        number: u64,
    ) -> u64 {
        let pending = inputs.any(|b| b.written.load(Ordering::Relaxed) > settled);
        if pending {
            number.min(settled + 1)
        } else {
            number
        }
    }
}

impl Context {
    /// Submits the batch, if anything was recorded or uploaded. The batch may not be locked.
    pub(super) fn submit(&self) -> Result<()> {
        let order = self.0.recorder.order.lock();
        self.submit_in_order(&order)?;
        drop(order);
        self.wait_for_room();
        Ok(())
    }

    /// Submits the batch unless another thread submits one: then it stays open a little longer.
    pub(super) fn submit_if_free(&self) -> Result<()> {
        let Some(order) = self.0.recorder.order.try_lock() else {
            return Ok(());
        };
        self.submit_in_order(&order)?;
        drop(order);
        self.wait_for_room();
        Ok(())
    }

    /// Waits until few batches are in flight.
    fn wait_for_room(&self) {
        loop {
            let mut in_flight = self
                .0
                .recorder
                .in_flight
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if in_flight.len() <= MAX_IN_FLIGHT {
                return;
            }
            let oldest = in_flight.pop_front();
            drop(in_flight);
            if let Some((_, oldest)) = oldest {
                self.0.waiter.wait(&oldest);
            }
        }
    }

    fn submit_in_order(&self, _order: &ReentrantMutexGuard<'_, ()>) -> Result<()> {
        let recorder = &self.0.recorder;
        let mut batch = recorder.lock();
        let closed = self.close(&mut batch);
        let taken = batch.take(recorder.take_staged());
        drop(batch);
        let Some((number, encoder)) = taken else {
            return closed;
        };
        // Also where a callback of the caller's panics in the submit, which runs it when the batch
        // was handed over.
        let settled = Settled { recorder, number };
        let outcome = self.caught("submit", || {
            self.0
                .queue
                .submit(encoder.map(wgpu::CommandEncoder::finish))
        });
        let outcome = match outcome {
            Ok(index) => {
                let submission = self.0.waiter.submission(&self.0.queue, index);
                let mut in_flight = recorder
                    .in_flight
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                // A callback inside the submit may have submitted the next one.
                let place = in_flight.partition_point(|(other, _)| *other < number);
                in_flight.insert(place, (number, submission));
                Ok(())
            }
            Err(error) => {
                // First of all: to ask whether the device is lost polls, and a callback may read
                // what the batch was to write.
                recorder.refuse(number, &error);
                Err(error)
            }
        };
        drop(settled);
        outcome.map_err(|error| self.lost_or(error)).and(closed)
    }
}

/// Settles a batch when it is dropped.
struct Settled<'a> {
    recorder: &'a Recorder,
    number: u64,
}

impl Drop for Settled<'_> {
    fn drop(&mut self) {
        self.recorder.settle(self.number);
    }
}

impl Batch {
    /// The open compute pass.
    pub fn pass(&mut self, device: &wgpu::Device) -> &mut wgpu::ComputePass<'static> {
        let encoder = self.encoder.get_or_insert_with(|| new_encoder(device));
        self.pass.get_or_insert_with(|| {
            encoder
                .begin_compute_pass(&wgpu::ComputePassDescriptor::default())
                .forget_lifetime()
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

    /// What was recorded, with the batch's number; an empty one is open then. `staged`: something
    /// was uploaded, so that there is something to submit in any case.
    fn take(&mut self, staged: bool) -> Option<(u64, Option<wgpu::CommandEncoder>)> {
        self.pass = None;
        let encoder = self.encoder.take();
        if encoder.is_none() && !staged {
            return None;
        }
        let number = self.number;
        self.number += 1;
        self.dispatches = 0;
        self.bytes = 0;
        Some((number, encoder))
    }
}

fn new_encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
        label: Some("zerostride batch"),
    })
}

#[cfg(all(test, feature = "noop"))]
mod tests {
    use super::*;

    #[test]
    fn results_of_a_batch_that_is_refused_later_are_refused_too() {
        let (device, _queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let written = |batches: [u64; 2]| {
            let usage = wgpu::BufferUsages::STORAGE;
            let descriptor = wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage,
                mapped_at_creation: false,
            };
            let buffer = Buffer::foreign(device.create_buffer(&descriptor));
            buffer.begun.store(batches[0], Ordering::Relaxed);
            buffer.written.store(batches[1], Ordering::Relaxed);
            buffer
        };
        let recorder = Recorder::new();
        // Batches up to 3 are settled, 4 is being submitted, 5 is open.
        let [old, pending] = [written([1, 3]), written([4, 4])];
        let first = |inputs: &[&Buffer]| recorder.begin(inputs.iter().copied(), 3, 5);
        let [of_old, of_pending] =
            [first(&[&old]), first(&[&old, &pending])].map(|begun| written([begun, 5]));
        recorder
            .refused
            .lock()
            .unwrap()
            .insert(4, "a reason".into());
        assert!(recorder.check([&old, &of_old].into_iter()).is_ok());
        for spoiled in [&pending, &of_pending] {
            let error = recorder
                .check(std::iter::once(spoiled))
                .unwrap_err()
                .to_string();
            assert!(error.contains("a reason"), "{error}");
        }
    }
}
