//! Affine maps of indices.

use crate::shape::Shape;

/// Where the index along one source axis comes from: `start + step * index[from]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AxisMap {
    /// The axis of the view, or `None` if the source index is the constant `start`.
    pub from: Option<usize>,
    /// The step of the source index for each step along `from`.
    pub step: isize,
    /// The source index at the view's index 0.
    pub start: usize,
}

impl AxisMap {
    /// The source index 0 for every index of the view: a broadcast or dropped axis.
    pub const FIXED: Self = Self {
        from: None,
        step: 0,
        start: 0,
    };

    /// The lowest and the highest source index of a view of this shape, which must have elements.
    pub(crate) fn reach(self, shape: &Shape) -> (isize, isize) {
        let start = self.start.cast_signed();
        let steps = self
            .from
            .map_or(0, |from| shape.extents()[from].cast_signed() - 1);
        let end = start.wrapping_add(self.step.wrapping_mul(steps));
        (start.min(end), start.max(end))
    }

    /// The source index that equals the view's index along `axis`.
    pub const fn same(axis: usize) -> Self {
        Self {
            from: Some(axis),
            step: 1,
            start: 0,
        }
    }
}

/// An affine map from the indices of a view, of shape `shape`, to the indices of its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Map {
    /// The shape of the view.
    pub(crate) shape: Shape,
    /// One entry for each source axis.
    pub(crate) axes: Vec<AxisMap>,
}

impl Map {
    pub(crate) fn new(shape: impl Into<Shape>, axes: Vec<AxisMap>) -> Self {
        let shape = shape.into();
        Self { shape, axes }
    }

    /// The view of the whole source.
    pub(crate) fn identity(shape: &Shape) -> Self {
        Self {
            shape: shape.clone(),
            axes: (0..shape.rank()).map(AxisMap::same).collect(),
        }
    }

    /// Composes the view `self` of the view `inner` into one view: first `self`, then `inner`.
    ///
    /// Law: looking up an index through `outer.then(inner)` equals looking it up through `outer`,
    /// then `inner`.
    pub fn then(&self, inner: &Self) -> Self {
        let axes = inner.axes.iter().map(|a| match a.from {
            None => *a,
            Some(from) => {
                let outer = self.axes[from];
                let start = a
                    .start
                    .wrapping_add_signed(a.step.wrapping_mul(outer.start.cast_signed()));
                AxisMap {
                    from: outer.from,
                    step: if outer.from.is_some() {
                        a.step.wrapping_mul(outer.step)
                    } else {
                        0
                    },
                    start,
                }
            }
        });
        Self {
            shape: self.shape.clone(),
            axes: axes.collect(),
        }
    }

    /// Makes the axes of extent 1 constants, so that equal maps compare equal.
    pub(crate) fn normalised(mut self) -> Self {
        for axis in &mut self.axes {
            if let Some(from) = axis.from
                && self.shape.extents()[from] == 1
            {
                *axis = AxisMap {
                    from: None,
                    step: 0,
                    start: axis.start,
                };
            }
        }
        self
    }
}
