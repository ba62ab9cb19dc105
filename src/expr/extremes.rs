//! The indices of elements, and of extreme elements, made of folds and steps.

use super::Scalar;
use super::fold_nodes::without;
use super::graph::Graph;
use super::kind::GraphKind;
use super::reduce::Axes;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::{Folding, Op};
use crate::shape::Shape;

/// Refuses more elements than words number.
fn few_enough(name: &str, count: usize) -> Result<()> {
    if count > u32::MAX as usize {
        let reason = format!("{count} elements are too many: at most 2^32 - 1 are supported");
        return Err(Error::argument(name, reason));
    }
    Ok(())
}

impl Graph {
    /// The number of the extreme element along axes.
    pub(super) fn extreme(
        &mut self,
        arg: usize,
        largest: bool,
        last: bool,
        reduced: &[usize],
        count: usize,
    ) -> Result<usize> {
        let shape = self.nodes[arg].shape.clone();
        few_enough(if largest { "argmax" } else { "argmin" }, count)?;
        if count <= 1 {
            return Ok(self.everywhere(Scalar::from(0i64), without(&shape, reduced)));
        }
        let axes = reduced.to_vec();
        let kind = GraphKind::Position { axes: axes.clone() };
        let position = self.push(kind, DType::U32, shape, Vec::new());
        let number = match self.nodes[arg].dtype.size() {
            8 => self.position_of_equal(arg, position, largest, last, axes),
            _ => self.position_with_key(arg, position, largest, last, axes),
        };
        Ok(self.cast(number, DType::I64))
    }

    /// The number of each element of a node along axes; the others are left with extent 1.
    pub(super) fn position(&mut self, arg: usize, axes: &Axes) -> Result<usize> {
        let shape = self.nodes[arg].shape.clone();
        let axes = axes.of("position", shape.rank())?;
        let own = |(axis, &extent): (usize, &usize)| if axes.contains(&axis) { extent } else { 1 };
        let extents = shape.extents().iter().enumerate().map(own);
        let shape: Shape = extents.collect::<Vec<_>>().into();
        let count = shape.len()?;
        few_enough("position", count)?;
        if count <= 1 {
            return Ok(self.everywhere(Scalar::from(0u32), shape));
        }
        Ok(self.push(GraphKind::Position { axes }, DType::U32, shape, Vec::new()))
    }

    /// Of elements of 64 bits: the extreme one first, then the position of what equals it.
    fn position_of_equal(
        &mut self,
        arg: usize,
        position: usize,
        largest: bool,
        last: bool,
        axes: Vec<usize>,
    ) -> usize {
        let (dtype, shape) = self.parts(arg);
        let op = if largest { Folding::Max } else { Folding::Min };
        let extreme = self.reduce(arg, op, axes.clone());
        let extreme = self.with_axes(extreme, &shape, &axes);
        let mut hit = self.apply(Op::EQUAL, DType::Bool, &[arg, extreme]);
        if dtype.is_float() {
            // If one is NaN, so is the extreme.
            let is_nan = self.apply(Op::IS_NAN, DType::Bool, &[arg]);
            hit = self.apply(Op::OR, DType::Bool, &[hit, is_nan]);
        }
        let missing = self.number(Scalar::from(if last { 0 } else { u32::MAX }));
        let chosen = self.apply(Op::WHERE, DType::U32, &[hit, position, missing]);
        let op = if last { Folding::Max } else { Folding::Min };
        self.reduce(chosen, op, axes)
    }

    /// Of elements of 32 bits: the largest of words whose upper half orders the elements and whose
    /// lower half says where they are.
    fn position_with_key(
        &mut self,
        arg: usize,
        position: usize,
        largest: bool,
        last: bool,
        axes: Vec<usize>,
    ) -> usize {
        let key = self.key(arg, largest);
        let all = self.number(Scalar::from(u32::MAX));
        // Of equal keys the larger lower half wins.
        let turned = |graph: &mut Self, at: usize| match last {
            true => at,
            false => graph.apply(Op::BIT_XOR, DType::U32, &[at, all]),
        };
        let low = turned(self, position);
        let [key, low] = [key, low].map(|half| self.cast(half, DType::U64));
        let both = self.apply(Op::CONCAT_WORDS, DType::U64, &[key, low]);
        let both = self.bit_cast(both, DType::I64);
        let op = if last { Folding::Max } else { Folding::First };
        let found = self.reduce(both, op, axes);
        let low = self.cast(found, DType::U32);
        turned(self, low)
    }

    /// A word that, as an i32, orders elements as their type does: -0 as 0, and above all a NaN.
    fn key(&mut self, arg: usize, largest: bool) -> usize {
        let dtype = self.nodes[arg].dtype;
        let top = self.number(Scalar::from(0x8000_0000u32));
        let bits = match dtype {
            DType::U32 => arg,
            _ => self.bit_cast(arg, DType::U32),
        };
        let mut key = match dtype {
            DType::U32 => self.apply(Op::BIT_XOR, DType::U32, &[bits, top]),
            DType::F32 => {
                let zero = self.number(Scalar::from(0i32));
                let signed = self.bit_cast(arg, DType::I32);
                let is_negative = self.apply(Op::LESS, DType::Bool, &[signed, zero]);
                let negated = self.apply(Op::SUB, DType::U32, &[top, bits]);
                self.apply(Op::WHERE, DType::U32, &[is_negative, negated, bits])
            }
            _ => bits,
        };
        if !largest {
            let all = self.number(Scalar::from(u32::MAX));
            key = self.apply(Op::BIT_XOR, DType::U32, &[key, all]);
        }
        if dtype.is_float() {
            let is_nan = self.apply(Op::IS_NAN, DType::Bool, &[arg]);
            let most = self.number(Scalar::from(i32::MAX.cast_unsigned()));
            key = self.apply(Op::WHERE, DType::U32, &[is_nan, most, key]);
        }
        key
    }
}
