//! Shared by all parts of a kernel's generated tail: words of the table, names, types, elements of
//! quads.

use super::key::KernelKey;
use super::template::emit;
use crate::dtype::DType;
use crate::plan::{Access, TableShape};

/// The lanes of a quad.
pub(super) const LANES: [&str; 4] = ["x", "y", "z", "w"];

/// The generated part of a kernel.
pub(super) struct Tail<'a> {
    pub key: &'a KernelKey,
    pub table: TableShape,
}

impl<'a> Tail<'a> {
    pub fn new(key: &'a KernelKey) -> Self {
        let table = TableShape::new(&key.work, key.inputs.len(), key.rank);
        Self { key, table }
    }

    /// `struct Table`, with the names of the plan's table.
    pub fn table_struct(&self, out: &mut String) {
        let TableShape { fours, rank, .. } = self.table;
        let strides = if fours > 0 {
            format!(", strides: array<vec4<u32>, {fours}>")
        } else {
            String::new()
        };
        emit! { out, strides;
            "struct Axis { extent: u32, multiplier: u32, shift: u32, step: u32{strides} }"
            "struct Table {"
        }
        for field in self.key.work.header() {
            emit! { out, field; "    {field}: u32," }
        }
        // Arrays begin at whole rows.
        let inputs = ["offsets", "steps"]
            .into_iter()
            .zip([true, self.table.steps.is_some()]);
        for (name, _) in inputs.filter(|(_, has)| *has && fours > 0) {
            emit! { out, name, fours; "    @align(16) {name}: array<vec4<u32>, {fours}>," }
        }
        emit! { out, rank;
            "    @align(16) axes: array<Axis, {rank}>,"
            "}"
        }
    }

    pub fn offset(&self, i: usize) -> String {
        if self.key.inputs[i].offset {
            format!("table.offsets[{}].{}", i / 4, LANES[i % 4])
        } else {
            "0u".into()
        }
    }

    /// The stride of input `i` along an axis, counted from the innermost.
    pub fn stride(&self, i: usize, axis: &str) -> String {
        format!("table.axes[{axis}].strides[{}].{}", i / 4, LANES[i % 4])
    }

    /// How far input `i` moves from one quad of an invocation to the next one down.
    pub fn step(&self, i: usize) -> String {
        format!("table.steps[{}].{}", i / 4, LANES[i % 4])
    }

    /// The type of one element's storage bits.
    pub fn element(&self, i: usize) -> &'static str {
        if self.key.inputs[i].unit().size() == 8 {
            "vec2<u32>"
        } else {
            "u32"
        }
    }

    /// Whether the store is shifted, so that quads begin before their number times four.
    pub fn shifted(&self) -> bool {
        self.key.store.shift() > 0
    }

    /// The number of a quad's first element.
    pub fn first_element(&self) -> String {
        let unit = self.key.unit();
        if self.shifted() {
            format!("{unit}u * q - table.shift")
        } else {
            format!("{unit}u * q")
        }
    }

    /// The number of the quad that begins at an element, of a multiple of its elements.
    pub fn quad_at(&self, element: &str) -> String {
        format!("{element} >> {}u", self.key.unit().trailing_zeros())
    }

    /// The mask of the number of a quad of input `i` that may lie before the buffer's first: addresses of elements wrap at 2^32,
    /// and so numbers of quads wrap at fewer.
    pub fn wrapped(&self, i: usize) -> String {
        match self.key.inputs[i].access {
            Access::Kept => format!(" & (0xffffffffu >> {}u)", self.key.unit().trailing_zeros()),
            Access::Plain | Access::Numbers => String::new(),
        }
    }

    /// The type of a value for each lane of a quad.
    pub fn lanes_type(&self) -> &'static str {
        match self.key.unit() {
            2 => "vec2<u32>",
            _ => "vec4<u32>",
        }
    }

    /// The numbers of a quad's lanes.
    pub fn lane_numbers(&self) -> &'static str {
        match self.key.unit() {
            2 => "vec2<u32>(0u, 1u)",
            _ => "vec4<u32>(0u, 1u, 2u, 3u)",
        }
    }

    /// What `of` makes of each lane of a quad, in order.
    pub fn each_lane(&self, of: impl Fn(&str) -> String) -> String {
        list(&LANES[..self.key.unit() as usize], |lane| of(lane))
    }

    /// The output's offset in elements, on a word.
    pub fn output_offset(&self) -> &'static str {
        if self.key.output_offset {
            "table.output"
        } else {
            "0u"
        }
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

/// What `each` makes of these, one after another.
pub(super) fn list<T>(of: impl IntoIterator<Item = T>, each: impl FnMut(T) -> String) -> String {
    of.into_iter().map(each).collect::<Vec<_>>().join(", ")
}

/// One lane of storage bits as it is written.
pub(super) fn lane(dtype: DType, bits: &str, name: &str) -> String {
    match dtype.size() {
        8 => format!("vec2<u32>({bits}.lo.{name}, {bits}.hi.{name})"),
        _ => format!("{bits}.{name}"),
    }
}

/// Four elements, one after another, as a quad's storage bits.
pub(super) fn joined(dtype: DType, elements: &str) -> String {
    match dtype.size() {
        8 => format!("join_pairs({elements})"),
        _ => format!("vec4<u32>({elements})"),
    }
}

/// One element as the storage bits of a quad.
pub(super) fn splat(dtype: DType, element: &str) -> String {
    match dtype.size() {
        8 => format!("splat_pair({element})"),
        _ => format!("vec4<u32>({element})"),
    }
}
