//! The schedule of quads along two outer axes.

use super::{DENSE, Shapes};
use crate::plan::rank::unrolled;
use crate::plan::schedule::{Along, Down, Schedule, Spread};

impl Shapes<'_> {
    /// Neighbours along two outer axes, of which some input moves along each and not along the
    /// other: a quad that is loaded serves all along the other axis.
    pub(super) fn cross(&self, one: Schedule) -> Option<Schedule> {
        let (extents, strides) = (&self.canonical.extents, &self.canonical.strides);
        let rank = extents.len();
        unrolled(rank).filter(|_| self.code <= DENSE)?;
        let (most, extent) = (self.profile.crossed, |axis: usize| extents[rank - 1 - axis]);
        let divides = |axis: usize| {
            let mut counts = [4, 2].into_iter().filter(|&quads| quads <= most);
            counts.find(|&quads| extent(axis).is_multiple_of(quads as usize))
        };
        let alone = |along: usize, across: usize| {
            let moves = |s: &Vec<isize>, axis: usize| s[rank - 1 - axis] != 0;
            let mut inputs = strides.iter();
            inputs.any(|s| moves(s, along) && !moves(s, across))
        };
        // The table holds the stride of all quads along an axis.
        let small = |axis: usize| {
            let stride = |s: &Vec<isize>| s[rank - 1 - axis].unsigned_abs();
            strides.iter().all(|s| stride(s) < 1 << 29)
        };
        let pairs = (1..rank).flat_map(|near| (near + 1..rank).map(move |far| [near, far]));
        let fits = |&[near, far]: &[usize; 2]| alone(near, far) && alone(far, near);
        let counted = |axes: [usize; 2]| {
            let [beside, down] = axes.map(|axis| divides(axis).filter(|_| small(axis)));
            Some((axes, beside?, down?))
        };
        // Of pairs that are as good the nearest.
        let found = pairs.filter(fits).filter_map(counted);
        let ([near, far], beside, quads) =
            found.rev().max_by_key(|(_, beside, down)| beside * down)?;
        Some(Schedule {
            beside,
            down: Some(Down {
                quads,
                along: Along::Axis(far as u32),
                whole: extent(far) == quads as usize,
            }),
            spread: Spread::Axis {
                axis: near as u32,
                whole: extent(near) == beside as usize,
            },
            together: beside * quads,
            ..one
        })
    }
}
