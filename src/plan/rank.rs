//! The ranks that kernels are unrolled for.

/// Canonical ranks up to this are unrolled in the kernel; above, it loops.
pub(crate) const MAX_UNROLLED: usize = 8;

/// The rank a kernel is unrolled for, or `None` for the kernel of any rank.
pub(crate) fn unrolled(rank: usize) -> Option<usize> {
    (rank <= MAX_UNROLLED).then_some(rank)
}
