//! The generated tail of a kernel.

use super::bindings::{self, Role};
use super::key::KernelKey;
use super::tail::{Tail, bits_type};
use super::template::emit;
use super::values::Values;
use super::{barrier, library};
use crate::plan::{Access, MappingKind, Spread, TableShape, Unroll};

impl KernelKey {
    /// The WGSL text: body, library functions, tail.
    pub fn wgsl(&self) -> String {
        text(self)
    }
}

fn text(key: &KernelKey) -> String {
    let tail = Tail {
        key,
        table: TableShape::new(key.inputs.len(), key.rank),
    };
    let tail = if key.mapping.kind == MappingKind::Product {
        tail.product()
    } else {
        tail.text()
    };
    let body = library::body(key.mapping.kind);
    let body = &body[body.find("@compute").unwrap_or(0)..];
    format!(
        "{body}\n{}\n{tail}",
        library::needed(
            &[body, &tail],
            library::Native {
                wide: key.native,
                subnormals: key.subnormals
            }
        )
    )
}

impl Tail<'_> {
    fn text(&self) -> String {
        let mut out = String::new();
        self.constants(&mut out);
        self.bindings(&mut out);
        barrier::functions(self.key, &mut out);
        self.calls(&mut out);
        for i in 0..self.key.inputs.len() {
            self.getter(i, &mut out);
        }
        self.addresses(&mut out);
        self.quad(&mut out);
        self.store(&mut out);
        out
    }

    fn constants(&self, out: &mut String) {
        let mapping = &self.key.mapping;
        let [width, height] = mapping.workgroup;
        emit! { out, width, height, quads = mapping.quads, rows = mapping.rows;
            "const WIDTH = {width}u;"
            "const HEIGHT = {height}u;"
            "const QUADS = {quads}u;"
            "const ROWS = {rows}u;"
        }
        let down = mapping.is_down();
        let units = if down {
            mapping.rows.min(4)
        } else {
            mapping.quads
        };
        // Adjacent rows divide their axis; the last strided ones may be missing.
        let whole = mapping.unroll == Unroll::Adjacent;
        let blocked = mapping.unroll == Unroll::Blocked;
        let consecutive = mapping.spread == Spread::Consecutive;
        emit! { out, down, whole, units, consecutive, apart = !whole, blocked,
            uniform = mapping.uniform_rows, inner = self.table.axes;
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
    fn needs_clamped(&self) -> bool {
        let flat = self.key.mapping.kind == MappingKind::Flat;
        self.key
            .inputs
            .iter()
            .any(|x| x.access == Access::Gather && (flat || x.in_place))
    }

    /// `fn quad`: loads and steps.
    fn quad(&self, out: &mut String) {
        let parameters = match self.key.mapping.kind {
            MappingKind::Flat => "q: u32, at: At",
            MappingKind::Rows | MappingKind::Tile => "q: u32, column: u32, at: At",
            MappingKind::General | MappingKind::Product => "q: u32, at: At",
        };
        emit! { out, parameters, bits = bits_type(self.key.output);
            "fn quad({parameters}) -> {bits} {"
        }
        if self.needs_clamped() {
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
