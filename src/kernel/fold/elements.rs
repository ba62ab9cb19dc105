//! The start of a row in each input, and the loads of the row's quads.

use std::collections::BTreeSet;

use super::lanes::added;
use super::walk::Walk;
use super::{FoldNest, Quad, Steps, beside};
use crate::kernel::tail::{LANES, bits_type, joined, list, splat};
use crate::kernel::template::emit;
use crate::plan::{Arg, LaneLoad};

impl FoldNest<'_> {
    /// Declares where the invocation's row lies in each input, and the values that repeat along it.
    pub(super) fn place(&self, out: &mut String) {
        emit! { out; "    let row0 = min(row, table.rows - 1u);" }
        let kept = self.schedule.kept as usize;
        for axis in 0..kept {
            if axis + 1 == kept {
                emit! { out, axis; "    let at{axis} = row{axis};" }
                continue;
            }
            // A multiplication does not divide by 1, which quads of columns may be.
            let twice = match (axis, self.is_along()) {
                (0, false) => "2u * ",
                _ => "",
            };
            emit! { out, axis, next = axis + 1, twice;
                "    let row{next} = divide({twice}row{axis}, table.axes[{axis}].multiplier, table.axes[{axis}].shift);"
                "    let at{axis} = row{axis} - row{next} * table.axes[{axis}].extent;"
            }
        }
        if !self.is_along() {
            let outer = if kept > 1 { "row1" } else { "0u" };
            emit! { out, outer, block = 4 * self.schedule.beside;
                "    let column = {block}u * at0;"
                "    let columns = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(table.inner - 1u));"
                "    let result_row = {outer} * table.inner + column;"
            }
            // No quad is beyond a row where several lie beside one another.
            for b in 1..self.schedule.beside {
                emit! { out, name = beside(b), by = 4 * b;
                    "    let column{name} = column + {by}u;"
                    "    let columns{name} = columns + {by}u;"
                }
            }
        }
        for i in 0..self.key.inputs.len() {
            self.base(i, self.tail.offset(i), out);
            if !self.stages.moves(i) {
                for b in 0..self.schedule.beside {
                    let value = self.repeated_load(i, b);
                    emit! { out, i, name = beside(b), value; "    let x{i}_bits{name} = {value};" }
                }
            }
        }
        if self.schedule.full {
            self.base(self.key.inputs.len(), "0u".into(), out);
        }
    }

    /// Declares where the row begins in an operand.
    fn base(&self, i: usize, offset: String, out: &mut String) {
        let mut terms = vec![offset];
        for axis in 0..self.schedule.kept as usize {
            let at = match (axis, self.is_along()) {
                (0, false) if self.is_vector(i) => "column".to_owned(),
                (0, false) => continue,
                _ => format!("at{axis}"),
            };
            terms.push(format!("{at} * {}", self.tail.stride(i, &axis.to_string())));
        }
        let sum = terms.join(" + ");
        emit! { out, i, sum; "    let base{i} = {sum};" }
    }

    /// Whether an operand's quads are vectors; the output's are if it is written so.
    pub(super) fn is_vector(&self, i: usize) -> bool {
        match self.key.inputs.get(i) {
            Some(input) => matches!(
                input.load.lanes,
                LaneLoad::Vector { .. } | LaneLoad::Unaligned
            ),
            None => self.key.store == crate::plan::Store::Wide,
        }
    }

    /// `fn along{i}`: how far an element of a row lies from its first in operand `i`.
    pub(super) fn along(&self, i: usize, out: &mut String) {
        let moves = self.key.inputs.get(i).is_none_or(|_| self.stages.moves(i));
        let (kept, reduced) = (self.schedule.kept as usize, self.schedule.reduced as usize);
        if !moves || reduced == 1 {
            return;
        }
        emit! { out, i; "fn along{i}(r: u32) -> u32 {" }
        let mut terms = Vec::new();
        let mut rest = "r".to_owned();
        for axis in kept..kept + reduced {
            let stride = self.tail.stride(i, &axis.to_string());
            if axis + 1 == kept + reduced {
                terms.push(format!("{rest} * {stride}"));
                continue;
            }
            let next = format!("r{axis}");
            emit! { out, next, rest, axis;
                "    let {next} = divide({rest}, table.axes[{axis}].multiplier, table.axes[{axis}].shift);"
            }
            terms.push(format!(
                "({rest} - {next} * table.axes[{axis}].extent) * {stride}"
            ));
            rest = next;
        }
        emit! { out, sum = terms.join(" + ");
            "    return {sum};"
            "}"
        }
    }

    /// How far element `r` of a row lies from its first.
    pub(super) fn moved(&self, i: usize, r: &str) -> String {
        match self.schedule.reduced {
            1 => {
                let axis = self.schedule.kept.to_string();
                format!("({r}) * {}", self.tail.stride(i, &axis))
            }
            _ => format!("along{i}({r})"),
        }
    }

    /// Declares the numbers of a quad, and loads it from these inputs. In the last steps the loop
    /// ends with the row.
    pub(super) fn element(
        &self,
        quad: Quad,
        inputs: &BTreeSet<usize>,
        walk: Option<&Walk<'_>>,
        indent: &str,
        out: &mut String,
    ) {
        let s = self.schedule;
        let Quad { of, own, u, m, .. } = quad;
        let step = match (of, u) {
            (Steps::Held, u) => format!("{u}u"),
            (_, 0) => "s".to_owned(),
            (_, u) => format!("(s + {u}u)"),
        };
        let threads = walk.map_or(s.threads, |walk| walk.threads);
        let thread = match (threads, m) {
            (1, 0) => String::new(),
            (1, m) => format!(" + {m}u"),
            (_, 0) => " + thread".into(),
            (n, m) if s.apart => format!(" + {}u + thread", 4 * n * m),
            (n, m) => format!(" + {}u + thread", n * m),
        };
        let lanes = threads * own * if s.apart { 4 } else { 1 };
        emit! { out, indent, name = quad.name(), step, lanes, thread;
            "{indent}let p{name} = {step} * {lanes}u{thread};"
        }
        self.numbered(quad, indent, out);
        self.loads(quad, inputs, walk, indent, out);
    }

    /// Declares, for a quad whose number in its row is declared, which of its elements exist, and
    /// the number of a quad that exists.
    pub(super) fn numbered(&self, quad: Quad, indent: &str, out: &mut String) {
        let s = self.schedule;
        let (of, name) = (quad.of, quad.name());
        let first = if self.is_in_quads() { "4u * " } else { "" };
        match of {
            Steps::Held if self.may_be_beyond(quad) => emit! { out, indent, name, first;
                "{indent}let in{name} = {first}p{name} < table.count;"
                "{indent}let q{name} = select(0u, p{name}, in{name});"
            },
            Steps::Last => emit! { out, indent, name, first;
                "{indent}if {first}p{name} >= table.count { break; }"
                "{indent}let q{name} = p{name};"
            },
            _ => emit! { out, indent, name; "{indent}let q{name} = p{name};" },
        }
        if self.is_masked(quad) {
            let (p, lanes) = (format!("{first}p{name}"), self.lane_numbers());
            let ragged = format!("vec4<u32>({p}) + {lanes} < vec4<u32>(table.count)");
            let own = match (of, self.is_along() && s.ragged) {
                (Steps::Held, false) => format!("vec4<bool>(in{name})"),
                (Steps::Held, true) => format!("vec4<bool>(in{name}) & ({ragged})"),
                _ => ragged,
            };
            emit! { out, indent, name, own; "{indent}let own{name} = {own};" }
        }
    }

    /// Whether some of a quad's elements may not be of its row.
    pub(super) fn may_be_beyond(&self, quad: Quad) -> bool {
        match quad.of {
            Steps::Full => false,
            Steps::Last => self.is_along() && self.schedule.ragged,
            Steps::Held => quad.u >= self.schedule.held_full(),
        }
    }

    /// Whether such elements would change a fold. Later elements do not change the results of a
    /// scan, except the total of all.
    pub(super) fn is_masked(&self, quad: Quad) -> bool {
        let changes = self.schedule.scan.is_none_or(|scan| scan.total);
        changes && self.may_be_beyond(quad)
    }

    /// Loads a quad from inputs, in a loop or by itself.
    pub(super) fn loads(
        &self,
        quad: Quad,
        inputs: &BTreeSet<usize>,
        walk: Option<&Walk<'_>>,
        indent: &str,
        out: &mut String,
    ) {
        let name = quad.name();
        let loads = inputs.iter().map(|&i| {
            let value = match walk.and_then(|walk| self.placed(i, quad, walk)) {
                Some(place) => self.load_at(i, &place, quad),
                None => self.load(i, quad),
            };
            (i, value)
        });
        // What lies behind the row is not loaded; most rows have a first step.
        if quad.of == Steps::Held && self.may_be_beyond(quad) && quad.u > 0 && !inputs.is_empty() {
            for &i in inputs {
                let of = bits_type(self.key.inputs[i].dtype);
                emit! { out, indent, i, name, of; "{indent}var x{i}_{name}: {of};" }
            }
            emit! { out, indent, name; "{indent}if in{name} {" }
            for (i, value) in loads {
                emit! { out, indent, i, name, value; "{indent}    x{i}_{name} = {value};" }
            }
            emit! { out, indent; "{indent}}" }
            return;
        }
        for (i, value) in loads {
            emit! { out, indent, i, name, value; "{indent}let x{i}_{name} = {value};" }
        }
    }

    /// The storage bits of an input's quad, found by its number in its row.
    pub(super) fn load(&self, i: usize, quad: Quad) -> String {
        let q = format!("q{}", quad.name());
        let first = match self.is_in_quads() {
            true => format!("4u * {q}"),
            false => q.clone(),
        };
        match self.key.inputs[i].load.lanes {
            // The stride is 1.
            LaneLoad::Vector { .. } if self.is_along() && self.schedule.reduced == 1 => {
                self.vector(i, &format!("(base{i} >> 2u) + {q}"))
            }
            LaneLoad::Gather if self.is_along() => {
                let beyond = self.schedule.ragged && self.may_be_beyond(quad);
                let element = |n: u32| {
                    let element = self.nth(&first, n);
                    let r = match beyond {
                        true => format!("min({element}, table.count - 1u)"),
                        false => element,
                    };
                    format!("get{i}(base{i} + {})", self.moved(i, &r))
                };
                joined(self.key.inputs[i].unit(), &list(0..4, element))
            }
            _ => {
                let place = format!("base{i} + {}", self.moved(i, &first));
                self.quad_from(i, &added(&place, self.columns_before(i, quad.b)), quad.b)
            }
        }
    }

    /// The storage bits of a quad that is found from the place of its step's quads.
    fn load_at(&self, i: usize, place: &str, quad: Quad) -> String {
        match self.counts_quads(i) {
            true => self.vector(i, place),
            false => self.quad_from(i, place, quad.b),
        }
    }

    /// The storage bits that an input has along the whole row.
    fn repeated_load(&self, i: usize, b: u32) -> String {
        let place = added(&format!("base{i}"), self.columns_before(i, b));
        self.quad_from(i, &place, b)
    }

    /// How far a quad of columns lies from the first of its invocation in an operand whose columns
    /// are vectors; others are found column by column.
    pub(super) fn columns_before(&self, i: usize, b: u32) -> u32 {
        if self.is_vector(i) { 4 * b } else { 0 }
    }

    /// The storage bits of a quad whose first element lies at `place`, or whose rows do, if its
    /// columns are not vectors.
    fn quad_from(&self, i: usize, place: &str, b: u32) -> String {
        let input = &self.key.inputs[i];
        match input.load.lanes {
            LaneLoad::Vector { .. } => self.vector(i, &format!("({place}) >> 2u")),
            LaneLoad::Unaligned => format!("unaligned{i}({place})"),
            LaneLoad::Splat => splat(input.unit(), &format!("get{i}({place})")),
            _ => {
                let (stride, columns) = (self.tail.stride(i, "0"), beside(b));
                let element =
                    |lane| format!("get{i}({place} + columns{columns}.{lane} * {stride})");
                joined(input.unit(), &list(LANES, element))
            }
        }
    }

    /// The storage bits of a vector, from its quad's number in the binding.
    fn vector(&self, i: usize, at: &str) -> String {
        match self.key.inputs[i].load.lanes {
            LaneLoad::Vector { misaligned: 1.. } => format!("shifted{i}({at})"),
            _ => self.tail.wide_load(i, at),
        }
    }

    /// Whether quads lie along rows, four neighbours each.
    pub(super) fn is_in_quads(&self) -> bool {
        self.is_along() && !self.schedule.apart
    }

    /// How far the elements of a quad along a row are from one to the next.
    fn lanes_apart(&self) -> u32 {
        match self.schedule.apart {
            true => self.schedule.threads,
            false => 1,
        }
    }

    /// The number of a quad's element in its row, from that of its first.
    pub(super) fn nth(&self, first: &str, lane: u32) -> String {
        format!("{first} + {}u", lane * self.lanes_apart())
    }

    /// How far each element of a quad along a row is from its first.
    pub(super) fn lane_numbers(&self) -> String {
        let each = list(0..4, |n| format!("{}u", n * self.lanes_apart()));
        format!("vec4<u32>({each})")
    }

    /// The inputs of these values that differ along a row.
    pub(super) fn inputs_of(&self, args: impl Iterator<Item = Arg>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for arg in args {
            let of = match (arg, self.stages.of(arg)) {
                (Arg::Step(_), (true, stage)) => self.parameters(arg, Some(stage)),
                _ => vec![arg],
            };
            found.extend(of.into_iter().filter_map(|arg| match arg {
                Arg::Input(i) if self.stages.moves(i) => Some(i),
                _ => None,
            }));
        }
        found
    }
}
