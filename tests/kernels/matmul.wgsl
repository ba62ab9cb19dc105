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


alias Quad = vec4<f32>;
fn depth() -> u32 { return table.axes[0].extent; }
fn height() -> u32 { return table.axes[2].extent; }
fn width() -> u32 { return table.axes[1].extent; }
fn none() -> Quad { return vec4<f32>(); }
fn spread(v: Quad, lane: u32) -> Quad { return vec4<f32>(v[lane]); }
fn plus_product(sum: Quad, a: Quad, b: Quad) -> Quad { return sum + a * b; }
struct Axis { extent: u32, multiplier: u32, shift: u32, step: u32, strides: array<vec4<u32>, 1> }
struct Table {
    pitch: u32,
    apart: u32,
    layers: u32,
    adds: u32,
    output: u32,
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
