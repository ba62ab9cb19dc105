//! `struct At`, `struct Tile` and `fn at` of mapping `tile`: where the four quads of a tile lie.

use super::tail::{LANES, Tail, bits_type};
use super::template::emit;
use crate::plan::LaneLoad;

/// The rows of a tile, as members of `Tile`.
const ROWS: [&str; 4] = ["a", "b", "c", "d"];

impl Tail<'_> {
    /// A row's `At` holds the number of its quad in the output, where each input's row begins, the
    /// elements that are splat, and the quads of transposed inputs, which are loaded along the
    /// other axis for all four rows at once.
    pub(super) fn tile_addresses(&self, along: usize, out: &mut String) {
        let mut members = vec!["q: u32".to_owned()];
        for i in self.addressed() {
            let of = match self.key.inputs[i].load.lanes {
                LaneLoad::Broadcast => self.element(i),
                LaneLoad::Transposed => bits_type(self.key.inputs[i].unit()),
                _ => "u32",
            };
            members.push(format!("x{i}: {of}"));
        }
        self.cursor_struct(members, out);
        emit! { out, members = ROWS.map(|row| format!("{row}: At")).join(", ");
            "struct Tile { {members} }"
            "fn at(start: u32, column: u32) -> Tile {"
        }
        for i in self.addressed() {
            emit! { out, i, offset = self.offset(i); "    var p{i} = {offset};" }
        }
        emit! { out; "    var rest = start;" }
        // The output's elements are in row-major order.
        emit! { out, axis_row = self.axis_row("0u");
            "    var o = column;"
            "    var size = table[{axis_row}].x;"
            "    var pitch = 0u;"
        }
        self.each_axis(1, out, |axis, out| {
            let axis = axis.unwrap_or(1);
            for i in self.addressed().filter(|&i| self.moves(i, axis)) {
                emit! { out, i, stride = self.stride(i, &format!("{axis}u"));
                    "        p{i} += c * {stride};"
                }
            }
            if axis == along {
                emit! { out;
                    "        pitch = size;"
                    "        o += 4u * c * size;"
                    "        size *= 4u * axis_row.x;"
                }
            } else {
                emit! { out;
                    "        o += c * size;"
                    "        size *= axis_row.x;"
                }
            }
        });
        emit! { out; "    var tile: Tile;" }
        // Rows begin at whole quads.
        emit! { out;
            "    let down = pitch >> 2u;"
            "    tile.a.q = o >> 2u;"
        }
        for rows in ROWS.windows(2) {
            emit! { out, row = rows[1], above = rows[0];
                "    tile.{row}.q = tile.{above}.q + down;"
            }
        }
        for i in self.addressed() {
            self.tile_rows(i, along, out);
        }
        emit! { out;
            "    return tile;"
            "}"
        }
    }

    /// What the rows hold of input `i`.
    fn tile_rows(&self, i: usize, along: usize, out: &mut String) {
        let input = &self.key.inputs[i];
        if input.load.lanes == LaneLoad::Transposed {
            // The offset and all strides but the one along the tile are whole quads.
            let stride = self.stride(i, "0u");
            let wide = input.unit().size() == 8;
            emit! { out, i, stride;
                "    let s{i} = bitcast<u32>(bitcast<i32>({stride}) >> 2u);"
                "    let q{i}a = (p{i} + column * {stride}) >> 2u;"
            }
            for rows in ROWS.windows(2) {
                emit! { out, i, row = rows[1], above = rows[0];
                    "    let q{i}{row} = q{i}{above} + s{i};"
                }
            }
            for row in ROWS {
                emit! { out, i, row, load = self.wide_load(i, &format!("q{i}{row}"));
                    "    let t{i}{row} = {load};"
                }
            }
            for (row, lane) in ROWS.iter().zip(LANES) {
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
                emit! { out, row, i, quad; "    tile.{row}.x{i} = {quad};" }
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
        emit! { out, i, stride; "    let s{i} = {stride};" }
        for (r, row) in ROWS.iter().enumerate() {
            let place = format!("p{i} + {r}u * s{i}");
            let value = if input.load.lanes == LaneLoad::Broadcast {
                format!("get{i}({place})")
            } else {
                place
            };
            emit! { out, row, i, value; "    tile.{row}.x{i} = {value};" }
        }
    }
}
