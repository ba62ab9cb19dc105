//! What every part of a kernel's generated tail asks for: words of the table, names, types.

use super::key::KernelKey;
use crate::dtype::DType;
use crate::plan::{Schedule, TableShape};

/// The lanes of a quad.
pub(super) const LANES: [&str; 4] = ["x", "y", "z", "w"];

/// The generated tail of a kernel.
pub(super) struct Tail<'a> {
    pub key: &'a KernelKey,
    /// Of an elementwise pass.
    pub schedule: Option<&'a Schedule>,
    pub table: TableShape,
}

impl Tail<'_> {
    /// A word of the table that belongs to input `i`, in the block of rows that starts at `row`.
    pub fn word(row: &str, i: usize) -> String {
        format!("table[{row} + {}u].{}", i / 4, LANES[i % 4])
    }

    pub fn offset(&self, i: usize) -> String {
        if self.key.inputs[i].offset {
            Self::word(&format!("{}u", self.table.offsets), i)
        } else {
            "0u".into()
        }
    }

    /// The table row of an axis, counted from the innermost.
    pub fn axis_row(&self, axis: &str) -> String {
        format!("{}u + {axis} * {}u", self.table.axes, self.table.axis_rows)
    }

    /// The stride of input `i` along an axis.
    pub fn stride(&self, i: usize, axis: &str) -> String {
        Self::word(&format!("{} + 1u", self.axis_row(axis)), i)
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
    pub fn first_element(&self) -> &'static str {
        if self.shifted() {
            "4u * q - table[0].w"
        } else {
            "4u * q"
        }
    }

    /// The output's offset in elements, on a word.
    pub fn output_offset(&self) -> &'static str {
        if self.key.output_offset {
            "table[1].y"
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
