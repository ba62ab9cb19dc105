// Mapping `product`: matrix products of [M, K] and [K, N]. A workgroup computes 64 x 64 elements of one; 16 columns of the first
// factor and 16 rows of the second at a time, a slab, lie in its memory. An invocation computes a quad of eight rows: four, and
// those 32 below them.
//
// The tail defines `fn enter(layer) -> u32`, which goes to the batch of a layer of the grid and says which of its layers it
// is; `Quad` (four values), `fn depth() -> u32` (K), `fn left(row, k) -> Quad` and `fn right(k, column) -> Quad` (four rows or
// columns of the factors, 0 outside), `fn spread(v: Quad, lane) -> Quad`, `fn plus_product(sum, a, b) -> Quad`,
// `fn finish(row, column)`, which stores `sums`, and PITCH, the quads from one k to the next in `rows`.

@compute @workgroup_size(16, 8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let row = (enter(group.z) * groups.y + group.y) * 64u + 4u * local.y;
    let column = group.x * 64u + 4u * local.x;
    // Neighbouring invocations load along K of the first factor, along N of the second.
    var a = left(row, local.x);
    var b = left(row + 32u, local.x);
    var c = right(local.y, column);
    var d = right(local.y + 8u, column);
    for (var k = 0u; k < depth(); k += 16u) {
        rows[local.x * PITCH + local.y] = a;
        rows[local.x * PITCH + local.y + 8u] = b;
        columns[local.y * 16u + local.x] = c;
        columns[local.y * 16u + local.x + 128u] = d;
        workgroupBarrier();
        // The next slab is under way while this one is multiplied.
        let next = k + 16u;
        if next < depth() {
            a = left(row, next + local.x);
            b = left(row + 32u, next + local.x);
            c = right(next + local.y, column);
            d = right(next + local.y + 8u, column);
        }
        for (var i = 0u; i < 16u; i += 4u) {
            add_four_products(i, local.y, local.x);
        }
        workgroupBarrier();
    }
    finish(row, column);
}

// [k][four rows] and [k][four columns].
var<workgroup> rows: array<Quad, 16u * PITCH>;
var<workgroup> columns: array<Quad, 256>;
var<private> sums: array<Quad, 8>;
