//! The generated tail of a matrix product's kernel.

use super::shader::shader;
use super::tail::{LANES, Tail, joined, lane, list};
use super::template::emit;
use super::values::{decode_number, encode_number};
use crate::dtype::Class;
use crate::op::wgsl_type;
use crate::plan::slab_pitch;

/// `fn main`.
pub(super) const BODY: &str = shader!("product.wgsl");

/// The table's axes, counted from the innermost.
const DEPTH: &str = "0";
const COLUMNS: &str = "1";
const ROWS: &str = "2";
/// The first of those of the batches.
const BATCHES: usize = 3;

impl Tail<'_> {
    /// What `shaders/product.wgsl` asks for.
    pub(super) fn product(&self) -> String {
        let dtype = self.key.output;
        let class = dtype.class();
        let quad = wgsl_type(class);
        let wide = quad == "Pair";
        let mut text = String::new();
        let out = &mut text;
        emit! { out, quad; "alias Quad = {quad};" }
        for (name, axis) in [("depth", DEPTH), ("height", ROWS), ("width", COLUMNS)] {
            emit! { out, name, axis;
                "fn {name}() -> u32 { return table.axes[{axis}].extent; }"
            }
        }
        emit! { out, pitch = slab_pitch(dtype); "const PITCH = {pitch}u;" }
        let spread = match wide {
            true => "Pair(vec4<u32>(v.lo[lane]), vec4<u32>(v.hi[lane]))".into(),
            false => format!("{quad}(v[lane])"),
        };
        emit! { out, spread; "fn spread(v: Quad, lane: u32) -> Quad { return {spread}; }" }
        let sum = match class {
            Class::U64 | Class::I64 => "add_64(sum, mul_64(a, b))",
            Class::F64 => "pair_f64(native_f64(sum) + native_f64(a) * native_f64(b))",
            _ => "sum + a * b",
        };
        emit! { out, sum;
            "fn plus_product(sum: Quad, a: Quad, b: Quad) -> Quad { return {sum}; }"
        }
        self.bindings(out);
        self.enter(out);
        for i in 0..2 {
            self.getter(i, out);
            self.factor(i, out);
        }
        self.product_store(out);
        text
    }

    /// `fn enter`, and where the batch begins.
    fn enter(&self, out: &mut String) {
        let batches = BATCHES..self.table.rank;
        if batches.is_empty() {
            emit! { out; "fn enter(layer: u32) -> u32 { return layer; }" }
            return;
        }
        let [a, b] = [0, 1].map(|i| self.offset(i));
        emit! { out, a, b, output = self.output_offset();
            "var<private> begin: vec3<u32>;"
            "fn enter(layer: u32) -> u32 {"
            "    var batch = layer / table.layers;"
            "    begin = vec3<u32>({a}, {b}, {output} + batch * table.apart);"
        }
        for axis in batches {
            let axis = axis.to_string();
            let [a, b] = [0, 1].map(|i| self.stride(i, &axis));
            emit! { out, axis, a, b;
                "    let i{axis} = batch % table.axes[{axis}].extent;"
                "    batch /= table.axes[{axis}].extent;"
                "    begin += vec3<u32>(i{axis} * {a}, i{axis} * {b}, 0u);"
            }
        }
        emit! { out;
            "    return layer % table.layers;"
            "}"
        }
    }

    /// Where a factor's batch begins, or the result's.
    fn first(&self, which: usize) -> String {
        match (self.table.rank > BATCHES, which) {
            (true, _) => format!("begin.{}", LANES[which]),
            (false, 2) => self.output_offset().into(),
            (false, i) => self.offset(i),
        }
    }

    /// `fn left` or `fn right`: four elements of a factor.
    fn factor(&self, i: usize, out: &mut String) {
        let dtype = self.key.inputs[i].dtype;
        let stride = |axis: &str| self.stride(i, axis);
        let (name, parameters, along, limit) = match i {
            0 => ("left", "four: u32, k: u32", ROWS, "height()"),
            _ => ("right", "k: u32, four: u32", COLUMNS, "width()"),
        };
        let offset = self.first(i);
        emit! {
            out, name, parameters, limit, stride = stride(along), depth = stride(DEPTH),
            offset;
            "fn {name}({parameters}) -> Quad {"
            "    let place = vec4<u32>(four) + vec4<u32>(0u, 1u, 2u, 3u);"
            "    let inside = (place < vec4<u32>({limit})) & vec4<bool>(k < depth());"
            "    let moved = place * {stride} + vec4<u32>(k * {depth});"
            "    let e = vec4<u32>({offset}) + select(vec4<u32>(0u), moved, inside);"
        }
        let four = joined(dtype, &list(LANES, |lane| format!("get{i}(e.{lane})")));
        let bits = match dtype.size() {
            8 => format!("select_64(small_64(0u), {four}, inside)"),
            _ => format!("select(vec4<u32>(0u), {four}, inside)"),
        };
        emit! { out, bits, decode = decode_number(self.key.floats, dtype, "bits");
            "    let bits = {bits};"
            "    return {decode};"
            "}"
        }
    }

    /// `fn store`: the elements of a quad that lie inside.
    fn product_store(&self, out: &mut String) {
        let dtype = self.key.output;
        emit! { out, output_offset = self.first(2);
            "fn store(row: u32, column: u32, v: Quad) {"
            "    let at = row * table.pitch + column + {output_offset};"
            "    var sum = v;"
        }
        // A block along the axis that is summed over.
        emit! { out; "    if table.adds != 0u {" }
        let inside = |n: usize| format!("row < height() && column + {n}u < width()");
        let before = list(0..4, |n| {
            format!("result[select(0u, at + {n}u, {})]", inside(n))
        });
        emit! { out, before = joined(dtype, &before); "        let before = {before};" }
        let sum = match dtype.class() {
            Class::U64 | Class::I64 => "add_64(before, v)".into(),
            Class::F64 => "pair_f64(native_f64(before) + native_f64(v))".into(),
            _ => format!("({}) + v", decode_number(self.key.floats, dtype, "before")),
        };
        emit! { out, sum, encode = encode_number(self.key.floats, dtype, "sum");
            "        sum = {sum};"
            "    }"
            "    let bits = {encode};"
        }
        for (n, name) in LANES.iter().enumerate() {
            emit! { out, inside = inside(n), n, value = lane(dtype, "bits", name);
                "    if {inside} { result[at + {n}u] = {value}; }"
            }
        }
        emit! { out; "}" }
    }
}
