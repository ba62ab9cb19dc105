//! The progress and the report of a run, and the flag that stops it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the output that are written so far.
    pub written: u64,
    /// Bytes of the output in all.
    pub total: u64,
    /// Windows that are written, and pieces of reductions that are computed, so far.
    pub done: usize,
    /// Windows and pieces in all.
    pub steps: usize,
}

/// The work that a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Windows of the result that were computed.
    pub windows: usize,
    /// Pieces of reductions that were computed before them.
    pub pieces: usize,
    /// Bytes read from inputs.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// The parts, from 0, that are still missing; the output is complete if this is empty. `None`
    /// if the run computed the whole result.
    pub missing: Option<Vec<usize>>,
    /// Whether parts are partial results of a reduction: the output is written when all are there,
    /// and not before.
    pub is_shared: bool,
}

/// The caller's function for progress and flag to stop.
#[derive(Clone, Copy, Default)]
pub(super) struct Caller<'a> {
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    pub stop: Option<&'a AtomicBool>,
}

impl Caller<'_> {
    /// Refuses to go on if the flag is set.
    pub fn check(&self) -> Result<()> {
        match self.stop {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::Interrupted { what: "stream" })
            }
            _ => Ok(()),
        }
    }
}
