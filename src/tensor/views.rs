//! Views of tensors.

use super::Tensor;
use crate::error::Result;
use crate::layout::Layout;
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::{Indices, View};

impl Tensor {
    fn with_layout(&self, layout: Layout) -> Self {
        Self {
            layout,
            ..self.clone()
        }
    }

    /// A view of this tensor: no copy.
    ///
    /// # Errors
    /// [`Error::View`](crate::Error::View) or [`Error::Axis`](crate::Error::Axis) if the view does
    /// not fit the shape.
    pub fn view(&self, view: &View) -> Result<Self> {
        Ok(self.with_layout(self.layout.view(view)?))
    }

    /// Permutes the axes: axis `i` of the view is axis `axes[i]` of this tensor.
    ///
    /// # Errors
    /// [`Error::View`](crate::Error::View) or [`Error::Axis`](crate::Error::Axis) if the view does
    /// not fit the shape.
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        self.view(&View::Permute(axes.to_vec()))
    }

    /// Reverses the order of the axes.
    pub fn transpose(&self) -> Self {
        self.permute(&(0..self.shape().rank()).rev().collect::<Vec<_>>())
            .unwrap_or_else(|_| self.clone())
    }

    /// Basic indexing with NumPy's meaning, by numbers, ranges or [`Index`](crate::Index): no copy.
    ///
    /// ```
    /// # use zerostride::{Context, Index};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1u8, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(x.slice((.., 1..3))?.read_blocking::<u8>()?, [2, 3, 5, 6]);
    /// assert_eq!(x.slice(-1)?.read_blocking::<u8>()?, [4, 5, 6]);
    /// let reversed = x.slice((0, Index::step(.., -1)))?;
    /// assert_eq!(reversed.read_blocking::<u8>()?, [3, 2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::View`](crate::Error::View) or [`Error::Axis`](crate::Error::Axis) if the view does
    /// not fit the shape.
    pub fn slice(&self, items: impl Indices) -> Result<Self> {
        self.view(&View::Slice(items.indices()))
    }

    /// Inserts an axis of extent 1 at this place of the view; a negative one counts from the end.
    ///
    /// # Errors
    /// [`Error::View`](crate::Error::View) or [`Error::Axis`](crate::Error::Axis) if the view does
    /// not fit the shape.
    pub fn unsqueeze(&self, axis: isize) -> Result<Self> {
        self.view(&View::Unsqueeze(vec![axis]))
    }

    /// Removes this axis, whose extent must be 1; a negative number counts from the end.
    ///
    /// # Errors
    /// [`Error::View`](crate::Error::View) or [`Error::Axis`](crate::Error::Axis) if the view does
    /// not fit the shape.
    pub fn squeeze(&self, axis: isize) -> Result<Self> {
        self.view(&View::Squeeze(Some(vec![axis])))
    }

    /// The same elements in the same order under another shape: no copy.
    ///
    /// # Errors
    /// [`Error::View`](crate::Error::View) if the numbers of elements differ, or if the strides
    /// cannot express the shape; then [`materialize`](Self::materialize) first.
    pub fn reshape(&self, shape: impl Into<Shape>) -> Result<Self> {
        Ok(self.with_layout(self.layout.reshape(shape)?))
    }

    /// Broadcasts this tensor to a shape by a rule of one operand ([`Rule::To`],
    /// [`Rule::Bidirectional`], [`Rule::Explicit`]): no copy.
    ///
    /// # Errors
    /// - [`Error::Extents`](crate::Error::Extents), [`Error::Rank`](crate::Error::Rank),
    ///   [`Error::Axis`](crate::Error::Axis) if the shape does not fit, with the operand, axis and
    ///   extents
    /// - [`Error::TooManyElements`](crate::Error::TooManyElements) for a result with too
    ///   many elements to count
    pub fn broadcast(&self, rule: &Rule) -> Result<Self> {
        let alignment = rule.align(&[self.shape()])?;
        Ok(self.with_layout(self.layout.through(&alignment.map(0, self.shape()))))
    }

    /// A view with exactly this shape, as NumPy's `broadcast_to`.
    ///
    /// # Errors
    /// - [`Error::Extents`](crate::Error::Extents), [`Error::Rank`](crate::Error::Rank),
    ///   [`Error::Axis`](crate::Error::Axis) if the shape does not fit, with the operand, axis and
    ///   extents
    /// - [`Error::TooManyElements`](crate::Error::TooManyElements) for a result with too
    ///   many elements to count
    pub fn broadcast_to(&self, target: impl Into<Shape>) -> Result<Self> {
        self.broadcast(&Rule::To {
            target: target.into(),
        })
    }
}

/// Broadcasts all tensors to their common shape under [`Rule::Numpy`]: the SONNX operator
/// `Broadcast`. The results are views; [`Tensor::materialize`] copies one.
///
/// # Errors
/// - [`Error::Extents`](crate::Error::Extents), [`Error::Rank`](crate::Error::Rank),
///   [`Error::Axis`](crate::Error::Axis) if the shape does not fit, with the operand, axis and
///   extents
/// - [`Error::TooManyElements`](crate::Error::TooManyElements) for too many elements to count
pub fn broadcast_all(tensors: &[&Tensor]) -> Result<Vec<Tensor>> {
    let shapes: Vec<&Shape> = tensors.iter().map(|t| t.shape()).collect();
    let alignment = Rule::Numpy.align(&shapes)?;
    let view =
        |(i, t): (usize, &&Tensor)| t.with_layout(t.layout.through(&alignment.map(i, t.shape())));
    Ok(tensors.iter().enumerate().map(view).collect())
}
