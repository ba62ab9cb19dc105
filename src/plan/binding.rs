//! Bindings: the bytes of a buffer that a pass sees, and where its elements begin in them.

use super::limits::Limits;
use super::operand::{Destination, Operand, Source, Target, Within};
use super::slot::{PAIR, QUAD, Room, Slot};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::shape::Shape;

/// The bytes of a buffer that a binding covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Range {
    pub start: u64,
    pub size: u64,
}

/// Where a slot's elements lie in their binding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub range: Range,
    /// Of the element at index 0, from the binding's start.
    pub offset: u32,
    /// Elements of the quads, or other units, that the binding holds whole, or 1.
    pub whole: usize,
}

impl Operand {
    /// Its binding.
    pub fn bind(&self, limits: &Limits) -> Result<Bound> {
        self.bind_units(QUAD, limits)
    }

    /// Its binding if so many elements are loaded at a time.
    pub fn bind_units(&self, unit: usize, limits: &Limits) -> Result<Bound> {
        let (layout, name) = (&self.slot.layout, self.source.name_in_errors());
        match (self.source, self.within) {
            (Source::Numbers, within) => Ok(Bound {
                range: Range { start: 0, size: 0 },
                offset: layout.offset().wrapping_sub(within.map_or(0, |w| w.before)) as u32,
                whole: 1,
            }),
            (_, None) => Bound::new(&name, &self.slot, reach(layout), unit, limits),
            (_, Some(Within { before, low, high })) => {
                let (least, most) = reach(layout);
                let least = least.clamp(low, high);
                let reached = (least - before, most.clamp(least, high) - before);
                let bound = Bound::new(&name, &self.slot, reached, unit, limits)?;
                // Below 0 it wraps, as sums of 32 bits do.
                let begin = bound.range.start as usize / self.slot.dtype.size();
                let offset = layout.offset().wrapping_sub(before + begin) as u32;
                Ok(Bound { offset, ..bound })
            }
        }
    }
}

/// The lowest and the highest position that a layout reaches.
fn reach(layout: &Layout) -> (usize, usize) {
    layout.reach().map_or((0, 0), |r| (*r.start(), *r.end()))
}

impl Destination {
    pub fn new(target: Target, slot: Slot) -> Self {
        Self { target, slot }
    }

    /// The same buffer with other elements in it.
    pub fn with_layout(&self, layout: Layout) -> Self {
        Self::new(self.target, self.slot.clone().with_layout(layout))
    }

    /// A part of it, behind which other elements lie unless it is the last.
    pub fn part(&self, layout: Layout, is_last: bool) -> Self {
        let mut part = self.with_layout(layout);
        if !is_last {
            part.slot.room = Room::Bytes(self.slot.bytes());
        }
        part
    }

    /// The part that begins with its element of this number and is in row-major order.
    pub fn elements(&self, first: usize, shape: Shape, is_last: bool) -> Result<Self> {
        let strides = shape.row_major();
        let layout = Layout::new(shape, strides, self.slot.layout.offset() + first)?;
        Ok(self.part(layout, is_last))
    }

    /// Its binding.
    pub fn bind(&self, limits: &Limits) -> Result<Bound> {
        self.bind_units(QUAD, limits)
    }

    /// Its binding if so many elements are stored at a time.
    pub fn bind_units(&self, unit: usize, limits: &Limits) -> Result<Bound> {
        let name = self.target.name_in_errors();
        Bound::new(&name, &self.slot, reach(&self.slot.layout), unit, limits)
    }

    /// What is said where no part of it fits a binding.
    pub fn too_large(&self, limits: &Limits) -> Error {
        limits.too_large(self.target.name_in_errors(), self.slot.bytes())
    }
}

impl Bound {
    pub fn holds_quads(&self) -> bool {
        self.whole == QUAD
    }

    /// The binding of what lies from the first to the second position.
    fn new(
        name: &str,
        slot: &Slot,
        (low, high): (usize, usize),
        unit: usize,
        limits: &Limits,
    ) -> Result<Self> {
        let layout = &slot.layout;
        let size = slot.dtype.size() as u64;
        if layout.is_empty() {
            return Ok(Self {
                range: Range { start: 0, size: 0 },
                offset: 0,
                whole: unit,
            });
        }
        let (low, high) = (low as u64, high as u64);
        // A quad of the widest elements begins there too.
        let align = u64::from(limits.offset_alignment.max(8 * QUAD as u32));
        let overflow = || limits.too_large(name, u64::MAX);
        let start = low.checked_mul(size).ok_or_else(overflow)? / align * align;
        let end = high
            .checked_add(1)
            .and_then(|n| n.checked_mul(size))
            .ok_or_else(overflow)?;
        let quad = size * unit as u64;
        let whole_end = start + (end - start).next_multiple_of(quad);
        let word_end = end.next_multiple_of(4);
        let pair_or_one = match (end - start).is_multiple_of(size * PAIR as u64) {
            true => PAIR,
            false => 1,
        };
        let (bound_end, whole) = match slot.room {
            Room::Padding => (whole_end, unit),
            Room::Bytes(bytes) if whole_end <= bytes => (whole_end, unit),
            Room::Bytes(bytes) if word_end <= bytes => (word_end, pair_or_one),
            Room::Bytes(bytes) => {
                let reason = format!(
                    "its elements end at byte {end}, in whole words {word_end}, but the buffer has {bytes} bytes"
                );
                return Err(Error::buffer(name, reason));
            }
        };
        let range = Range {
            start,
            size: bound_end - start,
        };
        if range.size > limits.max_binding {
            return Err(limits.too_large(name, range.size));
        }
        let first = (layout.offset() as u64 * size).saturating_sub(start) / size;
        let offset = u32::try_from(first).map_err(|_| overflow())?;
        // The farthest element too is addressed with 32 bits.
        u32::try_from(high - start / size).map_err(|_| overflow())?;
        Ok(Self {
            range,
            offset,
            whole,
        })
    }
}
