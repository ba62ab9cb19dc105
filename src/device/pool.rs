//! Freed buffers, kept for the next tensor of their size.

use std::collections::{BTreeMap, VecDeque};

use parking_lot::Mutex;

/// What uses a buffer first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstUse {
    /// The open batch: recorded work keeps its order, so any freed buffer will do.
    Batch,
    /// An upload or the caller's encoder, which may take effect before the open batch: only a
    /// buffer whose last batch was submitted will do.
    Outside,
}

/// A freed buffer and the last batch that used it.
#[derive(Debug)]
pub(super) struct Free {
    pub raw: wgpu::Buffer,
    pub last_batch: u64,
}

/// Bytes up to which buffers are small.
const SMALL: u64 = 16 << 10;
/// Small buffers of a size that take turns before one is used again in the same batch.
const TURNS: usize = 16;

/// Freed buffers by size.
#[derive(Debug)]
pub(super) struct Pool {
    free: Mutex<Shelves>,
    /// The most bytes kept.
    pub bound: u64,
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

    /// A freed buffer of this size. `submitted` is the last batch that was.
    ///
    /// Large ones are taken while they are warm. Small ones take turns, so that the results of
    /// neighbouring calls are in different buffers and one dispatch can write several.
    pub fn take(&self, size: u64, first_use: FirstUse, submitted: u64) -> Option<Free> {
        let mut shelves = self.free.lock();
        let shelf = shelves.by_size.get_mut(&size)?;
        let idle = |f: &Free| f.last_batch <= submitted;
        let outside = first_use == FirstUse::Outside;
        let place = match size <= SMALL {
            true if outside || shelf.len() < TURNS => shelf.iter().position(idle),
            true => Some(0),
            false => shelf.iter().rposition(|f| !outside || idle(f)),
        };
        let found = shelf.remove(place?)?;
        shelves.bytes -= size;
        Some(found)
    }

    /// Keeps a freed buffer. Those that are too many for the bound, it may be among them.
    pub fn put(&self, free: Free) -> Vec<Free> {
        let size = free.raw.size();
        if size > self.bound {
            return vec![free];
        }
        let mut shelves = self.free.lock();
        let mut dropped = Vec::new();
        shelves.bytes += size;
        shelves.by_size.entry(size).or_default().push_back(free);
        while shelves.bytes > self.bound {
            let mut largest_first = shelves.by_size.iter_mut().rev();
            let Some((&largest, shelf)) = largest_first.find(|(_, s)| !s.is_empty()) else {
                break;
            };
            dropped.extend(shelf.pop_front());
            shelves.bytes -= largest;
        }
        dropped
    }

    /// Bytes kept.
    pub fn bytes(&self) -> u64 {
        self.free.lock().bytes
    }

    /// Drops all freed buffers. What was recorded with them is submitted.
    pub fn clear(&self) {
        let shelves = std::mem::take(&mut *self.free.lock());
        // Else a browser keeps their memory until it collects the handles.
        #[cfg(target_family = "wasm")]
        for free in shelves.by_size.values().flatten() {
            free.raw.destroy();
        }
        drop(shelves);
    }
}
