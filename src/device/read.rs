//! Uploads and read-back.

use std::sync::{Arc, Mutex, PoisonError};

use futures_intrusive::channel::shared::oneshot_channel;

use super::buffer::Buffer;
use super::context::Context;
use super::poller::Answer;
use super::submission::Submission;
use crate::error::{Error, Result};

/// Bytes written in one upload, which bounds the staging memory wgpu allocates for it.
const UPLOAD_CHUNK: usize = 64 << 20;

/// What a map callback hands over: the outcome of the mapping.
type Mapped =
    futures_intrusive::channel::shared::OneshotReceiver<Result<(), wgpu::BufferAsyncError>>;

/// A read that is submitted and not yet finished.
pub(crate) struct Pending {
    staging: wgpu::Buffer,
    mapped: Mapped,
    /// Where the callback leaves its outcome for `mapped`.
    answer: Answer,
    bytes: usize,
    skip: usize,
    /// The submission that it waits for.
    submission: Option<Submission>,
    /// Whether the helper thread waits for it.
    watched: bool,
}

impl Context {
    /// A buffer that holds these bytes; what follows them is not defined.
    pub(crate) fn upload(&self, bytes: &[u8]) -> Result<Buffer> {
        self.check()?;
        let buffer = self.allocate(bytes.len() as u64, true)?;
        let whole = bytes.len() / 4 * 4;
        let mut last = [0u8; 4];
        last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        let chunks = bytes[..whole].chunks(UPLOAD_CHUNK);
        let last = (whole < bytes.len()).then_some(&last[..]);
        for (n, chunk) in chunks.chain(last).enumerate() {
            let start = (n * UPLOAD_CHUNK).min(whole) as u64;
            self.scoped("write_buffer", || {
                self.0.queue.write_buffer(&buffer.raw, start, chunk)
            })
            .map_err(|e| e.sized("the staging memory of an upload", chunk.len() as u64))?;
            if self.0.recorder.stage(chunk.len() as u64) {
                self.submit()?;
            }
        }
        Ok(buffer)
    }

    /// Submits all recorded work and a copy of a range of a buffer to a buffer that the host can
    /// map.
    ///
    /// `watched`: the helper thread polls until the callback came, where it can.
    pub(crate) fn begin_read(
        &self,
        buffer: &Arc<Buffer>,
        start: u64,
        bytes: usize,
        watched: bool,
    ) -> Result<Pending> {
        self.check()?;
        self.0.recorder.check(std::iter::once(&**buffer))?;
        let skip = (start % 4) as usize;
        let from = start - skip as u64;
        let size = ((skip + bytes) as u64).next_multiple_of(4);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.create_buffer("the staging buffer of a read", size, usage)?;
        let mut batch = self.0.recorder.lock();
        self.close(&mut batch)?;
        batch
            .encoder(&self.0.device)
            .copy_buffer_to_buffer(&buffer.raw, from, &staging, 0, size);
        self.0.recorder.used(buffer, batch.number);
        drop(batch);
        self.submit()?;
        self.0.recorder.check(std::iter::once(&**buffer))?;
        let submission = self.0.recorder.last_submission();
        let (send, mapped) = oneshot_channel();
        let answer: Answer = Arc::new(Mutex::new(Some(send)));
        let watch = submission
            .as_ref()
            .filter(|_| watched)
            .and_then(|s| self.0.poller.watch(&self.0.waiter, s, &answer));
        let (watched, kept) = (watch.is_some(), Arc::clone(&answer));
        self.scoped("map_async", || {
            staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
                let send = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(send) = send {
                    // Nobody listens where the read was dropped.
                    let _ = send.send(outcome);
                }
                drop(watch);
            });
        })?;
        Ok(Pending {
            staging,
            mapped,
            answer: kept,
            bytes,
            skip,
            submission,
            watched,
        })
    }

    /// Bytes of a buffer, after all work recorded before. Under any executor.
    pub(crate) async fn read(
        &self,
        buffer: &Arc<Buffer>,
        start: u64,
        bytes: usize,
    ) -> Result<Vec<u8>> {
        if bytes == 0 {
            self.check()?;
            return Ok(Vec::new());
        }
        let pending = self.begin_read(buffer, start, bytes, true)?;
        if !pending.watched {
            self.wait_for(&pending);
        }
        let outcome = pending.mapped.receive().await;
        self.mapped(&pending, outcome, copied)?
    }

    /// [`read`](Self::read), polling on this thread.
    pub(crate) fn read_blocking(
        &self,
        buffer: &Arc<Buffer>,
        start: u64,
        bytes: usize,
    ) -> Result<Vec<u8>> {
        if bytes == 0 {
            self.check()?;
            return Ok(Vec::new());
        }
        let pending = self.begin_read(buffer, start, bytes, false)?;
        self.finish_pending(&pending, copied)?
    }

    /// Waits until the device has done the work of a read. Where it gives up, the read ends without
    /// an answer.
    fn wait_for(&self, pending: &Pending) {
        if pending
            .submission
            .as_ref()
            .is_some_and(|submission| !self.0.waiter.wait(submission))
        {
            let answer = pending
                .answer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            drop(answer);
        }
    }

    /// Waits for a read on this thread, not for what was submitted after it, and hands its bytes
    /// over.
    pub(crate) fn finish_pending<T>(
        &self,
        pending: &Pending,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        self.wait_for(pending);
        let outcome = pollster::block_on(pending.mapped.receive());
        self.mapped(pending, outcome, take)
    }

    /// Hands the bytes of a mapping over.
    fn mapped<T>(
        &self,
        pending: &Pending,
        outcome: Option<Result<(), wgpu::BufferAsyncError>>,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        let failed = |reason: String| Error::Wgpu {
            what: "map_async",
            reason,
        };
        if let Some(Err(e)) = outcome {
            self.check()?;
            return Err(failed(e.to_string()));
        }
        // Where another callback panicked, wgpu may have mapped the buffer and dropped this
        // callback without a call.
        let view = match pending.staging.get_mapped_range(..) {
            Ok(view) => view,
            Err(e) => {
                self.check()?;
                return Err(failed(e.to_string()));
            }
        };
        let taken = take(&view[pending.skip..pending.skip + pending.bytes]);
        drop(view);
        pending.staging.unmap();
        Ok(taken)
    }
}

/// A copy in host memory.
fn copied(view: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(view.len())
        .map_err(|_| Error::HostMemory { bytes: view.len() })?;
    bytes.extend_from_slice(view);
    Ok(bytes)
}
