//! What the nodes of a graph are, and what passes, boxes and streams ask of them.

use super::Scalar;
use crate::error::Result;
use crate::layout::Layout;
use crate::op::{Folding, Op};
use crate::shape::Shape;
use crate::view::Map;

/// Pieces among which kernels choose; more are written one by one.
pub(super) const CHOSEN: usize = 16;

/// What a node of the graph is.
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
    /// The elements of the operand, an alias, where they lie, under another shape. Its users see it
    /// through aliases.
    Relaid(Relaid),
    /// The operand itself under the map: a view, a broadcast, a cast to the same type.
    Alias,
    /// The elements of the operand, which is given as a whole, folded by a row along these axes of
    /// it, which the result lacks.
    Reduce { op: Folding, axes: Vec<usize> },
    /// The elements of the operand, which is given as a whole, folded by a row with all that stand
    /// before each along an axis, or behind it.
    Scan {
        op: Folding,
        axis: usize,
        /// Without the element itself.
        exclusive: bool,
        reverse: bool,
    },
    /// The number of each element along these axes, in row-major order of them, as u32.
    Position { axes: Vec<usize> },
    /// Elements of operand 0 along an axis, whose positions operand 1 is, as u32.
    Taken { axis: usize },
    /// How many elements of operand 0, a sorted row, are less than the element of operand 1, or with
    /// `right` not greater, as u32.
    Searched { right: bool },
    /// The elements of each operand, which is given as a whole, where its map leads from their
    /// indices by steps of 1 or -1, no two to one place; 0 elsewhere.
    Placed(Vec<Map>),
    /// 0, 1, 2 and so on, as u32.
    Numbers,
}

/// How a node has its operand's elements, which lie in a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relaid {
    /// In row-major order.
    RowMajor,
    /// Those that begin at an element: along each of these axes as many as an axis behind the
    /// operand's has.
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
    /// Where they are needed, of nothing.
    Known,
    /// By the passes of its users, of its operands.
    Fused,
    /// By a pass that computes nothing else, of buffers of its operands.
    Apart,
    /// By the pass of its operand, whose elements it has.
    Relaid,
    /// By passes for each operand, which write them one behind another.
    Piecewise,
    /// By a pass that folds.
    Folded,
}

/// What an element of a node needs of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The element to which the map leads.
    Through,
    /// Along each axis of the operand the index along this axis of the node, or all of it.
    Along(Vec<Option<usize>>),
    /// All of it, as far as is known.
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

    /// Whether a buffer has its elements before the passes of its users begin.
    pub fn has_buffer(&self) -> bool {
        !matches!(self.computed(), Computed::Known | Computed::Fused)
    }

    /// What an element needs of operand `k`, which has this rank.
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

    /// Whether parts of a result share it as a whole: boxes of an input are read where they lie, and
    /// where an element may need all of an operand, a box does.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Slot(_) | Self::Scalar(_) | Self::Numbers)
            || self.operand(0, 0) == Seen::Whole
    }

    /// The axes along which its elements are their numbers.
    pub fn numbered(&self) -> Option<&[usize]> {
        match self {
            Self::Position { axes } => Some(axes),
            Self::Numbers => Some(&[0]),
            _ => None,
        }
    }

    /// Whether a stream computes one of a shape that is too large to be computed as a whole.
    ///
    /// # Errors
    /// Why it does not.
    #[cfg(feature = "files")]
    pub fn streams(&self, shape: &Shape) -> Result<(), String> {
        let whole = "computed as a whole and cannot be streamed; run it in memory";
        match self {
            Self::Relaid(Relaid::RowMajor) => Err(format!(
                "what is reshaped to {shape} is {whole}, or reshape inputs that lie in C order only"
            )),
            Self::Relaid(Relaid::Windows(_)) => Err(format!(
                "the windows of a computed array, of shape {shape}, are {whole}, or take windows of inputs only"
            )),
            Self::Taken { .. } => Err(format!("what is taken of {shape} is {whole}")),
            _ if self.computed() == Computed::Piecewise => Err(format!(
                "a join of more than {CHOSEN} arrays, to {shape}, is {whole}"
            )),
            _ => Ok(()),
        }
    }
}
