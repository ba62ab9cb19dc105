//! The generated tail of a kernel.

use std::fmt::Write as _;

use super::bindings::{self, Role};
use super::values::Values;
use super::{KernelKey, barrier, library};
use crate::dtype::DType;
use crate::plan::{Access, MappingKind, Spread, Store, TableShape, Unroll};

/// The whole text of a kernel: body, library functions, tail.
pub(super) fn text(key: &KernelKey) -> String {
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

pub(super) struct Tail<'a> {
    pub key: &'a KernelKey,
    pub table: TableShape,
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
        self.places(&mut out);
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
        line(out, format_args!("const ROWS = {}u;", mapping.rows));
        let down = mapping.is_down();
        line(out, format_args!("const DOWN = {down};"));
        // Rows beside one another divide their axis; the last section may be short.
        line(
            out,
            format_args!("const WHOLE = {};", mapping.unroll == Unroll::Adjacent),
        );
        line(
            out,
            format_args!(
                "const UNITS = {}u;",
                if down {
                    mapping.rows.min(4)
                } else {
                    mapping.quads
                }
            ),
        );
        line(
            out,
            format_args!(
                "const CONSECUTIVE = {};",
                mapping.spread == Spread::Consecutive
            ),
        );
        line(
            out,
            format_args!("const APART = {};", mapping.unroll != Unroll::Adjacent),
        );
        line(
            out,
            format_args!("const BANDS = {};", mapping.unroll == Unroll::Blocked),
        );
        line(
            out,
            format_args!("const UNIFORM = {};", mapping.uniform_rows),
        );
        line(out, format_args!("const INNER = {}u;", self.table.axes));
    }

    pub(super) fn bindings(&self, out: &mut String) {
        // A structure, since HLSL has immediate data of no other type.
        if !self.key.scalars.is_empty() {
            line(
                out,
                format_args!(
                    "struct Scalars {{ rows: array<vec4<u32>, {}> }}",
                    self.key.scalar_rows()
                ),
            );
        }
        if self.key.immediate {
            line(out, format_args!("var<immediate> scalars: Scalars;"));
        }
        for b in bindings::list(self.key) {
            let n = b.number;
            let element = b.element;
            match b.role {
                Role::Table => line(
                    out,
                    format_args!(
                        "@group(0) @binding({n}) var<uniform> table: array<vec4<u32>, {}>;",
                        self.table.rows
                    ),
                ),
                Role::Scalars => {
                    line(
                        out,
                        format_args!("@group(0) @binding({n}) var<uniform> scalars: Scalars;"),
                    );
                }
                Role::Input { call, i } => {
                    let name = self.of_call(&format!("in{i}"), call);
                    line(
                        out,
                        format_args!(
                            "@group(0) @binding({n}) var<storage, read> {name}: array<{element}>;"
                        ),
                    )
                }
                Role::Output { call } => {
                    let name = self.of_call("result", call);
                    line(
                        out,
                        format_args!(
                            "@group(0) @binding({n}) var<storage, read_write> {name}: array<{element}>;"
                        ),
                    )
                }
            }
        }
    }

    /// The variable that input `i` is read from, where a dispatch computes one call.
    pub(super) fn variable(&self, i: usize) -> String {
        if self.key.inputs[i].in_place {
            "result".into()
        } else {
            format!("in{i}")
        }
    }

    /// `get{i}`: the storage bits of one element, for inputs that are read word by word.
    pub(super) fn getter(&self, i: usize, out: &mut String) {
        let input = &self.key.inputs[i];
        if let Access::Misaligned(by) = input.access {
            return self.shifted_load(i, by, out);
        }
        if !input.access.is_by_lanes()
            && !matches!(input.access, Access::Splat | Access::Periodic(_))
        {
            return;
        }
        let body = match input.unit().size() {
            1 => format!("({} >> ((e & 3u) << 3u)) & 0xffu", self.read(i, "e >> 2u")),
            2 => format!(
                "({} >> ((e & 1u) << 4u)) & 0xffffu",
                self.read(i, "e >> 1u")
            ),
            _ => self.read(i, "e"),
        };
        let bits = self.element(i);
        line(
            out,
            format_args!("fn get{i}(e: u32) -> {bits} {{ return {body}; }}"),
        );
        if input.access == Access::Straddling {
            let quad = bits_type(input.unit());
            let value = match input.unit().size() {
                8 => "Pair(select(b.xxxx, a.xxxx, first), select(b.yyyy, a.yyyy, first))",
                _ => "select(vec4<u32>(b), vec4<u32>(a), first)",
            };
            line(out, format_args!("fn ends{i}(p: vec4<u32>) -> {quad} {{"));
            line(out, format_args!("    let a = get{i}(p.x);"));
            line(out, format_args!("    let b = get{i}(p.w);"));
            line(out, format_args!("    let first = p == p.xxxx;"));
            line(out, format_args!("    return {value};"));
            line(out, format_args!("}}"));
        }
    }

    /// `shifted{i}`: the storage bits of four elements that begin `by` elements into a quad. The
    /// quad after the last is not read: none of its elements is wanted.
    fn shifted_load(&self, i: usize, by: u8, out: &mut String) {
        // Where one word of the next quad is wanted, one is loaded.
        let (next, both) = match (self.key.inputs[i].unit().size(), by) {
            (1, _) => ("", format!("unpack_bytes((a >> {}u) | (b << {}u))", 8 * by, 32 - 8 * by)),
            (2, 1) => (".x", "unpack_halves(vec2<u32>((a.x >> 16u) | (a.y << 16u), (a.y >> 16u) | (b << 16u)))".into()),
            (2, 2) => (".x", "unpack_halves(vec2<u32>(a.y, b))".into()),
            (2, _) => ("", "unpack_halves(vec2<u32>((a.y >> 16u) | (b.x << 16u), (b.x >> 16u) | (b.y << 16u)))".into()),
            (_, 1) => (".x", "vec4<u32>(a.yzw, b)".into()),
            (_, 2) => ("", "vec4<u32>(a.zw, b.xy)".into()),
            _ => ("", "vec4<u32>(a.w, b.xyz)".to_owned()),
        };
        line(out, format_args!("fn shifted{i}(k: u32) -> vec4<u32> {{"));
        let last = format!("min(k + 1u, {} - 1u)", self.length(i));
        line(out, format_args!("    let a = {};", self.read(i, "k")));
        line(
            out,
            format_args!("    let b = {}{next};", self.read(i, &last)),
        );
        line(out, format_args!("    return {both};"));
        line(out, format_args!("}}"));
    }

    /// The storage bits of input `i`'s quad of this number in its binding.
    pub(super) fn wide_load(&self, i: usize, at: &str) -> String {
        let read = |at: &str| self.read(i, at);
        match self.key.inputs[i].unit().size() {
            1 => format!("unpack_bytes({})", read(at)),
            2 => format!("unpack_halves({})", read(at)),
            4 => read(at),
            _ => format!(
                "unpack_pairs({}, {})",
                read(&format!("2u * ({at})")),
                read(&format!("2u * ({at}) + 1u"))
            ),
        }
    }

    /// The storage bits of the four elements of input `i` at the places that a vector names.
    pub(super) fn four(&self, i: usize, at: &str) -> String {
        let join = if self.key.inputs[i].unit().size() == 8 {
            "join_pairs"
        } else {
            "vec4<u32>"
        };
        format!("{join}(get{i}({at}.x), get{i}({at}.y), get{i}({at}.z), get{i}({at}.w))")
    }

    /// The storage bits of input `i`'s quad.
    fn load(&self, i: usize) -> String {
        let input = &self.key.inputs[i];
        let kind = self.key.mapping.kind;
        let wide = input.unit().size() == 8;
        let splat = if wide { "splat_pair" } else { "vec4<u32>" };
        let quad = |at: String| self.wide_load(i, &at);
        let stride = || Self::word(&format!("{} + 1u", self.axis_row("0u")), i);
        let four = |at: &str| self.four(i, at);
        if input.in_place {
            return match input.access {
                Access::Gather => {
                    // The table's offset is that of the first quad, which may begin before the
                    // first element.
                    let shift = if self.shifted() { " + table[0].w" } else { "" };
                    let at = format!("(clamped + vec4<u32>({}{shift}))", self.output_offset());
                    four(&at)
                }
                _ if self.key.output_offset => {
                    quad(format!("q + ({} >> 2u)", self.output_offset()))
                }
                _ => quad("q".into()),
            };
        }
        match (input.access, kind) {
            (Access::Linear, _) if input.offset => quad(format!("q + ({} >> 2u)", self.offset(i))),
            (Access::Linear, _) => quad("q".into()),
            (Access::Vector, _) => quad(format!("(at.x{i} + column) >> 2u")),
            (Access::Splat, _) => format!("{splat}(at.x{i})"),
            (Access::Hoisted | Access::Transposed | Access::HoistedGather, _) => format!("at.x{i}"),
            (Access::Misaligned(_), MappingKind::Flat) => {
                format!("shifted{i}(q + ({} >> 2u))", self.offset(i))
            }
            (Access::Misaligned(_), _) => format!("shifted{i}((at.x{i} + column) >> 2u)"),
            (Access::Periodic(2), _) => format!("at.x{i}.xyxy"),
            (Access::Periodic(_), _) => format!("at.x{i}.xyzx"),
            (Access::Straddling, _) => format!("ends{i}(p{i})"),
            (Access::Gather, MappingKind::Flat) => four(&format!(
                "(vec4<u32>({}) + clamped * {})",
                self.offset(i),
                stride()
            )),
            (Access::Gather, MappingKind::Rows | MappingKind::Tile) => four(&format!(
                "(vec4<u32>(at.x{i}) + (vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u)) * {})",
                stride()
            )),
            (Access::Gather, MappingKind::General | MappingKind::Product) => four(&format!("p{i}")),
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
        line(
            out,
            format_args!("fn quad({parameters}) -> {} {{", bits_type(self.key.output)),
        );
        if self.needs_clamped() {
            let first = if self.shifted() {
                "4u * q - table[0].w"
            } else {
                "4u * q"
            };
            line(
                out,
                format_args!("    let element = vec4<u32>({first}) + vec4<u32>(0u, 1u, 2u, 3u);"),
            );
            if self.shifted() {
                // Lanes before the first element have wrapped.
                line(
                    out,
                    format_args!(
                        "    let inside = select(element, vec4<u32>(0u), element >= vec4<u32>(0x80000000u));"
                    ),
                );
                line(
                    out,
                    format_args!("    let clamped = min(inside, vec4<u32>(table[0].x - 1u));"),
                );
            } else {
                line(
                    out,
                    format_args!("    let clamped = min(element, vec4<u32>(table[0].x - 1u));"),
                );
            }
        }
        let mut values = Values::new(self.key);
        for i in 0..self.key.inputs.len() {
            if self.walks(i) {
                line(out, format_args!("    let p{i} = place{i}(at);"));
            }
            values.load(i, &self.load(i), out);
        }
        for (j, step) in self.key.steps.iter().enumerate() {
            values.step(j, step, out);
        }
        let bits = values.bits(self.key.result, out);
        line(out, format_args!("    return {bits};"));
        line(out, format_args!("}}"));
    }

    fn shifted(&self) -> bool {
        matches!(self.key.store, Store::Words { shift } if shift > 0)
    }

    /// The output's offset in elements, on a word.
    pub(super) fn output_offset(&self) -> &'static str {
        if self.key.output_offset {
            "table[1].y"
        } else {
            "0u"
        }
    }

    /// `fn store`: a quad's storage bits to the output.
    fn store(&self, out: &mut String) {
        let size = self.key.output.size();
        let offset = self.output_offset();
        let bits = bits_type(self.key.output);
        line(out, format_args!("fn store(q: u32, r: {bits}) {{"));
        if self.key.store == Store::Wide && size == 8 {
            let at = if self.key.output_offset {
                format!("2u * q + ({offset} >> 1u)")
            } else {
                "2u * q".into()
            };
            self.write(&at, "vec4<u32>(r.lo.x, r.hi.x, r.lo.y, r.hi.y)", out);
            self.write(
                &format!("{at} + 1u"),
                "vec4<u32>(r.lo.z, r.hi.z, r.lo.w, r.hi.w)",
                out,
            );
            line(out, format_args!("}}"));
            return;
        }
        if self.key.store == Store::Wide {
            let packed = match size {
                1 => "pack_bytes(r)",
                2 => "pack_halves(r)",
                _ => "r",
            };
            let at = if self.key.output_offset {
                format!("q + ({offset} >> 2u)")
            } else {
                "q".into()
            };
            self.write(&at, packed, out);
            line(out, format_args!("}}"));
            return;
        }
        let first = if self.shifted() {
            "4u * q - table[0].w"
        } else {
            "4u * q"
        };
        line(
            out,
            format_args!("    let element = vec4<u32>({first}) + vec4<u32>(0u, 1u, 2u, 3u);"),
        );
        line(
            out,
            format_args!("    let own = element < vec4<u32>(table[0].x);"),
        );
        match size {
            8 => {
                line(out, format_args!("    let word = 4u * q + {offset};"));
                for (k, lane) in ["x", "y", "z", "w"].iter().enumerate() {
                    line(
                        out,
                        format_args!(
                            "    if own.{lane} {{ result[word + {k}u] = vec2<u32>(r.lo.{lane}, r.hi.{lane}); }}"
                        ),
                    );
                }
            }
            4 => {
                line(out, format_args!("    let word = 4u * q + {offset};"));
                for (k, lane) in ["x", "y", "z", "w"].iter().enumerate() {
                    line(
                        out,
                        format_args!("    if own.{lane} {{ result[word + {k}u] = r.{lane}; }}"),
                    );
                }
            }
            2 => {
                line(
                    out,
                    format_args!("    let word = 2u * q + ({offset} >> 1u);"),
                );
                line(
                    out,
                    format_args!(
                        "    let mask = pack_halves(select(vec4<u32>(0u), vec4<u32>(0xffffu), own));"
                    ),
                );
                line(out, format_args!("    let packed = pack_halves(r);"));
                for (k, lane) in ["x", "y"].iter().enumerate() {
                    merge(
                        out,
                        &format!("word + {k}u"),
                        &format!("mask.{lane}"),
                        &format!("packed.{lane}"),
                    );
                }
            }
            _ => {
                line(out, format_args!("    let word = q + ({offset} >> 2u);"));
                line(
                    out,
                    format_args!(
                        "    let mask = pack_bytes(select(vec4<u32>(0u), vec4<u32>(0xffu), own));"
                    ),
                );
                merge(out, "word", "mask", "pack_bytes(r)");
            }
        }
        line(out, format_args!("}}"));
    }
}

/// The WGSL type of a quad's storage bits.
pub(super) fn bits_type(dtype: DType) -> &'static str {
    if dtype.size() == 8 {
        "Pair"
    } else {
        "vec4<u32>"
    }
}

/// A store of the masked part of a word: whole words are written, shared ones read and merged,
/// foreign ones left.
fn merge(out: &mut String, word: &str, mask: &str, packed: &str) {
    line(
        out,
        format_args!("    if {mask} == 0xffffffffu {{ result[{word}] = {packed}; }}"),
    );
    line(
        out,
        format_args!(
            "    else if {mask} != 0u {{ result[{word}] = (result[{word}] & ~{mask}) | ({packed} & {mask}); }}"
        ),
    );
}

/// Adds a line.
pub(super) fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}
