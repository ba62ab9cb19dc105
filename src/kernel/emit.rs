//! The generated tail of a kernel.

use super::bindings::{self, Role};
use super::key::KernelKey;
use super::tail::{Tail, bits_type};
use super::template::emit;
use super::values::Values;
use super::{barrier, library};
use crate::plan::{LaneLoad, Lanes, Schedule, Spread, TableShape, Threads};

impl KernelKey {
    /// The WGSL text: body, library functions, tail.
    pub fn wgsl(&self) -> String {
        text(self)
    }
}

fn text(key: &KernelKey) -> String {
    let tail = Tail {
        key,
        schedule: key.work.schedule(),
        table: TableShape::new(key.inputs.len(), key.rank),
    };
    let tail = match key.work.schedule() {
        None => tail.product(),
        Some(schedule) => tail.text(schedule),
    };
    let body = library::body(&key.work);
    let body = &body[body.find("@compute").unwrap_or(0)..];
    format!(
        "{body}\n{}\n{tail}",
        library::needed(
            &[body, &tail],
            library::Native {
                wide: key.native,
                floats: key.floats
            }
        )
    )
}

impl Tail<'_> {
    fn text(&self, schedule: &Schedule) -> String {
        let mut out = String::new();
        constants(schedule, self.table.axes, &mut out);
        self.bindings(&mut out);
        barrier::functions(self.key, &mut out);
        self.calls(&mut out);
        for i in 0..self.key.inputs.len() {
            self.getter(i, &mut out);
        }
        self.addresses(schedule, &mut out);
        self.quad(schedule, &mut out);
        self.store(&mut out);
        out
    }

    pub(super) fn bindings(&self, out: &mut String) {
        // A structure, since HLSL has immediate data of no other type.
        if !self.key.scalars.is_empty() {
            emit! { out, rows = self.key.scalar_rows();
                "struct Scalars { rows: array<vec4<u32>, {rows}> }"
            }
        }
        if self.key.immediate {
            emit! { out; "var<immediate> scalars: Scalars;" }
        }
        for b in bindings::list(self.key) {
            let n = b.number;
            let element = b.element;
            match b.role {
                Role::Table => {
                    emit! { out, n, rows = self.table.rows;
                        "@group(0) @binding({n}) var<uniform> table: array<vec4<u32>, {rows}>;"
                    }
                }
                Role::Scalars => {
                    emit! { out, n; "@group(0) @binding({n}) var<uniform> scalars: Scalars;" }
                }
                Role::Input { call, i } => {
                    let name = self.call_variable(&format!("in{i}"), call);
                    emit! { out, n, name, element;
                        "@group(0) @binding({n}) var<storage, read> {name}: array<{element}>;"
                    }
                }
                Role::Output { call } => {
                    let name = self.call_variable("result", call);
                    emit! { out, n, name, element;
                        "@group(0) @binding({n}) var<storage, read_write> {name}: array<{element}>;"
                    }
                }
            }
        }
    }

    /// Whether the quad needs the numbers of its elements, kept below the number of elements.
    fn needs_clamped(&self, schedule: &Schedule) -> bool {
        let flat = schedule.lanes == Lanes::Line;
        self.key
            .inputs
            .iter()
            .any(|x| x.load.lanes == LaneLoad::Gather && (flat || x.in_place))
    }

    /// `fn quad`: loads and steps.
    fn quad(&self, schedule: &Schedule, out: &mut String) {
        let parameters = match schedule.lanes {
            Lanes::Line | Lanes::Straddling => "q: u32, at: At",
            Lanes::Rows => "q: u32, column: u32, at: At",
        };
        emit! { out, parameters, bits = bits_type(self.key.output);
            "fn quad({parameters}) -> {bits} {"
        }
        if self.needs_clamped(schedule) {
            emit! { out, first = self.first_element();
                "    let element = vec4<u32>({first}) + vec4<u32>(0u, 1u, 2u, 3u);"
            }
            if self.shifted() {
                // Lanes before the first element have wrapped.
                emit! { out;
                    "    let inside = select(element, vec4<u32>(0u), element >= vec4<u32>(0x80000000u));"
                    "    let clamped = min(inside, vec4<u32>(table[0].x - 1u));"
                }
            } else {
                emit! { out; "    let clamped = min(element, vec4<u32>(table[0].x - 1u));" }
            }
        }
        let mut values = Values::new(self.key);
        for i in 0..self.key.inputs.len() {
            if self.addressed_per_quad(i) {
                emit! { out, i; "    let p{i} = place{i}(at);" }
            }
            values.load(i, &self.load(i), out);
        }
        for (j, step) in self.key.steps.iter().enumerate() {
            values.step(j, step, out);
        }
        let bits = values.bits(self.key.result, out);
        emit! { out, bits;
            "    return {bits};"
            "}"
        }
    }
}

fn constants(schedule: &Schedule, inner: usize, out: &mut String) {
    let [width, height] = schedule.workgroup;
    let rows = schedule.lanes == Lanes::Rows;
    let (quads, own_rows) = if rows {
        (schedule.beside, schedule.rows())
    } else {
        (schedule.beside * schedule.rows(), 1)
    };
    emit! { out, width, height, quads, own_rows;
        "const WIDTH = {width}u;"
        "const HEIGHT = {height}u;"
        "const QUADS = {quads}u;"
        "const ROWS = {own_rows}u;"
    }
    let down = rows && !schedule.is_tiled() && quads == 1 && own_rows > 1;
    let units = if down { own_rows.min(4) } else { quads };
    // Adjacent rows divide their axis; the last strided ones may be missing.
    let apart = schedule.splits_outermost();
    let consecutive = schedule.spread == Spread::Consecutive;
    emit! { out, down, whole = !apart, units, consecutive, apart,
        blocked = schedule.has_blocks(),
        uniform = schedule.threads == Threads::RowPerWorkgroup, inner;
        "const DOWN = {down};"
        "const WHOLE = {whole};"
        "const UNITS = {units}u;"
        "const CONSECUTIVE = {consecutive};"
        "const APART = {apart};"
        "const BANDS = {blocked};"
        "const UNIFORM = {uniform};"
        "const INNER = {inner}u;"
    }
}
