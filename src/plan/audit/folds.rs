//! A pass that folds against its layouts: where each row's elements are read and where its results
//! are written, computed from the words of the table as the kernels compute it.

use super::{FoldHeader, LaneLoad, MOST, Pass, QUAD, Store};
use crate::layout::Layout;
use crate::op::LANES;
use crate::plan::{Across, FoldSchedule};

/// An invocation's row: its coordinates along kept axes, and the first of its kept elements.
struct Row {
    at: Vec<u32>,
    first: usize,
    /// Rows that it really is.
    lanes: usize,
}

impl Pass {
    /// Every element that is read is the one that the layout names, and every row or element of the
    /// result is written once, within its binding.
    pub(super) fn audit_fold(&self, schedule: &FoldSchedule) -> Result<(), String> {
        let header = FoldHeader::read(&self.table);
        let kept = schedule.kept as usize;
        let extent =
            |range: std::ops::Range<usize>| -> usize { self.extents[range].iter().product() };
        let (rows, count) = (extent(0..kept), extent(kept..self.extents.len()));
        if header.count as usize != count {
            return Err(format!(
                "the table has rows of {} elements, not {count}",
                header.count
            ));
        }
        let covered = header.steps as usize * schedule.step();
        let parts = header.parts as usize * header.each as usize;
        let some = schedule.partial && header.parts < header.all_parts;
        if covered < count || parts < header.steps as usize && !some {
            return Err(format!(
                "{} steps do not cover {count} elements",
                header.steps
            ));
        }
        if schedule.held > 0 {
            let each = schedule.step() / schedule.own as usize;
            let before = (schedule.held - 1) as usize * schedule.step();
            let held = before + schedule.held_last as usize * each;
            let full = schedule.held_full() as usize * schedule.step();
            if held < count || full > count {
                return Err(format!(
                    "of rows of {count} elements {held} are held, {full} of them unasked"
                ));
            }
        }
        // Neighbours of narrow types share words, which several invocations must not write as wholes.
        let size = self.output.dtype.size();
        if size < 4 && matches!(self.output.store, Store::Words { .. }) {
            return Err("narrow elements are written one by one".into());
        }
        let groups = self.grid.iter().map(|&n| n as usize).product::<usize>();
        let (dealt, parts) = (header.rows as usize, header.parts as usize);
        let beside = schedule.rows as usize;
        let needed = match schedule.across {
            Across::Reduced => (dealt * parts).div_ceil(beside),
            Across::Kept => dealt.div_ceil(beside) * parts,
        };
        if groups < needed {
            return Err(format!("{groups} workgroups, {needed} are needed"));
        }
        if rows.saturating_mul(count) > MOST {
            return Ok(());
        }
        let all: Vec<Row> = (0..header.rows)
            .map(|n| self.fold_row(n, schedule, &header))
            .collect();
        let mut written: Vec<usize> = Vec::new();
        for row in &all {
            for i in 0..self.inputs.len() {
                self.fold_loads(i, row, schedule, count)?;
            }
            written.extend(self.fold_stores(row, schedule, &header));
        }
        written.sort_unstable();
        let totals = schedule.scan.is_some_and(|scan| scan.total);
        let own = match (schedule.partial, schedule.full) {
            (_, true) if totals => rows,
            (true, _) => self.folds.len() * rows * header.parts as usize * LANES,
            (_, true) => rows * count,
            _ => rows,
        };
        let ends = written.last().map_or(0, |last| (last + 1) * size);
        let once = written.windows(2).all(|pair| pair[0] < pair[1]);
        if !once || written.len() != own || ends > self.output.range.size as usize {
            return Err(format!(
                "{} elements are written to byte {ends}, not {own}",
                written.len()
            ));
        }
        Ok(())
    }

    fn fold_row(&self, number: u32, schedule: &FoldSchedule, header: &FoldHeader) -> Row {
        let kept = schedule.kept as usize;
        let (mut rest, mut at) = (number, Vec::new());
        let columns = schedule.across == Across::Kept;
        let own = 4 * schedule.beside;
        let mut outer = 0;
        for axis in 0..kept {
            if axis + 1 == kept {
                at.push(rest);
                continue;
            }
            let n = if axis == 0 && columns { 2 * rest } else { rest };
            let next = self.divided(n, axis);
            at.push(rest - next * self.axis(axis)[0]);
            rest = next;
            if axis == 0 {
                outer = rest;
            }
        }
        match columns {
            false => Row {
                first: number as usize,
                at,
                lanes: 1,
            },
            true => Row {
                first: (outer * header.inner + own * at[0]) as usize,
                lanes: own.min(header.inner - own * at[0]) as usize,
                at,
            },
        }
    }

    /// How far element `r` of a row lies from its first in operand `i`.
    fn fold_along(&self, i: usize, r: usize, schedule: &FoldSchedule) -> u32 {
        let kept = schedule.kept as usize;
        let (mut rest, mut sum) = (r as u32, 0u32);
        let last = self.extents.len() - 1;
        for axis in kept..=last {
            let next = if axis == last {
                0
            } else {
                self.divided(rest, axis)
            };
            let at = rest.wrapping_sub(next.wrapping_mul(self.axis(axis)[0]));
            sum = sum.wrapping_add(at.wrapping_mul(self.stride(axis, i)));
            rest = next;
        }
        sum
    }

    /// Where element `r` of kept element `lane` of a row lies in operand `i`.
    fn fold_address(
        &self,
        i: usize,
        row: &Row,
        lane: usize,
        r: usize,
        schedule: &FoldSchedule,
    ) -> u32 {
        let columns = schedule.across == Across::Kept;
        let along = |(axis, &at): (usize, &u32)| {
            let at = match (axis, columns) {
                (0, true) => 4 * schedule.beside * at + lane as u32,
                _ => at,
            };
            at.wrapping_mul(self.stride(axis, i))
        };
        let base = row
            .at
            .iter()
            .enumerate()
            .map(along)
            .fold(0u32, u32::wrapping_add);
        base.wrapping_add(self.fold_along(i, r, schedule))
    }

    fn fold_loads(
        &self,
        i: usize,
        row: &Row,
        schedule: &FoldSchedule,
        count: usize,
    ) -> Result<(), String> {
        let input = &self.inputs[i];
        let size = input.dtype.size();
        let origin = input.range.start as usize / size;
        let layout = self.turned(&input.layout)?;
        let vector = matches!(input.load.lanes, LaneLoad::Vector { .. });
        let elements = (0..row.lanes).flat_map(|lane| (0..count).map(move |r| (lane, r)));
        for (lane, r) in elements {
            let found = self
                .offset(i)
                .wrapping_add(self.fold_address(i, row, lane, r, schedule))
                as usize;
            let wanted = layout[(row.first + lane) * count + r];
            let quad = if vector {
                found / QUAD * QUAD + QUAD
            } else {
                found + 1
            };
            // The quad behind a misaligned one is clamped.
            let shifted = matches!(
                input.load.lanes,
                LaneLoad::Vector { misaligned: 1.. } | LaneLoad::Anywhere
            );
            let inside = quad * size <= input.range.size as usize || shifted;
            if found + origin != wanted || !inside {
                return Err(format!(
                    "input {i} ({}): element {r} of row {} is {found} and {origin}, not {wanted}",
                    input.load,
                    row.first + lane
                ));
            }
        }
        Ok(())
    }

    /// Positions on kept axes, then on reduced ones.
    fn turned(&self, layout: &Layout) -> Result<Vec<usize>, String> {
        let rank = layout.shape().rank();
        let own = (0..rank).filter(|axis| !self.reduced.contains(axis));
        let order: Vec<usize> = own.chain(self.reduced.iter().copied()).collect();
        let extents: Vec<usize> = order
            .iter()
            .map(|&axis| layout.shape().extents()[axis])
            .collect();
        let strides = order.iter().map(|&axis| layout.strides()[axis]).collect();
        let turned = Layout::new(extents, strides, layout.offset()).map_err(|e| e.to_string())?;
        Ok(turned.offsets().collect())
    }

    fn fold_stores(&self, row: &Row, schedule: &FoldSchedule, header: &FoldHeader) -> Vec<usize> {
        let mut written = Vec::new();
        let first = header.output as usize;
        let lanes = 0..row.lanes;
        if schedule.partial {
            let (pitch, all_parts) = (header.pitch as usize, header.all_parts as usize);
            let each = (0..self.folds.len())
                .flat_map(|k| (0..header.parts as usize).map(move |part| (k, part)));
            for (k, part) in each {
                let (below, before) = (k * pitch + row.first, k * all_parts + part);
                for lane in 0..LANES {
                    match schedule.across {
                        Across::Reduced => {
                            written.push(first + (below * all_parts + part) * LANES + lane);
                        }
                        Across::Kept => written.extend(
                            lanes
                                .clone()
                                .map(|n| first + (before * LANES + lane) * pitch + row.first + n),
                        ),
                    }
                }
            }
        } else if schedule.full {
            let totals = schedule.scan.is_some_and(|scan| scan.total);
            let count = if totals { 1 } else { header.count };
            for lane in lanes {
                for r in 0..count as usize {
                    let at = self.fold_address(self.inputs.len(), row, lane, r, schedule);
                    written.push(header.output.wrapping_add(at) as usize);
                }
            }
        } else {
            written.extend(lanes.map(|lane| first + row.first + lane));
        }
        written
    }
}
