//! How often a launch fetches an operand from memory: once, unless workgroups that need the same
//! elements are so far apart in the launch that a cache has dropped them.

use super::{Schedule, Threads};

/// How often an operand with these strides is fetched, if a quad of the output takes so many bytes
/// of all operands and the caches keep so many.
pub(super) fn fetches(
    schedule: &Schedule,
    extents: &[usize],
    strides: &[isize],
    bytes: f64,
    cache: f64,
) -> f64 {
    let moves = |axis: usize| strides[axis] != 0;
    let owned = f64::from(schedule.rows() * schedule.beside);
    let all = turns(schedule, extents);
    let mut fetched = 1.0;
    for (n, &(axis, count)) in all.iter().enumerate() {
        let inner = &all[n + 1..];
        // Quads of the output that one index of the loop takes.
        let within: f64 = inner.iter().map(|(_, count)| count).product();
        let quads = within * owned * f64::from(schedule.workgroup[0]);
        let inside = inner.iter().any(|(axis, _)| moves(*axis));
        if !moves(axis) && inside && quads * bytes > cache {
            fetched *= count;
        }
    }
    fetched
}

/// The loops over what a launch visits, outermost first, as the axis and how many indices it has:
/// what is numbered last changes last.
fn turns(schedule: &Schedule, extents: &[usize]) -> Vec<(usize, f64)> {
    let rank = extents.len();
    let count = |axis: usize| {
        let own = match axis {
            0 if schedule.splits_outermost() => schedule.rows() as usize,
            _ => schedule.owned_along(rank - 1 - axis),
        };
        extents[axis].div_ceil(own) as f64
    };
    // A workgroup of one row takes this part of it at once.
    let width = f64::from(schedule.workgroup[0] * schedule.in_row());
    let in_row = extents[rank - 1].div_ceil(schedule.unit()) as f64;
    let outer = (0..rank - 1).map(|axis| (axis, count(axis)));
    let mut order: Vec<(usize, f64)> = outer.collect();
    order.push((rank - 1, (in_row / width).ceil()));
    if schedule.threads == Threads::RowsFirst {
        order.rotate_right(1);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::schedule::{Along, Down, Lanes, Spread};

    const SECTIONS: Schedule = Schedule {
        lanes: Lanes::Rows,
        unit: 4,
        beside: 1,
        down: Some(Down {
            quads: 4,
            along: Along::Sections,
            whole: false,
        }),
        spread: Spread::Interleaved,
        together: 4,
        threads: Threads::RowPerWorkgroup,
        workgroup: [256, 1],
        powers_of_two: false,
        wide_division: false,
    };

    #[test]
    fn long_shared_rows_are_fetched_for_each_row_unless_rows_come_first() {
        let extents = [16, 1 << 20];
        let rows_first = Schedule {
            threads: Threads::RowsFirst,
            ..SECTIONS
        };
        let cache = 25e6;
        let mask = |schedule| fetches(schedule, &extents, &[0, 1], 33.0, cache);
        assert!((mask(&SECTIONS) - 4.0).abs() < 1e-9);
        assert!((mask(&rows_first) - 1.0).abs() < 1e-9);
        // A column is the other way round, and what is read once is read once.
        let column = |schedule| fetches(schedule, &[1 << 20, 4096], &[1, 0], 33.0, cache);
        assert!((column(&SECTIONS) - 1.0).abs() < 1e-9);
        assert!((column(&rows_first) - 4.0).abs() < 1e-9);
        let all = |schedule| fetches(schedule, &extents, &[1 << 20, 1], 33.0, cache);
        assert!((all(&SECTIONS) - 1.0).abs() < 1e-9);
        // Short rows are in the cache still.
        let short = fetches(&SECTIONS, &[1 << 20, 1024], &[0, 1], 33.0, cache);
        assert!((short - 1.0).abs() < 1e-9);
    }
}
