//! `Layout`: shape, strides and offset. Views are pure functions from layout to layout.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::view::{Map, View};

/// Where each element of a tensor lies in its buffer: `offset + sum(index[a] * strides[a])`, in
/// elements.
///
/// ```
/// use zerostride::{Index, Layout, View};
///
/// let table = Layout::contiguous([3, 4])?;
/// assert_eq!((table.strides(), table.offset()), (&[4, 1][..], 0));
/// let column = table.view(&View::Slice(vec![Index::ALL, Index::At(1)]))?;
/// assert_eq!((column.shape().extents(), column.strides(), column.offset()), (&[3][..], &[4][..], 1));
/// assert_eq!(column.offsets().collect::<Vec<_>>(), [1, 5, 9]);
/// # Ok::<(), zerostride::Error>(())
/// ```
///
/// Invariants: every element's position is below `isize::MAX` and not negative. The stride of an
/// axis with an extent below 2 is 0, as it is on a broadcast axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Shape,
    strides: Vec<isize>,
    offset: usize,
}

/// What two layouts have in common.
#[cfg(feature = "complete")]
impl Layout {
    /// Whether the layouts share a position of a buffer. If their strides do not tell (those of
    /// windows that overlap each other, for example), they are assumed to.
    ///
    /// `sizes`: bytes of an element of each.
    pub(crate) fn meets(&self, other: &Self, sizes: [usize; 2]) -> bool {
        if self.shape.is_empty() || other.shape.is_empty() {
            return false;
        }
        let overlap = |a: RangeInclusive<usize>, b: RangeInclusive<usize>| {
            a.start() <= b.end() && b.start() <= a.end()
        };
        if sizes[0] != sizes[1] {
            let bytes =
                |x: &Self, size| x.lowest() * size..=(x.lowest() + x.span()) * size + (size - 1);
            return overlap(bytes(self, sizes[0]), bytes(other, sizes[1]));
        }
        let both = self.steps().chain(other.steps());
        let mut steps = std::collections::BTreeSet::from([1]);
        steps.extend(both.map(|(step, _)| step));
        let steps: Vec<usize> = steps.into_iter().rev().collect();
        match (self.ranges(&steps), other.ranges(&steps)) {
            (Some(a), Some(b)) => a.into_iter().zip(b).all(|(a, b)| overlap(a, b)),
            _ => {
                let [a, b] = [self, other].map(|x| x.lowest()..=x.lowest() + x.span());
                overlap(a, b)
            }
        }
    }

    /// The strides without their signs, with how many steps each takes.
    fn steps(&self) -> impl Iterator<Item = (usize, usize)> {
        let axes = self.strides.iter().zip(self.shape.extents());
        axes.filter(|(stride, _)| **stride != 0)
            .map(|(stride, extent)| (stride.unsigned_abs(), extent - 1))
    }

    /// From the first to the last position.
    fn span(&self) -> usize {
        self.steps().map(|(step, count)| step * count).sum()
    }

    fn lowest(&self) -> usize {
        let axes = self.strides.iter().zip(self.shape.extents());
        let back = axes.filter(|(stride, _)| **stride < 0);
        self.offset
            - back
                .map(|(stride, extent)| stride.unsigned_abs() * (extent - 1))
                .sum::<usize>()
    }

    /// The positions as numbers whose digits count these steps, the largest first: the range of each
    /// digit. `None` if the digits of a position are not told from those of another.
    fn ranges(&self, steps: &[usize]) -> Option<Vec<RangeInclusive<usize>>> {
        let mut rest = self.lowest();
        let mut ranges = Vec::with_capacity(steps.len());
        for &step in steps {
            let first = rest / step;
            rest %= step;
            let smaller = self.steps().filter(|s| s.0 < step);
            if rest + smaller.map(|(step, count)| step * count).sum::<usize>() >= step {
                return None;
            }
            let count: usize = self.steps().filter(|s| s.0 == step).map(|s| s.1).sum();
            ranges.push(first..=first + count);
        }
        Some(ranges)
    }
}

impl Layout {
    /// Row-major order without gaps, from the buffer's start.
    ///
    /// # Errors
    /// [`Error::TooManyElements`] for a shape with too many elements to count.
    pub fn contiguous(shape: impl Into<Shape>) -> Result<Self> {
        let shape = shape.into();
        shape.len()?;
        let strides = shape.row_major();
        Self::new(shape, strides, 0)
    }

    /// A layout from its parts, strides and offset in elements.
    ///
    /// # Errors
    /// [`Error::View`] if an element would lie before the buffer's start, or its position is too
    /// large to count.
    pub fn new(shape: impl Into<Shape>, strides: Vec<isize>, offset: usize) -> Result<Self> {
        let shape = shape.into();
        let fail = |reason: String| Error::View {
            view: "layout",
            shape: shape.clone(),
            reason,
        };
        if strides.len() != shape.rank() {
            return Err(fail(format!(
                "{} strides for {} axes",
                strides.len(),
                shape.rank()
            )));
        }
        shape.len()?;
        let empty = shape.is_empty();
        let mut low = offset.cast_signed();
        let mut high = low;
        let mut kept = strides;
        for (stride, &extent) in kept.iter_mut().zip(shape.extents()) {
            if empty || extent < 2 {
                *stride = 0;
                continue;
            }
            let span = (extent - 1).cast_signed().checked_mul(*stride);
            let bound = if *stride < 0 { &mut low } else { &mut high };
            *bound = span
                .and_then(|s| bound.checked_add(s))
                .ok_or_else(|| fail("its last element's position is too large".into()))?;
        }
        if !empty && (low < 0 || offset.cast_signed() < 0) {
            return Err(fail("an element lies before the buffer's start".into()));
        }
        Ok(Self {
            shape,
            strides: kept,
            offset,
        })
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The strides in elements; 0 on a broadcast axis.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The position of the element at index 0, in elements.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.extents().iter().product()
    }

    /// The bytes that this many elements of a size take without gaps.
    ///
    /// # Errors
    /// [`Error::TooManyElements`] if they cannot be counted.
    pub(crate) fn byte_len(&self, size: usize) -> Result<usize> {
        let bytes = self
            .len()
            .checked_mul(size)
            .filter(|&b| isize::try_from(b).is_ok());
        let limit = isize::MAX.unsigned_abs() / size;
        bytes.ok_or_else(|| Error::TooManyElements {
            shape: self.shape.clone(),
            limit,
        })
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }

    /// The lowest and highest position reached, in elements; `None` if there are no elements.
    pub fn reach(&self) -> Option<RangeInclusive<usize>> {
        if self.is_empty() {
            return None;
        }
        let mut low = self.offset;
        let mut high = self.offset;
        for (&stride, &extent) in self.strides.iter().zip(self.shape.extents()) {
            let span = (extent - 1) * stride.unsigned_abs();
            if stride < 0 {
                low -= span;
            } else {
                high += span;
            }
        }
        Some(low..=high)
    }

    /// Whether the elements lie in row-major order without gaps.
    pub fn is_contiguous(&self) -> bool {
        let expected = self.shape.row_major();
        let same = |((&s, &e), &x)| x < 2 || s == e;
        self.is_empty()
            || self
                .strides
                .iter()
                .zip(&expected)
                .zip(self.shape.extents())
                .all(same)
    }

    /// The layout whose positions number the indices along some axes, in row-major order of them.
    pub(crate) fn numbered(shape: &Shape, axes: &[usize]) -> Result<Self> {
        let mut strides = vec![0; shape.rank()];
        let mut before = 1isize;
        for &axis in axes.iter().rev() {
            strides[axis] = before;
            before = before.wrapping_mul(shape.extents()[axis].cast_signed());
        }
        Self::new(shape.clone(), strides, 0)
    }

    /// This layout with a map of its indices applied.
    #[doc(hidden)]
    pub fn through(&self, map: &Map) -> Self {
        debug_assert_eq!(map.axes.len(), self.shape.rank());
        let mut strides = vec![0isize; map.shape.rank()];
        if map.shape.is_empty() {
            return Self {
                shape: map.shape.clone(),
                strides,
                offset: self.offset,
            };
        }
        let mut offset = self.offset;
        for (axis, &stride) in map.axes.iter().zip(&self.strides) {
            offset = offset.wrapping_add_signed(stride.wrapping_mul(axis.start.cast_signed()));
            if let Some(from) = axis.from
                && map.shape.extents()[from] > 1
            {
                strides[from] = strides[from].wrapping_add(stride.wrapping_mul(axis.step));
            }
        }
        Self {
            shape: map.shape.clone(),
            strides,
            offset,
        }
    }

    /// The same in a buffer that begins `by` elements later. The offset may wrap below 0; use the
    /// result only through maps that reach no element before the new start.
    pub(crate) fn moved_down(&self, by: usize) -> Self {
        Self {
            offset: self.offset.wrapping_sub(by),
            ..self.clone()
        }
    }

    /// A view of this layout.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] if the view does not fit the shape.
    pub fn view(&self, view: &View) -> Result<Self> {
        Ok(self.through(&view.map(&self.shape)?))
    }

    /// The same elements in the same order under another shape, without a copy.
    ///
    /// # Errors
    /// [`Error::View`] if the numbers of elements differ, or the strides cannot express the shape
    /// (then materialize first).
    pub fn reshape(&self, shape: impl Into<Shape>) -> Result<Self> {
        let shape = shape.into();
        let fail = |reason: &str| Error::View {
            view: "reshape",
            shape: self.shape.clone(),
            reason: format!("{reason} {shape}"),
        };
        if shape.len()? != self.len() {
            return Err(fail("the number of elements differs from"));
        }
        if self.is_empty() {
            let strides = vec![0; shape.rank()];
            return Ok(Self {
                shape,
                strides,
                offset: self.offset,
            });
        }
        // The source axes, merged as far as their strides allow: (extent, stride), outermost first.
        let mut runs: Vec<(usize, isize)> = Vec::new();
        for (&extent, &stride) in self
            .shape
            .extents()
            .iter()
            .zip(&self.strides)
            .filter(|(e, _)| **e > 1)
        {
            match runs.last_mut() {
                Some((n, s)) if stride.checked_mul(extent.cast_signed()) == Some(*s) => {
                    (*n, *s) = (*n * extent, stride);
                }
                _ => runs.push((extent, stride)),
            }
        }
        // Each target axis is split off the innermost run that is left.
        let mut strides = vec![0isize; shape.rank()];
        let mut run = runs.pop();
        for (a, &extent) in shape
            .extents()
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, e)| **e > 1)
        {
            let (left, stride) =
                run.ok_or_else(|| fail("without a copy the strides cannot give"))?;
            if left % extent != 0 {
                return Err(fail("without a copy the strides cannot give"));
            }
            strides[a] = stride;
            run = match left / extent {
                1 => runs.pop(),
                rest => Some((rest, stride * extent.cast_signed())),
            };
        }
        Ok(Self {
            shape,
            strides,
            offset: self.offset,
        })
    }

    /// The position of every element, in row-major order of the index: the oracle of every kernel.
    pub fn offsets(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        Offsets {
            layout: self,
            index: vec![0; self.shape.rank()],
            at: self.offset,
            left: self.len(),
        }
    }
}

/// Iterator over the positions of a layout's elements.
struct Offsets<'a> {
    layout: &'a Layout,
    index: Vec<usize>,
    at: usize,
    left: usize,
}

impl Iterator for Offsets<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let found = self.at;
        for a in (0..self.index.len()).rev() {
            let (extent, stride) = (self.layout.shape.extents()[a], self.layout.strides[a]);
            self.index[a] += 1;
            self.at = self.at.wrapping_add_signed(stride);
            if self.index[a] < extent {
                break;
            }
            self.index[a] = 0;
            // Past the last element of a large stride this can wrap, and wraps back.
            self.at = self
                .at
                .wrapping_add_signed(stride.wrapping_mul(extent.cast_signed()).wrapping_neg());
        }
        Some(found)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Offsets<'_> {}

#[cfg(test)]
mod tests;
