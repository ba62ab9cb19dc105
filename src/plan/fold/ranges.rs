//! Ranges of a space's axes, where a pass is too large.

use crate::error::Result;
use crate::layout::Layout;
use crate::plan::body::Body;
use crate::shape::Shape;

/// Two ranges of an axis, as start and count, the first of whole units.
pub(super) fn halves(extent: usize, unit: usize) -> [(usize, usize); 2] {
    let middle = (extent / 2).next_multiple_of(unit).min(extent);
    [(0, middle), (middle, extent - middle)]
}

pub(super) fn greatest_common_divisor(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

impl Body {
    /// The same over some indices along an axis of its space.
    pub(super) fn along(&self, axis: usize, start: usize, count: usize) -> Result<Self> {
        let mut part = self.clone();
        part.space = resized(&self.space, axis, count);
        for input in &mut part.inputs {
            input.slot.layout = moved(&input.slot.layout, axis, start, count)?;
        }
        Ok(part)
    }
}

/// A shape with another extent along an axis.
fn resized(shape: &Shape, axis: usize, extent: usize) -> Shape {
    let mut extents = shape.extents().to_vec();
    extents[axis] = extent;
    extents.into()
}

/// Some indices of a layout along an axis.
pub(super) fn moved(layout: &Layout, axis: usize, start: usize, count: usize) -> Result<Layout> {
    let by = layout.strides()[axis].wrapping_mul(start.cast_signed());
    let shape = resized(layout.shape(), axis, count);
    let offset = layout.offset().wrapping_add_signed(by);
    Layout::new(shape, layout.strides().to_vec(), offset)
}
