//! The generated tail of a kernel that looks up elements, or the places of values in a row.

use super::shader::shader;
use super::tail::{Tail, bits_type};
use super::template::emit;
use crate::dtype::DType;
use crate::plan::{OwnWork, SEARCH_RIGHT, TAKE};

/// `fn main`.
pub(super) const BODY: &str = shader!("take.wgsl");

impl Tail<'_> {
    /// What `shaders/take.wgsl` asks for.
    pub(super) fn lookup(&self, work: &OwnWork) -> String {
        let mut text = String::new();
        let out = &mut text;
        self.bindings(out);
        for i in 0..2 {
            self.getter(i, out);
        }
        let [x, positions] = [0, 1].map(|i| self.offset(i));
        emit! { out, x, positions;
            "fn place(element: u32) -> u32 {"
            "    var rest = min(element, table.elements - 1u);"
            "    var first = {x};"
            "    var at = {positions};"
        }
        for axis in 1..self.table.rank {
            let axis = axis.to_string();
            let [x, positions] = [0, 1].map(|i| self.stride(i, &axis));
            emit! { out, axis, x, positions;
                "    let i{axis} = rest % table.axes[{axis}].extent;"
                "    rest /= table.axes[{axis}].extent;"
                "    first += i{axis} * {x};"
                "    at += i{axis} * {positions};"
            }
        }
        let along = self.stride(0, "0");
        let bits = bits_type(self.key.output);
        let found = "place(4u * q), place(4u * q + 1u), place(4u * q + 2u), place(4u * q + 3u)";
        if *work == TAKE {
            emit! { out, along; "    return first + get1(at) * {along};" }
        } else {
            emit! { out, along, before = before(self.key.inputs[0].dtype, *work == SEARCH_RIGHT);
                "    let value = get1(at);"
                "    var low = 0u;"
                "    var high = table.axes[0].extent;"
                "    while low < high {"
                "        let middle = low + (high - low) / 2u;"
                "        let own = get0(first + middle * {along});"
                "        if {before} {"
                "            low = middle + 1u;"
                "        } else {"
                "            high = middle;"
                "        }"
                "    }"
                "    return low;"
            }
        }
        let value = match *work == TAKE {
            true => self.gather(0, "at"),
            false => "at".into(),
        };
        emit! { out, bits, value, found;
            "}"
            "fn quad(q: u32) -> {bits} {"
            "    let at = vec4<u32>({found});"
            "    return {value};"
            "}"
        }
        self.store(out);
        text
    }
}

/// Whether an element of the row stands before the place of the value.
fn before(dtype: DType, right: bool) -> String {
    let less = if right { "<=" } else { "<" };
    match dtype.size() {
        8 => format!("own.y < value.y || (own.y == value.y && own.x {less} value.x)"),
        _ => format!("own {less} value"),
    }
}
