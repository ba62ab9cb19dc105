//! The binding list of a kernel: the one place that numbers bindings.

use super::KernelKey;
use crate::dtype::DType;
use crate::plan::{Access, Store, TableShape};

/// What a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The uniform table.
    Table,
    /// The uniform scalars.
    Scalars,
    /// Input `i`, read only.
    Input(usize),
    /// The output, read and written.
    Output,
}

/// One binding: its number, role, WGSL element type and, for uniforms, rows of four words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub number: u32,
    pub role: Role,
    pub element: &'static str,
    /// Bytes a binding must have at least.
    pub min_size: u64,
}

/// The bindings of a kernel, in order.
pub(crate) fn list(key: &KernelKey) -> Vec<Binding> {
    let table = TableShape::new(key.inputs.len(), key.rank);
    let mut roles = vec![(Role::Table, "vec4<u32>", table.rows as u64 * 16)];
    if !key.scalars.is_empty() && !key.immediate {
        roles.push((Role::Scalars, "vec4<u32>", key.scalar_rows() as u64 * 16));
    }
    for (i, input) in key.inputs.iter().enumerate().filter(|(_, input)| !input.in_place) {
        let wide = matches!(
            input.access,
            Access::Linear | Access::Vector | Access::Held | Access::Turned | Access::Shifted(_)
        );
        let (element, size) = element(input.unit(), wide);
        roles.push((Role::Input(i), element, size));
    }
    let (out, size) = element(key.output, key.store == Store::Wide);
    roles.push((Role::Output, out, size));
    (0..).zip(roles).map(|(number, (role, element, min_size))| Binding { number, role, element, min_size }).collect()
}

/// The element type a buffer is declared with, and the bytes of a quad; or of a word, for 64 bits of an element.
fn element(dtype: DType, wide: bool) -> (&'static str, u64) {
    match dtype.size() {
        8 if wide => ("vec4<u32>", 32),
        8 => ("vec2<u32>", 8),
        4 if wide => ("vec4<u32>", 16),
        2 if wide => ("vec2<u32>", 8),
        _ => ("u32", 4),
    }
}
