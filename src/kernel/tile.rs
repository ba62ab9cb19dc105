//! `struct At`, `struct Tile` and `fn at` of mapping `tile`: where the four quads of a tile lie.

use super::emit::{Tail, bits_type, line};
use crate::plan::Access;

/// The rows of a tile, as members of `Tile`.
const ROWS: [&str; 4] = ["a", "b", "c", "d"];

impl Tail<'_> {
    /// A row's `At` holds the number of its quad in the output, where each input's row begins, the
    /// elements that are splat, and the quads of turned inputs, which are loaded along the other
    /// axis for all four rows at once.
    pub(super) fn tile_places(&self, out: &mut String) {
        let along = self.key.mapping.along as usize;
        let mut members = vec!["q: u32".to_owned()];
        for i in self.placed() {
            let held = match self.key.inputs[i].access {
                Access::Splat => self.element(i),
                Access::Transposed => bits_type(self.key.inputs[i].unit()),
                _ => "u32",
            };
            members.push(format!("x{i}: {held}"));
        }
        self.at_struct(members, out);
        line(
            out,
            format_args!(
                "struct Tile {{ {} }}",
                ROWS.map(|row| format!("{row}: At")).join(", ")
            ),
        );
        line(
            out,
            format_args!("fn at(start: u32, column: u32) -> Tile {{"),
        );
        for i in self.placed() {
            line(out, format_args!("    var p{i} = {};", self.offset(i)));
        }
        line(out, format_args!("    var rest = start;"));
        // The output's elements are in row-major order.
        line(out, format_args!("    var o = column;"));
        line(
            out,
            format_args!("    var size = table[{}].x;", self.axis_row("0u")),
        );
        line(out, format_args!("    var pitch = 0u;"));
        self.each_axis(1, out, |axis, out| {
            let axis = axis.unwrap_or(1);
            for i in self.placed().filter(|&i| self.moves(i, axis)) {
                line(
                    out,
                    format_args!(
                        "        p{i} += c * {};",
                        self.stride(i, &format!("{axis}u"))
                    ),
                );
            }
            if axis == along {
                line(out, format_args!("        pitch = size;"));
                line(out, format_args!("        o += 4u * c * size;"));
                line(out, format_args!("        size *= 4u * axis_row.x;"));
            } else {
                line(out, format_args!("        o += c * size;"));
                line(out, format_args!("        size *= axis_row.x;"));
            }
        });
        line(out, format_args!("    var tile: Tile;"));
        // Rows begin at whole quads.
        line(out, format_args!("    let down = pitch >> 2u;"));
        line(out, format_args!("    tile.a.q = o >> 2u;"));
        for rows in ROWS.windows(2) {
            line(
                out,
                format_args!("    tile.{}.q = tile.{}.q + down;", rows[1], rows[0]),
            );
        }
        for i in self.placed() {
            self.tile_rows(i, along, out);
        }
        line(out, format_args!("    return tile;"));
        line(out, format_args!("}}"));
    }

    /// What the rows hold of input `i`.
    fn tile_rows(&self, i: usize, along: usize, out: &mut String) {
        let input = &self.key.inputs[i];
        if input.access == Access::Transposed {
            // The offset and all strides but the one along the tile are whole quads.
            let stride = self.stride(i, "0u");
            let wide = input.unit().size() == 8;
            line(
                out,
                format_args!("    let s{i} = bitcast<u32>(bitcast<i32>({stride}) >> 2u);"),
            );
            line(
                out,
                format_args!("    let q{i}a = (p{i} + column * {stride}) >> 2u;"),
            );
            for rows in ROWS.windows(2) {
                line(
                    out,
                    format_args!("    let q{i}{} = q{i}{} + s{i};", rows[1], rows[0]),
                );
            }
            for row in ROWS {
                line(
                    out,
                    format_args!(
                        "    let t{i}{row} = {};",
                        self.wide_load(i, &format!("q{i}{row}"))
                    ),
                );
            }
            for (row, lane) in ROWS.iter().zip(["x", "y", "z", "w"]) {
                let four = |part: &str| {
                    ROWS.map(|from| format!("t{i}{from}{part}.{lane}"))
                        .join(", ")
                };
                let quad = match wide {
                    true => format!(
                        "Pair(vec4<u32>({}), vec4<u32>({}))",
                        four(".lo"),
                        four(".hi")
                    ),
                    false => format!("vec4<u32>({})", four("")),
                };
                line(out, format_args!("    tile.{row}.x{i} = {quad};"));
            }
            return;
        }
        // The table's stride is that of four rows.
        let stride = match self.moves(i, along) {
            true => format!(
                "bitcast<u32>(bitcast<i32>({}) >> 2u)",
                self.stride(i, &format!("{along}u"))
            ),
            false => "0u".into(),
        };
        line(out, format_args!("    let s{i} = {stride};"));
        for (r, row) in ROWS.iter().enumerate() {
            let place = format!("p{i} + {r}u * s{i}");
            let held = if input.access == Access::Splat {
                format!("get{i}({place})")
            } else {
                place
            };
            line(out, format_args!("    tile.{row}.x{i} = {held};"));
        }
    }
}
