//! The addresses of a quad's lanes, computed from the words of the uniform table as the kernels
//! compute it.

use super::{
    Along, Input, LaneLoad, Lanes, MapHeader, Owned, Pass, Schedule, Spread, TableShape, Threads,
    unrolled,
};

/// Which invocation owns a quad: its first quad, and how far down and beside that the quad lies.
#[derive(Clone, Copy)]
struct Owner {
    first: u32,
    down: u32,
    beside: u32,
}

impl Pass {
    pub(super) fn table_shape(&self) -> TableShape {
        let rank = match self.work.fold() {
            Some(_) => Some(self.extents.len()),
            None => unrolled(self.extents.len()),
        };
        TableShape::new(&self.work, self.inputs.len(), rank)
    }

    pub(super) fn header(&self) -> MapHeader {
        MapHeader::read(&self.table)
    }

    /// The word of input `i` in four-word rows that begin at `row`.
    pub(super) fn word(&self, row: usize, i: usize) -> u32 {
        self.table[row * 4 + i]
    }

    pub(super) fn offset(&self, i: usize) -> u32 {
        self.word(self.table_shape().offsets, i)
    }

    /// How far input `i` moves from a quad to the next one down.
    fn down_step(&self, i: usize) -> u32 {
        self.table_shape().steps.map_or(0, |row| self.word(row, i))
    }

    pub(super) fn stride(&self, axis: usize, i: usize) -> u32 {
        self.word(self.table_shape().axis(axis) + 1, i)
    }

    /// The extent, multiplier, shift and step of an axis.
    pub(super) fn axis(&self, axis: usize) -> [u32; 4] {
        let row = self.table_shape().axis(axis) * 4;
        std::array::from_fn(|word| self.table[row + word])
    }

    /// The schedule of an elementwise pass.
    fn schedule(&self) -> &Schedule {
        self.work
            .schedule()
            .expect("products are audited elsewhere")
    }

    /// The quotient by an axis's multiplier and shift.
    pub(super) fn divided(&self, n: u32, axis: usize) -> u32 {
        let [_, multiplier, shift, _] = self.axis(axis);
        ((u64::from(n) * u64::from(multiplier)) >> 32) as u32 >> shift
    }

    /// The coordinate along an axis, split off `rest`; the `last` one takes what is left.
    pub(super) fn split_off(&self, rest: &mut u32, axis: usize, last: bool) -> u32 {
        let [extent, _, shift, _] = self.axis(axis);
        if last {
            std::mem::take(rest)
        } else if self.schedule().powers_of_two {
            let c = *rest & (extent - 1);
            *rest >>= shift;
            c
        } else {
            let left = self.divided(*rest, axis);
            let c = rest.wrapping_sub(left.wrapping_mul(extent));
            *rest = left;
            c
        }
    }

    /// Where the lanes of a quad, or of a pair, of input `i` lie in its binding, as the kernel finds
    /// it.
    pub(super) fn addresses(&self, i: usize, input: &Input, q: usize) -> Vec<usize> {
        let q = q as u32;
        let (offset, inner) = (self.offset(i), self.stride(0, i));
        let unit = self.schedule().unit;
        // Offsets of whole quads are shifted.
        let quads = |offset: u32| offset >> unit.trailing_zeros();
        let each = |at: &dyn Fn(u32) -> u32| (0..unit).map(at).collect::<Vec<u32>>();
        let found = match (self.schedule().lanes, input.load.lanes) {
            (_, LaneLoad::Vector { misaligned: by }) if input.load.linear => {
                each(&|l| unit * (q + quads(offset)) + u32::from(by) + l)
            }
            (Lanes::Rows, lanes) => {
                let (begin, down, column) = self.row(i, input, q);
                match lanes {
                    LaneLoad::Vector { misaligned: by } => each(&|l| {
                        quads(begin)
                            .wrapping_add(column)
                            .wrapping_mul(unit)
                            .wrapping_add(u32::from(by) + l)
                    }),
                    LaneLoad::Broadcast => each(&|_| begin),
                    // A row's elements lie across as many quads, which begin at the tile's first row.
                    LaneLoad::Transposed => each(&|l| {
                        let first = begin.wrapping_sub(down);
                        let at = first.wrapping_add((unit * column + l).wrapping_mul(inner));
                        at / unit * unit + down
                    }),
                    _ => each(&|l| {
                        let at = column.wrapping_mul(unit).wrapping_add(l);
                        begin.wrapping_add(at.wrapping_mul(inner))
                    }),
                }
            }
            (_, LaneLoad::Broadcast) => each(&|_| offset),
            (Lanes::Line, _) => {
                let last = self.header().elements - 1;
                each(&|l| offset.wrapping_add((unit * q + l).min(last).wrapping_mul(inner)))
            }
            (_, LaneLoad::Periodic(period)) => {
                let (owner, period) = (self.owner(q), u32::from(period));
                // The invocation's three elements, rotated to its first quad and by the step to
                // each one beside it.
                let step = self.schedule().step_beside() as u32 % period;
                let turns = 4 * owner.first % period + owner.beside * step;
                each(&|l| offset.wrapping_add(((turns + l) % period).wrapping_mul(inner)))
            }
            _ => self.straddling(i, input, q),
        };
        found.into_iter().map(|at| at as usize).collect()
    }

    /// Who owns quad `q`.
    fn owner(&self, q: u32) -> Owner {
        let (schedule, apart) = (self.schedule(), self.header().apart);
        let own = schedule.rows();
        let down = match schedule.down.map(|down| down.along) {
            None | Some(Along::Axis(_)) => 0,
            Some(Along::Sections) => q / apart,
            Some(Along::Blocks) => q / apart % own,
        };
        let (beside, width) = (schedule.beside, schedule.workgroup[0]);
        let (further, step) = match schedule.spread {
            _ if beside == 1 => (0, 0),
            Spread::Consecutive | Spread::Axis { .. } => (q % beside, 1),
            Spread::Interleaved => (q / width % beside, width),
        };
        Owner {
            first: q - down * apart - further * step,
            down,
            beside: further,
        }
    }

    /// The lanes of a quad that may straddle, of an input that is loaded element by element.
    fn straddling(&self, i: usize, input: &Input, q: u32) -> Vec<u32> {
        let rank = self.extents.len();
        let owner = self.owner(q);
        let mut rest = self.schedule().unit * owner.first;
        let mut c: Vec<u32> = (0..rank)
            .map(|axis| self.split_off(&mut rest, axis, axis + 1 == rank))
            .collect();
        for _ in 0..owner.beside {
            let mut carry = 0;
            for (axis, c) in c.iter_mut().enumerate() {
                let [extent, _, _, step] = self.axis(axis);
                let wide = *c + step + carry;
                carry = u32::from(wide >= extent);
                *c = wide - carry * extent;
            }
        }
        let after = |c: &[u32]| {
            let mut carry = true;
            let next = c.iter().enumerate().map(|(axis, &c)| match axis {
                0 => 0,
                _ => {
                    let ends = carry && c + 1 == self.axis(axis)[0];
                    let next = if ends { 0 } else { c + u32::from(carry) };
                    carry = ends;
                    next
                }
            });
            next.collect::<Vec<u32>>()
        };
        let [moves_down, _] = input.load.per.moves();
        let down = if moves_down { owner.down } else { 0 };
        let begin = |c: &[u32]| {
            let outer = c.iter().enumerate().skip(1);
            outer
                .fold(self.offset(i), |at, (axis, &c)| {
                    at.wrapping_add(c.wrapping_mul(self.stride(axis, i)))
                })
                .wrapping_add(down.wrapping_mul(self.down_step(i)))
        };
        let next = after(&c);
        let rows = [begin(&c), begin(&next), begin(&after(&next))];
        let extent = self.axis(0)[0];
        // Lanes past the end stay within the binding.
        let size = (input.dtype.size() * input.per_word as usize) as u64;
        let in_words = self.schedule().per_word() > 1;
        let size = match in_words {
            true => input.dtype.size() as u64,
            false => size,
        };
        let last = (input.range.size / size - 1) as u32;
        let lane = |lane: u32| {
            let lane = c[0] + lane;
            let at = rows[(lane / extent) as usize]
                .wrapping_add((lane % extent).wrapping_mul(self.stride(0, i)));
            if down > 0 { at.min(last) } else { at }
        };
        (0..self.schedule().unit).map(lane).collect()
    }

    /// Where the row of quad `q` begins in input `i`, how far down it lies in its invocation, and
    /// the quad's number in the row.
    fn row(&self, i: usize, input: &Input, q: u32) -> (u32, u32, u32) {
        let (schedule, header) = (self.schedule(), self.header());
        let (row, quad) = (q / header.in_row, q % header.in_row);
        let own = schedule.rows();
        let (high, down, in_rows) = match schedule.down.map(|down| down.along) {
            None => (row, 0, 0),
            Some(Along::Axis(_)) => self.tile(row),
            Some(_) => {
                let apart = header.apart / header.in_row;
                (row % apart, row / apart, 0)
            }
        };
        // Numbered invocations find their row by dividing.
        let (beside, width) = (schedule.beside, self.axis(0)[0]);
        let (first, further, step) = match schedule.spread {
            Spread::Consecutive => (quad / beside, quad % beside, 1),
            Spread::Interleaved => (quad % width, quad / width, width),
            Spread::Axis { .. } => (quad, 0, 0),
        };
        let number = high.wrapping_mul(width).wrapping_add(first);
        let high = match schedule.threads {
            Threads::Numbered => self.divided(number.wrapping_mul(2), 0),
            _ => high,
        };
        let first = number.wrapping_sub(high.wrapping_mul(width));
        let column = match schedule.spread {
            Spread::Consecutive => first.wrapping_mul(beside).wrapping_add(further),
            Spread::Interleaved | Spread::Axis { .. } => {
                first.wrapping_add(further.wrapping_mul(step))
            }
        };
        let [moves_down, moves_beside] = input.load.per.moves();
        let steps = if moves_down { down } else { 0 };
        let mut rest = high;
        let mut begin = self.offset(i);
        let mut written = column;
        let axes = self.row_axes();
        for (n, &axis) in axes.iter().enumerate() {
            let last = n + 1 == axes.len();
            let c = self.split_off(
                &mut rest,
                axis,
                last && unrolled(self.extents.len()).is_some(),
            );
            begin = begin.wrapping_add(c.wrapping_mul(self.stride(axis, i)));
            written = written.wrapping_add(c.wrapping_mul(self.axis(axis)[3]));
        }
        if let Spread::Axis { axis, .. } = schedule.spread {
            // A table has the step for all that an invocation owns along the axis.
            let part = |all: u32| (all.cast_signed() / beside as i32).cast_unsigned();
            let axis = axis as usize;
            written = written.wrapping_add(in_rows.wrapping_mul(part(self.axis(axis)[3])));
            if moves_beside {
                begin = begin.wrapping_add(in_rows.wrapping_mul(part(self.stride(axis, i))));
            }
        }
        let written = match schedule.skips_rows() {
            true => written.wrapping_add(down.wrapping_mul(header.apart)),
            false if schedule.splits_outermost() => high
                .wrapping_mul(header.in_row)
                .wrapping_add(down.wrapping_mul(header.apart))
                .wrapping_add(column),
            false => high
                .wrapping_mul(own)
                .wrapping_add(down)
                .wrapping_mul(header.in_row)
                .wrapping_add(column),
        };
        let begin = begin.wrapping_add(steps.wrapping_mul(self.down_step(i)));
        // What is written elsewhere is read from nowhere.
        let begin = if written == q { begin } else { u32::MAX / 2 };
        (begin, if moves_down { down } else { 0 }, column)
    }

    /// The axes that a number of rows is split into, in the order of the split: that of tiles comes
    /// first. One that is unrolled whole has no part in it.
    fn row_axes(&self) -> Vec<usize> {
        let first = self.schedule().numbered_first();
        let others = (1..self.extents.len()).filter(|&axis| Some(axis) != first);
        first
            .into_iter()
            .chain(others)
            .filter(|&axis| !self.schedule().owns_whole(axis))
            .collect()
    }

    /// The number of an invocation's rows among all such, and the row's place in it, down and
    /// beside, if they are neighbours along axes.
    fn tile(&self, row: u32) -> (u32, u32, u32) {
        let owned: Vec<Owned> = self.schedule().owned().collect();
        let (mut rest, mut places) = (row, [0, 0]);
        let mut c: Vec<(u32, u32)> = vec![(0, 1)];
        for (axis, &extent) in self.extents.iter().rev().enumerate().skip(1) {
            let at = rest % extent as u32;
            rest /= extent as u32;
            match owned.iter().position(|of| of.axis == axis) {
                Some(which) => {
                    let quads = owned[which].quads;
                    places[which] = at % quads;
                    c.push((at / quads, extent as u32 / quads));
                }
                None => c.push((at, extent as u32)),
            }
        }
        let (mut number, mut size) = (0, 1);
        for axis in self.row_axes() {
            number += c[axis].0 * size;
            size *= c[axis].1;
        }
        let [down, beside] = places;
        (number, down, beside)
    }
}
