// Mapping `general`: any shape. The first element of a quad is decomposed into coordinates by exact magic division; the
// other three lanes wrap and carry.
//
// The tail defines WIDTH, QUADS, CONSECUTIVE, `table` (row 0: elements, quads, rows, shift), `struct At`,
// `fn at(element: u32) -> At` (where each input's four lanes lie) and `fn quad(q: u32, at: At)`.

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
    if start < end { quad(start, at(4u * start)); }
    if QUADS > 1u && start + step < end { quad(start + step, at(4u * (start + step))); }
    if QUADS > 2u && start + 2u * step < end { quad(start + 2u * step, at(4u * (start + 2u * step))); }
    if QUADS > 3u && start + 3u * step < end { quad(start + 3u * step, at(4u * (start + 3u * step))); }
}
