//! The stores of a kernel that folds: the lanes of a part, an element for each row, or one for
//! each element that it read.

use super::lanes::added;
use super::walk::Walk;
use super::{FoldNest, Quad, Steps, beside};
use crate::kernel::tail::{LANES, lane};
use crate::kernel::template::emit;
use crate::kernel::values::encode;
use crate::op::LANES as ROW_LANES;
use crate::plan::{Arg, STORED_TOGETHER, Store};

impl FoldNest<'_> {
    /// Writes this invocation's lanes of the part.
    pub(super) fn store_lanes(&self, indent: &str, out: &mut String) {
        let s = self.schedule;
        // Those of groups are joined: each invocation has one, if there are as many.
        let (level, own, inside) = match s.groups {
            1 => (s.levels, self.lanes(), "inside".into()),
            _ => {
                let inside = format!("inside && index < {}u", ROW_LANES / 4);
                (s.levels + 1, vec![(0, 0)], inside)
            }
        };
        emit! { out, indent, inside; "{indent}if {inside} {" }
        let lanes = match self.is_along() {
            true => ROW_LANES / 4,
            false => ROW_LANES,
        };
        let folds = 0..self.key.folds.len();
        for (k, (own, b)) in folds.flat_map(|k| own.iter().map(move |&lane| (k, lane))) {
            let unit = match (s.threads, own) {
                _ if s.groups > 1 => "index".into(),
                (1, own) => format!("{own}u"),
                (_, 0) => "thread".into(),
                (threads, own) => format!("{}u + thread", threads * own),
            };
            let bits = encode(self.key.folds[k].dtype, &Self::sum(k, level, own, b));
            // The lanes of a fold lie behind those of all rows and parts of the one before it.
            match self.is_along() {
                true => {
                    let row = match k {
                        0 => "row".to_owned(),
                        _ => format!("({k}u * table.pitch + row)"),
                    };
                    emit! { out, indent, row, lanes, unit, bits;
                        "{indent}    store(({row} * table.all_parts + part) * {lanes}u + {unit}, {bits});"
                    }
                }
                false => {
                    let part = match k {
                        0 => "part".to_owned(),
                        _ => format!("{k}u * table.all_parts + part"),
                    };
                    let name = format!("to{}{}", k as u32 * s.own + own, beside(b));
                    emit! { out, indent, name, part, lanes, unit, row = added("result_row", 4 * b);
                        "{indent}    let {name} = (({part}) * {lanes}u + {unit}) * table.pitch + {row};"
                    }
                    self.store_columns(&name, &bits, b, indent, out);
                }
            }
        }
        emit! { out, indent; "{indent}}" }
    }

    /// The storage bits of the result for a quad.
    fn result(&self, full: bool, quad: Quad) -> String {
        let result = self.key.result;
        match (result, self.result_stage()) {
            (Arg::Step(j), None) if full && self.repeated.contains(&j) => self.given(result, quad),
            (Arg::Step(_), stage) => {
                let parameters = self.parameters(result, stage);
                format!("quad({})", self.arguments(&parameters, quad))
            }
            _ => self.given(result, quad),
        }
    }

    /// Writes the row's element, or those of four rows.
    pub(super) fn store_row(&self, out: &mut String) {
        let condition = match self.schedule.sharing() {
            1 => "inside",
            _ => "inside && thread == 0u",
        };
        emit! { out, condition; "    if {condition} {" }
        for b in 0..self.schedule.beside {
            let bits = format!("bits{}", beside(b));
            emit! { out, bits, value = self.result(false, Quad::row(b));
                "        let {bits} = {value};"
            }
            match self.is_along() {
                true => {
                    let put = self.put("row", &lane(self.key.output, &bits, "x"));
                    emit! { out, put; "        {put}" }
                }
                false => self.store_columns(&added("result_row", 4 * b), &bits, b, "    ", out),
            }
        }
        emit! { out; "    }" }
    }

    /// Writes the total of the row, or those of four rows, which the last of its invocations has.
    pub(super) fn store_total(&self, out: &mut String) {
        let last = self.key.inputs.len();
        let condition = match self.schedule.threads {
            1 => "inside".to_owned(),
            threads => format!("inside && thread == {}u", threads - 1),
        };
        emit! { out, condition, bits = self.result(true, Quad::row(0));
            "    if {condition} {"
            "        let bits = {bits};"
        }
        if self.is_along() {
            let put = self.put(&format!("base{last}"), &lane(self.key.output, "bits", "x"));
            emit! { out, put; "        {put}" }
        } else if self.key.store == Store::Wide {
            emit! { out, last; "        store(base{last} >> 2u, bits);" }
        } else {
            let stride = self.tail.stride(last, "0");
            for (n, name) in LANES.iter().enumerate() {
                let element = format!("base{last} + (column + {n}u) * {stride}");
                let put = self.put(&element, &lane(self.key.output, "bits", name));
                emit! { out, n, put; "        if column + {n}u < table.inner { {put} }" }
            }
        }
        emit! { out; "    }" }
    }

    /// Writes four columns' elements.
    fn store_columns(&self, at: &str, bits: &str, b: u32, indent: &str, out: &mut String) {
        if self.key.store == Store::Wide {
            emit! { out, indent, at, bits; "{indent}    store(({at}) >> 2u, {bits});" }
            return;
        }
        if self.key.store.is_shared() {
            let (at, own) = (self.at(at), self.own_columns(b));
            emit! { out, indent, at, bits, own; "{indent}    put_quad({at}, {bits}, {own});" }
            return;
        }
        for (n, name) in LANES.iter().enumerate() {
            let put = self.put(&format!("{at} + {n}u"), &lane(self.key.output, bits, name));
            emit! { out, indent, n, put, row = beside(b);
                "{indent}    if column{row} + {n}u < table.inner { {put} }"
            }
        }
    }

    /// Goes through the rows once more and writes an element for each.
    pub(super) fn store_all(&self, from: &str, to: &str, out: &mut String) {
        if self.schedule.held > 0 {
            let behind = self.behind();
            for quad in self.held() {
                self.loads(quad, &behind, None, "    ", out);
                self.store_quad(quad, None, "    ", out);
            }
            if self.schedule.staged {
                self.store_staged(out);
            }
            return;
        }
        let inputs = self.inputs_of([self.key.result].into_iter());
        // No lanes are kept apart here.
        let own = self.schedule.own.min(STORED_TOGETHER);
        let walk = Walk {
            name: "r".into(),
            threads: self.schedule.sharing(),
            own,
            inputs: &inputs,
            stores: true,
        };
        let step = self.step_of(&walk);
        let steps = match self.schedule.parted {
            true => to.to_owned(),
            false => format!("(table.count + {}u) / {step}u", step - 1),
        };
        let mut store = |quad: Quad, indent: &str, out: &mut String| {
            self.store_quad(quad, Some(&walk), indent, out);
        };
        self.walk(&walk, from, &steps, "    ", out, &mut store);
    }

    /// The memory of a workgroup's results.
    pub(super) fn staged_memory(&self, out: &mut String) {
        let s = self.schedule;
        let of = match self.key.output.size() {
            8 => "vec2<u32>",
            _ => "u32",
        };
        emit! { out, of, len = s.workgroup() as usize * s.held_quads() * 4;
            "var<workgroup> staged: array<{of}, {len}>;"
        }
    }

    /// Writes the results of the workgroup's rows, which lie one behind the other.
    fn store_staged(&self, out: &mut String) {
        let s = self.schedule;
        let width = s.workgroup();
        emit! { out, rows = s.rows;
            "    workgroupBarrier();"
            "    let begin = number * {rows}u * table.count;"
            "    let end = min(begin + {rows}u * table.count, table.rows * table.count);"
        }
        if !self.key.store.is_shared() {
            emit! { out, width, at = self.at("e");
                "    for (var e = begin + index; e < end; e += {width}u) {"
                "        result[{at}] = staged[e - begin];"
                "    }"
            }
            return;
        }
        let (a_word, most) = self.tail.narrow_elements();
        // A workgroup beyond the last row has none: it begins behind the end.
        emit! { out, width, a_word, begin = self.at("begin"), end = self.at("end");
            "    let origin = {begin};"
            "    let len = max(begin, end) - begin;"
            "    for (var word = origin / {a_word}u + index; word * {a_word}u < {end}; word += {width}u) {"
            "        let e = word * {a_word}u - origin;"
            "        var bits = 0u;"
            "        var mask = 0u;"
        }
        for n in 0..a_word {
            emit! { out, n, most, shift = 32 / a_word * n;
                "        if e + {n}u < len { bits |= staged[e + {n}u] << {shift}u; mask |= {most} << {shift}u; }"
            }
        }
        emit! { out;
            "        change(word, bits, mask);"
            "    }"
        }
    }

    /// Writes a quad of the result, in a loop over the steps of a row or by itself.
    pub(super) fn store_quad(
        &self,
        quad: Quad,
        walk: Option<&Walk<'_>>,
        indent: &str,
        out: &mut String,
    ) {
        let (of, at) = (quad.of, quad.name());
        let last = self.key.inputs.len();
        let first = match self.is_in_quads() {
            true => format!("4u * q{at}"),
            false => format!("q{at}"),
        };
        let place = match walk.and_then(|walk| self.placed(last, quad, walk)) {
            Some(place) => place,
            None => {
                let place = format!("base{last} + {}", self.moved(last, &first));
                added(&place, self.columns_before(last, quad.b))
            }
        };
        let there = match of == Steps::Held && self.may_be_beyond(quad) {
            true => format!(" && in{at}"),
            false => String::new(),
        };
        emit! { out, indent, at, there, place, bits = self.result(true, quad);
            "{indent}if inside{there} {"
            "{indent}    let to{at} = {place};"
            "{indent}    let bits{at} = {bits};"
        }
        if self.key.store == Store::Wide {
            // Against the axis it comes before the first element, whose place is added there.
            let quad = match self.schedule.scan {
                Some(_) => format!("bitcast<u32>(bitcast<i32>(to{at}) >> 2u)"),
                None => format!("to{at} >> 2u"),
            };
            emit! { out, indent, at, quad; "{indent}    store({quad}, bits{at});" }
        } else if self.key.store.shares_quads() && !self.schedule.staged {
            let (place, own) = match self.is_along() {
                true => (format!("to{at}"), self.own_elements(&first)),
                false => (
                    format!("to{at} + column{}", beside(quad.b)),
                    self.own_columns(quad.b),
                ),
            };
            emit! { out, indent, at, place = self.at(&place), own;
                "{indent}    put_quad({place}, bits{at}, {own});"
            }
        } else {
            self.store_elements(quad, &first, indent, out);
        }
        emit! { out, indent; "{indent}}" }
    }

    /// Writes the elements of a quad of the result one by one.
    fn store_elements(&self, quad: Quad, first: &str, indent: &str, out: &mut String) {
        let (at, last) = (quad.name(), self.key.inputs.len());
        for (n, name) in LANES.iter().enumerate() {
            let (inside, element) = match self.is_along() {
                true => {
                    let r = self.nth(first, n as u32);
                    let element = format!("base{last} + {}", self.moved(last, &r));
                    (format!("{r} < table.count"), element)
                }
                false => {
                    let (stride, row) = (self.tail.stride(last, "0"), beside(quad.b));
                    (
                        format!("column{row} + {n}u < table.inner"),
                        format!("to{at} + (column{row} + {n}u) * {stride}"),
                    )
                }
            };
            let value = lane(self.key.output, &format!("bits{at}"), name);
            let put = match self.schedule.staged {
                true => {
                    let nth = self.nth(first, n as u32);
                    format!("staged[staged_row + {nth}] = {value};")
                }
                false => self.put(&element, &value),
            };
            match self.is_along() && !self.may_be_beyond(quad) {
                true => emit! { out, indent, put; "{indent}    {put}" },
                false => emit! { out, indent, inside, put; "{indent}    if {inside} { {put} }" },
            }
        }
    }

    /// Which of a quad's elements are of its row, by the number of its first.
    fn own_elements(&self, first: &str) -> String {
        self.below(first, &self.lane_numbers(), "table.count")
    }

    /// Which of a quad's columns exist.
    fn own_columns(&self, b: u32) -> String {
        let first = format!("column{}", beside(b));
        self.below(&first, "vec4<u32>(0u, 1u, 2u, 3u)", "table.inner")
    }

    /// Which numbers of a quad are below an end: the first one and how far the lanes are from it.
    fn below(&self, first: &str, lanes: &str, end: &str) -> String {
        match self.schedule.ragged {
            true => format!("vec4<u32>({first}) + {lanes} < vec4<u32>({end})"),
            false => "vec4<bool>(true)".into(),
        }
    }

    /// The statement that writes an element.
    fn put(&self, element: &str, bits: &str) -> String {
        let at = self.at(element);
        match self.key.store.is_shared() {
            true => format!("put({at}, {bits});"),
            false => format!("result[{at}] = {bits};"),
        }
    }

    /// An element's place in the output's binding.
    fn at(&self, element: &str) -> String {
        match self.key.output_offset {
            true => format!("{} + {element}", self.tail.output_offset()),
            false => element.to_owned(),
        }
    }
}
