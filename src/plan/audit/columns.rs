//! Staged tiles, computed from the words of the uniform table as the kernel computes them.

use super::{LaneLoad, Pass};
use crate::plan::schedule::{OWN, SIDE};
use crate::plan::store::Store;

impl Pass {
    /// Every element is written once, by an invocation that reads the elements that the layouts
    /// name.
    pub(super) fn audit_columns(&self, axis: usize) -> Result<(), String> {
        let (header, side, own) = (self.header(), SIDE as u32, OWN as u32);
        if !matches!(self.output.store, Store::Words { shift: 0 }) {
            return Err("columns are not stored element by element".into());
        }
        let positions: Vec<Vec<usize>> = self
            .inputs
            .iter()
            .map(|input| input.layout.offsets().collect())
            .collect();
        let mut written = vec![false; header.elements as usize];
        let [last_row, last_column] = [self.axis(axis)[0] - 1, self.axis(0)[0] - 1];
        let [x, y, z] = self.grid;
        for group in 0..x * y * z {
            let number = self.divided(2 * group, 0);
            let group = group - number * header.in_row;
            if number >= header.high {
                continue;
            }
            let (tile, others) = self.tile_of(number, axis);
            for local in 0..side * side / own {
                let (lane, part) = (local % side, own * (local / side));
                let column = side * group + lane;
                for k in 0..own {
                    let row = side * tile + part + k;
                    if row > last_row || column > last_column {
                        continue;
                    }
                    let at = |step: &dyn Fn(usize) -> u32, first: u32| {
                        let along = [(axis, row), (0, column)];
                        others.iter().chain(&along).fold(first, |at, &(axis, c)| {
                            at.wrapping_add(c.wrapping_mul(step(axis)))
                        })
                    };
                    let out = at(&|axis| self.axis(axis)[3], 0) as usize;
                    match written.get_mut(out) {
                        Some(done) if !*done => *done = true,
                        _ => return Err(format!("element {out} is written twice, or is none")),
                    }
                    for (i, input) in self.inputs.iter().enumerate() {
                        let found = at(&|axis| self.stride(axis, i), self.offset(i)) as usize;
                        let origin = input.range.start as usize / input.dtype.size();
                        let fits = (found + 1) * input.dtype.size() <= input.range.size as usize;
                        if !fits || found + origin != positions[i][out] {
                            return Err(format!(
                                "input {i} ({}): element {out} is {found} and {origin}, not {}",
                                input.load, positions[i][out]
                            ));
                        }
                    }
                }
            }
        }
        let staged = |x: &super::Input| x.load.lanes == LaneLoad::Staged;
        match written.iter().position(|done| !done) {
            Some(out) => Err(format!("element {out} is not written")),
            None if !self.inputs.iter().any(staged) => Err("no input is staged".into()),
            None => self.written(header.elements as usize),
        }
    }

    /// The tile along its own axis that a workgroup of this number has, and its coordinates along
    /// the other axes.
    fn tile_of(&self, number: u32, axis: usize) -> (u32, Vec<(usize, u32)>) {
        let rank = self.extents.len();
        let others: Vec<usize> = (1..rank).filter(|&other| other != axis).collect();
        if others.is_empty() {
            return (number, Vec::new());
        }
        let mut rest = self.divided(2 * number, axis);
        let tile = number - rest * self.header().rows;
        let split = |(n, &other): (usize, &usize)| {
            (
                other,
                self.split_off(&mut rest, other, n + 1 == others.len()),
            )
        };
        (tile, others.iter().enumerate().map(split).collect())
    }
}
