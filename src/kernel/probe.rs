//! The kernel that finds out what an adapter does.

use super::library;

/// Workgroups of its dispatch, of 64 invocations: four halves each.
pub(crate) const PROBE_GROUPS: u32 = 256;

/// Its text. Without `halves` the test of the adapter's own conversions of halves is left out,
/// which not every adapter compiles, and passes nowhere.
pub(crate) fn probe(halves: bool) -> String {
    let main = include_str!("../../shaders/probe.wgsl");
    let halves = if halves {
        let number = ["decode_f16_number", "encode_f16_number"];
        let text = include_str!("../../shaders/probe_halves.wgsl");
        format!("{}\n{text}", library::own_halves(&number))
    } else {
        "fn halves_agree(n: u32) -> vec2<bool> { return vec2<bool>(false); }\n".into()
    };
    let text = format!("{main}\n{halves}");
    let needed = library::needed(&[&text], library::Native::default());
    format!("{text}\n{needed}")
}
