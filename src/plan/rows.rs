//! Which quads an invocation of mapping rows owns: up to four adjacent ones of a row, or the same
//! quad of up to eight rows, which are neighbours along the next axis or strided along the
//! outermost; above rank 3 also four adjacent ones of each of several rows. Tuned on llvmpipe; a
//! GPU gets the same numbers.

use std::cmp::Ordering;

use super::canonical::Canonical;
use super::limits::Limits;
use super::schedule::{Along, Down, LaneLoad, Load, Schedule, Threads};
use super::slot::QUAD;
use super::unroll;

/// Quads of rows up to which they are short: a row is not worth an invocation's four quads.
const SHORT: u32 = 2;
/// Quads of rows up to which strided rows are preferred to adjacent quads of one row.
const NEAR: u32 = 64;
/// Quads of rows, some KiB, for which strided rows are preferred to neighbouring ones: a CPU
/// fetches one row after another better than several rows of this length together.
const FAR: std::ops::RangeInclusive<u32> = 33..=128;

/// Compares the words that an invocation loads for four quads of four rows (down) with those for
/// four adjacent quads of one row (across).
fn loads_down(inputs: &[(&[isize], Load)]) -> Ordering {
    let words = |&(strides, load): &(&[isize], Load)| {
        let next = strides.iter().rev().nth(1).copied().unwrap_or(0);
        match (load.lanes, next) {
            (LaneLoad::Vector { misaligned: 0 }, 0) if !load.linear => [16, 4],
            (LaneLoad::Broadcast, stride) if stride != 0 => [1, 4],
            _ => [0, 0],
        }
    };
    let [across, down] = inputs
        .iter()
        .map(words)
        .fold([0, 0], |[a, d], [across, down]| [a + across, d + down]);
    down.cmp(&across)
}

/// The schedule of rows of whole quads, from one of a quad an invocation.
pub(super) fn schedule(
    canonical: &Canonical,
    dense: bool,
    limits: &Limits,
    inputs: &[(&[isize], Load)],
    one: Schedule,
) -> Schedule {
    let rank = canonical.extents.len();
    let in_row = (canonical.inner() / QUAD) as u32;
    let quads = in_row.next_power_of_two().min(4);
    let short = in_row <= SHORT && !dense;
    let wasteful = 8 * in_row.next_multiple_of(quads) > 9 * in_row;
    // A quad of each of several rows if less is loaded so, if rows are short, and if the padding
    // waste of rows is high; all quads of several rows if many axes are to be split, since rows
    // share their outer coordinates.
    let one_each = match loads_down(inputs) {
        Ordering::Less => true,
        Ordering::Equal => short || wasteful,
        Ordering::Greater => short,
    };
    let choices: &[u32] = match rank {
        5.. if one_each && in_row <= SHORT => &[8, 4, 3, 2],
        2 if one_each => &[4, 2],
        _ if one_each => &[4, 3, 2],
        4.. if !dense => &[4, 3, 2],
        _ => &[],
    };
    let next = canonical.extents[rank - 2];
    let next_rows = choices
        .iter()
        .copied()
        .find(|&rows| rank > 2 && next.is_multiple_of(rows as usize));
    // Rows past the end of the axis are computed all the same.
    let fits = |rows: &u32| rank == 2 && !dense || unroll::fit(&canonical.extents, *rows);
    let strided = match next_rows {
        // Of two axes the next is the outermost.
        None if rank == 2 => choices.iter().copied().find(fits),
        None => Some(4).filter(|rows| (wasteful || !dense && in_row <= NEAR) && fits(rows)),
        Some(_) => Some(4).filter(|rows| one_each && FAR.contains(&in_row) && fits(rows)),
    };
    let down = match (strided, next_rows) {
        (Some(quads), _) => Some(Down {
            quads,
            along: Along::Sections,
            whole: false,
        }),
        (None, Some(quads)) => Some(Down {
            quads,
            along: Along::Axis(1),
            whole: next == quads as usize,
        }),
        (None, None) => None,
    };
    let beside = if down.is_some() && (one_each || strided.is_some()) {
        1
    } else {
        quads
    };
    // A workgroup of a row if few of its invocations are left over.
    let (own, width) = (in_row.div_ceil(beside), one.workgroup[0]);
    let (groups, most_groups) = (own.div_ceil(width), limits.max_workgroups.max(1));
    let shared = Schedule {
        beside,
        down,
        ..one
    };
    let high = shared.high(&canonical.extents);
    let grid_fits =
        groups <= most_groups && high.div_ceil(most_groups as usize) <= most_groups as usize;
    Schedule {
        threads: if 4 * groups * width <= 5 * own && grid_fits {
            Threads::RowPerWorkgroup
        } else {
            Threads::Numbered
        },
        ..shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::expr::Expr;
    use crate::plan::{Limits, Options, Plan, Slot};

    fn mapped(shapes: [&[usize]; 2], limits: Limits) -> Schedule {
        let slots = shapes.map(|s| Slot::new(DType::F32, s).unwrap());
        let plan = Plan::new(
            &Expr::slot(0).add(&Expr::slot(1)),
            &slots,
            &Options::default().with_limits(limits),
        );
        *plan.unwrap().passes[0].work.schedule().unwrap()
    }

    #[test]
    fn quads_lie_where_least_is_loaded_and_none_is_wanting() {
        const ADJACENT: bool = false;
        const STRIDED: bool = true;
        let cases: [(&str, [&[usize]; 2], _); 13] = [
            (
                "a row is loaded once for four strided rows",
                [&[4096, 4096], &[4096]],
                (1, 4, STRIDED, true),
            ),
            (
                "a column for four neighbours",
                [&[4096, 4096], &[4096, 1]],
                (4, 1, ADJACENT, true),
            ),
            (
                "few rows too are four strided rows",
                [&[2, 64], &[64]],
                (1, 4, STRIDED, false),
            ),
            (
                "the next axis gives three rows",
                [&[64, 3, 64], &[64, 1, 64]],
                (1, 3, ADJACENT, false),
            ),
            (
                "or four",
                [&[64, 12, 64], &[64, 1, 64]],
                (1, 4, ADJACENT, false),
            ),
            (
                "but not of this length",
                [&[64, 12, 192], &[64, 1, 192]],
                (1, 4, STRIDED, false),
            ),
            (
                "nor five",
                [&[64, 5, 64], &[64, 1, 64]],
                (1, 4, STRIDED, false),
            ),
            (
                "long rows have four neighbours",
                [&[64, 5, 1024], &[64, 1, 1024]],
                (4, 1, ADJACENT, false),
            ),
            (
                "nine quads are no fours",
                [&[64, 5, 36], &[64, 1, 36]],
                (1, 4, STRIDED, false),
            ),
            (
                "but of a column four are loaded as one",
                [&[64, 36], &[64, 1]],
                (4, 1, ADJACENT, false),
            ),
            (
                "short rows come four at a time",
                [&[64, 8], &[64, 1]],
                (1, 4, STRIDED, false),
            ),
            (
                "four rows of four quads each share coordinates",
                [&[2, 3, 4, 64], &[2, 1, 4, 1]],
                (4, 4, ADJACENT, false),
            ),
            (
                "205 quads fill a workgroup well enough",
                [&[64, 820], &[820]],
                (1, 4, STRIDED, true),
            ),
        ];
        for (what, shapes, expected) in cases {
            let found = mapped(shapes, Limits::WEBGPU.with_software(true));
            assert_eq!(
                (
                    found.beside,
                    found.rows(),
                    found.splits_outermost(),
                    found.threads == Threads::RowPerWorkgroup
                ),
                expected,
                "{what}: {shapes:?}"
            );
        }
    }

    #[test]
    fn rows_that_do_not_fit_the_grid_are_counted() {
        for (rows, columns, uniform) in [
            (2, 3 * 1024, true),
            (2, 4 * 1024, false),
            (36, 1024, true),
            (40, 1024, false),
        ] {
            let limits = Limits::WEBGPU.with_max_workgroups(3);
            let shape: [&[usize]; 2] = [&[rows, columns], &[columns]];
            assert_eq!(
                mapped(shape, limits).threads == Threads::RowPerWorkgroup,
                uniform,
                "{rows} x {columns}"
            );
        }
    }
}
