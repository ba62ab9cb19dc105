//! The load of an input's quad in `fn main`.

use std::collections::HashSet;

use super::nest::{Nest, Unit};
use super::tail::{LANES, bits_type, list, splat};
use super::template::emit;
use crate::plan::{Access, LaneLoad, Lanes, QUAD};

impl Nest<'_> {
    /// Declares the values that all invocations load from one address, before invocations without
    /// work return: llvmpipe makes one load of it for a vector of invocations only where control
    /// flow is uniform.
    pub(super) fn uniform_loads(&self, known: &mut HashSet<String>, out: &mut String) {
        for (i, input) in self.key.inputs.iter().enumerate() {
            match input.load.lanes {
                _ if input.in_place || self.schedule.lanes == Lanes::Rows => {}
                LaneLoad::Splat => self.load(i, Unit::FIRST, known, out),
                LaneLoad::Periodic(period) => self.period(i, period.into(), out),
                _ => {}
            }
        }
    }

    /// Declares input `i`'s value for a quad, unless an earlier quad has the same value.
    pub(super) fn load(&self, i: usize, unit: Unit, known: &mut HashSet<String>, out: &mut String) {
        let input = &self.key.inputs[i];
        let name = self.loaded(i, unit);
        if !known.insert(name.clone()) {
            return;
        }
        if input.in_place {
            let value = self.in_place(i, unit, known, out);
            emit! { out, name, value; "    let {name} = {value};" }
            return;
        }
        let tail = &self.tail;
        let of = tail.lanes_type();
        let times = || self.times(i);
        let value = match (self.schedule.lanes, input.load.lanes) {
            (_, LaneLoad::Vector { misaligned }) => {
                let at = match (input.load.linear, input.offset) {
                    (false, _) => {
                        let along = self.along(unit);
                        format!("({}) + {along}", tail.quad_at(&self.row(i, unit)))
                    }
                    (true, true) => {
                        format!("{} + ({})", unit.number(), tail.quad_at(&tail.offset(i)))
                    }
                    (true, false) => unit.number(),
                };
                let at = match &*tail.wrapped(i) {
                    "" => at,
                    wrapped => format!("({at}){wrapped}"),
                };
                match misaligned {
                    0 => tail.wide_load(i, &at),
                    _ => format!("shifted{i}({at})"),
                }
            }
            (Lanes::Rows, LaneLoad::Splat) => format!("get{i}({})", self.row(i, unit)),
            (_, LaneLoad::Splat) => format!("get{i}({})", tail.offset(i)),
            (Lanes::Rows, LaneLoad::Transposed) => return self.transposed(i, unit, known, out),
            (Lanes::Rows, LaneLoad::Interleaved) => return self.interleaved(i, unit, known, out),
            (Lanes::Line, _) => {
                let elements = self.elements(unit, known, out);
                let at = format!("{of}({}) + {elements}{}", tail.offset(i), times());
                self.gather(i, &name, &at, out)
            }
            (Lanes::Rows, _) => {
                let along = self.along(unit);
                let (own, numbers) = (self.schedule.unit, tail.lane_numbers());
                let column = format!("({of}({own}u * {along}) + {numbers})");
                let at = format!("{of}({}) + {column}{}", self.row(i, unit), times());
                self.gather(i, &name, &at, out)
            }
            (_, LaneLoad::Periodic(period)) => return self.periodic(i, period.into(), unit, out),
            (Lanes::Straddling(_), LaneLoad::Straddling) => self.two_runs(i, unit),
            (Lanes::Straddling(_), LaneLoad::Unaligned) => self.two_pieces(i, unit),
            (Lanes::Straddling(_) | Lanes::Column, _) => {
                let at = self.lanes(i, unit, &times());
                self.gather(i, &name, &at, out)
            }
        };
        emit! { out, name, value; "    let {name} = {value};" }
    }

    /// What numbers of elements of input `i` are multiplied by along the innermost axis.
    pub(super) fn times(&self, i: usize) -> String {
        match self.key.inputs[i].unit_stride {
            true => String::new(),
            false => format!(" * {}", self.tail.stride(i, "0")),
        }
    }

    /// The storage bits of input `i`'s quad, or of two pairs, as `fn quad` takes them.
    pub(super) fn operand(&self, i: usize, units: &[Unit]) -> String {
        let input = &self.key.inputs[i];
        let name = self.loaded(i, units[0]);
        if self.schedule.unit() < QUAD {
            // A pair that is alone is computed twice.
            let second = units.get(1).unwrap_or(&units[0]);
            return self.joined(i, &name, &self.loaded(i, *second));
        }
        let bits = match input.load.lanes {
            LaneLoad::Splat if !input.in_place => splat(input.unit(), &name),
            LaneLoad::Periodic(2) => format!("{name}.xyxy"),
            LaneLoad::Periodic(_) => format!("{name}.xyzx"),
            _ => name,
        };
        // One element stands for all of a word.
        let fills = input.per_word < self.key.per_word && !self.key.in_parts();
        match fills {
            false => bits,
            true => format!("{bits} * vec4<u32>({})", ones(self.key.per_word)),
        }
    }

    /// The storage bits of two pairs of input `i`, of which these hold one each.
    fn joined(&self, i: usize, first: &str, second: &str) -> String {
        let input = &self.key.inputs[i];
        let is_wide = input.unit().size() == 8;
        let is_one = input.load.lanes == LaneLoad::Splat && !input.in_place;
        match (is_wide, is_one) {
            (_, true) if first == second => splat(input.unit(), first),
            (true, true) => format!("join_pairs({first}, {first}, {second}, {second})"),
            (true, false) => format!("unpack_pairs({first}, {second})"),
            (false, true) => format!("vec4<u32>({first}, {first}, {second}, {second})"),
            (false, false) => format!("vec4<u32>({first}, {second})"),
        }
    }

    /// The name of input `i`'s value for a quad.
    pub(super) fn loaded(&self, i: usize, unit: Unit) -> String {
        let input = &self.key.inputs[i];
        let moves = match input.in_place {
            true => [true, true],
            false => input.load.per.moves(),
        };
        unit.name(&format!("v{i}"), moves)
    }

    /// Where the row of a quad begins in input `i`.
    pub(super) fn row(&self, i: usize, unit: Unit) -> String {
        let [down, beside] = self.key.inputs[i].load.per.moves();
        let beside = beside && self.beside_axis().is_some();
        unit.name(&format!("p{i}"), [down, beside])
    }

    /// The numbers of a quad's elements, kept below the number of elements.
    fn elements(&self, unit: Unit, known: &mut HashSet<String>, out: &mut String) -> String {
        let name = unit.name("element", [true, true]);
        if known.insert(name.clone()) {
            let q = unit.number();
            if self.tail.shifted() {
                // Lanes before the first element have wrapped.
                emit! { out, name, q;
                    "    let wide_{name} = vec4<u32>(4u * {q} - table.shift) + vec4<u32>(0u, 1u, 2u, 3u);"
                    "    let inside_{name} = select(wide_{name}, vec4<u32>(0u), wide_{name} >= vec4<u32>(0x80000000u));"
                    "    let {name} = min(inside_{name}, vec4<u32>(table.elements - 1u));"
                }
            } else {
                let (of, numbers) = (self.tail.lanes_type(), self.tail.lane_numbers());
                emit! { out, name, q, of, numbers, own = self.schedule.unit;
                    "    let {name} = min({of}({own}u * {q}) + {numbers}, {of}(table.elements - 1u));"
                }
            }
        }
        name
    }

    /// The output's own elements, read as the output is written.
    fn in_place(
        &self,
        i: usize,
        unit: Unit,
        known: &mut HashSet<String>,
        out: &mut String,
    ) -> String {
        let (tail, q) = (&self.tail, unit.number());
        match self.key.inputs[i].load.lanes {
            LaneLoad::Gather => {
                // The table's offset is that of the first quad, which may begin before the first
                // element.
                let elements = self.elements(unit, known, out);
                let shift = if tail.shifted() { " + table.shift" } else { "" };
                let offset = tail.output_offset();
                let name = unit.name(&format!("v{i}"), [true, true]);
                let of = tail.lanes_type();
                let at = format!("{elements} + {of}({offset}{shift})");
                self.gather(i, &name, &at, out)
            }
            _ if self.key.output_offset => {
                let offset = tail.quad_at(tail.output_offset());
                tail.wide_load(i, &format!("{q} + ({offset})"))
            }
            _ => tail.wide_load(i, &q),
        }
    }

    /// Four elements at the addresses of a vector, which is declared for the value `name`.
    fn gather(&self, i: usize, name: &str, at: &str, out: &mut String) -> String {
        emit! { out, name, at; "    let at_{name} = {at};" }
        self.tail.gather(i, &format!("at_{name}"))
    }

    /// The addresses of the lanes of a quad that may straddle.
    fn lanes(&self, i: usize, unit: Unit, times: &str) -> String {
        if unit.down > 0 {
            // Reached if it moves down.
            let first = Unit { down: 0, ..unit };
            let at = format!("at_{}", self.loaded(i, first));
            return self.kept_inside(i, unit, &at, self.tail.lanes_type());
        }
        let input = &self.key.inputs[i];
        let b = unit.name("", [false, true]);
        let place = |stem: &str| unit.name(&format!("{stem}{i}"), [false, true]);
        let (a, n) = (place("a"), place("n"));
        let of = self.tail.lanes_type();
        let row = match (self.moves_outside(i), self.rows_of_a_quad()) {
            (false, _) => format!("{of}({a})"),
            (true, 3) => {
                let third = place("t");
                format!(
                    "select(select(vec4<u32>({a}), vec4<u32>({n}), past{b}), vec4<u32>({third}), past_twice{b})"
                )
            }
            (true, _) => format!("select({of}({a}), {of}({n}), past{b})"),
        };
        let moves_inside = self.key.rank.is_none() || input.axes & 1 != 0;
        match moves_inside {
            true => format!("{row} + in_row{b}{times}"),
            false => row,
        }
    }

    /// The address of a quad further down, from that of the first one. A quad that is missing, and
    /// lanes past the end of the last one, may lie beyond the binding.
    fn kept_inside(&self, i: usize, unit: Unit, at: &str, of: &str) -> String {
        let step = match unit.down {
            1 => self.tail.step(i),
            n => format!("{n}u * {}", self.tail.step(i)),
        };
        format!("min({at} + {of}({step}), {of}({}))", self.last(i))
    }

    /// The last element of input `i`'s binding.
    pub(super) fn last(&self, i: usize) -> String {
        if self.key.inputs[i].access == Access::Numbers {
            return "0xffffffffu".into();
        }
        let per_word = (4 / self.key.addressed_size(i)).max(1);
        format!("{} * {per_word}u - 1u", self.tail.length(i))
    }

    /// The elements of the two rows that a quad may lie in.
    fn two_runs(&self, i: usize, unit: Unit) -> String {
        let input = &self.key.inputs[i];
        let b = unit.name("", [false, true]);
        let get = |stem: &str| {
            let at = unit.name(&format!("{stem}{i}"), [false, true]);
            match unit.down {
                0 => format!("get{i}({at})"),
                _ => format!("get{i}({})", self.kept_inside(i, unit, &at, "u32")),
            }
        };
        let filled = |stem| format!("vec4<u32>({} * {})", get(stem), ones(input.per_word));
        match input.unit().size() {
            // Words that end within a row; whole ones are selected like elements.
            _ if self.schedule.per_word() > 1 => {
                format!("select_bits({}, {}, past{b})", filled("a"), filled("n"))
            }
            8 => format!("select_pairs({}, {}, past{b})", get("a"), get("n")),
            _ => format!("select_words({}, {}, past{b})", get("a"), get("n")),
        }
    }

    /// The words of neighbours in the two rows that a quad may lie in: what is left of the first one,
    /// and the beginning of the second.
    fn two_pieces(&self, i: usize, unit: Unit) -> String {
        let own = self.schedule.unit;
        let b = unit.name("", [false, true]);
        let place = |stem: &str| {
            let at = unit.name(&format!("{stem}{i}"), [false, true]);
            match unit.down {
                0 => at,
                down => format!("{at} + {down}u * {}", self.tail.step(i)),
            }
        };
        let first = format!("words{i}({} + c0{b} + {own}u)", place("a"));
        // A row may be the first of its binding.
        let second = format!("words{i}({} + {own}u - min(left{b}, {own}u))", place("n"));
        format!("select_bits({first}, {second}, past{b})")
    }

    /// Declares the rows of a tile that is loaded along its other axis: four vectors, transposed in
    /// registers. The offset and all strides but the one along the tile are whole quads.
    fn transposed(&self, i: usize, unit: Unit, known: &mut HashSet<String>, out: &mut String) {
        let along = self.along(unit);
        let column = unit.name(&format!("t{i}"), [false, true]);
        if known.insert(column.clone()) {
            let stride = self.tail.stride(i, "0");
            let by = self.schedule.unit.trailing_zeros();
            emit! { out, i, column, stride, along, by;
                "    let q_{column} = (p{i} >> {by}u) + {along} * {stride};"
                "    let s_{column} = bitcast<u32>(bitcast<i32>({stride}) >> {by}u);"
            }
            for lane in 0..self.schedule.unit {
                let load = self
                    .tail
                    .wide_load(i, &format!("q_{column} + {lane}u * s_{column}"));
                emit! { out, column, lane, load; "    let {column}_{lane} = {load};" }
            }
        }
        let row = unit.down as usize;
        self.taken_apart(i, unit, &column, |lane| (lane, row), out);
    }

    /// Declares the quads of neighbours that are contiguous along the axis down: as many vectors,
    /// taken apart in registers. The offset and all other strides are whole quads.
    fn interleaved(&self, i: usize, unit: Unit, known: &mut HashSet<String>, out: &mut String) {
        let own = self.schedule.rows() as usize;
        let along = self.along(unit);
        let column = unit.name(&format!("t{i}"), [false, true]);
        if known.insert(column.clone()) {
            let first = self.tail.quad_at(&format!("p{i}"));
            emit! { out, first, column, own, along; "    let q_{column} = ({first}) + {own}u * {along};" }
            for k in 0..own {
                let load = self.tail.wide_load(i, &format!("q_{column} + {k}u"));
                emit! { out, column, k, load; "    let {column}_{k} = {load};" }
            }
        }
        let at = |lane: usize| {
            let element = own * lane + unit.down as usize;
            (
                element / self.schedule.unit(),
                element % self.schedule.unit(),
            )
        };
        self.taken_apart(i, unit, &column, at, out);
    }

    /// Declares input `i`'s value for a quad, from loaded vectors: `at` gives the vector and lane
    /// of each of its lanes.
    fn taken_apart(
        &self,
        i: usize,
        unit: Unit,
        column: &str,
        at: impl Fn(usize) -> (usize, usize),
        out: &mut String,
    ) {
        let four = |part: &str| {
            let of_lane = |lane: usize| {
                let (vector, lane) = at(lane);
                format!("{column}_{vector}{part}.{}", LANES[lane])
            };
            list(0..self.schedule.unit(), of_lane)
        };
        let bits = bits_type(self.key.inputs[i].unit());
        let value = match bits {
            "Pair" if self.schedule.unit() < QUAD => {
                let of_lane = |lane: usize| {
                    let (vector, lane) = at(lane);
                    format!("{column}_{vector}.{}", ["xy", "zw"][lane])
                };
                format!("vec4<u32>({}, {})", of_lane(0), of_lane(1))
            }
            "Pair" => format!(
                "Pair(vec4<u32>({}), vec4<u32>({}))",
                four(".lo"),
                four(".hi")
            ),
            _ => format!("{}({})", self.tail.lanes_type(), four("")),
        };
        emit! { out, name = self.loaded(i, unit), value; "    let {name} = {value};" }
    }
}

/// A word whose elements are all 1.
fn ones(per_word: u32) -> &'static str {
    match per_word {
        4 => "0x01010101u",
        _ => "0x00010001u",
    }
}
