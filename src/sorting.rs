//! Sorting. In browsers one short routine serves lists of every type: the standard library's would
//! be compiled once for each, and together be a thirtieth of the module.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Sorts a list. Items that compare as equal stay in order.
pub(crate) fn sort_by<T>(list: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    if cfg!(target_family = "wasm") {
        merge_sort(list, compare);
    } else {
        list.sort_by(compare);
    }
}

/// Sorts a list.
pub(crate) fn sort<T: Ord>(list: &mut Vec<T>) {
    sort_by(list, T::cmp);
}

/// The set of these numbers. To collect one would sort a list of them first.
pub(crate) fn set(numbers: impl Iterator<Item = usize>) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    all.extend(numbers);
    all
}

fn merge_sort<T>(list: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(list.len(), &|a, b| compare(&list[a], &list[b]).is_le());
    let mut from: Vec<Option<T>> = list.drain(..).map(Some).collect();
    list.extend(order.into_iter().filter_map(|place| from[place].take()));
}

/// The places below `count` in order: runs of twice the length in each round. `is_ordered` says
/// whether an item may stand before another that is behind it.
fn order(count: usize, is_ordered: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let mut length = 1;
    while length < count {
        let mut merged = Vec::with_capacity(count);
        for pair in places.chunks(2 * length) {
            let (mut left, mut right) = pair.split_at(length.min(pair.len()));
            while let ([a, others @ ..], [b, rest @ ..]) = (left, right) {
                if is_ordered(*a, *b) {
                    merged.push(*a);
                    left = others;
                } else {
                    merged.push(*b);
                    right = rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        places = merged;
        length *= 2;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_as_the_standard_library_sorts_them() {
        // A linear congruence: few keys, so that many are equal.
        let mut seed = 1u32;
        for count in 0..200 {
            let mut list = Vec::new();
            for place in 0..count {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                list.push((seed >> 28, place));
            }
            let mut sorted = list.clone();
            sorted.sort_by_key(|x| x.0);
            merge_sort(&mut list, |a, b| a.0.cmp(&b.0));
            assert_eq!(list, sorted);
        }
    }
}
