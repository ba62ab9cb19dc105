//! What a run may hold, and why there is no schedule that holds less.

use crate::error::Error;

/// Bytes of memory that a run needs at least.
pub(super) const LEAST: u64 = 16 << 10;
/// Bytes for two windows below which no smaller ones are tried.
const LEAST_BUDGET: u64 = 4096;

/// Why there is no schedule.
pub(super) enum NoSchedule {
    /// The elements of this input, so many bytes, lie in another order than the result's.
    Order {
        input: usize,
        bytes: u64,
    },
    /// The memory does not suffice, whatever the inputs' order.
    Memory,
    /// It does not suffice for a piece of this reduction, which comes from this column of a text.
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
    /// Bytes that it may hold at a time.
    pub memory: u64,
    /// Bytes of the largest buffer.
    pub largest_buffer: u64,
}

/// Sets memory aside for intermediate results that need so much, out of the budget for all else;
/// whether that was not done yet, so that pieces must be smaller. `None` if too little is left.
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
