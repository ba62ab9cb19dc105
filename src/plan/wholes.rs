//! What a plan computes, each as if it were one pass, for lists of steps.

use super::body::Body;
use super::operand::{Operand, Target};
use crate::dtype::DType;
use crate::layout::Layout;
use crate::shape::Shape;

/// What one or several passes compute and write as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    pub kind: WholeKind,
    /// Temporaries have the numbers that they had before any shared a buffer.
    pub target: Target,
    pub dtype: DType,
    pub shape: Shape,
}

/// What is computed as a whole.
#[derive(Clone, Debug)]
pub(crate) enum WholeKind {
    /// Steps, folds, or a scan, from the last element to the first if `reverse`.
    Body { body: Body, reverse: bool },
    /// The matrix product of two factors.
    Product([Operand; 2]),
    /// Elements of the first along an axis, at the positions that the second is.
    Taken { operands: [Operand; 2], axis: usize },
    /// The results of bodies where these layouts lead among zeros.
    Placed {
        bodies: Vec<Body>,
        places: Vec<Layout>,
    },
}
