//! The names of schedules.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// A way to divide the quads of a pass among invocations. A quad is four neighbouring elements of
/// the output; on GPUs it may be 16 bytes of narrower or wider elements instead.
///
/// ```
/// use zerostride::ScheduleName;
///
/// let name: ScheduleName = "sections".parse()?;
/// assert_eq!(name, ScheduleName::Sections);
/// # Ok::<(), zerostride::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScheduleName {
    /// One quad an invocation.
    One,
    /// Quads beside one another.
    Beside,
    /// A quad of each of several neighbours along the second axis from the innermost.
    Down,
    /// Quads beside one another of each of several such neighbours.
    Both,
    /// A quad of each of several neighbours along two outer axes.
    Cross,
    /// The same quad of each of several equal sections of the outermost axis.
    Sections,
    /// The same quad of each of several short neighbouring blocks of the outermost axis.
    Blocks,
    /// Tiles of 4 x 4 elements, transposed in registers.
    Tile,
    /// Tiles of 64 x 64 elements a workgroup, transposed through its memory.
    Staged,
    /// In reductions and scans: one invocation computes a row, or four columns beside one another.
    Alone,
    /// In reductions and scans: several invocations share a row. Each folds several lanes, or scans a group of elements.
    Shared,
    /// In reductions: each lane of a row has an invocation.
    Lanes,
    /// In reductions: each lane of each group of a part of a row has an invocation.
    Groups,
    /// In reductions: an invocation loads a row again in each stage and does not hold it.
    Again,
}

impl ScheduleName {
    /// All names.
    pub const ALL: &'static [Self] = &[
        Self::One,
        Self::Beside,
        Self::Down,
        Self::Both,
        Self::Cross,
        Self::Sections,
        Self::Blocks,
        Self::Tile,
        Self::Staged,
        Self::Alone,
        Self::Shared,
        Self::Lanes,
        Self::Groups,
        Self::Again,
    ];
}

impl fmt::Display for ScheduleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}").to_ascii_lowercase())
    }
}

impl FromStr for ScheduleName {
    type Err = Error;

    /// Reads a name as [`Display`](fmt::Display) writes it.
    ///
    /// # Errors
    /// [`Error::Argument`] for any other text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let named = |name: &&Self| name.to_string() == text;
        Self::ALL.iter().find(named).copied().ok_or_else(|| {
            let names: Vec<String> = Self::ALL.iter().map(Self::to_string).collect();
            let reason = format!("{text:?} is not one of {}", names.join(", "));
            Error::argument("schedule", reason)
        })
    }
}
