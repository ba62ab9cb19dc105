//! Results that are computed window by window, and what a pass does for a window.

use super::operand::Target;
use crate::shape::Shape;

/// What a pass does for the windows of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// It computes the window.
    Compute,
    /// It gathers an input's elements for the window.
    Gather,
    /// It moves the window's elements from an intermediate result to where they begin inside a
    /// word.
    Move,
}

/// The window that a pass works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The group's number in the plan.
    pub group: usize,
    /// The window's number in the group.
    pub number: usize,
    /// The number of its first element in the result.
    pub first: usize,
    pub role: Role,
}

/// A part of a group's result that is one window or several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The group's number in the plan.
    pub group: usize,
    /// The number of its first element in the result.
    pub first: usize,
}

/// The windows of one result, or the pieces that are written to it one by one: what they would be as
/// one pass.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub shape: Shape,
    pub windows: usize,
    /// Where the windows are written.
    pub target: Target,
}
