// Mapping `flat`: one axis is left, and the number of a quad is all there is to know.
//
// The tail defines WIDTH (invocations of a workgroup), QUADS (quads an invocation), CONSECUTIVE (whether those are
// neighbours), `table` (row 0: elements, quads, rows, shift) and `fn quad(q: u32)`.

@compute @workgroup_size(WIDTH)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = ((group.z * groups.y + group.y) * groups.x + group.x) * WIDTH * QUADS;
    let start = first + select(local, local * QUADS, CONSECUTIVE);
    let step = select(WIDTH, 1u, CONSECUTIVE);
    let end = table[0].y;
    if start < end { quad(start); }
    if QUADS > 1u && start + step < end { quad(start + step); }
    if QUADS > 2u && start + 2u * step < end { quad(start + 2u * step); }
    if QUADS > 3u && start + 3u * step < end { quad(start + 3u * step); }
}
