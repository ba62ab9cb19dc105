//! Where each input's elements lie: `struct At`, `fn at` and `fn next` of a kernel's tail.
//!
//! In mapping `rows` an `At` holds where each input's row begins, in `general` the coordinates of a
//! quad's four lanes, or, where a loop goes over the axes or an invocation's quads are apart, the
//! lanes' places. Elements that are the same for all quads of an invocation are loaded into it.

use super::KeyInput;
use super::emit::{Tail, bits_type, line};
use crate::plan::{Access, MappingKind, Unroll};

impl Tail<'_> {
    /// A word of the table that belongs to input `i`, in the block of rows that starts at `row`.
    pub(super) fn word(row: &str, i: usize) -> String {
        format!("table[{row} + {}u].{}", i / 4, ["x", "y", "z", "w"][i % 4])
    }

    pub(super) fn offset(&self, i: usize) -> String {
        if self.key.inputs[i].offset {
            Self::word(&format!("{}u", self.table.offsets), i)
        } else {
            "0u".into()
        }
    }

    /// The table row of an axis, counted from the innermost.
    pub(super) fn axis_row(&self, axis: &str) -> String {
        format!("{}u + {axis} * {}u", self.table.axes, self.table.axis_rows)
    }

    /// The stride of input `i` along an axis.
    pub(super) fn stride(&self, i: usize, axis: &str) -> String {
        Self::word(&format!("{} + 1u", self.axis_row(axis)), i)
    }

    /// The type of one element's storage bits.
    pub(super) fn element(&self, i: usize) -> &'static str {
        if self.key.inputs[i].unit().size() == 8 {
            "vec2<u32>"
        } else {
            "u32"
        }
    }

    /// From one place of input `i` to the next where an invocation's quads are apart.
    fn outermost_step(&self, i: usize) -> String {
        let outermost = self
            .key
            .rank
            .map_or("(table[1].x - 1u)".into(), |rank| format!("{}u", rank - 1));
        format!(
            "(table[{}].w * {})",
            self.axis_row(&outermost),
            self.stride(i, &outermost)
        )
    }

    /// Inputs whose place is found by coordinates.
    pub(super) fn placed(&self) -> impl Iterator<Item = usize> + '_ {
        let kind = self.key.mapping.kind;
        let is_placed = move |x: &KeyInput| !x.in_place && x.access.by_coordinates(kind);
        self.key
            .inputs
            .iter()
            .enumerate()
            .filter(move |(_, x)| is_placed(x))
            .map(|(i, _)| i)
    }

    /// Those of mapping `general` whose lanes are found anew for each quad.
    pub(super) fn walks(&self, i: usize) -> bool {
        let input = &self.key.inputs[i];
        self.key.mapping.kind == MappingKind::General
            && !input.in_place
            && input.access.is_by_lanes()
            && !self.is_once(i)
    }

    /// Whether input `i` is loaded lane by lane, for all quads of an invocation at once.
    fn is_once(&self, i: usize) -> bool {
        self.key.inputs[i].access == Access::HoistedGather
    }

    /// Whether lanes past the end of the last quad may be placed outside of what input `i` binds:
    /// where quads are apart the outermost coordinate does not wrap.
    pub(super) fn may_leave(&self, i: usize) -> bool {
        self.key.mapping.unroll != Unroll::Adjacent && self.walks(i)
    }

    /// Inputs that are splat and not the output's own elements.
    fn splats(&self) -> impl Iterator<Item = usize> + '_ {
        let fits = |x: &KeyInput| x.access == Access::Splat && !x.in_place;
        self.key
            .inputs
            .iter()
            .enumerate()
            .filter(move |(_, x)| fits(x))
            .map(|(i, _)| i)
    }

    /// Inputs that go round an inner axis, each with its extent.
    fn cycles(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.key
            .inputs
            .iter()
            .enumerate()
            .filter_map(|(i, x)| match x.access {
                Access::Periodic(extent) if !x.in_place => Some((i, extent as usize)),
                _ => None,
            })
    }

    /// Whether input `i` may move along an axis; any may where a loop goes over the axes.
    pub(super) fn moves(&self, i: usize, axis: usize) -> bool {
        self.key.rank.is_none() || self.key.inputs[i].axes & 1 << axis != 0
    }

    /// The outermost axis that a placed input moves along.
    fn top(&self) -> usize {
        let axes = self
            .placed()
            .fold(0, |axes, i| axes | self.key.inputs[i].axes);
        (u16::BITS - axes.leading_zeros()).saturating_sub(1) as usize
    }

    /// `struct At`, `fn at`, and `fn next` where an invocation owns more than one.
    pub(super) fn places(&self, out: &mut String) {
        match self.key.mapping.kind {
            MappingKind::Flat => self.flat_places(out),
            MappingKind::Rows => self.row_places(out),
            MappingKind::Tile => self.tile_places(out),
            MappingKind::General => self.lane_places(out),
            MappingKind::Product => {}
        }
    }

    pub(super) fn at_struct(&self, mut members: Vec<String>, out: &mut String) {
        if members.is_empty() {
            members.push("none: u32".into());
        }
        line(out, format_args!("struct At {{ {} }}", members.join(", ")));
    }

    fn flat_places(&self, out: &mut String) {
        let splats: Vec<usize> = self.splats().collect();
        self.at_struct(
            splats
                .iter()
                .map(|i| format!("x{i}: {}", self.element(*i)))
                .collect(),
            out,
        );
        line(out, format_args!("fn at() -> At {{"));
        line(out, format_args!("    var found: At;"));
        for i in splats {
            line(
                out,
                format_args!("    found.x{i} = get{i}({});", self.offset(i)),
            );
        }
        line(out, format_args!("    return found;"));
        line(out, format_args!("}}"));
    }

    fn row_places(&self, out: &mut String) {
        let access = |i: usize| self.key.inputs[i].access;
        let is_splat = |i: usize| access(i) == Access::Splat;
        // A splat input that goes on to another element in the invocation's next row is found by
        // its place.
        let apart = self.key.mapping.unroll != Unroll::Adjacent;
        let axis = if apart {
            self.key.rank.map_or(0, |rank| rank - 1)
        } else {
            1
        };
        let goes_on = |i: usize| {
            self.key.mapping.rows > 1 && self.moves(i, axis) && access(i) != Access::Hoisted
        };
        let mut members = Vec::new();
        for i in self.placed() {
            let of = match access(i) {
                Access::Splat => self.element(i),
                Access::Hoisted => bits_type(self.key.inputs[i].unit()),
                _ => "u32",
            };
            members.push(format!("x{i}: {of}"));
            if is_splat(i) && goes_on(i) {
                members.push(format!("s{i}: u32"));
            }
        }
        self.at_struct(members, out);
        line(out, format_args!("fn at(start: u32, column: u32) -> At {{"));
        for i in self.placed() {
            line(out, format_args!("    var p{i} = {};", self.offset(i)));
        }
        if self.placed().next().is_some() {
            line(out, format_args!("    var rest = start;"));
            self.each_axis(1, out, |axis, out| {
                for i in self
                    .placed()
                    .filter(|&i| axis.is_none_or(|axis| self.moves(i, axis)))
                {
                    let number = axis.map_or("axis".into(), |axis| format!("{axis}u"));
                    line(
                        out,
                        format_args!("        p{i} += c * {};", self.stride(i, &number)),
                    );
                }
            });
        }
        line(out, format_args!("    var found: At;"));
        for i in self.placed() {
            let value = match access(i) {
                Access::Splat => format!("get{i}(p{i})"),
                Access::Hoisted => self.wide_load(i, &format!("(p{i} + column) >> 2u")),
                _ => format!("p{i}"),
            };
            line(out, format_args!("    found.x{i} = {value};"));
            if is_splat(i) && goes_on(i) {
                line(out, format_args!("    found.s{i} = p{i};"));
            }
        }
        line(out, format_args!("    return found;"));
        line(out, format_args!("}}"));
        line(out, format_args!("fn next(at: At, by: u32) -> At {{"));
        line(out, format_args!("    var found = at;"));
        for i in self.placed().filter(|&i| goes_on(i)) {
            let stride = if apart {
                self.outermost_step(i)
            } else {
                self.stride(i, "1u")
            };
            if is_splat(i) {
                line(out, format_args!("    found.s{i} += by * {stride};"));
                line(out, format_args!("    found.x{i} = get{i}(found.s{i});"));
            } else {
                line(out, format_args!("    found.x{i} += by * {stride};"));
            }
        }
        line(out, format_args!("    return found;"));
        line(out, format_args!("}}"));
    }

    /// The coordinate `c` along each axis from `first` on, split off `rest`, with what is made of
    /// it. Where the axes are unrolled they end with the outermost that an input moves along;
    /// `None` stands for the variable of a loop.
    pub(super) fn each_axis(
        &self,
        first: usize,
        out: &mut String,
        each: impl Fn(Option<usize>, &mut String),
    ) {
        let split = |axis: &str, is_outermost: bool, out: &mut String| {
            line(
                out,
                format_args!("        let axis_row = table[{}];", self.axis_row(axis)),
            );
            if is_outermost {
                line(out, format_args!("        let c = rest;"));
            } else if self.key.mapping.powers_of_two {
                line(
                    out,
                    format_args!("        let c = rest & (axis_row.x - 1u);"),
                );
                line(out, format_args!("        rest = rest >> axis_row.z;"));
            } else {
                line(
                    out,
                    format_args!("        let left = divide(rest, axis_row);"),
                );
                line(
                    out,
                    format_args!("        let c = rest - left * axis_row.x;"),
                );
                line(out, format_args!("        rest = left;"));
            }
        };
        let Some(rank) = self.key.rank else {
            // With powers of two the outermost extent need not be one, and takes what is left.
            line(
                out,
                format_args!("    for (var axis = {first}u; axis < table[1].x; axis++) {{"),
            );
            if self.key.mapping.powers_of_two {
                line(
                    out,
                    format_args!("        let axis_row = table[{}];", self.axis_row("axis")),
                );
                line(
                    out,
                    format_args!("        let outermost = axis + 1u == table[1].x;"),
                );
                line(
                    out,
                    format_args!(
                        "        let c = select(rest & (axis_row.x - 1u), rest, outermost);"
                    ),
                );
                line(out, format_args!("        rest = rest >> axis_row.z;"));
            } else {
                split("axis", false, out);
            }
            each(None, out);
            out.push_str("    }\n");
            return;
        };
        let top = if self.key.mapping.kind == MappingKind::Tile {
            rank - 1
        } else {
            self.top().min(rank - 1)
        };
        for axis in first..=top {
            out.push_str("    {\n");
            split(&format!("{axis}u"), axis + 1 == rank, out);
            each(Some(axis), out);
            out.push_str("    }\n");
        }
    }

    /// Whether an `At` of mapping `general` holds coordinates.
    fn has_coordinates(&self) -> bool {
        self.key.rank.is_some() && self.key.mapping.unroll == Unroll::Adjacent
    }

    fn lane_places(&self, out: &mut String) {
        let coordinates = self.has_coordinates();
        let splats: Vec<usize> = self.splats().collect();
        let any = self.placed().next().is_some();
        let axes = if coordinates && any {
            0..self.top() + 1
        } else {
            0..0
        };
        let mut members: Vec<String> = axes
            .clone()
            .map(|axis| format!("c{axis}: vec4<u32>"))
            .collect();
        members.extend(splats.iter().map(|i| format!("x{i}: {}", self.element(*i))));
        members.extend(self.cycles().map(|(i, _)| format!("x{i}: vec3<u32>")));
        if !coordinates {
            let of = |i| {
                if self.is_once(i) {
                    bits_type(self.key.inputs[i].unit())
                } else {
                    "vec4<u32>"
                }
            };
            members.extend(self.placed().map(|i| format!("x{i}: {}", of(i))));
        }
        self.at_struct(members, out);
        line(out, format_args!("fn at(start: u32) -> At {{"));
        line(out, format_args!("    var found: At;"));
        for i in splats {
            line(
                out,
                format_args!("    found.x{i} = get{i}({});", self.offset(i)),
            );
        }
        for (i, extent) in self.cycles() {
            // Turned so that the first lane's element comes first.
            let (offset, stride) = (self.offset(i), self.stride(i, "0u"));
            let times = if self.key.inputs[i].unit_stride {
                String::new()
            } else {
                format!(" * {stride}")
            };
            let lanes = [0, 1, 2]
                .map(|k| format!("get{i}({offset} + {}u{times})", k % extent))
                .join(", ");
            line(out, format_args!("    let v{i} = vec3<u32>({lanes});"));
            line(out, format_args!("    let c{i} = start % {extent}u;"));
            let once = format!("select(v{i}, v{i}.{}, c{i} == 1u)", turned(1, extent));
            let twice = format!("select({once}, v{i}.{}, c{i} == 2u)", turned(2, extent));
            line(
                out,
                format_args!(
                    "    found.x{i} = {};",
                    if extent == 2 { once } else { twice }
                ),
            );
        }
        if !coordinates {
            for i in self.placed() {
                line(
                    out,
                    format_args!("    var p{i} = vec4<u32>({});", self.offset(i)),
                );
            }
        }
        if any {
            line(out, format_args!("    var rest = start;"));
            line(
                out,
                format_args!("    var add = vec4<u32>(0u, 1u, 2u, 3u);"),
            );
            self.lanes(out);
        }
        if !coordinates {
            for i in self.placed() {
                let value = if self.is_once(i) {
                    self.four(i, &format!("p{i}"))
                } else {
                    format!("p{i}")
                };
                line(out, format_args!("    found.x{i} = {value};"));
            }
        }
        line(out, format_args!("    return found;"));
        line(out, format_args!("}}"));
        self.next_lanes(axes, out);
        for i in self.placed() {
            if self.is_once(i) {
                continue;
            }
            let place = match coordinates {
                false if self.may_leave(i) => {
                    let a_word = (4 / self.key.inputs[i].unit().size()).max(1);
                    format!(
                        "min(at.x{i}, vec4<u32>({} * {a_word}u - 1u))",
                        self.length(i)
                    )
                }
                false => format!("at.x{i}"),
                true => {
                    let mut sum = format!("vec4<u32>({})", self.offset(i));
                    for axis in (0..=self.top()).filter(|&axis| self.moves(i, axis)) {
                        sum.push_str(&format!(
                            " + at.c{axis} * {}",
                            self.stride(i, &format!("{axis}u"))
                        ));
                    }
                    sum
                }
            };
            line(
                out,
                format_args!("fn place{i}(at: At) -> vec4<u32> {{ return {place}; }}"),
            );
        }
    }

    /// The lanes' coordinates of a quad's first element, carried on from axis to axis.
    fn lanes(&self, out: &mut String) {
        let coordinates = self.has_coordinates();
        let carried = |axis: Option<usize>, out: &mut String| {
            line(out, format_args!("        let wide = vec4<u32>(c) + add;"));
            line(
                out,
                format_args!("        let once = wrap(wide, axis_row.x);"),
            );
            if axis.is_none_or(|axis| axis == 0) {
                // Along the innermost axis an extent of 2 is passed twice by four lanes.
                line(
                    out,
                    format_args!(
                        "        add = carry(wide, axis_row.x) + carry(once, axis_row.x);"
                    ),
                );
                line(
                    out,
                    format_args!("        let lanes = wrap(once, axis_row.x);"),
                );
            } else {
                line(out, format_args!("        add = carry(wide, axis_row.x);"));
                line(out, format_args!("        let lanes = once;"));
            }
            if let (Some(axis), true) = (axis, coordinates) {
                line(out, format_args!("        found.c{axis} = lanes;"));
                return;
            }
            for i in self
                .placed()
                .filter(|&i| axis.is_none_or(|axis| self.moves(i, axis)))
            {
                let number = axis.map_or("axis".into(), |axis| format!("{axis}u"));
                line(
                    out,
                    format_args!("        p{i} += lanes * {};", self.stride(i, &number)),
                );
            }
        };
        self.each_axis(0, out, carried);
    }

    /// `fn next`: the coordinates of the invocation's next quad, by adding the digits of the step.
    fn next_lanes(&self, axes: std::ops::Range<usize>, out: &mut String) {
        line(out, format_args!("fn next(at: At) -> At {{"));
        line(out, format_args!("    var found = at;"));
        if self.key.mapping.unroll != Unroll::Adjacent {
            for i in self.placed().filter(|&i| !self.is_once(i)) {
                line(
                    out,
                    format_args!("    found.x{i} += vec4<u32>({});", self.outermost_step(i)),
                );
            }
            line(out, format_args!("    return found;"));
            line(out, format_args!("}}"));
            return;
        }
        for (i, extent) in self.cycles() {
            let by = self.key.mapping.adjacent_step() % extent;
            if by > 0 {
                line(
                    out,
                    format_args!("    found.x{i} = at.x{i}.{};", turned(by, extent)),
                );
            }
        }
        line(out, format_args!("    var add = vec4<u32>(0u);"));
        for axis in axes {
            let row = self.axis_row(&format!("{axis}u"));
            out.push_str("    {\n");
            line(out, format_args!("        let axis_row = table[{row}];"));
            line(
                out,
                format_args!("        let wide = at.c{axis} + vec4<u32>(axis_row.w) + add;"),
            );
            line(out, format_args!("        add = carry(wide, axis_row.x);"));
            line(
                out,
                format_args!("        found.c{axis} = wrap(wide, axis_row.x);"),
            );
            out.push_str("    }\n");
        }
        line(out, format_args!("    return found;"));
        line(out, format_args!("}}"));
    }
}

/// The swizzle of three elements that go round this extent, from one `by` places on.
fn turned(by: usize, extent: usize) -> String {
    (0..3).map(|k| ["x", "y", "z"][(k + by) % extent]).collect()
}
