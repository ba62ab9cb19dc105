//! A listed step, and what is computed of it.

use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{GraphKind, GraphNode, Scalar};
use crate::layout::Layout;
use crate::op::{Op, fold_in_order, scan_in_order};
#[cfg(feature = "complete")]
use crate::op::{Operands, Value};
use crate::shape::Shape;

/// A step of a plan, as [`Plan::steps`](crate::Plan::steps) lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepInfo {
    /// What it does with its operands.
    pub work: StepWork,
    /// The type of its result.
    pub dtype: DType,
    /// The shape of its result.
    pub shape: Shape,
    /// Its operands.
    pub operands: Vec<StepOperand>,
}

/// What a listed step does with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepWork {
    /// The operator, on the elements of the same index; a cast's target is the step's `dtype`. The
    /// operands have the shape of the result.
    Map(Op),
    /// The one operand folded by an operator, in the order that [`StepInfo::fold`] keeps.
    Fold {
        /// The operator.
        op: Op,
        /// The axes of the operand that it is folded along. The result has the others.
        axes: Vec<usize>,
    },
    /// The one operand scanned by an operator, in the order that [`StepInfo::scan`] keeps.
    Scan {
        /// The operator.
        op: Op,
        /// Along this axis.
        axis: usize,
        /// From the last element to the first.
        reverse: bool,
        /// The storage bits that all results begin with, which are without their own element then.
        begin: Option<u64>,
    },
    /// The matrix product of `[.., M, K]` and `[.., K, N]`, which have the same batches. Elements of narrower types are
    /// widened to the step's `dtype`, in which they are multiplied and summed; where a binding or a dispatch is too
    /// small, in another order than along K.
    Product,
    /// The elements of operand 0 along an axis, at the positions that operand 1 is, as u32: its axes
    /// take the place of that axis.
    Take {
        /// The axis.
        axis: usize,
    },
    /// How many elements of operand 0, a sorted row, are less than the element of operand 1.
    Search {
        /// Not greater, instead.
        right: bool,
    },
    /// The elements of each operand in their places in the result, no two in one; 0 elsewhere.
    Join {
        /// Where the elements of each operand lie in the row-major elements of the result.
        places: Vec<Layout>,
    },
}

impl StepWork {
    /// What a node does that no layout of an earlier step does.
    pub(super) fn of(node: &GraphNode) -> Result<Self> {
        Ok(match &node.kind {
            GraphKind::Step(op) => Self::Map(*op),
            GraphKind::Product => Self::Product,
            GraphKind::Reduce { op, axes } => Self::Fold {
                op: op.row(),
                axes: axes.clone(),
            },
            GraphKind::Scan {
                op,
                axis,
                exclusive,
                reverse,
            } => Self::Scan {
                op: op.row(),
                axis: *axis,
                reverse: *reverse,
                begin: exclusive.then(|| op.of_nothing(node.dtype)),
            },
            GraphKind::Taken { axis } => Self::Take { axis: *axis },
            GraphKind::Searched { right } => Self::Search { right: *right },
            GraphKind::Placed(maps) => {
                let whole = Layout::contiguous(node.shape.clone())?;
                let places = maps.iter().map(|map| whole.through(map)).collect();
                Self::Join { places }
            }
            _ => Self::Map(Op::IDENTITY),
        })
    }

    /// The operator that it applies to elements, if it applies one.
    pub fn op(&self) -> Option<Op> {
        match self {
            Self::Map(op) | Self::Fold { op, .. } | Self::Scan { op, .. } => Some(*op),
            Self::Product | Self::Take { .. } | Self::Search { .. } | Self::Join { .. } => None,
        }
    }
}

/// An operand of a listed step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepOperand {
    /// What it is.
    pub value: StepValue,
    /// Its shape, and where its elements lie, in elements: in an input's buffer, or in the row-major
    /// elements of an earlier step. Strides are 0 for a number.
    pub layout: Layout,
}

/// What an operand of a listed step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepValue {
    /// The input of a slot.
    Slot(usize),
    /// A number.
    Number(Scalar),
    /// An earlier step, counted from 0 in the list.
    Step(usize),
    /// The number of an element along some axes, as u32, which its layout says: those that are reduced,
    /// or that `arange` numbers.
    Position,
}

impl StepInfo {
    /// Folds the elements of one row, in row-major order of the reduced axes, in the order that the
    /// plan's kernels and the reference keep; `None` of none. `join` makes one of two, the earlier
    /// first.
    pub fn fold<T>(&self, row: Vec<T>, mut join: impl FnMut(&T, &T) -> T) -> Option<T> {
        let mut made = row;
        let row: Vec<u64> = (0..made.len() as u64).collect();
        let last = fold_in_order(&row, |a, b| {
            let joined = join(&made[a as usize], &made[b as usize]);
            made.push(joined);
            made.len() as u64 - 1
        });
        last.map(|at| made.swap_remove(at as usize))
    }

    /// Scans the elements of one row, in the order that the plan's kernels and the reference keep.
    /// `begin`: what all results begin with, which are without their own element then. `join` makes
    /// one of two, the earlier first.
    pub fn scan<T: Clone>(
        &self,
        row: Vec<T>,
        begin: Option<T>,
        mut join: impl FnMut(&T, &T) -> T,
    ) -> Vec<T> {
        let mut made = row;
        let row: Vec<u64> = (0..made.len() as u64).collect();
        let begin = begin.map(|begin| {
            made.push(begin);
            made.len() as u64 - 1
        });
        let scanned = scan_in_order(&row, begin, |a, b| {
            let joined = join(&made[a as usize], &made[b as usize]);
            made.push(joined);
            made.len() as u64 - 1
        });
        scanned
            .iter()
            .map(|&at| made[at as usize].clone())
            .collect()
    }

    /// What the reference (feature `complete`) makes of one element of each operand, all of type `dtype`, in storage
    /// bits; `None` for an operator that does not take them so, and for a step that applies none.
    #[cfg(feature = "complete")]
    pub fn compute(&self, elements: &[u64]) -> Option<u64> {
        let op = self.work.op()?;
        let form = op.form(self.dtype)?;
        let value = |&bits: &u64| match form.read {
            Operands::Storage => Value::Bits(bits),
            _ => Value::decode(self.dtype, bits),
        };
        let values: Vec<Value> = elements.iter().map(value).collect();
        let takes = !op.takes_dtype() && values.len() == op.operands().len();
        takes.then(|| (form.cpu)(&values).encode(self.dtype))
    }
}
