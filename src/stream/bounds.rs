//! The bounds of a run, and the reasons why no schedule keeps to them.

use crate::error::Error;

/// Bytes of memory that a run needs at least.
pub(super) const LEAST: u64 = 16 << 10;
/// The least bytes for two windows: with fewer, no smaller windows are tried.
const LEAST_BUDGET: u64 = 4096;

/// Why no schedule exists.
pub(super) enum NoSchedule {
    /// The elements of this input, `bytes` in all, lie in another order than the result's.
    Order {
        input: usize,
        bytes: u64,
    },
    /// The memory does not suffice, whatever the inputs' order.
    Memory,
    /// The memory does not suffice for a piece of this reduction, at this column of a text.
    Reduction {
        name: String,
        column: usize,
    },
    /// A value is needed as a whole.
    Whole(Error),
    Other(Error),
}

impl From<Error> for NoSchedule {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// The bounds of a run.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Part `k` of `n`, or everything.
    pub part: Option<(usize, usize)>,
    /// Bytes that the run may hold at a time.
    pub memory: u64,
    /// Bytes of the largest buffer.
    pub largest_buffer: u64,
}

/// Sets aside the needed memory for intermediate results, out of the budget for all else. Returns
/// whether more was set aside, so that pieces must be smaller; `None` if too little is left.
pub(super) fn set_aside(aside: &mut u64, needed: u64, budget: u64) -> Option<bool> {
    if needed <= *aside {
        return Some(false);
    }
    // Intermediate results of smaller pieces are smaller.
    *aside = match needed > budget / 2 {
        true => *aside + budget / 2,
        false => needed,
    };
    (budget >= LEAST_BUDGET).then_some(true)
}
