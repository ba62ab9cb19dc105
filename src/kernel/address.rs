//! The addresses of a quad's elements: in rows of whole quads, and in quads that may straddle
//! rows.

use std::collections::HashSet;

use super::key::KeyInput;
use super::nest::{Nest, Unit};
use super::template::emit;
use crate::plan::{LaneLoad, Lanes};

impl Nest<'_> {
    /// Inputs whose address is computed from coordinates.
    pub(super) fn addressed(&self) -> impl Iterator<Item = usize> + '_ {
        let is_addressed = |x: &KeyInput| !x.in_place && x.load.by_coordinates(self.schedule);
        let inputs = self.key.inputs.iter().enumerate();
        inputs.filter(move |(_, x)| is_addressed(x)).map(|(i, _)| i)
    }

    /// Whether input `i` may move along an axis; any may if a loop goes over the axes.
    pub(super) fn moves(&self, i: usize, axis: usize) -> bool {
        self.key.rank.is_none() || self.key.inputs[i].axes & 1 << axis != 0
    }

    /// Whether input `i` moves along any axis but the innermost.
    pub(super) fn moves_outside(&self, i: usize) -> bool {
        self.key.rank.is_none() || self.key.inputs[i].axes & !1 != 0
    }

    /// Whether input `i` moves from one quad to the next one down.
    fn moves_down(&self, i: usize) -> bool {
        self.key.inputs[i].load.per.moves()[0]
    }

    /// The outermost axis that an addressed input moves along.
    fn top(&self) -> usize {
        let axes = self
            .addressed()
            .fold(0, |axes, i| axes | self.key.inputs[i].axes);
        (u16::BITS - axes.leading_zeros()).saturating_sub(1) as usize
    }

    /// Where the row begins in each input: `p{i}`.
    pub(super) fn row_addresses(&self, out: &mut String) {
        for i in self.addressed() {
            let name = if self.moves_outside(i) { "var" } else { "let" };
            emit! { out, i, name, offset = self.tail.offset(i); "    {name} p{i} = {offset};" }
        }
        let adds_up = self.adds_up_output();
        if !adds_up && !self.addressed().any(|i| self.moves_outside(i)) {
            return;
        }
        emit! { out; "    var rest = row;" }
        let Some(rank) = self.key.rank else {
            emit! { out; "    for (var axis = 1u; axis < table.rank; axis++) {" }
            if self.schedule.owns_whole(1) {
                emit! { out; "        if axis == 1u { continue; }" }
            }
            self.coordinate("axis", None, out);
            for i in self.addressed() {
                emit! { out, i, stride = self.tail.stride(i, "axis");
                    "        p{i} += c * {stride};"
                }
            }
            emit! { out; "    }" }
            return;
        };
        let top = if adds_up {
            rank - 1
        } else {
            self.top().min(rank - 1)
        };
        // Neighbours of a tile along its own axis are numbered first.
        let own = self.schedule.numbered_first();
        let order: Vec<usize> = own
            .into_iter()
            .chain((1..=top).filter(|&axis| Some(axis) != own))
            .filter(|&axis| !self.schedule.owns_whole(axis))
            .collect();
        for (n, &axis) in order.iter().enumerate() {
            emit! { out; "    {" }
            // What is left belongs to the outermost axis, if that is numbered last.
            let last = n + 1 == order.len() && self.is_numbered_last(axis, rank);
            self.coordinate(&axis.to_string(), Some(last), out);
            for i in self.addressed().filter(|&i| self.moves(i, axis)) {
                let along_tile = self.key.inputs[i].load.lanes == LaneLoad::Transposed
                    && self.schedule.tiled_axis() == Some(axis);
                // What is transposed is contiguous there.
                let stride = match along_tile {
                    true => format!("{}u", self.schedule.owned_along(axis)),
                    false => self.tail.stride(i, &axis.to_string()),
                };
                emit! { out, i, stride; "        p{i} += c * {stride};" }
            }
            if adds_up {
                emit! { out, axis; "        q += c * table.axes[{axis}].step;" }
            }
            emit! { out; "    }" }
        }
    }

    /// Where the row of a further quad begins in each input that moves to it: `p{i}_d{down}`, and
    /// `p{i}_b{beside}` where quads beside one another lie in rows of their own.
    pub(super) fn further_rows(&self, unit: Unit, known: &mut HashSet<String>, out: &mut String) {
        let apart = |&i: &usize| {
            let lanes = self.key.inputs[i].load.lanes;
            !matches!(lanes, LaneLoad::Transposed | LaneLoad::Interleaved)
        };
        for i in self.addressed().filter(apart) {
            let name = |unit: Unit| self.row(i, unit);
            let first = name(Unit::FIRST);
            if name(unit) == first || !known.insert(name(unit)) {
                continue;
            }
            let above = |down| name(Unit { down, ..unit });
            let place = match self.beside_axis() {
                Some(axis) if unit.down == 0 || !self.moves_down(i) => {
                    let step = self.part(&self.tail.stride(i, &axis.to_string()));
                    format!("{first} + {}u * {step}", unit.beside)
                }
                _ => {
                    let step = self.tail.step(i);
                    self.moved_down(unit, &above(0), &above(unit.down - 1), &step)
                }
            };
            emit! { out, name = name(unit), place; "    let {name} = {place};" }
        }
    }

    /// The step to the quad beside this one, from the step over all quads along the axis.
    pub(super) fn part(&self, all: &str) -> String {
        let shift = self.schedule.beside.trailing_zeros();
        format!("bitcast<u32>(bitcast<i32>({all}) >> {shift}u)")
    }

    /// Whether no axis is numbered after this one.
    fn is_numbered_last(&self, axis: usize, rank: usize) -> bool {
        let own = self.schedule.numbered_first().unwrap_or(0);
        let last = (1..rank)
            .rev()
            .find(|&a| a != own && !self.schedule.owns_whole(a))
            .unwrap_or(own);
        axis == last
    }

    /// The coordinate `c` along an axis, split off `rest`. `last` says whether nothing is left
    /// after it; `None` is an axis of a loop.
    pub(super) fn coordinate(&self, axis: &str, last: Option<bool>, out: &mut String) {
        let powers = self.schedule.powers_of_two;
        match last {
            Some(true) => emit! { out; "        let c = rest;" },
            Some(false) if powers => emit! { out, axis;
                "        let c = rest & (table.axes[{axis}].extent - 1u);"
                "        rest = rest >> table.axes[{axis}].shift;"
            },
            _ => emit! { out, axis;
                "        let left = divide(rest, table.axes[{axis}].multiplier, table.axes[{axis}].shift);"
                "        let c = rest - left * table.axes[{axis}].extent;"
                "        rest = left;"
            },
        }
    }

    /// The coordinates of a quad that may straddle, `c{axis}`, those of the row after it, `m{axis}`,
    /// which of its lanes lie there, `past`, and their places in their rows, `in_row`. For each
    /// input whose elements are loaded one by one where these rows begin: `a{i}` and `n{i}`. Rows
    /// of two elements have a third one: `t{i}`.
    pub(super) fn lane_addresses(&self, unit: Unit, known: &mut HashSet<String>, out: &mut String) {
        if self.addressed().next().is_none() {
            return;
        }
        let at = Unit { down: 0, ..unit };
        if known.insert(at.name("lanes", [false, true])) {
            match self.key.rank {
                Some(rank) => self.coordinates(at, rank, out),
                None => self.looped_coordinates(out),
            }
        }
    }

    /// Rows that a quad may lie in.
    pub(super) fn rows_of_a_quad(&self) -> usize {
        match self.schedule.lanes {
            Lanes::Straddling(rows) => rows as usize,
            Lanes::Line | Lanes::Rows | Lanes::Column => 1,
        }
    }

    /// Coordinates of the first quad by division, of those beside it by adding the digits of their
    /// distance.
    fn coordinates(&self, unit: Unit, rank: usize, out: &mut String) {
        let top = self.top().min(rank - 1);
        let n = unit.name("", [false, true]);
        let before = Unit {
            beside: unit.beside.saturating_sub(1),
            ..unit
        };
        let b = before.name("", [false, true]);
        for axis in 0..=top {
            let rest = match axis {
                0 => format!("{}u * q", self.schedule.unit),
                _ => format!("rest{}", axis - 1),
            };
            if unit.beside > 0 {
                let add = match axis {
                    0 => String::new(),
                    _ => format!(" + u32(over{}{n})", axis - 1),
                };
                emit! { out, axis, n, b, add;
                    "    let wide{axis}{n} = c{axis}{b} + table.axes[{axis}].step{add};"
                    "    let over{axis}{n} = wide{axis}{n} >= table.axes[{axis}].extent;"
                    "    let c{axis}{n} = select(wide{axis}{n}, wide{axis}{n} - table.axes[{axis}].extent, over{axis}{n});"
                }
            } else if axis + 1 == rank {
                emit! { out, axis, rest; "    let c{axis} = {rest};" }
            } else if self.schedule.powers_of_two {
                emit! { out, axis, rest;
                    "    let c{axis} = ({rest}) & (table.axes[{axis}].extent - 1u);"
                    "    let rest{axis} = ({rest}) >> table.axes[{axis}].shift;"
                }
            } else {
                emit! { out, axis, rest;
                    "    let rest{axis} = divide({rest}, table.axes[{axis}].multiplier, table.axes[{axis}].shift);"
                    "    let c{axis} = {rest} - rest{axis} * table.axes[{axis}].extent;"
                }
            }
        }
        self.lanes_of(&n, out);
        // The same for the row after it, and the one after that.
        let sets = ["c", "m", "o"];
        for k in 1..self.rows_of_a_quad() {
            let (own, above) = (sets[k], sets[k - 1]);
            for axis in 1..=top {
                if axis == 1 {
                    emit! { out, own, above, n;
                        "    let ends_{own}1{n} = {above}1{n} + 1u == table.axes[1].extent;"
                        "    let {own}1{n} = select({above}1{n} + 1u, 0u, ends_{own}1{n});"
                    }
                    continue;
                }
                emit! { out, own, above, axis, n, inner = axis - 1;
                    "    let ends_{own}{axis}{n} = ends_{own}{inner}{n} && {above}{axis}{n} + 1u == table.axes[{axis}].extent;"
                    "    let {own}{axis}{n} = select({above}{axis}{n} + u32(ends_{own}{inner}{n}), 0u, ends_{own}{axis}{n});"
                }
            }
        }
        for i in self.addressed() {
            for (set, stem) in sets
                .into_iter()
                .zip(["a", "n", "t"])
                .take(self.rows_of_a_quad())
            {
                let mut place = self.tail.offset(i);
                for axis in (1..=top).filter(|&axis| self.moves(i, axis)) {
                    let stride = self.tail.stride(i, &axis.to_string());
                    place.push_str(&format!(" + {set}{axis}{n} * {stride}"));
                }
                emit! { out, stem, i, n, place; "    let {stem}{i}{n} = {place};" }
            }
        }
    }

    /// Which lanes lie in the row after the first one's, and where in their rows; or which bits of
    /// words do, and how many elements are left in the first row.
    fn lanes_of(&self, n: &str, out: &mut String) {
        if self.schedule.per_word() > 1 {
            emit! { out, n, per_word = self.schedule.per_word();
                "    let left{n} = table.axes[0].extent - c0{n};"
                "    let past{n} = bits_past(left{n}, {per_word}u);"
            }
            return;
        }
        if self.rows_of_a_quad() == 3 {
            emit! { out, n;
                "    let lanes{n} = vec4<u32>(c0{n}) + vec4<u32>(0u, 1u, 2u, 3u);"
                "    let past{n} = lanes{n} >= vec4<u32>(2u);"
                "    let past_twice{n} = lanes{n} >= vec4<u32>(4u);"
                "    let in_row{n} = lanes{n} & vec4<u32>(1u);"
            }
        } else {
            let (of, numbers) = (self.tail.lanes_type(), self.tail.lane_numbers());
            emit! { out, n, of, numbers;
                "    let lanes{n} = {of}(c0{n}) + {numbers};"
                "    let past{n} = lanes{n} >= {of}(table.axes[0].extent);"
                "    let in_row{n} = select(lanes{n}, lanes{n} - {of}(table.axes[0].extent), past{n});"
            }
        }
    }

    /// The coordinates for any rank, by a loop; an invocation owns one quad, or several down.
    fn looped_coordinates(&self, out: &mut String) {
        emit! { out, unit = self.schedule.unit;
            "    var rest = divide({unit}u * q, table.axes[0].multiplier, table.axes[0].shift);"
            "    let c0 = {unit}u * q - rest * table.axes[0].extent;"
        }
        self.lanes_of("", out);
        let rows = self.rows_of_a_quad();
        for i in self.addressed() {
            for stem in ["a", "n", "t"].into_iter().take(rows) {
                emit! { out, stem, i, offset = self.tail.offset(i);
                    "    var {stem}{i} = {offset};"
                }
            }
        }
        emit! { out;
            "    var carry = true;"
            "    var carry_twice = true;"
            "    for (var axis = 1u; axis < table.rank; axis++) {"
            "        let extent = table.axes[axis].extent;"
            "        let left = divide(rest, table.axes[axis].multiplier, table.axes[axis].shift);"
            "        let c = rest - left * extent;"
            "        rest = left;"
            "        let end = carry && c + 1u == extent;"
            "        let m = select(select(c, c + 1u, carry), 0u, end);"
            "        carry = end;"
        }
        if rows == 3 {
            emit! { out;
                "        let end_twice = carry_twice && m + 1u == extent;"
                "        let o = select(select(m, m + 1u, carry_twice), 0u, end_twice);"
                "        carry_twice = end_twice;"
            }
        }
        for i in self.addressed() {
            for (stem, c) in ["a", "n", "t"].into_iter().zip(["c", "m", "o"]).take(rows) {
                emit! { out, stem, i, c, stride = self.tail.stride(i, "axis");
                    "        {stem}{i} += {c} * {stride};"
                }
            }
        }
        emit! { out; "    }" }
    }
}
