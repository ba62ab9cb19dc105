//! Views as index maps: which element of the viewed tensor each index of the view stands for.
//!
//! Every view, and every alignment of a rule, is one affine [`Map`]: index `a` of the source is
//! `start + step * index[from]` of the view, or the constant `start`. Maps compose, so a view of a view, a
//! broadcast of a slice, or a slice of a whole sub-expression is again one map, and no copy is needed.

use crate::error::{Error, Result};
use crate::shape::Shape;

/// Where the index along one source axis comes from: `start + step * index[from]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AxisMap {
    /// The axis of the view, or `None` where the source index is the constant `start`.
    pub from: Option<usize>,
    /// Source elements a step along `from` moves.
    pub step: isize,
    /// The source index at the view's index 0.
    pub start: usize,
}

impl AxisMap {
    /// The source index 0 for every index of the view: a broadcast or dropped axis.
    pub const FIXED: Self = Self { from: None, step: 0, start: 0 };

    /// The same index as the view's along `axis`.
    pub const fn same(axis: usize) -> Self {
        Self { from: Some(axis), step: 1, start: 0 }
    }
}

/// An affine map from the indices of a view, of shape `shape`, to the indices of its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The shape of the view.
    pub shape: Shape,
    /// One entry a source axis.
    pub axes: Vec<AxisMap>,
}

impl Map {
    /// The view that is its source.
    pub fn identity(shape: &Shape) -> Self {
        Self { shape: shape.clone(), axes: (0..shape.rank()).map(AxisMap::same).collect() }
    }

    /// The view `self` of the view `inner`: first `self`, then `inner`.
    ///
    /// Law: looking up an index through `outer.then(inner)` equals looking it up through `outer`, then `inner`.
    pub fn then(&self, inner: &Self) -> Self {
        let axes = inner.axes.iter().map(|a| match a.from {
            None => *a,
            Some(from) => {
                let outer = self.axes[from];
                let start = a.start.wrapping_add_signed(a.step.wrapping_mul(outer.start.cast_signed()));
                AxisMap {
                    from: outer.from,
                    step: if outer.from.is_some() { a.step.wrapping_mul(outer.step) } else { 0 },
                    start,
                }
            }
        });
        Self { shape: self.shape.clone(), axes: axes.collect() }
    }
}

/// One item of a basic index, as in `x[i, a:b:c, None, ...]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// One position, which drops the axis; negative counts from the end.
    At(isize),
    /// `start:stop:step` with NumPy's defaults, clamping and negative values.
    Range(Option<isize>, Option<isize>, isize),
    /// A new axis of extent 1.
    NewAxis,
    /// `...`: as many whole axes as are left.
    Ellipsis,
}

impl Index {
    /// `:`
    pub const ALL: Self = Self::Range(None, None, 1);
}

/// A view, described without the shape it will be taken of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Axis `i` of the view is axis `axes[i]` of the source.
    Permute(Vec<usize>),
    /// All axes in reverse order, NumPy's `.T`.
    Transpose,
    /// Basic indexing.
    Slice(Vec<Index>),
    /// A new axis of extent 1 at this place of the view; negative counts from the end.
    Unsqueeze(isize),
    /// Drops this axis, whose extent must be 1; negative counts from the end.
    Squeeze(isize),
}

impl View {
    /// The map of this view of a tensor of shape `source`.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] where it does not fit the shape.
    pub fn map(&self, source: &Shape) -> Result<Map> {
        source.len()?;
        match self {
            Self::Permute(axes) => permute(source, axes),
            Self::Transpose => permute(source, &(0..source.rank()).rev().collect::<Vec<_>>()),
            Self::Slice(items) => slice(source, items),
            Self::Unsqueeze(axis) => {
                let rank = source.rank();
                let axis = place("unsqueeze", *axis, rank, rank + 1)?;
                let mut extents = source.extents().to_vec();
                extents.insert(axis, 1);
                let axes = (0..rank).map(|a| AxisMap::same(a + usize::from(a >= axis))).collect();
                Ok(Map { shape: extents.into(), axes })
            }
            Self::Squeeze(axis) => {
                let rank = source.rank();
                let axis = place("squeeze", *axis, rank, rank)?;
                let mut extents = source.extents().to_vec();
                let extent = extents.remove(axis);
                if extent != 1 {
                    let reason = format!("axis {axis} has extent {extent}, only extent 1 can be dropped");
                    return Err(Error::View { view: "squeeze", shape: source.clone(), reason });
                }
                let axes = (0..rank).map(|a| match a.cmp(&axis) {
                    std::cmp::Ordering::Less => AxisMap::same(a),
                    std::cmp::Ordering::Equal => AxisMap::FIXED,
                    std::cmp::Ordering::Greater => AxisMap::same(a - 1),
                });
                Ok(Map { axes: axes.collect(), shape: extents.into() })
            }
        }
    }
}

/// The place among `end` that an axis names, counted from the end where it is negative.
fn place(op: &str, axis: isize, rank: usize, end: usize) -> Result<usize> {
    let place = if axis < 0 { end.checked_add_signed(axis) } else { Some(axis.unsigned_abs()) };
    let expected = || format!("it must be from -{end} to {}", end.cast_signed() - 1);
    place.filter(|&p| p < end).ok_or_else(|| Error::Axis {
        op: op.into(),
        axis: axis as i64,
        rank,
        expected: expected(),
    })
}

fn permute(source: &Shape, axes: &[usize]) -> Result<Map> {
    let rank = source.rank();
    let mut inverse = vec![None; rank];
    for (to, &axis) in axes.iter().enumerate() {
        match inverse.get_mut(axis) {
            Some(place @ None) => *place = Some(to),
            Some(Some(_)) => {
                let reason = format!("axis {axis} is named twice in {axes:?}");
                return Err(Error::View { view: "permute", shape: source.clone(), reason });
            }
            None => {
                let expected = format!("it must be below {rank}");
                return Err(Error::Axis { op: "permute".into(), axis: axis as i64, rank, expected });
            }
        }
    }
    if axes.len() != rank {
        let reason = format!("{axes:?} must name each of the {rank} axes once");
        return Err(Error::View { view: "permute", shape: source.clone(), reason });
    }
    let extents: Vec<_> = axes.iter().map(|&a| source.extents()[a]).collect();
    let axes = inverse.into_iter().map(|to| to.map_or(AxisMap::FIXED, AxisMap::same)).collect();
    Ok(Map { shape: extents.into(), axes })
}

fn slice(source: &Shape, items: &[Index]) -> Result<Map> {
    let fail = |reason: String| Error::View { view: "slice", shape: source.clone(), reason };
    let used = items.iter().filter(|i| matches!(i, Index::At(_) | Index::Range(..))).count();
    let ellipses = items.iter().filter(|i| matches!(i, Index::Ellipsis)).count();
    if ellipses > 1 {
        return Err(fail("an index may have one `...` at most".into()));
    }
    let rest = source
        .rank()
        .checked_sub(used)
        .ok_or_else(|| fail(format!("{used} indices were given for {} axes", source.rank())))?;

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
                let at = if i < 0 { extent.checked_add_signed(i) } else { Some(i.unsigned_abs()) };
                let start = at.filter(|&at| at < extent).ok_or_else(|| {
                    fail(format!("index {i} is out of range for axis {} of extent {extent}", axes.len()))
                })?;
                axes.push(AxisMap { from: None, step: 0, start });
            }
            Index::Range(start, stop, step) => {
                if step == 0 {
                    return Err(fail(format!("the step along axis {} must not be 0", axes.len())));
                }
                let (first, count) = range(source.extents()[axes.len()], start, stop, step);
                axes.push(AxisMap { from: Some(extents.len()), step, start: first });
                extents.push(count);
            }
        }
    }
    if ellipses == 0 {
        whole(rest, &mut extents, &mut axes);
    }
    Ok(Map { shape: extents.into(), axes })
}

/// NumPy's reading of `start:stop:step` over an extent: the first position and the count.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// All source indices a map visits, in row-major order of the view.
    fn visit(map: &Map) -> Vec<Vec<usize>> {
        let len = map.shape.len().unwrap();
        let extents = map.shape.extents();
        (0..len)
            .map(|flat| {
                let mut rest = flat;
                let mut index = vec![0; extents.len()];
                for a in (0..extents.len()).rev() {
                    index[a] = rest % extents[a];
                    rest /= extents[a];
                }
                let pick =
                    |m: &AxisMap| m.start.wrapping_add_signed(m.from.map_or(0, |f| index[f].cast_signed() * m.step));
                map.axes.iter().map(pick).collect()
            })
            .collect()
    }

    #[test]
    fn ranges_follow_numpy() {
        let r = |s, e, st| Index::Range(s, e, st);
        let cases: &[(Index, &[usize])] = &[
            (Index::ALL, &[0, 1, 2, 3, 4]),
            (r(None, None, -1), &[4, 3, 2, 1, 0]),
            (r(Some(1), Some(-1), 1), &[1, 2, 3]),
            (r(Some(-2), None, 1), &[3, 4]),
            (r(Some(10), None, 1), &[]),
            (r(Some(10), None, -2), &[4, 2, 0]),
            (r(Some(3), Some(3), 1), &[]),
            (r(None, Some(1), -1), &[4, 3, 2]),
            (r(None, Some(-100), -1), &[4, 3, 2, 1, 0]),
            (r(Some(isize::MIN), Some(isize::MAX), isize::MAX), &[0]),
            (r(None, None, isize::MIN), &[4]),
        ];
        for (item, expected) in cases {
            let map = View::Slice(vec![*item]).map(&Shape::new([5])).unwrap();
            let found: Vec<_> = visit(&map).into_iter().map(|i| i[0]).collect();
            assert_eq!(found, *expected, "{item:?}");
        }
    }

    #[test]
    fn ellipsis_and_new_axis_keep_the_other_axes() {
        let shape = Shape::new([2, 3, 4]);
        let map = View::Slice(vec![Index::Ellipsis, Index::At(0)]).map(&shape).unwrap();
        assert_eq!(map.shape, Shape::new([2, 3]));
        let map = View::Slice(vec![Index::ALL, Index::NewAxis]).map(&shape).unwrap();
        assert_eq!(map.shape, Shape::new([2, 1, 3, 4]));
    }

    #[test]
    fn negative_axes_count_from_the_end() {
        let shape = Shape::new([2, 3, 1]);
        for (axis, extents) in [(-1, [2, 3, 1, 1]), (-4, [1, 2, 3, 1]), (-2, [2, 3, 1, 1]), (1, [2, 1, 3, 1])] {
            assert_eq!(View::Unsqueeze(axis).map(&shape).unwrap().shape, Shape::new(extents), "{axis}");
        }
        assert_eq!(View::Squeeze(-1).map(&shape).unwrap().shape, Shape::new([2, 3]));
    }

    #[test]
    fn a_view_of_a_view_is_one_map() {
        let shape = Shape::new([4, 5]);
        let inner =
            View::Slice(vec![Index::Range(Some(3), None, -1), Index::Range(Some(1), None, 2)]).map(&shape).unwrap();
        let outer = View::Transpose.map(&inner.shape).unwrap();
        let both = visit(&outer.then(&inner));
        assert_eq!(both[0], [3, 1]);
        assert_eq!(both[1], [2, 1]);
        assert_eq!(both[4], [3, 3]);
    }

    #[test]
    fn views_that_do_not_fit_are_errors() {
        let shape = Shape::new([2, 3]);
        for view in [
            View::Permute(vec![0, 0]),
            View::Permute(vec![0]),
            View::Permute(vec![0, 2]),
            View::Squeeze(0),
            View::Squeeze(2),
            View::Squeeze(-3),
            View::Unsqueeze(3),
            View::Unsqueeze(-4),
            View::Slice(vec![Index::At(2)]),
            View::Slice(vec![Index::At(-3)]),
            View::Slice(vec![Index::Range(None, None, 0)]),
            View::Slice(vec![Index::ALL; 3]),
            View::Slice(vec![Index::Ellipsis, Index::Ellipsis]),
        ] {
            assert!(view.map(&shape).is_err(), "{view:?}");
        }
    }
}
