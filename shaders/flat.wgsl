// Mapping `flat`: one axis is left, and the number of a quad is all there is to know.
//
// The tail defines WIDTH (invocations of a workgroup), QUADS (quads an invocation), CONSECUTIVE (whether those are
// neighbours), `table` (row 0: elements, quads, rows, shift), `struct At`, `fn at() -> At` (the elements that are splat),
// `fn quad(q: u32, at: At)` (the storage bits of a quad), `fn store(q: u32, r)`, and `fn own(id: vec3<u32>) -> vec3<u32>` (the
// number of a workgroup among those of its call, where a dispatch computes several).

@compute @workgroup_size(WIDTH)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = own(id);
    let base = ((group.z * groups.y + group.y) * groups.x + group.x) * WIDTH * QUADS;
    let start = base + select(local, local * QUADS, CONSECUTIVE);
    let end = table[0].y;
    if start >= end { return; }
    let step = select(WIDTH, 1u, CONSECUTIVE);
    let begin = at();
    let last = end - 1u;
    // All loads come before the first store. A quad past the end is computed as the last one and not stored.
    let b = min(start + step, last);
    let c = min(start + 2u * step, last);
    let d = min(start + 3u * step, last);
    let first = quad(start, begin);
    var second = first;
    var third = first;
    var fourth = first;
    if QUADS > 1u { second = quad(b, begin); }
    if QUADS > 2u { third = quad(c, begin); }
    if QUADS > 3u { fourth = quad(d, begin); }
    store(start, first);
    if QUADS > 1u && start + step < end { store(b, second); }
    if QUADS > 2u && start + 2u * step < end { store(c, third); }
    if QUADS > 3u && start + 3u * step < end { store(d, fourth); }
}
