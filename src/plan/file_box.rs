//! A box of an input's elements, taken out of where they lie.

use std::ops::Range;

use crate::error::Result;
use crate::layout::Layout;

/// Positions in an input's buffer or file: runs of neighbours, and how they are repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileBox {
    /// The first position.
    pub start: usize,
    /// Positions from one run to the next and how many there are, outermost first.
    pub outer: Vec<(usize, usize)>,
    /// Neighbours of a run.
    pub run: usize,
}

impl FileBox {
    /// Everything from one position to another.
    pub fn range(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            outer: Vec::new(),
            run: range.len(),
        }
    }

    /// A box of a layout, by the indices along each axis, and how the elements lie that are taken
    /// out: those axes that the layout moves along, in its order and without gaps.
    pub fn of(layout: &Layout, indices: &[Range<usize>]) -> Result<(Self, Layout)> {
        let strides = layout.strides();
        let mut order: Vec<usize> = (0..strides.len())
            .filter(|&axis| strides[axis] != 0 && indices[axis].len() > 1)
            .collect();
        order.sort_by_key(|&axis| strides[axis].unsigned_abs());
        let mut start = layout.offset();
        for (range, &stride) in indices.iter().zip(strides) {
            let lowest = if stride < 0 {
                range.end - 1
            } else {
                range.start
            };
            start = start.wrapping_add_signed(stride.wrapping_mul(lowest.cast_signed()));
        }
        let mut found = Self::range(start..start + 1);
        let mut own = vec![0isize; strides.len()];
        let (mut len, mut offset) = (1usize, 0);
        for axis in order {
            let count = indices[axis].len();
            let pitch = strides[axis].unsigned_abs();
            own[axis] = len.cast_signed();
            if strides[axis] < 0 {
                own[axis] = -own[axis];
                offset += len * (count - 1);
            }
            len *= count;
            match found.outer.last_mut() {
                None if pitch == found.run => found.run *= count,
                Some((inner, n)) if pitch == *inner * *n => *n *= count,
                _ => found.outer.push((pitch, count)),
            }
        }
        found.outer.reverse();
        let extents: Vec<usize> = indices.iter().map(Range::len).collect();
        Ok((found, Layout::new(extents, own, offset)?))
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.outer.iter().fold(self.run, |n, (_, count)| n * count)
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.outer.iter().fold(1, |n, (_, count)| n * count)
    }

    /// The positions of the runs, in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut index = vec![0; self.outer.len()];
        let mut left = if self.run == 0 { 0 } else { self.runs() };
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let along = index.iter().zip(&self.outer);
            let at = along.fold(self.start, |at, (i, (pitch, _))| at + i * pitch);
            for (i, (_, count)) in index.iter_mut().zip(&self.outer).rev() {
                *i += 1;
                if *i < *count {
                    break;
                }
                *i = 0;
            }
            Some(at..at + self.run)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_taken_out_is_what_the_layout_names(
            extents in prop::collection::vec((1usize..6, any::<bool>(), any::<bool>()), 0..4),
            cut in prop::collection::vec((0usize..6, 1usize..6), 4),
            fortran in any::<bool>(),
        ) {
            let shape: Vec<usize> = extents.iter().map(|(e, ..)| *e).collect();
            let mut strides = vec![0isize; shape.len()];
            let (mut pitch, mut offset) = (1isize, 0);
            let mut order: Vec<usize> = (0..shape.len()).collect();
            if !fortran {
                order.reverse();
            }
            for axis in order {
                let (extent, flipped, broadcast) = extents[axis];
                if broadcast {
                    continue;
                }
                strides[axis] = if flipped { -pitch } else { pitch };
                offset += if flipped { pitch * (extent as isize - 1) } else { 0 };
                pitch *= extent as isize;
            }
            let layout = Layout::new(shape.clone(), strides.clone(), offset as usize).unwrap();
            let indices: Vec<Range<usize>> = shape
                .iter()
                .zip(&cut)
                .map(|(&extent, &(first, count))| {
                    let first = first % extent;
                    first..(first + count).min(extent)
                })
                .collect();
            let (found, own) = FileBox::of(&layout, &indices).unwrap();
            let taken: Vec<usize> = found.ranges().flatten().collect();
            prop_assert_eq!(taken.len(), found.len());
            let mut moved = offset;
            for (range, stride) in indices.iter().zip(layout.strides()) {
                moved += range.start as isize * stride;
            }
            let part = Layout::new(own.shape().clone(), layout.strides().to_vec(), moved as usize);
            let wanted: Vec<usize> = part.unwrap().offsets().collect();
            let found: Vec<usize> = own.offsets().map(|at| taken[at]).collect();
            prop_assert_eq!(found, wanted);
        }
    }

    #[test]
    fn whole_rows_are_one_run() {
        let layout = Layout::contiguous([10, 20, 30]).unwrap();
        let (found, _) = FileBox::of(&layout, &[2..5, 0..20, 0..30]).unwrap();
        assert_eq!((found.start, found.run, found.outer.len()), (1200, 1800, 0));
        let (found, _) = FileBox::of(&layout, &[0..10, 3..4, 5..15]).unwrap();
        assert_eq!(
            (found.start, found.run, found.outer),
            (95, 10, vec![(600, 10)])
        );
    }
}
