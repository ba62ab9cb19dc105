//! The kinds of a graph's nodes, and the properties that passes, boxes and streams ask for.

use super::Scalar;
use crate::error::Result;
use crate::layout::Layout;
use crate::op::{Folding, Op};
use crate::shape::Shape;
use crate::view::Map;

/// The most pieces among which one kernel chooses; more are written one by one.
pub(super) const CHOSEN: usize = 16;

/// The kind of a node of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum GraphKind {
    /// An input slot.
    Slot(usize),
    /// A number.
    Scalar(Scalar),
    /// An operator of fixed arity.
    Step(Op),
    /// The matrix product of two operands, each on axes of its own.
    Product,
    /// The elements of the operand, an alias, in place under another shape. Users read this node
    /// through aliases.
    Relaid(Relaid),
    /// The operand itself under the map: a view, a broadcast, a cast to the same type.
    Alias,
    /// The elements of the operand, seen as a whole, folded by a row along these of its axes, which
    /// the result lacks.
    Reduce { op: Folding, axes: Vec<usize> },
    /// The elements of the operand, seen as a whole, each folded by a row with all elements before
    /// it along an axis, or after it.
    Scan {
        op: Folding,
        axis: usize,
        /// Without the element itself.
        exclusive: bool,
        reverse: bool,
    },
    /// The index of each element along these axes, in row-major order of them, as u32.
    Position { axes: Vec<usize> },
    /// Elements of operand 0 along an axis, at the positions in operand 1, which are u32.
    Taken { axis: usize },
    /// The number of elements of operand 0, a sorted array, that are less than the element of
    /// operand 1, or with `right` not greater, as u32.
    Searched { right: bool },
    /// The elements of each operand, seen as a whole, at the places to which its map leads by steps
    /// of 1 or -1, never two to one place; 0 elsewhere.
    Placed(Vec<Map>),
    /// 0, 1, 2 and so on, as u32.
    Numbers,
}

/// How a node lays out its operand's elements, which lie in a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relaid {
    /// In row-major order.
    RowMajor,
    /// In windows along each of these axes; the axes of the windows' own elements come after the
    /// operand's.
    Windows(Vec<usize>),
}

impl Relaid {
    /// The layout under the node's shape.
    ///
    /// # Errors
    /// [`Error::View`](crate::Error::View) where strides cannot express it.
    pub fn layout(&self, operand: &Layout, shape: &Shape) -> Result<Layout> {
        let Self::Windows(axes) = self else {
            return operand.reshape(shape);
        };
        let mut strides = operand.strides().to_vec();
        strides.extend(axes.iter().map(|&axis| operand.strides()[axis]));
        Layout::new(shape.clone(), strides, operand.offset())
    }
}

/// How the elements of a node are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computed {
    /// Not at all: they are in the buffer of an input.
    Bound,
    /// Where they are needed, without operands.
    Known,
    /// By the passes of its users, from its operands.
    Fused,
    /// By a separate pass, from buffers of its operands.
    Apart,
    /// By the pass of its operand, whose elements it has.
    Relaid,
    /// By passes for each operand, which write them one after another.
    Piecewise,
    /// By a pass that folds.
    Folded,
}

/// The part of an operand that an element of a node needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The element to which the map leads.
    Through,
    /// Along each axis of the operand, the index along this axis of the node, or the whole axis.
    Along(Vec<Option<usize>>),
    /// Possibly the whole operand.
    Whole,
}

impl GraphKind {
    /// How its elements are computed.
    pub fn computed(&self) -> Computed {
        match self {
            Self::Slot(_) => Computed::Bound,
            Self::Scalar(_) | Self::Position { .. } | Self::Numbers => Computed::Known,
            Self::Placed(places) if places.len() > CHOSEN => Computed::Piecewise,
            Self::Step(_) | Self::Alias | Self::Placed(_) => Computed::Fused,
            Self::Product | Self::Taken { .. } | Self::Searched { .. } => Computed::Apart,
            Self::Relaid(_) => Computed::Relaid,
            Self::Reduce { .. } | Self::Scan { .. } => Computed::Folded,
        }
    }

    /// Whether a buffer holds its elements before the passes of its users begin.
    pub fn has_buffer(&self) -> bool {
        !matches!(self.computed(), Computed::Known | Computed::Fused)
    }

    /// The part of operand `k`, which has this rank, that an element needs.
    pub fn operand(&self, k: usize, rank: usize) -> Seen {
        match self {
            Self::Reduce { axes, .. } => {
                let mut kept = 0..;
                let along = |axis| match axes.contains(&axis) {
                    true => None,
                    false => kept.next(),
                };
                Seen::Along((0..rank).map(along).collect())
            }
            // Batches, and rows of the first factor or columns of the second.
            Self::Product => {
                let own = |axis: &usize| axis + 2 < rank || axis + 2 == rank + k;
                Seen::Along((0..rank).map(|axis| Some(axis).filter(own)).collect())
            }
            Self::Searched { .. } if k == 0 => Seen::Along(vec![None; rank]),
            Self::Relaid(_) | Self::Placed(_) | Self::Taken { .. } | Self::Scan { .. } => {
                Seen::Whole
            }
            _ => Seen::Through,
        }
    }

    /// Whether parts of a result share it as a whole: an input, whose boxes are read in place, or a
    /// node whose element, and so a box, may need all of an operand.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Slot(_) | Self::Scalar(_) | Self::Numbers)
            || self.operand(0, 0) == Seen::Whole
    }

    /// The axes along which its elements are their own indices.
    pub fn numbered(&self) -> Option<&[usize]> {
        match self {
            Self::Position { axes } => Some(axes),
            Self::Numbers => Some(&[0]),
            _ => None,
        }
    }

    /// Whether a stream supports a node of a shape that is too large to be computed as a whole.
    ///
    /// # Errors
    /// The reason if it does not.
    #[cfg(feature = "files")]
    pub fn streams(&self, shape: &Shape) -> Result<(), String> {
        let whole = "computed as a whole and cannot be streamed; run it in memory";
        match self {
            Self::Relaid(Relaid::RowMajor) => Err(format!(
                "an array reshaped to {shape} is {whole}, or reshape only inputs in C order"
            )),
            Self::Relaid(Relaid::Windows(_)) => Err(format!(
                "the windows of a computed array, of shape {shape}, are {whole}, or take windows of inputs only"
            )),
            Self::Taken { .. } => Err(format!("a take to {shape} is {whole}")),
            _ if self.computed() == Computed::Piecewise => Err(format!(
                "a join of more than {CHOSEN} arrays, to {shape}, is {whole}"
            )),
            _ => Ok(()),
        }
    }
}
