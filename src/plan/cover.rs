//! Boxes around ranges of the elements of a space, in row-major order.

use std::ops::Range;

/// The smallest box that holds a range of the elements of a space, as first indices and extents.
pub(super) fn cover(extents: &[usize], range: &Range<usize>) -> (Vec<usize>, Vec<usize>) {
    let mut first = vec![0; extents.len()];
    let mut count = extents.to_vec();
    let mut within: usize = extents.iter().product();
    let (mut low, mut high) = (range.start, range.end - 1);
    for axis in 0..extents.len() {
        within /= extents[axis];
        let (a, b) = (low / within, high / within);
        (first[axis], count[axis]) = (a, b - a + 1);
        if a != b {
            break;
        }
        (low, high) = (low % within, high % within);
    }
    (first, count)
}

/// The extents of the largest box of ranges of so many elements that begin at multiples of them.
pub(super) fn largest_cover(extents: &[usize], elements: usize) -> Vec<usize> {
    let mut count = extents.to_vec();
    let mut within: usize = extents.iter().product();
    if elements >= within {
        return count;
    }
    for axis in 0..extents.len() {
        within /= extents[axis];
        if within.is_multiple_of(elements) {
            count[axis] = 1;
            continue;
        }
        let touched = match elements.is_multiple_of(within) {
            true => elements / within,
            false => (elements + within - 2) / within + 1,
        };
        count[axis] = touched.min(extents[axis]);
        break;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::boxes::number;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cover_is_the_smallest_box_and_none_is_larger_than_the_largest(
            extents in prop::collection::vec(1usize..9, 1..4), elements in 1usize..40,
        ) {
            let all: usize = extents.iter().product();
            let largest = largest_cover(&extents, elements);
            for start in (0..all).step_by(elements) {
                let range = start..(start + elements).min(all);
                let (first, count) = cover(&extents, &range);
                let end: Vec<usize> = first.iter().zip(&count).map(|(f, c)| f + c - 1).collect();
                prop_assert!(number(&extents, &first) <= range.start);
                prop_assert!(number(&extents, &end) >= range.end - 1);
                prop_assert!(end.iter().zip(&extents).all(|(i, e)| i < e));
                let own: usize = count.iter().product();
                let most: usize = largest.iter().product();
                prop_assert!(own <= most, "{:?} of {:?}, {:?}", range, extents, largest);
            }
        }
    }
}
