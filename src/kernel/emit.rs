//! The text of a kernel.

use super::bindings::{self, Role};
use super::key::KernelKey;
use super::nest::Nest;
use super::tail::{Tail, bits_type};
use super::template::emit;
use super::values::Values;
use super::{barrier, library};
use crate::plan::{TableShape, Work};

impl KernelKey {
    /// The WGSL text: body, library functions, tail.
    pub fn wgsl(&self) -> String {
        text(self)
    }
}

fn text(key: &KernelKey) -> String {
    let tail = Tail {
        key,
        table: TableShape::new(&key.work, key.inputs.len(), key.rank),
    };
    let (body, tail) = match &key.work {
        Work::Contract => (library::CONTRACT.into(), tail.product()),
        Work::Map(schedule) => {
            let nest = Nest {
                tail,
                key,
                schedule,
            };
            let mut body = String::new();
            nest.main(&mut body);
            (body, nest.tail.text())
        }
    };
    let native = library::Native {
        wide: key.native,
        wide_division: key.divides_wide(),
        floats: key.floats,
    };
    let needed = library::needed(&[&body, &tail], native);
    format!("{body}\n{needed}\n{tail}")
}

impl Tail<'_> {
    /// Everything of an elementwise kernel but `fn main` and the library's functions.
    fn text(&self) -> String {
        let mut out = String::new();
        self.bindings(&mut out);
        barrier::functions(self.key, &mut out);
        self.calls(&mut out);
        for i in 0..self.key.inputs.len() {
            self.getter(i, &mut out);
        }
        self.quad(&mut out);
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
                    self.table_struct(out);
                    emit! { out, n; "@group(0) @binding({n}) var<uniform> table: Table;" }
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

    /// `fn quad`: the steps, from the storage bits of each input's quad to those of the result's.
    fn quad(&self, out: &mut String) {
        let mut values = Values::new(self.key);
        let parameters: Vec<String> = (0..self.key.inputs.len())
            .map(|i| values.given(i))
            .collect();
        emit! { out, parameters = parameters.join(", "), bits = bits_type(self.key.output);
            "fn quad({parameters}) -> {bits} {"
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
