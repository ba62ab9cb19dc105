// Mapping `general`: any shape. The first element of an invocation's first quad is decomposed into coordinates by exact
// magic division, the other three lanes wrap and carry; each further quad adds the digits of the step to them. Where an
// invocation's quads are APART, the same one of each of as many sections of the outermost axis, the step is along that
// alone. BANDS are short sections beside one another: invocations are numbered along a band, and over every QUADS of them.
//
// The tail defines WIDTH and HEIGHT (invocations of a workgroup; along bands and over them), QUADS (quads an invocation),
// CONSECUTIVE (whether those are neighbours), APART, BANDS, `table` (row 0: elements, quads, where APART the quads of a
// section, shift), `struct At`, `fn at(element: u32) -> At` (the coordinates of four lanes, and what is loaded once),
// `fn next(at: At) -> At` (those of the invocation's next quad), `fn quad(q: u32, at: At)` (the storage bits of a quad),
// `fn store(q: u32, r)`, and `fn own` as in mapping `flat`.

@compute @workgroup_size(WIDTH * HEIGHT)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = own(id);
    let end = table[0].y;
    let beside = select(QUADS, 1u, APART);
    let step = select(select(WIDTH, 1u, CONSECUTIVE), table[0].z, APART);
    var start = 0u;
    if BANDS {
        let along = group.x * WIDTH + local % WIDTH;
        let over = (group.z * groups.y + group.y) * HEIGHT + local / WIDTH;
        start = over * QUADS * step + along;
        if along >= step || start >= end { return; }
    } else {
        let base = ((group.z * groups.y + group.y) * groups.x + group.x) * WIDTH * beside;
        start = base + select(local, local * beside, CONSECUTIVE);
        if start >= select(end, step, APART) { return; }
    }
    let first = at(4u * start);
    store(start, quad(start, first));
    var place = first;
    if QUADS > 1u {
        place = next(place);
        if start + step < end { store(start + step, quad(start + step, place)); }
    }
    if QUADS > 2u {
        place = next(place);
        if start + 2u * step < end { store(start + 2u * step, quad(start + 2u * step, place)); }
    }
    if QUADS > 3u {
        place = next(place);
        if start + 3u * step < end { store(start + 3u * step, quad(start + 3u * step, place)); }
    }
}
