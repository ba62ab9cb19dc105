//! Ranges of a space's axes, where a pass is too large.

use crate::error::Result;
use crate::layout::Layout;
use crate::plan::body::Body;
use crate::plan::operand::{Destination, Operand};
use crate::plan::slot::Room;
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

    /// The same with neighbouring reduced axes as one, where all operands allow to.
    pub(super) fn with_joined_axes(&self) -> Result<Self> {
        let mut body = self.clone();
        let mut k = 0;
        while k + 1 < body.reduced.len() {
            let axis = body.reduced[k];
            let is_joined = |input: &Operand| {
                let layout = &input.slot.layout;
                let inner = body.space.extents()[axis + 1].cast_signed();
                layout.strides()[axis] == layout.strides()[axis + 1].wrapping_mul(inner)
            };
            if body.reduced[k + 1] != axis + 1 || !body.inputs.iter().all(is_joined) {
                k += 1;
                continue;
            }
            body.space = body.space.joined(axis);
            for input in &mut body.inputs {
                let mut strides = input.slot.layout.strides().to_vec();
                strides.remove(axis);
                let offset = input.slot.layout.offset();
                input.slot.layout = Layout::new(body.space.clone(), strides, offset)?;
            }
            body.reduced.remove(k + 1);
            body.reduced[k + 1..].iter_mut().for_each(|a| *a -= 1);
        }
        Ok(body)
    }
}

impl Destination {
    /// Some indices along an axis.
    pub(super) fn along(&self, axis: usize, start: usize, count: usize) -> Result<Self> {
        let mut part = self.with_layout(moved(&self.slot.layout, axis, start, count)?);
        if start + count < self.slot.layout.shape().extents()[axis] {
            part.slot.room = Room::Bytes(self.slot.bytes());
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
