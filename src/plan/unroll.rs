//! Splitting the outermost axis into unroll blocks, whole quads each, so that an invocation can own
//! the same quad of several: along all other axes its coordinates are the same there, and what does
//! not move along the outermost one is loaded once.

use super::canonical::Canonical;
use super::limits::Limits;
use super::schedule::{Along, LaneLoad, Load, block, section};
use super::slot::QUAD;

/// Indices along the outermost axis that a workgroup covers in blocks, for each quad of an
/// invocation.
const DEEP: usize = 64;

/// Whether the padding waste of `count` sections is at most 20 %: the quads past the end of the
/// axis. Extents a little above a whole number of blocks for each section do not fit, unless they
/// are long.
pub(super) fn fit(extents: &[usize], count: u32) -> bool {
    let outermost = extents.first().copied().unwrap_or(1);
    4 * count as usize * section(extents, count) <= 5 * outermost
}

/// Invocations of a workgroup along blocks, and over them.
pub(super) fn workgroup(extents: &[usize], limits: &Limits) -> [u32; 2] {
    let over = ((DEEP / block(extents)) as u32).min(limits.width());
    [limits.width() / over, over]
}

/// Whether there are blocks for all of a workgroup's invocations that lie over one another, so many
/// each, and a block is not longer than a grid is wide.
fn blocks_fit(extents: &[usize], blocks: u32, limits: &Limits) -> bool {
    let quads = block(extents) * extents.iter().skip(1).product::<usize>() / QUAD;
    let across = quads.div_ceil(workgroup(extents, limits)[0] as usize);
    extents.first().copied().unwrap_or(1) >= DEEP * blocks as usize
        && across <= limits.max_workgroups as usize
}

/// Whether an input is strided along the innermost axis and contiguous along the outermost.
fn is_transposed(strides: &[isize]) -> bool {
    matches!(strides.first(), Some(-1 | 1)) && !matches!(strides.last(), Some(-1..=1))
}

/// Whether rows of whole quads are better unrolled in so many blocks an invocation: an input is
/// transposed but no tiles fit, and no other would be gathered for it in each block.
pub(super) fn blocks_pay(
    canonical: &Canonical,
    blocks: u32,
    limits: &Limits,
    gathers: impl Fn(usize) -> bool,
) -> bool {
    let strides = &canonical.strides;
    let fine =
        |i: usize| is_transposed(&strides[i]) || strides[i].first() == Some(&0) || !gathers(i);
    blocks_fit(&canonical.extents, blocks, limits)
        && strides.iter().any(|s| is_transposed(s))
        && (0..strides.len()).all(fine)
}

/// How to unroll quads of inputs that are loaded lane by lane; `None` if quads beside one another
/// are better.
pub(super) fn choose(
    inputs: &[(&[isize], Load)],
    extents: &[usize],
    quads: u32,
    limits: &Limits,
) -> Option<Along> {
    let by_lanes = |load: &Load| matches!(load.lanes, LaneLoad::Gather | LaneLoad::TwoRuns);
    let gathered = || {
        inputs
            .iter()
            .filter(|(strides, load)| by_lanes(load) && strides.first() != Some(&0))
    };
    let across = |strides: &[isize]| !matches!(strides.last(), Some(-1..=1));
    if !inputs.iter().any(|(_, load)| by_lanes(load)) {
        None
    } else if !gathered().any(|(s, _)| across(s)) && fit(extents, quads) {
        Some(Along::Sections)
    } else if gathered().any(|(s, _)| is_transposed(s)) && blocks_fit(extents, quads, limits) {
        Some(Along::Blocks)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn odd_rows_come_in_fours() {
        assert_eq!(section(&[4095, 4097], 4), 1024);
        assert_eq!(section(&[4095, 6], 4), 1024);
        assert_eq!(section(&[17, 8, 3], 4), 5);
        assert!(fit(&[4095, 4097], 4));
        assert!(fit(&[13, 3], 4) && !fit(&[12, 3], 4), "16 of 13, and of 12");
        assert!(!fit(&[3, 1001], 2));
        assert!(!fit(&[17, 3], 4) && fit(&[26, 3], 4), "blocks of four rows");
    }

    #[test]
    fn blocks_are_many_and_no_longer_than_a_grid_is_wide() {
        let limits = Limits::WEBGPU;
        assert!(blocks_fit(&[256, 5], 4, &limits) && !blocks_fit(&[255, 5], 4, &limits));
        assert_eq!(workgroup(&[256, 5], &limits), [16, 16]);
        assert_eq!(workgroup(&[256, 8], &limits), [4, 64]);
        assert!(
            blocks_fit(&[256, 4 * 4 * 65_535], 4, &limits)
                && !blocks_fit(&[256, 4 * 4 * 65_535 + 4], 4, &limits)
        );
        let few = limits.with_max_invocations(1);
        assert_eq!(workgroup(&[256, 8], &few), [1, 1]);
    }

    proptest! {
        #[test]
        fn sections_are_whole_quads_and_hold_all(
            extents in prop::collection::vec(1usize..40, 1..5),
            sections in prop::sample::select(vec![2u32, 4]),
        ) {
            let inner: usize = extents.iter().skip(1).product();
            prop_assert_eq!(section(&extents, sections) * inner % QUAD, 0);
            prop_assert_eq!(block(&extents) * inner % QUAD, 0);
            prop_assert!(section(&extents, sections) * sections as usize >= extents[0]);
            // No more than a section needs.
            prop_assert!(section(&extents, sections) < extents[0].div_ceil(sections as usize) + QUAD);
            prop_assert!((1..block(&extents)).all(|fewer| !(fewer * inner).is_multiple_of(QUAD)));
        }
    }
}
