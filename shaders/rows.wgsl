// Mapping `rows`: rows of whole quads. The row and the quad in it come from the grid; the outer coordinates are found
// once for all quads of an invocation.
//
// The tail defines WIDTH (invocations of a workgroup), QUADS (quads of a row that an invocation owns), ROWS (rows it owns,
// which differ along the next axis alone), CONSECUTIVE, FOLDED (whether a row has more workgroups than the grid is wide, so
// that they are numbered over the whole grid), `table` (row 0: elements, quads of a row, rows, and the power of two that is
// the number of a workgroup's invocations along a row), `struct At`, `fn at(row: u32) -> At` (where each input's row
// begins, or the element it is splat from), `fn next(at: At) -> At` (those of the next row), `fn quad(q: u32, column: u32,
// at: At)` (the storage bits of a quad) and `fn store(q: u32, r)`.

@compute @workgroup_size(WIDTH)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let in_row = table[0].y;
    // Not a workgroup of two axes: a CPU computes neighbours along x together, and would leave most of its lanes empty.
    let width = 1u << table[0].w;
    let local = vec2<u32>(index & (width - 1u), index >> table[0].w);
    var across = group.x;
    var down = group.z * groups.y + group.y;
    if FOLDED {
        let number = down * groups.x + across;
        let wide = (in_row + width * QUADS - 1u) / (width * QUADS);
        down = number / wide;
        across = number - down * wide;
    }
    let row = (down * (WIDTH >> table[0].w) + local.y) * ROWS;
    let start = across * width * QUADS + select(local.x, local.x * QUADS, CONSECUTIVE);
    if row >= table[0].z || start >= in_row { return; }
    var begin = at(row);
    part(row, start, begin);
    for (var r = 1u; r < ROWS; r++) {
        begin = next(begin);
        part(row + r, start, begin);
    }
}

// The invocation's quads of a row.
fn part(row: u32, start: u32, begin: At) {
    let in_row = table[0].y;
    let step = select(1u << table[0].w, 1u, CONSECUTIVE);
    let q = row * in_row;
    let last = in_row - 1u;
    // All loads come before the first store. A quad past the row's end is computed as the last one and not stored.
    let b = min(start + step, last);
    let c = min(start + 2u * step, last);
    let d = min(start + 3u * step, last);
    let first = quad(q + start, 4u * start, begin);
    var second = first;
    var third = first;
    var fourth = first;
    if QUADS > 1u { second = quad(q + b, 4u * b, begin); }
    if QUADS > 2u { third = quad(q + c, 4u * c, begin); }
    if QUADS > 3u { fourth = quad(q + d, 4u * d, begin); }
    store(q + start, first);
    if QUADS > 1u && start + step < in_row { store(q + b, second); }
    if QUADS > 2u && start + 2u * step < in_row { store(q + c, third); }
    if QUADS > 3u && start + 3u * step < in_row { store(q + d, fourth); }
}
