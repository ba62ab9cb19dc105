//! The generated tail of a kernel.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::bindings::{self, Role};
use super::{KernelKey, KeyInput, KeyStep, library};
use crate::dtype::{Class, DType};
use crate::op::{Op, Operands, Types, cast_wgsl, wgsl_type};
use crate::plan::{Access, Accuracy, Arg, MappingKind, Spread, Store, TableShape};

/// The whole text of a kernel: body, library functions, tail.
pub(super) fn text(key: &KernelKey) -> String {
    let tail = Tail { key, table: TableShape::new(key.inputs.len(), key.rank) }.text();
    let body = library::body(key.mapping.kind);
    let body = &body[body.find("@compute").unwrap_or(0)..];
    format!("{body}\n{}\n{tail}", library::needed(&[body, &tail]))
}

struct Tail<'a> {
    key: &'a KernelKey,
    table: TableShape,
}

impl Tail<'_> {
    fn text(&self) -> String {
        let mut out = String::new();
        self.constants(&mut out);
        self.bindings(&mut out);
        for i in 0..self.key.inputs.len() {
            self.getter(i, &mut out);
        }
        self.at(&mut out);
        self.quad(&mut out);
        self.store(&mut out);
        out
    }

    fn constants(&self, out: &mut String) {
        let mapping = &self.key.mapping;
        let [width, height] = mapping.workgroup;
        line(out, format_args!("const WIDTH = {width}u;"));
        line(out, format_args!("const HEIGHT = {height}u;"));
        line(out, format_args!("const QUADS = {}u;", mapping.quads));
        line(out, format_args!("const CONSECUTIVE = {};", mapping.spread == Spread::Consecutive));
    }

    fn bindings(&self, out: &mut String) {
        for b in bindings::list(self.key) {
            let n = b.number;
            let element = b.element;
            match b.role {
                Role::Table => line(
                    out,
                    format_args!("@group(0) @binding({n}) var<uniform> table: array<vec4<u32>, {}>;", self.table.rows),
                ),
                Role::Scalars => {
                    line(
                        out,
                        format_args!(
                            "@group(0) @binding({n}) var<uniform> scalars: array<vec4<u32>, {}>;",
                            self.key.scalar_rows()
                        ),
                    );
                }
                Role::Input(i) => {
                    line(out, format_args!("@group(0) @binding({n}) var<storage, read> in{i}: array<{element}>;"))
                }
                Role::Output => line(
                    out,
                    format_args!("@group(0) @binding({n}) var<storage, read_write> result: array<{element}>;"),
                ),
            }
        }
    }

    /// The variable that input `i` is read from.
    fn variable(&self, i: usize) -> String {
        if self.key.inputs[i].in_place { "result".into() } else { format!("in{i}") }
    }

    /// `get{i}`: the storage bits of one element, for inputs that are read word by word.
    fn getter(&self, i: usize, out: &mut String) {
        let input = &self.key.inputs[i];
        if !matches!(input.access, Access::Gather | Access::Splat) {
            return;
        }
        let from = self.variable(i);
        let body = match input.dtype.size() {
            1 => format!("({from}[e >> 2u] >> ((e & 3u) << 3u)) & 0xffu"),
            2 => format!("({from}[e >> 1u] >> ((e & 1u) << 4u)) & 0xffffu"),
            _ => format!("{from}[e]"),
        };
        line(out, format_args!("fn get{i}(e: u32) -> u32 {{ return {body}; }}"));
    }

    /// A word of the table that belongs to input `i`, in the block of rows that starts at `row`.
    fn word(row: &str, i: usize) -> String {
        format!("table[{row} + {}u].{}", i / 4, ["x", "y", "z", "w"][i % 4])
    }

    fn offset(&self, i: usize) -> String {
        if self.key.inputs[i].offset { Self::word(&format!("{}u", self.table.offsets), i) } else { "0u".into() }
    }

    /// The table row of an axis, counted from the innermost.
    fn axis_row(&self, axis: &str) -> String {
        format!("{}u + {axis} * {}u", self.table.axes, self.table.axis_rows)
    }

    /// Inputs whose place is found by coordinates.
    fn placed(&self) -> impl Iterator<Item = usize> + '_ {
        let kind = self.key.mapping.kind;
        let by_coordinates = move |input: &KeyInput| match kind {
            MappingKind::Flat => false,
            MappingKind::Rows => !input.in_place && input.access != Access::Linear,
            MappingKind::General => !input.in_place && input.access == Access::Gather,
        };
        self.key.inputs.iter().enumerate().filter(move |(_, x)| by_coordinates(x)).map(|(i, _)| i)
    }

    /// `struct At` and `fn at`: where each placed input's row (rows) or four lanes (general) lie.
    fn at(&self, out: &mut String) {
        let kind = self.key.mapping.kind;
        let lanes = kind == MappingKind::General;
        if kind == MappingKind::Flat {
            return;
        }
        let member = if lanes { "vec4<u32>" } else { "u32" };
        let mut members: Vec<String> = self.placed().map(|i| format!("x{i}: {member}")).collect();
        if members.is_empty() {
            members.push("none: u32".into());
        }
        line(out, format_args!("struct At {{ {} }}", members.join(", ")));
        line(out, format_args!("fn at(start: u32) -> At {{"));
        line(out, format_args!("    var found: At;"));
        if self.placed().next().is_some() {
            for i in self.placed() {
                let offset = self.offset(i);
                line(
                    out,
                    format_args!("    found.x{i} = {};", if lanes { format!("vec4<u32>({offset})") } else { offset }),
                );
            }
            line(out, format_args!("    var rest = start;"));
            if lanes {
                line(out, format_args!("    var add = vec4<u32>(0u, 1u, 2u, 3u);"));
            }
            let first = usize::from(!lanes);
            match self.key.rank {
                Some(rank) => (first..rank).for_each(|axis| {
                    out.push_str("    {\n");
                    self.axis(&format!("{axis}u"), axis == 0, axis + 1 == rank, out);
                    out.push_str("    }\n");
                }),
                None => {
                    if lanes {
                        out.push_str("    {\n");
                        self.axis("0u", true, false, out);
                        out.push_str("    }\n");
                    }
                    line(out, format_args!("    for (var axis = 1u; axis < table[1].x; axis++) {{"));
                    self.axis("axis", false, false, out);
                    out.push_str("    }\n");
                }
            }
        }
        line(out, format_args!("    return found;"));
        line(out, format_args!("}}"));
    }

    /// The coordinate along one axis, added to every placed input's position.
    fn axis(&self, axis: &str, innermost: bool, outermost: bool, out: &mut String) {
        let row = self.axis_row(axis);
        let lanes = self.key.mapping.kind == MappingKind::General;
        line(out, format_args!("        let axis_row = table[{row}];"));
        if outermost {
            line(out, format_args!("        let c = rest;"));
        } else {
            line(out, format_args!("        let left = divide(rest, axis_row);"));
            line(out, format_args!("        let c = rest - left * axis_row.x;"));
            line(out, format_args!("        rest = left;"));
        }
        let coordinate = if lanes {
            line(out, format_args!("        let wide = vec4<u32>(c) + add;"));
            line(out, format_args!("        let once = wrap(wide, axis_row.x);"));
            if innermost {
                // An extent of 2 is passed twice by four lanes.
                line(out, format_args!("        add = carry(wide, axis_row.x) + carry(once, axis_row.x);"));
                line(out, format_args!("        let at = wrap(once, axis_row.x);"));
                "at"
            } else {
                line(out, format_args!("        add = carry(wide, axis_row.x);"));
                "once"
            }
        } else {
            "c"
        };
        for i in self.placed() {
            let stride = Self::word(&format!("{row} + 1u"), i);
            line(out, format_args!("        found.x{i} += {coordinate} * {stride};"));
        }
    }

    /// The storage bits of input `i`'s quad.
    fn load(&self, i: usize) -> String {
        let input = &self.key.inputs[i];
        let kind = self.key.mapping.kind;
        let from = self.variable(i);
        let unpack = |word: String| match input.dtype.size() {
            1 => format!("unpack_bytes({word})"),
            2 => format!("unpack_halves({word})"),
            _ => word,
        };
        let stride = || Self::word(&format!("{} + 1u", self.axis_row("0u")), i);
        let four = |at: &str| format!("vec4<u32>(get{i}({at}.x), get{i}({at}.y), get{i}({at}.z), get{i}({at}.w))");
        if input.in_place {
            return match input.access {
                Access::Gather => {
                    let at = format!("(clamped + vec4<u32>({}))", self.output_offset());
                    four(&at)
                }
                _ if self.key.output_offset => unpack(format!("{from}[q + ({} >> 2u)]", self.output_offset())),
                _ => unpack(format!("{from}[q]")),
            };
        }
        match (input.access, kind) {
            (Access::Linear, _) if input.offset => unpack(format!("{from}[q + ({} >> 2u)]", self.offset(i))),
            (Access::Linear, _) => unpack(format!("{from}[q]")),
            (Access::Vector, _) => unpack(format!("{from}[(at.x{i} + column) >> 2u]")),
            (Access::Splat, MappingKind::Rows) => format!("vec4<u32>(get{i}(at.x{i}))"),
            (Access::Splat, _) => format!("vec4<u32>(get{i}({}))", self.offset(i)),
            (Access::Gather, MappingKind::Flat) => {
                four(&format!("(vec4<u32>({}) + clamped * {})", self.offset(i), stride()))
            }
            (Access::Gather, MappingKind::Rows) => {
                four(&format!("(vec4<u32>(at.x{i}) + (vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u)) * {})", stride()))
            }
            (Access::Gather, MappingKind::General) => four(&format!("at.x{i}")),
        }
    }

    /// Whether the quad needs the numbers of its elements, kept below the number of elements.
    fn needs_clamped(&self) -> bool {
        let flat = self.key.mapping.kind == MappingKind::Flat;
        self.key.inputs.iter().any(|x| x.access == Access::Gather && (flat || x.in_place))
    }

    /// `fn quad`: loads, steps, store.
    fn quad(&self, out: &mut String) {
        let parameters = match self.key.mapping.kind {
            MappingKind::Flat => "q: u32",
            MappingKind::Rows => "q: u32, column: u32, at: At",
            MappingKind::General => "q: u32, at: At",
        };
        line(out, format_args!("fn quad({parameters}) {{"));
        if self.needs_clamped() {
            let first = if self.shifted() { "4u * q - table[0].w" } else { "4u * q" };
            line(out, format_args!("    let element = vec4<u32>({first}) + vec4<u32>(0u, 1u, 2u, 3u);"));
            line(out, format_args!("    let clamped = min(element, vec4<u32>(table[0].x - 1u));"));
        }
        let mut values = Values { key: self.key, have: HashSet::new() };
        for i in 0..self.key.inputs.len() {
            let load = self.load(i);
            line(out, format_args!("    let x{i}_bits = {load};"));
            values.have.insert(format!("x{i}_bits"));
        }
        for (j, step) in self.key.steps.iter().enumerate() {
            values.step(j, step, out);
        }
        let bits = values.bits(self.key.result, out);
        line(out, format_args!("    store(q, {bits});"));
        line(out, format_args!("}}"));
    }

    fn shifted(&self) -> bool {
        matches!(self.key.store, Store::Words { shift } if shift > 0)
    }

    /// The output's offset in elements, on a word.
    fn output_offset(&self) -> &'static str {
        if self.key.output_offset { "table[1].y" } else { "0u" }
    }

    /// `fn store`: a quad's storage bits to the output.
    fn store(&self, out: &mut String) {
        let size = self.key.output.size();
        let offset = self.output_offset();
        line(out, format_args!("fn store(q: u32, r: vec4<u32>) {{"));
        if self.key.store == Store::Wide {
            let packed = match size {
                1 => "pack_bytes(r)",
                2 => "pack_halves(r)",
                _ => "r",
            };
            let at = if self.key.output_offset { format!("q + ({offset} >> 2u)") } else { "q".into() };
            line(out, format_args!("    result[{at}] = {packed};"));
            line(out, format_args!("}}"));
            return;
        }
        let first = if self.shifted() { "4u * q - table[0].w" } else { "4u * q" };
        line(out, format_args!("    let element = vec4<u32>({first}) + vec4<u32>(0u, 1u, 2u, 3u);"));
        line(out, format_args!("    let own = element < vec4<u32>(table[0].x);"));
        match size {
            4 => {
                line(out, format_args!("    let word = 4u * q + {offset};"));
                for (k, lane) in ["x", "y", "z", "w"].iter().enumerate() {
                    line(out, format_args!("    if own.{lane} {{ result[word + {k}u] = r.{lane}; }}"));
                }
            }
            2 => {
                line(out, format_args!("    let word = 2u * q + ({offset} >> 1u);"));
                line(out, format_args!("    let mask = pack_halves(select(vec4<u32>(0u), vec4<u32>(0xffffu), own));"));
                line(out, format_args!("    let packed = pack_halves(r);"));
                for (k, lane) in ["x", "y"].iter().enumerate() {
                    merge(out, &format!("word + {k}u"), &format!("mask.{lane}"), &format!("packed.{lane}"));
                }
            }
            _ => {
                line(out, format_args!("    let word = q + ({offset} >> 2u);"));
                line(out, format_args!("    let mask = pack_bytes(select(vec4<u32>(0u), vec4<u32>(0xffu), own));"));
                merge(out, "word", "mask", "pack_bytes(r)");
            }
        }
        line(out, format_args!("}}"));
    }
}

/// A store of the masked part of a word: whole words are written, shared ones read and merged, foreign ones left.
fn merge(out: &mut String, word: &str, mask: &str, packed: &str) {
    line(out, format_args!("    if {mask} == 0xffffffffu {{ result[{word}] = {packed}; }}"));
    line(
        out,
        format_args!(
            "    else if {mask} != 0u {{ result[{word}] = (result[{word}] & ~{mask}) | ({packed} & {mask}); }}"
        ),
    );
}

/// The named values of a quad: `{name}_bits` are storage bits, `{name}` values of the compute class. Each is made
/// from the other when it is first needed.
struct Values<'a> {
    key: &'a KernelKey,
    have: HashSet<String>,
}

impl Values<'_> {
    fn dtype(&self, arg: Arg) -> DType {
        match arg {
            Arg::Input(i) => self.key.inputs[i].dtype,
            Arg::Scalar(k) => self.key.scalars[k],
            Arg::Step(j) => self.key.steps[j].dtype,
        }
    }

    fn name(arg: Arg) -> String {
        match arg {
            Arg::Input(i) => format!("x{i}"),
            Arg::Scalar(k) => format!("k{k}"),
            Arg::Step(j) => format!("s{j}"),
        }
    }

    /// The storage bits of a value.
    fn bits(&mut self, arg: Arg, out: &mut String) -> String {
        let name = Self::name(arg);
        let bits = format!("{name}_bits");
        if self.have.insert(bits.clone()) {
            let made = match arg {
                Arg::Scalar(k) => format!("vec4<u32>(scalars[{}].{})", k / 4, ["x", "y", "z", "w"][k % 4]),
                _ => encode(self.dtype(arg), &name),
            };
            line(out, format_args!("    let {bits} = {made};"));
        }
        bits
    }

    /// The value in its compute class.
    fn value(&mut self, arg: Arg, out: &mut String) -> String {
        let name = Self::name(arg);
        if !self.have.contains(&name) {
            let bits = self.bits(arg, out);
            line(out, format_args!("    let {name} = {};", decode(self.dtype(arg), &bits)));
            self.have.insert(name.clone());
        }
        name
    }

    fn step(&mut self, j: usize, step: &KeyStep, out: &mut String) {
        let name = format!("s{j}");
        if step.op == Op::CAST {
            let x = self.value(step.args[0], out);
            let made = substitute(cast_wgsl(step.operand, step.dtype), &["x"], &[x]);
            return self.keep(&name, step.dtype, true, &made, out);
        }
        // A row has a form for every type it takes; the typed graph has checked the type.
        let Some(form) = step.op.form(step.operand) else { return };
        let select = matches!(step.op.types, Types::Select(_));
        let mut operands = Vec::with_capacity(step.args.len());
        for (n, &arg) in step.args.iter().enumerate() {
            operands.push(match form.read {
                Operands::Storage if !(select && n == 0) => self.bits(arg, out),
                Operands::FloatBits => format!("bitcast<vec4<u32>>({})", self.value(arg, out)),
                Operands::Storage | Operands::Values => self.value(arg, out),
            });
        }
        let wgsl = match (self.key.accuracy, form.fast) {
            (Accuracy::Fast, Some(fast)) => fast,
            _ => form.wgsl,
        };
        let made = substitute(wgsl, step.op.operands, &operands);
        let test = matches!(step.op.types, Types::Test(_));
        match form.read {
            Operands::Storage => {
                line(out, format_args!("    let {name}_bits = {made};"));
                self.have.insert(format!("{name}_bits"));
            }
            Operands::FloatBits if !test => {
                line(out, format_args!("    let {name} = bitcast<vec4<f32>>({made});"));
                self.have.insert(name);
            }
            _ => self.keep(&name, step.dtype, step.op.leaves, &made, out),
        }
    }

    /// A step's value; one that may have left its type is taken through its storage bits.
    fn keep(&mut self, name: &str, dtype: DType, leaves: bool, made: &str, out: &mut String) {
        let class = wgsl_type(dtype.class());
        if leaves && dtype.size() < 4 && dtype.class() != Class::Bool {
            line(out, format_args!("    let {name}_wide: {class} = {made};"));
            line(out, format_args!("    let {name}_bits = {};", encode(dtype, &format!("{name}_wide"))));
            self.have.insert(format!("{name}_bits"));
        } else {
            line(out, format_args!("    let {name}: {class} = {made};"));
            self.have.insert(name.into());
        }
    }
}

/// A value of a type from storage bits.
fn decode(dtype: DType, bits: &str) -> String {
    match dtype {
        DType::Bool => format!("{bits} != vec4<u32>(0u)"),
        DType::I8 => format!("bitcast<vec4<i32>>({bits} << vec4<u32>(24u)) >> vec4<u32>(24u)"),
        DType::I16 => format!("bitcast<vec4<i32>>({bits} << vec4<u32>(16u)) >> vec4<u32>(16u)"),
        DType::I32 => format!("bitcast<vec4<i32>>({bits})"),
        DType::F16 => format!("decode_f16({bits})"),
        DType::Bf16 => format!("bitcast<vec4<f32>>({bits} << vec4<u32>(16u))"),
        DType::F32 => format!("bitcast<vec4<f32>>({bits})"),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 | DType::I64 | DType::F64 => bits.into(),
    }
}

/// Storage bits of a value: integers wrapped, halves rounded to nearest even.
fn encode(dtype: DType, value: &str) -> String {
    match dtype {
        DType::Bool => format!("select(vec4<u32>(0u), vec4<u32>(1u), {value})"),
        DType::U8 => format!("{value} & vec4<u32>(0xffu)"),
        DType::U16 => format!("{value} & vec4<u32>(0xffffu)"),
        DType::I8 => format!("bitcast<vec4<u32>>({value}) & vec4<u32>(0xffu)"),
        DType::I16 => format!("bitcast<vec4<u32>>({value}) & vec4<u32>(0xffffu)"),
        DType::F16 => format!("encode_f16({value})"),
        DType::Bf16 => format!("encode_bf16({value})"),
        DType::I32 | DType::F32 => format!("bitcast<vec4<u32>>({value})"),
        DType::U32 | DType::U64 | DType::I64 | DType::F64 => value.into(),
    }
}

/// A form with its operand names replaced.
fn substitute(wgsl: &str, names: &[&str], with: &[String]) -> String {
    let mut out = String::with_capacity(wgsl.len() * 2);
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut String| {
        match names.iter().position(|n| n == word) {
            Some(i) => out.push_str(&with[i]),
            None => out.push_str(word),
        }
        word.clear();
    };
    for c in wgsl.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}
