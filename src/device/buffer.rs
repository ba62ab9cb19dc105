//! Buffers of the crate and of the caller, and the pool that freed ones go to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, Weak};

use super::context::Inner;

/// A buffer that tensors point at. One that the crate allocated returns to the pool of its context
/// when it is dropped.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub raw: wgpu::Buffer,
    /// Bytes of the wgpu buffer.
    pub bytes: u64,
    /// Bytes of elements; what follows them is padding.
    pub used: u64,
    /// The number of the last batch that uses it.
    pub last_batch: AtomicU64,
    /// The numbers of the first and the last batch that write what it holds: a result of many
    /// windows may take several.
    pub begun: AtomicU64,
    pub written: AtomicU64,
    /// Whether the caller may hold it too: it was handed out, or bound in an encoder of the
    /// caller's.
    exported: AtomicBool,
    home: Option<Weak<Inner>>,
}

impl Buffer {
    /// A buffer of the caller, never pooled.
    pub fn foreign(raw: wgpu::Buffer) -> Self {
        let bytes = raw.size();
        Self {
            raw,
            bytes,
            used: bytes,
            last_batch: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            written: AtomicU64::new(0),
            exported: AtomicBool::new(false),
            home: None,
        }
    }

    /// A buffer of the crate.
    pub fn pooled(raw: wgpu::Buffer, used: u64, home: Weak<Inner>) -> Self {
        let mut buffer = Self::foreign(raw);
        buffer.used = used;
        buffer.home = Some(home);
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
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(home) = self.home.as_ref().and_then(Weak::upgrade) {
            if self.exported.load(Ordering::Relaxed) {
                home.bind_groups.clear();
                return;
            }
            let free = Free {
                raw: self.raw.clone(),
                last_batch: self.last_batch.load(Ordering::Relaxed),
            };
            if home.pool.put(free) {
                // A kept bind group would hold on to what the pool let go.
                home.bind_groups.clear();
            }
        }
    }
}

/// A freed buffer and the last batch that used it.
#[derive(Debug)]
pub(crate) struct Free {
    pub raw: wgpu::Buffer,
    pub last_batch: u64,
}

/// Bytes up to which buffers are small.
const SMALL: u64 = 16 << 10;
/// Small buffers of a size that take turns before one is used again in the same batch.
const TURNS: usize = 16;

/// Freed buffers by size, at most `bound` bytes in all.
///
/// A kernel recorded later may write a freed buffer at once, since recorded work keeps its order.
/// An upload takes effect before everything still being recorded, so it may only have a buffer
/// whose last batch was submitted.
#[derive(Debug)]
pub(crate) struct Pool {
    free: Mutex<Shelves>,
    bound: u64,
}

#[derive(Debug, Default)]
struct Shelves {
    /// The buffers of each size, what was freed first in front.
    by_size: BTreeMap<u64, VecDeque<Free>>,
    bytes: u64,
}

impl Pool {
    pub fn new(bound: u64) -> Self {
        Self {
            free: Mutex::default(),
            bound,
        }
    }

    /// The size a buffer for this many bytes is allocated with: whole quads of the widest type, in
    /// few sizes, so that freed buffers fit again.
    pub fn size(bytes: u64) -> u64 {
        let bytes = bytes.max(256);
        let step = (bytes.next_power_of_two() / 16).max(256);
        bytes.next_multiple_of(step)
    }

    /// A freed buffer of this size. `submitted` is the last batch that was; `upload`: only one that
    /// no later batch uses.
    ///
    /// Large ones are taken while they are warm. Small ones take turns, so that the results of
    /// neighbouring calls are in different buffers and one dispatch can write several.
    pub fn take(&self, size: u64, submitted: u64, upload: bool) -> Option<Free> {
        let mut shelves = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let shelf = shelves.by_size.get_mut(&size)?;
        let settled = |f: &Free| f.last_batch <= submitted;
        let place = match size <= SMALL {
            true if upload || shelf.len() < TURNS => shelf.iter().position(settled),
            true => Some(0),
            false => shelf.iter().rposition(|f| !upload || settled(f)),
        };
        let found = shelf.remove(place?)?;
        shelves.bytes -= size;
        Some(found)
    }

    /// Keeps a freed buffer, dropping others where the bound is passed; whether any was dropped.
    pub fn put(&self, free: Free) -> bool {
        let size = free.raw.size();
        if size > self.bound {
            return true;
        }
        let mut shelves = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut dropped = false;
        shelves.bytes += size;
        shelves.by_size.entry(size).or_default().push_back(free);
        while shelves.bytes > self.bound {
            let Some((&largest, shelf)) = shelves
                .by_size
                .iter_mut()
                .rev()
                .find(|(_, s)| !s.is_empty())
            else {
                break;
            };
            shelf.pop_front();
            shelves.bytes -= largest;
            dropped = true;
        }
        dropped
    }

    /// Bytes kept.
    pub fn bytes(&self) -> u64 {
        self.free
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .bytes
    }

    /// Drops all freed buffers.
    pub fn clear(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) = Shelves::default();
    }
}
