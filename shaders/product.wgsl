// Mapping `product`: matrix products of [M, K] and [K, N]. A workgroup computes 64 x 64 elements of one; 16 columns of the first
// factor and 16 rows of the second at a time lie in its memory. An invocation computes four rows of a quad.
//
// The tail defines `fn enter(layer) -> u32`, which goes to the batch of a layer of the grid and says which of its layers it
// is; `Quad` (four values), `fn none() -> Quad`, `fn depth() -> u32` (K), `fn left(row, k) -> Quad` and
// `fn right(k, column) -> Quad` (four rows or columns of the factors, 0 outside), `fn spread(v: Quad, lane) -> Quad`,
// `fn plus_product(sum, a, b) -> Quad` and `fn store(row, column, v: Quad)`, which leaves out what lies outside.

@compute @workgroup_size(16, 16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = (enter(group.z) * groups.y + group.y) * 64u;
    let column = group.x * 64u;
    // Neighbouring invocations load along K of the first factor, along N of the second.
    let high = index >> 4u;
    let low = index & 15u;
    var a = none();
    var b = none();
    var c = none();
    var d = none();
    for (var k = 0u; k < depth(); k += 16u) {
        rows[low * 16u + high] = left(row + 4u * high, k + low);
        columns[high * 16u + low] = right(k + high, column + 4u * low);
        workgroupBarrier();
        for (var i = 0u; i < 16u; i++) {
            let x = rows[i * 16u + local.y];
            let y = columns[i * 16u + local.x];
            a = plus_product(a, spread(x, 0u), y);
            b = plus_product(b, spread(x, 1u), y);
            c = plus_product(c, spread(x, 2u), y);
            d = plus_product(d, spread(x, 3u), y);
        }
        workgroupBarrier();
    }
    let first = row + 4u * local.y;
    let quad = column + 4u * local.x;
    store(first, quad, a);
    store(first + 1u, quad, b);
    store(first + 2u, quad, c);
    store(first + 3u, quad, d);
}

// [k][four rows] and [k][four columns].
var<workgroup> rows: array<Quad, 256>;
var<workgroup> columns: array<Quad, 256>;
