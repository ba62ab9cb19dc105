//! The addresses of a quad's lanes, computed from the words of the uniform table as the kernels
//! compute it.

use super::{
    Along, Input, LaneLoad, Lanes, Load, Pass, Per, Schedule, Spread, TableShape, Threads, unrolled,
};

impl Pass {
    pub(super) fn shape_of_table(&self) -> TableShape {
        TableShape::new(self.inputs.len(), unrolled(self.extents.len()))
    }

    /// The word of input `i` in four-word rows that begin at `row`.
    pub(super) fn word(&self, row: usize, i: usize) -> u32 {
        self.table[row * 4 + i]
    }

    pub(super) fn offset(&self, i: usize) -> u32 {
        self.word(self.shape_of_table().offsets, i)
    }

    /// Where the four lanes of a quad of input `i` lie in its binding, as the kernel finds it.
    pub(super) fn addresses(&self, i: usize, input: &Input, q: usize) -> [usize; 4] {
        let q = q as u32;
        let (offset, len) = (self.offset(i), self.table[0]);
        let lane = [0u32, 1, 2, 3];
        let inner = self.word(self.shape_of_table().axes + 1, i);
        let Load { lanes, per, linear } = input.load;
        let schedule = self.schedule();
        let found = match (schedule.lanes, lanes) {
            (_, LaneLoad::Vector { misaligned: by }) if linear => {
                lane.map(|l| 4 * (q + (offset >> 2)) + u32::from(by) + l)
            }
            (Lanes::Line | Lanes::Straddling, LaneLoad::Broadcast) => [offset; 4],
            (Lanes::Line, _) => {
                lane.map(|l| offset.wrapping_add((4 * q + l).min(len - 1).wrapping_mul(inner)))
            }
            (Lanes::Rows, lanes) => {
                let (row, column) = self.row_of(q);
                let (begin, r) = self.row(i, row);
                // A hoisted one is loaded with the invocation's first row.
                let begin = if per == Per::Invocation {
                    self.row(i, row.wrapping_sub(r.wrapping_mul(self.table[6])))
                        .0
                } else {
                    begin
                };
                let quad = begin.wrapping_add(column) >> 2;
                match lanes {
                    LaneLoad::Vector { misaligned: by } => {
                        lane.map(|l| quad * 4 + u32::from(by) + l)
                    }
                    LaneLoad::Broadcast => [begin; 4],
                    // A row's elements lie across four quads, which begin at the tile's first row.
                    LaneLoad::Transposed => lane.map(|l| {
                        (begin.wrapping_add((column + l).wrapping_mul(inner)) - r) / 4 * 4 + r
                    }),
                    _ => lane.map(|l| begin.wrapping_add((column + l).wrapping_mul(inner))),
                }
            }
            (_, LaneLoad::Periodic(extent)) if per == Per::Quad => {
                let (first, steps) = self.walk(q);
                // The invocation's three elements, rotated to its first quad and by the step to
                // each further one.
                let turns = 4 * first as usize % extent as usize
                    + steps as usize * (schedule.step_beside() % extent as usize);
                let swizzle = if extent == 2 {
                    [0, 1, 0, 1]
                } else {
                    [0, 1, 2, 0]
                };
                swizzle.map(|k| {
                    offset
                        .wrapping_add(((turns + k) as u32 % u32::from(extent)).wrapping_mul(inner))
                })
            }
            _ if schedule.splits_outermost() => {
                let (first, steps) = self.walk(q);
                let step = self.outermost_step(i);
                // One that is loaded once is loaded with the first.
                let first = self.decomposed(i, 4 * first, lane, 0);
                if per == Per::Invocation {
                    first
                } else {
                    // Lanes past the end stay within the binding.
                    let last = (input.range.size
                        / (input.dtype.size() * input.per_word as usize) as u64
                        - 1) as u32;
                    first.map(|at| at.wrapping_add(steps.wrapping_mul(step)).min(last))
                }
            }
            _ if unrolled(self.extents.len()).is_none() => self.decomposed(i, 4 * q, lane, 0),
            _ => self.walked(i, q),
        };
        found.map(|at| at as usize)
    }

    /// The schedule of an elementwise pass.
    fn schedule(&self) -> &Schedule {
        self.work
            .schedule()
            .expect("products are audited elsewhere")
    }

    /// The row of quad `q` and its column there. Mapping rows finds them from the number of an
    /// invocation along its rows, and counted ones from their number over the whole grid, by the
    /// words of the innermost axis.
    fn row_of(&self, q: u32) -> (u32, u32) {
        let in_row = self.table[1];
        let (row, quad) = (q / in_row, q % in_row);
        if self.schedule().lanes != Lanes::Rows || self.schedule().is_tiled() {
            return (row, quad * 4);
        }
        let schedule = self.schedule();
        let (rows, apart, axis) = (schedule.rows(), self.table[6], self.shape_of_table().axes);
        let (first, further) = match schedule.splits_outermost() {
            false => (row / rows, row % rows),
            true => (row % apart, row / apart * apart),
        };
        let (quads, width) = (schedule.beside, self.table[axis * 4]);
        let (along, own) = match schedule.spread {
            Spread::Consecutive => (quad / quads, quad % quads),
            Spread::Interleaved => (quad % width, quad / width),
        };
        let number = first.wrapping_mul(width).wrapping_add(along);
        let first = if schedule.threads == Threads::RowPerWorkgroup {
            first
        } else {
            self.divided(number.wrapping_mul(2), axis)
        };
        let along = number.wrapping_sub(first.wrapping_mul(width));
        let column = match schedule.spread {
            Spread::Consecutive => along.wrapping_mul(quads) + own,
            Spread::Interleaved => along + own * width,
        };
        let begin = if !schedule.splits_outermost() {
            first * rows
        } else {
            first
        };
        (begin + further, column.wrapping_mul(4))
    }

    /// Where a row of the output begins in input `i`, and the row's number in its invocation: the
    /// first row of the invocation is decomposed, the others add a stride.
    fn row(&self, i: usize, row: u32) -> (u32, u32) {
        let table = self.shape_of_table();
        let stride = |axis: usize| self.word(table.axes + axis * table.axis_rows + 1, i);
        let schedule = self.schedule();
        let Some(along) = schedule.tiled_axis() else {
            let (r, step) = match schedule.splits_outermost() {
                false => (row % schedule.rows(), stride(1)),
                true => (row / self.table[6], self.outermost_step(i)),
            };
            let begin = self.decomposed(
                i,
                row.wrapping_sub(r.wrapping_mul(self.table[6])),
                [0; 4],
                1,
            )[0];
            return (
                if r > 0 {
                    begin.wrapping_add(r.wrapping_mul(step))
                } else {
                    begin
                },
                r,
            );
        };
        // The row's number in tiles: along the other axis four rows are one.
        let (mut rest, mut tile, mut size, mut r) = (row, 0, 1, 0);
        for (axis, &extent) in self.extents.iter().rev().enumerate().skip(1) {
            let mut c = rest % extent as u32;
            rest /= extent as u32;
            let mut tiles = extent as u32;
            if axis == along {
                (c, r, tiles) = (c / 4, c % 4, tiles / 4);
            }
            tile += c * size;
            size *= tiles;
        }
        let begin = self.decomposed(i, tile, [0; 4], 1)[0];
        (
            begin.wrapping_add(r.wrapping_mul((stride(along).cast_signed() >> 2).cast_unsigned())),
            r,
        )
    }

    /// From one place of input `i` to the next if an invocation's quads are strided.
    fn outermost_step(&self, i: usize) -> u32 {
        let outermost =
            self.shape_of_table().axes + (self.extents.len() - 1) * self.shape_of_table().axis_rows;
        self.table[outermost * 4 + 3].wrapping_mul(self.word(outermost + 1, i))
    }

    /// The first quad of the invocation that owns quad `q`, and the steps from there.
    fn walk(&self, q: u32) -> (u32, u32) {
        let schedule = self.schedule();
        let (quads, width) = (schedule.beside, schedule.workgroup[0]);
        match (schedule.down.map(|down| down.along), self.table[2]) {
            (None | Some(Along::Axis(_)), _) => {}
            (Some(Along::Sections), section) => return (q % section, q / section),
            (Some(Along::Blocks), band) => {
                let steps = q / band % schedule.rows();
                return (q - steps * band, steps);
            }
        }
        match schedule.spread {
            Spread::Consecutive => (q - q % quads, q % quads),
            Spread::Interleaved => (
                q - q % (width * quads) + q % width,
                q % (width * quads) / width,
            ),
        }
    }

    /// The lanes' places of quad `q` as an invocation of several quads comes to them, by adding the
    /// digits of its step.
    fn walked(&self, i: usize, q: u32) -> [u32; 4] {
        let table = self.shape_of_table();
        let (start, steps) = self.walk(q);
        let row = |axis: usize| table.axes + axis * table.axis_rows;
        let extent = |axis: usize| self.table[row(axis) * 4];
        // The coordinates of the first quad: those of a layout whose stride along one axis alone is
        // 1.
        let mut lanes: Vec<[u32; 4]> = (0..self.extents.len())
            .map(|axis| self.coordinates(4 * start, [0, 1, 2, 3], axis))
            .collect();
        for _ in 0..steps {
            let mut add = [0u32; 4];
            for (axis, lanes) in lanes.iter_mut().enumerate() {
                let digit = self.table[row(axis) * 4 + 3];
                for (c, add) in lanes.iter_mut().zip(&mut add) {
                    let wide = *c + digit + *add;
                    *add = u32::from(wide >= extent(axis));
                    *c = wide - *add * extent(axis);
                }
            }
        }
        let place = |lane: usize| {
            let each = lanes
                .iter()
                .enumerate()
                .map(|(axis, c)| c[lane].wrapping_mul(self.word(row(axis) + 1, i)));
            each.fold(self.offset(i), u32::wrapping_add)
        };
        [0, 1, 2, 3].map(place)
    }

    /// The lanes' places by magic division, wraps and carries over the axes from `first` on,
    /// innermost first.
    fn decomposed(&self, i: usize, start: u32, lanes: [u32; 4], first: usize) -> [u32; 4] {
        let table = self.shape_of_table();
        let stride = |axis: usize| self.word(table.axes + axis * table.axis_rows + 1, i);
        self.decompose(start, lanes, first, self.offset(i), &stride)
    }

    /// The lanes' coordinates along one axis.
    fn coordinates(&self, start: u32, lanes: [u32; 4], wanted: usize) -> [u32; 4] {
        self.decompose(start, lanes, 0, 0, &|axis| u32::from(axis == wanted))
    }

    /// The quotient by the multiplier and shift of an axis row.
    fn divided(&self, n: u32, row: usize) -> u32 {
        let [multiplier, shift] = [1, 2].map(|w| self.table[row * 4 + w]);
        ((u64::from(n) * u64::from(multiplier)) >> 32) as u32 >> shift
    }

    fn decompose(
        &self,
        start: u32,
        lanes: [u32; 4],
        first: usize,
        offset: u32,
        stride: &dyn Fn(usize) -> u32,
    ) -> [u32; 4] {
        let table = self.shape_of_table();
        let rank = self.extents.len();
        let (mut rest, mut add, mut found) = (start, lanes, [offset; 4]);
        for axis in first..rank {
            let row = table.axes + axis * table.axis_rows;
            let [extent, shift] = [0, 2].map(|w| self.table[row * 4 + w]);
            let outermost =
                axis + 1 == rank && (unrolled(rank).is_some() || self.schedule().powers_of_two);
            let c = if outermost {
                rest
            } else if self.schedule().powers_of_two {
                let c = rest & (extent - 1);
                rest >>= shift;
                c
            } else {
                let left = self.divided(rest, row);
                let c = rest.wrapping_sub(left.wrapping_mul(extent));
                rest = left;
                c
            };
            let stride = stride(axis);
            for (at, add) in found.iter_mut().zip(&mut add) {
                let (wide, mut carry) = (c + *add, 0);
                let mut once = wide;
                // Four lanes pass an inner extent of 2 twice.
                for _ in 0..if axis == 0 { 2 } else { 1 } {
                    if once >= extent {
                        (once, carry) = (once - extent, carry + 1);
                    }
                }
                *add = carry;
                *at = at.wrapping_add(once.wrapping_mul(stride));
            }
        }
        found
    }
}
