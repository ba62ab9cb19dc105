//! The generated tail of a kernel that takes elements by their indices.

use super::shader::shader;
use super::tail::{Tail, bits_type};
use super::template::emit;

/// `fn main`.
pub(super) const BODY: &str = shader!("take.wgsl");

impl Tail<'_> {
    /// What `shaders/take.wgsl` asks for.
    pub(super) fn take(&self) -> String {
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
        let (bits, value) = (bits_type(self.key.output), self.gather(0, "at"));
        emit! { out, along, bits, value;
            "    return first + get1(at) * {along};"
            "}"
            "fn quad(q: u32) -> {bits} {"
            "    let at = vec4<u32>(place(4u * q), place(4u * q + 1u), place(4u * q + 2u), place(4u * q + 3u));"
            "    return {value};"
            "}"
        }
        self.store(out);
        text
    }
}
