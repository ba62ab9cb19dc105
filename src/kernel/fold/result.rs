//! What a kernel that folds writes: the lanes of a part, an element for each row, or one for each
//! element that it read.

use super::{FoldNest, Quad, Steps};
use crate::dtype::DType;
use crate::kernel::tail::LANES;
use crate::kernel::template::emit;
use crate::kernel::values::encode;
use crate::op::LANES as ROW_LANES;
use crate::plan::{Arg, Store};

/// Quads of a step in which the result is written.
const STORED_TOGETHER: u32 = 4;

impl FoldNest<'_> {
    /// Writes this invocation's lanes of the part.
    pub(super) fn store_lanes(&self, out: &mut String) {
        let s = self.schedule;
        emit! { out; "    if inside {" }
        let lanes = match self.is_along() {
            true => ROW_LANES / 4,
            false => ROW_LANES,
        };
        let each = (0..self.key.folds.len()).flat_map(|k| (0..s.own).map(move |own| (k, own)));
        for (k, own) in each {
            let unit = match (s.threads, own) {
                (1, own) => format!("{own}u"),
                (_, 0) => "thread".into(),
                (threads, own) => format!("{}u + thread", threads * own),
            };
            let bits = encode(self.key.folds[k].dtype, &Self::sum(k, s.levels, own));
            // The lanes of a fold lie behind those of all rows and parts of the one before it.
            match self.is_along() {
                true => {
                    let row = match k {
                        0 => "row".to_owned(),
                        _ => format!("({k}u * table.pitch + row)"),
                    };
                    emit! { out, row, lanes, unit, bits;
                        "        store(({row} * table.all_parts + part) * {lanes}u + {unit}, {bits});"
                    }
                }
                false => {
                    let part = match k {
                        0 => "part".to_owned(),
                        _ => format!("{k}u * table.all_parts + part"),
                    };
                    let name = format!("to{}", k as u32 * s.own + own);
                    emit! { out, name, part, lanes, unit;
                        "        let {name} = (({part}) * {lanes}u + {unit}) * table.pitch + result_row;"
                    }
                    self.store_columns(&name, &bits, out);
                }
            }
        }
        emit! { out; "    }" }
    }

    /// The storage bits of the result for a quad.
    fn result(&self, full: bool, u: u32, m: u32) -> String {
        let result = self.key.result;
        match (result, self.result_stage()) {
            (Arg::Step(j), None) if full && self.repeated.contains(&j) => format!("s{j}_bits"),
            (Arg::Step(_), None) => {
                let parameters = self.repeated_parameters(result);
                format!("quad({})", self.arguments(&parameters, u, m))
            }
            (Arg::Step(_), Some(stage)) => {
                let parameters = self.full_parameters(result, stage);
                format!("quad({})", self.arguments(&parameters, u, m))
            }
            _ => self.given(result, u, m),
        }
    }

    /// Writes the row's element, or those of four rows.
    pub(super) fn store_row(&self, out: &mut String) {
        let condition = match self.schedule.threads {
            1 => "inside",
            _ => "inside && thread == 0u",
        };
        emit! { out, condition, bits = self.result(false, 0, 0);
            "    if {condition} {"
            "        let bits = {bits};"
        }
        match self.is_along() {
            true => {
                let (at, value) = (self.at("row"), lane(self.key.output, "bits", "x"));
                emit! { out, at, value; "        result[{at}] = {value};" }
            }
            false => self.store_columns("result_row", "bits", out),
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
        emit! { out, condition, bits = self.result(true, 0, 0);
            "    if {condition} {"
            "        let bits = {bits};"
        }
        if self.is_along() {
            let (at, value) = (
                self.at(&format!("base{last}")),
                lane(self.key.output, "bits", "x"),
            );
            emit! { out, at, value; "        result[{at}] = {value};" }
        } else if self.key.store == Store::Wide {
            emit! { out, last; "        store(base{last} >> 2u, bits);" }
        } else {
            let stride = self.tail.stride(last, "0");
            for (n, name) in LANES.iter().enumerate() {
                let (at, value) = (
                    self.at(&format!("base{last} + (column + {n}u) * {stride}")),
                    lane(self.key.output, "bits", name),
                );
                emit! { out, n, at, value;
                    "        if column + {n}u < table.inner { result[{at}] = {value}; }"
                }
            }
        }
        emit! { out; "    }" }
    }

    /// Writes four columns' elements.
    fn store_columns(&self, at: &str, bits: &str, out: &mut String) {
        if self.key.store == Store::Wide {
            emit! { out, at, bits; "        store(({at}) >> 2u, {bits});" }
            return;
        }
        for (n, name) in LANES.iter().enumerate() {
            let (at, value) = (
                self.at(&format!("{at} + {n}u")),
                lane(self.key.output, bits, name),
            );
            emit! { out, n, at, value;
                "        if column + {n}u < table.inner { result[{at}] = {value}; }"
            }
        }
    }

    /// Goes through the rows once more and writes an element for each.
    pub(super) fn store_all(&self, out: &mut String) {
        if self.schedule.held > 0 {
            let behind = self.behind();
            for quad in self.held() {
                self.loads(quad, &behind, "    ", out);
                self.store_quad(quad, "    ", out);
            }
            if self.schedule.staged {
                self.store_staged(out);
            }
            return;
        }
        let inputs = self.inputs_of([self.key.result].into_iter());
        // No lanes are kept apart here.
        let own = self.schedule.own.min(STORED_TOGETHER);
        let step = self.schedule.step() / self.schedule.own as usize * own as usize;
        let steps = format!("(table.count + {}u) / {step}u", step - 1);
        self.walk(
            own,
            "0u",
            &steps,
            &inputs,
            "    ",
            out,
            |quad, indent, out| {
                self.store_quad(quad, indent, out);
            },
        );
    }

    /// The memory of a workgroup's results.
    pub(super) fn staged_memory(&self, out: &mut String) {
        let s = self.schedule;
        let of = match self.key.output.size() {
            8 => "vec2<u32>",
            _ => "u32",
        };
        emit! { out, of, len = s.workgroup() * s.own * s.held * 4;
            "var<workgroup> staged: array<{of}, {len}>;"
        }
    }

    /// Writes the results of the workgroup's rows, which lie one behind the other.
    fn store_staged(&self, out: &mut String) {
        let s = self.schedule;
        emit! { out, rows = s.rows, width = s.workgroup(), at = self.at("e");
            "    workgroupBarrier();"
            "    let begin = number * {rows}u * table.count;"
            "    let end = min(begin + {rows}u * table.count, table.rows * table.count);"
            "    for (var e = begin + index; e < end; e += {width}u) {"
            "        result[{at}] = staged[e - begin];"
            "    }"
        }
    }

    /// Writes a quad of the result.
    pub(super) fn store_quad(&self, quad: Quad, indent: &str, out: &mut String) {
        let Quad { of, u, m, .. } = quad;
        let last = self.key.inputs.len();
        let first = match self.is_in_quads() {
            true => format!("4u * q{u}_{m}"),
            false => format!("q{u}_{m}"),
        };
        let at = format!("{u}_{m}");
        let there = match of == Steps::Held && self.may_be_beyond(quad) {
            true => format!(" && in{at}"),
            false => String::new(),
        };
        emit! { out, indent, at, there, last, moved = self.moved(last, &first), bits = self.result(true, u, m);
            "{indent}if inside{there} {"
            "{indent}    let to{at} = base{last} + {moved};"
            "{indent}    let bits{at} = {bits};"
        }
        if self.key.store == Store::Wide {
            // Against the axis it comes before the first element, whose place is added there.
            let quad = match self.schedule.scan {
                Some(_) => format!("bitcast<u32>(bitcast<i32>(to{at}) >> 2u)"),
                None => format!("to{at} >> 2u"),
            };
            emit! { out, indent, at, quad; "{indent}    store({quad}, bits{at});" }
        } else {
            for (n, name) in LANES.iter().enumerate() {
                let (inside, element) = match self.is_along() {
                    true => {
                        let r = self.nth(&first, n as u32);
                        let element = format!("base{last} + {}", self.moved(last, &r));
                        (format!("{r} < table.count"), element)
                    }
                    false => {
                        let stride = self.tail.stride(last, "0");
                        (
                            format!("column + {n}u < table.inner"),
                            format!("to{at} + (column + {n}u) * {stride}"),
                        )
                    }
                };
                let value = lane(self.key.output, &format!("bits{at}"), name);
                let place = match self.schedule.staged {
                    true => format!("staged[staged_row + {}]", self.nth(&first, n as u32)),
                    false => format!("result[{}]", self.at(&element)),
                };
                emit! { out, indent, inside, place, value;
                    "{indent}    if {inside} { {place} = {value}; }"
                }
            }
        }
        emit! { out, indent; "{indent}}" }
    }

    /// An element's place in the output's binding.
    fn at(&self, element: &str) -> String {
        match self.key.output_offset {
            true => format!("{} + {element}", self.tail.output_offset()),
            false => element.to_owned(),
        }
    }
}

/// One lane of storage bits as it is written.
fn lane(dtype: DType, bits: &str, name: &str) -> String {
    match dtype.size() {
        8 => format!("vec2<u32>({bits}.lo.{name}, {bits}.hi.{name})"),
        _ => format!("{bits}.{name}"),
    }
}
