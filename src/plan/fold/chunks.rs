//! Chunks of a space's axes, and axes walked from their ends.

use crate::error::Result;
use crate::layout::Layout;
use crate::plan::body::Body;
use crate::shape::Shape;

impl Body {
    /// The same with an axis split into chunks of so many elements; the axis of chunks comes
    /// before that of their elements, which is the reduced one.
    pub(super) fn split(&self, axis: usize, chunk: usize) -> Result<Self> {
        let part = self.with_layouts(|layout| split(layout, axis, chunk))?;
        Ok(Self {
            space: split_shape(&self.space, axis, chunk),
            reduced: vec![axis + 1],
            ..part
        })
    }

    /// The same from the last element of an axis to the first.
    pub(super) fn turned(&self, axis: usize) -> Result<Self> {
        self.with_layouts(|layout| turned(layout, axis))
    }
}

fn split_shape(shape: &Shape, axis: usize, chunk: usize) -> Shape {
    let mut extents = shape.extents().to_vec();
    extents[axis] /= chunk;
    extents.insert(axis + 1, chunk);
    extents.into()
}

/// A layout with an axis split into chunks.
pub(super) fn split(layout: &Layout, axis: usize, chunk: usize) -> Result<Layout> {
    let mut strides = layout.strides().to_vec();
    strides.insert(axis + 1, strides[axis]);
    strides[axis] = strides[axis].wrapping_mul(chunk.cast_signed());
    let shape = split_shape(layout.shape(), axis, chunk);
    Layout::new(shape, strides, layout.offset())
}

/// A layout from the last element of an axis to the first.
pub(super) fn turned(layout: &Layout, axis: usize) -> Result<Layout> {
    let mut strides = layout.strides().to_vec();
    let last = layout.shape().extents()[axis].saturating_sub(1);
    let by = strides[axis].wrapping_mul(last.cast_signed());
    strides[axis] = strides[axis].wrapping_neg();
    let offset = layout.offset().wrapping_add_signed(by);
    Layout::new(layout.shape().clone(), strides, offset)
}

/// A layout whose elements repeat along a further axis behind one.
pub(super) fn repeated(layout: &Layout, axis: usize, count: usize) -> Result<Layout> {
    let mut extents = layout.shape().extents().to_vec();
    let mut strides = layout.strides().to_vec();
    extents.insert(axis + 1, count);
    strides.insert(axis + 1, 0);
    Layout::new(extents, strides, layout.offset())
}

/// A layout whose element of index 0 along an axis repeats so often.
pub(super) fn stretched(layout: &Layout, axis: usize, count: usize) -> Result<Layout> {
    let mut extents = layout.shape().extents().to_vec();
    let mut strides = layout.strides().to_vec();
    (extents[axis], strides[axis]) = (count, 0);
    Layout::new(extents, strides, layout.offset())
}
