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

fn pack_halves(r: vec4<u32>) -> vec2<u32> {
    return vec2<u32>(r.x | (r.y << 16u), r.z | (r.w << 16u));
}

fn decode_f16(r: vec4<u32>) -> vec4<f32> {
    let sign = (r & vec4<u32>(0x8000u)) << vec4<u32>(16u);
    let magnitude = r & vec4<u32>(0x7fffu);
    let normal = (magnitude << vec4<u32>(13u)) + vec4<u32>(0x38000000u);
    let special = (magnitude << vec4<u32>(13u)) | vec4<u32>(0x7f800000u);
    let small = bitcast<vec4<u32>>(vec4<f32>(magnitude) * vec4<f32>(5.9604645e-8));
    let finite = select(normal, small, magnitude < vec4<u32>(0x400u));
    return bitcast<vec4<f32>>(sign | select(finite, special, magnitude >= vec4<u32>(0x7c00u)));
}

fn encode_f16(x: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(x);
    let sign = (bits >> vec4<u32>(16u)) & vec4<u32>(0x8000u);
    let magnitude = bits & vec4<u32>(0x7fffffffu);
    let odd = (magnitude >> vec4<u32>(13u)) & vec4<u32>(1u);
    let normal = (magnitude + vec4<u32>(0xc8000fffu) + odd) >> vec4<u32>(13u);
    // Below 2^-14: adding 0.5 aligns the mantissa to multiples of 2^-24 and rounds it to nearest even.
    let aligned = bitcast<vec4<f32>>(min(magnitude, vec4<u32>(0x38800000u))) + vec4<f32>(0.5);
    let small = bitcast<vec4<u32>>(aligned) - vec4<u32>(0x3f000000u);
    let payload = (magnitude >> vec4<u32>(13u)) & vec4<u32>(0x3ffu);
    let nan = vec4<u32>(0x7c00u) | select(payload, vec4<u32>(0x200u), payload == vec4<u32>(0u));
    var r = select(normal, small, magnitude < vec4<u32>(0x38800000u));
    r = select(r, vec4<u32>(0x7c00u), magnitude >= vec4<u32>(0x477ff000u));
    r = select(r, nan, magnitude > vec4<u32>(0x7f800000u));
    return sign | r;
}

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
@group(0) @binding(3) var<storage, read> in2: array<u32>;
@group(0) @binding(4) var<storage, read_write> result: array<atomic<u32>>;
fn enter(layer: u32) -> u32 { return layer; }
fn get0(e: u32) -> u32 { return (in0[e >> 1u] >> ((e & 1u) << 4u)) & 0xffffu; }
fn left(four: u32, k: u32) -> Quad {
    let place = vec4<u32>(four) + vec4<u32>(0u, 1u, 2u, 3u);
    let inside = (place < vec4<u32>(height())) & vec4<bool>(k < depth());
    let moved = place * table.axes[2].strides[0].x + vec4<u32>(k * table.axes[0].strides[0].x);
    let e = vec4<u32>(0u) + select(vec4<u32>(0u), moved, inside);
    let bits = select(vec4<u32>(0u), vec4<u32>(get0(e.x), get0(e.y), get0(e.z), get0(e.w)), inside);
    return decode_f16(bits);
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
fn get2(e: u32) -> u32 { return in2[e]; }
fn of_element2(row: u32, four: u32) -> vec4<u32> {
    let place = vec4<u32>(four) + vec4<u32>(0u, 1u, 2u, 3u);
    let inside = (place < vec4<u32>(width())) & vec4<bool>(row < height());
    let moved = place * table.axes[1].strides[0].z + vec4<u32>(row * table.axes[2].strides[0].z);
    let e = vec4<u32>(0u) + select(vec4<u32>(0u), moved, inside);
    return vec4<u32>(get2(e.x), get2(e.y), get2(e.z), get2(e.w));
}
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn quad(x2_bits: vec4<u32>, f0_bits: vec4<u32>) -> vec4<u32> {
    let f0 = bitcast<vec4<f32>>(f0_bits);
    let x2 = bitcast<vec4<f32>>(x2_bits);
    let s0: vec4<f32> = opaque(f0 + x2);
    let s1_wide: vec4<f32> = s0;
    let s1_bits = encode_f16(s1_wide);
    return s1_bits;
}
fn finish(row: u32, column: u32) {
    for (var n = 0u; n < 8u; n++) {
        store(row + (n & 3u) + ((n & 4u) << 3u), column, sums[0]);
        sums[0] = sums[1];
        sums[1] = sums[2];
        sums[2] = sums[3];
        sums[3] = sums[4];
        sums[4] = sums[5];
        sums[5] = sums[6];
        sums[6] = sums[7];
    }
}
fn store(row: u32, column: u32, v: Quad) {
    let bits = quad(of_element2(row, column), ((bitcast<vec4<u32>>(v)) | vec4<u32>(table.zero)));
    let at = row * table.pitch + column + 0u;
    let place = vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u);
    let inside = (place < vec4<u32>(width())) & vec4<bool>(row < height());
    put_quad(at, bits, inside);
}
fn change(word: u32, bits: u32, mask: u32) {
    if mask == 0xffffffffu {
        atomicStore(&result[word], bits);
    } else if mask != 0u {
        atomicAnd(&result[word], ~mask);
        atomicOr(&result[word], bits & mask);
    }
}
fn put(element: u32, bits: u32) {
    let shift = (element & 1u) * 16u;
    change(element >> 1u, bits << shift, 0xffffu << shift);
}
fn put_quad(element: u32, quad: vec4<u32>, own: vec4<bool>) {
    let first = element >> 1u;
    let shift = (element & 1u) * 16u;
    let rest = select(0u, 0xffffffffu, shift > 0u);
    let back = (32u - shift) & 31u;
    let bits = pack_halves(quad);
    let mask = pack_halves(select(vec4<u32>(0u), vec4<u32>(0xffffu), own));
    change(first + 0u, (bits.x << shift), (mask.x << shift));
    change(first + 1u, (bits.y << shift) | ((bits.x >> back) & rest), (mask.y << shift) | ((mask.x >> back) & rest));
    change(first + 2u, ((bits.y >> back) & rest), ((mask.y >> back) & rest));
}
