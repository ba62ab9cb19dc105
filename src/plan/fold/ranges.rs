//! Ranges of a space's axes, where a pass is too large.

use crate::error::Result;
use crate::layout::Layout;
use crate::plan::body::Body;
use crate::plan::operand::Destination;
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
        let mut part = self.with_layouts(|layout| moved(layout, axis, start, count))?;
        part.space = resized(&self.space, axis, count);
        Ok(part)
    }

    /// The same with neighbouring reduced axes as one, where all operands allow to.
    pub(super) fn with_joined_axes(&self) -> Self {
        let mut body = self.clone();
        let mut k = 0;
        while k + 1 < body.reduced.len() {
            let axis = body.reduced[k];
            let inputs = body.inputs.iter();
            let layouts: Option<Vec<Layout>> = match body.reduced[k + 1] == axis + 1 {
                true => inputs.map(|x| joined(&x.slot.layout, axis)).collect(),
                false => None,
            };
            let Some(layouts) = layouts else {
                k += 1;
                continue;
            };
            body.space = body.space.joined(axis);
            for (input, layout) in body.inputs.iter_mut().zip(layouts) {
                input.slot.layout = layout;
            }
            body.reduced.remove(k + 1);
            body.reduced[k + 1..].iter_mut().for_each(|a| *a -= 1);
        }
        body
    }
}

impl Destination {
    /// Some indices along an axis.
    pub(super) fn along(&self, axis: usize, start: usize, count: usize) -> Result<Self> {
        let is_last = start + count == self.slot.layout.shape().extents()[axis];
        Ok(self.part(moved(&self.slot.layout, axis, start, count)?, is_last))
    }
}

/// A layout with its axes `axis` and `axis + 1` as one, if they are one in memory.
pub(in crate::plan) fn joined(layout: &Layout, axis: usize) -> Option<Layout> {
    let mut strides = layout.strides().to_vec();
    let inner = layout.shape().extents()[axis + 1].cast_signed();
    let outer = strides.remove(axis);
    if outer != strides[axis].wrapping_mul(inner) {
        return None;
    }
    Layout::new(layout.shape().joined(axis), strides, layout.offset()).ok()
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
