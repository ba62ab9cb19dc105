//! The generated tail of a matrix product's kernel.

use super::barrier;
use super::shader::shader;
use super::tail::{LANES, Tail, bits_type, joined, lane, list};
use super::template::emit;
use super::values::{decode_number, encode_number};
use crate::dtype::Class;
use crate::op::wgsl_type;
use crate::plan::{Arg, slab_pitch};

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
        let dtype = self.key.folds[0].dtype;
        let class = dtype.class();
        let quad = wgsl_type(class);
        let mut text = String::new();
        let out = &mut text;
        emit! { out, quad; "alias Quad = {quad};" }
        for (name, axis) in [("depth", DEPTH), ("height", ROWS), ("width", COLUMNS)] {
            emit! { out, name, axis;
                "fn {name}() -> u32 { return table.axes[{axis}].extent; }"
            }
        }
        emit! { out, pitch = slab_pitch(dtype); "const PITCH = {pitch}u;" }
        if !self.key.soft {
            self.plus_product(class, quad, out);
        }
        self.bindings(out);
        self.enter(out);
        for i in 0..self.key.inputs.len() {
            self.getter(i, out);
            match i {
                0 | 1 => self.factor(i, out),
                _ => self.of_element(i, out),
            }
        }
        match self.key.steps.is_empty() {
            true => self.product_store(out),
            false => self.epilogue(out),
        }
        text
    }

    /// `fn spread` and `fn plus_product`.
    fn plus_product(&self, class: Class, quad: &str, out: &mut String) {
        let spread = match quad {
            "Pair" => "Pair(vec4<u32>(v.lo[lane]), vec4<u32>(v.hi[lane]))".into(),
            _ => format!("{quad}(v[lane])"),
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
    }

    /// `fn enter`, and where the batch begins.
    fn enter(&self, out: &mut String) {
        let batches = BATCHES..self.table.rank;
        if batches.is_empty() {
            emit! { out; "fn enter(layer: u32) -> u32 { return layer; }" }
            return;
        }
        let inputs = 0..self.key.inputs.len();
        for i in inputs.clone() {
            emit! { out, i; "var<private> begin{i}: u32;" }
        }
        emit! { out, output = self.output_offset();
            "var<private> begin: u32;"
            "fn enter(layer: u32) -> u32 {"
            "    var batch = layer / table.layers;"
            "    begin = {output} + batch * table.apart;"
        }
        for i in inputs.clone() {
            emit! { out, i, offset = self.offset(i); "    begin{i} = {offset};" }
        }
        for axis in batches {
            let axis = axis.to_string();
            emit! { out, axis;
                "    let i{axis} = batch % table.axes[{axis}].extent;"
                "    batch /= table.axes[{axis}].extent;"
            }
            for i in inputs.clone() {
                emit! { out, i, axis, stride = self.stride(i, &axis);
                    "    begin{i} += i{axis} * {stride};"
                }
            }
        }
        emit! { out;
            "    return layer % table.layers;"
            "}"
        }
    }

    /// Where an input's batch begins.
    fn first(&self, i: usize) -> String {
        match self.table.rank > BATCHES {
            true => format!("begin{i}"),
            false => self.offset(i),
        }
    }

    /// Where the result's batch begins.
    fn first_stored(&self) -> &'static str {
        match self.table.rank > BATCHES {
            true => "begin",
            false => self.output_offset(),
        }
    }

    /// The storage bits of four elements of an input: `place` is their number along an axis, of which there are
    /// `limit`, and `other` their one number along another axis. Elsewhere its first element's.
    fn four(
        &self,
        i: usize,
        [along, limit]: [&str; 2],
        [across, other, end]: [&str; 3],
        out: &mut String,
    ) -> String {
        let (offset, stride) = (self.first(i), self.stride(i, along));
        emit! {
            out, limit, end, other, offset, stride, step = self.stride(i, across);
            "    let place = vec4<u32>(four) + vec4<u32>(0u, 1u, 2u, 3u);"
            "    let inside = (place < vec4<u32>({limit})) & vec4<bool>({other} < {end});"
            "    let moved = place * {stride} + vec4<u32>({other} * {step});"
            "    let e = vec4<u32>({offset}) + select(vec4<u32>(0u), moved, inside);"
        }
        self.gather(i, "e")
    }

    /// `fn left` or `fn right`: four elements of a factor.
    fn factor(&self, i: usize, out: &mut String) {
        let dtype = self.key.inputs[i].dtype;
        let (name, parameters, along) = match i {
            0 => ("left", "four: u32, k: u32", [ROWS, "height()"]),
            _ => ("right", "k: u32, four: u32", [COLUMNS, "width()"]),
        };
        emit! { out, name, parameters; "fn {name}({parameters}) -> Quad {" }
        let four = self.four(i, along, [DEPTH, "k", "depth()"], out);
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

    /// `fn of_element`: the storage bits of another input for four elements of the result.
    fn of_element(&self, i: usize, out: &mut String) {
        emit! { out, i, bits = bits_type(self.key.inputs[i].dtype);
            "fn of_element{i}(row: u32, four: u32) -> {bits} {"
        }
        let four = self.four(i, [COLUMNS, "width()"], [ROWS, "row", "height()"], out);
        emit! { out, four;
            "    return {four};"
            "}"
        }
    }

    /// `fn finish` of a product that is stored as it is, or added to an earlier block's result.
    fn product_store(&self, out: &mut String) {
        let dtype = self.key.output;
        emit! { out; "fn finish(row: u32, column: u32) {" }
        for (n, row) in [0, 1, 2, 3, 32, 33, 34, 35].into_iter().enumerate() {
            let row = match row {
                0 => "row".to_owned(),
                _ => format!("row + {row}u"),
            };
            emit! { out, n, row; "    store({row}, column, sums[{n}]);" }
        }
        emit! { out, first = self.first_stored();
            "}"
            "fn store(row: u32, column: u32, v: Quad) {"
            "    let at = row * table.pitch + column + {first};"
            "    var sum = v;"
        }
        // A block along the axis that is summed over.
        emit! { out; "    if table.adds != 0u {" }
        let before = list(0..4, |n| {
            format!("result[select(0u, at + {n}u, {})]", inside(n))
        });
        emit! { out, before = joined(dtype, &before); "        let before = {before};" }
        let sum = match dtype.class() {
            Class::U64 | Class::I64 => "add_64(before, v)".into(),
            Class::F64 if self.key.soft => "double_add(before, v)".into(),
            Class::F64 => "pair_f64(native_f64(before) + native_f64(v))".into(),
            _ => format!("({}) + v", decode_number(self.key.floats, dtype, "before")),
        };
        emit! { out, sum, encode = encode_number(self.key.floats, dtype, "sum");
            "        sum = {sum};"
            "    }"
            "    let bits = {encode};"
        }
        self.put_elements(out);
        emit! { out; "}" }
    }

    /// `fn finish` of a product with steps behind it. They are written once, since they may be long: each turn stores
    /// the first of `sums` and moves the others down, so that these stay in registers.
    fn epilogue(&self, out: &mut String) {
        let (sum, output) = (&self.key.folds[0], self.key.output);
        barrier::functions(self.key, out);
        let others = 2..self.key.inputs.len();
        let given = others.clone().map(Arg::Input).chain([Arg::Fold(0)]);
        self.steps("quad", given, bits_type(output), out);
        let others = others.map(|i| format!("of_element{i}(row, column), "));
        let sums = encode_number(self.key.floats, sum.dtype, "v");
        emit! {
            out, others = others.collect::<String>(), sums = barrier::opaque_sum(self.key, sum, &format!("({sums})")),
            first = self.first_stored();
            "fn finish(row: u32, column: u32) {"
            "    for (var n = 0u; n < 8u; n++) {"
            "        store(row + (n & 3u) + ((n & 4u) << 3u), column, sums[0]);"
            "        sums[0] = sums[1];"
            "        sums[1] = sums[2];"
            "        sums[2] = sums[3];"
            "        sums[3] = sums[4];"
            "        sums[4] = sums[5];"
            "        sums[5] = sums[6];"
            "        sums[6] = sums[7];"
            "    }"
            "}"
            "fn store(row: u32, column: u32, v: Quad) {"
            "    let bits = quad({others}{sums});"
            "    let at = row * table.pitch + column + {first};"
        }
        match self.key.store.is_shared() {
            true => emit! { out;
                "    let place = vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u);"
                "    let inside = (place < vec4<u32>(width())) & vec4<bool>(row < height());"
                "    put_quad(at, bits, inside);"
            },
            false => self.put_elements(out),
        }
        emit! { out; "}" }
        if self.key.store.is_shared() {
            self.shared_store(out);
        }
    }

    /// Writes the elements of a quad that lie inside, one by one.
    fn put_elements(&self, out: &mut String) {
        for (n, name) in LANES.iter().enumerate() {
            emit! { out, inside = inside(n), n, value = lane(self.key.output, "bits", name);
                "    if {inside} { result[at + {n}u] = {value}; }"
            }
        }
    }
}

/// Whether an element of a quad lies inside the result.
fn inside(n: usize) -> String {
    format!("row < height() && column + {n}u < width()")
}
