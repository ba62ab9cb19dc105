//! A listed step, and what is computed of it.

use crate::dtype::DType;
use crate::expr::Scalar;
use crate::layout::Layout;
use crate::op::{Op, Operands, Value, fold_in_order, scan_in_order};
use crate::shape::Shape;

/// A step of a plan, as [`Plan::steps`](crate::Plan::steps) lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepInfo {
    /// The operator; a cast's target is `dtype`.
    pub op: Op,
    /// The type of its result.
    pub dtype: DType,
    /// The shape that all operands are brought to. So is the result's, but for `reduced`.
    pub shape: Shape,
    /// Its operands.
    pub operands: Vec<StepOperand>,
    /// The axes of `shape` along which the one operand is folded by `op`, in the order that
    /// [`fold`](Self::fold) keeps; the result has the others. None of a step of one element each.
    pub reduced: Vec<usize>,
    /// How the one operand is scanned by `op`, in the order that [`scan`](Self::scan) keeps, if it
    /// is. The result has all axes of `shape` then.
    pub scanned: Option<ScanInfo>,
}

/// How an operand of a listed step is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanInfo {
    /// Along this axis.
    pub axis: usize,
    /// From the last element to the first.
    pub reverse: bool,
    /// The storage bits that all results begin with, which are without their own element then.
    pub begin: Option<u64>,
}

/// An operand of a listed step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepOperand {
    /// What it is.
    pub value: StepValue,
    /// Where its elements lie, on the axes of the step's shape, in elements: in an input's buffer,
    /// or in the row-major elements of an earlier step. Strides are 0 for a number.
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
    /// The number of an element along the axes that are reduced, as u32: what its layout says of
    /// where it lies.
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

    /// What the reference makes of one element of each operand, all of type `dtype`, in storage
    /// bits; `None` for an operator that does not take them so.
    pub fn compute(&self, elements: &[u64]) -> Option<u64> {
        let form = self.op.form(self.dtype)?;
        let value = |&bits: &u64| match form.read {
            Operands::Storage => Value::Bits(bits),
            _ => Value::decode(self.dtype, bits),
        };
        let values: Vec<Value> = elements.iter().map(value).collect();
        let takes = !self.op.takes_dtype() && values.len() == self.op.operands().len();
        takes.then(|| (form.cpu)(&values).encode(self.dtype))
    }
}
