//! Broadcast rules: which axis of the result each axis of each operand sits on.
//!
//! The rules come from five texts: ONNX's *Broadcasting in ONNX* (multidirectional,
//! unidirectional), OpenVINO's *Broadcast Rules For Elementwise Operations* in three versions
//! (None, Numpy, PDPD, Bidirectional) and SONNX's n-ary *Broadcast*. Plans and kernels know no rule's
//! name: all they see is an [`Alignment`].

mod spelling;

use std::fmt;

use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::view::{AxisMap, Map};

/// A broadcast rule: how operands of different shapes are brought to one shape.
///
/// ```
/// use zerostride::{Rule, Shape};
///
/// let [image, bias] = [Shape::from([8, 3, 32, 32]), Shape::from([3])];
/// // Aligned from the right, 3 meets 32; PDPD puts it on axis 1.
/// assert!(Rule::Numpy.align(&[&image, &bias]).is_err());
/// let aligned = Rule::Pdpd { axis: 1 }.align(&[&image, &bias])?;
/// assert_eq!(aligned.shape, image);
/// assert_eq!(aligned.axes[1], [Some(1)]);
/// # Ok::<(), zerostride::Error>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Rule {
    /// All shapes must be equal; nothing is broadcast (OpenVINO `none`).
    None,
    /// Aligns any number of operands from the right and broadcasts extents of 1 (NumPy, ONNX
    /// multidirectional, OpenVINO `numpy`, SONNX `Broadcast`). The common extent is the extent
    /// other than 1, so `[0]` with `[1]` gives `[0]`.
    #[default]
    Numpy,
    /// Broadcasts the other operands, right-aligned, to the shape of the target operand, which is
    /// the result's shape (ONNX unidirectional).
    Unidirectional,
    /// Broadcasts the other operands along consecutive axes of the target operand, from `axis` on
    /// (OpenVINO `pdpd`). -1 means rank(target) - rank(operand), before the operand's trailing
    /// extents of 1 are dropped; then the remaining extents are compared.
    Pdpd {
        /// The axis of the target for the operand's first axis, or -1.
        axis: i64,
    },
    /// Broadcasts one operand and a target shape with each other, right-aligned; the result may be
    /// larger than the target (OpenVINO `bidirectional`, ONNX Expand).
    Bidirectional {
        /// The target shape.
        target: Shape,
    },
    /// Broadcasts one operand to exactly this shape, right-aligned (OpenVINO Broadcast, mode
    /// `numpy`).
    To {
        /// The shape of the result.
        target: Shape,
    },
    /// Broadcasts one operand, each of whose axes is placed on an axis of the target (OpenVINO
    /// Broadcast, mode `explicit`).
    Explicit {
        /// The shape of the result.
        target: Shape,
        /// The axis of the target for each axis of the operand, ascending.
        axes: Vec<usize>,
    },
}

/// The result of a rule: the common shape, and the place of each operand's axes in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alignment {
    /// The shape of the result.
    pub shape: Shape,
    /// For each operand and each of its axes: the axis of the result, or `None` for a dropped axis
    /// of extent 1.
    #[doc(hidden)]
    pub axes: Vec<Vec<Option<usize>>>,
}

impl Alignment {
    /// The layout of operand `i`, broadcast to the result's shape: broadcast axes have stride 0.
    ///
    /// ```
    /// use zerostride::{Layout, Rule};
    ///
    /// let row = Layout::contiguous([3])?;
    /// let aligned = Rule::Numpy.align(&[&[2, 3].into(), row.shape()])?;
    /// assert_eq!(aligned.layout(1, &row).strides(), [0, 1]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    pub fn layout(&self, i: usize, operand: &Layout) -> Layout {
        operand.through(&self.map(i, operand.shape()))
    }

    /// The map from indices of the result to indices of operand `i`, whose shape is `shape`.
    #[doc(hidden)]
    pub fn map(&self, i: usize, shape: &Shape) -> Map {
        let sits = |(&on, &extent): (&Option<usize>, &usize)| match on {
            Some(axis) if extent == self.shape.extents()[axis] => AxisMap::same(axis),
            _ => AxisMap::FIXED,
        };
        Map::new(
            self.shape.clone(),
            self.axes[i].iter().zip(shape.extents()).map(sits).collect(),
        )
    }
}

impl Rule {
    /// The rule's name, without its parameters.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Numpy => "Numpy",
            Self::Unidirectional => "Unidirectional",
            Self::Pdpd { .. } => "Pdpd",
            Self::Bidirectional { .. } => "Bidirectional",
            Self::To { .. } => "To",
            Self::Explicit { .. } => "Explicit",
        }
    }

    /// Aligns the operands' shapes; the target operand of one-way rules is operand 0.
    ///
    /// # Errors
    /// Each names the operand, the axis and the extents:
    /// - [`Error::Extents`]: two extents that the rule does not broadcast;
    /// - [`Error::Rank`]: an operand with more axes than the rule allows;
    /// - [`Error::Axis`]: an axis of the rule that the target does not have;
    /// - [`Error::Arity`]: no operand, or more than the rule takes;
    /// - [`Error::TooManyElements`]: a result with too many elements to be counted.
    pub fn align(&self, shapes: &[&Shape]) -> Result<Alignment> {
        self.align_onto("broadcast", shapes, 0)
    }

    /// Aligns as [`align`](Self::align) does, for the operator `op` and target operand `target`.
    ///
    /// # Errors
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::Arity`],
    ///   [`Error::TooManyElements`] as [`align`](Self::align) returns them;
    /// - [`Error::Argument`] if operand `target` does not exist.
    pub fn align_onto(&self, op: &str, shapes: &[&Shape], target: usize) -> Result<Alignment> {
        if shapes.is_empty() {
            return Err(Error::Arity {
                op: op.into(),
                expected: "at least 1".into(),
                found: 0,
            });
        }
        if target >= shapes.len() {
            let reason = format!(
                "the target is operand {target}, but {} were given",
                shapes.len()
            );
            return Err(Error::argument(op, reason));
        }
        let call = Call {
            rule: self,
            op,
            shapes,
        };
        let alignment = match self {
            Self::None => call.equal(),
            Self::Numpy => call.right_aligned(shapes),
            Self::Unidirectional => call.onto(shapes[target]),
            Self::Pdpd { axis } => call.runs(*axis, target),
            Self::Bidirectional { target } => {
                let x = call.single()?;
                let mut both = call.right_aligned(&[x, target])?;
                both.axes.truncate(1);
                Ok(both)
            }
            Self::To { target } => {
                call.single()?;
                call.onto(target)
            }
            Self::Explicit { target, axes } => {
                let x = call.single()?;
                call.placed(x, target, axes)
            }
        }?;
        alignment.shape.len()?;
        Ok(alignment)
    }
}

/// One alignment in progress, with the data for its errors.
struct Call<'a> {
    rule: &'a Rule,
    op: &'a str,
    shapes: &'a [&'a Shape],
}

impl Call<'_> {
    fn all(&self) -> Vec<Shape> {
        let mut all: Vec<Shape> = self.shapes.iter().map(|&s| s.clone()).collect();
        match self.rule {
            Rule::Bidirectional { target }
            | Rule::To { target }
            | Rule::Explicit { target, .. } => all.push(target.clone()),
            _ => {}
        }
        all
    }

    fn extents(&self, axis: usize, left: usize, right: usize) -> Error {
        Error::Extents {
            op: self.op.into(),
            rule: self.rule.name(),
            shapes: self.all(),
            axis,
            left,
            right,
        }
    }

    fn rank(&self, operand: usize, expected: String) -> Error {
        let rank = self.shapes[operand].rank();
        Error::Rank {
            op: self.op.into(),
            rule: self.rule.name(),
            shapes: self.all(),
            operand,
            rank,
            expected,
        }
    }

    fn single(&self) -> Result<&Shape> {
        match self.shapes {
            [x] => Ok(x),
            _ => {
                let op = format!("{} under {}", self.op, self.rule.name());
                Err(Error::Arity {
                    op,
                    expected: "1".into(),
                    found: self.shapes.len(),
                })
            }
        }
    }

    fn equal(&self) -> Result<Alignment> {
        let first = self.shapes[0];
        for (i, shape) in self.shapes.iter().enumerate() {
            if shape.rank() != first.rank() {
                return Err(self.rank(i, format!("operand 0 has rank {}", first.rank())));
            }
            for (axis, (&l, &r)) in first.extents().iter().zip(shape.extents()).enumerate() {
                if l != r {
                    return Err(self.extents(axis, l, r));
                }
            }
        }
        let own: Vec<_> = (0..first.rank()).map(Some).collect();
        Ok(Alignment {
            shape: first.clone(),
            axes: vec![own; self.shapes.len()],
        })
    }

    /// Aligns shapes from the right; shorter shapes get leading axes of extent 1.
    fn right_aligned(&self, shapes: &[&Shape]) -> Result<Alignment> {
        let rank = shapes.iter().map(|s| s.rank()).max().unwrap_or(0);
        let mut common = vec![1; rank];
        for shape in shapes {
            let skip = rank - shape.rank();
            for (axis, &extent) in (skip..).zip(shape.extents()) {
                match common[axis] {
                    1 => common[axis] = extent,
                    c if extent == 1 || extent == c => {}
                    c => return Err(self.extents(axis, c, extent)),
                }
            }
        }
        let axes = shapes
            .iter()
            .map(|s| (rank - s.rank()..rank).map(Some).collect())
            .collect();
        Ok(Alignment {
            shape: common.into(),
            axes,
        })
    }

    /// Broadcasts every operand, right-aligned, to `target`.
    fn onto(&self, target: &Shape) -> Result<Alignment> {
        let rank = target.rank();
        let mut axes = Vec::with_capacity(self.shapes.len());
        for (i, shape) in self.shapes.iter().enumerate() {
            let Some(skip) = rank.checked_sub(shape.rank()) else {
                return Err(self.rank(i, format!("more than the target's {rank}")));
            };
            for (axis, &extent) in (skip..).zip(shape.extents()) {
                let wanted = target.extents()[axis];
                if extent != wanted && extent != 1 {
                    return Err(self.extents(axis, wanted, extent));
                }
            }
            axes.push((skip..rank).map(Some).collect());
        }
        Ok(Alignment {
            shape: target.clone(),
            axes,
        })
    }

    /// Broadcasts every operand but the target along consecutive axes of the target.
    fn runs(&self, axis: i64, target: usize) -> Result<Alignment> {
        let wanted = self.shapes[target];
        let rank = wanted.rank();
        let mut axes = Vec::with_capacity(self.shapes.len());
        for (i, shape) in self.shapes.iter().enumerate() {
            if i == target {
                axes.push((0..rank).map(Some).collect());
                continue;
            }
            if shape.rank() > rank {
                return Err(self.rank(i, format!("more than the target's {rank}")));
            }
            let kept = shape
                .extents()
                .iter()
                .rposition(|&e| e != 1)
                .map_or(0, |last| last + 1);
            let start = match axis {
                -1 => rank - shape.rank(),
                _ => usize::try_from(axis)
                    .ok()
                    .filter(|s| s.checked_add(kept).is_some_and(|end| end <= rank))
                    .ok_or_else(|| Error::Axis {
                        op: self.op.into(),
                        axis,
                        rank,
                        expected: format!(
                            "under Pdpd it must be -1, or 0 to {} for shape {shape}",
                            rank - kept
                        ),
                    })?,
            };
            for (on, &extent) in (start..).zip(&shape.extents()[..kept]) {
                let here = wanted.extents()[on];
                if extent != here && extent != 1 {
                    return Err(self.extents(on, here, extent));
                }
            }
            axes.push(
                (0..shape.rank())
                    .map(|a| (a < kept).then_some(start + a))
                    .collect(),
            );
        }
        Ok(Alignment {
            shape: wanted.clone(),
            axes,
        })
    }

    /// Places each axis of the operand on an axis of the target.
    fn placed(&self, x: &Shape, target: &Shape, axes: &[usize]) -> Result<Alignment> {
        if axes.len() != x.rank() {
            return Err(self.rank(0, format!("but {} axes are named", axes.len())));
        }
        let axis_error = |axis: usize, expected: String| Error::Axis {
            op: self.op.into(),
            axis: axis as i64,
            rank: target.rank(),
            expected,
        };
        for (a, (&on, &extent)) in axes.iter().zip(x.extents()).enumerate() {
            if a > 0 && axes[a - 1] >= on {
                return Err(axis_error(on, format!("the axes {axes:?} must ascend")));
            }
            let wanted = *target
                .extents()
                .get(on)
                .ok_or_else(|| axis_error(on, format!("the target is {target}")))?;
            if extent != wanted && extent != 1 {
                return Err(self.extents(on, wanted, extent));
            }
        }
        Ok(Alignment {
            shape: target.clone(),
            axes: vec![axes.iter().copied().map(Some).collect()],
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pdpd { axis } => write!(f, "Pdpd axis={axis}"),
            Self::Bidirectional { target } | Self::To { target } => {
                write!(f, "{} {target}", self.name())
            }
            Self::Explicit { target, axes } => write!(f, "Explicit {target} axes={axes:?}"),
            _ => f.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests;
