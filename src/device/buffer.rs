//! Buffers that tensors point at: the crate's and the caller's.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use super::memory::Memory;
use super::pool::Free;
use super::turns::{Turn, Turns};

/// A buffer that tensors point at. One that the crate allocated returns to its context's memory
/// when it is dropped.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub raw: wgpu::Buffer,
    /// Bytes of the wgpu buffer.
    pub bytes: u64,
    /// Bytes of elements; what follows them is padding.
    pub used_bytes: u64,
    /// The number of the last batch that uses it.
    last_batch: AtomicU64,
    /// The numbers of the first and the last batch that write what it holds: a result of many
    /// windows may take several.
    first_writer: AtomicU64,
    last_writer: AtomicU64,
    /// Whether the caller may hold it too: it was handed out, or bound in an encoder of the
    /// caller's.
    exported: AtomicBool,
    home: Option<Weak<Memory>>,
    turns: Turns,
    /// That in which `raw` is dropped, which the fields before it are.
    last_turn: Option<Turn>,
}

impl Buffer {
    /// A buffer of the caller, never pooled.
    pub(super) fn foreign(raw: wgpu::Buffer, turns: Turns) -> Self {
        let bytes = raw.size();
        Self {
            raw,
            bytes,
            used_bytes: bytes,
            last_batch: AtomicU64::new(0),
            first_writer: AtomicU64::new(0),
            last_writer: AtomicU64::new(0),
            exported: AtomicBool::new(false),
            home: None,
            turns,
            last_turn: None,
        }
    }

    /// A buffer of the crate with `used` bytes of elements.
    pub(super) fn own(raw: wgpu::Buffer, used: u64, home: &Arc<Memory>) -> Self {
        let mut buffer = Self::foreign(raw, home.turns);
        buffer.used_bytes = used;
        buffer.home = Some(Arc::downgrade(home));
        buffer
    }

    /// A buffer of the crate that was freed before.
    pub(super) fn reused(free: Free, used: u64, home: &Arc<Memory>) -> Self {
        let mut buffer = Self::own(free.raw, used, home);
        buffer.last_batch = AtomicU64::new(free.last_batch);
        buffer
    }

    /// Says that the caller may hold it from now on: it is never reused.
    pub fn export(&self) {
        self.exported.store(true, Ordering::Relaxed);
    }

    /// Whether the caller may hold it too.
    pub fn is_exported(&self) -> bool {
        self.exported.load(Ordering::Relaxed)
    }

    /// Whether other tensors may be on the same wgpu buffer: the caller's, or one that the caller
    /// may hold.
    pub fn is_shared(&self) -> bool {
        !self.is_own() || self.is_exported()
    }

    /// Whether the crate allocated it, so that whole quads may be touched past the last element.
    pub fn is_own(&self) -> bool {
        self.home.is_some()
    }

    /// The last batch that uses it, 0 before any does.
    pub(super) fn last_batch(&self) -> u64 {
        self.last_batch.load(Ordering::Relaxed)
    }

    /// Says that a batch uses it.
    pub(super) fn used_by(&self, batch: u64) {
        self.last_batch.fetch_max(batch, Ordering::Relaxed);
    }

    /// The batches that write what it holds.
    pub(super) fn writers(&self) -> RangeInclusive<u64> {
        let last = self.last_writer.load(Ordering::Relaxed);
        self.first_writer.load(Ordering::Relaxed).min(last)..=last
    }

    /// Says which batches write what it holds.
    pub(super) fn written_by(&self, batches: RangeInclusive<u64>) {
        self.first_writer.store(*batches.start(), Ordering::Relaxed);
        self.last_writer.store(*batches.end(), Ordering::Relaxed);
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        match self.home.as_ref().and_then(Weak::upgrade) {
            Some(home) if !self.is_exported() => {
                self.last_turn = home.put(Free {
                    raw: self.raw.clone(),
                    last_batch: self.last_batch(),
                });
            }
            home => {
                self.last_turn = self.turns.call();
                if let Some(home) = home {
                    home.forget();
                }
            }
        }
    }
}
