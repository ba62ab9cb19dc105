//! Uploads and read-back.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_intrusive::channel::shared::oneshot_channel;

use super::buffer::Buffer;
use super::context::Context;
use crate::error::{Error, Result};

/// Bytes written in one upload, which bounds the staging memory wgpu allocates for it.
const UPLOAD_CHUNK: usize = 64 << 20;

/// Bytes uploaded after which their staging memory is given back.
const MAX_STAGED: u64 = 256 << 20;

/// What a map callback hands over: the outcome of the mapping.
type Mapped = futures_intrusive::channel::shared::OneshotReceiver<Result<(), wgpu::BufferAsyncError>>;

/// A read that is submitted and not yet finished.
pub(crate) struct Pending {
    staging: wgpu::Buffer,
    mapped: Mapped,
    bytes: usize,
    skip: usize,
    /// The submission that it waits for.
    #[cfg(feature = "npy")]
    submission: Option<wgpu::SubmissionIndex>,
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
            self.scoped("write_buffer", || self.0.queue.write_buffer(&buffer.raw, start, chunk))
                .map_err(|e| e.sized("the staging memory of an upload", chunk.len() as u64))?;
            // wgpu keeps staging memory for every upload until something is submitted.
            let staged = chunk.len() as u64 + self.0.uploaded.fetch_add(chunk.len() as u64, Ordering::Relaxed);
            if staged >= MAX_STAGED {
                self.0.uploaded.store(0, Ordering::Relaxed);
                self.flush()?;
                self.scoped("submit", || self.0.queue.submit([]))?;
            }
        }
        Ok(buffer)
    }

    /// Submits all recorded work and a copy of a range of a buffer to a buffer that the host can map.
    ///
    /// `watched`: the helper thread polls until the callback came.
    pub(crate) fn begin_read(&self, buffer: &Arc<Buffer>, start: u64, bytes: usize, watched: bool) -> Result<Pending> {
        self.check()?;
        self.0.recorder.check(std::iter::once(&**buffer))?;
        let skip = (start % 4) as usize;
        let from = start - skip as u64;
        let size = ((skip + bytes) as u64).next_multiple_of(4);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.create_buffer("the staging buffer of a read", size, usage)?;
        let mut batch = self.0.recorder.lock();
        self.close(&mut batch)?;
        batch.encoder(&self.0.device).copy_buffer_to_buffer(&buffer.raw, from, &staging, 0, size);
        buffer.last_batch.fetch_max(batch.number, Ordering::Relaxed);
        drop(batch);
        self.submit()?;
        self.0.recorder.check(std::iter::once(&**buffer))?;
        let (send, mapped) = oneshot_channel();
        let watch = watched.then(|| self.0.poller.watch(&self.0.device));
        self.scoped("map_async", || {
            staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
                // Nobody listens where the read was dropped.
                let _ = send.send(outcome);
                drop(watch);
            });
        })?;
        Ok(Pending {
            staging,
            mapped,
            bytes,
            skip,
            #[cfg(feature = "npy")]
            submission: self.0.recorder.last_submission(),
        })
    }

    /// Bytes of a buffer, after all work recorded before. Under any executor.
    pub(crate) async fn read(&self, buffer: &Arc<Buffer>, start: u64, bytes: usize) -> Result<Vec<u8>> {
        if bytes == 0 {
            self.check()?;
            return Ok(Vec::new());
        }
        let pending = self.begin_read(buffer, start, bytes, true)?;
        if !self.0.poller.started() {
            // No thread could be started to poll: wait here.
            let _ = self.0.device.poll(wgpu::PollType::wait_indefinitely());
        }
        let outcome = pending.mapped.receive().await;
        self.mapped(&pending, outcome, copied)?
    }

    /// [`read`](Self::read), polling on this thread.
    pub(crate) fn read_blocking(&self, buffer: &Arc<Buffer>, start: u64, bytes: usize) -> Result<Vec<u8>> {
        if bytes == 0 {
            self.check()?;
            return Ok(Vec::new());
        }
        let pending = self.begin_read(buffer, start, bytes, false)?;
        let _ = self.0.device.poll(wgpu::PollType::wait_indefinitely());
        let outcome = pollster::block_on(pending.mapped.receive());
        self.mapped(&pending, outcome, copied)?
    }

    /// Waits for a read on this thread, not for what was submitted after it, and hands its bytes over.
    #[cfg(feature = "npy")]
    pub(crate) fn finish_pending<T>(&self, pending: &Pending, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let _ =
            self.0.device.poll(wgpu::PollType::Wait { submission_index: pending.submission.clone(), timeout: None });
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
        let failed = |reason: String| Error::Wgpu { what: "map_async", reason };
        match outcome {
            Some(Ok(())) => {}
            Some(Err(e)) => {
                self.check()?;
                return Err(failed(e.to_string()));
            }
            None => {
                self.check()?;
                return Err(failed("the callback was dropped".into()));
            }
        }
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
    bytes.try_reserve_exact(view.len()).map_err(|_| Error::HostMemory { bytes: view.len() })?;
    bytes.extend_from_slice(view);
    Ok(bytes)
}
