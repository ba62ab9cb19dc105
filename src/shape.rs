//! `Shape`: the extents of a tensor, outermost axis first.

use std::fmt;

/// A shape with more elements than an index can count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "shape {shape} has more elements than the {limit} that can be counted; split the arrays into smaller parts"
)]
#[non_exhaustive]
pub struct TooManyElements {
    /// The shape.
    pub shape: Shape,
    /// The largest allowed number of elements.
    pub limit: usize,
}

/// The extents of a tensor, outermost axis first. Rank 0 is a scalar; extents may be 0.
///
/// ```
/// use zerostride::Shape;
///
/// let shape = Shape::from([2, 3]);
/// assert_eq!((shape.rank(), shape.len()?, shape.to_string()), (2, 6, "[2, 3]".into()));
/// # Ok::<(), zerostride::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(Vec<usize>);

impl Shape {
    /// The shape with these extents.
    pub fn new(extents: impl Into<Self>) -> Self {
        extents.into()
    }

    /// The shape of a scalar, `[]`.
    pub fn scalar() -> Self {
        Self(Vec::new())
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The extents, outermost first.
    pub fn extents(&self) -> &[usize] {
        &self.0
    }

    /// The number of elements; 1 for a scalar, 0 if any extent is 0.
    ///
    /// # Errors
    /// [`TooManyElements`] if the product of the nonzero extents does not fit `isize`, the type of
    /// a stride.
    pub fn len(&self) -> Result<usize, TooManyElements> {
        // Extents beside a 0 are counted too, so that no product of some of them overflows.
        let len = self
            .0
            .iter()
            .filter(|&&e| e != 0)
            .try_fold(1usize, |n, &e| n.checked_mul(e));
        match len {
            Some(n) if isize::try_from(n).is_ok() => Ok(if self.is_empty() { 0 } else { n }),
            _ => Err(TooManyElements {
                shape: self.clone(),
                limit: isize::MAX.unsigned_abs(),
            }),
        }
    }

    /// Merges the axes `axis` and `axis + 1`.
    pub(crate) fn joined(&self, axis: usize) -> Self {
        let mut extents = self.extents().to_vec();
        extents[axis] *= extents.remove(axis + 1);
        extents.into()
    }

    /// Whether an extent is 0, so that the shape has no elements.
    pub fn is_empty(&self) -> bool {
        self.0.contains(&0)
    }

    /// The strides, in elements, of a contiguous row-major array of this shape.
    pub(crate) fn row_major(&self) -> Vec<isize> {
        let mut strides = vec![0; self.rank()];
        let mut step = 1isize;
        for (stride, &extent) in strides.iter_mut().zip(&self.0).rev() {
            *stride = step;
            step = step.saturating_mul(isize::try_from(extent).unwrap_or(isize::MAX));
        }
        strides
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Vec<usize>> for Shape {
    fn from(extents: Vec<usize>) -> Self {
        Self(extents)
    }
}

impl From<&[usize]> for Shape {
    fn from(extents: &[usize]) -> Self {
        Self(extents.to_vec())
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(extents: [usize; N]) -> Self {
        Self(extents.to_vec())
    }
}

impl<const N: usize> From<&[usize; N]> for Shape {
    fn from(extents: &[usize; N]) -> Self {
        Self(extents.to_vec())
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalar_has_one_element_and_a_zero_extent_none() {
        assert_eq!(Shape::scalar().len().unwrap(), 1);
        assert_eq!(Shape::new([3, 0, 5]).len().unwrap(), 0);
        assert!(Shape::new([usize::MAX, 0, 5]).len().is_err());
    }

    #[test]
    fn too_many_elements_is_an_error_not_a_wrap() {
        for extents in [[1usize << 40, 1 << 40], [1 << 32, 1 << 31], [usize::MAX, 1]] {
            let err = Shape::new(extents).len().unwrap_err();
            assert_eq!(err.shape, Shape::new(extents));
        }
    }

    #[test]
    fn row_major_strides_count_elements() {
        assert_eq!(Shape::new([2, 3, 4]).row_major(), [12, 4, 1]);
        assert_eq!(Shape::scalar().row_major(), [0isize; 0]);
    }
}
