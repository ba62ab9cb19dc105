//! `Memory`: freed buffers, and the bind groups that hold on to buffers.

#[cfg(not(target_family = "wasm"))]
use std::sync::{Arc, OnceLock};

#[cfg(not(target_family = "wasm"))]
use parking_lot::Mutex;

use super::cache::Cache;
use super::gpu::Gpu;
use super::pipeline::{BufferRange, Pipeline};
use super::pool::{FirstUse, Free, Pool};
#[cfg(not(target_family = "wasm"))]
use super::submission::Submission;
use super::turns::{Turn, Turns};
use crate::error::Result;

/// Bind groups kept.
const BIND_GROUPS: usize = 256;
/// Bytes of freed buffers kept, if nothing else is asked for.
const POOL_BYTES: u64 = 256 << 20;
/// Bytes of them that may be staging buffers: so many, and this part of all at most.
const STAGING_BYTES: u64 = 16 << 20;
const STAGING_PART: u64 = 8;
/// Bytes of a staging buffer of uploads.
#[cfg(not(target_family = "wasm"))]
pub(super) const UPLOAD_PART: u64 = 4 << 20;

/// A bind group: the pipeline's number, and what each binding shows.
type BindKey = (u64, Vec<BufferRange>);

/// What a context keeps of its buffers. A kept bind group would hold on to a buffer that was let
/// go, so that all of them go with it.
#[derive(Debug)]
pub(super) struct Memory {
    /// Freed buffers, those of reads left out.
    pub pool: Pool,
    /// Staging buffers of reads that are done.
    staging: Pool,
    /// Those of uploads, oldest first.
    #[cfg(not(target_family = "wasm"))]
    pub uploads: Mutex<Vec<Staged>>,
    pub bind_groups: Cache<BindKey, wgpu::BindGroup>,
    /// What is dropped is destroyed on the device.
    pub turns: Turns,
}

/// A staging buffer of uploads, whose mapping was requested.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug)]
pub(super) struct Staged {
    pub buffer: wgpu::Buffer,
    /// Whether it is mapped, set by the callback of the mapping, which holds it too.
    pub answered: Arc<OnceLock<bool>>,
    /// What copies from it.
    pub submission: Option<Submission>,
}

#[cfg(not(target_family = "wasm"))]
impl Staged {
    /// Whether the mapping has ended: its callback was called, or dropped.
    pub fn is_over(&self) -> bool {
        self.answered.get().is_some() || Arc::strong_count(&self.answered) == 1
    }
}

impl Memory {
    pub fn new(pool_bytes: Option<u64>, turns: Turns) -> Self {
        let bytes = pool_bytes.unwrap_or(POOL_BYTES);
        let staging = (bytes / STAGING_PART).min(STAGING_BYTES);
        Self {
            pool: Pool::new(bytes - staging),
            staging: Pool::new(staging),
            #[cfg(not(target_family = "wasm"))]
            uploads: Mutex::default(),
            bind_groups: Cache::of_device(BIND_GROUPS, turns),
            turns,
        }
    }

    /// Keeps a buffer that was freed. The turn in which others were let go for it, or it itself.
    pub fn put(&self, free: Free) -> Option<Turn> {
        let dropped = self.pool.put(free);
        if dropped.is_empty() {
            return None;
        }
        let turn = self.turns.call();
        drop(dropped);
        self.bind_groups.clear();
        turn
    }

    /// The size of a staging buffer for so many bytes: one of few if it is kept afterwards.
    pub fn staging_size(&self, bytes: u64) -> u64 {
        let size = Pool::size(bytes);
        if size <= self.staging.bound {
            size
        } else {
            bytes
        }
    }

    /// A staging buffer of this size that no read uses.
    pub fn take_staging(&self, size: u64) -> Option<wgpu::Buffer> {
        let free = self.staging.take(size, FirstUse::Batch, 0);
        free.map(|free| free.raw)
    }

    /// Keeps a staging buffer, which is not mapped.
    #[cfg(not(target_family = "wasm"))]
    pub fn put_staging(&self, raw: wgpu::Buffer) {
        let dropped = self.staging.put(Free { raw, last_batch: 0 });
        let _turn = (!dropped.is_empty()).then(|| self.turns.call());
        drop(dropped);
        self.put_upload(None);
    }

    /// Keeps a staging buffer of uploads, and lets go of those that are free beyond what may be kept.
    #[cfg(not(target_family = "wasm"))]
    pub fn put_upload(&self, staging: Option<Staged>) {
        let mut left = self.staging.bound / UPLOAD_PART;
        let mut uploads = self.uploads.lock();
        uploads.extend(staging);
        let is_excess = |staged: &mut Staged| {
            let free = staged.is_over();
            let excess = free && left == 0;
            left = left.saturating_sub(free.into());
            excess
        };
        let dropped: Vec<Staged> = uploads.extract_if(.., is_excess).collect();
        drop(uploads);
        let _turn = (!dropped.is_empty()).then(|| self.turns.call());
        drop(dropped);
    }

    /// The last submission of an upload that may be in flight.
    #[cfg(not(target_family = "wasm"))]
    pub fn last_upload(&self) -> Option<Submission> {
        let uploads = self.uploads.lock();
        uploads.iter().rev().find_map(|s| s.submission.clone())
    }

    /// Lets go of a freed buffer that the caller may hold.
    pub fn forget(&self) {
        let _turn = self.turns.call();
        self.bind_groups.clear();
    }

    /// A bind group of this crate's buffers, kept for the next time.
    pub fn bind_group(
        &self,
        gpu: &Gpu,
        pipeline: &Pipeline,
        ranges: &[BufferRange],
    ) -> Result<wgpu::BindGroup> {
        let key = (pipeline.number, ranges.to_vec());
        self.bind_groups
            .get(&key, || pipeline.bind_group(gpu, ranges))
    }

    /// Drops all that is kept.
    pub fn clear(&self) {
        let _turn = self.turns.call();
        self.pool.clear();
        self.staging.clear();
        #[cfg(not(target_family = "wasm"))]
        let uploads = std::mem::take(&mut *self.uploads.lock());
        #[cfg(not(target_family = "wasm"))]
        drop(uploads);
        self.bind_groups.clear();
    }
}
