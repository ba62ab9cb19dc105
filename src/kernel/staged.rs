//! The generated `fn main` of a staged kernel: a workgroup computes a tile of 64 x 64 elements. It
//! loads a transposed input column by column, in its order, to the workgroup's memory, and reads it
//! there row by row, in the output's order. It loads all other inputs row by row.
//!
//! Row `r` of column `c` is kept at `64 c + (r xor c)`, so that neither neighbouring rows nor
//! neighbouring columns lie in one bank.

use std::collections::HashSet;

use super::key::KeyInput;
use super::nest::{Nest, Unit};
use super::tail::{LANES, joined, lane, list, splat};
use super::template::emit;
use crate::plan::{LaneLoad, OWN, SIDE};

impl Nest<'_> {
    /// The workgroup's memory, one tile for each width of what is staged.
    pub(super) fn tiles(&self, out: &mut String) {
        let elements = SIDE * SIDE;
        let staged: HashSet<&str> = self.staged().map(|i| self.tail.element(i)).collect();
        for of in ["u32", "vec2<u32>"]
            .into_iter()
            .filter(|of| staged.contains(of))
        {
            emit! { out, of, elements, name = tile(of);
                "var<workgroup> {name}: array<{of}, {elements}>;"
            }
        }
    }

    /// Inputs that go through the workgroup's memory.
    fn staged(&self) -> impl Iterator<Item = usize> + '_ {
        let inputs = self.key.inputs.iter().enumerate();
        let is_staged = |x: &KeyInput| x.load.lanes == LaneLoad::Staged && !x.in_place;
        inputs.filter(move |(_, x)| is_staged(x)).map(|(i, _)| i)
    }

    /// What follows on `let group`.
    pub(super) fn columns(&self, axis: usize, out: &mut String) {
        self.place(axis, out);
        let unit = |down| Unit { down, beside: 0 };
        let units: Vec<Unit> = (0..self.schedule.rows()).map(unit).collect();
        // All that does not wait for others is loaded first.
        for &unit in &units {
            for i in 0..self.key.inputs.len() {
                self.column_load(i, axis, unit, out);
            }
        }
        let mut filled = HashSet::new();
        for i in self.staged() {
            self.stage(i, axis, &mut filled, &units, out);
        }
        for &unit in &units {
            let operands = list(0..self.key.inputs.len(), |i| self.operand(i, &[unit]));
            emit! { out, n = unit.name("r", [true, false]), operands;
                "    let {n} = quad({operands});"
            }
        }
        emit! { out;
            "    if is_whole {"
        }
        self.stores(axis, &units, None, out);
        emit! { out;
            "    } else if column < table.axes[0].extent {"
        }
        self.stores(axis, &units, Some("last_row"), out);
        emit! { out;
            "    }"
            "}"
        }
    }

    /// Which tile it is, where it begins in each operand, and the invocation's place in it.
    fn place(&self, axis: usize, out: &mut String) {
        emit! { out;
            "    let place = (group.z * groups.y + group.y) * groups.x + group.x;"
            "    let number = divide(2u * place, table.axes[0].multiplier, table.axes[0].shift);"
            "    if number >= table.high { return; }"
            "    let across = place - number * table.in_row;"
        }
        for i in 0..self.key.inputs.len() {
            emit! { out, i, offset = self.tail.offset(i); "    var p{i} = {offset};" }
        }
        emit! { out, offset = self.tail.output_offset(); "    var at = {offset};" }
        let rank = self.key.rank.unwrap_or(axis + 1);
        let others: Vec<usize> = (1..rank).filter(|&other| other != axis).collect();
        if others.is_empty() {
            emit! { out; "    let tile = number;" }
        } else {
            emit! { out, axis;
                "    var rest = divide(2u * number, table.axes[{axis}].multiplier, table.axes[{axis}].shift);"
                "    let tile = number - rest * table.rows;"
            }
        }
        for (n, &other) in others.iter().enumerate() {
            emit! { out; "    {" }
            self.coordinate(&other.to_string(), Some(n + 1 == others.len()), out);
            for i in (0..self.key.inputs.len()).filter(|&i| self.moves(i, other)) {
                emit! { out, i, stride = self.tail.stride(i, &other.to_string());
                    "        p{i} += c * {stride};"
                }
            }
            emit! { out, other;
                "        at += c * table.axes[{other}].step;"
                "    }"
            }
        }
        emit! { out, axis, side = SIDE, own = OWN, most = SIDE - 1;
            "    let last_row = table.axes[{axis}].extent - 1u;"
            "    let last_column = table.axes[0].extent - 1u;"
            "    let is_whole = {side}u * tile + {most}u <= last_row && {side}u * across + {most}u <= last_column;"
            "    let lane = local % {side}u;"
            "    let part = {own}u * (local / {side}u);"
            "    let row = {side}u * tile + part;"
            "    let column = {side}u * across + lane;"
            "    let inside = min(column, last_column);"
            "    let first = at + row * table.axes[{axis}].step + inside;"
        }
    }

    /// Loads an input column by column, and takes the elements of the invocation's quads.
    fn stage(
        &self,
        i: usize,
        axis: usize,
        filled: &mut HashSet<String>,
        units: &[Unit],
        out: &mut String,
    ) {
        let name = tile(self.tail.element(i));
        let [along, across] = [axis, 0].map(|axis| self.tail.stride(i, &axis.to_string()));
        // Past the last column it loads what nobody stores.
        emit! { out, i, along, across, side = SIDE, last = self.last(i);
            "    let last{i} = {last};"
            "    let s{i} = p{i} + min({side}u * tile + lane, last_row) * {along}"
            "        + ({side}u * across + part) * {across};"
        }
        for k in 0..OWN {
            emit! { out, i, k, across; "    let l{i}_{k} = get{i}(min(s{i} + {k}u * {across}, last{i}));" }
        }
        if filled.is_empty() {
            emit! { out, side = SIDE;
                "    let kept = {side}u * part + (lane ^ part);"
                "    let taken = {side}u * lane + (lane ^ part);"
            }
        }
        // Others may not have taken what the last input left there.
        if !filled.insert(name.into()) {
            emit! { out; "    workgroupBarrier();" }
        }
        for k in 0..OWN {
            emit! { out, i, k, name, rows = k * SIDE;
                "    {name}[(kept ^ {k}u) + {rows}u] = l{i}_{k};"
            }
        }
        emit! { out; "    workgroupBarrier();" }
        for &unit in units {
            let lanes = list(0..4, |lane| {
                format!("{name}[taken ^ {}u]", 4 * unit.down + lane)
            });
            emit! { out, n = self.loaded(i, unit), bits = joined(self.key.inputs[i].unit(), &lanes);
                "    let {n} = {bits};"
            }
        }
    }

    /// Declares the value for a quad of an input that is not staged.
    fn column_load(&self, i: usize, axis: usize, unit: Unit, out: &mut String) {
        let input = &self.key.inputs[i];
        let name = self.loaded(i, unit);
        match input.load.lanes {
            _ if input.in_place => {
                self.column_gather(i, "first", &format!("table.axes[{axis}].step"), unit, out);
            }
            LaneLoad::Staged => {}
            LaneLoad::Splat if unit.down > 0 => {}
            LaneLoad::Splat => emit! { out, i, name; "    let {name} = get{i}(p{i});" },
            // The same row for all.
            _ if !self.moves(i, axis) => {
                if unit.down == 0 {
                    let across = self.tail.stride(i, "0");
                    let element = format!("get{i}(p{i} + inside * {across})");
                    emit! { out, name, bits = splat(input.unit(), &element);
                        "    let {name} = {bits};"
                    }
                }
            }
            _ => {
                let [along, across] = [axis, 0].map(|axis| self.tail.stride(i, &axis.to_string()));
                if unit.down == 0 {
                    let moves = match self.moves(i, 0) {
                        true => format!(" + inside * {across}"),
                        false => String::new(),
                    };
                    emit! { out, i, along, moves; "    let s{i} = p{i}{moves} + row * {along};" }
                }
                self.column_gather(i, &format!("s{i}"), &along, unit, out);
            }
        }
    }

    /// Declares four elements of a column from the address of the invocation's first one and the
    /// stride. Past the last row they are others that are there.
    fn column_gather(&self, i: usize, first: &str, stride: &str, unit: Unit, out: &mut String) {
        if unit.down == 0 {
            emit! { out, i, last = self.last(i); "    let last{i} = {last};" }
        }
        let lanes = list(0..4, |lane| {
            let k = 4 * unit.down + lane;
            format!("get{i}(min({first} + {k}u * {stride}, last{i}))")
        });
        let bits = joined(self.key.inputs[i].unit(), &lanes);
        emit! { out, name = self.loaded(i, unit), bits; "    let {name} = {bits};" }
    }

    /// The stores of all quads; those of rows up to `last` alone if it is given.
    fn stores(&self, axis: usize, units: &[Unit], last: Option<&str>, out: &mut String) {
        for &unit in units {
            let n = unit.name("r", [true, false]);
            for (number, name) in LANES.into_iter().enumerate() {
                let k = 4 * unit.down as usize + number;
                let value = lane(self.key.output, &n, name);
                let store = format!("result[first + {k}u * table.axes[{axis}].step] = {value};");
                match last {
                    None => emit! { out, store; "        {store}" },
                    Some(last) => emit! { out, k, last, store;
                        "        if row + {k}u <= {last} { {store} }"
                    },
                }
            }
        }
    }
}

/// The name of the tile of such elements.
fn tile(of: &str) -> &'static str {
    match of {
        "u32" => "tile_words",
        _ => "tile_pairs",
    }
}
