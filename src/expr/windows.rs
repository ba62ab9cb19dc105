//! Windows along axes, whose elements are shared, and the gradient of an array through them.

use super::Scalar;
use super::expand::folded_in;
use super::graph::Graph;
use super::kind::{GraphKind, Relaid};
use crate::error::{Error, Result};
use crate::shape::Shape;
use crate::view::{AxisMap, Map, axis_among};

/// The shape of windows of an array, and the axis and length of each.
///
/// # Errors
/// [`Error::Axis`]; [`Error::View`] for a window that is longer than its axis.
pub(super) fn windowed(
    source: &Shape,
    windows: &[(isize, usize)],
) -> Result<(Shape, Vec<(usize, usize)>)> {
    let name = "sliding_window_view";
    let mut extents = source.extents().to_vec();
    let mut axes = Vec::with_capacity(windows.len());
    for &(axis, length) in windows {
        let axis = axis_among(name, axis, source.rank(), source.rank())?;
        let Some(before) = extents[axis].checked_sub(length) else {
            return Err(Error::View {
                view: name,
                shape: source.clone(),
                reason: format!("a window of {length} elements is longer than axis {axis}"),
            });
        };
        extents[axis] = before + 1;
        extents.push(length);
        axes.push((axis, length));
    }
    Ok((extents.into(), axes))
}

impl Graph {
    /// The node of all windows of these lengths along these axes.
    pub(super) fn windows(&mut self, arg: usize, windows: &[(isize, usize)]) -> Result<usize> {
        let (shape, axes) = windowed(&self.nodes[arg].shape, windows)?;
        shape.len()?;
        let axes = axes.into_iter().map(|(axis, _)| axis).collect();
        Ok(self.relaid(arg, Relaid::Windows(axes), shape))
    }

    /// The elements of a node of windows, each added to where it lies in the array of this shape.
    pub(super) fn unwindowed(
        &mut self,
        of: usize,
        source: &Shape,
        windows: &[(isize, usize)],
    ) -> Result<usize> {
        let dtype = self.nodes[of].dtype;
        let (_, axes) = windowed(source, windows)?;
        if self.nodes[of].shape.is_empty() {
            return Ok(self.everywhere(Scalar::of_bits(dtype, 0), source.clone()));
        }
        // Rounded once, however many axes are summed.
        let mut of = self.cast(of, folded_in(dtype));
        for (axis, length) in axes.into_iter().rev() {
            of = self.unwindowed_along(of, axis, length)?;
        }
        Ok(self.cast(of, dtype))
    }

    /// The last axis, of windows, added to the elements along an axis. Element i is element k of
    /// window i - k: with zeros on both sides, element `length - 1 - k` of the window that begins
    /// at i is what it gets of them.
    fn unwindowed_along(&mut self, of: usize, axis: usize, length: usize) -> Result<usize> {
        let (dtype, own) = self.parts(of);
        let last = own.rank() - 1;
        let mut extents = own.extents().to_vec();
        extents[axis] += 2 * (length - 1);
        let mut place = Map::identity(&own);
        place.axes[axis].start = length - 1;
        let kind = GraphKind::Placed(vec![place.normalised()]);
        let padded = self.push(kind, dtype, extents.into(), vec![self.whole_of(of)]);
        let seen = self.windows(padded, &[(axis.cast_signed(), length)])?;
        let mut extents = self.nodes[seen].shape.extents().to_vec();
        extents.pop();
        let mut diagonal = Map::identity(&extents.into());
        diagonal.axes.push(AxisMap {
            from: Some(last),
            step: -1,
            start: length - 1,
        });
        let terms = self.seen(seen, diagonal.normalised());
        self.summed(terms, &[last])
    }
}
