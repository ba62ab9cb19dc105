//! The list of a kernel's bindings: the only code that numbers bindings.

use super::key::{KernelKey, KeyInput};
use crate::dtype::DType;
use crate::plan::{Access, LaneLoad, QUAD, Store, TableShape};

/// The role of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The uniform table.
    Table,
    /// The uniform scalars.
    Scalars,
    /// Input `i` of a call, read only.
    Input { call: u32, i: usize },
    /// The output of a call, read and written.
    Output { call: u32 },
}

/// One binding: its number, role, WGSL element type and least size.
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
    let table = TableShape::new(&key.work, key.inputs.len(), key.rank);
    let mut roles = vec![(Role::Table, "vec4<u32>", table.rows as u64 * 16)];
    if !key.scalars.is_empty() && !key.immediate {
        roles.push((Role::Scalars, "vec4<u32>", key.scalar_rows() as u64 * 16));
    }
    let is_bound =
        |(_, input): &(usize, &KeyInput)| !input.in_place && input.access != Access::Numbers;
    for call in 0..key.calls {
        let inputs = key.inputs.iter().enumerate();
        for (i, input) in inputs.filter(is_bound) {
            let (element, size) = input_element(key, input);
            roles.push((Role::Input { call, i }, element, size));
        }
        let (element, size) = output_element(key);
        roles.push((Role::Output { call }, element, size));
    }
    let binding = |(number, (role, element, min_size))| Binding {
        number,
        role,
        element,
        min_size,
    };
    (0..).zip(roles).map(binding).collect()
}

/// The element type of an input's buffer, and its bytes.
pub(super) fn input_element(key: &KernelKey, input: &KeyInput) -> (&'static str, u64) {
    let wide = match input.load.lanes {
        LaneLoad::Vector { .. } | LaneLoad::Transposed | LaneLoad::Interleaved => true,
        // Pieces of rows are loaded word by word.
        LaneLoad::Unaligned => key.unit() as usize <= QUAD,
        _ => false,
    };
    element(input.unit(), wide, key.unit())
}

/// The element type of the output's buffer, and its bytes.
pub(super) fn output_element(key: &KernelKey) -> (&'static str, u64) {
    match key.store.is_shared() {
        true => ("atomic<u32>", 4),
        false => element(key.output, key.store == Store::Wide, key.unit()),
    }
}

/// The element type a buffer is declared with, and the bytes of a quad or pair; or of a word, for 64
/// bits of an element.
fn element(dtype: DType, wide: bool, unit: u32) -> (&'static str, u64) {
    match dtype.size() {
        8 if wide && unit == 2 => ("vec4<u32>", 16),
        4 if wide && unit == 2 => ("vec2<u32>", 8),
        2 if wide && unit == 2 => ("u32", 4),
        8 if wide => ("vec4<u32>", 32),
        8 => ("vec2<u32>", 8),
        4 if wide => ("vec4<u32>", 16),
        2 if wide => ("vec2<u32>", 8),
        _ => ("u32", 4),
    }
}
