//! Parts and bands of the outermost axis, whole quads each, so that an invocation can own the same quad of several: along all
//! other axes its coordinates are the same there, and what does not move along the outermost one is loaded once.

use super::canonical::Canonical;
use super::mapping::{Apart, Mapping};
use super::{Input, QUAD};

/// Indices along the outermost axis that a workgroup's first bands make up.
const DEEP: usize = 64;

impl Mapping {
    /// Elements from one quad of an invocation to its next.
    pub fn step(&self, extents: &[usize]) -> usize {
        let inner = || extents.iter().skip(1).product::<usize>();
        match self.apart {
            Apart::Beside => self.beside(),
            Apart::Parts => rows(extents, self.quads * self.rows) * inner(),
            Apart::Bands => band(extents) * inner(),
        }
    }
}

/// Indices along the outermost axis that each of several parts has; the last parts may have fewer, or none.
fn rows(extents: &[usize], parts: u32) -> usize {
    let outermost = extents.first().copied().unwrap_or(1);
    outermost.div_ceil(parts as usize).next_multiple_of(band(extents))
}

/// The fewest indices along the outermost axis that whole quads make up.
fn band(extents: &[usize]) -> usize {
    match extents.iter().skip(1).product::<usize>() % QUAD {
        0 => 1,
        2 => 2,
        _ => QUAD,
    }
}

/// Whether at most a fifth of the quads of so many parts is missing.
pub(super) fn fit(extents: &[usize], parts: u32) -> bool {
    let outermost = extents.first().copied().unwrap_or(1);
    4 * parts as usize * rows(extents, parts) <= 5 * outermost
}

/// Invocations of a workgroup over bands, at most; the others lie along them.
pub(super) fn over(extents: &[usize]) -> u32 {
    (DEEP / band(extents)) as u32
}

/// Whether there are bands for all of a workgroup's invocations that lie over one another, so many each.
fn bands_fit(extents: &[usize], bands: u32) -> bool {
    extents.first().copied().unwrap_or(1) >= DEEP * bands as usize
}

/// Whether an input is strided along the innermost axis and contiguous along the outermost.
fn turns(strides: &[isize]) -> bool {
    matches!(strides.first(), Some(-1 | 1)) && !matches!(strides.last(), Some(-1..=1))
}

/// Whether rows of whole quads are better walked in bands: an input turns where tiles do not fit, and no other would be
/// gathered for it in each band.
pub(super) fn bands_pay(canonical: &Canonical, gathers: impl Fn(usize) -> bool) -> bool {
    let strides = &canonical.strides;
    let fine = |i: usize| turns(&strides[i]) || strides[i].first() == Some(&0) || !gathers(i);
    bands_fit(&canonical.extents, 4) && strides.iter().any(|s| turns(s)) && (0..strides.len()).all(fine)
}

/// How quads of inputs that are loaded lane by lane should lie.
pub(super) fn apart(inputs: &[Input], extents: &[usize], quads: u32) -> Apart {
    let gathered = || inputs.iter().filter(|x| x.access.is_by_lanes() && x.strides.first() != Some(&0));
    let across = |x: &Input| !matches!(x.strides.last(), Some(-1..=1));
    if !inputs.iter().any(|x| x.access.is_by_lanes()) {
        Apart::Beside
    } else if !gathered().any(across) && fit(extents, quads) {
        Apart::Parts
    } else if gathered().any(|x| turns(&x.strides)) && bands_fit(extents, quads) {
        Apart::Bands
    } else {
        Apart::Beside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn odd_rows_come_in_fours() {
        assert_eq!(rows(&[4095, 4097], 4), 1024);
        assert_eq!(rows(&[4095, 6], 4), 1024);
        assert_eq!(rows(&[17, 8, 3], 4), 5);
        assert!(fit(&[4095, 4097], 4));
        assert!(fit(&[13, 3], 4) && !fit(&[12, 3], 4), "16 of 13, and of 12");
        assert!(!fit(&[3, 1001], 2));
        assert!(bands_fit(&[256, 5], 4) && !bands_fit(&[255, 5], 4));
    }

    proptest! {
        #[test]
        fn parts_are_whole_quads_and_hold_all(
            extents in prop::collection::vec(1usize..40, 1..5),
            parts in prop::sample::select(vec![2u32, 4]),
        ) {
            let inner: usize = extents.iter().skip(1).product();
            prop_assert_eq!(rows(&extents, parts) * inner % QUAD, 0);
            prop_assert_eq!(band(&extents) * inner % QUAD, 0);
            prop_assert!(rows(&extents, parts) * parts as usize >= extents[0]);
            // No more than a part needs.
            prop_assert!(rows(&extents, parts) < extents[0].div_ceil(parts as usize) + QUAD);
            prop_assert!((1..band(&extents)).all(|fewer| !(fewer * inner).is_multiple_of(QUAD)));
        }
    }
}
