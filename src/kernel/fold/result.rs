//! What a kernel that folds writes: the lanes of a part, an element for each row, or one for each
//! element that it read.

use super::lanes::added;
use super::walk::Walk;
use super::{FoldNest, Quad, Steps, beside};
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
        for (own, b) in self.lanes() {
            let unit = match (s.threads, own) {
                (1, own) => format!("{own}u"),
                (_, 0) => "thread".into(),
                (threads, own) => format!("{}u + thread", threads * own),
            };
            let bits = encode(self.key.folds[0].dtype, &Self::sum(0, s.levels, own, b));
            match self.is_along() {
                true => emit! { out, lanes, unit, bits;
                    "        store((row * table.all_parts + table.first + part) * {lanes}u + {unit}, {bits});"
                },
                false => {
                    let to = format!("to{own}{}", beside(b));
                    emit! { out, lanes, unit, to, row = added("result_row", 4 * b);
                        "        let {to} = ((table.first + part) * {lanes}u + {unit}) * table.pitch + {row};"
                    }
                    self.store_columns(&to, &bits, b, out);
                }
            }
        }
        emit! { out; "    }" }
    }

    /// The storage bits of the result for a quad.
    fn result(&self, full: bool, quad: Quad) -> String {
        let result = self.key.result;
        match (result, self.result_stage()) {
            (Arg::Step(j), None) if full && self.repeated.contains(&j) => self.given(result, quad),
            (Arg::Step(_), None) => {
                let parameters = self.repeated_parameters(result);
                format!("quad({})", self.arguments(&parameters, quad))
            }
            (Arg::Step(_), Some(stage)) => {
                let parameters = self.full_parameters(result, stage);
                format!("quad({})", self.arguments(&parameters, quad))
            }
            _ => self.given(result, quad),
        }
    }

    /// Writes the row's element, or those of four rows.
    pub(super) fn store_row(&self, out: &mut String) {
        let condition = match self.schedule.threads {
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
                    let (at, value) = (self.at("row"), lane(self.key.output, &bits, "x"));
                    emit! { out, at, value; "        result[{at}] = {value};" }
                }
                false => self.store_columns(&added("result_row", 4 * b), &bits, b, out),
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
    fn store_columns(&self, at: &str, bits: &str, b: u32, out: &mut String) {
        if self.key.store == Store::Wide {
            emit! { out, at, bits; "        store(({at}) >> 2u, {bits});" }
            return;
        }
        for (n, name) in LANES.iter().enumerate() {
            let (at, value) = (
                self.at(&format!("{at} + {n}u")),
                lane(self.key.output, bits, name),
            );
            emit! { out, n, at, value, row = beside(b);
                "        if column{row} + {n}u < table.inner { result[{at}] = {value}; }"
            }
        }
    }

    /// Goes through the rows once more and writes an element for each.
    pub(super) fn store_all(&self, out: &mut String) {
        if self.schedule.held > 0 {
            let behind = self.behind();
            for quad in self.held() {
                self.loads(quad, &behind, "    ", out);
                self.store_quad(quad, None, "    ", out);
            }
            return;
        }
        let inputs = self.inputs_of([self.key.result].into_iter());
        // No lanes are kept apart here.
        let own = self.schedule.own.min(STORED_TOGETHER);
        let step = self.schedule.step() / self.schedule.own as usize * own as usize;
        let steps = format!("(table.count + {}u) / {step}u", step - 1);
        let walk = Walk {
            name: "r".into(),
            own,
            inputs: &inputs,
            stores: true,
        };
        self.walk(&walk, "0u", &steps, "    ", out, |quad, indent, out| {
            self.store_quad(quad, Some(&walk), indent, out);
        });
    }

    /// Writes a quad of the result, in a loop over the steps of a row or by itself.
    pub(super) fn store_quad(
        &self,
        quad: Quad,
        walk: Option<&Walk<'_>>,
        indent: &str,
        out: &mut String,
    ) {
        let of = quad.of;
        let last = self.key.inputs.len();
        let first = match self.is_along() {
            true => format!("4u * q{}", quad.name()),
            false => format!("q{}", quad.name()),
        };
        let at = quad.name();
        let place = match walk.and_then(|walk| self.placed(last, quad, walk)) {
            Some(place) => place,
            None => {
                let columns = if self.is_vector(last) { 4 * quad.b } else { 0 };
                let place = format!("base{last} + {}", self.moved(last, &first));
                added(&place, columns)
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
        } else {
            for (n, name) in LANES.iter().enumerate() {
                let (inside, element) = match self.is_along() {
                    true => {
                        let r = format!("{first} + {n}u");
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
                emit! { out, indent, inside, element = self.at(&element), value;
                    "{indent}    if {inside} { result[{element}] = {value}; }"
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
