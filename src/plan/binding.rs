//! Bindings: the bytes of a buffer that a pass sees, and where its elements begin in them.

use super::mapping::Store;
use super::{Limits, Output, QUAD, Range, Room, Slot, Source, Target};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;

/// What errors call an input.
pub(super) fn operand_name(source: Source) -> String {
    match source {
        Source::Slot(s) => format!("input {s}"),
        Source::Temporary(_) => "an intermediate result".into(),
    }
}

/// What errors call an output.
pub(super) fn target_name(target: Target) -> String {
    match target {
        Target::Output(k) => format!("output {k}"),
        Target::Temporary(_) => "an intermediate result".into(),
    }
}

/// The binding of a layout: its bytes, the element offset in it, and whether it holds whole quads.
pub(super) fn bind(
    name: &str,
    dtype: DType,
    layout: &Layout,
    room: Room,
    limits: &Limits,
) -> Result<(Range, u32, bool)> {
    let size = dtype.size() as u64;
    if layout.is_empty() {
        return Ok((Range { start: 0, size: 0 }, 0, true));
    }
    let (low, high) = layout
        .reach()
        .map_or((0, 0), |r| (*r.start() as u64, *r.end() as u64));
    let align = u64::from(limits.offset_alignment.max(4));
    let overflow = || Error::TooLarge {
        operand: name.into(),
        bytes: u64::MAX,
        limit: limits.max_binding,
    };
    let start = low.checked_mul(size).ok_or_else(overflow)? / align * align;
    let end = high
        .checked_add(1)
        .and_then(|n| n.checked_mul(size))
        .ok_or_else(overflow)?;
    let quad = size * QUAD as u64;
    let whole_end = start + (end - start).next_multiple_of(quad);
    let word_end = end.next_multiple_of(4);
    let (bound_end, whole) = match room {
        Room::Padding => (whole_end, true),
        Room::Bytes(bytes) if whole_end <= bytes => (whole_end, true),
        Room::Bytes(bytes) if word_end <= bytes => (word_end, false),
        Room::Bytes(bytes) => {
            let reason = format!(
                "its elements end at byte {end}, in whole words {word_end}, but the buffer has {bytes} bytes"
            );
            return Err(Error::Buffer {
                operand: name.into(),
                reason,
            });
        }
    };
    let range = Range {
        start,
        size: bound_end - start,
    };
    if range.size > limits.max_binding {
        return Err(Error::TooLarge {
            operand: name.into(),
            bytes: range.size,
            limit: limits.max_binding,
        });
    }
    let first = (layout.offset() as u64 * size).saturating_sub(start) / size;
    let offset = u32::try_from(first).map_err(|_| overflow())?;
    // The farthest element too is addressed with 32 bits.
    u32::try_from(high - start / size).map_err(|_| overflow())?;
    Ok((range, offset, whole))
}

/// The binding and store of an output.
pub(super) fn output(name: &str, target: Target, slot: &Slot, limits: &Limits) -> Result<Output> {
    let (range, offset, _) = bind(name, slot.dtype, &slot.layout, slot.room, limits)?;
    let aligned = (offset as usize).is_multiple_of(QUAD);
    let wide = aligned
        && match slot.room {
            Room::Padding => true,
            Room::Bytes(_) => slot.layout.len().is_multiple_of(QUAD),
        };
    let store = if wide {
        Store::Wide
    } else {
        Store::Words {
            shift: offset % elements_a_word(slot.dtype),
        }
    };
    Ok(Output {
        target,
        dtype: slot.dtype,
        store,
        range,
        offset,
        per_word: 1,
        rows: None,
    })
}

/// Elements that share a word.
pub(super) fn elements_a_word(dtype: DType) -> u32 {
    (4 / dtype.size() as u32).max(1)
}
