// Mapping `tile`: an invocation owns four quads, neighbours along another axis than the innermost, so that inputs which are
// contiguous along that axis are loaded four at a time and turned.
//
// The tail defines WIDTH and HEIGHT (invocations of a workgroup along a row and along tiles), `table` (row 0: elements,
// quads of a row, tiles above one another), `struct At` (with q, the number of a quad in the output), `struct Tile` (an At for
// each of four rows), `fn at(tile: u32, column: u32) -> Tile`, `fn quad(q: u32, column: u32, at: At)` (the storage bits of a
// quad), `fn store(q: u32, r)`, and `fn own` as in mapping `flat`.

@compute @workgroup_size(WIDTH * HEIGHT)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let group = own(id);
    // As in mapping `rows`, workgroups have one axis.
    let local = vec2<u32>(index % WIDTH, index / WIDTH);
    let across = group.x * WIDTH + local.x;
    let down = (group.z * groups.y + group.y) * HEIGHT + local.y;
    if across >= table[0].y || down >= table[0].z { return; }
    let column = 4u * across;
    let tile = at(down, column);
    store(tile.a.q, quad(tile.a.q, column, tile.a));
    store(tile.b.q, quad(tile.b.q, column, tile.b));
    store(tile.c.q, quad(tile.c.q, column, tile.c));
    store(tile.d.q, quad(tile.d.q, column, tile.d));
}
