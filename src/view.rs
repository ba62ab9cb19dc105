//! Views as maps from the indices of a view to the elements of the viewed tensor.
//!
//! Every view, and every alignment of a rule, is one affine [`Map`]: index `a` of the source is
//! `start + step * index[from]` of the view, or the constant `start`. Maps compose, so a view of a
//! view, a broadcast of a slice, or a slice of a whole sub-expression is again one map, and no copy
//! is needed.

mod axes;
mod indices;
mod map;
#[cfg(test)]
mod tests;

pub(crate) use axes::axis_among;
pub use indices::Indices;
pub use map::{AxisMap, Map};

use crate::error::{Error, Result};
use crate::shape::Shape;

/// One item of a basic index, as in `x[i, a:b:c, None, ...]`. Numbers and ranges convert to items:
/// see [`Indices`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Index {
    /// One position, which drops the axis; negative positions count from the end.
    At(isize),
    /// `start:stop:step` with NumPy's defaults, clamping and negative values.
    Range(Option<isize>, Option<isize>, isize),
    /// A new axis of extent 1.
    NewAxis,
    /// `...`: all remaining axes, whole.
    Ellipsis,
}

impl Index {
    /// `:`
    pub const ALL: Self = Self::Range(None, None, 1);
}

/// A view, described without the shape of its source.
///
/// ```
/// use zerostride::{Index, Layout, View};
///
/// // x[::-1, None] of a tensor of shape [3].
/// let view = View::Slice(vec![Index::Range(None, None, -1), Index::NewAxis]);
/// let seen = Layout::contiguous([3])?.view(&view)?;
/// assert_eq!(seen.shape().extents(), [3, 1]);
/// // Along the source's only axis, index i of the view stands for 2 - i.
/// assert_eq!((seen.offset(), seen.strides()[0]), (2, -1));
/// # Ok::<(), zerostride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum View {
    /// Axis `i` of the view is axis `axes[i]` of the source.
    Permute(Vec<usize>),
    /// All axes in reverse order, NumPy's `.T`.
    Transpose,
    /// Basic indexing.
    Slice(Vec<Index>),
    /// Inserts axes of extent 1 at these places of the view; negative places count from the end.
    Unsqueeze(Vec<isize>),
    /// Drops these axes, whose extents must be 1, or with `None` all axes of extent 1; negative
    /// axes count from the end.
    Squeeze(Option<Vec<isize>>),
    /// Reverses these axes, or with `None` all axes; negative axes count from the end.
    Flip(Option<Vec<isize>>),
    /// Exchanges two axes; negative axes count from the end.
    SwapAxes(isize, isize),
    /// Moves axis `from[i]` of the source to place `to[i]` of the view; the other axes keep their
    /// order. Negative numbers count from the end.
    MoveAxis {
        /// Axes of the source.
        from: Vec<isize>,
        /// Their places in the view.
        to: Vec<isize>,
    },
    /// Rotates by quarter turns from the first axis towards the second; negative axes count from
    /// the end.
    Rot90 {
        /// Quarter turns; negative numbers turn back.
        turns: isize,
        /// The plane that is turned.
        axes: [isize; 2],
    },
}

impl View {
    /// The map of this view of a tensor of shape `source`.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] if the view does not fit the shape.
    #[doc(hidden)]
    pub fn map(&self, source: &Shape) -> Result<Map> {
        source.len()?;
        let map = self.mapped(source)?;
        if map.shape.rank() > MAX_RANK.max(source.rank()) {
            return Err(Error::View {
                view: "newaxis",
                shape: source.clone(),
                reason: format!("a view has at most {MAX_RANK} axes"),
            });
        }
        Ok(map)
    }

    fn mapped(&self, source: &Shape) -> Result<Map> {
        match self {
            Self::Permute(axes) => axes::permute(source, axes),
            Self::Transpose => axes::permute(source, &(0..source.rank()).rev().collect::<Vec<_>>()),
            Self::Slice(items) => slice(source, items),
            Self::Unsqueeze(places) => axes::unsqueeze(source, places),
            Self::Squeeze(dropped) => axes::squeeze(source, dropped.as_deref()),
            Self::Flip(flipped) => axes::flip("flip", source, flipped.as_deref()),
            Self::SwapAxes(a, b) => axes::swap("swapaxes", source, *a, *b),
            Self::MoveAxis { from, to } => axes::move_axes(source, from, to),
            Self::Rot90 { turns, axes } => axes::rot90(source, *turns, *axes),
        }
    }
}

/// The most axes of a view, unless its source has more: a chain of views keeps the shape of each.
const MAX_RANK: usize = 1024;

fn slice(source: &Shape, items: &[Index]) -> Result<Map> {
    let fail = |reason: String| Error::View {
        view: "slice",
        shape: source.clone(),
        reason,
    };
    let used = items
        .iter()
        .filter(|i| matches!(i, Index::At(_) | Index::Range(..)))
        .count();
    let ellipses = items
        .iter()
        .filter(|i| matches!(i, Index::Ellipsis))
        .count();
    if ellipses > 1 {
        return Err(fail("an index may have one `...` at most".into()));
    }
    let rest = source.rank().checked_sub(used).ok_or_else(|| {
        fail(format!(
            "{used} indices were given for {} axes",
            source.rank()
        ))
    })?;

    let mut extents = Vec::new();
    let mut axes = Vec::new();
    let whole = |count: usize, extents: &mut Vec<usize>, axes: &mut Vec<AxisMap>| {
        for _ in 0..count {
            axes.push(AxisMap::same(extents.len()));
            extents.push(source.extents()[axes.len() - 1]);
        }
    };
    for item in items {
        match *item {
            Index::NewAxis => extents.push(1),
            Index::Ellipsis => whole(rest, &mut extents, &mut axes),
            Index::At(i) => {
                let extent = source.extents()[axes.len()];
                let at = if i < 0 {
                    extent.checked_add_signed(i)
                } else {
                    Some(i.unsigned_abs())
                };
                let start = at.filter(|&at| at < extent).ok_or_else(|| {
                    fail(format!(
                        "index {i} is out of range for axis {} of extent {extent}",
                        axes.len()
                    ))
                })?;
                axes.push(AxisMap {
                    from: None,
                    step: 0,
                    start,
                });
            }
            Index::Range(start, stop, step) => {
                if step == 0 {
                    return Err(fail(format!(
                        "the step along axis {} must not be 0",
                        axes.len()
                    )));
                }
                let (first, count) = range(source.extents()[axes.len()], start, stop, step);
                axes.push(AxisMap {
                    from: Some(extents.len()),
                    step,
                    start: first,
                });
                extents.push(count);
            }
        }
    }
    if ellipses == 0 {
        whole(rest, &mut extents, &mut axes);
    }
    Ok(Map {
        shape: extents.into(),
        axes,
    })
}

/// Resolves `start:stop:step` over an extent as NumPy does: the first position and the count.
fn range(extent: usize, start: Option<isize>, stop: Option<isize>, step: isize) -> (usize, usize) {
    let n = extent.cast_signed();
    // Positions are clamped to 0..=n going up and to -1..=n-1 going down.
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let clamp = |i: isize| (if i < 0 { i.saturating_add(n) } else { i }).clamp(low, high);
    let first = start.map_or(if step > 0 { low } else { high }, clamp);
    let end = stop.map_or(if step > 0 { high } else { low }, clamp);
    let span = if step > 0 { end - first } else { first - end };
    if span <= 0 {
        return (0, 0);
    }
    let count = (span.unsigned_abs() - 1) / step.unsigned_abs() + 1;
    (first.unsigned_abs(), count)
}
