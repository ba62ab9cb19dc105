//! The generated tail of a matrix product's kernel.

use super::emit::{Tail, line};
use super::values::{decode, encode};
use crate::dtype::Class;
use crate::op::wgsl_type;

/// The table's axes, counted from the innermost.
const DEPTH: &str = "0u";
const COLUMNS: &str = "1u";
const ROWS: &str = "2u";

impl Tail<'_> {
    /// What `shaders/product.wgsl` asks for.
    pub(super) fn product(&self) -> String {
        let dtype = self.key.output;
        let class = dtype.class();
        let quad = wgsl_type(class);
        let wide = quad == "Pair";
        let mut out = String::new();
        let mut add = |text: String| line(&mut out, format_args!("{text}"));
        add(format!("alias Quad = {quad};"));
        for (name, axis) in [("depth", DEPTH), ("height", ROWS), ("width", COLUMNS)] {
            add(format!(
                "fn {name}() -> u32 {{ return table[{}].x; }}",
                self.axis_row(axis)
            ));
        }
        let none = if wide {
            "small_64(0u)".into()
        } else {
            format!("{quad}()")
        };
        add(format!("fn none() -> Quad {{ return {none}; }}"));
        let spread = match wide {
            true => "Pair(vec4<u32>(v.lo[lane]), vec4<u32>(v.hi[lane]))".into(),
            false => format!("{quad}(v[lane])"),
        };
        add(format!(
            "fn spread(v: Quad, lane: u32) -> Quad {{ return {spread}; }}"
        ));
        let sum = match class {
            Class::U64 | Class::I64 => "add_64(sum, mul_64(a, b))",
            Class::F64 => "pair_f64(native_f64(sum) + native_f64(a) * native_f64(b))",
            _ => "sum + a * b",
        };
        add(format!(
            "fn plus_product(sum: Quad, a: Quad, b: Quad) -> Quad {{ return {sum}; }}"
        ));
        self.bindings(&mut out);
        for i in 0..2 {
            self.getter(i, &mut out);
            self.factor(i, &mut out);
        }
        self.product_store(&mut out);
        out
    }

    /// `fn left` or `fn right`: four elements of a factor.
    fn factor(&self, i: usize, out: &mut String) {
        let dtype = self.key.inputs[i].dtype;
        let stride = |axis: &str| Self::word(&format!("{} + 1u", self.axis_row(axis)), i);
        let (name, parameters, along, limit, four) = match i {
            0 => ("left", "four: u32, k: u32", ROWS, "height()", "four"),
            _ => ("right", "k: u32, four: u32", COLUMNS, "width()", "four"),
        };
        let offset = self.offset(i);
        line(out, format_args!("fn {name}({parameters}) -> Quad {{"));
        line(
            out,
            format_args!("    let place = vec4<u32>({four}) + vec4<u32>(0u, 1u, 2u, 3u);"),
        );
        line(
            out,
            format_args!(
                "    let inside = (place < vec4<u32>({limit})) & vec4<bool>(k < depth());"
            ),
        );
        line(
            out,
            format_args!(
                "    let moved = place * {} + vec4<u32>(k * {});",
                stride(along),
                stride(DEPTH)
            ),
        );
        line(
            out,
            format_args!("    let e = vec4<u32>({offset}) + select(vec4<u32>(0u), moved, inside);"),
        );
        let lanes = ["x", "y", "z", "w"]
            .map(|lane| format!("get{i}(e.{lane})"))
            .join(", ");
        let bits = match dtype.size() {
            8 => format!("select_64(small_64(0u), join_pairs({lanes}), inside)"),
            _ => format!("select(vec4<u32>(0u), vec4<u32>({lanes}), inside)"),
        };
        line(out, format_args!("    let bits = {bits};"));
        line(out, format_args!("    return {};", decode(dtype, "bits")));
        line(out, format_args!("}}"));
    }

    /// `fn store`: the elements of a quad that lie inside.
    fn product_store(&self, out: &mut String) {
        let dtype = self.key.output;
        line(
            out,
            format_args!("fn store(row: u32, column: u32, v: Quad) {{"),
        );
        line(
            out,
            format_args!(
                "    let at = row * table[0].y + column + {};",
                self.output_offset()
            ),
        );
        line(out, format_args!("    var sum = v;"));
        // A block along the axis that is summed over.
        line(out, format_args!("    if table[1].z != 0u {{"));
        let inside = |n: usize| format!("row < height() && column + {n}u < width()");
        let before = [0, 1, 2, 3]
            .map(|n| format!("result[select(0u, at + {n}u, {})]", inside(n)))
            .join(", ");
        let before = match dtype.size() {
            8 => format!("join_pairs({before})"),
            _ => format!("vec4<u32>({before})"),
        };
        line(out, format_args!("        let before = {before};"));
        let sum = match dtype.class() {
            Class::U64 | Class::I64 => "add_64(before, v)".into(),
            Class::F64 => "pair_f64(native_f64(before) + native_f64(v))".into(),
            _ => format!("({}) + v", decode(dtype, "before")),
        };
        line(out, format_args!("        sum = {sum};"));
        line(out, format_args!("    }}"));
        line(
            out,
            format_args!("    let bits = {};", encode(dtype, "sum")),
        );
        for (n, lane) in ["x", "y", "z", "w"].iter().enumerate() {
            let value = match dtype.size() {
                8 => format!("vec2<u32>(bits.lo.{lane}, bits.hi.{lane})"),
                _ => format!("bits.{lane}"),
            };
            line(
                out,
                format_args!("    if {} {{ result[at + {n}u] = {value}; }}", inside(n)),
            );
        }
        line(out, format_args!("}}"));
    }
}
