//! Uploads and read-back.

use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use futures_intrusive::channel::shared::{OneshotReceiver, oneshot_channel};
use parking_lot::Mutex;

use super::allocator::Allocator;
use super::buffer::Buffer;
use super::bytes::{Bytes, READ_PART};
#[cfg(not(target_family = "wasm"))]
use super::memory::UPLOAD_PART;
use super::poller::{Answer, Poller};
use super::pool::FirstUse;
use super::submission::Submission;
use super::unlocked::Unlocked;
#[cfg(not(target_family = "wasm"))]
use super::upload::{STAGED, upload};
use crate::element::Element;
use crate::error::{Error, Result};

/// Bytes written in one upload, which bounds the staging memory wgpu allocates for it.
const UPLOAD_CHUNK: usize = 64 << 20;

/// Moves bytes between the host and buffers.
#[derive(Debug)]
pub(crate) struct Transfers {
    allocator: Arc<Allocator>,
    poller: Poller,
}

/// The outcome of a mapping; `None` if the device gave up on it.
type Outcome = Option<Result<(), wgpu::BufferAsyncError>>;

/// A read that is submitted and not yet finished.
pub(crate) struct PendingRead {
    staging: wgpu::Buffer,
    mapped: OneshotReceiver<Result<(), wgpu::BufferAsyncError>>,
    /// Where the callback leaves its outcome for `mapped`.
    answer: Answer,
    len: usize,
    /// Bytes of the staging buffer before those that were asked for.
    skip: usize,
    /// Bytes of the staging buffer that are mapped.
    size: u64,
    /// How often the read was polled.
    #[cfg(not(target_family = "wasm"))]
    asked: AtomicU32,
    /// The submission that it waits for.
    submission: Option<Submission>,
    /// Whether the helper thread waits for it.
    watched: bool,
}

#[cfg(not(target_family = "wasm"))]
impl PendingRead {
    /// What its callback said, once it came.
    fn answered(&self) -> Option<Outcome> {
        let answered = self.answer.lock().is_none();
        answered.then(|| pollster::block_on(self.mapped.receive()))
    }

    /// The outcome of its mapping, once there is one. wgpu writes an error for each time that there
    /// is none, which takes longer than all else.
    fn outcome(&self) -> Option<Outcome> {
        match self.staging.get_mapped_range(..self.size) {
            Ok(_) => Some(Some(Ok(()))),
            Err(_) => self.answered(),
        }
    }
}

impl Transfers {
    /// If another thread polls the device, its callback may come late. After this many polls the buffer's
    /// own state is checked.
    #[cfg(not(target_family = "wasm"))]
    const LOOKS: u32 = 256;

    pub(super) fn new(allocator: Arc<Allocator>) -> Self {
        Self {
            allocator,
            poller: Poller::default(),
        }
    }

    /// A buffer that holds these bytes; what follows them is not defined.
    pub fn upload(&self, bytes: &[u8]) -> Result<Buffer> {
        let Allocator { gpu, queue, .. } = &*self.allocator;
        let unlocked = &mut gpu.enter()?;
        let len = bytes.len() as u64;
        let buffer = self.allocator.allocate(unlocked, len, FirstUse::Outside)?;
        #[cfg(not(target_family = "wasm"))]
        if bytes.len() >= STAGED && gpu.max_buffer_size >= UPLOAD_PART {
            upload(&self.allocator, unlocked, bytes, &buffer)?;
            return Ok(buffer);
        }
        let whole = bytes.len() / 4 * 4;
        let mut last = [0u8; 4];
        last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        let chunks = bytes[..whole].chunks(UPLOAD_CHUNK);
        let last = (whole < bytes.len()).then_some(&last[..]);
        for (n, chunk) in chunks.chain(last).enumerate() {
            let start = (n * UPLOAD_CHUNK).min(whole) as u64;
            let write = || gpu.queue.write_buffer(&buffer.raw, start, chunk);
            let size = chunk.len() as u64;
            gpu.scoped(unlocked, "write_buffer", write)
                .map_err(|e| e.sized("the staging memory of an upload", size))?;
            queue.uploaded(unlocked, size)?;
        }
        Ok(buffer)
    }

    /// Submits all recorded work and a copy of some bytes to a buffer that the host can map, which
    /// [`finish_read`](Self::finish_read) waits for and [`try_finish`](Self::try_finish) asks for.
    #[cfg(not(target_family = "wasm"))]
    pub fn start_read(&self, from: Bytes<'_>) -> Result<PendingRead> {
        let mut unlocked = self.allocator.gpu.enter()?;
        self.begin_part(&mut unlocked, from, 0, false)
    }

    /// [`start_read`](Self::start_read) by a staging buffer of `at_least` so many bytes. `watched`:
    /// the helper thread polls until the callback came, if it can.
    fn begin_part(
        &self,
        unlocked: &mut Unlocked,
        from: Bytes<'_>,
        at_least: u64,
        watched: bool,
    ) -> Result<PendingRead> {
        let Allocator {
            gpu, memory, queue, ..
        } = &*self.allocator;
        let Bytes { buffer, start, len } = from;
        queue.history.check(std::iter::once(buffer))?;
        let skip = from.skip();
        let start = start - skip as u64;
        let size = ((skip + len) as u64).next_multiple_of(4);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let what = "the staging buffer of a read";
        let whole = memory.staging_size(size.max(at_least));
        let staging = match memory.take_staging(whole) {
            Some(staging) => staging,
            None => self.allocator.create(unlocked, what, whole, usage)?,
        };
        let mut batch = queue.open(unlocked);
        batch.flush_calls()?;
        batch
            .encoder()
            .copy_buffer_to_buffer(&buffer.raw, start, &staging, 0, size);
        batch.mark_used(buffer);
        drop(batch);
        queue.submit(unlocked)?;
        queue.history.check(std::iter::once(buffer))?;
        let submission = queue.history.last_submission();
        let (send, mapped) = oneshot_channel();
        let answer: Answer = Arc::new(Mutex::new(Some(send)));
        let watch = submission
            .as_ref()
            .filter(|_| watched)
            .and_then(|s| self.poller.watch(&gpu.waiter, s, &answer));
        let (watched, kept) = (watch.is_some(), Arc::clone(&answer));
        gpu.scoped(unlocked, "map_async", || {
            staging.map_async(wgpu::MapMode::Read, ..size, move |outcome| {
                let send = answer.lock().take();
                if let Some(send) = send {
                    // Nobody listens if the read was dropped.
                    let _ = send.send(outcome);
                }
                drop(watch);
            });
        })?;
        Ok(PendingRead {
            staging,
            mapped,
            answer: kept,
            len,
            skip,
            size,
            #[cfg(not(target_family = "wasm"))]
            asked: AtomicU32::new(1),
            submission,
            watched,
        })
    }

    /// Elements of a buffer, after all work recorded before. Under any executor.
    pub async fn read<T: Element>(&self, from: Bytes<'_>) -> Result<Vec<T>> {
        let unlocked = &mut self.allocator.gpu.enter()?;
        let mut elements = room(from.len)?;
        let mut parts = self.begin_parts(from, true);
        while let Some(pending) = parts.next(unlocked)? {
            if !pending.watched {
                self.wait_for(unlocked, &pending);
            }
            let outcome = pending.mapped.receive().await;
            #[cfg(target_family = "wasm")]
            {
                let error = self.allocator.queue.settle().await;
                self.allocator.gpu.check(unlocked)?;
                self.allocator
                    .queue
                    .history
                    .check(std::iter::once(from.buffer))?;
                if let (Some(Err(_)) | None, Some(error)) = (&outcome, error) {
                    return Err(error);
                }
            }
            let extend = |bytes: &[u8]| T::extend(&mut elements, bytes);
            self.take(unlocked, &pending, outcome, extend)?;
        }
        Ok(elements)
    }

    /// [`read`](Self::read), polling on this thread.
    #[cfg(not(target_family = "wasm"))]
    pub fn read_blocking<T: Element>(&self, from: Bytes<'_>) -> Result<Vec<T>> {
        let unlocked = &mut self.allocator.gpu.enter()?;
        let mut elements = room(from.len)?;
        let mut parts = self.begin_parts(from, false);
        while let Some(pending) = parts.next(unlocked)? {
            self.finish(unlocked, &pending, |bytes| T::extend(&mut elements, bytes))?;
        }
        Ok(elements)
    }

    fn begin_parts<'a>(
        &'a self,
        from: Bytes<'a>,
        watched: bool,
    ) -> Parts<'a, impl ExactSizeIterator<Item = Bytes<'a>>> {
        let parts = from.parts();
        Parts {
            transfers: self,
            at_least: if parts.len() > 1 { READ_PART as u64 } else { 0 },
            watched,
            parts,
            begun: None,
        }
    }

    /// Waits for a read on this thread, not for what was submitted after it, and hands its bytes
    /// over.
    #[cfg(feature = "files")]
    pub fn finish_read<T>(
        &self,
        pending: &PendingRead,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        let unlocked = self.allocator.gpu.enter()?;
        self.finish(&unlocked, pending, take)
    }

    #[cfg(not(target_family = "wasm"))]
    fn finish<T>(
        &self,
        unlocked: &Unlocked,
        pending: &PendingRead,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        self.wait_for(unlocked, pending);
        self.take(unlocked, pending, self.mapping(unlocked, pending), take)
    }

    /// The bytes of a read, if they have come: asks the device once and waits for nothing.
    #[cfg(not(target_family = "wasm"))]
    pub fn try_finish(&self, pending: &PendingRead) -> Result<Option<Vec<u8>>> {
        let gpu = &self.allocator.gpu;
        let unlocked = &gpu.enter_to_poll()?;
        let mut outcome = pending.answered();
        if outcome.is_some() {
            gpu.check(unlocked)?;
        } else {
            if !gpu.waiter.poll(unlocked) {
                drop(pending.answer.lock().take());
            }
            gpu.check_loss()?;
            let asked = pending.asked.fetch_add(1, Ordering::Relaxed);
            outcome = match asked % Self::LOOKS {
                0 => pending.outcome(),
                _ => pending.answered(),
            };
        }
        match outcome {
            Some(outcome) => self.take(unlocked, pending, outcome, copied)?.map(Some),
            None => Ok(None),
        }
    }

    /// Waits until the staging buffer is mapped or will not be. Its callback may come later:
    /// another thread's poll may have taken it, behind a callback of the caller's that waits for
    /// this thread. And after a panic in a submission nobody knows when that is done.
    #[cfg(not(target_family = "wasm"))]
    fn mapping(&self, unlocked: &Unlocked, pending: &PendingRead) -> Outcome {
        let mut pause = Duration::from_micros(20);
        loop {
            if let Some(outcome) = pending.outcome() {
                return outcome;
            }
            if !self.allocator.gpu.waiter.poll(unlocked) {
                drop(pending.answer.lock().take());
                return None;
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(2));
        }
    }

    /// Waits until the device has done the work of a read. If it gives up, the read ends without an
    /// answer.
    fn wait_for(&self, unlocked: &Unlocked, pending: &PendingRead) {
        if let Some(submission) = &pending.submission
            && !self.allocator.gpu.waiter.wait(unlocked, submission)
        {
            drop(pending.answer.lock().take());
        }
    }

    /// Hands the bytes of a mapping over.
    fn take<T>(
        &self,
        unlocked: &Unlocked,
        pending: &PendingRead,
        outcome: Outcome,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        let gpu = &self.allocator.gpu;
        let refused = |e: String| gpu.lost_soon_or(unlocked, Error::wgpu("map_async", e));
        if let Some(Err(e)) = outcome {
            return Err(refused(e.to_string()));
        }
        // If another callback panicked, wgpu may have mapped the buffer and dropped this callback
        // without a call.
        let view = pending.staging.get_mapped_range(..pending.size);
        let view = view.map_err(|e| refused(e.to_string()))?;
        let taken = take(&view[pending.skip..pending.skip + pending.len]);
        drop(view);
        let turn = gpu.turns.call();
        pending.staging.unmap();
        drop(turn);
        // Else a browser keeps its memory until it collects the handle.
        #[cfg(target_family = "wasm")]
        pending.staging.destroy();
        #[cfg(not(target_family = "wasm"))]
        self.allocator.memory.put_staging(pending.staging.clone());
        Ok(taken)
    }
}

/// The parts of a read; the one behind that which is handed over is under way.
struct Parts<'a, I> {
    transfers: &'a Transfers,
    parts: I,
    /// Bytes of each staging buffer, so that the last part uses one that another did.
    at_least: u64,
    watched: bool,
    begun: Option<PendingRead>,
}

impl<'a, I: Iterator<Item = Bytes<'a>>> Parts<'a, I> {
    fn next(&mut self, unlocked: &mut Unlocked) -> Result<Option<PendingRead>> {
        if self.begun.is_none() {
            self.begun = self.begin(unlocked)?;
        }
        let next = self.begin(unlocked)?;
        Ok(std::mem::replace(&mut self.begun, next))
    }

    fn begin(&mut self, unlocked: &mut Unlocked) -> Result<Option<PendingRead>> {
        let begin = |part| {
            self.transfers
                .begin_part(unlocked, part, self.at_least, self.watched)
        };
        self.parts.next().map(begin).transpose()
    }
}

/// Host memory for the elements that so many bytes hold.
fn room<T: Element>(bytes: usize) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    elements
        .try_reserve_exact(bytes / size_of::<T>())
        .map_err(|_| Error::HostMemory { bytes })?;
    Ok(elements)
}

/// A copy in host memory.
#[cfg(not(target_family = "wasm"))]
fn copied(view: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = room(view.len())?;
    bytes.extend_from_slice(view);
    Ok(bytes)
}
