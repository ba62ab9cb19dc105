//! Lock rules as types.

/// Shows that a call of the crate holds no lock.
///
/// wgpu runs callbacks of the caller's when a device is polled, and they may use the context. So
/// whatever polls or waits takes a `&Unlocked`, and whoever locks the order of submissions or the
/// open batch borrows it mutably for as long as the guard lives: to wait under a lock does not
/// compile. The order of the two locks is the order of their borrows, see `Queue`.
///
/// Every other lock is private to one type. None of its guards leaves a method, and no method polls
/// while it has one.
#[derive(Debug)]
pub(crate) struct Unlocked(());

impl Unlocked {
    /// For a call that begins: one of the public functions, be it in a callback inside the
    /// submission of an outer call, or a thread of the crate's own.
    pub(super) fn at_entry() -> Self {
        Self(())
    }
}
