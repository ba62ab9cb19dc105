// Mapping `rows`: rows of whole quads. The row and the quad in it come from the grid, or from an invocation's number over the
// whole grid; the outer coordinates are found once for all quads of an invocation.
//
// The tail defines WIDTH (invocations of a workgroup), QUADS (quads of a row that an invocation owns), ROWS (rows it owns,
// which differ along the next axis alone, or where APART, the same one of as many sections, along the outermost),
// CONSECUTIVE (whether quads of a row are neighbours, else as far apart as a row has invocations), UNIFORM (whether y and z of the grid are rows; else the row is found by dividing an invocation's number), INNER
// (the axis row whose extent is the number of invocations that a row has, and which divides by twice that), `table` (row 0:
// elements, quads of a row, rows; row 1: the rows from one of an invocation to its next is z), `struct At`, `fn at(row: u32,
// column: u32) -> At` (where each input's row begins, the element it is splat from, or the quad that all rows of an invocation
// share), `fn next(at: At, by: u32) -> At` (those of the next row, or with 0 of the same), `fn quad(q: u32, column: u32, at: At)`
// (the storage bits of a quad), `fn store(q: u32, r)`, and `fn own` as in mapping `flat`. An invocation computes UNITS quads at
// a time, four at most: of a row, or where DOWN of as many rows, of which none is missing where WHOLE.

@compute @workgroup_size(WIDTH)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let group = own(id);
    let in_row = table[0].y;
    let width = table[INNER].x;
    var row = group.z * groups.y + group.y;
    var along = group.x * WIDTH + index;
    if !UNIFORM {
        let number = (row * groups.x + group.x) * WIDTH + index;
        row = divide(2u * number, table[INNER]);
        along = number - row * width;
    }
    row *= select(ROWS, 1u, APART);
    if row >= select(table[0].z, table[1].z, APART) || along >= width { return; }
    let start = select(along, along * QUADS, CONSECUTIVE);
    var begin = at(row, 4u * start);
    begin = part(row, start, begin);
    let rows = select(1u, UNITS, DOWN);
    for (var r = rows; r < ROWS; r += rows) {
        begin = part(row + r, start, next(begin, 1u));
    }
}

// Up to four quads; where the last of their rows begins.
fn part(row: u32, start: u32, begin: At) -> At {
    let in_row = table[0].y;
    let step = select(select(table[INNER].x, 1u, CONSECUTIVE), 0u, DOWN);
    let apart = select(1u, table[1].z, APART);
    let down = select(0u, in_row * apart, DOWN);
    let last = in_row - 1u;
    // Whether there is a further quad, and another. Past the end, of a row or of the rows, the last one is computed again and
    // not stored.
    let more = select(start + step < in_row, WHOLE || row + apart < table[0].z, DOWN);
    let most = select(start + 2u * step < in_row, WHOLE || row + 2u * apart < table[0].z, DOWN);
    let all = select(start + 3u * step < in_row, WHOLE || row + 3u * apart < table[0].z, DOWN);
    let a = row * in_row;
    let b = a + select(0u, down, more);
    let c = b + select(0u, down, most);
    let d = c + select(0u, down, all);
    let at_b = min(start + step, last);
    let at_c = min(start + 2u * step, last);
    let at_d = min(start + 3u * step, last);
    var begin_b = begin;
    if DOWN && UNITS > 1u { begin_b = next(begin, u32(more)); }
    var begin_c = begin_b;
    if DOWN && UNITS > 2u { begin_c = next(begin_b, u32(most)); }
    var begin_d = begin_c;
    if DOWN && UNITS > 3u { begin_d = next(begin_c, u32(all)); }
    // All loads come before the first store.
    let first = quad(a + start, 4u * start, begin);
    var second = first;
    var third = first;
    var fourth = first;
    if UNITS > 1u { second = quad(b + at_b, 4u * at_b, begin_b); }
    if UNITS > 2u { third = quad(c + at_c, 4u * at_c, begin_c); }
    if UNITS > 3u { fourth = quad(d + at_d, 4u * at_d, begin_d); }
    store(a + start, first);
    if UNITS > 1u && more { store(b + at_b, second); }
    if UNITS > 2u && most { store(c + at_c, third); }
    if UNITS > 3u && all { store(d + at_d, fourth); }
    return begin_d;
}
