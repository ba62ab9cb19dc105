//! `Queue`: the batch that is being recorded, and the order in which batches are submitted.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, ReentrantMutex, ReentrantMutexGuard};

use super::batch::Batch;
use super::buffer::Buffer;
use super::dispatch::{Dispatch, Issue};
use super::gpu::Gpu;
use super::history::History;
use super::memory::Memory;
use super::pending_calls::PendingCalls;
use super::unlocked::Unlocked;
use crate::error::Result;

/// Uploads, and bytes of them, after which a batch is submitted by itself: wgpu keeps staging
/// memory for each, with some 2 KiB of its own, until something is submitted.
const MAX_UPLOADS: u64 = 1024;
const MAX_STAGED: u64 = 256 << 20;

/// Recorded work and its way to the device.
///
/// Two locks leave their methods as guards, and types keep their order: [`Order`] borrows the
/// [`Unlocked`] of its call, [`OpenBatch`] borrows that or the `Order`. So the open batch is locked
/// last, it is let go before work is handed over, and nothing waits under either.
#[derive(Debug)]
pub(super) struct Queue {
    gpu: Arc<Gpu>,
    memory: Arc<Memory>,
    open: Mutex<Batch>,
    /// Held while a batch is handed over, so that batches keep their order. Recording goes on
    /// meanwhile. wgpu may run callbacks of the caller's in there, after it took the batch, and one
    /// of them may submit the next batch on the same thread.
    order: ReentrantMutex<()>,
    pub history: History,
    uploads: Mutex<Uploads>,
}

/// What was uploaded since the last submission.
#[derive(Debug, Default)]
struct Uploads {
    count: u64,
    bytes: u64,
}

/// The right to submit the next batch.
struct Order<'a> {
    queue: &'a Queue,
    _lock: ReentrantMutexGuard<'a, ()>,
}

/// The open batch, locked.
pub(super) struct OpenBatch<'a> {
    queue: &'a Queue,
    batch: MutexGuard<'a, Batch>,
}

impl Queue {
    pub fn new(gpu: Arc<Gpu>, memory: Arc<Memory>) -> Self {
        Self {
            gpu,
            memory,
            open: Mutex::new(Batch::first()),
            order: ReentrantMutex::new(()),
            history: History::default(),
            uploads: Mutex::default(),
        }
    }

    /// Locks the open batch.
    pub fn open<'a>(&'a self, _: &'a mut Unlocked) -> OpenBatch<'a> {
        OpenBatch {
            queue: self,
            batch: self.open.lock(),
        }
    }

    fn order<'a>(&'a self, _: &'a mut Unlocked) -> Order<'a> {
        Order {
            queue: self,
            _lock: self.order.lock(),
        }
    }

    /// `None` while another thread submits.
    fn try_order<'a>(&'a self, _: &'a mut Unlocked) -> Option<Order<'a>> {
        self.order.try_lock().map(|lock| Order {
            queue: self,
            _lock: lock,
        })
    }

    /// Submits the batch, if anything was recorded or uploaded, and waits until few are in flight.
    pub fn submit(&self, unlocked: &mut Unlocked) -> Result<()> {
        let outcome = self.order(unlocked).submit();
        self.after_submit(unlocked, outcome)
    }

    /// [`submit`](Self::submit) unless another thread submits: then the batch stays open a little
    /// longer.
    pub fn submit_if_free(&self, unlocked: &mut Unlocked) -> Result<()> {
        let Some(mut order) = self.try_order(unlocked) else {
            return Ok(());
        };
        let outcome = order.submit();
        drop(order);
        self.after_submit(unlocked, outcome)
    }

    fn after_submit(&self, unlocked: &Unlocked, outcome: Result<()>) -> Result<()> {
        outcome.map_err(|error| self.gpu.lost_or(unlocked, error))?;
        while let Some(oldest) = self.history.take_excess() {
            self.gpu.waiter.wait(unlocked, &oldest);
        }
        Ok(())
    }

    /// Counts an upload, and submits if wgpu keeps staging memory for many.
    pub fn uploaded(&self, unlocked: &mut Unlocked, bytes: u64) -> Result<()> {
        let mut uploads = self.uploads.lock();
        uploads.count += 1;
        uploads.bytes = uploads.bytes.saturating_add(bytes);
        let many = uploads.count >= MAX_UPLOADS || uploads.bytes >= MAX_STAGED;
        drop(uploads);
        if many { self.submit(unlocked) } else { Ok(()) }
    }

    /// Waits until the browser has said of all calls whether they failed, and marks the batches
    /// that did. The first error, if one came.
    #[cfg(target_family = "wasm")]
    pub async fn settle(&self) -> Option<crate::error::Error> {
        let mut first = None;
        for failure in self.gpu.error_scopes.all().await {
            // What could not be created makes the submission fail that uses it.
            let error = first.get_or_insert(failure.error);
            if let Some(batch) = failure.batch {
                self.history.mark_failed(batch, error);
            }
        }
        first
    }

    /// How many calls wait for others of their kind.
    #[cfg(all(test, feature = "noop"))]
    pub fn pending_calls(&self) -> usize {
        let open = self.open.lock();
        open.pending
            .as_ref()
            .map_or(0, |pending| pending.calls.len())
    }
}

impl Order<'_> {
    fn open(&mut self) -> OpenBatch<'_> {
        OpenBatch {
            queue: self.queue,
            batch: self.queue.open.lock(),
        }
    }

    /// Hands the open batch over, if anything was recorded or uploaded.
    fn submit(&mut self) -> Result<()> {
        /// Marks a batch as submitted when it is dropped: also if a callback of the caller's panics
        /// in the submission, which runs it after the batch was taken.
        struct Submitted<'a>(&'a History, u64);
        impl Drop for Submitted<'_> {
            fn drop(&mut self) {
                self.0.mark_submitted(self.1);
            }
        }

        let mut batch = self.open();
        let flushed = batch.flush_calls();
        let taken = batch.take();
        drop(batch);
        let Some((number, encoder)) = taken else {
            return flushed;
        };
        let Queue { gpu, history, .. } = self.queue;
        let _submitted = Submitted(history, number);
        match gpu.submit(number, encoder) {
            Ok(submission) => {
                history.add_in_flight(number, submission);
                flushed
            }
            Err(error) => {
                // Before anything polls: a callback may read what the batch was to write.
                history.mark_failed(number, &error);
                Err(error)
            }
        }
    }
}

impl OpenBatch<'_> {
    /// The number of this batch, from 1.
    pub fn number(&self) -> u64 {
        self.batch.number
    }

    /// Says that the open batch uses a buffer.
    pub fn mark_used(&self, buffer: &Buffer) {
        self.mark_used_by(buffer, self.number());
    }

    /// Marks a buffer as used by this batch, which need not be the open one: a failure opens the
    /// next.
    pub fn mark_used_by(&self, buffer: &Buffer, batch: u64) {
        self.queue.history.mark_used(buffer, batch);
    }

    /// Counts a dispatch; whether the batch should be submitted now.
    pub fn count(&mut self, bytes: u64) -> bool {
        self.batch.count(bytes)
    }

    /// The encoder, for copies. Calls that wait [were recorded](Self::flush_calls).
    pub fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        self.batch.encoder(&self.queue.gpu)
    }

    /// Records the calls that wait, unless a dispatch can join them. If that fails, those who read
    /// their results get the error; it is none of this dispatch.
    pub fn flush_calls_unlike(&mut self, dispatch: &Dispatch) {
        let pending = self.batch.pending.as_ref();
        if pending.is_some_and(|pending| !pending.admit(dispatch)) {
            let _ = self.flush_calls();
        }
    }

    /// Records a dispatch, or lets it wait for others of its kind. The calls that it cannot join
    /// [were recorded](Self::flush_calls_unlike).
    pub fn add(&mut self, dispatch: Dispatch) -> Result<()> {
        let group = match &dispatch.issue {
            Issue::Direct(bind_group) => {
                dispatch.record(self.batch.pass(&self.queue.gpu), bind_group);
                return Ok(());
            }
            Issue::Grouped(group) => group.clone(),
        };
        let pending = self
            .batch
            .pending
            .get_or_insert_with(|| PendingCalls::new(group));
        if pending.push(dispatch) {
            self.flush_calls()
        } else {
            Ok(())
        }
    }

    /// Records the calls that wait, before anything else is recorded or the batch is submitted.
    ///
    /// # Errors
    /// [`Error::Wgpu`](crate::Error::Wgpu) or [`Error::OutOfMemory`](crate::Error::OutOfMemory) if
    /// wgpu refuses a bind group; the batch so far failed then, and what follows is another one.
    pub fn flush_calls(&mut self) -> Result<()> {
        let Some(pending) = self.batch.pending.take() else {
            return Ok(());
        };
        let queue = self.queue;
        match pending.bind_groups(&queue.gpu, &queue.memory) {
            Ok(bind_groups) => {
                pending.record(&bind_groups, self.batch.pass(&queue.gpu));
                Ok(())
            }
            Err(error) => {
                queue.history.mark_failed(self.number(), &error);
                // Goes on as another batch: what was recorded so far failed.
                self.batch.number += 1;
                Err(error)
            }
        }
    }

    /// What is to be submitted, with its number; an empty batch is open then.
    fn take(&mut self) -> Option<(u64, Option<wgpu::CommandEncoder>)> {
        let uploads = std::mem::take(&mut *self.queue.uploads.lock());
        self.batch.take(uploads.count > 0)
    }
}
