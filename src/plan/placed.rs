//! Values that are placed among zeros or beside one another: the adjoint of a slice, joined arrays.

use super::body::Body;
use super::lower::lower;
use super::operand::{Arg, Destination, Source, Step, Target};
use super::planner::Planner;
use super::slot::Slot;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Scalar;
use crate::op::Op;
use crate::view::Map;

/// The most bytes of a result that arrays are joined to.
const MAX_BYTES: u64 = 1 << 40;

impl Planner<'_> {
    /// Adds the passes of placed values: zeros unless every place is taken, then the elements where they lie. Neighbours of
    /// narrow types share words, so they are placed as words.
    pub fn push_placed(&mut self, n: usize, maps: &[Map], to: &Destination) -> Result<()> {
        let node = &self.graph.nodes[n];
        let dtype = node.dtype;
        let placed = if dtype.size() < 4 { DType::U32 } else { dtype };
        let slot = Slot::new(placed, node.shape.clone())?;
        if slot.bytes() > MAX_BYTES {
            // Before its passes are planned, of which there may be millions.
            let reason = format!(
                "joined arrays of shape {} take {} bytes, more than any device has",
                node.shape,
                slot.bytes()
            );
            return Err(Error::argument("plan", reason));
        }
        let t = match to.target {
            Target::Temporary(t) if placed == dtype => t,
            // A buffer of the caller's may be an input too.
            _ => self.temporary(placed, slot.layout.len()),
        };
        let zeros = Destination {
            target: Target::Temporary(t),
            slot: slot.clone(),
        };
        let mut taken = 0usize;
        for map in maps {
            taken += map.shape.len()?;
        }
        if taken < slot.layout.len() {
            self.push(&Body::number(Scalar::of(placed, 0.0)), &zeros)?;
        }
        for ((arg, _), map) in node.args.iter().zip(maps) {
            // What has a buffer is moved.
            let whole = Map::identity(&self.graph.nodes[*arg].shape);
            let (source, seen) = self.graph.resolve(*arg, whole);
            let mut body = match self.sources.operand(self.graph, source, &seen)? {
                Some(operand) => Body::moving(operand.source, operand.slot),
                None => lower(self.graph, *arg, &self.sources)?,
            };
            body.space = self.graph.nodes[*arg].shape.clone();
            let extents = body.space.extents();
            let long = (0..extents.len()).rev().find(|&axis| extents[axis] > 1);
            body.reduced = long.into_iter().collect();
            if placed != dtype {
                body.then(&as_words(dtype), dtype);
            }
            let there = Destination {
                target: Target::Temporary(t),
                slot: slot.clone().with_layout(slot.layout.through(map)),
            };
            self.push_folds(&body, &there)?;
        }
        if to.target == Target::Temporary(t) {
            return Ok(());
        }
        let mut moving = Body::moving(Source::Temporary(t), slot);
        if placed != dtype {
            moving.then(&from_words(dtype), placed);
        }
        self.push(&moving, to)
    }
}

/// The casts of an element of a narrow type to a word.
fn as_words(dtype: DType) -> Vec<(Op, DType)> {
    match dtype.is_float() {
        true => vec![(Op::BIT_CAST, DType::U16), (Op::CAST, DType::U32)],
        false => vec![(Op::CAST, DType::U32)],
    }
}

fn from_words(dtype: DType) -> Vec<(Op, DType)> {
    match dtype.is_float() {
        true => vec![(Op::CAST, DType::U16), (Op::BIT_CAST, dtype)],
        false => vec![(Op::CAST, dtype)],
    }
}

impl Body {
    /// The same with casts of its result, which has type `from`.
    fn then(&mut self, casts: &[(Op, DType)], from: DType) {
        let mut operand = from;
        for &(op, dtype) in casts {
            let Some(result) = self.result else { return };
            self.steps.push(Step {
                op,
                args: vec![result],
                operand,
                dtype,
            });
            self.result = Some(Arg::Step(self.steps.len() - 1));
            operand = dtype;
        }
    }
}
