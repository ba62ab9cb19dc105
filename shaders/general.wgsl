// Mapping `general`: any shape. The first element of an invocation's first quad is decomposed into coordinates by exact
// magic division, the other three lanes wrap and carry; each further quad adds the digits of the step to them.
//
// The tail defines WIDTH, QUADS (quads an invocation), CONSECUTIVE (whether those are neighbours), `table` (row 0: elements,
// quads, rows, shift), `struct At`, `fn at(element: u32) -> At` (the coordinates of four lanes, and what is loaded once),
// `fn next(at: At) -> At` (those of the invocation's next quad), `fn quad(q: u32, at: At)` (the storage bits of a quad) and
// `fn store(q: u32, r)`, and `fn own` as in mapping `flat`.

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
    let first = at(4u * start);
    store(start, quad(start, first));
    if QUADS > 1u && start + step < end {
        let second = next(first);
        store(start + step, quad(start + step, second));
        if QUADS > 2u && start + 2u * step < end {
            let third = next(second);
            store(start + 2u * step, quad(start + 2u * step, third));
            if QUADS > 3u && start + 3u * step < end {
                let fourth = next(third);
                store(start + 3u * step, quad(start + 3u * step, fourth));
            }
        }
    }
}
