//! Scans as if each were one pass, for lists of steps.

use super::body::Body;
use super::operand::Target;
use crate::dtype::DType;

/// A scan of a plan, as if it were one pass.
#[derive(Clone, Debug)]
pub(crate) struct WholeScan {
    pub body: Body,
    /// Whether it runs from the last element to the first.
    pub reverse: bool,
    pub target: Target,
    /// The type of the results.
    pub dtype: DType,
}
