//! What became of the batches: which were submitted, which failed, which the device still works on,
//! and which of them use a buffer.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::buffer::Buffer;
use super::submission::Submission;
use crate::error::{Error, Result};

/// Batches that may be submitted and not finished: if the device is slower than the host, the host
/// waits, so that what wgpu keeps for them stays bounded.
const MAX_IN_FLIGHT: usize = 32;

/// What became of the batches, by their numbers.
#[derive(Debug, Default)]
pub(super) struct History {
    submitted: AtomicU64,
    /// The last submissions with the numbers of their batches, oldest first.
    in_flight: Mutex<VecDeque<(u64, Submission)>>,
    /// Buffers that the caller may hold, with the last batch that uses them, whichever tensors name
    /// them. Those of batches that were submitted are gone.
    shared: Mutex<HashMap<wgpu::Buffer, u64>>,
    /// Batches that failed, with the reason. Each was an error of the call that submitted it.
    failed: Mutex<BTreeMap<u64, String>>,
}

impl History {
    /// The number of the last batch that was submitted, or failed.
    pub fn submitted_up_to(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Says that a batch was submitted, or failed.
    pub fn mark_submitted(&self, number: u64) {
        // A callback inside its submission may have submitted the next one.
        self.submitted.fetch_max(number, Ordering::Release);
        let mut shared = self.shared.lock();
        let done: Vec<_> = shared.extract_if(|_, last| *last <= number).collect();
        // The last handle of a buffer may run a callback of the caller's.
        drop(shared);
        drop(done);
    }

    /// Says that a batch failed, so that its results are not what they should be.
    pub fn mark_failed(&self, number: u64, error: &Error) {
        let mut failed = self.failed.lock();
        failed.entry(number).or_insert_with(|| error.to_string());
    }

    /// The device works on a batch from now on.
    pub fn add_in_flight(&self, number: u64, submission: Submission) {
        let mut in_flight = self.in_flight.lock();
        // A callback inside the submission may have submitted the next one.
        let place = in_flight.partition_point(|(other, _)| *other < number);
        in_flight.insert(place, (number, submission));
    }

    /// The oldest submission if there are too many, which is forgotten.
    pub fn take_excess(&self) -> Option<Submission> {
        let mut in_flight = self.in_flight.lock();
        if in_flight.len() <= MAX_IN_FLIGHT {
            return None;
        }
        in_flight.pop_front().map(|(_, oldest)| oldest)
    }

    /// The last submission.
    pub fn last_submission(&self) -> Option<Submission> {
        let in_flight = self.in_flight.lock();
        in_flight.back().map(|(_, submission)| submission.clone())
    }

    /// Says that the open batch uses a buffer; its lock is held.
    pub fn mark_used(&self, buffer: &Buffer, batch: u64) {
        buffer.used_by(batch);
        if buffer.is_shared() {
            let mut shared = self.shared.lock();
            let last = shared.entry(buffer.raw.clone()).or_insert(batch);
            *last = batch.max(*last);
        }
    }

    /// Whether work that uses a buffer, through this or another tensor on it, is recorded and not
    /// submitted.
    pub fn is_pending(&self, buffer: &Buffer) -> bool {
        let submitted = self.submitted_up_to();
        let shared = self.shared.lock();
        let by_others = shared.get(&buffer.raw);
        buffer.last_batch() > submitted || by_others.is_some_and(|&last| last > submitted)
    }

    /// Fails if a batch that writes one of these buffers failed.
    ///
    /// # Errors
    /// [`Error::Wgpu`] if their batch failed, so that they hold something else.
    pub fn check<'a>(&self, mut buffers: impl Iterator<Item = &'a Buffer>) -> Result<()> {
        let failed = self.failed.lock();
        if failed.is_empty() {
            return Ok(());
        }
        match buffers.find_map(|b| failed.range(b.writers()).next()) {
            None => Ok(()),
            Some((_, reason)) => Err(Error::wgpu(
                "submit of the work that writes an operand",
                reason,
            )),
        }
    }
}

/// The first batch whose failure spoils a result of these inputs, which batch `number` computes:
/// one that writes an input and was not submitted when the inputs were checked. `submitted` is the
/// last one that was.
pub(super) fn first_writer<'a>(
    mut inputs: impl Iterator<Item = &'a Buffer>,
    submitted: u64,
    number: u64,
) -> u64 {
    if inputs.any(|b| *b.writers().end() > submitted) {
        number.min(submitted + 1)
    } else {
        number
    }
}

#[cfg(all(test, feature = "noop"))]
mod tests {
    use super::*;
    use crate::device::turns::Turns;

    #[test]
    fn results_of_a_batch_that_fails_later_are_refused_too() {
        let (device, _queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let written = |batches| {
            let raw = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            let buffer = Buffer::foreign(raw, Turns::NONE);
            buffer.written_by(batches);
            buffer
        };
        let history = History::default();
        // Batches up to 3 were submitted, 4 is being submitted, 5 is open.
        let [old, pending] = [written(1..=3), written(4..=4)];
        let first = |inputs: &[&Buffer]| first_writer(inputs.iter().copied(), 3, 5);
        let [of_old, of_pending] =
            [first(&[&old]), first(&[&old, &pending])].map(|first| written(first..=5));
        history.mark_failed(4, &Error::argument("test", "a reason"));
        assert!(history.check([&old, &of_old].into_iter()).is_ok());
        for spoiled in [&pending, &of_pending] {
            let error = history.check(std::iter::once(spoiled)).unwrap_err();
            assert!(error.to_string().contains("a reason"), "{error}");
        }
    }
}
