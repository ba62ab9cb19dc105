// Mapping `take`: elements by their indices along an axis. An invocation writes a quad.
//
// The tail defines `fn quad(q: u32)`, the storage bits of a quad, and `fn store(q: u32, bits)`.

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let q = ((group.z * groups.y + group.y) * groups.x + group.x) * 64u + index;
    if q < (table.elements + 3u) / 4u {
        store(q, quad(q));
    }
}
