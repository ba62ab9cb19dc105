//! What a run tells its caller, and what stops it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of the output that are written.
    pub written: u64,
    /// Bytes that will be.
    pub total: u64,
    /// Windows that are written, and pieces of reductions that are computed before them.
    pub done: usize,
    /// How many there are in all.
    pub steps: usize,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Windows of the result computed.
    pub windows: usize,
    /// Pieces of reductions computed before.
    pub pieces: usize,
    /// Bytes read from inputs.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// The parts, from 0, that are still missing. If there is none the output is complete. `None`
    /// if all of it was computed.
    pub missing: Option<Vec<usize>>,
    /// Whether parts are shares of a reduction, which are joined when all are there. The output is
    /// written then and not before.
    pub is_shared: bool,
}

/// Who hears of a run, and what stops it.
#[derive(Clone, Copy, Default)]
pub(super) struct Caller<'a> {
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    pub stop: Option<&'a AtomicBool>,
}

impl Caller<'_> {
    /// Whether to go on.
    pub fn check(&self) -> Result<()> {
        match self.stop {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::Interrupted { what: "stream" })
            }
            _ => Ok(()),
        }
    }
}
