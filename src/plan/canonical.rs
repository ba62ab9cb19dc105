//! Joint canonicalisation: the fewest axes that all operands of a pass share.

use crate::layout::Layout;
use crate::shape::Shape;

/// The axes a pass really walks, outermost first, and each operand's stride along them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Canonical {
    /// Extents, all above 1 (or a single 1 for one element).
    pub extents: Vec<usize>,
    /// One list an operand.
    pub strides: Vec<Vec<isize>>,
}

impl Canonical {
    /// Drops axes of extent 1 and merges neighbours if every operand allows it.
    ///
    /// Axes `o` (outer) and `i` merge when `stride[o] == stride[i] * extent[i]` for every operand;
    /// stride 0 with stride 0 is such a pair. The result itself is in row-major order, so it always
    /// allows it. Law: the list of offsets of every operand is unchanged.
    pub fn new(shape: &Shape, operands: &[&Layout]) -> Self {
        let mut extents: Vec<usize> = Vec::new();
        let mut strides: Vec<Vec<isize>> = vec![Vec::new(); operands.len()];
        for (axis, &extent) in shape.extents().iter().enumerate().filter(|(_, e)| **e != 1) {
            let fits =
                |outer: isize, inner: isize| inner.checked_mul(extent.cast_signed()) == Some(outer);
            let merges = !extents.is_empty()
                && operands
                    .iter()
                    .zip(&strides)
                    .all(|(l, s)| s.last().is_some_and(|&o| fits(o, l.strides()[axis])));
            match extents.last_mut() {
                Some(outer) if merges => *outer *= extent,
                _ => extents.push(extent),
            }
            for (layout, own) in operands.iter().zip(&mut strides) {
                // Merged axes have the inner one's stride.
                own.truncate(extents.len() - 1);
                own.push(layout.strides()[axis]);
            }
        }
        if extents.is_empty() {
            extents.push(1);
            strides.iter_mut().for_each(|s| s.push(0));
        }
        Self { extents, strides }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// The extent of the innermost axis.
    pub fn inner(&self) -> usize {
        self.extents.last().copied().unwrap_or(1)
    }

    /// Whether operand `i` walks as the result does, so that the element's number is its position.
    pub fn is_row_major(&self, i: usize) -> bool {
        let mut step = 1usize;
        let mut axes = self.extents.iter().zip(&self.strides[i]).rev();
        axes.all(|(&extent, &stride)| {
            let same = extent == 1 || stride == step.cast_signed();
            step = step.saturating_mul(extent);
            same
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Index, View};
    use proptest::prelude::*;

    #[test]
    fn a_bias_over_images_has_three_axes() {
        let shape = Shape::new([64, 256, 32, 32]);
        let a = Layout::contiguous(&shape).unwrap();
        let b = Layout::new(&shape, vec![0, 1, 0, 0], 0).unwrap();
        let canonical = Canonical::new(&shape, &[&a, &b]);
        assert_eq!(canonical.extents, [64, 256, 1024]);
        assert_eq!(canonical.strides, [vec![262_144, 1024, 1], vec![0, 1, 0]]);
    }

    #[test]
    fn rank_64_of_mostly_ones_is_short() {
        let mut extents = vec![1; 64];
        extents[3] = 5;
        extents[60] = 7;
        let shape = Shape::from(extents);
        let a = Layout::contiguous(&shape).unwrap();
        assert_eq!(Canonical::new(&shape, &[&a]).extents, [35]);
    }

    proptest! {
        #[test]
        fn canonicalising_keeps_the_offset_list(
            extents in prop::collection::vec(1usize..4, 0..6),
            broadcast in prop::collection::vec(any::<bool>(), 6),
            reverse in prop::option::of(0usize..6),
        ) {
            let shape = Shape::from(extents);
            let a = Layout::contiguous(&shape).unwrap();
            let mut strides = a.strides().to_vec();
            strides.iter_mut().zip(&broadcast).for_each(|(s, &b)| if b { *s = 0 });
            let b = Layout::new(&shape, strides, 3).unwrap();
            let c = match reverse {
                Some(axis) if axis < shape.rank() => {
                    let mut items = vec![Index::ALL; axis];
                    items.push(Index::Range(None, None, -1));
                    a.view(&View::Slice(items)).unwrap()
                }
                _ => a.clone(),
            };
            let canonical = Canonical::new(&shape, &[&a, &b, &c]);
            for (i, layout) in [&a, &b, &c].into_iter().enumerate() {
                let merged = Layout::new(canonical.extents.clone(), canonical.strides[i].clone(), layout.offset()).unwrap();
                prop_assert_eq!(merged.offsets().collect::<Vec<_>>(), layout.offsets().collect::<Vec<_>>());
            }
        }
    }
}
