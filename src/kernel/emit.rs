//! The source of a kernel.

use super::bindings::{self, Role};
use super::fold::FoldNest;
use super::key::{KernelKey, KeyInput};
use super::nest::Nest;
use super::tail::{Tail, bits_type, list};
use super::template::emit;
use super::values::Values;
use super::{barrier, library, product, take};
use crate::plan::{Arg, CONTRACT, Lanes, Work};

impl KernelKey {
    /// The WGSL text: body, library functions, tail.
    pub fn wgsl(&self) -> String {
        let (key, tail) = (self, Tail::new(self));
        let (body, tail) = match &key.work {
            Work::Own(own) if **own == CONTRACT => (product::BODY.into(), tail.product()),
            Work::Own(own) => (take::BODY.into(), tail.lookup(own)),
            Work::Fold(schedule) => FoldNest::new(key, schedule).text(),
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
            soft: key.soft,
            wide_division: key.divides_wide(),
            floats: key.floats,
        };
        let needed = library::needed(&[&body, &tail], native);
        format!("{body}\n{needed}{}\n{tail}", custom_functions(key))
    }
}

/// The functions of custom operators, each once.
fn custom_functions(key: &KernelKey) -> String {
    let mut all: Vec<&str> = Vec::new();
    let forms = key.steps.iter().filter_map(|s| s.op.form(s.operand));
    for form in forms.filter(|form| !form.functions.is_empty()) {
        if !all.contains(&form.functions) {
            all.push(form.functions);
        }
    }
    all.concat()
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
        // Columns are stored where they are computed.
        let schedule = self.key.work.schedule();
        if schedule.is_none_or(|s| s.lanes != Lanes::Column) {
            self.store(&mut out);
        }
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
            let (n, element) = (b.number, b.element);
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
        match self.key.in_parts() {
            true => self.parts(out),
            false => {
                let inputs = (0..self.key.inputs.len()).map(Arg::Input);
                self.steps("quad", inputs, bits_type(self.key.output), out);
            }
        }
    }

    /// The steps on each quad of the elements in four words in turn.
    fn parts(&self, out: &mut String) {
        let (parts, of, unpack): (&[&str], _, _) = match self.key.per_word {
            2 => (&["xy", "zw"], "vec2<u32>", "unpack_halves"),
            _ => (&["x", "y", "z", "w"], "u32", "unpack_bytes"),
        };
        self.steps("part", (0..self.key.inputs.len()).map(Arg::Input), of, out);
        let parameters = list(0..self.key.inputs.len(), |i| format!("x{i}: vec4<u32>"));
        emit! { out, parameters; "fn quad({parameters}) -> vec4<u32> {" }
        let part = |part: &&str| {
            let taken = |(i, input): (usize, &KeyInput)| match input.per_word {
                // One element for each word.
                1 => format!("x{i}.{}", each_repeated(part)),
                _ => format!("{unpack}(x{i}.{part})"),
            };
            format!("part({})", list(self.key.inputs.iter().enumerate(), taken))
        };
        emit! { out, parts = list(parts, part);
            "    return vec4<u32>({parts});"
            "}"
        }
    }

    /// A function of the steps, from the storage bits of these values to those of the result, in parts
    /// as they lie in words.
    pub(super) fn steps(
        &self,
        name: &str,
        given: impl Iterator<Item = Arg>,
        of: &str,
        out: &mut String,
    ) {
        let mut values = Values::new(self.key);
        let parameters = list(given, |arg| values.given(arg));
        emit! { out, name, parameters, of;
            "fn {name}({parameters}) -> {of} {"
        }
        for (j, step) in self.key.steps.iter().enumerate() {
            values.step(j, step, out);
        }
        let result = match self.key.in_parts() {
            true => values.words(self.key.result, out),
            false => values.bits(self.key.result, out),
        };
        emit! { out, result;
            "    return {result};"
            "}"
        }
    }
}

/// The swizzle of four lanes that repeats each of these words' lanes.
fn each_repeated(words: &str) -> String {
    let times = 4 / words.len();
    let each = |c| std::iter::repeat_n(c, times);
    words.chars().flat_map(each).collect()
}
