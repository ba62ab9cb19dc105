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

fn add_four_products(k: u32, row: u32, column: u32) {
    add_products(k, row, column);
    add_products(k + 1u, row, column);
    add_products(k + 2u, row, column);
    add_products(k + 3u, row, column);
}

fn add_products(k: u32, row: u32, column: u32) {
    let x = rows[k * PITCH + row];
    let z = rows[k * PITCH + row + 8u];
    let y = columns[k * 16u + column];
    sums[0] = plus_product(sums[0], spread(x, 0u), y);
    sums[1] = plus_product(sums[1], spread(x, 1u), y);
    sums[2] = plus_product(sums[2], spread(x, 2u), y);
    sums[3] = plus_product(sums[3], spread(x, 3u), y);
    sums[4] = plus_product(sums[4], spread(z, 0u), y);
    sums[5] = plus_product(sums[5], spread(z, 1u), y);
    sums[6] = plus_product(sums[6], spread(z, 2u), y);
    sums[7] = plus_product(sums[7], spread(z, 3u), y);
}

alias Quad = vec4<f32>;
fn depth() -> u32 { return table.axes[0].extent; }
fn height() -> u32 { return table.axes[2].extent; }
fn width() -> u32 { return table.axes[1].extent; }
const PITCH = 17u;
fn spread(v: Quad, lane: u32) -> Quad { return vec4<f32>(v[lane]); }
fn plus_product(sum: Quad, a: Quad, b: Quad) -> Quad { return sum + a * b; }
struct Axis { extent: u32, multiplier: u32, shift: u32, step: u32, strides: array<vec4<u32>, 1> }
struct Table {
    pitch: u32,
    apart: u32,
    layers: u32,
    adds: u32,
    output: u32,
    zero: u32,
    @align(16) offsets: array<vec4<u32>, 1>,
    @align(16) axes: array<Axis, 3>,
}
@group(0) @binding(0) var<uniform> table: Table;
@group(0) @binding(1) var<storage, read> in0: array<u32>;
@group(0) @binding(2) var<storage, read> in1: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;
fn enter(layer: u32) -> u32 { return layer; }
fn get0(e: u32) -> u32 { return in0[e]; }
fn left(four: u32, k: u32) -> Quad {
    let place = vec4<u32>(four) + vec4<u32>(0u, 1u, 2u, 3u);
    let inside = (place < vec4<u32>(height())) & vec4<bool>(k < depth());
    let moved = place * table.axes[2].strides[0].x + vec4<u32>(k * table.axes[0].strides[0].x);
    let e = vec4<u32>(0u) + select(vec4<u32>(0u), moved, inside);
    let bits = select(vec4<u32>(0u), vec4<u32>(get0(e.x), get0(e.y), get0(e.z), get0(e.w)), inside);
    return bitcast<vec4<f32>>(bits);
}
fn get1(e: u32) -> u32 { return in1[e]; }
fn right(k: u32, four: u32) -> Quad {
    let place = vec4<u32>(four) + vec4<u32>(0u, 1u, 2u, 3u);
    let inside = (place < vec4<u32>(width())) & vec4<bool>(k < depth());
    let moved = place * table.axes[1].strides[0].y + vec4<u32>(k * table.axes[0].strides[0].y);
    let e = vec4<u32>(0u) + select(vec4<u32>(0u), moved, inside);
    let bits = select(vec4<u32>(0u), vec4<u32>(get1(e.x), get1(e.y), get1(e.z), get1(e.w)), inside);
    return bitcast<vec4<f32>>(bits);
}
fn finish(row: u32, column: u32) {
    store(row, column, sums[0]);
    store(row + 1u, column, sums[1]);
    store(row + 2u, column, sums[2]);
    store(row + 3u, column, sums[3]);
    store(row + 32u, column, sums[4]);
    store(row + 33u, column, sums[5]);
    store(row + 34u, column, sums[6]);
    store(row + 35u, column, sums[7]);
}
fn store(row: u32, column: u32, v: Quad) {
    let at = row * table.pitch + column + 0u;
    var sum = v;
    if table.adds != 0u {
        let before = vec4<u32>(result[select(0u, at + 0u, row < height() && column + 0u < width())], result[select(0u, at + 1u, row < height() && column + 1u < width())], result[select(0u, at + 2u, row < height() && column + 2u < width())], result[select(0u, at + 3u, row < height() && column + 3u < width())]);
        sum = (bitcast<vec4<f32>>(before)) + v;
    }
    let bits = bitcast<vec4<u32>>(sum);
    if row < height() && column + 0u < width() { result[at + 0u] = bits.x; }
    if row < height() && column + 1u < width() { result[at + 1u] = bits.y; }
    if row < height() && column + 2u < width() { result[at + 2u] = bits.z; }
    if row < height() && column + 3u < width() { result[at + 3u] = bits.w; }
}
