// Mapping `general`: any shape. The first element of a quad is decomposed into coordinates by exact magic division; the
// other three lanes wrap and carry.
//
// The tail defines WIDTH, `table` (row 0: elements, quads, rows, shift), `struct At`, `fn at(element: u32) -> At` (where
// each input's four lanes lie), `fn quad(q: u32, at: At)` (the storage bits of a quad) and `fn store(q: u32, r)`. An
// invocation owns one quad.

@compute @workgroup_size(WIDTH)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let q = ((group.z * groups.y + group.y) * groups.x + group.x) * WIDTH + local;
    if q < table[0].y { store(q, quad(q, at(4u * q))); }
}
